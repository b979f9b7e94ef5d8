"""The mutation tester must change code alone, draw the same again, judge rightly and leave the checkout as it is."""
import pathlib
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "tools"))
import mutate  # noqa: E402


def changed(source):
    """The lines that mutations of a source give, without the lines they leave alone."""
    old = source.splitlines()
    found = [one.apply(source).splitlines() for one in mutate.mutations("a.cpp", source)]
    return [" ".join(line.strip() for line, was in zip(new, old) if line != was) for new in found]


def tree_of(folder, files):
    root = pathlib.Path(folder)
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


HALF = "double half(double x) {\n  return 0.5 * x;\n}\n"


class Pretended(mutate.Programs):
    """Compiles by copying; a test fails where its objects lack what it asks for."""

    wants = {}
    ran = None

    def compile(self, sources, folder):
        folder.mkdir(parents=True, exist_ok=True)
        for source in sources:
            mutant = self.work / "mutant" / source
            text = (mutant if mutant.is_file() else self.tree / source).read_text(encoding="utf-8")
            if "/ x" in text:
                raise mutate.CannotCompile("no")
            self.object(source, folder).write_text(text.replace("1.0", "1.00").replace("1.1", "1.00"), encoding="utf-8")
        self.includes.update({source: {(self.tree / source).as_posix()} for source in sources if source not in self.includes})

    def run(self, test, mutated, limit):
        self.ran.append(test)
        texts = [self.object(source, self.work / ("changed" if source in mutated else "whole")).read_text(encoding="utf-8")
                 for source in self.sources[test]]
        return "" if self.wants[test] in "".join(texts) else "A.Test"


