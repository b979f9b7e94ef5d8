"""The comparison of hashes must name what differs."""
import pathlib
import sys
import unittest

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "tools"))
import same_bits  # noqa: E402


class SameBits(unittest.TestCase):
    def test_equal_lines_are_silent(self):
        self.assertEqual(list(same_bits.differences({"a": "1"}, {"a": "1"})), [])

    def test_what_differs_or_is_missing_is_named(self):
        self.assertIn("a: reference 1, here 2", list(same_bits.differences({"a": "1"}, {"a": "2"})))
        self.assertIn("a: reference 1, here nothing", list(same_bits.differences({"a": "1"}, {})))
        self.assertIn("a: reference nothing, here 2", list(same_bits.differences({}, {"a": "2"})))


if __name__ == "__main__":
    unittest.main()
