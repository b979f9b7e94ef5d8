#!/usr/bin/env python3
"""Plants single faults in the sources and counts those that the tests notice.

    mutate.py [--count N] [--seed S] [--rooms math tree_qp limits] [--tests GLOB ...] [--out TABLE] [--again TABLE]

Draws faults (mutants) from the code of `math`, `tree_qp` and of the joints' and rows' limits in turn: an operator, a
constant, a condition, an assignment. Each is compiled into its room's tests, which are one program a file, nearest first, and
run until one fails. The checkout is only read: a mutant is a copy of one source in the work folder, found before the original.

A mutant that does not compile is none. Nor is one in a .cpp whose object code stays the same, byte for byte. N mutants are
left: killed by a failing test, a crash or the time limit, or survived. --again judges the survivors of an earlier table once more.
Prints one line each; exits 1 if less than --least [%] are killed. Ten seconds a mutant on one core, after five minutes.
"""
import argparse
import concurrent.futures
import csv
import dataclasses
import filecmp
import json
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from check_sizes import bare  # noqa: E402

ROOMS = {  # sources, and the tests that must notice
    "math": (["src/panto/math/*"], ["tests/math/*_test.cpp"]),
    "tree_qp": (["src/panto/tree_qp/*"], ["tests/tree_qp/*_test.cpp"]),
    "limits": (["src/panto/ik/joint_limits.*", "src/panto/ik/row_limits.*", "src/panto/model/speed_limit.hpp"], ["tests/ik/*_limits_test.cpp"]),
}
PRECOMPILED = """algorithm array cmath cstdint cstdio functional limits memory numbers optional random span string string_view utility
vector Eigen/Core Eigen/Geometry Eigen/Cholesky gtest/gtest.h""".split()
# as cmake/panto_target.cmake, but quick to compile; Eigen's own checks are on
OPTIONS = "-std=c++20 -O1 -w -D_GLIBCXX_ASSERTIONS -ffp-contract=off -fno-math-errno -fno-trapping-math".split()
MEMORY = 6 << 30  # bytes of a test program

# what is no code of the program's run: left as it is
LEFT_OUT = re.compile(r"\bstatic_assert\s*\([^;]*;|\bthrow\b[^;]*;|\btemplate\s*<[^\n]*>|\[\[[^\n\]]*\]\]|\b__attribute__\s*\(\([^\n]*\)\)|\boperator\W+")
SWAPS = [("+", "-"), ("*", "/"), ("+=", "-="), ("*=", "/="), ("<", "<="), (">", ">="), ("==", "!="), ("&&", "||")]
WORDS = {"true": "false", "continue": "break", "std::min": "std::max", "cwiseMin": "cwiseMax"}
NUMBER = re.compile(r"(?<![\w.])(?:\d+\.\d*(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+)(?![\w.])")
UNARY_MINUS = re.compile(r"(?:(?<=[(\[{])|(?<=\breturn )|(?<=[,=?:+*/<>] ))-(?=[\w(])")
CONDITION = re.compile(r"\bif \(")
ASSIGNMENT = re.compile(r"(?<=[;{})])(\s*)([A-Za-z_*][\w.\[\]()>+*-]*(?: [+*-] [\w.\[\]()]+)* [-+*/]?= [^;{}]*);")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


@dataclasses.dataclass(frozen=True)
class Mutation:
    path: str
    line: int
    column: int
    begin: int
    end: int
    text: str  # takes the place of begin .. end
    before: str

    def apply(self, source):
        return source[:self.begin] + self.text + source[self.end:]

    def __str__(self):
        was, now = (" ".join(text.split()) for text in (self.before, self.text))
        return f"{self.path}:{self.line}:{self.column}: " + (f"{was} -> {now}" if now else f"without {was}")


def code_of(source):
    """The source without comments, strings, preprocessor lines and what LEFT_OUT says; every character in its place."""
    return LEFT_OUT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), bare(source))


def other_number(text):
    """A tenth more; a tolerance a thousand times; zero becomes one."""
    value = float(text)
    changed = f"{value * (1000.0 if value < 1e-3 else 1.1):.12g}"
    return "1.0" if value == 0.0 else changed if re.search("[.e]", changed) else changed + ".0"


def closing(code, begin):
    """The place after the bracket that closes the one at `begin`."""
    level = 0
    for i in range(begin, len(code)):
        level += {"(": 1, ")": -1}.get(code[i], 0)
        if level == 0:
            return i + 1
    return len(code)


