"""The right arm of models/chains at a whiteboard: bodies that are not quite the model's, ways of the pen, motion for a calibration.

All motion is a table of joint angles that `panto synthesize FILE.csv --imu` feels. Angles in radians, joints in the file's order.
"""

import tomllib

import numpy as np
from common import PROJECT, panto, read_table

CHAINS = PROJECT / "models/chains"
FIELD_HZ = 50.0  # rows a second of a motion's table; curves go through them
# centre of every joint at the board [deg], in the file's order
WORK = np.radians([0, 10, 0, 0, -5, -25, 45, 0, 70, 0, 0, -5])
# how willingly a joint takes part in drawing: trunk and shoulder girdle little
WILLING = np.array([0.2, 0.2, 0.3, 0.3, 0.3, 1, 1, 1, 1, 0.5, 0.5, 0.5])
SWAY, SWAY_HZ = 0.015, 0.4  # of the pelvis [m]
LENGTHS = {"upper_arm": "d", "forearm": "d"}  # of the body that are 1 to 2 cm off
TRUNK = {"thorax": "d"}
POSTURE = np.radians(3.0)  # by which a person does not stand as it is written, standard deviation of every joint
# hinges that move alone, and how far [deg]; the joints before them swing with them so that both sensors turn
HINGES = {
    "torso_lateral": 12, "torso_flexion": 12, "torso_rotation": 20, "clavicle_protraction": 12, "clavicle_depression": 12,
    "shoulder_adduction": 25, "shoulder_flexion": 25, "shoulder_rotation": 30, "elbow_flexion": 35, "forearm_supination": 40,
    "wrist_flexion": 35, "wrist_deviation": 14,
}  # fmt: skip
# joints between the same two sensors
GROUPS = [slice(0, 3), slice(3, 5), slice(5, 8), slice(8, 10), slice(10, 12)]
STILL, SPAN, PAUSE, FREE = 3.0, 8.0, 1.0, 24.0  # [s] of a calibration's parts
FASTEST = 0.75  # [Hz] of a hinge that moves alone


class Chain:
    """Forward kinematics of a classical DH chain from its file, all poses at once."""

    def __init__(self, path):
        self.file = tomllib.loads(path.read_text(encoding="utf-8"))
        self.joints = [link["joint"] for link in self.file["links"] if "joint" in link]

    def with_lengths(self, lengths):
        """The same with d or a of links set, as (link, key): metres."""
        other = object.__new__(Chain)
        links = [{**link, **{key: value for (name, key), value in lengths.items() if name == link["name"]}} for link in self.file["links"]]
        other.file, other.joints = {**self.file, "links": links}, self.joints
        return other

    def length(self, link, key):
        return next(each.get(key, 0.0) for each in self.file["links"] if each["name"] == link)

    def tip(self, q, link="pen"):
        """Where a link's frame is. (n x 3)"""
        frames = {self.file["root"]: np.tile(np.eye(4), (len(q), 1, 1))}
        for each in self.file["links"]:
            theta = np.full(len(q), np.radians(each.get("theta_deg", 0.0)))
            if "joint" in each:
                theta = theta + q[:, self.joints.index(each["joint"])]
            frames[each["name"]] = frames[each["parent"]] @ dh(theta, each.get("d", 0.0), each.get("a", 0.0), np.radians(each.get("alpha_deg", 0.0)))
        return frames[link][:, :3, 3]

    def text(self, swaying):
        """The file again; `swaying`: on a pelvis that slides to its left."""
        lines = [f'kind = "dh chain"\nversion = 1\nname = "body"\nconvention = "classical"\nbase = "fixed"\nroot = "{"ground" if swaying else self.file["root"]}"\nlinks = [']
        if swaying:
            lines.append('  { name = "beside", parent = "ground", type = "fixed", alpha_deg = -90 },')
            lines.append(f'  {{ name = "{self.file["root"]}", parent = "beside", joint = "sway", type = "prismatic", alpha_deg = 90 }},')
        for each in self.file["links"]:
            cells = (f'{key} = "{value}"' if isinstance(value, str) else f"{key} = {value}" for key, value in each.items() if key != "range_deg")
            lines.append(f"  {{ {', '.join(cells)} }},")
        return "\n".join([*lines, "]", ""])


def dh(theta, d, a, alpha):
    """(n x 4 x 4)"""
    H = np.zeros((len(theta), 4, 4))
    c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    H[:, 0, 0], H[:, 0, 1], H[:, 0, 2], H[:, 0, 3] = c, -s * ca, s * sa, a * c
    H[:, 1, 0], H[:, 1, 1], H[:, 1, 2], H[:, 1, 3] = s, c * ca, -c * sa, a * s
    H[:, 2, 1], H[:, 2, 2], H[:, 2, 3], H[:, 3, 3] = sa, ca, d, 1.0
    return H


def drawing(chain, way, q, link="pen", rounds=30):
    """Joint angles near `q` with which the tip follows `way` (n x 3), by Gauss and Newton on all rows at once."""
    for _ in range(rounds):
        p = chain.tip(q, link)
        J = np.stack([(chain.tip(q + 1e-6 * step, link) - p) / 1e-6 for step in np.eye(q.shape[1])], -1)
        JW = J * WILLING
        move = np.linalg.solve(JW @ np.swapaxes(J, 1, 2) + 1e-10 * np.eye(3), (way - p)[:, :, None])
        q = q + (np.swapaxes(JW, 1, 2) @ move)[:, :, 0]
    return q


