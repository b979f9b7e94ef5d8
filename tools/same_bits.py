#!/usr/bin/env python3
"""Builds the core with another compiler and compares its results, line by line, with those of a reference build.

Usage: same_bits.py clang REFERENCE [--jobs N]

REFERENCE is the program panto_bits_probe of any build; the other one is built in build/clang, with the preset of
that name. Exits 1 if a line differs unexpectedly, or does not differ although expected.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROBE = {"clang": "panto_bits_probe"}

# lines expected to differ, with the reason; each must still differ
EXPECTED = {"clang": {}}


def run(command):
    result = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode:
        sys.exit(f"{result.stdout[-20000:]}\nsame_bits: failed: {' '.join(map(str, command))}")


def lines_of(command):
    """Returns the output of the probe: {name: hash}."""
    result = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode:
        sys.exit(f"{result.stdout}{result.stderr}\nsame_bits: failed: {' '.join(map(str, command))}")
    return {m[1]: m[2] for m in re.finditer(r"^(.*\S)\s+([0-9a-f]{16})$", result.stdout, re.M)}


def differences(reference, other, expected):
    """Yields a sentence about every line that is not as expected."""
    for name in reference.keys() | other.keys():
        a, b = reference.get(name, "nothing"), other.get(name, "nothing")
        if a != b and name not in expected:
            yield f"{name}: reference {a}, here {b}"
        if a == b and name in expected:
            yield f"{name}: no difference, but tools/same_bits.py expects one ({expected[name]})"
    for name in expected.keys() - reference.keys() - other.keys():
        yield f"{name}: tools/same_bits.py expects a difference, but no line has that name"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", choices=PROBE)
    parser.add_argument("reference", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    run(["cmake", "--preset", options.which])
    run(["cmake", "--build", "--preset", options.which, "--parallel", str(options.jobs)])
    probe = [str(ROOT / "build" / options.which / PROBE[options.which])]
    reference, other = lines_of([str(options.reference.resolve())]), lines_of(probe)
    expected = EXPECTED[options.which]
    found = sorted(differences(reference, other, expected))
    print("\n".join(found) or f"same bits: {len(reference)} lines, {len(expected)} of them expected to differ")
    sys.exit(1 if found or not reference else 0)


if __name__ == "__main__":
    main()
