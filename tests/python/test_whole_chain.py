"""Seventeen inertial sensors to a human to a robot: one process, one command, one report."""

import html
import json
import pathlib
import subprocess

import numpy as np
import pytest
from command import GOOD, UNUSABLE, USAGE, card_of, refused

SUIT = (pathlib.Path(__file__).parents[2] / "models/chains/human_sensors.toml").read_text()
# where the walk begins: arms hang
START = "\n[start]\njoints_deg = { jRightShoulder_rotx = 75, jLeftShoulder_rotx = -75 }\nsigma_deg = 8\n"
RATE, SECONDS = 100, 8


def joints(path):
    with open(path, encoding="utf-8") as file:
        header = file.readline().strip().split(",")
        rows = np.loadtxt(file, delimiter=",")
    return {name: rows[:, i] for i, name in enumerate(header)}


@pytest.fixture(scope="module")
def suit(panto, tmp_path_factory):
    """A walking person: what the sensors felt with every fault, and the truth."""
    folder = tmp_path_factory.mktemp("walk")
    (folder / "suit.toml").write_text(SUIT + START)
    subprocess.run(
        [panto, "synthesize", "walk", "--model", "human48", "--rate", str(RATE), "--duration", str(SECONDS), "--sensors", "suit.toml",
         "--imu", "imu.csv", "--fault", "all", "-o", "truth.csv"], cwd=folder, check=True, capture_output=True
    )  # fmt: skip
    return [folder / "imu.csv", "--sensors", folder / "suit.toml"], joints(folder / "truth.csv")


def test_seventeen_faulty_sensors_tell_the_joints_of_a_walk(run, suit, tmp_path):
    sensed, truth = suit
    card = card_of(run("track", *sensed, "--model", "human48", "-o", "q.csv", "--json"))
    assert card["status_counts"]["solved"] == SECONDS * RATE
    assert card["allocations"] in (0, None)
    assert card["swapped_sensors"] == []
    found = joints(tmp_path / "q.csv")
    off = {name: np.degrees(found[name] - truth[name])[RATE:] for name in truth if name.startswith("j")}
    assert len(off) == 48
    rmse = np.sqrt(np.mean([np.mean(e**2) for e in off.values()]))
    assert rmse < 5.0, "issue 6: joint RMSE of the whole chain with all faults"
    # toes carry no sensor: they stay near rest while the true ones bend by 23 deg
    unseen = [name for name in off if "BallFoot" in name]
    assert len(unseen) == 2
    travelled = truth["base_x_m"][-1] - truth["base_x_m"][0]
    assert abs(found["base_x_m"][-1] - found["base_x_m"][0] - travelled) < 0.06 * travelled, "feet that stand carry the way"


def test_sensors_move_a_robot_within_its_limits_in_one_command(run, suit, tmp_path):
    sensed, _ = suit
    result = run("retarget", *sensed, "--robot", "icub", "-o", "robot.csv", "--report", "page.html", "--json")
    assert result.returncode == GOOD, result.stderr
    card = json.loads(result.stdout)
    assert card["frames"] == SECONDS * RATE
    assert card["limit_violations"] == 0
    assert card["person"]["model"] == "human48"
    assert card["person"]["step_p50_us"] > 0.0
    assert [sensor["name"] for sensor in card["sensors"]][:2] == ["Pelvis", "T8"]
    assert "17 sensors agree with the model: readings are off by" in html.unescape((tmp_path / "page.html").read_text()), "how the sensors agreed stands on the page"
    # the same in two commands
    assert run("track", *sensed, "--model", "human48", "-o", "person.csv").returncode == GOOD
    assert run("retarget", "person.csv", "--robot", "icub", "-o", "robot_2.csv").returncode == GOOD
    one, other = joints(tmp_path / "robot.csv"), joints(tmp_path / "robot_2.csv")
    off = np.array([np.abs(one[name] - other[name])[RATE:] for name in one if name != "time_s" and not name.startswith("base")])
    # the table has no measured velocities: they are differenced, which costs a fraction of a frame
    assert np.degrees(np.median(off)) < 1.0


def change_over(folder, one, other):
    """The suit's file with the names of two sensors exchanged."""
    name = 'name = "{}"'.format
    text = (SUIT + START).replace(name(one), "@").replace(name(other), name(one)).replace("@", name(other))
    (folder / "suit.toml").write_text(text)


@pytest.mark.parametrize("one, other", [("T8", "Head"), ("RightUpperLeg", "LeftUpperLeg"), ("RightLowerLeg", "RightUpperLeg")])
def test_two_sensors_that_were_changed_over_are_named(one, other, run, suit, tmp_path):
    (imu, *_), _ = suit
    change_over(tmp_path, one, other)
    result = run("track", imu, "--sensors", "suit.toml", "--model", "human48", "--json", "--refine", "learnt.toml")
    assert result.returncode == GOOD, result.stderr
    card = json.loads(result.stdout)
    pairs = card["swapped_sensors"]
    assert card["unmeasured_joints"] == 2, "the balls of the feet"
    assert "warning: learnt.toml is unreliable: sensors disagree or may be swapped" in result.stderr
    assert "sensors agree with the model" not in result.stderr, "no comfort where two of them would agree better elsewhere"
    assert [{pair["one"], pair["other"]} for pair in pairs] == [{one, other}]
    assert pairs[0]["innovation_after"] < 1.0 < pairs[0]["innovation_before"], "3 is what sensors as bad as the options say have"
    assert "look swapped" in result.stderr and "exchange their names in suit.toml" in result.stderr


