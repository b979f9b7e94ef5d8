#!/usr/bin/env python3
"""Checks that clang compiles the command as `./dev demo` builds it: in units, all headers of a room precompiled. g++ takes
some code that clang does not, and so does a build without that header: a name of one source may be a header's too.

Usage: clang_accepts.py FOLDER JOBS     (FOLDER: for the headers that the build makes)
"""
import json
import pathlib
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[1]
MADE = re.compile(r"^(\S+(?:cmake_pch\.hxx\.pch|_messages\.h)): ", re.M)  # targets that sources need


def run(*words, folder=ROOT):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        sys.exit(f"{shlex.join(words)}\n{done.stdout}{done.stderr}")
    return done.stdout


def complaint(entry):
    """What clang says of one unit, or nothing."""
    words = shlex.split(entry["command"])
    words = words[next(i for i, word in enumerate(words) if pathlib.Path(word).name.startswith("clang")) :]
    output = words.index("-o")
    del words[output : output + 2]
    done = subprocess.run([*words, "-fsyntax-only"], cwd=entry["directory"], capture_output=True, text=True, errors="replace")
    return done.stderr if done.returncode != 0 else ""


def main(folder, jobs):
    run("cmake", "--preset", "demo_clang", "-B", folder)
    made = MADE.findall(run("ninja", "-C", folder, "-t", "targets", "all"))
    run("ninja", "-C", folder, "-j", jobs, *made)
    units = json.loads((pathlib.Path(folder) / "compile_commands.json").read_text(encoding="utf-8"))
    units = [entry for entry in units if not entry["file"].endswith((".c", ".hxx"))]
    with ThreadPoolExecutor(int(jobs)) as pool:
        complaints = [text for text in pool.map(complaint, units) if text]
    print("\n".join(complaints) or f"clang compiles all {len(units)} units")
    return 1 if complaints else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
