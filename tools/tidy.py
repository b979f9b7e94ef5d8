#!/usr/bin/env python3
"""Runs clang-tidy on one source file, unless the same text was clean under the same rules before.

Usage: tidy.py CLANG_TIDY BUILD_DIR SOURCE
"""
import hashlib
import json
import pathlib
import shlex
import subprocess
import sys


# options of g++ that clang does not know
GCC_ONLY = ("-fno-tree-sink", "--param=")
# options of g++'s precompiled header: clang cannot read it, and it would hide missing includes
PRECOMPILED = {"-Winvalid-pch", "-fpch-preprocess"}


def compiles(unit, source):
    """Tells if the file is the source, or a unit of several sources with this one among them."""
    unit = pathlib.Path(unit)
    return unit.resolve() == source.resolve() or ("Unity" in unit.parts and f'"{source}"' in unit.read_text(encoding="utf-8"))


def command_of(build, source):
    """Returns folder and words of the compiler's command, without its output."""
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        if compiles(entry["file"], source):
            words = shlex.split(entry["command"])
            output = words.index("-o")
            del words[output : output + 2]
            for i in reversed(range(len(words) - 1)):
                if words[i] == "-include" and pathlib.Path(words[i + 1]).name == "cmake_pch.hxx":
                    del words[i : i + 2]
            words = [word for word in words if word not in PRECOMPILED]
            return entry["directory"], [word for word in words if word not in ("-c", entry["file"])]
    sys.exit(f"{source} is not in {build}/compile_commands.json")


def preprocess(folder, words):
    """Returns the file as its compiler sees it, with comments (NOLINT)."""
    return subprocess.run(words + ["-E", "-C"], cwd=folder, stdout=subprocess.PIPE, check=True).stdout


def flags_of(words):
    first = next(i for i, word in enumerate(words) if word.startswith("-"))
    return [word for word in words[first:] if not word.startswith(GCC_ONLY)]


def main(clang_tidy, build, like, source):
    build, source = pathlib.Path(build), pathlib.Path(source).resolve()
    rules = pathlib.Path(__file__).resolve().parents[1] / ".clang-tidy"
    version = subprocess.run([clang_tidy, "--version"], stdout=subprocess.PIPE, check=True).stdout
    folder, words = command_of(build, pathlib.Path(like))
    text = hashlib.sha256(version + rules.read_bytes() + preprocess(folder, [*words, str(source)])).hexdigest()
    clean = build / "tidy_clean" / text
    if clean.exists():
        return 0
    # -w: warnings are the compiler's job
    of_unit = ["--checks=-bugprone-suspicious-include"] if source.is_relative_to(build.resolve()) else []
    command = [clang_tidy, "--quiet", *of_unit, str(source), "--", *flags_of(words), "-w"]
    code = subprocess.run(command, cwd=folder, stderr=subprocess.DEVNULL).returncode
    if code == 0:
        clean.parent.mkdir(exist_ok=True)
        clean.touch()
    return code


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
