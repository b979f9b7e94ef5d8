"""The count of words and the map of the rooms must notice what is planted."""
import pathlib
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "tools"))
import count_words  # noqa: E402
import draw_rooms  # noqa: E402


class CountWords(unittest.TestCase):
    def project(self, folder, readme):
        root = pathlib.Path(folder)
        for name in count_words.MOST:
            path = root / name if name.endswith(".md") else root / name / "sub" / "page.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("a word\n", encoding="utf-8")
        (root / "README.md").write_text("word " * readme, encoding="utf-8")
        return root

    def test_a_part_may_have_as_many_words_as_its_limit_and_no_more(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertTrue(count_words.count(self.project(folder, 700)))
            self.assertFalse(count_words.count(self.project(folder, 701)))

    def test_pages_below_a_folder_count(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(count_words.words(self.project(folder, 1) / "docs" / "results"), 2)


class DrawRooms(unittest.TestCase):
    def test_includes_of_other_rooms_are_counted_and_detours_known(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {
                "src/panto/ik/a.cpp": '#include "panto/ik/a.hpp"\n#include "panto/math/b.hpp"\n#  include "panto/base/c.hpp"\n',
                "src/panto/math/b.hpp": '#include "panto/base/c.hpp"\n',
                "apps/panto/main.cpp": '#include "panto/ik/a.hpp"\n',
            }.items():
                path = pathlib.Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            count = draw_rooms.includes(pathlib.Path(folder))
        self.assertEqual(count, {("ik", "math"): 1, ("ik", "base"): 1, ("math", "base"): 1, ("apps", "ik"): 1})
        self.assertTrue(draw_rooms.is_detour(("ik", "base"), count))
        self.assertFalse(draw_rooms.is_detour(("ik", "math"), count))
        self.assertIn('class="main"', draw_rooms.draw(count))


if __name__ == "__main__":
    unittest.main()
