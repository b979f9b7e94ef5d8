"""Judges lead-ins, lead-outs and loops by MuJoCo on a maker's model (docs/formats/layouts.md): prints a line a clip, exits 1 on a miss.

    python experiments/robot_leads.py ROBOT MODEL.xml|urdf CLIP...       ROBOT: unitree_g1, booster_t1

Soles: spheres of the model's feet; of the T1, whose box is coarser than its foot, the corners of its mesh in its table. Speed
limits: of the .urdf of the same name. Needs mujoco.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

import mujoco
import numpy as np

PANTO = os.environ.get("PANTO_COMMAND", "build/release/apps/panto/panto")
TABLES = pathlib.Path(__file__).resolve().parents[1] / "models" / "robots"
FEET = {"unitree_g1": ["left_ankle_roll_link", "right_ankle_roll_link"], "booster_t1": ["left_foot_link", "right_foot_link"]}
FPS, DOWN = 50.0, 0.005  # [Hz], [m]


def model_of(path):
    text = path.read_text()
    if path.suffix == ".urdf":
        text = re.sub(r"<(visual|collision)\b(?:(?!</\1>).)*?<mesh(?:(?!</\1>).)*?</\1>", "", text, flags=re.S)
        text = re.sub(r"<robot([^>]*)>", r'<robot\1><mujoco><compiler fusestatic="false"/></mujoco>', text, count=1)
    else:
        text = re.sub(r"<asset>.*?</asset>", "", text, flags=re.S)
        text = re.sub(r'<geom\b[^>]*(mesh|material)="[^"]*"[^>]*/>', "", text)
    spec = mujoco.MjSpec.from_string(text)
    root = spec.worldbody.first_body()
    if not any(joint.type == mujoco.mjtJoint.mjJNT_FREE for joint in root.joints):
        root.add_freejoint()
    return spec.compile()


def sole_points(robot, model):
    """By foot: body and points in it, and how far they reach down from there."""
    links = {link["name"]: link for link in tomllib.loads((TABLES / f"{robot}.toml").read_text())["links"]}
    for name in FEET[robot]:
        body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name)
        balls = [g for g in range(model.ngeom) if model.geom_bodyid[g] == body and model.geom_type[g] == mujoco.mjtGeom.mjGEOM_SPHERE]
        if balls:
            yield body, model.geom_pos[balls], model.geom_size[balls, 0]
        else:
            yield body, np.array(links[name]["corners"]), np.zeros(len(links[name]["corners"]))


class Judge:
    def __init__(self, robot, path):
        self.model = model_of(path)
        self.data = mujoco.MjData(self.model)
        self.feet = list(sole_points(robot, self.model))
        joints = re.findall(r'<joint\s+name="([^"]+)"(?:(?!</joint>).)*?velocity="([0-9.]+)"', path.with_suffix(".urdf").read_text(), re.S)
        self.speeds = {name: float(limit) for name, limit in joints}

    def motion(self, path):
        """Positions and velocities in the order of the model."""
        file = np.load(path)
        q, v = np.zeros((len(file["qpos"]), self.model.nq)), np.zeros((len(file["qpos"]), self.model.nv))
        q[:, :7], v[:, :6] = file["qpos"][:, :7], file["qvel"][:, :6]
        limit = np.full(self.model.nv, np.inf)
        for i, name in enumerate(map(str, file["joint_names"])):
            joint = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_JOINT, name)
            q[:, self.model.jnt_qposadr[joint]] = file["qpos"][:, 7 + i]
            v[:, self.model.jnt_dofadr[joint]] = file["qvel"][:, 6 + i]
            limit[self.model.jnt_dofadr[joint]] = self.speeds.get(name, np.inf)
        return q, v, limit

    def soles(self, q):
        """(frames, feet, points, 3): the lowest points."""
        places = []
        for pose in q:
            self.data.qpos[:] = pose
            mujoco.mj_kinematics(self.model, self.data)
            places.append([self.data.xpos[b] + p @ self.data.xmat[b].reshape(3, 3).T - np.outer(r, [0, 0, 1]) for b, p, r in self.feet])
        return np.array(places)

    def slopes(self, q):
        slope = np.zeros((len(q) - 2, self.model.nv))
        for k in range(len(slope)):
            mujoco.mj_differentiatePos(self.model, slope[k], 2.0 / FPS, q[k], q[k + 2])
        return slope

    def lines(self, plain, changed, kind):
        own, _, limit = self.motion(plain)
        q, v, _ = self.motion(changed)
        start = next((k for k in range(len(q)) if np.array_equal(q[k, 2:], own[0, 2:])), 0)
        kept = np.array_equal(q[start : start + len(own)], own) if kind == "lead" else np.array_equal(q[: len(q) // 2], own[: len(q) // 2])
        new = np.ones(len(q), bool)
        new[start : start + (len(own) if kind == "lead" else len(q) - int(FPS))] = False
        limited = self.model.jnt_limited.astype(bool)
        at = self.model.jnt_qposadr[limited]
        outside = np.maximum(self.model.jnt_range[limited, 0] - q[new][:, at], q[new][:, at] - self.model.jnt_range[limited, 1]).max()
        speed = (np.abs(np.diff(q[:, 7:], axis=0)) * FPS / limit[6:]).max()
        rms = np.sqrt(np.mean((self.slopes(q) - v[1:-1]) ** 2))
        soles = self.soles(q)
        lowest = soles[new][..., 2].min()
        down = soles[..., 2] < DOWN
        steps = np.linalg.norm(np.diff(soles[..., :2], axis=0), axis=-1) * (down[1:] & down[:-1])
        ranges = [(0, start), (start + len(own) - 1, len(q) - 1)] if kind == "lead" else [(len(q) - int(FPS) - 1, len(q) - 1)]
        slides = ["/".join(f"{100 * steps[a:b, foot].sum(axis=0).max():.1f}" for foot in (0, 1)) for a, b in ranges]
        ends = np.abs(v[[0, -1]]).max() if kind == "lead" else np.abs(v[0, 6:] - v[-1, 6:]).max()
        good = kept and outside < 1e-5 and speed <= 1.0 + 1e-6 and rms < 1e-3 and lowest > -0.005 and ends == 0.0
        return good, (
            f"{kind}: own frames kept {kept}, beyond limits {max(outside, 0):.0e} rad, speed {speed:.2f} of its limit, velocities off {rms:.0e} rms, "
            f"{'speed at the ends' if kind == 'lead' else 'step of speed at the seam'} {ends:.0e}, soles {1000 * lowest:.1f} mm, "
            f"slide left/right {', '.join(slides)} cm"
        )


def main(robot, path, clips):
    judge, missed = Judge(robot, pathlib.Path(path)), 0
    with tempfile.TemporaryDirectory() as folder:
        for clip in clips:
            files = {}
            for kind, words in (("plain", []), ("lead", ["--lead-in", "1", "--lead-out", "1"]), ("loop", ["--loop"])):
                files[kind] = f"{folder}/{kind}.npz"
                words = [PANTO, "retarget", clip, "--robot", robot, "--for", "mujoco", "--fps", f"{FPS:g}", *words, "-o", files[kind]]
                done = subprocess.run(words, capture_output=True, text=True, check=False)
                if done.returncode != 0:
                    print(f"{pathlib.Path(clip).stem}: {kind}: {done.stderr.splitlines()[-1]}")
                elif kind != "plain":
                    good, line = judge.lines(files["plain"], files[kind], kind)
                    missed += not good
                    print(f"{pathlib.Path(clip).stem}: {'ok' if good else 'MISSED'} {line}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
