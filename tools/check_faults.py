#!/usr/bin/env python3
"""Checks the battery of faults, docs/fault_battery.md: each of F01 to F32 has a row, with what happens, what Panto promises and
the tests that show it; each test that a row names exists; a row without tests says why it does not apply; and each test
that carries a fault's number (`FaultF05`) is named in the row of that number.

A cell of tests: `FILE.cpp`: Suite.Name, Suite.Other; `FILE.py`: test_name; `FILE.mjs`: "text"

Usage: check_faults.py [ROOT]     Prints every violation as path:line: and exits 1 if there is one.
"""
import pathlib
import re
import sys

PAGE = pathlib.Path("docs/fault_battery.md")
NUMBERS = [f"F{number:02}" for number in range(1, 33)]
ROW = re.compile(r"\| (F\d\d) \|([^|]*)\|([^|]*)\|([^|]*)\|$")
FILE = re.compile(r"`([^`]+)`: ([^`]+)$")
NAME = re.compile(r'"[^"]+"|[\w.]+')
GTEST = re.compile(r"\bTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)")
NONE = "does not apply: "


def tests_of(path):
    """Names of the tests in a source: Suite.Name of GoogleTest, functions of pytest, quoted texts of node."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".cpp":
        return {f"{suite}.{name}" for suite, name in GTEST.findall(text)}
    if path.suffix == ".py":
        return set(re.findall(r"^def (test_\w+)", text, re.M))
    return set(re.findall(r'\btest\(("[^"]+")', text))


def named(cell):
    """(file, test) of a cell; (part, None) where a part has not that form."""
    for part in cell.strip().split("; "):
        found = FILE.match(part)
        if not found:
            yield part, None
            continue
        for name in NAME.findall(found[2]):
            yield found[1], name


def row_violations(root, cell):
    if cell.strip().startswith(NONE):
        return
    for file, name in named(cell):
        if name is None:
            yield f"'{file}' is not of the form `file`: test, test, nor '{NONE}reason'"
        elif not (root / file).is_file():
            yield f"no file {file}"
        elif name not in tests_of(root / file):
            yield f"no test {name} in {file}"


def violations(root):
    rows = {}
    for line, text in enumerate((root / PAGE).read_text(encoding="utf-8").splitlines(), 1):
        if not text.startswith("| F"):
            continue
        place = f"{PAGE}:{line}: "
        row = ROW.match(text)
        if not row:
            yield place + "not a row of the form | F01 | what happens | promise | tests |"
            continue
        number, *cells = row.groups()
        if number in rows or number not in NUMBERS:
            yield place + f"{number} is there twice, or is no fault of the battery"
        rows[number] = list(named(cells[2]))
        if not all(cell.strip() for cell in cells):
            yield place + f"{number} has an empty cell"
        for violation in row_violations(root, cells[2]):
            yield place + f"{number}: {violation}"
    for number in NUMBERS:
        if number not in rows:
            yield f"{PAGE}:1: {number} has no row"
    for path in sorted((root / "tests").rglob("*_test.cpp")):
        file = path.relative_to(root).as_posix()
        for name in sorted(tests_of(path)):
            if (found := re.match(r"Fault(F\d\d)\.", name)) and (file, name) not in rows.get(found[1], []):
                yield f"{file}:1: {name} is not in the row of {found[1]} of {PAGE}"


if __name__ == "__main__":
    if len(sys.argv) > 2 or sys.argv[1:2] in (["-h"], ["--help"]):
        sys.exit(__doc__)
    found = list(violations(pathlib.Path(sys.argv[1]) if sys.argv[1:] else pathlib.Path(__file__).resolve().parents[1]))
    print("\n".join(found) if found else f"{len(NUMBERS)} faults have their tests")
    sys.exit(bool(found))
