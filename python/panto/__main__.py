"""Runs the command: `python -m panto retarget dance.bvh --robot g1`."""

import os
import pathlib
import sys


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
    command = pathlib.Path(__file__).parent / "bin" / "panto"
    if not command.is_file():
        sys.exit(f"panto: the command is not beside the package ({command.name} missing in panto/bin); install the wheel")
    os.execv(command, ["panto", *sys.argv[1:]])


if __name__ == "__main__":
    main()
