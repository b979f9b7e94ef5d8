"""Every tutorial, followed from top to bottom in an empty folder as its page says, works and prints what the page shows."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

from package import PACKAGE

TUTORIALS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "tutorials"
PAGES = sorted(TUTORIALS.glob("[0-9]_*.md"))
BLOCK = re.compile(r"(?:<!-- needs: (?P<needs>\w+) -->\n)?^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.M | re.S)


def put_command(folder, panto):
    """`panto` and `python` as after `pip install`: the first runs the package, which finds the built command."""
    folder.mkdir()
    for name, words in (("panto", "-m panto"), ("python", "")):
        script = folder / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -B {words} "$@"\n')
        script.chmod(0o755)
    return {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": PACKAGE, "PANTO_COMMAND": panto}


def shown(text):
    """A pattern for what a page shows: `...` stands for anything, blanks for any number of blanks."""
    parts = re.split(r"\s*\.\.\.\s*", text.strip())
    return re.compile(r"[\s\S]*?".join(r"\s+".join(map(re.escape, part.split())) for part in parts))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_works_from_top_to_bottom_in_an_empty_folder(page, panto, tmp_path):
    environment = put_command(tmp_path / "bin", panto)
    folder = tmp_path / "empty"
    folder.mkdir()
    output, ran, left_out = None, 0, []
    for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
        needs, language, text = block["needs"], block["language"], block["text"]
        if needs:
            left_out += [needs] if importlib.util.find_spec(needs) is None else []
        if language == "text":
            assert output is None or shown(text).search(output), f"the page shows\n{text}\nbut this was printed:\n{output}"
        elif needs in left_out and needs:
            output = None
        else:
            words = ["bash", "-euc", text] if language == "sh" else [sys.executable, "-B", "-c", text]
            done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
            assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
            output, ran = done.stdout, ran + 1
    assert ran >= 4
    LAST[page.stem[0]](folder)
    if left_out:
        pytest.skip(f"{', '.join(left_out)} is not installed: one part of {page.name} is NOT tested; the others passed")


def trained(folder):
    motion = np.load(folder / "motion.npz")
    assert motion["joint_pos"].shape == (350, 29) and motion["body_quat_w"].shape == (350, 30, 4)
    assert np.allclose(np.linalg.norm(motion["body_quat_w"], axis=-1), 1, atol=1e-6)
    assert np.abs(motion["joint_vel"][[0, -1]]).max() < 0.01, "at rest at both ends"
    same = np.load(folder / "same.npz")
    assert all(np.array_equal(motion[name], same[name]) for name in motion.files)


def own_robot(folder):
    assert np.load(folder / "walk.npz")["joint_names"].shape == (21,)


def sensed(folder):
    def table(name):
        head, *rows = (folder / name).read_text().split("endheader\n")[1].splitlines()
        return dict(zip(head.split("\t"), np.array([row.split("\t") for row in rows], float).T))

    found, truth = table("walk.mot"), table("truth.mot")
    knee = (found["jRightKnee_roty"] - truth["jRightKnee_roty"])[120:]
    assert np.sqrt(np.mean(knee**2)) < 1, "degrees; 0.24 measured"
    hip = (found["jRightHip_roty"] - truth["jRightHip_roty"])[120:]
    assert np.sqrt(np.mean(hip**2)) < 5, "degrees; 3.3 measured"
    assert sum(name.endswith("_sd") for name in found) == 48
    osim = (folder / "human48.osim").read_text()
    assert all(f'"{name}"' in osim for name in truth if name != "time"), "every column is a coordinate of the model"


def on_robots(folder):
    csv = np.loadtxt(folder / "squats_unitree.csv", delimiter=",")
    assert csv.shape[1] == 7 + 29 and abs(len(csv) - 180) <= 1, "6 s at 30 Hz"
    knee = csv[:, 7 + 3]
    assert knee.max() - knee.min() > 1, "it squats"


def data_set(folder):
    names = {path.stem for path in (folder / "set" / "motions").glob("*.npz")}
    assert names == {"walk", "fast_walk", "run", "reach", "wave", "conduct"}
    for other in ("set_jobs", "set_python"):
        for name in names:
            assert (folder / other / "motions" / f"{name}.npz").read_bytes() == (folder / "set" / "motions" / f"{name}.npz").read_bytes()


def character(folder):
    rows = (folder / "out.bvh").read_text().split("Frame Time:")[1].splitlines()[1:]
    values = np.array([row.split() for row in rows if row.strip()], float)
    assert values.shape == (150, 6 + 3 * 20)
    assert values[-1, 2] - values[0, 2] > 300 or np.ptp(values[:, 0]) > 300, "it walks more than three metres, in centimetres"


LAST = {"1": trained, "2": own_robot, "3": sensed, "4": on_robots, "5": data_set, "6": character}


def test_there_is_a_check_of_the_last_file_of_every_tutorial():
    assert [page.stem[0] for page in PAGES] == sorted(LAST)


def test_what_a_page_shows_is_compared():
    assert shown("Good: ... off\nwrote a").search("x\nGood: 1.2 deg off\n\nwrote   a\n")
    assert not shown("wrote a.npz").search("wrote b.npz")
    assert not shown("one ... three").search("three two one")
