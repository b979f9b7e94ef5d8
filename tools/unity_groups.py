#!/usr/bin/env python3
"""Finds sources that may be compiled together (PANTO_UNITY): writes cmake/unity_groups.cmake, or compares it with --check.

Two sources may share a unit if no private name of one (in a nameless namespace, static, a macro or an alias) is a word
anywhere in the other. Loops compiled for several processors (PANTO_WIDE, PANTO_FOUR_WIDE) are compiled alone: their code
must not depend on the code around them (docs/decisions/0015). A source that is not listed is compiled alone.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
TABLE = ROOT / "cmake" / "unity_groups.cmake"
LARGEST = 80_000  # bytes of one unit: half a minute of one core, 1.5 GB at most
WIDE = re.compile(r"\bPANTO_(FOUR_)?WIDE")
APART = r"^\s*using\s+namespace\b"
QUOTES = r"#include <(nlohmann|CLI|iomanip|toml)"  # these bring std::quoted, which may be found instead of panto's
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
KEYWORDS = {"if", "for", "while", "switch", "return", "const", "constexpr", "operator", "sizeof", "static_assert", "auto",
            "double", "int", "bool", "void", "std", "struct", "class", "else", "inline", "template", "typename"}


def bare(text):
    """Returns the text without comments and strings."""
    return NOISE.sub(lambda found: '""' if found[0].startswith('"') else " ", text)


def body_from(text, start):
    """Returns the text between the brace at `start` and its partner."""
    depth = 0
    for i in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if depth == 0:
            return text[start + 1 : i]
    return text[start + 1 :]


def outermost(text):
    """Returns the text without the contents of braces and parentheses."""
    kept, depth = [], 0
    for c in text:
        if c in "({":
            if depth == 0:
                kept.append(c)
            depth += 1
        elif c in ")}":
            depth -= 1
        elif depth == 0:
            kept.append(c)
    return "".join(kept)


def private_names(text):
    names = set(re.findall(r"^\s*#\s*define\s+(\w+)", text, re.M))
    names |= set(re.findall(r"^using\s+(\w+)\s*=", text, re.M))
    for match in re.finditer(r"\bnamespace\s*\{", text):
        outside = outermost(body_from(text, match.end() - 1))
        names |= set(re.findall(r"\b(?:struct|class|enum|union|using|namespace|concept)\s+(?:class\s+)?(\w+)", outside))
        names |= set(re.findall(r"\b(\w+)\s*[({=;\[]", outside))
    names |= set(re.findall(r"^static\s[^;{=(]*?\b(\w+)\s*[({=;\[]", text, re.M))
    # the linker finds clashes of definitions outside a nameless namespace, but helpers may be missing in headers
    return {name for name in names - KEYWORDS if not name.isdigit()}


class Source:
    def __init__(self, path):
        self.name = path.relative_to(ROOT).as_posix()
        raw = path.read_text(encoding="utf-8")
        text = bare(raw)
        self.size = len(raw)
        self.own = private_names(text)
        if re.search(QUOTES, text):
            self.own.add("quoted")
        # a word after a dot or of another library cannot mean a neighbour's name
        self.words = set(re.findall(r"(?<![\w.>:])(?:\w+)|(?<!std)(?<!Eigen)(?<!fmt)::(?:\w+)", text))
        self.words = {word.lstrip(":") for word in self.words}
        self.alone = bool(WIDE.search(text)) or re.search(APART, text, re.M) is not None

    def goes_with(self, other):
        return not (self.own & other.words or other.own & self.words)


def groups_of(sources):
    groups = []
    for source in sources:
        if source.alone:
            continue
        for group in groups:
            if sum(s.size for s in group) + source.size <= LARGEST and all(source.goes_with(s) for s in group):
                group.append(source)
                break
        else:
            groups.append([source])
    return [group for group in groups if len(group) > 1]


def programs():
    """Returns the sources of each library and of the command."""
    apart = {"io": "io", "live": "live"}
    sources = {}
    for path in sorted([*ROOT.glob("src/panto/*/*.cpp"), *ROOT.glob("apps/panto/**/*.cpp")]):
        folder = path.relative_to(ROOT).parts[2]
        target = "app" if path.is_relative_to(ROOT / "apps") else apart.get(folder, "core")
        sources.setdefault(target, []).append(Source(path))
    return sources


def table():
    lines = ["# Written by tools/unity_groups.py: which sources are compiled together where PANTO_UNITY is on."]
    for target, sources in programs().items():
        for i, group in enumerate(groups_of(sources)):
            lines.append(f"panto_unity_group({target}_{i}")
            lines += [f"  {source.name}" for source in group]
            lines[-1] += ")"
    return "\n".join(lines) + "\n"


def faults():
    """Yields sources that the table groups although they clash."""
    known = {source.name: source for sources in programs().values() for source in sources}
    for match in re.finditer(r"panto_unity_group\((\w+)([^)]*)\)", TABLE.read_text(encoding="utf-8")):
        group = [known[name] for name in match[2].split() if name in known]
        for i, a in enumerate(group):
            if a.alone:
                yield f"{a.name} must be compiled alone"
            for b in group[:i]:
                if not a.goes_with(b):
                    shared = sorted((a.own & b.words) | (b.own & a.words))
                    yield f"{b.name} and {a.name} share {', '.join(shared)}"


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        found = list(faults())
        print("\n".join(found))
        sys.exit("cmake/unity_groups.cmake is out of date: run tools/unity_groups.py" if found else 0)
    TABLE.write_text(table(), encoding="utf-8")
