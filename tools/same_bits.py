#!/usr/bin/env python3
"""Builds the core by another compiler and compares, line by line, what it computes with what the reference computes.

Usage: same_bits.py clang REFERENCE [--jobs N]

REFERENCE is the program panto_bits_probe of any build; the other one is built in build/clang, by the preset of
that name. Exits 1 where a line differs that is not expected to, and where one does not that is.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROBE = {"clang": "panto_bits_probe"}

# lines that may differ, with the reason: each must still differ
EXPECTED = {"clang": {}}


def run(command):
    result = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode:
        sys.exit(f"{result.stdout[-20000:]}\nsame_bits: failed: {' '.join(map(str, command))}")


def lines_of(command):
    """What the probe prints: {name: hash}."""
    result = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode:
        sys.exit(f"{result.stdout}{result.stderr}\nsame_bits: failed: {' '.join(map(str, command))}")
    return {m[1]: m[2] for m in re.finditer(r"^(.*\S)\s+([0-9a-f]{16})$", result.stdout, re.M)}


def differences(reference, other, expected):
    """Sentences about every line that is not as it should be."""
    for name in reference.keys() | other.keys():
        a, b = reference.get(name, "nothing"), other.get(name, "nothing")
        if a != b and name not in expected:
            yield f"{name}: {a}, here {b}"
        if a == b and name in expected:
            yield f"{name}: the same, though tools/same_bits.py expects a difference ({expected[name]})"
    for name in expected.keys() - reference.keys() - other.keys():
        yield f"{name}: tools/same_bits.py expects a difference, but nothing has that name"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", choices=PROBE)
    parser.add_argument("reference", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    run(["cmake", "--preset", options.which])
    run(["cmake", "--build", "--preset", options.which, "--parallel", str(options.jobs), "--target", "panto_bits_probe"])
    probe = [str(ROOT / "build" / options.which / PROBE[options.which])]
    reference, other = lines_of([str(options.reference.resolve())]), lines_of(probe)
    expected = EXPECTED[options.which]
    found = sorted(differences(reference, other, expected))
    print("\n".join(found) or f"same bits: {len(reference)} lines, {len(expected)} of them known to differ")
    sys.exit(1 if found or not reference else 0)


if __name__ == "__main__":
    main()
