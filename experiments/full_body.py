"""The full-body recording of qmt: 16 IMUs without magnetometers on a person who stands, sits and walks.

Laidig, Yang, Seel, "qmt: Quaternion-based Inertial Motion Tracking Toolbox" (full_body_example_data.mat of its examples, MIT). The
recording begins at 40 s of the session; times here are those of the session, as its authors give them. No truth: the quaternions
of the files are their own estimate and are not read.
"""

import csv
import json
import pathlib
import tomllib

import numpy as np

FIRST = 40.0  # [s] the session's time of the first sample
STANDING, SITTING, STANDING_AGAIN = (40.0, 44.0), (60.0, 78.0), (92.5, 94.5)  # [s]
WALK, WALK_BACK = (97.0, 113.0), (118.0, 137.0)  # [s] without the first and last steps and the turn between

# which link carries which sensor, where (OURS, for a body of 1.75 m [m]), and where its x, y and z point on the link, about: x
# along the segment, z outwards. From the alignment settings and offsets of qmt's own examples, which their authors found by hand.
x, y, z = np.eye(3)
SLANT = np.sqrt(0.5)
BACK = (z, y, -x)
MOUNTS = {
    "hip": ("Pelvis", (-0.10, 0.0, 0.04), BACK),
    "lower_back": ("L3", (-0.11, 0.0, 0.08), BACK),
    "upper_back": ("T8", (-0.11, 0.0, 0.12), BACK),
    "head": ("Head", (-0.09, 0.0, 0.08), BACK),
    "upper_arm_left": ("LeftUpperArm", (0.0, 0.15, 0.045), (-y, SLANT * (z + x), SLANT * (z - x))),
    "forearm_left": ("LeftForeArm", (0.0, 0.20, 0.03), (-y, x, z)),
    "hand_left": ("LeftHand", (0.0, 0.05, 0.02), (-y, x, z)),
    "upper_arm_right": ("RightUpperArm", (0.0, -0.15, 0.045), (y, -SLANT * (z + x), SLANT * (z - x))),
    "forearm_right": ("RightForeArm", (0.0, -0.20, 0.03), (y, -x, z)),
    "hand_right": ("RightHand", (0.0, -0.05, 0.02), (y, -x, z)),
    "upper_leg_left": ("LeftUpperLeg", (0.0, 0.08, -0.24), (z, x, y)),
    "lower_leg_left": ("LeftLowerLeg", (0.04, -0.02, -0.16), (z, -SLANT * (x + y), SLANT * (x - y))),
    "foot_left": ("LeftFoot", (0.06, 0.0, -0.02), (-x, -y, z)),
    "upper_leg_right": ("RightUpperLeg", (0.0, -0.08, -0.24), (z, -x, -y)),
    "lower_leg_right": ("RightLowerLeg", (0.04, 0.02, -0.16), (z, SLANT * (x - y), SLANT * (x + y))),
    "foot_right": ("RightFoot", (0.06, 0.0, -0.02), (-x, -y, z)),
}

# OURS, chosen on this recording: that the biases are those of the calibration, 0.03 deg/s. All else is the command's default.
SETTINGS = """
contacts = "soles"

[noise]
gyro_bias = 0.0005

[start]
joints_deg = { jRightShoulder_rotx = 90, jLeftShoulder_rotx = -90 }
sigma_deg = 8
"""


