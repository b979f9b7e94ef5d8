"""What `panto track --refine` learns of a body while it tracks it: where sensors sit, how long segments are."""

import json
import pathlib
import re
import subprocess

import numpy as np
import pytest
from command import GOOD, USAGE, refused

CHAINS = pathlib.Path(__file__).parents[2] / "models/chains"
SENSORS = (CHAINS / "right_arm_sensors.toml").read_text()
ARM = CHAINS / "right_arm.toml"
# noise alone is wrong, so that every sample may count
PATIENT = "\n[refine]\nplaces = 0.02\nlengths = 0.02\ninterval = 0\n"
FOREARM = re.compile(r'(name = "forearm".*?position = \[)([^]]*)')


def place_of_forearm(text):
    return np.array([float(x) for x in FOREARM.search(text).group(2).split(",")])


@pytest.fixture(scope="module")
def worn(panto, tmp_path_factory):
    """An arm that moves at random; the forearm's sensor sits 2.5 cm from where the file says."""
    folder = tmp_path_factory.mktemp("arm")
    true = place_of_forearm(SENSORS)
    said = true + [0.015, -0.02, 0.0]
    (folder / "true.toml").write_text(SENSORS)
    subprocess.run(
        [panto, "synthesize", "random", "--model", ARM, "--rate", "100", "--duration", "20", "--sensors", "true.toml", "--imu", "imu.csv",
         "--fault", "noise", "--seed", "3", "-o", "truth.csv"], cwd=folder, check=True, capture_output=True
    )  # fmt: skip
    with open(folder / "truth.csv", encoding="utf-8") as file:
        names, first = file.readline().strip().split(","), file.readline().strip().split(",")
    start = ", ".join(f"{n[:-4]} = {np.degrees(float(x))}" for n, x in zip(names, first) if n.endswith("_rad"))
    text = FOREARM.sub(lambda m: m.group(1) + ", ".join(map(str, said)), SENSORS)
    (folder / "said.toml").write_text(text.replace("elbow_flexion = 0", start))
    return folder, true, said


def track(run, folder, *words):
    return run("track", folder / "imu.csv", "--model", ARM, "--sensors", *words)


def test_a_sensor_that_is_centimetres_off_is_found_and_written(run, worn, tmp_path):
    folder, true, said = worn
    (tmp_path / "said.toml").write_text((folder / "said.toml").read_text() + PATIENT)
    result = track(run, folder, "said.toml", "--refine", "found.toml", "--json")
    assert result.returncode == GOOD, result.stderr
    refined = json.loads(result.stdout)["refined"]
    (forearm,) = [p for p in refined["places"] if p["sensor"] == "forearm"]
    assert forearm["shown"] and forearm["link"] == "forearm"
    assert np.abs(said + forearm["moved_m"] - forearm["position_m"]).max() < 1e-9
    assert np.linalg.norm(said - true) == pytest.approx(0.025)
    # three axes that it says it knows to 7 mm each
    assert np.linalg.norm(np.array(forearm["position_m"]) - true) < 0.012
    assert np.abs(np.array(forearm["position_m"]) - true).max() < 4 * max(forearm["sigma_m"]), "it knows how wrong it is"
    for length in refined["lengths"]:
        assert abs(length["length_m"] - length["nominal_m"]) < 4 * length["sigma_m"], "the lengths are the model's"
    written = (tmp_path / "found.toml").read_text()
    assert np.abs(place_of_forearm(written) - forearm["position_m"]).max() < 1e-8
    assert "position_sigma" in written and "[refine]" in written
    assert "sensor 'forearm' sits at (" in result.stderr and "each axis within" in result.stderr
    # what was written reads back as a file of sensors
    again = track(run, folder, "found.toml", "--json")
    assert again.returncode == GOOD, again.stderr


def test_without_refine_nothing_is_learnt_or_reported(run, worn):
    folder, _, _ = worn
    result = track(run, folder, folder / "said.toml", "--json")
    assert result.returncode == GOOD
    assert "refined" not in json.loads(result.stdout)
    assert "sits at" not in result.stderr


def test_the_option_alone_switches_it_on(run, worn, tmp_path):
    folder, _, _ = worn
    result = track(run, folder, folder / "said.toml", "--refine", "found.toml", "--json")
    assert result.returncode == GOOD, result.stderr
    assert len(json.loads(result.stdout)["refined"]["places"]) == 5
    assert "places = 0.02" in (tmp_path / "found.toml").read_text(), "what was used is what stands there"


def test_what_the_file_says_of_refining_is_kept(run, worn, tmp_path):
    folder, _, _ = worn
    said = (folder / "said.toml").read_text()
    (tmp_path / "slow.toml").write_text(said + "\n[refine]\nexcited = 3\n")
    assert track(run, folder, "slow.toml", "--refine", "found.toml").returncode == GOOD
    assert "excited = 3" in (tmp_path / "found.toml").read_text()
    (tmp_path / "never.toml").write_text(said + "\n[refine]\nplaces = 0\nlengths = 0\n")
    refused(track(run, folder, "never.toml", "--refine", "found.toml"), USAGE, "leaves nothing to refine")


def test_smoothing_refines_by_the_whole_recording_too(run, worn, tmp_path):
    folder, _, _ = worn
    (tmp_path / "said.toml").write_text((folder / "said.toml").read_text() + PATIENT)
    learnt = [json.loads(track(run, folder, "said.toml", *words, "--json").stdout)["refined"] for words in ((), ("--smooth",))]
    assert learnt[0] == learnt[1]


def test_a_given_lag_shifts_smoothed_results_too(run, worn, tmp_path):
    folder, _, _ = worn
    (tmp_path / "late.toml").write_text((folder / "said.toml").read_text().replace("version = 1\n", "version = 1\nlag = 0.05\n"))
    for words in ((), ("--smooth",)):
        assert track(run, folder, folder / "said.toml", "-o", "plain.csv", *words).returncode == GOOD
        assert track(run, folder, "late.toml", "-o", "late.csv", *words).returncode == GOOD
        plain, late = (np.loadtxt(tmp_path / f"{name}.csv", delimiter=",", skiprows=1) for name in ("plain", "late"))
        elbow = open(tmp_path / "plain.csv", encoding="utf-8").readline().strip().split(",").index("elbow_flexion_rad")
        # five samples further on: nearer to the answer of then than to that of now
        ahead = late[100:-5, elbow] - plain[105:, elbow]
        still = late[100:-5, elbow] - plain[100:-5, elbow]
        assert np.sqrt(np.mean(ahead**2)) < 0.3 * np.sqrt(np.mean(still**2)), words


def test_words_that_do_not_fit_are_refused(run, worn, take, tmp_path):
    folder, _, _ = worn
    refused(track(run, folder, folder / "said.toml", "--refine", "found.csv"), USAGE, "must end in .toml")
    refused(track(run, folder, folder / "said.toml", "--refine", folder / "said.toml"), USAGE, "said.toml")
    refused(run("track", take, "--refine", "found.toml"), USAGE, "--refine applies to raw sensors only")
    (tmp_path / "considered.toml").write_text((folder / "said.toml").read_text().replace("[noise]", "[noise]\nmounting_use = \"consider\"") + PATIENT)
    refused(track(run, folder, "considered.toml"), USAGE, "considered.toml: `mounting_use")
    refused(track(run, folder, folder / "said.toml", "--refine", ""), USAGE, "--refine")
