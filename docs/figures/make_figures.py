"""Draws the figures of the documents from what the command `panto` puts out.

    python docs/figures/make_figures.py PANTO      PANTO: the built command; needs matplotlib

The same output gives the same bytes, so that a figure only changes with what it shows.
"""
import csv
import math
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
BONE, JOINT, TEXT = "#5b7a99", "#b5462f", "#333333"
MVNX = "{http://www.xsens.com/mvn/mvnx}"

# Published means of walking at free speed [deg] at 0, 10, ..., 90 % of the stride, as in tests/synthesis/gait_test.cpp:
# M. Schwartz, A. Rozumalski, J. Trost, J. Biomechanics 41 (2008) 1639-1650. The published hip is measured from a pelvis
# that tilts by 11.5 deg, ours pitches by 4.
PUBLISHED = {
    "hip": (35.8, 32.8, 22.5, 11.4, 1.6, -5.3, -0.9, 17.9, 32.0, 36.7),
    "knee": (5.6, 18.6, 16.5, 10.1, 6.2, 11.6, 33.9, 58.2, 49.8, 18.7),
    "ankle": (-2.1, -2.1, 5.2, 8.6, 11.1, 10.4, -13.8, -11.2, 1.1, 1.0),
}
HIP_TILT = 11.5 - 4.0
STRIDE = 1.0 / 0.9  # [s]


