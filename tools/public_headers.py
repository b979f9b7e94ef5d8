#!/usr/bin/env python3
"""Checks the table of public headers, docs/public_headers.md: at most 40, each there, each once and with a reason; none from
a room that only solvers use; and neither they nor the examples include a header of ours that is not in the table.

Usage: public_headers.py [ROOT]     Prints every violation as path:line: and exits 1 if there is one.
"""
import pathlib
import re
import sys

TABLE = pathlib.Path("docs/public_headers.md")
MOST = 40
INNER_ROOMS = {"math", "tree_qp"}  # how solvers are made
ROW = re.compile(r"\| `([a-z_/]+\.hpp)` \|(.*)\|\s*$")
INCLUDE = re.compile(r'\s*#\s*include\s*"panto/([^"]+)"')


def rows(root):
    """(line number, header below src/panto, reason) of the table."""
    for number, line in enumerate((root / TABLE).read_text(encoding="utf-8").splitlines(), 1):
        if found := ROW.match(line):
            yield number, found[1], found[2].strip()
        elif line.startswith("| `"):
            yield number, None, ""


def violations(root):
    public = {}
    for number, header, reason in rows(root):
        place = f"{TABLE}:{number}: "
        if header is None:
            yield place + "not a row of the form | `room/header.hpp` | reason |"
            continue
        if header in public:
            yield place + f"'{header}' is in the table twice"
        public[header] = number
        if not reason:
            yield place + f"'{header}' has no reason"
        if header.split("/")[0] in INNER_ROOMS:
            yield place + f"'{header}' is of a room that only solvers use ({', '.join(sorted(INNER_ROOMS))})"
    if not public:
        yield f"{TABLE}:1: no header is in the table"
    if len(public) > MOST:
        yield f"{TABLE}:1: {len(public)} headers are public, {MOST} may be"
    source = root / "src" / "panto"
    for header, number in public.items():
        if not (source / header).is_file():
            yield f"{TABLE}:{number}: src/panto/{header} is not there"
            continue
        for line, text in enumerate((source / header).read_text(encoding="utf-8").splitlines(), 1):
            if (found := INCLUDE.match(text)) and found[1] not in public:
                yield f"src/panto/{header}:{line}: a public header includes '{found[1]}', which is not public; see {TABLE}"
    for example in sorted((root / "examples").glob("*.cpp")):
        for line, text in enumerate(example.read_text(encoding="utf-8").splitlines(), 1):
            if (found := INCLUDE.match(text)) and found[1] not in public:
                yield f"{example.relative_to(root)}:{line}: an example includes '{found[1]}', which is not public; see {TABLE}"


if __name__ == "__main__":
    found = list(violations(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
    print("\n".join(found) or "public headers: closed under their includes, each with a reason")
    sys.exit(1 if found else 0)
