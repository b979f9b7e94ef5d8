"""What the README shows must be true: the lines to embed are those of examples/04_loop_at_100_hz.cpp, and its commands and those of
docs/command.md run. (Links are tests/python/test_documents.py's.)

    readme_test.py [PANTO]      PANTO: the built command; without it its examples are skipped, saying so
"""
import json
import pathlib
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "tests" / "python"))
from still_sensors import put_held_poses, put_still_sensors  # noqa: E402

PANTO = None


def blocks(language, text):
    """Contents of the fenced code blocks of one language ('' for none), in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def code_lines(text):
    """Lines without indentation and without blank lines."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def pages():
    return [*PROJECT.glob("*.md"), *(PROJECT / "docs").rglob("*.md")]


class Readme(unittest.TestCase):
    text = (PROJECT / "README.md").read_text(encoding="utf-8")

    def test_the_lines_to_embed_are_those_of_the_example(self):
        lines = code_lines(blocks("cpp", self.text)[0])
        includes = [line for line in lines if line.startswith("#include")]
        shown = lines[len(includes):]
        built = code_lines((PROJECT / "examples" / "04_loop_at_100_hz.cpp").read_text(encoding="utf-8"))
        self.assertTrue(includes and set(includes) <= set(built), includes)
        self.assertLessEqual(len(lines), 10, "the README promises ten lines")
        self.assertIn(shown[0], built)
        start = built.index(shown[0])
        self.assertEqual(shown, built[start : start + len(shown)])

    def test_its_commands_and_those_of_the_command_page_run(self):
        if PANTO is None:
            self.skipTest("no panto command was given")
        commands = [
            shlex.split(line, comments=True)
            for page in (self.text, (PROJECT / "docs" / "command.md").read_text(encoding="utf-8"))
            for block in blocks("", page)
            for line in block.splitlines()
            if line.startswith("panto ")
        ]
        self.assertGreaterEqual(len(commands), 3)
        with tempfile.TemporaryDirectory() as folder:

            def run(arguments):
                return subprocess.run(
                    [PANTO, *arguments], cwd=folder, capture_output=True, text=True, timeout=300, check=False
                )

            # recordings of the names that the examples use
            made = run(["synthesize", "walk", "--duration", "2", "-o", "take.mvnx", "-o", "dance.bvh", "-o", "wave.bvh"])
            self.assertEqual(made.returncode, 0, made.stderr)
            made = run(["convert", "dance.bvh", "my_character.bvh"])
            self.assertEqual(made.returncode, 0, made.stderr)
            made = run(["convert", "unitree_g1", "my_robot.urdf"])
            self.assertEqual(made.returncode, 0, made.stderr)
            put_still_sensors(pathlib.Path(folder), "imu.toml")
            put_held_poses(pathlib.Path(folder))
            shutil.copy(PROJECT / "models/chains/human_sensors.toml", pathlib.Path(folder) / "suit.toml")
            made = run(["synthesize", "walk", "--duration", "2", "--model", "human48", "--sensors", "suit.toml", "--imu", "suit.csv"])
            self.assertEqual(made.returncode, 0, made.stderr)
            # somebody has to listen where the examples send to
            robot = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            self.addCleanup(robot.close)
            robot.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            robot.bind(("127.0.0.1", 7000))
            for command in commands:
                if command[1] == "view":  # it serves until it is interrupted
                    with subprocess.Popen([PANTO, *command[1:]], cwd=folder, stdout=subprocess.PIPE, text=True) as server:
                        self.assertRegex(server.stdout.readline(), r"^http://127\.0\.0\.1:\d+/")
                        server.send_signal(signal.SIGINT)
                        self.assertEqual(server.wait(30), 0, command)
                    continue
                if command[1] == "live":  # it listens until it is interrupted; the signal ends it before the first sample
                    with subprocess.Popen([PANTO, *command[1:]], cwd=folder, stderr=subprocess.PIPE, text=True) as listener:
                        self.assertIn("listening", listener.stderr.readline())
                        listener.send_signal(signal.SIGINT)
                        self.assertEqual(listener.wait(30), -signal.SIGINT, command)
                    continue
                result = run(command[1:])
                self.assertEqual(result.returncode, 0, f"{command}: {result.stderr}")
                for option, value in zip(command, command[1:]):
                    if option == "-o" and "://" not in value:
                        self.assertTrue((pathlib.Path(folder) / value).is_file(), value)
                if "--json" in command:
                    self.assertGreater(json.loads(result.stdout)["frames"], 0)

    def test_the_command_page_shows_the_verdict_of_today(self):
        if PANTO is None:
            self.skipTest("no panto command was given")
        page = (PROJECT / "docs" / "command.md").read_text(encoding="utf-8")
        shown = next(block for block in blocks("", page) if block.startswith("Good: "))
        words = shlex.split(re.search(r"`panto (retarget walk\.bvh [^`]*)`", page)[1])
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(PROJECT / "examples" / "data" / "walk.bvh", folder)
            result = subprocess.run([PANTO, *words], cwd=folder, capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(shown.strip(), result.stdout.strip(), "every compiler gives the same bits")


class Pages(unittest.TestCase):
    def test_every_file_of_a_room_that_a_page_names_is_there(self):
        source = PROJECT / "src" / "panto"
        rooms = "|".join(folder.name for folder in source.iterdir() if folder.is_dir())
        lost = []
        for page in pages():
            for name in re.findall(rf"`((?:{rooms})/[a-z]\w*)(?:\.[ch]pp)?`", page.read_text(encoding="utf-8")):
                if not list(source.glob(name + ".?pp")):
                    lost.append(f"{page.relative_to(PROJECT)}: {name}")
        self.assertEqual(lost, [])

    def test_every_table_has_as_many_cells_in_every_row(self):
        ragged = []
        for page in pages():
            width = 0
            for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
                cells = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
                if cells and width and cells != width:
                    ragged.append(f"{page.relative_to(PROJECT)}:{number}")
                width = cells
        self.assertEqual(ragged, [])


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        given = sys.argv.pop(1)
        PANTO = str(pathlib.Path(given).resolve()) if given else None
    unittest.main()