def synthesize(panto, motion, extension, *options):
    """Runs `panto synthesize` and returns the text of the file."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / f"{motion}{extension}"
        subprocess.run([panto, "synthesize", motion, *options, "-o", str(path)], check=True, stdout=subprocess.DEVNULL)
        return path.read_text(encoding="utf-8")


def save(figure, name):
    figure.savefig(HERE / name, metadata={"Date": None, "Creator": None})
    plt.close(figure)


def t_pose(panto):
    """Segments with their origins [m], and joints (label, parent, child), of a standing human."""
    subject = ET.fromstring(synthesize(panto, "tpose", ".mvnx", "--duration", "0.1")).find(MVNX + "subject")
    names = [segment.get("label") for segment in subject.iter(MVNX + "segment")]
    (frame,) = [f for f in subject.iter(MVNX + "frame") if f.get("type") == "tpose"]
    numbers = [float(word) for word in frame.find(MVNX + "position").text.split()]
    origins = {name: numbers[3 * i : 3 * i + 3] for i, name in enumerate(names)}
    joints = []
    for joint in subject.iter(MVNX + "joint"):
        parent, child = (joint.find(MVNX + end).text.split("/")[0] for end in ("connector1", "connector2"))
        # the models keep version 3's name for the joint of the shoulder girdle
        joints.append((joint.get("label").replace("T4Shoulder", "C7Shoulder"), parent, child))
    return origins, joints


# where a name stands: offset in points and alignment. Front view: the person's right is on the left
FRONT_JOINTS = {
    "jL5S1": (10, -3, "left"), "jL4L3": (10, -3, "left"), "jL1T12": (10, -3, "left"), "jT9T8": (10, -3, "left"),
    "jT1C7": (10, 1, "left"), "jC1Head": (10, -2, "left"),
    "jRightC7Shoulder": (-30, 44, "right"), "jRightShoulder": (0, 12, "center"), "jRightElbow": (0, 12, "center"),
    "jRightWrist": (0, 12, "center"), "jRightHip": (-10, -3, "right"), "jRightKnee": (-10, -3, "right"),
    "jRightAnkle": (-10, 0, "right"), "jRightBallFoot": (-10, -8, "right"),
}  # fmt: skip
FRONT_SEGMENTS = {
    "RightUpperArm": (0, -13, "center"), "RightForeArm": (0, -13, "center"), "RightHand": (4, -14, "right"),
    "LeftUpperArm": (0, -13, "center"), "LeftForeArm": (0, -13, "center"), "LeftHand": (-4, -14, "left"),
    "RightUpperLeg": (-8, 0, "right"), "RightLowerLeg": (-8, 0, "right"), "LeftUpperLeg": (8, 0, "left"),
    "LeftLowerLeg": (8, 0, "left"), "LeftShoulder": (26, 44, "left"),
}  # fmt: skip
SIDE_SEGMENTS = {
    "Pelvis": (10, -3, "left"), "L5": (10, -3, "left"), "L3": (10, -3, "left"), "T12": (10, -3, "left"),
    "T8": (10, -3, "left"), "Neck": (10, -3, "left"), "Head": (10, -3, "left"),
    "LowerLeg": (10, -3, "left"), "Foot": (-10, 2, "right"), "Toe": (6, 8, "left"),
}  # fmt: skip


def label(axes, text, x, z, place, colour):
    dx, dz, align = place
    far = math.hypot(dx, dz) > 40
    arrow = {"arrowstyle": "-", "color": colour, "lw": 0.5, "shrinkA": 0, "shrinkB": 2} if far else None
    axes.annotate(
        text, (x, z), (dx, dz), textcoords="offset points", ha=align, va="center" if far else "baseline",
        fontsize=7.5, color=colour, arrowprops=arrow,
    )  # fmt: skip


# ends that a recording of a model does not have: an average adult's of 1.75 m [m]
ENDS = {"Head": (0, 0, 0.181), "RightHand": (0, -0.189, 0), "LeftHand": (0, 0.189, 0), "RightToe": (0.063, 0, 0), "LeftToe": (0.063, 0, 0)}
# of human_frames.svg and human_pairs.svg, by the end of the name
OBLIQUE_LABELS = {"Arm": (0, -17, "center"), "Hand": (0, -17, "center"), "Elbow": (0, -14, "center"), "Wrist": (0, -14, "center")}
FAR_LABELS = {
    "RightShoulder": (-60, 62, "center"), "LeftShoulder": (64, 52, "center"),
    "Pelvis": (3, -17, "left"), "RightUpperArm": (-14, -17, "center"), "jRightC7Shoulder": (-100, 44, "center"),
    "jLeftC7Shoulder": (64, 44, "center"),
    "jRightShoulder": (-10, -14, "center"), "jLeftShoulder": (0, -14, "center"),
}  # fmt: skip


def draw_t_pose(panto):
    origins, joints = t_pose(panto)
    figure, (front, side) = plt.subplots(1, 2, figsize=(9.6, 6.9), width_ratios=(2.0, 0.85), sharey=True)
    for axes, across, sign, title in ((front, 1, 1, "from the front"), (side, 0, 1, "from the right")):

        def at(point, across=across, sign=sign):
            return sign * point[across], point[2]

        for _, parent, child in joints:
            (x0, z0), (x1, z1) = at(origins[parent]), at(origins[child])
            axes.plot((x0, x1), (z0, z1), color=BONE, lw=2.6, solid_capstyle="round", zorder=1)
        for name, end in ENDS.items():
            tip = [a + b for a, b in zip(origins[name], end)]
            (x0, z0), (x1, z1) = at(origins[name]), at(tip)
            axes.plot((x0, x1), (z0, z1), color=BONE, lw=2.6, alpha=0.45, solid_capstyle="round", zorder=1)
        for _, _, child in joints:
            axes.plot(*at(origins[child]), "o", color=JOINT, ms=4.2, zorder=2)
        axes.plot(*at(origins["Pelvis"]), "s", color=TEXT, ms=5, zorder=3)
        axes.axhline(0.0, color="#cccccc", lw=0.8, zorder=0)
        axes.set_aspect("equal")
        axes.set_title(title, fontsize=9, color=TEXT)
        axes.set_axis_off()

    for name, _, child in joints:
        if name in FRONT_JOINTS:
            label(front, name, origins[child][1], origins[child][2], FRONT_JOINTS[name], JOINT)
    children = {parent: child for _, parent, child in joints}
    for name, place in FRONT_SEGMENTS.items():
        tip = origins[children[name]] if name in children else [a + b for a, b in zip(origins[name], ENDS[name])]
        middle = [0.5 * (a + b) for a, b in zip(origins[name], tip)]
        label(front, name, middle[1], middle[2], place, TEXT)
    label(front, "Pelvis", 0, origins["Pelvis"][2], (0, -15, "center"), TEXT)
    for name, place in SIDE_SEGMENTS.items():
        key = name if name in origins else "Right" + name
        label(side, name, origins[key][0], origins[key][2], place, TEXT)
    label(side, "UpperLeg", 0, 0.5 * (origins["RightUpperLeg"][2] + origins["RightLowerLeg"][2]), (10, -3, "left"), TEXT)

    # front: y to the left of the person is drawn to the right of the page
    front.set_xlim(-1.0, 1.0)
    side.set_xlim(-0.35, 0.5)
    front.set_ylim(-0.08, 1.82)
    for axes, x, name in ((front, 0.72, "y"), (side, 0.28, "x")):
        axes.annotate("", (x + 0.16, 0.12), (x, 0.12), arrowprops={"arrowstyle": "->", "color": TEXT, "lw": 1})
        axes.annotate("", (x, 0.28), (x, 0.12), arrowprops={"arrowstyle": "->", "color": TEXT, "lw": 1})
        axes.text(x + 0.17, 0.12, name, fontsize=8, va="center", color=TEXT)
        axes.text(x, 0.29, "z", fontsize=8, ha="center", color=TEXT)
    figure.tight_layout()
    save(figure, "human_t_pose.svg")


# unit vectors of the world on the page, seen from the front and a little from above and the person's left
OBLIQUE = {"x": (-0.34, -0.30), "y": (0.94, -0.11), "z": (0.0, 1.0)}
AXES = {"x": "#d55e00", "y": "#009e73", "z": "#0072b2"}  # told apart by the colour-blind too


def on_page(point):
    return tuple(sum(value * OBLIQUE[axis][k] for axis, value in zip("xyz", point)) for k in (0, 1))


def draw_frame(axes, at, length):
    """A frame that is turned as the world is, as all are in the T-pose."""
    for name, colour in AXES.items():
        tip = [at[k] + length * OBLIQUE[name][k] for k in (0, 1)]
        axes.annotate("", tip, at, arrowprops={"arrowstyle": "-|>", "mutation_scale": 5, "color": colour, "lw": 1.1, "shrinkA": 0, "shrinkB": 0})


def far_ends(origins, joints):
    """Far ends of the segments [m]: where the only child begins, half way between several, an average adult's ends."""
    ends = {name: [a + b for a, b in zip(origins[name], end)] for name, end in ENDS.items()}
    for name in origins:
        starts = [origins[child] for _, parent, child in joints if parent == name]
        if starts:
            ends[name] = [sum(values) / len(starts) for values in zip(*starts)]
    return ends


