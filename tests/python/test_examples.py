"""The numbered examples in Python print what they promise, as their C++ sources do, and are in the index."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

from package import PACKAGE

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
SOURCES = sorted(EXAMPLES.glob("[0-9]*.py"))

# by example: what it prints, as patterns with numbers and what these are, within a tolerance
EXPECTED = {
    "01": [(r"(\d+) frames at (\d+) Hz, (\d+) joint", (150, 30, 66), 0), (r"right knee: (\S+) to (\S+) degrees", (5.6, 60.1), 0.2), (r"^Good: ", (), 0)],
    "02": [(r"(\d+) frames, (\d+) joints", (150, 29), 0), (r"slide at (\S+) mm/s", (1.7,), 1.3), (r"limits: (\d+), too fast: (\d+)", (0, 0), 0)],
    "03": [(r"(\d+) joints, floating base", (21,), 0), (r"^Good: ", (), 0)],
    "04": [(r"(\d+) of 150 samples sent", (150,), 0), (r"0.50 s: right knee at (\S+) rad", (0.6,), 0.7)],
    "05": [(r"elbow\S* +(\S+) \+- \S+ degrees", (90.0,), 1.5), (r"(\d+) live samples, other bits: (\d+)", (359, 0), 0)],
    "06": [(r"^Good: ", (), 0)],
    "07": [(r"gesture 2 of 2: \d+ frames, \S+ s, (\d+) of them too fast", (0,), 0)],
    "08": [(r"with: .*off by up to (\S+) m", (0.005,), 0.005), (r"with: .*knees together up to (\S+) rad", (1.2,), 0.0001)],
    "09": [(r"^Good: ", (), 0), (r"(\d+) of 2 checks passed", (2,), 0)],
    "10": [(r"(\d+) lines for (\d+) frames of (\d+) joints", (151, 150, 29), 0), (r"refused: upload.bvh:4: ", (), 0)],
    "11": [(r"gmr, unitree_g1, (\d+) frames at", (150,), 0), (r"unitree_h1: (\d+) frames", (150,), 0)],
}


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_an_example_runs_from_any_folder_and_prints_its_figures(source, tmp_path):
    environment = {**os.environ, "PYTHONPATH": PACKAGE}
    done = subprocess.run([sys.executable, "-B", source], cwd=tmp_path, capture_output=True, text=True, timeout=300, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not list(tmp_path.iterdir()), "nothing is left behind"
    for pattern, values, tolerance in EXPECTED[source.stem[:2]]:
        found = re.search(pattern, done.stdout, re.M)
        assert found, f"{pattern} in:\n{done.stdout}"
        for value, right in zip(found.groups(), values):
            assert abs(float(value) - right) <= tolerance, (pattern, value)


def test_every_example_mirrors_a_source_in_cpp_and_is_in_the_index():
    index = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert [source.stem[:2] for source in SOURCES] == sorted(EXPECTED)
    assert {source.stem for source in EXAMPLES.glob("[0-9]*.cpp")} <= {source.stem for source in SOURCES}
    for source in SOURCES:
        text = source.read_text(encoding="utf-8")
        assert f"[{source.stem}.py]({source.name})" in index, source.name
        assert len(text.splitlines()) <= 60, source.name