def changes(code):
    """(begin, end, text) of every mutation."""
    for one, two in SWAPS:
        for this, other in ((one, two), (two, one)):
            for found in re.finditer(rf"(?<=\s){re.escape(this)}(?=\s)", code):
                yield *found.span(), other
    for one, two in WORDS.items():
        for this, other in ((one, two), (two, one)):
            for found in re.finditer(rf"\b{this}\b", code):
                yield *found.span(), other
    for found in NUMBER.finditer(code):
        yield *found.span(), other_number(found[0])
    for found in UNARY_MINUS.finditer(code):
        yield *found.span(), ""
    for found in CONDITION.finditer(code):
        begin, end = found.end() - 1, closing(code, found.end() - 1)
        if not re.search(r";|[^=!<>]=[^=]", code[begin:end]):  # no declaration
            yield begin, end, f"(!{code[begin:end]})"
    for found in ASSIGNMENT.finditer(code):
        if closing(f"({found[2]})", 0) == len(found[2]) + 2:  # not in the head of a loop
            yield *found.span(2), "\n" * found[2].count("\n")


def mutations(path, source):
    """All mutations of a source, in the order of its text."""
    found = sorted(set(changes(code_of(source))))
    return [Mutation(path, source.count("\n", 0, begin) + 1, begin - source.rfind("\n", 0, begin), begin, end, text, source[begin:end])
            for begin, end, text in found]


def draw(tree, rooms, seed):
    """Mutations in an order that only the seed and the sources decide: rooms in turn, never two of one line."""
    chance, queues = random.Random(seed), []
    for room in rooms:
        paths = sorted({path for glob in ROOMS[room][0] for path in tree.glob(glob) if path.suffix in (".cpp", ".hpp")})
        names = [path.relative_to(tree).as_posix() for path in paths]
        queue = [one for name in names for one in mutations(name, (tree / name).read_text(encoding="utf-8"))]
        chance.shuffle(queue)
        queues.append((room, queue))
    lines = set()
    while any(queue for _, queue in queues):
        for room, queue in queues:
            while queue and (queue[-1].path, queue[-1].line) in lines:
                queue.pop()
            if queue:
                lines.add((queue[-1].path, queue[-1].line))
                yield room, queue.pop()


def sources_of(tree, test):
    """The sources that a test's program needs: for every header included, the sources beside it."""
    seen, left = set(), [test]
    while left:
        path = left.pop()
        if path in seen:
            continue
        seen.add(path)
        for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
            left += [whole for whole in (tree / "src" / name, tree / name) if whole.is_file()]
        if path.suffix == ".hpp":
            own = '"' + path.relative_to(tree).with_suffix("").as_posix().removeprefix("src/")  # or one that is named after it
            beside = [other for other in path.parent.glob(f"{path.stem}*.cpp") if not other.stem.endswith("_test")]
            left += [other for other in beside if other.stem == path.stem or own in other.read_text(encoding="utf-8")]
    return sorted(path.relative_to(tree).as_posix() for path in seen if path.suffix == ".cpp")


class CannotCompile(Exception):
    pass


