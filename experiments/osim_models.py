"""Models that `panto convert` writes for OpenSim, opened by OpenSim: every link's pose on random poses and on a tracked clip.

Needs `pip install opensim` (Python 3.11; 72 MB, so that no test asks for it): PANTO_COMMAND=... python experiments/osim_models.py
The second witness is forward kinematics in NumPy of the URDF that Panto writes of the same model.
"""

import pathlib
import sys
import tempfile
import xml.etree.ElementTree as xml

import numpy as np
from common import Missed, data_folder, panto, read_table

MODELS, CLIP, POSES = ("human66", "human48", "unitree_g1"), "005_02.bvh", 100
BOUND = 1e-4  # [m] and, of entries of rotations, [rad]
R_OW = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])  # our x forward, y left, z up to X forward, Y up, Z right


def turn(axis, angle):
    """Rodrigues' rotation."""
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def numbers(text):
    return np.array([float(word) for word in text.split()])


class Urdf:
    """Joints of a URDF, and the poses of its links."""

    def __init__(self, path):
        root = xml.parse(path).getroot()
        self.joints = [(j.get("name"), j.get("type"), j.find("parent").get("link"), j.find("child").get("link"),
                        j.find("origin"), j.find("axis"), j.find("limit")) for j in root.findall("joint")]  # fmt: skip
        children = {j[3] for j in self.joints}
        self.root = next(link.get("name") for link in root.findall("link") if link.get("name") not in children)

    def poses(self, base, values):
        """Rotation and origin of every link in the world, for the base's and the joints' values."""
        found, waiting = {self.root: base}, list(self.joints)
        while waiting:
            name, kind, parent, child, origin, axis, _ = waiting.pop(0)
            if parent not in found:
                waiting.append((name, kind, parent, child, origin, axis, _))
                continue
            R, p = found[parent]
            at = {} if origin is None else origin.attrib
            r, q, w = numbers(at.get("rpy", "0 0 0"))
            p = p + R @ numbers(at.get("xyz", "0 0 0"))
            R = R @ turn((0, 0, 1), w) @ turn((0, 1, 0), q) @ turn((1, 0, 0), r)
            along = numbers("1 0 0" if axis is None else axis.get("xyz"))
            if kind == "prismatic":
                p = p + R @ along * values[name]
            elif kind != "fixed":
                R = R @ turn(along / np.linalg.norm(along), values[name])
            found[child] = R, p
        return found


class OpenSim:
    """A model in OpenSim, which coordinates move."""

    def __init__(self, path):
        import opensim

        opensim.Logger.setLevelString("warn")
        self.model = opensim.Model(str(path))
        self.state = self.model.initSystem()
        self.model.realizeAcceleration(self.state)  # masses and inertias that can move
        self.coordinates = {c.getName(): c for c in self.model.getCoordinateSet()}

    def poses(self, values):
        for name, value in values.items():
            coordinate = self.coordinates[name]
            if not coordinate.getLocked(self.state):
                coordinate.setValue(self.state, value, False)
        self.model.realizePosition(self.state)
        poses = {}
        for body in self.model.getBodySet():
            X = body.getTransformInGround(self.state)
            poses[body.getName()] = np.array([[X.R().get(i, j) for j in range(3)] for i in range(3)]), X.p().to_numpy()
        return poses


def base_of(values):
    """Pose of our base in our world, from the six coordinates."""
    tilt, rolled, heading = (values[f"pelvis_{name}"] for name in ("tilt", "list", "rotation"))
    R = turn((0, 0, 1), tilt) @ turn((1, 0, 0), rolled) @ turn((0, 1, 0), heading)
    return R_OW.T @ R @ R_OW, R_OW.T @ np.array([values[f"pelvis_t{axis}"] for axis in "xyz"])


def difference(ours, theirs):
    """The largest of all bodies: metres, or entries of a rotation."""
    return max(max(np.abs(R_OW @ ours[name][0] - R).max(), np.abs(R_OW @ ours[name][1] - p).max()) for name, (R, p) in theirs.items())


def random_values(urdf, random):
    values = {f"pelvis_{name}": random.uniform(-1, 1) for name in ("tilt", "list", "rotation", "tx", "ty", "tz")}
    for name, kind, *_, limit in urdf.joints:
        if kind != "fixed":
            lower, upper = (-1.5, 1.5) if kind == "continuous" or limit is None else (float(limit.get("lower")), float(limit.get("upper")))
            values[name] = random.uniform(max(lower, -3.0), min(upper, 3.0))
    return values


def random_poses(folder, model):
    panto("convert", model, f"{model}.osim", folder=folder)
    panto("convert", model, f"{model}.urdf", folder=folder)
    urdf, osim = Urdf(folder / f"{model}.urdf"), OpenSim(folder / f"{model}.osim")
    random = np.random.default_rng(12)
    worst = 0.0
    for _ in range(POSES):
        values = random_values(urdf, random)
        worst = max(worst, difference(urdf.poses(base_of(values), values), osim.poses(values)))
    return worst, urdf, osim


def tracked_clip(folder, model, urdf, osim, recording):
    """The .mot drives the model as the .csv of the same run drives the URDF. Every column must be a coordinate."""
    import opensim

    panto("track", recording, "--model", model, "-o", "a.mot", "-o", "a.csv", folder=folder)
    table = opensim.TimeSeriesTable(str(folder / "a.mot"))
    labels = list(table.getColumnLabels())
    if set(labels) != set(osim.coordinates):
        raise Missed(f"columns and coordinates differ: {sorted(set(labels) ^ set(osim.coordinates))}")
    ours = read_table(folder / "a.csv")
    worst = 0.0
    for k in range(0, table.getNumRows(), 10):
        row = table.getRowAtIndex(k).to_numpy()
        values = {name: x if name in ("pelvis_tx", "pelvis_ty", "pelvis_tz") else np.radians(x) for name, x in zip(labels, row, strict=True)}
        w, x, y, z = (ours[f"base_q{name}"][k] for name in "wxyz")
        n = np.linalg.norm((x, y, z))
        base = turn(np.array((x, y, z)) / max(n, 1e-300), 2 * np.arctan2(n, w)), np.array([ours[f"base_{name}_m"][k] for name in "xyz"])
        joints = {name.removesuffix("_rad"): column[k] for name, column in ours.items() if name.endswith("_rad")}
        worst = max(worst, difference(urdf.poses(base, joints), osim.poses(values)))
    return worst


def run(folder):
    folder = pathlib.Path(folder)
    clips = data_folder("bvh/cmu")
    missed = False
    for model in MODELS:
        worst, urdf, osim = random_poses(folder, model)
        found = {f"{POSES} random poses": worst}
        if clips and model.startswith("human"):
            found[CLIP] = tracked_clip(folder, model, urdf, osim, clips / CLIP)
        for what, value in found.items():
            missed |= value > BOUND
            print(f"{model:12} {what:18} largest difference {value:.1e} m or rad {'ok' if value <= BOUND else 'MISSED'}")
    return missed


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory() as scratch:
            sys.exit(int(run(scratch)))
    except (Missed, ImportError) as problem:
        sys.exit(f"osim_models: {problem}")