@pytest.mark.parametrize("one, other", [("RightForeArm", "RightHand"), ("RightShoulder", "LeftShoulder"), ("T8", "RightShoulder")])
def test_two_sensors_that_move_alike_are_named_though_none_disagrees(one, other, run, suit, tmp_path):
    (imu, *_), _ = suit
    change_over(tmp_path, one, other)
    result = run("track", imu, "--sensors", "suit.toml", "--model", "human48", "--json")
    card = json.loads(result.stdout)
    worst = max(max(sensor["nis_gyro_mean"], sensor["nis_acc_mean"]) for sensor in card["sensors"])
    assert worst < 4.0, "a sensor disagrees from there on, which was all that was looked for once"
    assert [{pair["one"], pair["other"]} for pair in card["swapped_sensors"]] == [{one, other}]
    assert "swapped" in result.stderr


def test_two_sensors_on_one_link_are_asked_about_and_not_called_changed_over(run, suit, tmp_path):
    (imu, *_), _ = suit
    (tmp_path / "suit.toml").write_text((SUIT + START).replace('link = "RightFoot"', 'link = "LeftFoot"'))
    result = run("track", imu, "--sensors", "suit.toml", "--model", "human48", "--json")
    assert "sensors 'RightFoot' and 'LeftFoot' are both on LeftFoot in suit.toml: check that this is intended" in result.stderr
    for pair in json.loads(result.stdout)["swapped_sensors"]:
        assert pair["innovation_after"] < pair["innovation_before"]


def test_a_person_who_squats_at_the_start_begins_with_the_feet_on_the_floor(run, suit, tmp_path):
    (imu, *_), _ = suit
    heights = {}
    for name, start in {
        "upright": "",
        "squat": "joints_deg = { jRightHip_roty = -45, jLeftHip_roty = -45, jRightKnee_roty = 90, jLeftKnee_roty = 90, jRightAnkle_roty = -45, jLeftAnkle_roty = -45 }",
        "told": "base_m = [0, 0, 0]",
    }.items():
        (tmp_path / "suit.toml").write_text(f"{SUIT}\n[start]\n{start}\n")
        result = run("track", imu, "--model", "human48", "--sensors", "suit.toml", "-o", "q.csv")
        assert result.returncode == GOOD, result.stderr
        heights[name] = joints(tmp_path / "q.csv")["base_z_m"][0]
    # thigh and shank of the average body are 0.42 m each, at 45 degrees: 0.25 m lower; the first sample moves it a little
    assert abs(heights["upright"] - heights["squat"] - 0.25) < 0.05
    assert abs(heights["told"]) < 0.2, "a start of zero that is asked for is no missing one"


def test_gestures_come_from_sensors_too(run, tmp_path):
    (tmp_path / "suit.toml").write_text(SUIT)
    assert run("synthesize", "wave", "--model", "human48", "--rate", RATE, "--duration", 8, "--sensors", "suit.toml", "--imu", "imu.csv", "--fault", "noise").returncode == GOOD
    result = run("imitate", "imu.csv", "--sensors", "suit.toml", "-o", "wave.csv")
    assert result.returncode == GOOD, result.stderr
    assert list(tmp_path.glob("wave*.csv"))


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["--robot", "icub"], USAGE, "add --sensors FILE"),
        (["--robot", "icub", "--sensors", "suit.toml", "--model", "icub"], USAGE, "needs a human with a free base"),
        (["--robot", "icub", "--sensors", "suit.toml", "--rig", "suit.toml"], USAGE, "--rig is for skeletons"),
        (["--robot", "icub", "--sensors", "missing.toml"], UNUSABLE, "missing.toml"),
        (["--robot", "icub", "--model", "human48"], USAGE, "--sensors"),
    ],
)
def test_words_that_do_not_fit_are_refused(run, suit, tmp_path, words, code, says):
    (tmp_path / "suit.toml").write_text(SUIT)
    refused(run("retarget", suit[0][0], *words), code, says)


def test_synthesised_sensors_need_all_their_words(run, tmp_path):
    (tmp_path / "suit.toml").write_text(SUIT)
    for words, says in (
        (["--imu", "imu.csv"], "--imu needs --sensors"),
        (["--sensors", "suit.toml", "-o", "q.csv"], "--sensors needs --imu FILE"),
        (["--fault", "all", "-o", "q.csv"], "--imu and --sensors are missing"),
        ([], "nothing to write"),
        (["--sensors", "suit.toml", "--imu", "imu.npz"], "must end in .csv"),
        (["--sensors", "suit.toml", "--imu", "imu.csv", "--fault", "moutning"], "did you mean 'mounting'"),
    ):
        refused(run("synthesize", "walk", *words), USAGE, says)
        assert not (tmp_path / "imu.csv").exists()
