"""Draws the picture of the README: a walking person, the human model and a robot at three moments.

    python examples/make_picture.py PANTO [OUT.svg]     PANTO: the built command; needs NumPy

Positions come from what the command writes: points of the recording, and joint angles put through the URDF of each
model. The same output gives the same bytes.
"""
import csv
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

import numpy as np

PROJECT = pathlib.Path(__file__).resolve().parents[1]
CLIP = PROJECT / "examples" / "data" / "walk.bvh"
FIGURE = PROJECT / "docs" / "figures" / "walk.svg"
MOMENTS = (1.60, 1.97, 2.34)  # [s]: about a third of a stride apart
PIXELS = 172  # per metre
APART = 0.84  # [m] between moments on the page
PANEL, HEIGHT, GROUND = 460, 400, 356  # [px]
# unit vectors of the world on the page: seen from the person's right and a little from the front and above
VIEW = np.array([[0.88, 0.07], [0.46, -0.13], [0.0, -1.0]])
RIGHT, LEFT, MIDDLE = "#c1552f", "#2d6fa3", "#5f6b76"


# ---- forward kinematics of a URDF


def rotation(axis, angle):
    """The rotation about a unit axis, by Rodrigues' formula."""
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def quaternion_rotation(w, x, y, z):
    angle = 2 * np.arctan2(np.linalg.norm((x, y, z)), w)
    return rotation(np.array((x, y, z)) / max(np.linalg.norm((x, y, z)), 1e-12), angle)


def roll_pitch_yaw(r, p, y):
    return rotation((0, 0, 1), y) @ rotation((0, 1, 0), p) @ rotation((1, 0, 0), r)


def numbers(text):
    return np.array([float(word) for word in text.split()])


def read_joints(urdf):
    """Joints of a URDF, parents before children: (name, parent, child, offset, turn, axis)."""
    joints = []
    for joint in ET.parse(urdf).getroot().iter("joint"):
        origin, axis = joint.find("origin"), joint.find("axis")
        origin = {} if origin is None else origin.attrib
        joints.append(
            (
                joint.get("name"), joint.find("parent").get("link"), joint.find("child").get("link"),
                numbers(origin.get("xyz", "0 0 0")), roll_pitch_yaw(*numbers(origin.get("rpy", "0 0 0"))),
                None if axis is None else numbers(axis.get("xyz")),
            )
        )  # fmt: skip
    children = {joint[2] for joint in joints}
    known, ordered = {joint[1] for joint in joints} - children, []
    while len(ordered) < len(joints):
        ready = [joint for joint in joints if joint[1] in known and joint[2] not in known]
        known |= {joint[2] for joint in ready}
        ordered += ready
    return ordered


def link_frames(joints, row):
    """Position and orientation of every link for one row of a table of joint angles."""
    base = [float(row[f"base_{name}"]) for name in ("x_m", "y_m", "z_m", "qw", "qx", "qy", "qz")]
    frames = {joints[0][1]: (np.array(base[:3]), quaternion_rotation(*base[3:]))}
    for name, parent, child, offset, turn, axis in joints:
        p, R = frames[parent]
        frame = R @ turn
        if f"{name}_rad" in row:
            frame = frame @ rotation(axis / np.linalg.norm(axis), float(row[f"{name}_rad"]))
        frames[child] = (p + R @ offset, frame)
    return frames


# ---- stick figures: lists of (colour, width, points)

HUMAN = {
    RIGHT: (("Pelvis", "RightUpperLeg", "RightLowerLeg", "RightFoot", "RightToe"), ("T8", "RightShoulder", "RightUpperArm", "RightForeArm", "RightHand")),
    LEFT: (("Pelvis", "LeftUpperLeg", "LeftLowerLeg", "LeftFoot", "LeftToe"), ("T8", "LeftShoulder", "LeftUpperArm", "LeftForeArm", "LeftHand")),
    MIDDLE: (("Pelvis", "L5", "L3", "T12", "T8", "Neck", "Head"),),
}
HEAD_UP = 0.09  # [m] from the joint of the head to its middle


def human_figure(frames):
    """Chains of a human's segments, and the middle of the head."""
    chains = [(colour, [frames[name][0] for name in chain]) for colour, chains in HUMAN.items() for chain in chains]
    p, R = frames["Head"]
    return chains, p + R @ (0, 0, HEAD_UP)


def robot_chain(side, limb):
    steps = ("hip_pitch", "hip_roll", "hip_yaw", "knee", "ankle_pitch", "ankle_roll")
    if limb == "arm":
        steps = ("shoulder_pitch", "shoulder_roll", "shoulder_yaw", "elbow", "wrist_roll", "wrist_pitch", "wrist_yaw")
    return [f"{side}_{step}_link" for step in steps]


def robot_figure(frames):
    """Chains of the G1's links with its feet and hands (sizes by eye), and the middle of the head."""

    def at(link, *offset):
        p, R = frames[link]
        return p + R @ offset

    chains = []
    for side, colour in (("right", RIGHT), ("left", LEFT)):
        foot = f"{side}_ankle_roll_link"
        leg = [at(link, 0, 0, 0) for link in ["pelvis", *robot_chain(side, "leg")]]
        arm = [at(link, 0, 0, 0) for link in robot_chain(side, "arm")]
        chains += [
            (colour, leg),
            (colour, [at(foot, -0.05, 0, -0.03), at(foot, 0, 0, 0), at(foot, 0.12, 0, -0.03), at(foot, -0.05, 0, -0.03)]),
            (colour, [at("torso_link", 0, 0, 0.24), *arm, at(f"{side}_rubber_hand", 0.08, 0, 0)]),
        ]
    chains.append((MIDDLE, [at("pelvis", 0, 0, 0), at("torso_link", 0, 0, 0), at("torso_link", 0, 0, 0.24), at("head_link", 0, 0, 0.40)]))
    return chains, at("head_link", 0, 0, 0.46)