def label_on_page(axes, name, at, colour):
    ends = [place for end, place in OBLIQUE_LABELS.items() if name.endswith(end)]
    aside = (-9, 3, "right") if "Left" not in name else (10, 4, "left")
    label(axes, name, *at, FAR_LABELS.get(name) or (ends or [aside])[0], colour)


def bare(axes, low, high):
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])


def draw_frames(panto):
    """The 23 frames, one at every segment's origin."""
    origins, joints = t_pose(panto)
    figure, axes = plt.subplots(figsize=(8.0, 7.2), layout="constrained")
    for _, parent, child in joints:
        axes.plot(*zip(on_page(origins[parent]), on_page(origins[child])), color=BONE, lw=2.2, alpha=0.55, solid_capstyle="round", zorder=1)
    for name, end in ENDS.items():
        tip = [a + b for a, b in zip(origins[name], end)]
        axes.plot(*zip(on_page(origins[name]), on_page(tip)), color=BONE, lw=2.2, alpha=0.3, solid_capstyle="round", zorder=1)
    for name, origin in origins.items():
        at = on_page(origin)
        draw_frame(axes, at, 0.085)
        label_on_page(axes, name, at, TEXT)
    legend = (-0.82, 0.25)
    draw_frame(axes, legend, 0.16)
    for name, colour in AXES.items():
        axes.text(*[legend[k] + 0.2 * OBLIQUE[name][k] for k in (0, 1)], name, color=colour, fontsize=9, ha="center", va="center")
    bare(axes, (-1.0, -0.17), (1.0, 1.72))
    save(figure, "human_frames.svg")
    return len(origins)


