"""MJCF models read by Panto and by MuJoCo: poses of all links at random states, names, ranges, masses.

Usage: PANTO_PROBE=build/dev/tests/panto_probe .venv-experiments/bin/python experiments/robot_mjcf.py FILE|FOLDER|WHEEL|PACKAGE...

A package is downloaded from PyPI (playground, dm_control, gymnasium-robotics, robosuite, mjlab ...), a wheel unpacked, a
folder searched for files that MuJoCo can load. Meshes that are missing are replaced by balls in MuJoCo: they do not move
anything. Prints a table; exits with status 1 if a pose differs by more than 1e-10, or any name or range.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import mujoco
import numpy as np

TOLERANCE, STATES = 1e-10, 5


def models_of(words, folder):
    """Files of models among files, folders, wheels and names of packages."""
    for word in words:
        path = pathlib.Path(word)
        if not path.exists():
            subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, word], check=True)
            path = max(pathlib.Path(folder).glob("*.whl"), key=os.path.getmtime)
        if path.suffix == ".whl":
            inside = pathlib.Path(folder) / path.name.split("-")[0]
            zipfile.ZipFile(path).extractall(inside)
            path = inside
        yield from sorted(path.rglob("*.xml")) if path.is_dir() else [path]


def load(path):
    """MuJoCo's model, with balls for missing meshes; None when MuJoCo refuses it."""
    try:
        return mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        pass
    try:
        spec = mujoco.MjSpec.from_file(str(path))
        for geom in spec.geoms:
            if geom.type in (mujoco.mjtGeom.mjGEOM_MESH, mujoco.mjtGeom.mjGEOM_HFIELD) or geom.meshname:
                geom.type, geom.size, geom.meshname, geom.hfieldname = mujoco.mjtGeom.mjGEOM_SPHERE, [0.01, 0, 0], "", ""
            geom.material = ""
        for kind in ("meshes", "hfields", "materials", "textures", "skins", "sensors", "pairs", "keys"):
            for item in list(getattr(spec, kind, [])):
                spec.delete(item) if hasattr(spec, "delete") else item.delete()
        return spec.compile()
    except Exception:
        return None


def name_of(model, kind, i):
    return mujoco.mj_id2name(model, kind, i) or ""


class Twin:
    """MuJoCo's robot in the order of ours."""

    def __init__(self, model, ours):
        self.model, self.data, self.ours = model, mujoco.MjData(model), ours
        links = set(ours["states"][0]["links"])
        self.bodies = {}
        for i in range(1, model.nbody):
            name = name_of(model, mujoco.mjtObj.mjOBJ_BODY, i) or f"body{i}"
            top = i
            while model.body_parentid[top]:
                top = model.body_parentid[top]
            if name in links:
                self.bodies[name] = i
        self.joints = [j for j in range(model.njnt) if model.jnt_bodyid[j] in self.bodies.values()]
        self.faults = []
        self.compare_joints()

    def compare_joints(self):
        model, ours, at = self.model, self.ours, 0
        for j in self.joints:
            name, kind = name_of(model, mujoco.mjtObj.mjOBJ_JOINT, j), model.jnt_type[j]
            if kind == mujoco.mjtJoint.mjJNT_FREE:
                continue
            count = 3 if kind == mujoco.mjtJoint.mjJNT_BALL else 1
            for k in range(count):
                if at + k >= len(ours["joints"]):
                    self.faults.append("fewer joints")
                    return
                wanted = f"{name}_{'xyz'[k]}" if count == 3 else name
                if name and ours["joints"][at + k] != wanted:
                    self.faults.append(f"joint {ours['joints'][at + k]} is {wanted}")
                lower, upper = model.jnt_range[j] if model.jnt_limited[j] else (-np.inf, np.inf)
                if count == 3 and model.jnt_limited[j]:
                    lower = -upper
                found = [number(ours["lower"][at + k], -np.inf), number(ours["upper"][at + k], np.inf)]
                if not np.allclose(found, [lower, upper], rtol=1e-12, atol=1e-12):
                    self.faults.append(f"range of {wanted}")
            at += count
        if at != len(ours["joints"]):
            self.faults.append("more joints")

    def set(self, state):
        model, qpos, at = self.model, self.data.qpos, 0
        mujoco.mj_resetData(model, self.data)
        for j in self.joints:
            q, kind = model.jnt_qposadr[j], model.jnt_type[j]
            if kind == mujoco.mjtJoint.mjJNT_FREE:
                qpos[q : q + 3] = state["p_WB"]
                mujoco.mju_mat2Quat(qpos[q + 3 : q + 7], np.array(state["R_WB"]).ravel())
            elif kind == mujoco.mjtJoint.mjJNT_BALL:
                qpos[q : q + 4] = [1, 0, 0, 0]
                for axis in np.eye(3):
                    turn, whole = np.zeros(4), np.zeros(4)
                    mujoco.mju_axisAngle2Quat(turn, axis, state["s"][at])
                    mujoco.mju_mulQuat(whole, qpos[q : q + 4], turn)
                    qpos[q : q + 4] = whole
                    at += 1
            else:
                qpos[q] = state["s"][at]
                at += 1
        mujoco.mj_kinematics(model, self.data)

    def difference(self, state):
        """Largest difference of positions [m] and of orientations (elements of matrices)."""
        self.set(state)
        R0, p0 = np.eye(3), np.zeros(3)  # of the root of a robot that does not float
        if self.ours["root"] == "world":
            R0, p0 = np.array(state["R_WB"]), np.array(state["p_WB"])
        worst_p = worst_R = 0.0
        for name, i in self.bodies.items():
            link = state["links"][name]
            worst_p = max(worst_p, np.abs(R0.T @ (np.array(link["p"]) - p0) - self.data.xpos[i]).max())
            worst_R = max(worst_R, np.abs(R0.T @ np.array(link["R"]) - self.data.xmat[i].reshape(3, 3)).max())
        return worst_p, worst_R


def number(value, otherwise):
    return otherwise if value is None else value


def probe(path):
    done = subprocess.run([os.environ["PANTO_PROBE"], path, str(STATES), "7"], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr.strip()


def main():
    good = bad = refused = 0
    print("| model | links | joints | base | position [m] | orientation | names, ranges |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for path in models_of(sys.argv[1:], folder):
            if "<mujoco" not in path.read_text(encoding="utf-8", errors="replace"):
                continue
            model = load(path)
            if model is None or model.nbody < 2:
                continue
            ours = probe(path)
            if isinstance(ours, str):
                refused += 1
                print(f"| {path.name} | refused: {ours.replace(str(path.parent) + '/', '')[:150]} | | | | | |")
                continue
            twin = Twin(model, ours)
            position, turn = np.max([twin.difference(state) for state in ours["states"]], axis=0) if twin.joints or twin.bodies else (0, 0)
            faults = list(twin.faults)
            scale = max(1.0, max(np.abs(link["p"]).max() for state in ours["states"] for link in state["links"].values()))
            fine = not faults and max(position / scale, turn) <= TOLERANCE
            good, bad = good + fine, bad + (not fine)
            base = "fixed" if ours["root"] == "world" else "floats"
            print(f"| {path.parent.name}/{path.name} | {len(twin.bodies)} | {len(ours['joints'])} | {base} | {position:.1e} | {turn:.1e} | {'equal' if not faults else '; '.join(faults[:3])} |", flush=True)
    print(f"\n{good} equal within {TOLERANCE:g}, {bad} different, {refused} refused")
    return 1 if bad or not good else 0


if __name__ == "__main__":
    sys.exit(main())
