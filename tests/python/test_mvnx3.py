"""MVNX version 3 as MVN wrote it: a file made here from known joint angles, with nothing of Panto's, gives them back."""

import csv
import json
import math

import numpy as np
import pytest
from command import GOOD

SEGMENTS = """Pelvis L5 L3 T12 T8 Neck Head RightShoulder RightUpperArm RightForeArm RightHand LeftShoulder LeftUpperArm LeftForeArm
LeftHand RightUpperLeg RightLowerLeg RightFoot RightToe LeftUpperLeg LeftLowerLeg LeftFoot LeftToe""".split()
PARENT = [-1, 0, 1, 2, 3, 4, 5, 4, 7, 8, 9, 4, 11, 12, 13, 0, 15, 16, 17, 0, 19, 20, 21]
JOINTS = """L5S1 L4L3 L1T12 T9T8 T1C7 C1Head RightT4Shoulder RightShoulder RightElbow RightWrist LeftT4Shoulder LeftShoulder LeftElbow
LeftWrist RightHip RightKnee RightAnkle RightBallFoot LeftHip LeftKnee LeftAnkle LeftBallFoot""".split()
RATE = 60.0
FRAMES = 90


def turn(axis, angle):
    c, s = math.cos(angle), math.sin(angle)
    rows = {"x": [[1, 0, 0], [0, c, -s], [0, s, c]], "y": [[c, 0, s], [0, 1, 0], [-s, 0, c]], "z": [[c, -s, 0], [s, c, 0], [0, 0, 1]]}
    return np.array(rows[axis])


# ISB axes (x forward, y up, z right) from MVN's (x forward, y left, z up)
P = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])


def signs(child):
    """Flexion, abduction and internal rotation are positive on both sides."""
    if child <= 6:
        return (1, 1, -1)
    right = SEGMENTS[child].startswith("Right")
    z = -1 if SEGMENTS[child].endswith("LowerLeg") else 1
    return (-1, 1, z) if right else (1, -1, z)


def angles_at(k):
    """Abduction, rotation and flexion of the 22 joints [deg], slow and within people's ranges."""
    t = k / RATE
    return [[12 * math.sin(1.1 * t + j), 15 * math.sin(0.9 * t + 2 * j), 20 + 18 * math.sin(1.3 * t + 3 * j)] for j in range(22)]


def orientations(angles, heading):
    """Of the segments in version 3's own frames, which are the ISB frames of hanging arms."""
    R = [turn("z", heading)]
    for child in range(1, 23):
        x, y, z = (s * math.radians(a) for s, a in zip(signs(child), angles[child - 1]))
        R.append(R[PARENT[child]] @ P.T @ turn("z", z) @ turn("x", x) @ turn("y", y) @ P)
    return R


def quaternion(R):
    w = math.sqrt(max(0.0, 1 + R[0, 0] + R[1, 1] + R[2, 2])) / 2
    if w > 0.1:
        return [w, (R[2, 1] - R[1, 2]) / (4 * w), (R[0, 2] - R[2, 0]) / (4 * w), (R[1, 0] - R[0, 1]) / (4 * w)]
    i = int(np.argmax(np.diag(R)))
    j, k = (i + 1) % 3, (i + 2) % 3
    s = 2 * math.sqrt(max(0.0, 1 + R[i, i] - R[j, j] - R[k, k]))
    q = [0.0] * 4
    q[0], q[1 + i], q[1 + j], q[1 + k] = (R[k, j] - R[j, k]) / s, s / 4, (R[j, i] + R[i, j]) / s, (R[k, i] + R[i, k]) / s
    return q


def rate(before, after, dt):
    """The angular velocity in world axes [rad/s]."""
    D = after @ before.T
    angle = math.acos(max(-1.0, min(1.0, (np.trace(D) - 1) / 2)))
    axis = np.array([D[2, 1] - D[1, 2], D[0, 2] - D[2, 0], D[1, 0] - D[0, 1]])
    norm = np.linalg.norm(axis)
    return np.zeros(3) if norm < 1e-12 else axis / norm * angle / dt


def numbers(rows):
    return " ".join(f"{value:.9f}" for row in rows for value in row)


def mvnx3(scale=None):
    """The text of a file; `scale`: of its angular velocities, None: it has none."""
    out = [
        '<?xml version="1.0" encoding="UTF-8"?>\n<mvnx version="3">\n<mvn version="4.2.4" build="x"/>\n'
        f'<subject label="S1" frameRate="{RATE:g}" segmentCount="23">\n<segments>'
    ]
    out += [f'<segment label="{name}" id="{i + 1}"><points/></segment>' for i, name in enumerate(SEGMENTS)]
    out.append('</segments>\n<frames segmentCount="23" sensorCount="0" jointCount="22">')
    for k in range(FRAMES):
        angles = angles_at(k)
        now = orientations(angles, 0.3 * k / RATE)
        out.append(f'<frame time="{round(1000 * k / RATE)}" index="{k}" tc="0" ms="0" type="normal">')
        out.append(f"<orientation>{numbers(quaternion(R) for R in now)}</orientation>")
        if scale is not None:
            h = 1e-4
            before = orientations(angles_at(k - h * RATE), 0.3 * (k / RATE - h))
            after = orientations(angles_at(k + h * RATE), 0.3 * (k / RATE + h))
            out.append(f"<angularVelocity>{numbers(scale * rate(a, b, 2 * h) for a, b in zip(before, after))}</angularVelocity>")
        out.append(f"<jointAngle>{numbers(angles)}</jointAngle></frame>")
    return "\n".join(out) + "\n</frames></subject></mvnx>\n"


def test_every_joint_has_the_angles_that_made_the_file(run, tmp_path):
    (tmp_path / "a.mvnx").write_text(mvnx3())
    result = run("track", "a.mvnx", "--angles", "isb", "-o", "a.csv")
    assert result.returncode == GOOD, result.stderr
    lines = [line for line in (tmp_path / "a.csv").read_text().splitlines() if not line.startswith("#")]
    table = list(csv.DictReader(lines))
    assert len(table) == FRAMES
    for k, row in enumerate(table):
        for joint, wanted in zip(JOINTS, angles_at(k)):
            for axis, angle in zip("xyz", wanted):
                off = (float(row[f"{joint.replace('T4Shoulder', 'T4Shoulder')}_{axis}_deg"]) - angle + 180) % 360 - 180
                assert abs(off) < 0.1, (k, joint, axis, off)


@pytest.mark.parametrize("scale", [1.0, 180 / math.pi])
def test_rates_in_degrees_per_second_are_recognised_and_said(run, tmp_path, scale):
    (tmp_path / "a.mvnx").write_text(mvnx3(scale))
    result = run("track", "a.mvnx", "--json")
    assert result.returncode == GOOD, result.stderr
    assert ("taken as degrees per second" in result.stderr) == (scale > 1)
    assert json.loads(result.stdout)["omega_rmse_rad_s"] < 0.01
