"""Files for other programs: what their readers expect, against Pinocchio on the maker's own model.

Each reader is written again from the source that docs/formats/layouts.md names; the motion turns and leans, so that a
swapped quaternion, order, unit or frame shows.
"""

import json

import numpy as np
import pinocchio as pin
import pytest

G1 = "models/unitree/g1_29dof_rev_1_0.urdf"
CLIP = "bvh/cmu/005_02.bvh"
TEXTS = {"unitree": ".csv", "kimodo": ".csv", "bones": ".csv"}
ARCHIVES = ["beyondmimic", "mjlab", "holosoma", "holomotion", "isaac-amp", "mujoco"]


@pytest.fixture(scope="module")
def files(panto, data_file, tmp_path_factory):
    """Folder with the clip in every layout, and in our own (all at the rate that the reader expects)."""
    import subprocess

    folder = tmp_path_factory.mktemp("layouts")
    command = [panto, "retarget", data_file(CLIP), "--robot", "unitree_g1", "--collisions", "off"]
    for name in [*TEXTS, *ARCHIVES]:
        out = folder / (name + TEXTS.get(name, ".npz"))
        run = subprocess.run([*command, "--for", name, "-o", out], capture_output=True, text=True, timeout=120)
        assert run.returncode == 0, run.stderr
    assert subprocess.run([*command, "-o", folder / "own.npz"], capture_output=True, timeout=120).returncode == 0
    return folder


class Oracle:
    """Pinocchio's kinematics of the maker's file; frames by link name, turns merged as simulators merge them."""

    def __init__(self, urdf):
        self.model = pin.buildModelFromUrdf(str(urdf), pin.JointModelFreeFlyer())
        self.data = self.model.createData()

    def configure(self, place, wxyz, joints, names, twist=None, rates=None):
        q, v = pin.neutral(self.model), np.zeros(self.model.nv)
        q[:3], q[3:7] = place, [*wxyz[1:], wxyz[0]]
        turn = pin.Quaternion(q[3:7].reshape(4, 1)).toRotationMatrix()
        for i, name in enumerate(names):
            joint = self.model.joints[self.model.getJointId(name)]
            q[joint.idx_q] = joints[i]
            if rates is not None:
                v[joint.idx_v] = rates[i]
        if twist is not None:  # ours is in world axes, Pinocchio's in those of the base
            v[:3], v[3:6] = turn.T @ twist[:3], turn.T @ twist[3:]
        pin.forwardKinematics(self.model, self.data, q, v)
        pin.updateFramePlacements(self.model, self.data)

    def pose(self, link):
        return self.data.oMf[self.model.getFrameId(link)]

    def velocity(self, link, of_mass=False):
        frame = self.model.getFrameId(link)
        twist = pin.getFrameVelocity(self.model, self.data, frame, pin.LOCAL_WORLD_ALIGNED)
        if not of_mass:
            return twist.linear, twist.angular
        parent = self.model.frames[frame].parentJoint
        lever = self.data.oMi[parent].act(self.model.inertias[parent].lever) - self.pose(link).translation
        return twist.linear + np.cross(twist.angular, lever), twist.angular


@pytest.fixture(scope="module")
def oracle(data_file):
    return Oracle(data_file(G1))


def breadth_first(model):
    """Names of joints and links level by level."""
    level, order = [1], []
    while level:
        order += level[:]
        level = [child for joint in level for child in sorted(model.children[joint])]
    return [model.names[joint] for joint in order[1:]]


@pytest.mark.parametrize("name", ["unitree", "kimodo"])
def test_a_text_without_a_head_is_place_turn_and_joints(files, name):
    rows = np.loadtxt(files / f"{name}.csv", delimiter=",")  # as csv_to_npz.py reads it
    own = np.load(files / "own.npz")
    assert rows.shape[1] == 36 and len(rows) == pytest.approx(own["times_s"][-1] * 30, abs=1.5)
    turn = own["base_quaternion_wxyz"][0]
    expected = [*own["base_position"][0], *(turn if name == "kimodo" else [*turn[1:], turn[0]]), *own["joint_position"][0]]
    assert np.allclose(rows[0], expected, atol=1e-12), "frame 0 needs no resampling"
    at = np.interp(np.arange(len(rows)) / 30, own["times_s"] - own["times_s"][0], own["joint_position"][:, 3])
    assert np.allclose(rows[:, 10], at, atol=1e-9), "the left knee, in Unitree's order"


