"""Runs one numbered example from another folder and checks the figures that it prints; without an argument checks the index
of the examples.

    examples_test.py [PROGRAM]      PROGRAM: a built example, .../02_retarget_to_a_robot
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
PROGRAM = None


class Example(unittest.TestCase):
    """`run_example` returns what the example prints; `numbers` those that a pattern finds in it, one tuple a match."""

    def run_example(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([PROGRAM, *arguments], cwd=folder, capture_output=True, text=True, timeout=300, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.made = {path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir()}
        return done.stdout

    def numbers(self, pattern, text, count=1):
        found = re.findall(pattern, text)
        self.assertEqual(len(found), count, f"{pattern} in:\n{text}")
        return [tuple(map(float, match if isinstance(match, tuple) else (match,))) for match in found]

    def near(self, values, expected, tolerance):
        self.assertEqual(len(values), len(expected))
        for value, right in zip(values, expected):
            self.assertAlmostEqual(value, right, delta=tolerance)

    def test_01_track_a_clip(self):
        text = self.run_example(str(EXAMPLES / "data/walk.bvh"), "angles.csv")
        self.near(self.numbers(r"(\d+) frames at (\d+) Hz, (\d+) joint", text)[0], (150, 30, 66), 0)
        # the synthesised walk bends the knee by 60 degrees in swing
        self.near(self.numbers(r"right knee: (\S+) to (\S+) degrees", text)[0], (5.6, 60.1), 0.2)
        self.assertLess(self.numbers(r"within (\S+) degrees", text)[0][0], 0.001)  # every segment has its own joints
        self.assertIn("Good: ", text)
        self.assertEqual(len(self.made["angles.csv"].splitlines()), 151)

    def test_02_retarget_to_a_robot(self):
        text = self.run_example()
        self.near(self.numbers(r"(\d+) frames, (\d+) joints", text)[0], (150, 29), 0)
        self.assertLess(self.numbers(r"slide at (\S+) mm/s", text)[0][0], 3.0)  # planned feet, on a rolling foot: 1.7
        self.assertEqual(self.numbers(r"limits: (\d+), too fast: (\d+)", text)[0], (0, 0))
        self.assertLess(self.numbers(r"Good: .* (\S+) deg off", text)[0][0], 1.5)

    def test_03_any_urdf(self):
        text = self.run_example()
        links = dict(line.split()[:2] for line in text.splitlines() if re.match(r"(Pelvis|T8|Right|Left)", line))
        self.assertEqual(len(links), 12)
        for segment, link in (("Pelvis", "body"), ("T8", "chest"), ("LeftForeArm", "l_forearm"), ("RightLowerLeg", "r_shank")):
            self.assertEqual(links[segment], link)
        # 45 mm: half the box below the ankle, and its own offset, in the URDF
        self.assertEqual(self.numbers(r"sole of '._foot': (\d+) mm", text, 2), [(45,), (45,)])
        self.assertLess(self.numbers(r"Good: .* (\S+) deg off", text)[0][0], 2.0)

    def test_04_loop_at_100_hz(self):
        begin = time.monotonic()
        text = self.run_example()
        self.assertGreater(time.monotonic() - begin, 1.49)  # 150 samples, the last at 1.49 s
        heights = self.numbers(r"(\S+) s: right hand at (\S+) m", text, 3)
        self.near([t for t, _ in heights], (0.0, 0.5, 1.0), 0)
        # the person's arm hangs by 57 degrees, then by 31, and is raised by 25
        self.near([height for _, height in heights], (0.77, 0.90, 1.25), 0.02)
        self.assertIn("150 of 150 samples sent", text)

    def test_05_sensors_on_an_arm(self):
        text = self.run_example()
        joints = re.findall(r"^  (\w+) +(\S+) \+- (\S+) degrees", text, re.MULTILINE)
        self.assertEqual(len(joints), 5)
        # make_data.py ends with the shoulder flexed by 30 degrees, the elbow by 90; all else is zero
        for (name, angle, deviation), right in zip(joints, (30, 0, 0, 90, 0)):
            self.assertAlmostEqual(float(angle), right, delta=1.5, msg=name)
            self.assertLess(float(deviation), 5.0, name)
        self.assertIn("0 of 359 readings missing", text)
        self.assertNotIn("Not usable", text)

    def test_06_calibrate_sensors(self):
        text = self.run_example()
        # make_data.py turned the sensors by 25 and -40 degrees about y
        turns = self.numbers(r"turned by (\S+) degrees about \((\S+), (\S+), (\S+)\)", text, 2)
        for turn, right in zip(turns, ((25, 0, 1, 0), (40, 0, -1, 0))):
            self.near(turn[:1], right[:1], 0.5)
            self.near(turn[1:], right[1:], 0.02)
        held = self.numbers(r"pose held from (\S+) to (\S+) s", text, 2)  # 3.5 s, then 2 s of motion
        self.assertLess(held[0][1], held[1][0])
        self.near((held[0][0], held[1][1]), (0, 9), 0.1)
        self.assertIn("Good: ", text)

    def test_07_imitate_gestures(self):
        text = self.run_example()
        gestures = self.numbers(r"gesture (\d) of 2, (\S+) to (\S+) s: slowed down (\S+) times", text, 2)
        self.assertEqual([number for number, *_ in gestures], [1, 2])
        for (_, begin, end, slower), right in zip(gestures, ((0.25, 5.75), (6.25, 11.75))):
            self.near((begin, end), right, 0.11)
            self.assertTrue(1.1 < slower < 1.5)  # 3 rad/s are too little for this wave
        self.assertEqual(self.numbers(r"(\d+) of them too fast", text, 2), [(0,), (0,)])
        self.assertIn("Good: 2 gestures", text)

    def test_08_own_targets_and_limits(self):
        text = self.run_example()
        (hand, knees), (own_hand, own_knees) = self.numbers(r"off by up to (\S+) m, knees together up to (\S+) rad", text, 2)
        self.assertGreater(hand, 0.3)
        self.assertGreater(knees, 1.3)
        self.assertLess(own_hand, 0.01)
        self.near((own_knees,), (1.2,), 0.0001)  # the row holds, and is reached

    def test_09_report(self):
        text = self.run_example()
        self.assertTrue(text.startswith("Good: "), text)
        figures = json.loads(next(line for line in text.splitlines() if line.startswith("{")))
        self.assertEqual((figures["frames"], figures["limit_violations"]), (150, 0))
        self.assertLess(figures["angle_max_deg"], 0.001)
        if "no page: " in text:
            return  # this build has none, and says why
        self.assertGreater(self.numbers(r"the page has (\d+) kB", text)[0][0], 100)
        self.run_example(str(EXAMPLES / "data/walk.bvh"), "page.html")
        self.assertIn(b"</html>", self.made["page.html"])
        self.assertNotIn(b"@PANTO_RUN@", self.made["page.html"])

    def test_10_bytes_without_files(self):
        text = self.run_example()
        asked, csv, npz = self.numbers(r"(\d+) bytes in; out: (\d+) bytes of .csv, (\d+) of .npz", text)[0]
        self.assertEqual(asked, sum((EXAMPLES / "data" / name).stat().st_size for name in ("homemade.urdf", "walk.bvh")))
        self.assertGreater(csv, 150 * 29 * 2)
        self.assertGreater(npz, 150 * 29 * 8)
        self.assertIn("l_knee_rad", text)
        self.assertIn("151 lines for 150 frames of 21 joints", text)
        self.assertIn("refused: upload.bvh:4: ", text)
        self.assertEqual(self.made, {})


class Index(unittest.TestCase):
    def test_every_example_is_in_the_index_with_its_question_and_has_a_test(self):
        rows = re.findall(r"^\| \[(\w+)\]\((\S+)\) \| (.+) \| `(\S+)`", (EXAMPLES / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
        sources = sorted(EXAMPLES.glob("*.cpp"))
        self.assertEqual([name for name, *_ in rows], [source.stem for source in sources])
        self.assertEqual(len(sources), 10)
        for (name, link, question, line), source in zip(rows, sources):
            self.assertEqual(link, source.name)
            self.assertEqual(line, f"build/dev/examples/{name}")
            self.assertEqual(source.read_text(encoding="utf-8").splitlines()[0], f"// {question}")
            self.assertTrue(hasattr(Example, f"test_{name}"), name)
            self.assertLessEqual(len(source.read_text(encoding="utf-8").splitlines()), 72, name)

    def test_data_made_for_examples_is_small(self):
        for path in (EXAMPLES / "data").iterdir():
            if path.name != "walk.bvh" and path.is_file():
                self.assertLess(path.stat().st_size, 60_000, path.name)


if __name__ == "__main__":
    suite = unittest.TestSuite()
    if len(sys.argv) > 1:
        PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
        suite.addTest(Example(f"test_{pathlib.Path(PROGRAM).stem}"))
    else:
        suite.addTests(unittest.defaultTestLoader.loadTestsFromTestCase(Index))
    sys.exit(not unittest.TextTestRunner().run(suite).wasSuccessful())