def quaternion(R):
    """(w, x, y, z) of a rotation."""
    K = np.array([
        [np.trace(R), R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
        [R[2, 1] - R[1, 2], R[0, 0] - R[1, 1] - R[2, 2], R[1, 0] + R[0, 1], R[0, 2] + R[2, 0]],
        [R[0, 2] - R[2, 0], R[1, 0] + R[0, 1], R[1, 1] - R[0, 0] - R[2, 2], R[2, 1] + R[1, 2]],
        [R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[2, 1] + R[1, 2], R[2, 2] - R[0, 0] - R[1, 1]],
    ])  # fmt: skip
    return np.linalg.eigh(K)[1][:, -1]


def put_recording(source, path, until=np.inf):
    """The authors' files of each sensor as one table in Panto's form; stamps begin at zero. Returns how many samples."""
    tables = [np.loadtxt(pathlib.Path(source) / f"{name}.csv", delimiter=",", skiprows=1)[:, :7] for name in MOUNTS]
    t = tables[0][:, 0]
    used = t < until
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        quantities = [f"{what}_{axis}_{unit}" for what, unit in (("gyro", "rad_s"), ("acc", "m_s2")) for axis in "xyz"]
        writer.writerow(["time_s", *(f"{name}.{quantity}" for name in MOUNTS for quantity in quantities)])
        cells = np.hstack([table[used, 1:] for table in tables])
        writer.writerows([f"{seconds - FIRST:.2f}", *row] for seconds, row in zip(t[used].tolist(), cells.tolist()))
    return int(used.sum())


def put_nominal(path, settings=SETTINGS):
    """How the sensors sit, about."""
    lines = []
    for name, (link, position, axes) in MOUNTS.items():
        wxyz = [round(float(q), 9) for q in quaternion(np.stack(axes, -1))]
        lines.append(f'  {{ name = "{name}", link = "{link}", position = {list(position)}, wxyz = {wxyz} }},')
    text = 'kind = "sensors"\nversion = 1\nsensors = [\n' + "\n".join(lines) + "\n]\n" + settings
    pathlib.Path(path).write_text(text, encoding="utf-8")


def span(seconds):
    """A part of the session as the command counts, from the first sample."""
    return f"{seconds[0] - FIRST:g}..{seconds[1] - FIRST:g}"


def read_columns(path):
    """Columns of a table by name; time in seconds of the session."""
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    columns = dict(zip(header, np.array(rows, float).T))
    columns["time_s"] = columns["time_s"] + FIRST
    return columns


def within(t, part):
    return (t >= part[0]) & (t <= part[1])


class Angles:
    """Clinical angles of a tracked recording [deg]: flexion positive."""

    def __init__(self, isb):
        self.t, self.isb = isb["time_s"], isb

    def flexion(self, side, joint):
        return self.isb[f"{side}{joint}_z_deg"]


def foot_strikes(angles, side, part):
    """When a foot strikes the ground: the ankle is then farthest before the hip [Zeni, Richards, Higginson 2008, with the leg's
    own angles instead of markers]. Indices of samples."""
    hip, knee = (np.radians(angles.flexion(side, joint)) for joint in ("Hip", "Knee"))
    ahead = 0.275 * np.sin(hip) + 0.250 * np.sin(hip - knee)  # parts of the height
    ahead = np.convolve(ahead, np.ones(5) / 5, "same")
    strikes = []
    for k in np.flatnonzero(within(angles.t, part)):
        near = ahead[max(k - 35, 0) : k + 36]  # 0.7 s: strides take 0.9 s
        if ahead[k] == near.max() and ahead[k] > ahead[within(angles.t, part)].mean():
            strikes.append(k)
    return strikes


def cycles(angles, side, joint, part):
    """Flexion over each stride, at 0, 2, ... 100 % of it [deg]. (strides x 51)"""
    strikes, curve = foot_strikes(angles, side, part), angles.flexion(side, joint)
    percent = np.linspace(0.0, 1.0, 51)
    return np.array([np.interp(a + percent * (b - a), np.arange(a, b + 1), curve[a : b + 1]) for a, b in zip(strikes, strikes[1:])])


def norm_band(path, joint, speed="Free"):
    """Mean of a published band's edges, and half of its width, at 0, 2, ... 100 % of the stride [deg]. (51), (51)"""
    with open(path, encoding="utf-8") as file:
        rows = np.array(json.load(file)["Schwartz2008"][speed][f"{joint}Angles"]["X"], float)
    return rows[:, 1:].mean(axis=1), 0.5 * (rows[:, 2] - rows[:, 1])


def rotation(wxyz):
    """Of a quaternion (w, x, y, z)."""
    w, x, y, z = np.asarray(wxyz) / np.linalg.norm(wxyz)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def gravity_knees(source, calibrated):
    """Flexion of the right and left knee while sitting by the accelerometers of thigh and shank alone, mounted as the file
    `calibrated` says: how far each nodded. No gyroscope, no filter [deg]."""
    with open(calibrated, "rb") as file:
        mounts = {sensor["name"]: rotation(sensor["wxyz"]) for sensor in tomllib.load(file)["sensors"]}
    knees = []
    for side in ("right", "left"):
        nods = []
        for sensor in (f"upper_leg_{side}", f"lower_leg_{side}"):
            rows = np.loadtxt(pathlib.Path(source) / f"{sensor}.csv", delimiter=",", skiprows=1)
            up = mounts[sensor] @ rows[within(rows[:, 0], SITTING), 4:7].mean(axis=0)
            nods.append(np.degrees(np.arctan2(up[0], up[2])))
        knees.append(nods[0] - nods[1])
    return knees


def turns(rates):
    """Where a sensor points after rates at 100 Hz [rad/s]. (samples x 3) -> (3 x 3)"""
    R = np.eye(3)
    for w in rates * 0.01:
        angle = max(np.linalg.norm(w), 1e-12)
        K = np.cross(np.eye(3), w / angle)
        R = R @ (np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K)
    return R


def averaging_turns(source, sensor):
    """What averaging a sensor's rates over 0.2 s, axis by axis, turns it by in ten seconds of the walk, against the rates as they
    are [deg]: coning."""
    rows = np.loadtxt(pathlib.Path(source) / f"{sensor}.csv", delimiter=",", skiprows=1)
    window = np.hanning(23)[1:-1] / np.hanning(23).sum()
    averaged = np.stack([np.convolve(rows[:, axis], window, "same") for axis in (1, 2, 3)], -1)
    ten = within(rows[:, 0], (WALK[0], WALK[0] + 10.0))
    off = turns(rows[ten, 1:4]).T @ turns(averaged[ten])
    return float(np.degrees(np.arccos(np.clip((np.trace(off) - 1) / 2, -1, 1))))
