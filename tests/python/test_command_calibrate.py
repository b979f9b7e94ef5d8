"""Sensors that sit somehow on a person who holds poses: what `panto calibrate` finds, and what it says to repeat."""

import csv
import json
import re

import numpy as np
import pytest
from command import CHECK_FAILED, GOOD, UNUSABLE, USAGE, card_of, refused

RATE, G = 100, 9.80665
QUARTER = np.pi / 2
SENSORS = ("Pelvis", "RightUpperArm", "RightForeArm", "LeftUpperArm", "RightUpperLeg")


def turn(axis, angle):
    c, s = np.cos(angle), np.sin(angle)
    return {"x": np.array([[1, 0, 0], [0, c, -s], [0, s, c]]), "y": np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]),
            "z": np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])}[axis]  # fmt: skip


# how segments are turned (x forward, y left, z up; all as the room in the T-pose), without the command's own model
POSES = {
    "tpose": {},
    "npose": {"RightUpperArm": turn("x", QUARTER), "RightForeArm": turn("x", QUARTER), "LeftUpperArm": turn("x", -QUARTER)},
    "chair": {"RightUpperArm": turn("x", QUARTER), "RightForeArm": turn("x", QUARTER), "LeftUpperArm": turn("x", -QUARTER),
              "RightUpperLeg": turn("y", -QUARTER)},
}  # fmt: skip
FIELD = np.array([0.0, 20.0, -44.0])  # north is y [uT]


def from_wxyz(q):
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])  # fmt: skip


def degrees_between(A, B):
    return np.degrees(np.arccos(np.clip((np.trace(A.T @ B) - 1) / 2, -1, 1)))


class Session:
    """Poses of three seconds with a second of motion between them."""

    def __init__(self, path, poses, field=False, gravity=G):
        random = np.random.default_rng(5)
        self.mounts = {name: turn("z", a) @ turn("y", b) @ turn("x", c) for name, (a, b, c) in zip(SENSORS, random.uniform(-1.2, 1.2, (len(SENSORS), 3)))}
        self.biases = dict(zip(SENSORS, random.uniform(-0.02, 0.02, (len(SENSORS), 3))))
        kinds = [("gyro", "rad_s"), ("acc", "m_s2")] + ([("mag", "uT")] if field else [])
        rows, t = [], 0.0
        for i, pose in enumerate(poses):
            for k in range(4 * RATE if i + 1 < len(poses) else 3 * RATE):
                moving = k >= 3 * RATE
                row = [f"{t:.2f}"]
                for name in SENSORS:
                    R_WI = POSES[pose].get(name, np.eye(3)) @ self.mounts[name]
                    rate = self.biases[name] + random.normal(0, 0.003, 3)
                    force = R_WI.T @ [0, 0, gravity] + random.normal(0, 2.0 if moving else 0.03, 3)
                    row += [*rate, *force, *(R_WI.T @ FIELD + random.normal(0, 0.05, 3) if field else ())]
                rows.append(row)
                t += 1 / RATE
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["time_s", *(f"{name}.{what}_{axis}_{unit}" for name in SENSORS for what, unit in kinds for axis in "xyz")])
            writer.writerows(rows)


def numbers(text):
    return [float(number) for number in text.split(",")]


def sensors_of(path):
    """Rotation and bias of every sensor in a written file."""
    line = re.compile(r'name = "(\w+)", .*?wxyz = \[(.*?)\].*?gyro_bias = \[(.*?)\]')
    return {name: (from_wxyz(numbers(q)), np.array(numbers(bias))) for name, q, bias in line.findall(path.read_text(encoding="utf-8"))}


def test_three_poses_find_mountings_of_limbs_and_what_stays_unknown(run, tmp_path):
    session = Session(tmp_path / "imu.csv", ["npose", "tpose", "chair"])
    poses = [word for pose in ("npose", "tpose", "chair") for word in ("--pose", pose)]
    result = run("calibrate", "imu.csv", *poses, "-o", "subject.toml", "--json")
    assert result.returncode == CHECK_FAILED, result.stderr  # gravity does not turn in the pelvis
    card = json.loads(result.stdout)
    assert [pose["pose"] for pose in card["poses"]] == ["npose", "tpose", "chair"]
    for pose, begin in zip(card["poses"], (0.0, 4.0, 8.0)):
        assert abs(pose["from_s"] - begin) < 0.2 and abs(pose["to_s"] - begin - 3.0) < 0.2
    good = {sensor["name"]: sensor["good"] for sensor in card["sensors"]}
    assert not good.pop("Pelvis") and all(good.values())
    written = sensors_of(tmp_path / "subject.toml")
    for name in good:
        assert degrees_between(written[name][0], session.mounts[name]) < 0.3
    for name in SENSORS:  # 300 readings of 0.003 rad/s: 0.0002 and what of the motion counts as still
        assert np.abs(written[name][1] - session.biases[name]).max() < 0.005