def test_bones_are_centimetres_and_degrees_about_fixed_axes(files):
    lines = (files / "bones.csv").read_text().splitlines()
    head, row = lines[0].split(","), np.array(lines[1].split(","), float)
    assert head[:7] == ["Frame", "root_translateX", "root_translateY", "root_translateZ", "root_rotateX", "root_rotateY", "root_rotateZ"]
    assert head[7] == "left_hip_pitch_joint_dof" and len(head) == 36 and all(name.endswith("_dof") for name in head[7:])
    from scipy.spatial.transform import Rotation  # as soma_retargeter's io/csv.py

    own = np.load(files / "own.npz")
    assert np.allclose(row[1:4], 100 * own["base_position"][0], atol=1e-9)
    turn = Rotation.from_euler("xyz", row[4:7], degrees=True).as_quat()[[3, 0, 1, 2]]
    assert abs(turn @ own["base_quaternion_wxyz"][0]) == pytest.approx(1, abs=1e-12)
    assert np.allclose(row[7:], np.degrees(own["joint_position"][0]), atol=1e-9)
    frames = np.array([line.split(",")[0] for line in lines[1:]], float)
    assert np.array_equal(frames, np.arange(len(frames)))


@pytest.mark.parametrize("name", ["beyondmimic", "mjlab", "holosoma"])
def test_tracking_archives_have_the_poses_and_twists_of_their_simulator(files, oracle, name):
    data = np.load(files / f"{name}.npz")  # allow_pickle is off, as in the readers
    joints, bodies = list(np.load(files / "mjlab.npz")["joint_names"]), list(np.load(files / "mjlab.npz")["body_names"])
    assert float(data["fps"][0]) == 50.0 and data["fps"].shape == (1,)
    if name == "beyondmimic":
        joints = breadth_first(oracle.model)
        bodies = ["pelvis", *(joint.replace("_joint", "_link") for joint in joints)]
        bodies = [body.replace("waist_pitch_link", "torso_link") for body in bodies]
    places, turns, speeds, rates = (data[key] for key in ("body_pos_w", "body_quat_w", "body_lin_vel_w", "body_ang_vel_w"))
    positions, velocities = data["joint_pos"], data["joint_vel"]
    if name == "holosoma":
        assert positions.shape[1:] == (36,) and velocities.shape[1:] == (35,) and places.shape[1:] == (31, 3)
        assert np.all(places[:, 0] == 0) and np.all(turns[:, 0] == [1, 0, 0, 0])
        assert np.allclose(positions[:, :3], places[:, 1]) and np.allclose(positions[:, 3:7], turns[:, 1])
        places, turns, speeds, rates = (a[:, 1:] for a in (places, turns, speeds, rates))
        positions, velocities = positions[:, 7:], velocities[:, 6:]
    assert places.shape[1:] == (30, 3) and positions.shape[1:] == (29,)
    for frame in range(0, len(places), 37):
        twist = np.concatenate([speeds[frame, 0], rates[frame, 0]]).astype(float)
        if name == "beyondmimic":  # of the pelvis' centre of mass: move it to the origin
            lever = oracle.model.inertias[1].lever
            turn = pin.Quaternion(*turns[frame, 0].astype(float)).normalized().toRotationMatrix()
            twist[:3] -= np.cross(twist[3:], turn @ lever)
        oracle.configure(places[frame, 0], turns[frame, 0], positions[frame], joints, twist, velocities[frame])
        for i, body in enumerate(bodies):
            pose = oracle.pose(body)
            linear, angular = oracle.velocity(body, of_mass=name == "beyondmimic")
            assert np.abs(pose.translation - places[frame, i]).max() < 1e-5, body
            turn = pin.Quaternion(*turns[frame, i].astype(float)).normalized().toRotationMatrix()
            assert np.abs(pose.rotation - turn).max() < 1e-5, body
            assert np.abs(linear - speeds[frame, i]).max() < 1e-3, body
            assert np.abs(angular - rates[frame, i]).max() < 1e-3, body


