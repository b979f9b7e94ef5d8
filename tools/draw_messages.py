#!/usr/bin/env python3
"""Draws messages that users see at random from src and apps, to be read as a newcomer would.

    draw_messages.py N [SEED] [ROOT]     Prints N of them with file:line; the same seed (default 1) draws the same.

A message is a string of three words or more: texts of errors, notes, findings, advice and help. Adjacent literals and
literals joined by + are one message; what stands between them is shown as {expression}.
"""
import pathlib
import random
import re
import sys

TOKEN = re.compile(
    r'(?P<skip>//[^\n]*|/\*.*?\*/|\'(?:\\.|[^\'\\\n])\'|R"(\w*)\(.*?\)\2"|^\s*#[^\n]*|\bstatic_assert\s*\([^;]*;)|"(?P<text>(?:\\.|[^"\\\n])*)"',
    re.S | re.M,
)
WORDS = re.compile(r"(?<![\w\\{%])[A-Za-z][a-z']+(?![\w}])")
ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "'": "'"}
LONGEST = 160  # letters of an expression between two literals


def literals(text):
    """(start, end, text) of every string literal."""
    for found in TOKEN.finditer(text):
        if found["text"] is not None:
            yield found.start(), found.end(), re.sub(r"\\(.)", lambda m: ESCAPES.get(m[1], m[0]), found["text"])


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text).strip()


def joint(gap):
    """What the source between two literals adds to the message; None: they belong to different messages."""
    gap = without_comments(gap)
    if not gap:
        return ""
    if len(gap) > LONGEST or not (gap.startswith("+") or gap.startswith(",") is False and gap.endswith("+")):
        return None
    inner, depth = gap.strip("+").strip(), 0
    for letter in inner:
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(letter, 0)
        if depth < 0 and not gap.startswith("+"):
            return None
        if letter in ";{}" or letter == "," and depth == 0:
            return None
    if not (gap.startswith("+") and gap.endswith("+")) and inner not in (")", ""):
        return None
    return "{" + " ".join(inner.split()) + "}" if inner not in (")", "") else ""


def messages(text):
    """(line, message) of every message in the text of a source."""
    found = []
    end = None
    for start, after, literal in literals(text):
        between = joint(text[end:start]) if end is not None else None
        if between is None:
            found.append([text.count("\n", 0, start) + 1, literal])
        else:
            found[-1][1] += between + literal
        end = after
    for line, message in found:
        if len(WORDS.findall(re.sub(r"\{[^}]*\}", " ", message))) >= 3:
            yield line, message


def all_messages(root):
    """(file:line, message) of src and apps, in order."""
    for path in sorted([*root.glob("src/**/*.?pp"), *root.glob("apps/**/*.?pp")]):
        for line, message in messages(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(root).as_posix()}:{line}", message


def main(count, seed=1, root=None):
    every = list(all_messages(pathlib.Path(root) if root else pathlib.Path(__file__).resolve().parents[1]))
    for place, message in random.Random(seed).sample(every, min(count, len(every))):
        print(place + "\n    " + message.strip("\n").replace("\n", "\n    "))


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 4 or not all(word.isdecimal() for word in sys.argv[1:3]):
        sys.exit(__doc__)
    main(int(sys.argv[1]), int(sys.argv[2]) if sys.argv[2:] else 1, *sys.argv[3:])