def test_one_pose_with_a_field_and_a_trusted_sensor_tells_all(run, tmp_path):
    session = Session(tmp_path / "imu.csv", ["npose"], field=True)
    # the pelvis' nominal mounting is right about the vertical
    lines = [f'  {{ name = "{name}", link = "{name}", axes = ["x", "y", "z"] }},' for name in SENSORS if name != "Pelvis"]
    w = np.sqrt(1 + np.trace(session.mounts["Pelvis"])) / 2
    R = session.mounts["Pelvis"]
    q = [w, (R[2, 1] - R[1, 2]) / (4 * w), (R[0, 2] - R[2, 0]) / (4 * w), (R[1, 0] - R[0, 1]) / (4 * w)]
    lines.append(f'  {{ name = "Pelvis", link = "Pelvis", wxyz = [{", ".join(map(repr, map(float, q)))}] }},')
    (tmp_path / "nominal.toml").write_text('kind = "sensors"\nversion = 1\nsensors = [\n' + "\n".join(lines) + "\n]\n", encoding="utf-8")
    words = ("calibrate", "imu.csv", "--pose", "npose", "--sensors", "nominal.toml")
    result = run(*words, "--trusted", "Pelvis", "-o", "subject.toml")
    assert result.returncode == GOOD, result.stdout + result.stderr
    assert "REPEAT" not in result.stdout
    written = sensors_of(tmp_path / "subject.toml")
    for name in SENSORS:
        assert degrees_between(written[name][0], session.mounts[name]) < 1.0
    field = re.search(r"^field = \[(.*?)\]", (tmp_path / "subject.toml").read_text(encoding="utf-8"), re.M)
    assert np.linalg.norm(np.array(numbers(field[1])) - FIELD) < 0.5
    without = run(*words)
    assert without.returncode == CHECK_FAILED and "heading unknown" in without.stdout


def test_what_was_calibrated_can_be_tracked(run, tmp_path):
    Session(tmp_path / "imu.csv", ["npose", "tpose", "chair"])
    poses = [word for pose in ("npose", "tpose", "chair") for word in ("--pose", pose)]
    run("calibrate", "imu.csv", *poses, "-o", "subject.toml")
    result = run("track", "imu.csv", "--model", "human66", "--sensors", "subject.toml", "-o", "q.csv", "--json")
    assert card_of(result)["frames"] == 1100 and (tmp_path / "q.csv").exists()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--pose", "npose", "--pose", "tpose", "--pose", "chair", "--pose", "npose"], UNUSABLE, ["4 poses", "3 s"]),
        (["--pose", "bridge"], USAGE, ["bridge", "npose", "tpose", "chair"]),
        (["--pose", "npose", "--model", "unitree_g1", "--sensors", "none.toml"], UNUSABLE, ["none.toml"]),
        (["--pose", "npose", "--model", "unitree_g1"], USAGE, ["Pelvis", "sensors file (.toml)"]),
        (["--pose", "npose", "-o", "subject.csv"], USAGE, ["subject.csv", ".toml"]),
        (["--pose", "npose", "--trusted", "Pelvis"], USAGE, ["magnetometer", "Pelvis"]),
        (["--pose", "npose", "--trusted", "Hip"], USAGE, ["Hip", "Pelvis"]),
        (["--pose", "npose", "--walk", "4"], USAGE, ["--walk '4'", "12..20"]),
        (["--pose", "npose", "--walk", "8..4"], USAGE, ["ends before it begins"]),
        (["--pose", "npose", "--walk", "4..40"], USAGE, ["--walk '4..40'", "lasts from 0 to 11"]),
        (["--pose", "npose", "--pose", "tpose", "--walk", "4..10"], USAGE, ["a single held pose"]),
        ([], USAGE, ["held pose", "hinge", "motion"]),
    ],
)
def test_what_cannot_be_calibrated_is_refused_by_name(words, code, said, run, tmp_path):
    Session(tmp_path / "imu.csv", ["npose", "tpose", "chair"])
    refused(run("calibrate", "imu.csv", *words), code, *said)


def test_a_person_who_stands_during_the_walk_keeps_the_nominal_headings(run, tmp_path):
    session = Session(tmp_path / "imu.csv", ["npose", "tpose", "chair"])
    result = run("calibrate", "imu.csv", "--pose", "npose", "--walk", "4..10", "-o", "subject.toml", "--json")
    assert result.returncode == CHECK_FAILED, result.stderr
    for sensor in json.loads(result.stdout)["sensors"]:
        assert not sensor["good"] and "does not swing" in sensor["advice"], sensor
    written = sensors_of(tmp_path / "subject.toml")
    for name in SENSORS:  # inclinations are found all the same: up in the sensor, where the arm hangs
        up = np.array([0, 0, 1]) @ POSES["npose"].get(name, np.eye(3))
        assert np.degrees(np.arccos(np.clip((up @ written[name][0]) @ (up @ session.mounts[name]), -1, 1))) < 0.3, name


def test_forces_in_g_are_refused_before_anything_is_found(run, tmp_path):
    Session(tmp_path / "imu.csv", ["npose"], gravity=1.0)
    refused(run("calibrate", "imu.csv", "--pose", "npose"), UNUSABLE, "g")
