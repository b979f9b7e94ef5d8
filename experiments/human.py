"""The human models as NumPy sees them: rotations, recordings of 23 segments, joint angles to links, limits."""

import re
import xml.etree.ElementTree as ET

import numpy as np
from common import PROJECT, Missed

SEGMENTS = 23
MVNX = "{http://www.xsens.com/mvn/mvnx}"


def rotation(q):
    """Quaternions (..., 4) to matrices (..., 3, 3)."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def about(axis, angle):
    """Turns about a coordinate axis, (..., 3, 3)."""
    q = np.zeros((*np.shape(angle), 4))
    q[..., 0], q[..., 1 + axis] = np.cos(angle / 2), np.sin(angle / 2)
    return rotation(q)


def distance_deg(a, b):
    """Angles between rotations, exact for small ones: |a - b| = 2 sqrt(2) sin(theta / 2)."""
    chord = np.linalg.norm(a - b, axis=(-2, -1)) / (2.0 * np.sqrt(2.0))
    return np.degrees(2.0 * np.arcsin(np.minimum(1.0, chord)))


def skeleton(template):
    """Names of the segments, and the joints as (name, parent, child)."""
    subject = ET.fromstring(template).find(MVNX + "subject")
    names = [segment.get("label") for segment in subject.iter(MVNX + "segment")]
    joints = []
    for joint in subject.iter(MVNX + "joint"):
        parent, child = (names.index(joint.find(MVNX + end).text.split("/")[0]) for end in ("connector1", "connector2"))
        # the models keep version 3's name for the joint of the shoulder girdle
        joints.append((joint.get("label").replace("T4Shoulder", "C7Shoulder"), parent, child))
    return names, joints


def link_attitudes(template, states):
    """Attitudes of the model's 23 links, (frames, SEGMENTS, 3, 3), by forward kinematics of human66."""
    names, joints = skeleton(template)
    R = np.zeros((states["time_s"].size, SEGMENTS, 3, 3))
    R[:, names.index("Pelvis")] = rotation(np.stack([states[f"base_q{axis}"] for axis in "wxyz"], axis=-1))
    for joint, parent, child in joints:
        turns = [about(axis, states[f"{joint}_rot{name}_rad"]) for axis, name in enumerate("xyz")]
        R[:, child] = R[:, parent] @ turns[0] @ turns[1] @ turns[2]
    return R


def read_recording(path):
    """Of an MVNX: quaternions (frames, SEGMENTS, 4), origins of the pelvis (frames, 3) [m], names and joints."""
    text = path.read_text(encoding="utf-8")
    subject = ET.fromstring(text).find(MVNX + "subject")
    frames = [frame for frame in subject.iter(MVNX + "frame") if frame.get("type") == "normal"]
    q = np.array([np.fromstring(frame.find(MVNX + "orientation").text, sep=" ") for frame in frames])
    p = np.array([np.fromstring(frame.find(MVNX + "position").text, sep=" ")[:3] for frame in frames])
    return q.reshape(-1, SEGMENTS, 4), p, skeleton(text)


def limits_of_human48():
    """Limits of its joints by name [rad], from the table of docs/algorithms/human.md; the left mirrors x and z."""
    limits = {}
    for line in (PROJECT / "docs" / "algorithms" / "human.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip().replace("−", "-") for cell in line.strip("|").split("|")]
        if len(cells) != 5 or not re.fullmatch(r"j[A-Z]\w+", cells[0]):
            continue
        for axis, cell in zip("xyz", cells[2:]):
            if not cell:
                continue
            low, high = (np.radians(float(word)) for word in cell.split("…"))
            limits[f"{cells[0]}_rot{axis}"] = (low, high)
            if "Right" in cells[0]:
                left = cells[0].replace("Right", "Left")
                limits[f"{left}_rot{axis}"] = (low, high) if axis == "y" else (-high, -low)
    if len(limits) != 48:
        raise Missed(f"docs/algorithms/human.md lists {len(limits)} joints of human48")
    return limits
