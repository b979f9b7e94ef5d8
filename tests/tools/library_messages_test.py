#!/usr/bin/env python3
"""Messages of the library read right from C++ too: below io and report no text names an option of the command."""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2] / "src" / "panto"
# io and report write for the command: help in a file's head, tables, the next line to type
ROOMS = sorted(room for room in ROOT.iterdir() if room.is_dir() and room.name not in ("io", "report"))
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
OPTION = re.compile(r"(?<![\w-])--[a-z]")
COMMAND = re.compile(r"\bpanto [a-z]+ [^;]*--")  # a whole command to type may have options


class LibraryMessages(unittest.TestCase):
    def test_no_message_names_an_option_of_the_command(self):
        named = []
        for path in (path for room in ROOMS for path in sorted(room.rglob("*.[ch]pp"))):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if line.lstrip().startswith("//"):
                    continue
                texts = [text for text in LITERAL.findall(line) if OPTION.search(text) and not COMMAND.search(text)]
                named += [f"{path.relative_to(ROOT)}:{number}: {text}" for text in texts]
        self.assertEqual(named, [])

    def test_an_option_is_seen_where_there_is_one(self):
        self.assertTrue(OPTION.search("use --solver dynamical"))
        self.assertTrue(COMMAND.search("For a robot: panto retarget RECORDING --robot "))
        self.assertGreater(len(ROOMS), 15)


if __name__ == "__main__":
    sys.exit(not unittest.main(exit=False).result.wasSuccessful())
