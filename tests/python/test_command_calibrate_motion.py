"""`panto calibrate --hinge --motion`: sensors that are turned and moved in a known way, and motion that shows too little."""

import json
import re

import numpy as np
import pytest
from command import CHECK_FAILED, GOOD, UNUSABLE, USAGE, card_of, refused
from moved_arm import CHAINS, nominal_sensors, put_motion

ARM = str(CHAINS / "right_arm.toml")
# two hinges or more beside each sensor, across each other, from the root outward
HINGES = [
    "torso_lateral", "torso_flexion", "torso_rotation", "clavicle_protraction", "clavicle_depression", "shoulder_adduction",
    "shoulder_flexion", "shoulder_rotation", "elbow_flexion", "forearm_supination", "wrist_flexion", "wrist_deviation",
]  # fmt: skip


def rotation(wxyz):
    w, x, y, z = np.array(wxyz) / np.linalg.norm(wxyz)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def mounts_of(path):
    """name -> (R_LI, p_LI, line) of a written file."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if match := re.match(r'\s*\{ name = "(\w+)".*?wxyz = \[(.*?)\].*?position = \[(.*?)\]', line):
            found[match[1]] = (rotation([float(w) for w in match[2].split(",")]), np.array([float(p) for p in match[3].split(",")]), line)
    return found


def degrees_between(A, B):
    return np.degrees(np.arccos(np.clip((np.trace(A.T @ B) - 1) / 2, -1, 1)))


# the upper arm's and the forearm's sensors are elsewhere than the shipped file says
TRUE = {
    'position = [0.0, 0.04, 0.12], wxyz = [0.7071, 0.7071, 0.0, 0.0]': 'position = [0.01, 0.045, 0.135], wxyz = [0.7237, 0.6882, 0.0349, 0.0349]',
    'position = [0.0, 0.03, 0.05], euler_xyz_deg = [0, 90, 0]': 'position = [-0.01, 0.035, 0.06], euler_xyz_deg = [-3, 86, 2]',
}  # fmt: skip


def record(run, folder, parts, name="moved", faults=("noise",)):
    """NAME.csv of true sensors, nominal.toml beside them."""
    truth = nominal_sensors()
    for said, true in TRUE.items():
        assert said in truth, "the shipped file of sensors has changed"
        truth = truth.replace(said, true)
    (folder / "true.toml").write_text(truth, encoding="utf-8")
    (folder / "nominal.toml").write_text(nominal_sensors(), encoding="utf-8")
    spans = put_motion(folder / f"{name}_q.csv", parts)
    words = [word for fault in faults for word in ("--fault", fault)]
    made = run("synthesize", f"{name}_q.csv", "--model", ARM, "--sensors", "true.toml", "--imu", f"{name}.csv", "--rate", 100, *words)
    assert made.returncode == GOOD, made.stderr
    return spans


def calibrate(run, *words):
    return run("calibrate", "moved.csv", "--model", ARM, "--sensors", "nominal.toml", *words)


@pytest.fixture(name="session")
def whole_session(run, tmp_path):
    """Every hinge alone, then everything; the words that say so."""
    spans = record(run, tmp_path, [*((hinge, 6) for hinge in HINGES), ("all", 20)], faults=("noise", "gyro_bias"))
    words = []
    for hinge, (begin, end) in zip(HINGES, spans):
        words += ["--hinge", f"{hinge}={begin:g}..{end:g}"]
    return [*words, "--motion", f"{spans[-1][0]:g}..{spans[-1][1]:g}"]


def test_motion_finds_where_sensors_sit_and_what_was_found_can_be_tracked(run, tmp_path, session):
    result = calibrate(run, *session, "-o", "subject.toml", "--json")
    assert result.returncode in (GOOD, CHECK_FAILED) and result.stdout.count("\n") == 1, result.stderr
    card = json.loads(result.stdout)
    sensors = {sensor["name"]: sensor for sensor in card["sensors"]}
    written, truth = mounts_of(tmp_path / "subject.toml"), rotation([0.7237, 0.6882, 0.0349, 0.0349])
    nominal = rotation([0.7071, 0.7071, 0.0, 0.0])
    assert degrees_between(nominal, truth) > 4.5, "there is something to be found"
    assert degrees_between(written["upper_arm"][0], truth) < 2.0  # what is left is the nominal mount's pull
    assert np.linalg.norm(written["upper_arm"][1] - [0.01, 0.045, 0.135]) < 0.008
    assert np.linalg.norm(written["forearm"][1] - [-0.01, 0.035, 0.06]) < 0.008
    for name in ("upper_arm", "forearm"):
        assert sensors[name]["good"], sensors[name]["advice"]
        assert sensors[name]["sigma_deg"] < 2.5 and sensors[name]["position_sigma_m"] < 0.01
        assert "turn_sigma_deg = " in written[name][2] and "position_sigma = " in written[name][2]
    axes = {joint["joints"][0]: joint for joint in card["joints"] if joint["found"] == "axis"}
    assert set(axes) == set(HINGES)
    for hinge in HINGES[7:]:  # trunk and shoulder girdle reach little, and may be told to move faster
        assert axes[hinge]["good"], axes[hinge]
    assert axes["torso_flexion"]["before"] is None and axes["elbow_flexion"]["before"] == "upper_arm"
    lengths = {length["link"]: length for length in card["lengths"]}
    assert abs(lengths["forearm"]["found_m"] - 0.26) < 0.01 and abs(lengths["forearm"]["model_m"] - 0.26) < 1e-9
    tracked = run("track", "moved.csv", "--model", ARM, "--sensors", "subject.toml", "-o", "q.csv", "--json")
    assert card_of(tracked)["frames"] > 10000
    # a second calibration begins where the first ended
    again = run("calibrate", "moved.csv", "--model", ARM, "--sensors", "subject.toml", *session, "--json")
    turned = {sensor["name"]: sensor["turned_deg"] for sensor in json.loads(again.stdout)["sensors"]}
    assert turned["upper_arm"] < 0.5 * sensors["upper_arm"]["turned_deg"]


def test_the_table_says_for_each_joint_and_sensor_what_was_found(run, tmp_path, session):
    result = calibrate(run, *session, "--verbose")
    assert "axis of elbow_flexion" in result.stdout and "centre of forearm_supination" in result.stdout
    assert "base, sternum" in result.stdout and "upper_arm, forearm" in result.stdout
    assert re.search(r"'forearm' from \w+ to \w+: 2\d\.\d cm \+- ", result.stdout)
    for name in ("sternum", "shoulder", "upper_arm", "forearm", "hand"):
        assert re.search(rf"^{name} .*(good|REPEAT: \w+)", result.stdout, re.M)


def test_one_hinge_leaves_the_turn_about_it_open_and_names_the_next(run, tmp_path):
    record(run, tmp_path, [("elbow_flexion", 8)])
    result = calibrate(run, "--hinge", "elbow_flexion=3..11", "--json")
    assert result.returncode == CHECK_FAILED
    sensors = {sensor["name"]: sensor for sensor in json.loads(result.stdout)["sensors"]}
    assert sensors["forearm"]["directions"] == sensors["upper_arm"]["directions"] == 1
    assert re.search(r"move only hinge '\w+'", sensors["forearm"]["advice"]), sensors["forearm"]["advice"]
    assert sensors["hand"]["directions"] == 0 and sensors["hand"]["advice"].startswith("no motion determines its turn: move only hinge 'wrist_")
    assert sensors["hand"]["sigma_deg"] is None


def test_a_ball_named_as_a_hinge_is_to_be_repeated_and_turns_no_sensor(run, tmp_path):
    record(run, tmp_path, [("all", 10)])
    result = calibrate(run, "--hinge", "shoulder_flexion=3..13", "-o", "subject.toml")
    assert result.returncode == CHECK_FAILED
    assert "the joint did not turn about one axis: bend and stretch only this joint" in result.stdout
    assert degrees_between(mounts_of(tmp_path / "subject.toml")["upper_arm"][0], rotation([0.7071, 0.7071, 0.0, 0.0])) < 0.01


def test_a_knee_that_walks_is_a_hinge_between_two_sensors(run, tmp_path):
    # human48's ankles and knees move as the person walks; the thigh's and the shank's sensors are enough
    lines = ", ".join(f'{{ name = "{link}", link = "{link}" }}' for link in ("RightUpperLeg", "RightLowerLeg"))
    (tmp_path / "knee.toml").write_text(f'kind = "sensors"\nversion = 1\nsensors = [{lines}]\n', encoding="utf-8")
    made = run("synthesize", "walk", "--sensors", "knee.toml", "--imu", "knee.csv", "--duration", 15, "--rate", 100, "--fault", "noise")
    assert made.returncode == GOOD, made.stderr
    result = run("calibrate", "knee.csv", "--sensors", "knee.toml", "--hinge", "jRightKnee_roty=2..14", "--json")
    (joint,) = json.loads(result.stdout)["joints"]
    assert joint["good"] and joint["off_deg"] < 3.0, joint


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([], USAGE, ["held pose", "hinge", "motion"]),
        (["--hinge", "elbow_flexion=30..40"], USAGE, ["30..40", "moved.csv", "lasts from 0 to 1"]),
        (["--motion", "5..90"], USAGE, ["--motion", "5..90", "lasts from 0"]),
        (["--motion", "5-9"], USAGE, ["'5-9'", "FROM..TO", "all"]),
        (["--motion", "9..5"], USAGE, ["'9..5'", "ends before it begins"]),
        (["--motion", "x..5"], USAGE, ["--motion", "'x'", "0 to"]),
        (["--hinge", "elbow_flexon=3..9"], USAGE, ["elbow_flexon", "did you mean 'elbow_flexion'"]),
        (["--hinge", "elbow_flexion=0..2.5"], USAGE, ["elbow_flexion", "upper_arm", "forearm", "faster than 0.5 rad/s"]),
        (["--motion", "0..2.5"], USAGE, ["turns faster than 0.5 rad/s"]),
        (["--motion", "all", "--trusted", "hand"], USAGE, ["trusted sensor", "held pose"]),
        (["--motion", "all", "-o", "subject.csv"], USAGE, ["subject.csv", ".toml"]),
        (["--pose", "npose", "--motion", "all"], USAGE, ["npose", "human"]),
    ],
)
def test_what_shows_nothing_is_refused_by_name(words, code, said, run, tmp_path):
    record(run, tmp_path, [("elbow_flexion", 6)])
    refused(calibrate(run, *words), code, *said)


def test_a_hinge_without_a_sensor_after_it_is_refused_with_the_links_that_would_do(run, tmp_path):
    record(run, tmp_path, [("elbow_flexion", 6)])
    fewer = "\n".join(line for line in nominal_sensors().splitlines() if '"forearm"' not in line and '"hand"' not in line)
    (tmp_path / "nominal.toml").write_text(fewer, encoding="utf-8")
    refused(calibrate(run, "--hinge", "elbow_flexion"), USAGE, "elbow_flexion", "none after it", "forearm", "hand")


def test_a_table_of_joint_angles_is_felt_and_nothing_else_is_written(run, tmp_path):
    record(run, tmp_path, [("elbow_flexion", 2)])
    assert (tmp_path / "moved.csv").read_text().count("\n") > 500
    refused(run("synthesize", "moved_q.csv", "--model", ARM, "-o", "again.csv"), USAGE, "moved_q.csv", "--imu")
    refused(run("synthesize", "none.csv", "--model", ARM, "--sensors", "true.toml", "--imu", "a.csv"), UNUSABLE, "none.csv")
    long = ("--duration", 60, "--model", ARM, "--sensors", "true.toml", "--imu", "a.csv")
    refused(run("synthesize", "moved_q.csv", *long), USAGE, "moved_q.csv", "60 s", "ends after")


def test_a_pose_tells_up_and_a_hinge_the_heading_that_it_leaves_open(run, tmp_path):
    assert run("synthesize", "npose", "--duration", 14, "--rate", 50, "-o", "still.csv").returncode == GOOD
    header, *rows = (tmp_path / "still.csv").read_text().splitlines()
    columns, table = header.split(","), np.array([[float(cell) for cell in row.split(",")] for row in rows])
    t = table[:, 0]
    swing = np.clip(np.minimum(t - 4, 13 - t), 0, 1)
    table[:, columns.index("jRightKnee_roty_rad")] += swing * (0.7 - 0.7 * np.cos(4 * t))
    table[:, columns.index("jRightHip_roty_rad")] += swing * 0.4 * np.sin(3.1 * t)
    (tmp_path / "leg_q.csv").write_text("\n".join([header, *(",".join(map(repr, row)) for row in table.tolist())]) + "\n")
    # about 40 and 30 deg about up, which gravity does not tell, and a little about the rest
    truth = {"RightUpperLeg": [0.9397, 0.02, 0.03, 0.342], "RightLowerLeg": [0.9659, 0.03, -0.02, -0.2588]}
    lines = ", ".join(f'{{ name = "{link}", link = "{link}", wxyz = {(np.array(q) / np.linalg.norm(q)).tolist()} }}' for link, q in truth.items())
    (tmp_path / "true.toml").write_text(f'kind = "sensors"\nversion = 1\nsensors = [{lines}]\n')
    felt = ("--sensors", "true.toml", "--imu", "leg.csv", "--rate", 100, "--fault", "noise")
    assert run("synthesize", "leg_q.csv", *felt).returncode == GOOD
    posed = run("calibrate", "leg.csv", "--pose", "npose", "-o", "pose.toml")
    assert posed.returncode == CHECK_FAILED and "add a pose" in posed.stdout
    both = run("calibrate", "leg.csv", "--pose", "npose", "--hinge", "jRightKnee_roty=4..13", "-o", "both.toml", "--json")
    card = json.loads(both.stdout)
    assert [pose["pose"] for pose in card["poses"]] == ["npose"] and card["joints"][0]["good"], card
    text = {name: (tmp_path / name).read_text() for name in ("pose.toml", "both.toml")}
    for link, q in truth.items():
        found = {name: rotation([float(w) for w in re.search(rf'name = "{link}".*?wxyz = \[(.*?)\]', text[name])[1].split(",")]) for name in text}
        assert degrees_between(found["pose.toml"], rotation(q)) > 25.0
        assert degrees_between(found["both.toml"], rotation(q)) < 4.0  # up is believed to 5 deg, the axis too: its neighbours may bend
