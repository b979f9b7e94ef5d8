"""Robots' motions in anybody's layout: what is told of files with planted swaps (docs/formats/robot_motion.md)."""

import itertools
import json
import os
import subprocess

import numpy as np
import pytest

SCALE = float(os.environ.get("PANTO_TEST_SCALE", "1"))
CLIPS = ["bvh/cmu/002_01.bvh", "bvh/cmu/005_02.bvh", "bvh/cmu/007_01.bvh", "bvh/cmu/131_01.bvh", "bvh/cmu/002_03.bvh"]
ROBOTS = ["unitree_g1", "unitree_h1", "booster_t1"]
LAYOUTS = {"unitree": ".csv", "kimodo": ".csv", "mjlab": ".npz", "beyondmimic": ".npz", "holosoma": ".npz",
           "holomotion": ".npz", "isaac-amp": ".npz", "mujoco": ".npz"}
TURNS = ["body_quat_w", "ref_global_rotation_quat", "body_rotations"]
PLACES = ["body_pos_w", "ref_global_translation", "body_positions"]
JOINTS = ["joint_pos", "ref_dof_pos", "dof_positions"]
# the G1's joints in Isaac's order, as columns of MuJoCo's (SONIC's table)
ISAAC = [0, 6, 12, 1, 7, 13, 2, 8, 14, 3, 9, 15, 22, 4, 10, 16, 23, 5, 11, 17, 24, 18, 25, 19, 26, 20, 27, 21, 28]
UP = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])  # z up to y up


def turned(wxyz, by):
    """Quaternions (..., 4) turned by -90 degrees about x, as `UP` turns places."""
    w, x, y, z = np.moveaxis(wxyz, -1, 0)
    c, s = np.cos(np.pi / 4), by * np.sin(np.pi / 4)
    return np.stack([c * w - s * x, c * x + s * w, c * y - s * z, c * z + s * y], -1)


class Poses:
    """Base places, base quaternions and joints of a file, wherever its layout has them; None: it has none."""

    def __init__(self, path, layout):
        self.path, self.layout = path, layout
        self.xyzw = layout in ("unitree", "holomotion")
        if path.suffix == ".csv":
            self.data = {"rows": np.loadtxt(path, delimiter=",")}
        else:
            self.data = dict(np.load(path))
        self.whole = {"unitree": "rows", "kimodo": "rows", "mujoco": "qpos", "holosoma": "joint_pos"}.get(layout)

    def change(self, place=None, turn=None, joints=None):
        if self.whole:
            rows = self.data[self.whole]
            parts = [(place, slice(0, 3)), (turn, slice(3, 7)), (joints, slice(7, None))]
            for change, columns in parts:
                if change:
                    rows[:, columns] = change(rows[:, columns])
        for change, keys in [(place, PLACES), (turn, TURNS), (joints, JOINTS)]:
            for key in keys:
                if change and key in self.data and key != self.whole:
                    self.data[key] = change(self.data[key])

    def joints(self):
        if self.whole:
            return self.data[self.whole].shape[1] - 7
        return next(self.data[key].shape[1] for key in JOINTS if key in self.data)

    def save(self, path):
        if path.suffix == ".csv":
            np.savetxt(path, self.data["rows"], delimiter=",")
        else:
            np.savez(path, **self.data)


def swap_turns(poses):
    poses.change(turn=lambda q: q[..., [3, 0, 1, 2]] if poses.xyzw else q[..., [1, 2, 3, 0]])


def y_up(poses):
    def turn(q):
        wxyz = q[..., [3, 0, 1, 2]] if poses.xyzw else q
        wxyz = turned(wxyz, -1)
        return wxyz[..., [1, 2, 3, 0]] if poses.xyzw else wxyz

    poses.change(place=lambda p: p @ UP.T, turn=turn)


def wrong_rate(poses):
    if "fps" not in poses.data:
        return False
    poses.data["fps"] = poses.data["fps"] * 0.6
    return True


def other_order(poses):
    order = np.argsort(ISAAC) if poses.layout == "beyondmimic" else ISAAC
    if poses.joints() != len(ISAAC):
        return False
    poses.change(joints=lambda q: q[..., order])
    return True


PLANTS = {
    "joint order": other_order,
    "turns": swap_turns,
    "angles": lambda poses: poses.change(joints=np.degrees),
    "lengths": lambda poses: poses.change(place=lambda p: 100 * p),
    "up axis": y_up,
    "rate": wrong_rate,
}


def written(panto, data_file, folder, clip, robot, layout):
    path = folder / f"{clip.split('/')[-1]}-{robot}-{layout}{LAYOUTS[layout]}"
    if not path.exists():
        command = [panto, "retarget", data_file(clip), "--robot", robot, "--collisions", "off", "--for", layout, "-o", path]
        run = subprocess.run(command, capture_output=True, text=True, timeout=300)
        assert run.returncode == 0, run.stderr
    return path


def told(panto, path, robot):
    run = subprocess.run([panto, "inspect", path, "--robot", robot, "--json"], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def cases():
    """Every layout on a clip and a robot, clean and with each swap; few of them in the fast tier."""
    clips, robots = (CLIPS, ROBOTS) if SCALE >= 10 else (CLIPS[:1], ROBOTS[:1])
    return list(itertools.product(clips, robots, LAYOUTS))


def test_files_are_named_and_swaps_found_and_none_is_taken_wrongly_in_silence(panto, data_file, tmp_path):
    right, wrong, asked, files = 0, [], [], 0
    for clip, robot, layout in cases():
        path = written(panto, data_file, tmp_path, clip, robot, layout)
        for plant in [None, *PLANTS]:
            poses = Poses(path, layout)
            if plant and PLANTS[plant](poses) is False:
                continue
            planted = tmp_path / ("planted" + path.suffix)
            poses.save(planted)
            report = told(panto, planted, robot)
            files += 1
            facts = {fact["what"]: fact for fact in report["told"]}
            departs = {what for what, fact in facts.items() if fact["departs"]}
            known = facts.get(plant, {})
            if any(fact["certainty"] == "open" for fact in facts.values()):
                asked.append((clip, robot, layout, plant))
            elif plant == "turns" and layout in ("unitree", "kimodo"):  # each is the other's swap
                good = not departs and report["format"] == ("kimodo" if layout == "unitree" else "unitree")
                right += good
                wrong += [] if good else [(clip, robot, layout, plant)]
            elif plant == "rate" and layout == "mujoco" and known["certainty"] == "assumed":
                asked.append((clip, robot, layout, plant))
            elif departs == ({plant} if plant else set()) and report["format"] == layout:
                right += 1
            else:
                wrong.append((clip, robot, layout, plant, sorted(departs), report["format"]))
    print(f"{files} files: {right} named right, {len(asked)} asked, {len(wrong)} wrong")
    assert not wrong, wrong
    assert right >= 0.99 * files, asked


def test_a_cut_or_broken_file_is_refused_with_its_place(panto, data_file, tmp_path):
    path = written(panto, data_file, tmp_path, CLIPS[0], "unitree_g1", "unitree")
    text = path.read_text()
    broken = tmp_path / "broken.csv"
    for damage, said in [(text[: len(text) // 2 + 37], ":"), (text.replace(",", ",nan,", 1), "not finite")]:
        broken.write_text(damage)
        run = subprocess.run([panto, "inspect", broken], capture_output=True, text=True, timeout=60)
        assert run.returncode == 3 and "broken.csv:" in run.stderr and said in run.stderr, run.stderr