def draw_pairs(panto):
    """The 22 pairs of parent and child, pulled apart: every joint with the two segments that it joins."""
    origins, joints = t_pose(panto)
    ends = far_ends(origins, joints)
    middle, apart = origins["T8"], 2.3
    figure, axes = plt.subplots(figsize=(8.0, 7.2), layout="constrained")
    for name, parent, child in joints:
        centre = [m + apart * (c - m) for m, c in zip(middle, origins[child])]
        to_page = [on_page([c + p - o for c, p, o in zip(centre, point, origins[child])]) for point in (origins[parent], origins[child], ends[child])]
        axes.plot(*zip(*to_page[:2]), color="#999999", lw=3, solid_capstyle="round", zorder=1)
        axes.plot(*zip(*to_page[1:]), color=BONE, lw=3, solid_capstyle="round", zorder=2)
        axes.plot(*to_page[1], "o", color=JOINT, ms=4.5, zorder=3)
        label_on_page(axes, name, to_page[1], JOINT)
    for x, colour, text in ((-1.9, "#999999", "parent"), (-1.3, BONE, "child")):
        axes.plot((x, x + 0.16), (-1.65, -1.65), color=colour, lw=3, solid_capstyle="round")
        axes.text(x + 0.22, -1.65, text, fontsize=8, va="center", color=TEXT)
    bare(axes, (-2.1, -2.1), (2.1, 2.2))
    save(figure, "human_pairs.svg")
    return len(joints)


def draw_walk(panto):
    rows = list(csv.DictReader(synthesize(panto, "walk", ".csv", "--duration", "2", "--rate", "200").splitlines()))
    rows = [row for row in rows if float(row["time_s"]) <= STRIDE]
    share = [100.0 * float(row["time_s"]) / STRIDE for row in rows]
    curves = {
        "hip": [-math.degrees(float(row["jRightHip_roty_rad"])) + HIP_TILT for row in rows],
        "knee": [math.degrees(float(row["jRightKnee_roty_rad"])) for row in rows],
        "ankle": [-math.degrees(float(row["jRightAnkle_roty_rad"])) for row in rows],
    }
    upwards = {"hip": "flexion", "knee": "flexion", "ankle": "dorsiflexion"}

    figure, panels = plt.subplots(1, 3, figsize=(9.6, 3.2))
    for axes, (joint, degrees) in zip(panels, curves.items()):
        axes.plot(share, degrees, color=BONE, lw=1.8, label="synthetic walk")
        axes.plot(range(0, 100, 10), PUBLISHED[joint], "o", color=JOINT, ms=4, clip_on=False, label="published means")
        axes.axvline(62, color="#999999", lw=0.8, ls=":")
        axes.axhline(0, color="#dddddd", lw=0.8, zorder=0)
        axes.set_title(f"right {joint}, {upwards[joint]} [deg]", fontsize=9, color=TEXT)
        axes.set_xlabel("stride from foot strike [%]", fontsize=8)
        axes.set_xlim(0, 100)
        axes.tick_params(labelsize=8)
        for edge in ("top", "right"):
            axes.spines[edge].set_visible(False)
    panels[0].text(61, panels[0].get_ylim()[1], "toe off ", fontsize=7, color="#777777", ha="right", va="top")
    panels[1].legend(fontsize=7.5, frameon=False, loc="upper left")
    figure.tight_layout()
    save(figure, "walk_angles.svg")
    for joint, degrees in curves.items():
        worst = max(
            abs(degrees[min(range(len(share)), key=lambda k: abs(share[k] - 10 * i))] - PUBLISHED[joint][i])
            for i in range(10)
        )
        print(f"{joint}: at most {worst:.1f} deg from the published means")


def use_style():
    plt.rcParams["svg.hashsalt"] = "panto"
    plt.rcParams["svg.fonttype"] = "none"
    plt.rcParams["font.family"] = "sans-serif"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    use_style()
    command = str(pathlib.Path(sys.argv[1]).resolve())
    draw_t_pose(command)
    draw_frames(command)
    draw_pairs(command)
    draw_walk(command)