@pytest.mark.parametrize("name", ["mjlab", "beyondmimic"])
def test_velocities_are_the_derivatives_of_what_is_written(files, name):
    data = np.load(files / f"{name}.npz")
    slope = (data["joint_pos"][2:].astype(float) - data["joint_pos"][:-2]) * 25
    rms = np.sqrt(np.mean(data["joint_vel"] ** 2))
    assert np.sqrt(np.mean((slope - data["joint_vel"][1:-1]) ** 2)) < 1e-3 * rms


def test_holomotion_and_amp_say_the_same_in_their_words(files):
    mjlab, holo, amp = (np.load(files / f"{name}.npz") for name in ("mjlab", "holomotion", "isaac-amp"))
    assert np.array_equal(holo["ref_dof_pos"], mjlab["joint_pos"]) and np.array_equal(holo["ref_global_translation"], mjlab["body_pos_w"])
    assert np.array_equal(holo["ref_global_rotation_quat"], mjlab["body_quat_w"][..., [1, 2, 3, 0]]), "x y z w"
    facts = json.loads(str(holo["metadata"]))
    assert facts["motion_fps"] == 50 and facts["dof_names"] == list(mjlab["joint_names"])
    assert holo["ref_dof_pos"].dtype == np.float32
    assert amp["fps"].shape == () and list(amp["dof_names"]) == list(mjlab["joint_names"])
    own = np.load(files / "own.npz")
    assert np.allclose(amp["dof_positions"], own["joint_position"], atol=1e-6), "any rate will do: that of the clip"
    assert amp["body_rotations"].shape[1:] == (30, 4)


def test_mujoco_is_qpos_and_qvel(files):
    data, own = np.load(files / "mujoco.npz"), np.load(files / "own.npz")
    turn = data["qpos"][:, 3:7]
    assert np.array_equal(data["qpos"][:, :3], own["base_position"])
    assert np.array_equal(np.abs(turn), np.abs(own["base_quaternion_wxyz"])), "the same turns"
    assert np.all(np.sum(turn[1:] * turn[:-1], axis=1) > 0), "no sign changes from frame to frame"
    assert np.array_equal(data["qpos"][:, 7:], own["joint_position"])
    w, v = own["base_quaternion_wxyz"][:, :1], -own["base_quaternion_wxyz"][:, 1:]
    rate = own["base_angular_velocity"]
    local = rate + 2 * np.cross(v, np.cross(v, rate) + w * rate)
    assert np.allclose(data["qvel"][:, 3:6], local, atol=1e-12), "MuJoCo's turn of a free joint is in its own axes"


def test_other_rates_and_wrong_names_are_told(run, data_file):
    clip = data_file(CLIP)
    assert run("retarget", clip, "--robot", "g1", "--for", "mjlab", "--fps", "25", "-o", "m.npz").returncode == 0
    wrong = run("retarget", clip, "--robot", "g1", "--for", "mjlb", "-o", "x.npz")
    assert wrong.returncode == 2 and "did you mean 'mjlab'" in wrong.stderr
    wrong = run("retarget", clip, "--robot", "g1", "--for", "unitree", "-o", "x.npz")
    assert wrong.returncode == 2 and ".csv" in wrong.stderr
    wrong = run("retarget", clip, "--robot", "g1", "--fps", "50", "-o", "x.npz")
    assert wrong.returncode == 2 and "--for" in wrong.stderr


@pytest.mark.parametrize("robot", ["unitree_h1", "booster_t1", "talos", "icub"])
def test_other_robots_have_their_own_joints(run, project, tmp_path, robot):
    walk = project / "examples" / "data" / "walk.bvh"
    assert run("retarget", walk, "--robot", robot, "--for", "mjlab", "-o", f"{robot}.npz").returncode == 0
    data = np.load(tmp_path / f"{robot}.npz")
    assert data["body_pos_w"].shape[1] == len(data["body_names"]) == data["joint_pos"].shape[1] + 1
    assert np.isfinite(data["body_lin_vel_w"]).all()