# ---- the page


def draw_panel(left, title, what, figures, style):
    """One panel: three moments of one body, from left to right."""
    lines = [
        f'<text class="title" x="{left + PANEL / 2:.0f}" y="26">{title}</text>',
        f'<text class="what" x="{left + PANEL / 2:.0f}" y="44">{what}</text>',
    ]
    for k, (origin, (chains, head)) in enumerate(figures):
        middle = np.array((left + PANEL / 2 + (k - 1) * APART * PIXELS, GROUND))

        def page(point, origin=origin, middle=middle):
            x, y = (np.asarray(point) - (origin[0], origin[1], 0)) @ VIEW * PIXELS + middle
            return f"{x:.1f} {y:.1f}"

        x, _ = page((origin[0], origin[1], 0)).split()
        lines.append(f'<ellipse class="shade" cx="{x}" cy="{GROUND}" rx="58" ry="12"/>')
        # what is farther from the viewer first: the left side, the trunk, the right side
        order = {LEFT: 0, MIDDLE: 1, RIGHT: 2}
        for colour, chain in sorted(chains, key=lambda chain: order[chain[0]]):
            points = [page(point) for point in chain]
            lines.append(f'<polyline points="{" ".join(points)}" stroke="{colour}" stroke-width="{style["width"]}"/>')
            if style["dots"]:
                lines += [f'<circle cx="{x}" cy="{y}" r="{style["dots"]}" fill="{style["fill"] or colour}" stroke="{colour}"/>' for x, y in (p.split() for p in points)]
        x, y = page(head).split()
        lines.append(f'<circle class="head" cx="{x}" cy="{y}" r="{style["head"]}" stroke-width="{style["width"]}"/>')
    return lines


def rows_at(path, moments):
    rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    return [min(rows, key=lambda row: abs(float(row["time_s"]) - moment)) for moment in moments]


def make(panto):
    """The figures of the three bodies: {name: [(place on the floor, (chains, head))]}."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def run(*arguments):
            subprocess.run([panto, *map(str, arguments)], cwd=folder, check=True, capture_output=True)

        run("convert", CLIP, "points.npz", "--as", "keypoints")
        run("convert", "human66", "human66.urdf")
        run("convert", "unitree_g1", "g1.urdf")
        run("track", CLIP, "--model", "human66", "-o", "human66.csv")
        run("retarget", CLIP, "--robot", "unitree_g1", "-o", "g1.csv")

        points = np.load(folder / "points.npz")
        person = []
        for moment in MOMENTS:
            k = int(np.argmin(abs(points["times"] - moment)))
            places, turns = points["keypoints"][k], points["orientations"][k]
            person.append({str(n): (p, quaternion_rotation(*q)) for n, p, q in zip(points["names"], places, turns)})
        human, robot = (
            [link_frames(read_joints(folder / f"{model}.urdf"), row) for row in rows_at(folder / f"{model}.csv", MOMENTS)]
            for model in ("human66", "g1")
        )
    return {
        "person": [(frames["Pelvis"][0], human_figure(frames)) for frames in person],
        "human66": [(frames["Pelvis"][0], human_figure(frames)) for frames in human],
        "g1": [(frames["pelvis"][0], robot_figure(frames)) for frames in robot],
    }


def draw(bodies):
    width = 3 * PANEL
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}" font-family="sans-serif" text-anchor="middle">',
        "<title>A walk: the person, human66 and a Unitree G1 at the same three moments</title>",
        "<!-- made by examples/make_picture.py -->",
        "<style>polyline{fill:none;stroke-linecap:round;stroke-linejoin:round}.title{font-size:19px;font-weight:600;fill:#1d2b3a}"
        ".what{font-size:14px;fill:#4c5b6b}.shade{fill:#e4e8ec}.head{fill:#fff;stroke:#5f6b76}</style>",
        f'<rect width="{width}" height="{HEIGHT}" fill="#fff"/>',
    ]
    panels = (
        ("person", "the recording", "walk.bvh, 23 segments", {"width": 1.6, "dots": 3.4, "fill": "#fff", "head": 13}),
        ("human66", "human66", "66 joint angles", {"width": 5, "dots": 0, "fill": "", "head": 13}),
        ("g1", "Unitree G1", "29 joint angles, within limits, feet planted", {"width": 7, "dots": 1.6, "fill": "#fff", "head": 10}),
    )
    for i, (name, title, what, style) in enumerate(panels):
        lines += draw_panel(i * PANEL, title, what, bodies[name], style)
    times = ", ".join(f"{moment - MOMENTS[0]:.2f}" for moment in MOMENTS)
    lines.append(f'<text class="what" x="{width / 2:.0f}" y="{HEIGHT - 8}">the same moments: {times} s; right side red, left side blue</text>')
    return "\n".join([*lines, "</svg>", ""])


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    figure = pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else FIGURE
    figure.write_text(draw(make(str(pathlib.Path(sys.argv[1]).resolve()))), encoding="utf-8")
    print(f"wrote {figure}")
