#!/usr/bin/env python3
"""Finds code in src/panto whose bits depend on the C library or compiler: transcendental functions that are not our own
(docs/decisions/0010-same-bits.md). Ours are in math/elementary.hpp, math/vector_math.hpp and math/so3.hpp.

Usage: check_bits.py [ROOT]     Prints every violation as path:line: and exits 1 if there is one.
"""
import pathlib
import re
import sys

# allowed because IEEE 754 makes them exact: sqrt, abs, floor, ceil, round, lround, fmod, remainder, ldexp, frexp, copysign, fma
NAMES = (
    "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh sincos exp exp2 exp10 expm1 log log2 log10 log1p "
    "pow cbrt hypot erf erfc tgamma lgamma beta legendre"
).split()
OURS = {  # headers with which an unqualified call finds ours and not the C library's
    "sincos tanh atan2 asin": ("math/vector_math.hpp", "math/vector_math_inline.hpp"),
    "exp expm1 log log1p acos hypot": ("math/elementary.hpp",),
}
HOME = {name: headers for names, headers in OURS.items() for name in names.split()}
SPACES = ("panto", "so3", "vector_math")  # so3::exp and so3::log take rotations

# (file, part of the line, reason): every entry must still be needed
ALLOWED = [
    ("math/so3.hpp", "Matrix3d exp(const Vector3d& v)", "declares ours, for rotations"),
    ("math/so3.hpp", "Vector3d log(const Matrix3d& R)", "declares ours, for rotations"),
    ("math/so3.cpp", "Matrix3d exp(const Vector3d& v)", "defines ours, for rotations"),
    ("math/so3.cpp", "Vector3d log(const Matrix3d& R)", "defines ours, for rotations"),
    ("model/blocks.cpp", "sin(0, b) = 0.0", "an array's element"),
]

FUNCTION = "(" + "|".join(NAMES) + ")"
CALL = re.compile(r"(?<![\w.>])" + FUNCTION + r"[fl]?\s*\((?!\s*\))")
NAMED = re.compile(r"(\w*\s*::\s*)" + FUNCTION + r"[fl]?\b")  # called or passed on
# members of a matrix; `.sin()` and `.cos()` are also members of a pose
MEMBER = re.compile(r"(?:\.|->)(?:" + "|".join(n for n in NAMES if n not in ("sin", "cos")) + r")\s*\(")
OTHERS = [
    (re.compile(r"\barray\(\)\s*\.(sin|cos)\("), "Eigen's sine and cosine are not ours"),
    (re.compile(r"\b__builtin_" + FUNCTION), "the compiler's function is the C library's"),
    (re.compile(r"\b(AngleAxis[df]?|Rotation2D[df]?)\b"), "it calls the C library's sine; write so3::exp or so3::about_axis"),
    (re.compile(r"\b(slerp|angularDistance|eulerAngles|computeDirect)\b"), "it calls the C library; use so3 or euler"),
    (re.compile(r"\bstd::(complex|polar)\b"), "complex functions are the C library's"),
    (re.compile(r"\bstd::\w+_distribution\b"), "distributions differ between standard libraries; use synthesis/random_numbers.hpp"),
    (re.compile(r"\bstd::(shuffle|sample|default_random_engine|random_shuffle)\b"), "it differs between standard libraries"),
    (re.compile(r"unsupported/Eigen"), "its functions call the C library"),
    (re.compile(r"fast-math|FP_CONTRACT"), "bits come before speed"),
]


def code(text):
    """Returns the text without comments and literals, with the same lines."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((?:.*?)\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.S)
    return token.sub(lambda m: m[0] if _is_include(text, m.start()) else "\n" * m[0].count("\n"), text)


def _is_include(text, start):
    return text[text.rfind("\n", 0, start) + 1 : start].strip() == "#include"


def problems(name, text):
    """Yields (line number, line, reason) of every violation in the file src/panto/`name`."""
    text = code(text)
    includes = set(re.findall(r'#include "panto/([^"]+)"', text)) | {name, name.replace(".cpp", ".hpp")}
    for number, line in enumerate(text.splitlines(), 1):
        for named in NAMED.finditer(line):
            space = named[1].replace(" ", "")
            if space[:-2] not in SPACES:
                yield number, line, f"{space}{named[2]} is the C library's: its bits differ elsewhere"
        for call in CALL.finditer(NAMED.sub("", line)):
            function = call[1]
            if function not in HOME:
                yield number, line, f"{function} is the C library's: its bits differ elsewhere"
            elif not includes.intersection(HOME[function]):
                yield number, line, f'{function} is the C library\'s without #include "panto/{HOME[function][0]}"'
        if MEMBER.search(line):
            yield number, line, "Eigen's elementwise function is not ours"
        for pattern, why in OTHERS:
            if pattern.search(line):
                yield number, line, why


def violations(root, allowed=ALLOWED):
    source = root / "src" / "panto"
    unused = list(allowed)
    for path in sorted(source.rglob("*.?pp")):
        name = path.relative_to(source).as_posix()
        for number, line, why in problems(name, path.read_text(encoding="utf-8")):
            reasons = [entry for entry in allowed if entry[0] == name and entry[1] in line]
            unused = [entry for entry in unused if entry not in reasons]
            if not reasons:
                yield f"{path.relative_to(root)}:{number}: {why}"
    for name, part, _ in unused:
        yield f"src/panto/{name}:1: tools/check_bits.py allows '{part}', which does not occur: remove the entry"


if __name__ == "__main__":
    found = list(violations(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
    print("\n".join(found) or "bits: all functions are our own")
    sys.exit(1 if found else 0)
