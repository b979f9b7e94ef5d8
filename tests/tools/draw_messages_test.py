"""The draw of messages must show a message as users read it, and leave out what is none."""
import pathlib
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "tools"))
import draw_messages  # noqa: E402


def found_in(text):
    return [message for _, message in draw_messages.messages(text)]


class DrawMessages(unittest.TestCase):
    def test_adjacent_literals_and_what_plus_joins_are_one_message(self):
        source = 'throw Error(path + ": cannot read " + quoted(name, 3) + " here; "  // why\n  "try another file" + more);\n'
        self.assertEqual(found_in(source), ["...: cannot read {quoted(name, 3)} here; try another file..."])

    def test_arguments_of_one_call_are_several_messages(self):
        self.assertEqual(found_in('add("the first of two", x, "and the second one");'), ["the first of two", "and the second one"])

    def test_keys_comments_includes_and_assertions_are_left_out(self):
        source = '#include "panto/base/a.hpp"\n// says "all of this here"\nadd("rate_hz"); x == \'"\' ? "two words" : "";\n'
        self.assertEqual(found_in(source + 'static_assert(n > 0, "there must be some");'), [])

    def test_a_message_has_its_first_line_and_its_own_letters(self):
        self.assertEqual(list(draw_messages.messages('\n\nsay("a \\"quoted\\" word\\nand more");')), [(3, 'a "quoted" word\nand more')])

    def test_a_seed_draws_the_same_messages_each_time(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "apps" / "panto" / "a.cpp"
            path.parent.mkdir(parents=True)
            path.write_text("".join(f'say("this is message {i}");\n' for i in range(50)), encoding="utf-8")
            first = draw_messages.draw(5, 1, folder)
            self.assertEqual(first, draw_messages.draw(5, 1, folder))
            self.assertNotEqual(first, draw_messages.draw(5, 2, folder))
            self.assertEqual(len(draw_messages.draw(99, 1, folder)), 50)
            self.assertRegex(first[0][0], r"^apps/panto/a\.cpp:\d+$")


if __name__ == "__main__":
    unittest.main()
