"""The check of the battery of faults must catch what is planted, and only that."""
import pathlib
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "tools"))
import check_faults  # noqa: E402

SOURCES = {
    "tests/live/a_test.cpp": "TEST(Stream, IsHeld) {}\nTEST_P(AnyStream,\n       ComesBack) {}\nTEST(FaultF03, HasNoEffect) {}\n",
    "tests/python/test_b.py": "def test_a_kill():\n    pass\n",
    "tests/viewer/c.mjs": 'test("a page, and no other", 1, () => {});\n',
}
GOOD = "`tests/live/a_test.cpp`: Stream.IsHeld"


def found_in(change=None, more="", sources=None):
    """Violations where the row of F02 is `change` and the others are good; `more`: lines after the table."""
    rows = {number: f"| {number} | it breaks | it holds | {GOOD} |" for number in check_faults.NUMBERS}
    rows["F03"] = f"| F03 | it turns | it holds | {GOOD}, FaultF03.HasNoEffect |"
    if change is not None:
        rows["F02"] = change
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        page = "| id | what happens | promise | tests |\n|---|---|---|---|\n" + "\n".join(rows.values()) + "\n" + more
        for name, text in {**SOURCES, **(sources or {}), check_faults.PAGE.as_posix(): page}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        return list(check_faults.violations(root))


class CheckFaults(unittest.TestCase):
    def planted(self, row, reason, more=""):
        found = found_in(row, more)
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith("docs/fault_battery.md:"), found)
        self.assertIn(reason, found[0])

    def test_good_rows_pass_in_every_form(self):
        self.assertEqual(found_in(), [])
        tests = GOOD + ", AnyStream.ComesBack; `tests/python/test_b.py`: test_a_kill; `tests/viewer/c.mjs`: \"a page, and no other\""
        self.assertEqual(found_in(f"| F02 | a | b | {tests} |"), [])
        self.assertEqual(found_in("| F02 | a | b | does not apply: there is none |"), [])

    def test_a_test_that_is_not_there_is_refused(self):
        self.planted("| F02 | a | b | `tests/live/a_test.cpp`: Stream.IsLost |", "F02: no test Stream.IsLost")
        self.planted("| F02 | a | b | `tests/python/test_b.py`: test_a |", "no test test_a in")
        self.planted("| F02 | a | b | `tests/live/b_test.cpp`: Stream.IsHeld |", "no file tests/live/b_test.cpp")

    def test_a_row_that_is_missing_twice_there_or_empty_is_refused(self):
        self.planted("", "F02 has no row")
        self.planted(None, "is there twice", more=f"| F05 | a | b | {GOOD} |\n")
        self.planted(f"| F02 |  | b | {GOOD} |", "F02 has an empty cell")
        self.planted(None, "not a row of the form", more="| F05 | a |\n")

    def test_a_row_without_tests_says_why(self):
        self.planted("| F02 | a | b | none |", "is not of the form")

    def test_a_test_with_a_number_must_be_in_the_row_of_that_number(self):
        found = found_in(sources={"tests/live/b_test.cpp": "TEST(FaultF03, IsNamedNowhere) {}\n"})
        self.assertEqual(found, ["tests/live/b_test.cpp:1: FaultF03.IsNamedNowhere is not in the row of F03 of docs/fault_battery.md"])


if __name__ == "__main__":
    unittest.main()
