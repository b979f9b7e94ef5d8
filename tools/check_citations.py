#!/usr/bin/env python3
"""Refuses citations that lead nowhere: paths of this repository that do not exist, relative links of pages, names of
pages that nobody here has, and bracket citations of them.

A path may be shortened as people read it: `src/panto/ik/dynamical` (its header and source), `docs/decisions/0018`,
`src/panto/io/npz*`, `src/panto/ik/modular.{hpp,cpp}`. In C++ and Python every line counts, strings too; tests/tools
plants violations and is not read.

Usage: check_citations.py [ROOT]     Prints every violation as path:line: and exits 1 if there is one.
"""
import fnmatch
import os
import pathlib
import re
import sys

READ = (".cpp", ".hpp", ".h", ".py", ".md", ".txt", ".cmake", ".ts", ".mjs", ".html", ".toml", ".in", ".sh")
LEFT_OUT = (".git", "build", "out", "node_modules", ".venv", "__pycache__")
PLANTED = "tests/tools/"  # tests of checks plant what the checks refuse

ROOMS = "docs|src/panto|apps|tests|tools|experiments|benchmarks|examples|viewer|cmake|python"
PATH = re.compile(r"(?<![\w/.:{}-])(?:" + ROOMS + r")/[\w./*{},-]*[\w*}/]")
PAGE = re.compile(r"(?<![\w/.-])(?!README|CHANGELOG)([\w-]+\.md)\b")
LINK = re.compile(r"\]\((?!\w+:|#)([^)\s#]+)(?:#[^)\s]*)?\)")
# pages that papers and our own pages replace: a reader has no "theory"
BRACKET = re.compile(r"\[(?:theory|performance|inertial tracking|formats|style|field|peers|findings|reliability|ecosystem|"
                     r"interchange|architecture|design)\b(?:[,:;][^\]]*\]|[,:;][^\]]*$|\](?![(\[]))")
HELP = "name the paper and its equation, or a page under docs/"


def expanded(path):
    """`a.{hpp,cpp}` as a.hpp and a.cpp."""
    path = re.sub(r"\{\w*\}|\bNAME\b|<\w+>", "*", path).replace("**/", "*")  # a name that the reader fills in
    braces = re.search(r"\{([^{}]*)\}", path)
    if not braces:
        return [path]
    return [longer for part in braces[1].split(",") for longer in expanded(path[: braces.start()] + part + path[braces.end() :])]


class Tree:
    """What there is: files and folders below the root, as paths with slashes."""

    def __init__(self, root):
        self.files, self.folders = [], set()
        for folder, folders, names in os.walk(root):
            folders[:] = [name for name in folders if name not in LEFT_OUT and not name.startswith(".venv")]
            place = pathlib.Path(folder).relative_to(root).as_posix()
            self.folders.add(place)
            self.files += [name if place == "." else f"{place}/{name}" for name in names]
        self.all = set(self.files)
        self.stems = {re.sub(r"\.\w+$", "", name) for name in self.files}
        self.numbered = {found[0] for name in self.files if (found := re.match(r".*/\d+(?=[-_])", name))}
        self.pages = {name.rpartition("/")[2] for name in self.files if name.endswith(".md")}

    def has(self, path, beside=""):
        """Whether it is there, from the root or from the folder `beside`."""
        if beside and self.has(f"{beside}/{path}"):
            return True
        path = path.rstrip("/")
        if path in self.all or path in self.folders or path in self.stems or path in self.numbered:
            return True
        return "*" in path and any(fnmatch.fnmatch(name, path) or fnmatch.fnmatch(name, path + ".*") for name in self.files)


def violations(root):
    """Lines 'path:line: what is wrong'."""
    root = pathlib.Path(root)
    tree = Tree(root)
    for name in sorted(tree.files):
        if not name.endswith(READ) or name.startswith(PLANTED):
            continue
        text = (root / name).read_text(encoding="utf-8", errors="replace")
        for number, line in enumerate(text.splitlines(), 1):
            where = f"{name}:{number}: "
            for path in PATH.findall(line):
                yield from (f"{where}there is no {one}" for one in expanded(path)
                           if not tree.has(one, name.rpartition("/")[0]))
            if BRACKET.search(line):
                yield f"{where}'{BRACKET.search(line)[0]}' is no page of this repository: {HELP}"
            if name.endswith(".md"):
                for link in LINK.findall(line):
                    target = os.path.normpath(os.path.join(os.path.dirname(name), link)).replace(os.sep, "/")
                    if not tree.has(target):
                        yield f"{where}the link to {link} leads nowhere"
            elif name.endswith((".cpp", ".hpp", ".py")):
                yield from (f"{where}there is no page {page}: {HELP}" for page in PAGE.findall(line) if page not in tree.pages)


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[1]
    found = list(violations(root))
    print("\n".join(found) if found else "citations: every path, page and link exists")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
