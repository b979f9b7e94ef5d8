"""The check of sizes must catch what is planted, and only that."""
import pathlib
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "tools"))
import check_sizes  # noqa: E402


def found_in(files):
    """Violations in a project of these files: {path: text}."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return list(check_sizes.violations(root))


def function(lines, head="int f(int x) noexcept {"):
    return head + "\n" + "  ++x;  // } { \"\n" * (lines - 2) + "}\n"


class CheckSizes(unittest.TestCase):
    def test_a_source_of_501_lines_is_refused_and_one_of_500_is_not(self):
        self.assertEqual(found_in({"src/panto/a.cpp": "int x;\n" * 500}), [])
        found = found_in({"src/panto/a.cpp": "int x;\n" * 501})
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith("src/panto/a.cpp:1: 501 lines"), found)
        self.assertEqual(found_in({"src/panto/a.cpp": "// size: one kernel\n" + "int x;\n" * 501}), [])

    def test_a_function_of_61_lines_is_refused_wherever_it_is(self):
        self.assertEqual(found_in({"src/panto/a.cpp": function(60)}), [])
        for head in ("int f(int x) {", "A::A(int x) : y_(x) {", "TEST(A, B) {", "auto A::f(int x) const -> int {",
                     "template <int N>\nPANTO_WIDE void f(int x) noexcept {"):
            for before, after in (("", ""), ("namespace a {\nnamespace {\n\n", "}\n}\n"), ("class A final : public B {\n public:\n", "};\n")):
                found = found_in({"src/panto/a.cpp": before + function(61, head) + after})
                self.assertEqual(len(found), 1, (head, before, found))
                line = before.count("\n") + 1
                self.assertTrue(found[0].startswith(f"src/panto/a.cpp:{line}: a function of {61 + head.count(chr(10))} lines"), found)
        self.assertEqual(found_in({"src/panto/a.cpp": "// size: a hot loop\n" + function(61)}), [])

    def test_a_reason_that_is_not_needed_and_one_without_words_are_refused(self):
        found = found_in({"src/panto/a.cpp": "// size: one kernel\n" + function(60)})
        self.assertEqual(len(found), 1, found)
        self.assertIn("needs no reason", found[0])
        self.assertEqual(len(found_in({"src/panto/a.cpp": "// size: big\n" + function(61)})), 1)

    def test_a_table_is_no_function(self):
        table = "constexpr int kTable[] = {\n" + "  1,\n" * 80 + "};\n"
        self.assertEqual(found_in({"src/panto/a.cpp": table + "struct A {\n" + "  int x;\n" * 80 + "};\n"}), [])

    def test_a_command_of_3900_lines_is_refused(self):
        files = {f"apps/panto/a{i}.cpp": "int x;\n" * (389 + (i < 9)) for i in range(10)}
        self.assertEqual(found_in(files), [])
        found = found_in({**files, "apps/panto/b.hpp": "int x;\n"})
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith("apps/panto:1: 3900 lines"), found)


if __name__ == "__main__":
    unittest.main()