class Person:
    """One draw of everything that is not as the files say; `seed` decides."""

    def __init__(self, seed, trunk=False):
        self.random = np.random.default_rng(seed)
        self.seed, self.model = seed, Chain(CHAINS / "right_arm.toml")
        off = {(link, key): self.random.choice([-1, 1]) * self.random.uniform(0.01, 0.02) for link, key in LENGTHS.items()}
        more = {at: self.random.choice([-1, 1]) * self.random.uniform(0.01, 0.02) for at in TRUNK.items()}
        off |= more if trunk else {}
        self.body = self.model.with_lengths({at: self.model.length(*at) + value for at, value in off.items()})
        self.posture = WORK + self.random.normal(0.0, POSTURE, len(WORK))
        self.sway_phase = self.random.uniform(0.0, 2.0 * np.pi)

    def sway(self, t):
        return SWAY * np.sin(2.0 * np.pi * SWAY_HZ * t + self.sway_phase)

    def draw(self, way_of, seconds, on_board=False):
        """Stamps, joint angles and the pen's way; way_of(t): from the way's middle (n x 3).

        The way is drawn relative to the pelvis, or, `on_board`, to a board that does not sway with it."""
        t = np.arange(0.0, seconds + 0.5 / FIELD_HZ, 1.0 / FIELD_HZ)
        q = np.tile(self.posture, (len(t), 1))
        way = self.body.tip(q) + way_of(t)
        from_pelvis = way - np.outer(self.sway(t), [0.0, float(on_board), 0.0])
        return t, drawing(self.body, from_pelvis, q), way

    def calibration(self):
        """Stamps, joint angles, and the parts: hinge -> (from, to), free -> (from, to)."""
        parts, begin = {}, STILL
        for hinge in HINGES:
            parts[hinge] = (begin, begin + SPAN)
            begin += SPAN + PAUSE
        parts["free"] = (begin, begin + FREE)
        t = np.arange(0.0, begin + FREE + PAUSE, 1.0 / FIELD_HZ)
        q = np.tile(self.posture, (len(t), 1))
        for hinge, reach in HINGES.items():
            window = envelope(t, *parts[hinge])
            own = self.model.joints.index(hinge)
            group = next(g for g in GROUPS if g.start <= own < g.stop)
            q[:, own] += window * np.radians(reach) * np.sin(2.0 * np.pi * FASTEST * (t - parts[hinge][0]))
            for j in range(group.start):
                q[:, j] += window * self.wander(t, 0.6 * np.radians(reach_of(self.model.joints[j])), 0.3, 0.7)
            for j in range(group.start, group.stop):  # neighbours do not keep quite still
                if j != own:
                    q[:, j] += window * self.wander(t, np.radians(2.0), 0.2, 0.5)
        window = envelope(t, *parts["free"])
        for j, joint in enumerate(self.model.joints):
            q[:, j] += window * self.wander(t, np.radians(reach_of(joint)), 0.4, 0.9)
        return t, q, parts

    def wander(self, t, reach, slowest, fastest):
        """Three sinusoids that together stay within `reach`."""
        f, phase = self.random.uniform(slowest, fastest, 3), self.random.uniform(0.0, 2.0 * np.pi, 3)
        return reach / 3.0 * np.sin(2.0 * np.pi * np.outer(t, f) + phase).sum(axis=1)

    def record(self, name, t, q, faults, folder):
        """NAME.csv: what the sensors of nominal.toml feel."""
        (folder / "body.toml").write_text(self.body.text(swaying=True), encoding="utf-8")
        names = ["sway_m", *(f"{joint}_rad" for joint in self.body.joints)]
        header = ",".join(["time_s", *(f"base_{axis}_m" for axis in "xyz"), *(f"base_q{axis}" for axis in "wxyz"), *names])
        base = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (len(t), 1))
        table = np.column_stack([t, base, self.sway(t), q])
        lines = [",".join(map(repr, row)) for row in table.tolist()]
        (folder / f"{name}_truth.csv").write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
        words = [word for fault in faults for word in ("--fault", fault)]
        panto("synthesize", f"{name}_truth.csv", "--model", "body.toml", "--sensors", "nominal.toml", "--imu", f"{name}.csv",
              "--rate", 100, "--seed", self.seed, *words, folder=folder)  # fmt: skip


def reach_of(joint):
    """How far a joint moves when everything does [deg]."""
    return HINGES.get(joint, 15)


def envelope(t, begin, end, soft=0.7):
    """From 0 to 1 and back, with soft ends."""
    rise = np.clip(np.minimum(t - begin, end - t) / soft, 0.0, 1.0)
    return 0.5 - 0.5 * np.cos(np.pi * rise)


def with_start(text, joints, q):
    """A file of sensors that begins at angles q."""
    head = text.partition("[start]")[0]
    angles = ", ".join(f"{joint} = {angle:.2f}" for joint, angle in zip(joints, np.degrees(q)))
    return f"{head}[start]\njoints_deg = {{ {angles} }}\nsigma_deg = 5\n"


def joint_angles(path, joints):
    """(t, (n x joints)) of a table."""
    table = read_table(path)
    return table["time_s"], np.stack([table[f"{joint}_rad"] for joint in joints], -1)


def plane_of(points):
    """Mean distance from the plane of least squares, and the widest and the narrowest extent in it."""
    off = points - points.mean(axis=0)
    axes = np.linalg.svd(off, full_matrices=False)[2]
    flat = off @ axes[:2].T
    directions = np.radians(np.arange(180.0))
    along = flat @ np.stack([np.cos(directions), np.sin(directions)])
    widths = along.max(axis=0) - along.min(axis=0)
    return np.abs(off @ axes[2]).mean(), widths.max(), widths.min()
