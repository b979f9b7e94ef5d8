#!/usr/bin/env python3
"""Counts the words of the documents, as `wc -w` does; exits 1 if a part exceeds its limit.

    count_words.py [ROOT]
"""
import pathlib
import sys

MOST = {
    "README.md": 700,
    "docs/results": 8000,
    "docs/algorithms": 28000,
    "docs/decisions": 6000,
    "docs/formats": 28700,  # a page for each of 38 layouts: about 750 words each
    "CHANGELOG.md": 600,
}


def words(path):
    """Returns the number of words of one page, or of all pages in a folder."""
    pages = sorted(path.rglob("*.md")) if path.is_dir() else [path]
    return sum(len(page.read_text(encoding="utf-8").split()) for page in pages)


def count(root):
    """Prints one line per part; returns whether all parts keep their limits."""
    good = True
    for name, most in MOST.items():
        found = words(root / name)
        print(f"{name:16} {found:6} of {most:6} words" + ("" if found <= most else f": {found - most} too many"))
        good = good and found <= most
    return good


if __name__ == "__main__":
    if len(sys.argv) > 2 or sys.argv[1:2] in (["-h"], ["--help"]):
        sys.exit(__doc__)
    sys.exit(not count(pathlib.Path(sys.argv[1]) if sys.argv[1:] else pathlib.Path(__file__).resolve().parents[1]))
