#!/usr/bin/env python3
"""Draws messages that users see at random from src and apps, to be read as a newcomer would.

    draw_messages.py N [SEED] [ROOT]     prints N of them with file:line; the same seed (default 1) draws the same

A message is a string of at least three words: texts of errors, notes, findings, advice and help. Adjacent literals and
literals joined by + are one message; expressions between them are shown in braces, those around them as dots.
"""
import pathlib
import random
import re
import sys

TOKEN = re.compile(
    r"""(?P<skip>//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])'|R"(\w*)\(.*?\)\2"|^\s*\#[^\n]*|\bstatic_assert\s*\([^;]*;)"""
    r"""|"(?P<text>(?:\\.|[^"\\\n])*)\"""",
    re.S | re.M,
)
BETWEEN = re.compile(r"\)?\s*\+\s*(?:(?P<expression>[^;{}]{1,160}?)\s*\+)?\Z", re.S)  # two literals of one message
ESCAPES = {"n": "\n", "r": "\n", "t": "\t"}
WORD = re.compile(r"(?<![\w\\%.<&-])[A-Za-z][a-z']+(?![\w=(])")


def literals(text):
    """Yields (start, end, content) of every string literal."""
    for found in TOKEN.finditer(text):
        if found["text"] is not None:
            yield found.start(), found.end(), re.sub(r"\\(.)", lambda m: ESCAPES.get(m[1], m[1]), found["text"])


def joint(gap):
    """Returns what the source between two literals adds to their message; None: they are two messages."""
    gap = re.sub(r"//[^\n]*", "", gap).strip()
    found = BETWEEN.match(gap) if gap else None
    if found is None:
        return None if gap else ""
    depth = 0
    for letter in found["expression"] or "":
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(letter, 0)
        if depth < 0 or letter == "," and depth == 0:
            return None
    return "{" + " ".join(found["expression"].split()) + "}" if found["expression"] else ""


def messages(text):
    """Yields (line, message) of every message in the text of a source."""
    joined = []
    for start, end, content in literals(text):
        between = joint(text[joined[-1][1] : start]) if joined else None
        if between is None:
            joined.append([start, end, content])
        else:
            joined[-1][1:] = end, joined[-1][2] + between + content
    for start, end, message in joined:
        if len(WORD.findall(re.sub(r"\{[^}]*\}", " ", message))) >= 3 and "</" not in message:
            before = "..." if re.search(r"[\w)\]]\s*\+\s*\Z", text[:start][-80:]) else ""
            after = "..." if re.match(r"\s*\+", text[end:]) else ""
            yield text.count("\n", 0, start) + 1, before + message + after


def all_messages(root):
    """Yields (file:line, message) of src and apps, in the order of the files."""
    for path in sorted([*root.glob("src/**/*.?pp"), *root.glob("apps/**/*.?pp")]):
        for line, message in messages(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(root).as_posix()}:{line}", message


def draw(count, seed, root):
    """Returns `count` messages, or all if there are fewer."""
    every = list(all_messages(pathlib.Path(root)))
    return random.Random(seed).sample(every, min(count, len(every)))


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 4 or not all(word.isdecimal() for word in sys.argv[1:3]):
        sys.exit(__doc__)
    project = sys.argv[3] if sys.argv[3:] else pathlib.Path(__file__).resolve().parents[1]
    for place, message in draw(int(sys.argv[1]), int(sys.argv[2]) if sys.argv[2:] else 1, project):
        print(place + "\n    " + message.strip("\n").replace("\n", "\n    "))
