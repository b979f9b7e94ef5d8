"""The check of the public headers must catch what is planted, and only that."""
import pathlib
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "tools"))
import public_headers  # noqa: E402

GOOD = ["| `api/track.hpp` | tracks |", "| `base/time.hpp` | stamps |"]
FILES = {"api/track.hpp": '#pragma once\n#include <vector>\n#include "panto/base/time.hpp"\n', "base/time.hpp": "#pragma once\n"}


def found_in(table, files=FILES):
    """Violations in a project with these rows and {path below src/panto: text}."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "docs").mkdir()
        (root / public_headers.TABLE).write_text("\n".join(["| header | reason |", "|---|---|", *table]) + "\n", encoding="utf-8")
        for name, text in files.items():
            path = root / "src" / "panto" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return list(public_headers.violations(root))


class PublicHeaders(unittest.TestCase):
    def planted(self, table, place, reason, files=FILES):
        found = found_in(table, files)
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(place), found)
        self.assertIn(reason, found[0])

    def test_a_closed_table_with_reasons_is_good(self):
        self.assertEqual(found_in(GOOD), [])

    def test_the_projects_own_table_is_good(self):
        self.assertEqual(list(public_headers.violations(PROJECT)), [])

    def test_an_include_that_is_not_public_is_named_with_its_line(self):
        files = FILES | {"base/time.hpp": '#pragma once\n\n#include "panto/base/utf8.hpp"\n', "base/utf8.hpp": ""}
        self.planted(GOOD, "src/panto/base/time.hpp:3: ", "includes 'base/utf8.hpp', which is not public", files)

    def test_an_example_that_includes_more_is_named_with_its_line(self):
        example = '#include <vector>\n#include "panto/api/track.hpp"\n#include "panto/base/utf8.hpp"\n'
        files = FILES | {"base/utf8.hpp": "", "../../examples/01_track.cpp": example}
        self.planted(GOOD, "examples/01_track.cpp:3: ", "'base/utf8.hpp', which is not public", files)

    def test_each_header_is_there_once_and_has_a_reason(self):
        self.planted(GOOD + ["| `base/none.hpp` | nothing |"], "docs/public_headers.md:5: ", "is not there")
        self.planted(GOOD + ["| `base/time.hpp` | again |"], "docs/public_headers.md:5: ", "twice")
        self.planted([GOOD[0], "| `base/time.hpp` | |"], "docs/public_headers.md:4: ", "has no reason")
        self.planted(GOOD + ["| `base/Time.h` | stamps |"], "docs/public_headers.md:5: ", "not a row")

    def test_what_solvers_are_made_of_stays_inside(self):
        files = FILES | {"math/lanes.hpp": "", "tree_qp/waves.hpp": ""}
        for header in ("math/lanes.hpp", "tree_qp/waves.hpp"):
            self.planted(GOOD + [f"| `{header}` | fast |"], "docs/public_headers.md:5: ", "only solvers use", files)

    def test_forty_are_enough(self):
        names = [f"base/{'a' * (i + 1)}.hpp" for i in range(41)]
        files = {name: "" for name in names}
        table = [f"| `{name}` | needed |" for name in names]
        self.assertEqual(found_in(table[:40], files), [])
        self.planted(table, "docs/public_headers.md:1: ", "41 headers are public, 40 may be", files)

    def test_a_table_without_headers_is_none(self):
        self.planted([], "docs/public_headers.md:1: ", "no header")


if __name__ == "__main__":
    unittest.main()
