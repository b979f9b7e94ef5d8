#!/usr/bin/env python3
"""Refuses sources of more than 500 lines and functions of more than 60 without a written reason, and a command that grows.

The reason is a comment `// size: why`: in the first 20 lines of a file for the file, on the line before a function or
within its first three lines for the function. A reason that is no longer needed is refused too.

Usage: check_sizes.py [ROOT]     Prints every violation as path:line: and exits 1 if there is one.
"""
import pathlib
import re
import sys

SOURCE, FUNCTION = 500, 60  # lines
COMMAND = ("apps/panto", 3899)  # the command turns options into structs and results into words: lines of all its sources
FOLDERS = ("src", "apps", "tests", "benchmarks", "examples")
REASON = re.compile(r"//+ size: \S+.*\s\S+")  # a reason has words

# comments, raw strings, strings and characters, in the order in which they can begin
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![\w])\'(?:\\.|[^\'\\\n])+\'', re.S)
# what opens a brace that is no function: types, namespaces, initialisers
SCOPE = re.compile(r"^(?:\[\[.*?\]\]\s*)?(?:template\s*<.*>\s*)?(?:inline\s+|typedef\s+)?(?:namespace|struct|class|union|enum|extern)\b[^()]*"
                   r"(?:alignas\s*\(.*?\))?[^()]*$", re.S)
HEAD = re.compile(r"\)\s*(?:const|noexcept(?:\s*\(.*?\))?|override|final|mutable|->\s*[\w:<>,&*\s]+|&{1,2}|\s)*"
                  r"(?::\s*[^;]*)?$", re.S)


def bare(text):
    """The text without comments and strings, every line in its place."""
    def blank(found):
        return re.sub(r"[^\n]", " ", found[0])
    text = NOISE.sub(blank, text)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.M)  # preprocessor lines


def functions(text):
    """(first line, last line) of every function that is not inside another, from its signature to its brace."""
    text = bare(text)
    line, begin, level, inside = 1, 0, [], None
    for i, c in enumerate(text):
        if c == "\n":
            line += 1
        elif c == "{":
            head = text[begin:i].strip()
            is_scope = inside is not None or not head or SCOPE.match(head) or not HEAD.search(head)
            level.append(not is_scope)
            if not is_scope:
                lead = re.match(r"(?:\s|(?:public|private|protected)\s*:)*", text[begin:i]).end()
                inside = (len(level), text.count("\n", 0, begin + lead) + 1)
            if inside is None:
                begin = i + 1
        elif c == "}" and level:
            if inside and inside[0] == len(level):
                yield inside[1], line
                inside = None
            level.pop()
            if inside is None:
                begin = i + 1
        elif c == ";" and inside is None:
            begin = i + 1


def violations(root):
    """Lines 'path:line: what is wrong'."""
    root = pathlib.Path(root)
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.?pp")):
            name, text = path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")
            lines = text.splitlines()
            reasons = {number for number, line in enumerate(lines, 1) if REASON.search(line)}
            used = {number for number in reasons if number <= 20} if len(lines) > SOURCE else set()
            if len(lines) > SOURCE and not used:
                yield f"{name}:1: {len(lines)} lines, more than {SOURCE}: split it, or say `// size: why` at its top"
            for first, last in functions(text):
                length = last - first + 1
                if length <= FUNCTION:
                    continue
                reason = reasons & set(range(first - 1, first + 4))
                used |= reason
                if not reason:
                    yield f"{name}:{first}: a function of {length} lines, more than {FUNCTION}: split it, or say `// size: why` before it"
            yield from (f"{name}:{number}: this size needs no reason: remove it" for number in sorted(reasons - used))
    folder, most = COMMAND
    sizes = [len(path.read_text(encoding="utf-8").splitlines()) for path in (root / folder).rglob("*.?pp")]
    if sum(sizes) > most:
        yield f"{folder}:1: {sum(sizes)} lines, more than {most}: what the command can do belongs in a room of src/panto"


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[1]
    found = list(violations(root))
    print("\n".join(found) if found else f"sizes: no source over {SOURCE} lines, no function over {FUNCTION} without a reason")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