class Programs:
    """The tests' programs, one a file, and their objects; with a mutation those that it touches."""

    def __init__(self, tree, work, tests, compiler="g++", flags=(), jobs=1):
        self.tree, self.work, self.jobs = tree, work, jobs
        self.sources = {test: sources_of(tree, tree / test) for test in tests}
        self.includes, self.seconds = {}, {}
        self.command = [compiler, *OPTIONS, *flags]
        self.link = [compiler, *(flag for flag in flags if flag.startswith("-fsanitize"))]

    def build(self):
        """Compiles everything as it is, and runs it: a test that fails without a mutation tells nothing."""
        eigen = subprocess.run(["pkg-config", "--cflags", "eigen3"], check=True, capture_output=True, text=True).stdout.split()
        data = (self.tree.parent / "shared" / "data").as_posix()
        self.command += ["-I", self.work / "mutant/src", "-I", self.tree / "src", "-I", self.tree,
                         *(word.replace("-I", "-isystem") for word in eigen), f'-DPANTO_TEST_DATA_DEFAULT="{data}"']
        header, said = self.work / "precompiled.hpp", self.work / "command"
        command = " ".join(str(word) for word in self.command)
        if not said.is_file() or said.read_text(encoding="utf-8") != command:  # else the objects of an earlier run serve
            shutil.rmtree(self.work, ignore_errors=True)
            self.work.mkdir(parents=True)
            header.write_text("".join(f"#include <{name}>\n" for name in PRECOMPILED), encoding="utf-8")
            subprocess.run([*self.command, "-x", "c++-header", header, "-o", f"{header}.gch"], check=True)
            said.write_text(command, encoding="utf-8")
        shutil.rmtree(self.work / "mutant", ignore_errors=True)
        self.command += ["-include", header]
        every = sorted({source for sources in self.sources.values() for source in sources})
        self.compile([source for source in every if not self.is_built(source)], self.work / "whole")
        self.includes = {source: self.listed(source) for source in every}
        for test in self.sources:
            begun = time.monotonic()
            failed = self.run(test, [], 1800.0)
            self.seconds[test] = time.monotonic() - begun
            if failed:
                sys.exit(f"{test} fails without a mutation: {failed}")

    def listed(self, source):
        """All files of which the object was made."""
        text = self.object(source, self.work / "whole").with_suffix(".d").read_text(encoding="utf-8")
        return {pathlib.Path(name).as_posix() for name in text.replace("\\\n", " ").split()[1:]}

    def is_built(self, source):
        made = self.object(source, self.work / "whole")
        if not made.is_file():
            return False
        files = [pathlib.Path(name) for name in self.listed(source)]
        return all(file.is_file() and file.stat().st_mtime <= made.stat().st_mtime for file in files)

    @staticmethod
    def object(source, folder):
        return folder / (source.replace("/", "+") + ".o")

    def compile(self, sources, folder):
        folder.mkdir(parents=True, exist_ok=True)

        def one(source):
            mutant = self.work / "mutant" / source
            return subprocess.run([*self.command, "-MMD", "-c", mutant if mutant.is_file() else self.tree / source,
                                   "-o", self.object(source, folder)], capture_output=True, text=True, check=False)

        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for done in pool.map(one, sources):
                if done.returncode:
                    raise CannotCompile(done.stderr)

    def run(self, test, mutated, limit):
        """Links and runs a test. Returns what failed, or nothing."""
        program = self.work / "program"
        objects = [self.object(source, self.work / ("changed" if source in mutated else "whole")) for source in self.sources[test]]
        subprocess.run([*self.link, *objects, "-o", program, "-lgtest_main", "-lgtest", "-lpthread"], check=True)

        def bounded():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if len(self.link) == 1:  # a sanitizer reserves more than there is
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

        try:
            done = subprocess.run([program, "--gtest_brief=1", "--gtest_fail_fast"], capture_output=True, text=True, errors="replace",
                                  timeout=limit, check=False, preexec_fn=bounded, cwd=self.work)
        except subprocess.TimeoutExpired:
            return "time limit"
        if done.returncode == 0:
            return ""
        failed = re.search(r"^\[  FAILED  \] ([\w./]+)", done.stdout, re.M)
        return failed[1] if failed else f"{pathlib.Path(test).name} ends with {done.returncode}"

    def judge(self, mutation, tests):
        """(verdict, by what): compiler, same, killed or survived."""
        mutant = self.work / "mutant" / mutation.path
        shutil.rmtree(self.work / "mutant", ignore_errors=True)
        shutil.rmtree(self.work / "changed", ignore_errors=True)
        mutant.parent.mkdir(parents=True)
        mutant.write_text(mutation.apply((self.tree / mutation.path).read_text(encoding="utf-8")), encoding="utf-8")
        whole = (self.tree / mutation.path).as_posix()
        compiled, differs = set(), set()
        try:
            for test in nearest_first(mutation.path, tests):
                touched = [source for source in self.sources[test] if whole in self.includes[source]]
                new = [source for source in touched if source not in compiled]
                self.compile(new, self.work / "changed")
                compiled |= set(new)
                differs |= {source for source in new if not filecmp.cmp(self.object(source, self.work / "changed"),
                                                                        self.object(source, self.work / "whole"), shallow=False)}
                if not differs & set(touched):
                    continue
                failed = self.run(test, differs, 20.0 + 10.0 * self.seconds[test])
                if failed:
                    return "killed", failed
        except CannotCompile:
            return "compiler", ""
        return ("same", "") if compiled and not differs and mutation.path.endswith(".cpp") else ("survived", "")


def nearest_first(path, tests):
    """The tests of the file before all others."""
    return sorted(tests, key=lambda test: pathlib.Path(test).name != f"{pathlib.Path(path).stem}_test.cpp")


def figures(rows):
    """(killed, valid) by room and in total."""
    counted = {"all": (0, 0)}
    for row in rows:
        if row["verdict"] in ("killed", "survived"):
            for room in (row["room"], "all"):
                killed, valid = counted.get(room, (0, 0))
                counted[room] = killed + (row["verdict"] == "killed"), valid + 1
    return counted


