#!/usr/bin/env python3
"""Checks that clang compiles a source: `./dev demo` builds with it, and g++ takes some code that clang does not.

Usage: clang_accepts.py CLANG BUILD_DIR LIKE SOURCE    (LIKE: a source of the same target, for the options)
"""
import pathlib
import subprocess
import sys

import tidy


def main(clang, build, like, source):
    folder, words = tidy.command_of(pathlib.Path(build), pathlib.Path(like))
    return subprocess.run([clang, "-fsyntax-only", *tidy.flags_of(words), "-w", source], cwd=folder).returncode


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
