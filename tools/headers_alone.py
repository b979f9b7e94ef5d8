#!/usr/bin/env python3
"""Compiles every header below src/panto alone, so that it includes whatever it uses.

Usage: headers_alone.py COMPILER WORK_FOLDER EIGEN_FOLDER [--public | --sources] [--jobs N] [--root ROOT]

--public: only those that are installed (docs/public_headers.md), a tenth of the time.
--sources: the sources instead, which units of several (PANTO_UNITY) would let off.

Reading Eigen takes nine tenths of the time. A header that includes Eigen, itself or through others of ours, gets just
those parts of Eigen from a precompiled header; anything else that it lacks is still an error. Prints the compiler's errors of
each header that needs another before it, and exits 1 if there is one.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

import public_headers

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"(panto/[^"]+)"|<(Eigen/[^>]+)>)', re.M)
ELSEWHERE = {"report/json.hpp"}  # needs a library that programs need not have


class Headers:
    def __init__(self, root):
        self.source = root / "src"
        self.known = {}

    def eigen(self, name):
        """The parts of Eigen that panto/... includes, itself or through others of ours."""
        if name not in self.known:
            self.known[name] = frozenset()  # a circle ends here
            parts = set()
            for ours, eigen in INCLUDE.findall((self.source / name).read_text(encoding="utf-8")):
                if eigen:
                    parts.add(eigen)
                elif (self.source / ours).is_file():
                    parts |= self.eigen(ours)
            self.known[name] = frozenset(parts)
        return self.known[name]


def precompile(command, folder, number, parts):
    """Precompiles these parts of Eigen; returns the options that use them."""
    header = folder / f"eigen_{number}.hpp"
    header.write_text("".join(f"#include <{part}>\n" for part in sorted(parts)), encoding="utf-8")
    subprocess.run([*command, "-x", "c++-header", header, "-o", f"{header}.gch"], check=True)
    return ["-include", header]


def failure(command, folder, name, options):
    """The compiler's words about a header on its own, or nothing."""
    source = folder / (name.replace("/", "+") + ".include.cpp")
    source.write_text(f'#include "{name}"\n', encoding="utf-8")
    result = subprocess.run([*command, *options, "-fsyntax-only", source], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return f"{name} does not compile alone:\n{result.stdout}" if result.returncode else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("compiler")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("eigen")
    parser.add_argument("--public", action="store_true")
    parser.add_argument("--sources", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[1])
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    headers = Headers(options.root)
    names = sorted(str(path.relative_to(headers.source)) for path in (headers.source / "panto").glob("*/*.cpp" if options.sources else "*/*.hpp"))
    names = [name for name in names if name.removeprefix("panto/") not in ELSEWHERE]
    if options.public:
        installed = {f"panto/{header}" for _, header, _ in public_headers.rows(options.root)}
        names = [name for name in names if name in installed]
    command = [options.compiler, "-std=gnu++20", "-D_GLIBCXX_ASSERTIONS", f"-I{headers.source}", "-isystem", options.eigen]
    sets = sorted({headers.eigen(name) for name in names} - {frozenset()}, key=sorted)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        made = pool.map(lambda item: precompile(command, options.folder, *item), enumerate(sets))
        uses = dict(zip(sets, made, strict=True))
        found = [text for text in pool.map(lambda name: failure(command, options.folder, name, uses.get(headers.eigen(name), [])), names) if text]
    print("\n".join(found) or f"{len(names)} {'sources' if options.sources else 'headers'} compile alone")
    sys.exit(1 if found or not names else 0)


if __name__ == "__main__":
    main()
