"""Runs the command: `python -m panto retarget dance.bvh --robot g1`."""

import os
import pathlib
import subprocess
import sys
import tempfile
from typing import Optional

_OUTPUTS = ("-o", "--out", "--output", "--report", "--frames")


def _pickle_in(words: list[str]) -> Optional[int]:
    """Returns which word of a command line is a file of pickled arrays, to be read."""
    from panto._pickles import is_pickle

    if words[:1] not in (["inspect"], ["check"], ["convert"], ["retarget"], ["track"]):
        return None
    for i, word in enumerate(words[1:], 1):
        if words[i - 1] in _OUTPUTS or not os.path.isfile(word):
            continue
        try:
            with open(word, "rb") as file:
                if is_pickle(file.read(8), word):
                    return i
        except OSError:  # the command says what is wrong
            pass
    return None


def _run_unpickled(command: pathlib.Path, words: list[str], which: int) -> Optional[int]:
    """Runs the command on the arrays of a pickle, under the pickle's name; returns its exit code, None: it needs no help."""
    from panto import Error
    from panto._paths import printable
    from panto._pickles import input_of

    path, person = words[which], None
    if "--person" in words[:-1]:
        at = words.index("--person")
        person = words[at + 1]
        words = words[:at] + words[at + 2 :]
        which = words.index(path)
    try:
        content = input_of(path, None, person, "panto")[1]
    except Error as error:
        print(f"panto: {printable(error)}", file=sys.stderr)
        return 2 if type(error).__name__ == "ConfigError" else 3
    if content is None:
        return None
    with tempfile.TemporaryDirectory(prefix="panto-") as folder:
        copy = pathlib.Path(folder, os.path.basename(path))
        copy.write_bytes(content)
        run = subprocess.run([command, *words[:which], copy, *words[which + 1 :]], capture_output=True, check=False)
        for stream, said in ((sys.stdout, run.stdout), (sys.stderr, run.stderr)):
            stream.flush()
            stream.buffer.write(said.replace(os.fsencode(printable(copy)), os.fsencode(printable(path))))
            stream.flush()
    return run.returncode


def main() -> None:
    """Runs `panto batch` and `panto picture` here; else replaces this process by the command that the package brings."""
    asks_help = sys.argv[1:2] == ["help"]
    task = sys.argv[2 if asks_help else 1 :][:1]
    if task in (["batch"], ["picture"]):
        if task == ["batch"]:
            from panto._batch_command import run
        else:
            from panto._picture_command import run
        sys.exit(run(["--help"] if asks_help else sys.argv[2:]))
    command = pathlib.Path(os.environ.get("PANTO_COMMAND") or pathlib.Path(__file__).parent / "bin" / "panto")
    if not command.is_file():
        sys.exit(f"panto: the command is not beside the package ({command.name} missing in panto/bin); install the wheel")
    which = _pickle_in(sys.argv[1:])
    code = None if which is None else _run_unpickled(command, sys.argv[1:], which)
    if code is not None:
        sys.exit(code)
    os.execv(command, ["panto", *sys.argv[1:]])


if __name__ == "__main__":
    main()
