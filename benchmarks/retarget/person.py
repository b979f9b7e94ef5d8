"""Reads a BVH clip as a person: places and attitudes of named joints in metres, z up, by our own forward kinematics."""

import dataclasses
import pathlib

import numpy as np
from motions import Unusable

# names of joints by family; {s}: Left or Right, {l}: its first letter
FAMILIES = {
    "LAFAN1": {
        "hips": "Hips", "chest": "Spine2", "head": "Head", "hip": "{s}UpLeg", "knee": "{s}Leg", "ankle": "{s}Foot",
        "toe": "{s}Toe", "shoulder": "{s}Arm", "elbow": "{s}ForeArm", "wrist": "{s}Hand",
    },
    "Reallusion CC": {
        "hips": "CC_Base_Pelvis", "chest": "CC_Base_Spine02", "head": "CC_Base_Head", "hip": "CC_Base_{l}_Thigh",
        "knee": "CC_Base_{l}_Calf", "ankle": "CC_Base_{l}_Foot", "toe": "CC_Base_{l}_ToeBase",
        "shoulder": "CC_Base_{l}_Upperarm", "elbow": "CC_Base_{l}_Forearm", "wrist": "CC_Base_{l}_Hand",
    },
}  # fmt: skip
FAMILIES["ToeBase"] = {**FAMILIES["LAFAN1"], "toe": "{s}ToeBase"}  # Mixamo without prefix, CMU's own
FAMILIES["CMU"] = {**FAMILIES["ToeBase"], "chest": "Spine1"}
SIDED = ("hip", "knee", "ankle", "toe", "shoulder", "elbow", "wrist")
SIDES = ("left", "right")
UNITS = (0.01, 1.0, 0.0254, 0.056444, 0.001)  # metres of one unit; CMU's own files count in inches / 0.45
LEG = (0.6, 1.15)  # thigh and shank of a person [m]


@dataclasses.dataclass
class Person:
    rate: float  # [Hz]
    at: dict  # joint, as left_knee: (n, 3) [m]
    turned: dict  # joint: (n, 3, 3), its axes in the world
    leg: float  # thigh and shank [m]
    family: str = "LAFAN1"  # whose names its joints have

    def __len__(self):
        return len(self.at["hips"])


def read_bvh(path):
    """Returns names, parents, offsets, channels by joint, the frames' numbers and the time of a frame."""
    words = pathlib.Path(path).read_text(encoding="utf-8", errors="replace").split()
    names, parents, offsets, channels, open_joints, i = [], [], [], [], [], 0
    while i < len(words) and words[i] != "MOTION":
        word = words[i]
        if word in ("ROOT", "JOINT", "End"):
            parent = next((j for j in reversed(open_joints) if j is not None), -1)
            if word == "End":
                open_joints.append(None)
            else:
                names.append(words[i + 1])
                parents.append(parent)
                offsets.append([0.0, 0.0, 0.0])
                channels.append([])
                open_joints.append(len(names) - 1)
            i += 2
        elif word == "OFFSET":
            if open_joints[-1] is not None:
                offsets[open_joints[-1]] = [float(number) for number in words[i + 1 : i + 4]]
            i += 4
        elif word == "CHANNELS":
            count = int(words[i + 1])
            channels[open_joints[-1]] = words[i + 2 : i + 2 + count]
            i += 2 + count
        else:
            if word == "}":
                open_joints.pop()
            i += 1
    frames, step = int(words[i + 2]), float(words[i + 5])
    width = sum(map(len, channels))
    numbers = np.array(words[i + 6 : i + 6 + frames * width], float).reshape(-1, width)
    return names, parents, np.array(offsets), channels, numbers, step


def about(axis, degrees):
    """Turns about a coordinate axis, (n, 3, 3)."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    R = np.zeros((len(c), 3, 3))
    j, k = (axis + 1) % 3, (axis + 2) % 3
    R[:, axis, axis] = 1
    R[:, j, j], R[:, j, k], R[:, k, j], R[:, k, k] = c, -s, s, c
    return R


def world(names, parents, offsets, channels, numbers):
    """Places (n, 3) and attitudes (n, 3, 3) of all joints, in the file's units and axes."""
    places, turns, column = [], [], 0
    for j, parent in enumerate(parents):
        here, R = np.tile(offsets[j], (len(numbers), 1)), np.tile(np.eye(3), (len(numbers), 1, 1))
        for channel in channels[j]:
            axis, value = "XYZ".index(channel[0]), numbers[:, column]
            if channel.endswith("position"):
                here[:, axis] = value
            else:
                R = R @ about(axis, value)
            column += 1
        if parent >= 0:
            here, R = places[parent] + np.einsum("nij,nj->ni", turns[parent], here), turns[parent] @ R
        places.append(here)
        turns.append(R)
    return dict(zip(names, places)), dict(zip(names, turns))


