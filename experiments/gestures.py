"""What the experiments with gestures share: motions, the robot's links, a person's segments, and strips of both."""

import json
import pathlib
import sys
import xml.etree.ElementTree as ET

import numpy as np
from common import BLACK, BLUE, ORANGE, PROJECT, Page, data_folder, new_figure, panto, read_table, synthesize
from human import MVNX, rotation

sys.path.insert(0, str(PROJECT / "python"))
from reference.model import Model  # noqa: E402

PAGE = Page("gestures.md")
ROBOT, RATE = "olivia17", 80.0  # [Hz] of the paper's motion capture
# from rest to rest [s]
SYNTHETIC = {"wave": 6.0, "conduct": 8.0, "forearm_roll": 8.0, "overflex": 10.0, "singular": 12.0, "gesture": 10.0}
REAL = {"dancer": "mvnx/blender-mvnx-io_test_mocap.mvnx", "CMU 131_02": "bvh/cmu/131_02.bvh"}
FEET_OFF = ("--feet", "off")  # the robot has none


def seconds_of(name):
    """--duration of one round of a synthetic gesture, from rest to rest and the frame at its end [s]."""
    return SYNTHETIC[name] + 1 / RATE


def make_gesture(name, folder, *options):
    """One round of a synthetic gesture as a recording; its file name."""
    return synthesize(name, "--rate", RATE, "--duration", seconds_of(name), *options, folder=folder)


def real_clip(name):
    """Path of a real recording, or None where there is none, which is said aloud."""
    path = pathlib.Path(REAL[name])
    found = data_folder(path.parent)
    return found and found / path.name


def imitate(recording, *options, folder):
    """Card of `panto imitate`, and the longest of its gestures: its part of the card, its table."""
    card = json.loads(panto("imitate", recording, *options, "-o", "imitated.csv", "--json", folder=folder))
    part = max(card["gestures"], key=lambda gesture: gesture["last_s"] - gesture["first_s"])
    return card, part, read_table(pathlib.Path(folder) / part["written"][0])


def retarget(recording, *options, folder):
    """Card and table of `panto retarget` onto the robot."""
    words = (recording, "--robot", ROBOT, *FEET_OFF, *options, "-o", "followed.csv", "--json")
    return json.loads(panto("retarget", *words, folder=folder)), read_table(pathlib.Path(folder) / "followed.csv")


# --- where links and segments are ---


class Robot:
    """The robot's links by forward kinematics (python/reference), and what of them is drawn."""

    # parts as chains of links, drawn from origin to origin; a length [m] goes on along the last link's axis
    BONES = {
        "trunk": (("base", "torso"), (2, 0.42)), "head": (("head",), (2, 0.22)),
        "right": (("right_upper_arm", "right_forearm", "right_hand"), (0, 0.13)), "left": (("left_upper_arm", "left_forearm", "left_hand"), (0, 0.13)),
    }  # fmt: skip

    def __init__(self, folder):
        panto("convert", ROBOT, f"{ROBOT}.urdf", folder=folder)
        urdf = (pathlib.Path(folder) / f"{ROBOT}.urdf").read_text(encoding="utf-8")
        names = [joint.get("name") for joint in ET.fromstring(urdf).findall("joint") if joint.get("type") != "fixed"]
        self.model = Model(urdf, names)

    @property
    def joints(self):
        return self.model.order

    def angles(self, states):
        """(frames, joints) of a table."""
        return np.column_stack([states[f"{name}_rad"] for name in self.joints])

    def bones(self, s):
        """Polylines by part, in the base's frame [m]."""
        pose = self.model.pose(np.zeros(3), np.eye(3), s)
        lines = {}
        for part, (links, (axis, length)) in self.BONES.items():
            points = [pose.p[link] for link in links]
            lines[part] = np.array([*points, points[-1] + length * pose.R[links[-1]][:, axis]])
        lines["shoulders"] = np.array([lines["right"][0], lines["left"][0]])
        lines["pedestal"] = np.array([pose.p["base"], [0.0, 0.0, -0.42]])
        return lines


