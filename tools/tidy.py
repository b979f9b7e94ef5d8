#!/usr/bin/env python3
"""Runs clang-tidy on one source file, unless the same text under the same rules was found clean before.

Usage: tidy.py CLANG_TIDY BUILD_DIR SOURCE
"""
import hashlib
import json
import pathlib
import shlex
import subprocess
import sys


def preprocess(build, source):
    """The file as its compiler sees it, comments (NOLINT) kept."""
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        if pathlib.Path(entry["file"]).resolve() == source.resolve():
            words = shlex.split(entry["command"])
            output = words.index("-o")
            del words[output : output + 2]
            command = [word for word in words if word != "-c"] + ["-E", "-C"]
            return subprocess.run(command, cwd=entry["directory"], stdout=subprocess.PIPE, check=True).stdout
    sys.exit(f"{source} is not in {build}/compile_commands.json")


def main(clang_tidy, build, source):
    build, source = pathlib.Path(build), pathlib.Path(source)
    rules = pathlib.Path(__file__).resolve().parents[1] / ".clang-tidy"
    version = subprocess.run([clang_tidy, "--version"], stdout=subprocess.PIPE, check=True).stdout
    text = hashlib.sha256(version + rules.read_bytes() + preprocess(build, source)).hexdigest()
    clean = build / "tidy_clean" / text
    if clean.exists():
        return 0
    # -w: what to warn of is the compiler's business
    command = [clang_tidy, "--quiet", "-p", str(build), "--extra-arg=-w", str(source)]
    code = subprocess.run(command, stderr=subprocess.DEVNULL).returncode
    if code == 0:
        clean.parent.mkdir(exist_ok=True)
        clean.touch()
    return code


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