def family(names):
    """The family's name and its names of our joints, or None."""
    for title, table in FAMILIES.items():
        found = {}
        for joint, name in table.items():
            for side in SIDES if joint in SIDED else ("",):
                found[f"{side}_{joint}".strip("_")] = name.format(s=side.capitalize(), l=side[:1].upper())
        if set(found.values()) <= set(names):
            return title, found
    return None


def read(path):
    """Reads a clip; refuses skeletons whose names it does not know."""
    try:
        names, parents, offsets, channels, numbers, step = read_bvh(path)
        if len(numbers) < 3 or step <= 0:
            raise ValueError("fewer than 3 frames, or no frame time")
    except (OSError, ValueError, IndexError) as problem:
        raise Unusable(f"{path}: not a BVH clip that can be read ({problem})") from problem
    known = family(names)
    if known is None:
        raise Unusable(f"{path}: the judge knows the joint names of {', '.join(FAMILIES)} only")
    title, joints = known
    places, turns = world(names, parents, offsets, channels, numbers)
    at = {ours: places[name] for ours, name in joints.items()}
    turned = {ours: turns[name] for ours, name in joints.items()}
    leg = sum(np.median(np.linalg.norm(at[a] - at[b], axis=1)) for a, b in (("left_hip", "left_knee"), ("left_knee", "left_ankle")))
    unit = next((unit for unit in UNITS if LEG[0] <= unit * leg <= LEG[1]), None)
    if unit is None:
        raise Unusable(f"{path}: a leg of {leg:.3g} units is no person's in any of the units {UNITS} m")
    upward = np.median(at["head"] - (at["left_ankle"] + at["right_ankle"]) / 2, axis=0)
    A = np.eye(3) if np.argmax(np.abs(upward)) == 2 else np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
    return Person(1 / step, {k: unit * v @ A.T for k, v in at.items()}, {k: A @ R for k, R in turned.items()}, unit * leg, title)


def speed(x, rate):
    """Speed of a point, by central differences [m/s]."""
    return np.linalg.norm(np.gradient(x, axis=0), axis=1) * rate


def long_runs(mask, least):
    """The mask without runs shorter than `least` frames."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(int)))
    kept = np.zeros(len(mask), bool)
    for begin, end in zip(edges[::2], edges[1::2]):
        kept[begin:end] = end - begin >= least
    return kept


def rest_level(heights, speeds, size):
    """Height of a joint while its foot rests on the floor: the median of its slow, low frames."""
    slow = heights[speeds <= max(0.12 * size, np.percentile(speeds, 10))]
    low = slow[slow <= np.percentile(heights, 40)]
    return np.median(low) if len(low) else slow.min()


def stance(person):
    """Contact of balls and heels: slower than 0.2 m/s and within 25 or 30 mm of their level at rest, for 0.1 s.

    Speeds and heights are for a leg of 0.86 m, and scaled to the person's. A foot whose own level is far above the other's was
    held up through the clip: it has the other's level."""
    contact, size = {}, person.leg / 0.86
    for part, joint, tolerance in (("ball", "toe", 0.025), ("heel", "ankle", 0.030)):
        x = {side: person.at[f"{side}_{joint}"] for side in SIDES}
        v = {side: speed(x[side], person.rate) for side in SIDES}
        levels = {side: rest_level(x[side][:, 2], v[side], size) for side in SIDES}
        lowest = min(levels.values())
        for side in SIDES:
            level = lowest if levels[side] > lowest + 2 * tolerance * size else levels[side]
            on = (v[side] < 0.2 * size) & (x[side][:, 2] < level + tolerance * size)
            contact[side, part] = long_runs(on, max(2, round(0.1 * person.rate)))
    return contact


def cut(person, frames):
    """The first frames of it."""
    at, turned = ({k: v[:frames] for k, v in d.items()} for d in (person.at, person.turned))
    return dataclasses.replace(person, at=at, turned=turned)
