#!/usr/bin/env python3
"""Builds the core with another compiler and compares its results, line by line, with those of a reference build.

Usage: same_bits.py clang REFERENCE [--jobs N]
       same_bits.py wasm [--jobs N]

REFERENCE is the program panto_bits_probe of any build. `clang` builds what `./dev demo` does, with warnings as errors, and must
give its bits. `wasm` builds the core with emscripten, whose Eigen has no vectors and adds in another order; its bits must be those
of the preset `scalar`, clang without Eigen's vectors. Exits 1 if a line differs.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]


def run(command):
    result = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode:
        sys.exit(f"{result.stdout[-20000:]}\nsame_bits: failed: {' '.join(map(str, command))}")


def build(preset, jobs):
    """Builds a preset; returns the command that runs its probe."""
    command = ["panto_app"] if preset == "clang" else []
    run(["cmake", "--preset", preset])
    run(["cmake", "--build", "--preset", preset, "--target", "panto_bits_probe", *command, "--parallel", str(jobs)])
    folder = ROOT / "build" / preset
    if preset == "wasm_bits":
        return ["node", "--experimental-wasi-unstable-preview1", "--no-warnings", str(ROOT / "tools/run_wasm.mjs"), str(folder / "panto_bits_probe.wasm")]
    return [str(folder / "panto_bits_probe")]


def lines_of(command):
    """Returns the output of the probe: {name: hash}."""
    result = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode:
        sys.exit(f"{result.stdout}{result.stderr}\nsame_bits: failed: {' '.join(map(str, command))}")
    return {m[1]: m[2] for m in re.finditer(r"^(.*\S)\s+([0-9a-f]{16})$", result.stdout, re.M)}


def differences(reference, other):
    """Yields a sentence about every line that differs."""
    for name in reference.keys() | other.keys():
        a, b = reference.get(name, "nothing"), other.get(name, "nothing")
        if a != b:
            yield f"{name}: reference {a}, here {b}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", choices=("clang", "wasm"))
    parser.add_argument("reference", type=pathlib.Path, nargs="?")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    if (options.which == "wasm") == (options.reference is not None):
        parser.error("clang needs REFERENCE; wasm builds its own")
    reference = lines_of([str(options.reference.resolve())] if options.reference else build("scalar", options.jobs))
    found = sorted(differences(reference, lines_of(build("clang" if options.which == "clang" else "wasm_bits", options.jobs))))
    print("\n".join(found) or f"same bits: {len(reference)} lines")
    sys.exit(1 if found or not reference else 0)


if __name__ == "__main__":
    main()