def share(killed, valid):
    return 100.0 * killed / valid if valid else 0.0


def page(rows, seed):
    """The table in words."""
    by = {verdict: [row for row in rows if row["verdict"] == verdict] for verdict in ("killed", "survived", "compiler", "same")}
    lines = ["# Mutants", "", f"`tools/mutate.py --seed {seed} --count {len(by['killed']) + len(by['survived'])}`. Beside them, not counted: "
             f"{len(by['compiler'])} that do not compile, {len(by['same'])} that change no object code.", "",
             "| room | mutants | killed | share |", "|---|---|---|---|"]
    for room, (killed, valid) in figures(rows).items():
        lines.append(f"| {room} | {valid} | {killed} | {share(killed, valid):.0f} % |")
    lines += ["", "| mutant | verdict |", "|---|---|"]
    for row in by["survived"] + by["killed"]:
        said = "**survived**" if row["verdict"] == "survived" else row["by"]
        lines.append(f"| {row['mutation'].replace('|', chr(92) + '|')} | {said} |")
    return "\n".join(lines) + "\n"


def write(rows, seed, out):
    if out and out.suffix == ".csv":
        with out.open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(["room", "mutant", "verdict", "by"])
            table.writerows([row[key] for key in ("room", "mutation", "verdict", "by")] for row in rows)
    elif out:
        text = page(rows, seed) if out.suffix == ".md" else json.dumps({"seed": seed, "mutants": rows}, indent=1) + "\n"
        out.write_text(text, encoding="utf-8")


def words():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=60, help="valid mutants")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rooms", nargs="+", choices=ROOMS, default=list(ROOMS))
    parser.add_argument("--tests", nargs="+", metavar="GLOB", help="of all rooms, instead of their own")
    parser.add_argument("--tree", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[1], help="the checkout, only read")
    parser.add_argument("--work", type=pathlib.Path, help="default: build/mutate of the checkout")
    parser.add_argument("--out", type=pathlib.Path, metavar="TABLE", help=".md, .csv or .json")
    parser.add_argument("--again", type=pathlib.Path, metavar="TABLE", help="a .json: judge its survivors")
    parser.add_argument("--list", action="store_true", help="draw only")
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--flags", default="", help="more options of the compiler, e.g. -fsanitize=address,undefined")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--least", type=float, default=70.0, metavar="PERCENT")
    return parser.parse_args()


def main():
    options = words()
    tree = options.tree.resolve()
    drawn, rows = draw(tree, options.rooms, options.seed), []
    if options.again:
        earlier = json.loads(options.again.read_text(encoding="utf-8"))["mutants"]
        survivors = {row["mutation"] for row in earlier if row["verdict"] == "survived"}
        rows = [row for row in earlier if row["verdict"] != "survived"]
        drawn = ((room, mutation) for room, mutation in drawn if str(mutation) in survivors)
    if options.list:
        for _, (room, mutation) in zip(range(options.count), drawn):
            print(f"{room}: {mutation}")
        return 0
    tests = {room: [path.relative_to(tree).as_posix() for glob in options.tests or ROOMS[room][1] for path in sorted(tree.glob(glob))]
             for room in options.rooms}
    work = (options.work or tree / "build" / "mutate").resolve()
    if work.exists() and any(work.iterdir()) and not (work / "precompiled.hpp").is_file():
        sys.exit(f"{work} holds something else: name an empty folder by --work")
    programs = Programs(tree, work, sorted({test for some in tests.values() for test in some}), options.compiler, options.flags.split(), options.jobs)
    programs.build()
    for room, mutation in drawn:
        begun = time.monotonic()
        verdict, by = programs.judge(mutation, tests[room])
        rows.append({"room": room, "mutation": str(mutation), "verdict": verdict, "by": by, "seconds": round(time.monotonic() - begun, 1)})
        print(f"{verdict:8} {mutation}" + (f"  ({by})" if by else "") + f"  {rows[-1]['seconds']} s", flush=True)
        write(rows, options.seed, options.out)
        if not options.again and figures(rows)["all"][1] == options.count:
            break
    killed, valid = figures(rows)["all"]
    print(f"{killed} of {valid} mutants killed: {share(killed, valid):.0f} %; "
          f"{sum(row['verdict'] == 'compiler' for row in rows)} do not compile, {sum(row['verdict'] == 'same' for row in rows)} change no object code")
    return 1 if share(killed, valid) < options.least else 0


if __name__ == "__main__":
    sys.exit(main())