class Person:
    """The segments of an MVNX over time, as the pelvis sees them."""

    BONES = {
        "trunk": ("Pelvis", "L5", "L3", "T12", "T8", "Neck"), "shoulders": ("RightUpperArm", "T8", "LeftUpperArm"),
        "right": ("RightUpperArm", "RightForeArm", "RightHand"), "left": ("LeftUpperArm", "LeftForeArm", "LeftHand"),
        "right leg": ("RightUpperLeg", "RightLowerLeg"), "left leg": ("LeftUpperLeg", "LeftLowerLeg"), "head": ("Head",),
    }  # fmt: skip
    HAND, HEAD = 0.16, 0.22  # [m] that are drawn beyond the last origin

    def __init__(self, path):
        subject = ET.parse(path).getroot().find(MVNX + "subject")
        self.names = [segment.get("label") for segment in subject.iter(MVNX + "segment")]
        frames = [frame for frame in subject.iter(MVNX + "frame") if frame.get("type") == "normal"]
        self.t = np.arange(len(frames)) / float(subject.get("frameRate"))

        def numbers(kind, size):
            values = [np.array(frame.find(MVNX + kind).text.split(), dtype=float) for frame in frames]
            return np.array(values).reshape(len(frames), len(self.names), size)

        R, p = rotation(numbers("orientation", 4)), numbers("position", 3)
        pelvis = self.names.index("Pelvis")
        back = np.swapaxes(R[:, pelvis], -1, -2)
        self.R = back[:, None] @ R
        self.p = np.einsum("fij,fkj->fki", back, p - p[:, pelvis : pelvis + 1])

    def bones(self, t):
        """Polylines by part, in the pelvis' frame [m]."""
        k = int(np.argmin(np.abs(self.t - t)))
        lines = {part: np.array([self.p[k, self.names.index(name)] for name in names]) for part, names in self.BONES.items()}
        for part, (axis, length) in {"right": (1, -self.HAND), "left": (1, self.HAND), "head": (2, self.HEAD)}.items():
            along = length * self.R[k, self.names.index(self.BONES[part][-1])][:, axis]
            lines[part] = np.vstack([lines[part], lines[part][-1] + along])
        return lines


def person_of(recording, folder):
    """A recording of any kind as a Person."""
    path = pathlib.Path(folder) / recording
    if path.suffix != ".mvnx":
        panto("convert", path, "person.mvnx", folder=folder)
        path = pathlib.Path(folder) / "person.mvnx"
    return Person(path)


# --- strips ---

COLOURS = {"right": BLUE, "left": ORANGE, "right leg": "#c8c8c8", "left leg": "#c8c8c8", "pedestal": "#c8c8c8"}
VIEW = np.radians(-25.0)  # of the camera, from straight ahead to the right of who is looked at


def draw_figure(axes, bones):
    """Polylines in metres seen from ahead and a little to the side, what is nearer on top."""
    c, s = np.cos(VIEW), np.sin(VIEW)
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    for part, points in bones.items():
        seen = points @ turn.T
        colour, near = COLOURS.get(part, "#707070"), 2 + seen[:, 0].mean()
        style = {"lw": 3.2 if part in ("right", "left") else 2.4, "solid_capstyle": "round", "solid_joinstyle": "round", "clip_on": False}
        if part == "head":  # a disc on its neck
            axes.plot(*np.array([seen[0], seen.mean(axis=0)])[:, 1:].T, color=colour, zorder=near, **style)
            axes.plot(*seen.mean(axis=0)[1:], "o", ms=11, mfc="white", mec=colour, mew=2.2, zorder=near)
            continue
        axes.plot(seen[:, 1], seen[:, 2], color=colour, zorder=near, **style)
        if part in ("right", "left"):
            axes.plot(seen[:-1, 1], seen[:-1, 2], "o", color="white", mec=colour, ms=3.4, mew=1.0, zorder=near + 0.01)
    axes.set(xlim=(-0.68, 0.55), ylim=(-0.42, 0.95), aspect="equal")
    axes.axis("off")


def draw_strip(name, title, person, robot, part, states, count=8):
    """The person above the robot at `count` instants of a gesture, evenly in the robot's time."""
    figure, panels = new_figure(2, count, figsize=(9.6, 3.3))
    recorded, s = np.array(part["motion"]["scaling"]["recorded_s"]), robot.angles(states)
    for axes, k in zip(panels.T, np.linspace(0, len(s) - 1, count).round().astype(int)):
        draw_figure(axes[0], person.bones(recorded[k]))
        draw_figure(axes[1], robot.bones(s[k]))
        axes[0].set_title(f"{recorded[k]:.2f} s", fontsize=8, color=BLACK)
        axes[1].set_title(f"{states['time_s'][k]:.2f} s", fontsize=8, color=BLACK)
    figure.suptitle(f"{title}: the person, and below the robot at its own time; blue: right arm, orange: left", fontsize=9.5)
    PAGE.save(figure, name)
