#!/usr/bin/env python3
"""Which sources can be compiled as one unit. CMake asks it at configure time, for PANTO_UNITY and for clang-tidy.

Usage: unity_groups.py SOURCE...     prints "group;source", one line per source that shares a unit

Two sources can share a unit if no name that one of them keeps to itself (in a nameless namespace, static, a macro or an
alias) is a word anywhere in the other. Loops compiled for several processors (PANTO_WIDE, PANTO_FOUR_WIDE) stay alone:
their code must not depend on its neighbours (docs/decisions/0015). A source that is not printed is compiled alone.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
LARGEST = 80_000  # bytes of one unit: half a minute of one core, 1.5 GB at most
WIDE = re.compile(r"\bPANTO_(FOUR_)?WIDE")
APART = re.compile(r"^\s*using\s+namespace\b", re.M)
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"', re.S)
KEYWORDS = {"if", "for", "while", "switch", "return", "const", "constexpr", "operator", "sizeof", "static_assert", "auto",
            "double", "int", "bool", "void", "std", "struct", "class", "else", "inline", "template", "typename",
            "noexcept",
            # GoogleTest's definitions
            "TEST", "TEST_F", "TEST_P", "TYPED_TEST", "INSTANTIATE_TEST_SUITE_P", "PANTO_NEED_DATA"}
BORROWED = re.compile(r"^\s*using\s+(Eigen|std)::[\w:]+;", re.M)  # the same in every source: repeating it is allowed


def bare(text):
    """The text without comments and strings."""
    return NOISE.sub(lambda found: " " if found[0].startswith("/") else '""', text)


def body_from(text, start):
    """The text between the brace at `start` and its partner."""
    depth = 0
    for i in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if depth == 0:
            return text[start + 1 : i]
    return text[start + 1 :]


def outermost(text):
    """The text without what is in braces or parentheses."""
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


def enumerators(text):
    """Of enums that do not keep their names to themselves."""
    bodies = re.findall(r"\benum\s+(?!class|struct)\w*[^{;]*\{([^}]*)\}", text)
    return {name for body in bodies for name in re.findall(r"\b[A-Za-z_]\w*", body)}


def declared(text, namespace):
    """Names that stand directly in the namespaces of which the regular expression tells the name."""
    names = set()
    for match in re.finditer(rf"\bnamespace{namespace}\s*\{{", text):
        outside = outermost(body_from(text, match.end() - 1))
        names |= set(re.findall(r"(?<!using )\b(?:struct|class|enum|union|using(?! enum)|namespace|concept)\s+(?:class\s+)?(\w+)", outside))
        names |= set(re.findall(r"\b(\w+)\s*[({=;\[]", outside)) | enumerators(body_from(text, match.end() - 1))
    return names


def private_names(text):
    text = BORROWED.sub("", text)
    names = set(re.findall(r"^\s*#\s*define\s+(\w+)", text, re.M))
    names |= set(re.findall(r"^using\s+(?!enum\b)(\w+)", text, re.M))
    names |= declared(text, "")
    names |= set(re.findall(r"^static\s[^;{=(]*?\b(\w+)\s*[({=;\[]", text, re.M))
    return {name for name in names - KEYWORDS if not name[0].isdigit()}


def ambiguous(text):
    """Private types and constants: a public one of the same name would be as good a meaning."""
    inside = " ".join(body_from(text, match.end() - 1) for match in re.finditer(r"\bnamespace\s*\{", text))
    names = set(re.findall(r"(?<!using )\b(?:struct|class|enum)\s+(?:class\s+)?(\w+)", inside))
    return names | set(re.findall(r"\b(k[A-Z]\w*)\s*[={\[]", outermost(inside))) | enumerators(inside)


class Headers:
    """What the headers beside the sources declare, and the enumerators of `struct X { enum Index ...`."""

    def __init__(self, sources):
        folders = {pathlib.Path(name).parent.parent for name in sources} | {ROOT / "src" / "panto"}
        texts = [bare(header.read_text(encoding="utf-8")) for folder in folders for header in folder.glob("*/*.hpp")]
        self.names = set().union(*(declared(text, r"\s+panto(?:::\w+)*") for text in texts))
        scoped = [pair for text in texts for pair in re.findall(r"struct (\w+) \{\s*(enum Index[^}]*\})", text)]
        self.enumerators = {name: enumerators(body) for name, body in scoped}


class Source:
    def __init__(self, name, headers):
        self.name = name
        raw = pathlib.Path(name).read_text(encoding="utf-8")
        text = bare(raw)
        self.size = len(raw)
        self.own = private_names(text)
        # a word after a dot, or of another library's namespace, cannot mean a neighbour's name
        words = re.findall(r"(?<![\w.>:])(?:\w+)|(?<!std)(?<!Eigen)(?<!fmt)::(?:\w+)", text)
        self.words = {word.lstrip(":") for word in words}
        self.alone = bool(WIDE.search(text) or APART.search(text) or ambiguous(text) & headers.names)
        self.enums = {enum: headers.enumerators[enum] for enum in re.findall(r"using enum (\w+)::Index", text)}

    def disturbs(self, other):
        enumerators = set().union(*(names for enum, names in self.enums.items() if enum not in other.enums))
        return bool((self.own | enumerators) & other.words)

    def goes_with(self, other):
        return not (self.disturbs(other) or other.disturbs(self))


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


if __name__ == "__main__":
    headers = Headers(sys.argv[1:])
    for i, group in enumerate(groups_of([Source(name, headers) for name in sys.argv[1:]])):
        for source in group:
            print(f"{i};{source.name}")