class Mutate(unittest.TestCase):
    def test_comments_strings_preprocessor_and_messages_stay(self):
        for source in ('// a + b\n', '/* a * b */\n', 'auto s = "a < b - c";\n', "#if A == 1.0 && B\n", "#define A(x) \\\n  (x + 1.0)\n",
                       "static_assert(sizeof(double) == 8.0,\n  true);\n", 'throw Error("x" + name);\n', "template <int N, bool B = true>\n",
                       "bool operator < (A a);\n", "[[nodiscard]] int f();\n", "const int* p = &a;\nauto&& q = r->s;\n"):
            self.assertEqual(changed(source), [], source)

    def test_every_kind_of_code_has_its_mutation(self):
        for source, expected in (("a = b + c;", "a = b - c;"), ("a = b * c;", "a = b / c;"), ("while (a < b)", "while (a <= b)"),
                                 ("while (a >= b)", "while (a > b)"), ("return a == b;", "return a != b;"), ("return a && b;", "return a || b;"),
                                 ("f(0.5);", "f(0.55);"), ("f(0.0);", "f(1.0);"), ("f(1e-12);", "f(1e-09);"), ("f(10.0);", "f(11.0);"),
                                 ("f(std::min(a, b));", "f(std::max(a, b));"), ("return -a;", "return a;"), ("f(-a, b);", "f(a, b);"),
                                 ("if (a(b)) c();", "if (!(a(b))) c();"), ("{\n  x[i] += a.b(c);\n}", ";"), ("{\n  x = a;\n}", ";"),
                                 ("f(true);", "f(false);"), ("continue;", "break;")):
            self.assertIn(expected, changed(source + "\n"), source)

    def test_declarations_and_heads_of_loops_are_not_removed(self):
        for source in ("{\n  double x = y;\n}\n", "{\n  for (; i != n; i += 8) f(i, j = 2);\n}\n", "{\n  const int a = 1,\n            b = 2;\n}\n"):
            self.assertFalse([line for line in changed(source) if ";" == line[-1:] and "=" not in line and "f" not in line], source)

    def test_a_mutation_changes_one_line_and_keeps_the_number_of_lines(self):
        for path in sorted((PROJECT / "src/panto/tree_qp").glob("*.cpp")):
            source = path.read_text(encoding="utf-8")
            for one in mutate.mutations(path.name, source):
                mutant = one.apply(source)
                self.assertNotEqual(mutant, source)
                self.assertEqual(mutant.count("\n"), source.count("\n"), str(one))
                self.assertEqual(mutant.splitlines()[:one.line - 1], source.splitlines()[:one.line - 1])

    def test_a_seed_draws_the_same_again_and_no_line_twice(self):
        drawn = [[(room, str(one)) for room, one in mutate.draw(PROJECT, list(mutate.ROOMS), seed)] for seed in (1, 1, 2)]
        self.assertEqual(drawn[0], drawn[1])
        self.assertNotEqual(drawn[0], drawn[2])
        self.assertEqual([room for room, _ in drawn[0][:3]], list(mutate.ROOMS))
        places = [":".join(text.split(":")[:2]) for _, text in drawn[0]]
        self.assertEqual(len(places), len(set(places)))

    def test_mutants_are_judged_and_the_checkout_is_only_read(self):
        files = {"src/panto/math/half.cpp": HALF, "src/panto/math/half.hpp": "double half(double x);\n",
                 "tests/math/half_test.cpp": '#include "panto/math/half.hpp"\n', "tests/base/a_test.cpp": '#include "panto/math/half.hpp"\n'}
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as work:
            tree = tree_of(folder, files)
            tests = ["tests/base/a_test.cpp", "tests/math/half_test.cpp"]
            programs = Pretended(tree, pathlib.Path(work), tests)
            self.assertIn("src/panto/math/half.cpp", programs.sources["tests/base/a_test.cpp"])
            programs.wants, programs.ran, programs.seconds = {test: "0.5 " for test in programs.sources}, [], {test: 0.0 for test in programs.sources}
            programs.compile(["src/panto/math/half.cpp", "tests/math/half_test.cpp", "tests/base/a_test.cpp"], programs.work / "whole")
            divided, halved = mutate.mutations("src/panto/math/half.cpp", HALF)[::-1]
            self.assertEqual(programs.judge(divided, tests), ("compiler", ""))
            self.assertEqual(programs.judge(halved, tests), ("killed", "A.Test"))
            self.assertEqual(programs.ran, ["tests/math/half_test.cpp"])  # the nearest is enough
            programs.wants = {test: "half" for test in programs.sources}
            self.assertEqual(programs.judge(halved, tests), ("survived", ""))
            for name, text in files.items():
                self.assertEqual((tree / name).read_text(encoding="utf-8"), text)
            self.assertEqual(sum(path.is_file() for path in tree.rglob("*")), len(files))

    def test_a_mutant_of_the_same_object_code_is_none(self):
        source = "double half(double x) {\n  return 1.0 + x;\n}\n"
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as work:
            tree = tree_of(folder, {"src/panto/math/half.cpp": source, "src/panto/math/half.hpp": "", "tests/math/half_test.cpp": '#include "panto/math/half.hpp"\n'})
            programs = Pretended(tree, pathlib.Path(work), ["tests/math/half_test.cpp"])
            programs.wants, programs.ran, programs.seconds = {"tests/math/half_test.cpp": ""}, [], {"tests/math/half_test.cpp": 0.0}
            programs.compile(["src/panto/math/half.cpp", "tests/math/half_test.cpp"], programs.work / "whole")
            self.assertEqual([programs.judge(one, ["tests/math/half_test.cpp"])[0] for one in mutate.mutations("src/panto/math/half.cpp", source)], ["same", "survived"])

    def test_what_does_not_compile_is_not_in_the_share(self):
        rows = [{"room": "math", "verdict": verdict} for verdict in ("killed", "killed", "survived", "compiler", "same")]
        self.assertEqual(mutate.figures(rows)["all"], (2, 3))
        self.assertAlmostEqual(mutate.share(2, 3), 66.7, delta=0.1)


if __name__ == "__main__":
    unittest.main()
