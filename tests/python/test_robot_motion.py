"""Robots' motions in anybody's layout: what is told of files with planted swaps (docs/formats/robot_motion.md)."""

import itertools
import io
import json
import os
import pathlib
import pickle

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from package import panto

SCALE = float(os.environ.get("PANTO_TEST_SCALE", "1"))
CLIPS = ["bvh/cmu/002_01.bvh", "bvh/cmu/005_02.bvh", "bvh/cmu/007_01.bvh", "bvh/cmu/131_01.bvh", "bvh/cmu/002_03.bvh"]
ROBOTS = ["unitree_g1", "unitree_h1", "booster_t1"]
LAYOUTS = {"unitree": ".csv", "kimodo": ".csv", "mjlab": ".npz", "beyondmimic": ".npz", "holosoma": ".npz",
           "holomotion": ".npz", "isaac-amp": ".npz", "mujoco": ".npz", "gmr": ".pkl", "twist2": ".pkl", "mimickit": ".pkl",
           "phc": ".pkl", "phuma": ".npy", "unitree.npy": ".npy"}
WHOLE = {"unitree": "rows", "kimodo": "rows", "unitree.npy": "rows", "mujoco": "qpos", "holosoma": "joint_pos", "mimickit": "frames"}
XYZW = ("unitree", "unitree.npy", "holomotion", "gmr", "twist2", "phc", "phuma")
TURNS = ["body_quat_w", "ref_global_rotation_quat", "body_rotations", "root_rot", "root_ori"]
PLACES = ["body_pos_w", "ref_global_translation", "body_positions", "root_pos", "root_trans_offset", "root_trans"]
LOCAL = ["local_body_pos"]
JOINTS = ["joint_pos", "ref_dof_pos", "dof_positions", "dof_pos", "dof"]
READ_AS = {"twist2": "gmr", "unitree.npy": "unitree"}  # the same members
WALK = pathlib.Path(__file__).resolve().parents[2] / "examples" / "data" / "walk.bvh"
UP = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])  # z up to y up


def turned(vectors, by):
    """Quaternions w x y z, or rotation vectors, turned by 90 degrees about x, as `UP` turns places."""
    turn = Rotation.from_euler("x", 90 * by, degrees=True)
    if vectors.shape[-1] == 3:
        return (turn * Rotation.from_rotvec(vectors)).as_rotvec()
    flat = vectors.reshape(-1, 4)[:, [1, 2, 3, 0]]
    return (turn * Rotation.from_quat(flat)).as_quat()[:, [3, 0, 1, 2]].reshape(vectors.shape)


class Poses:
    """Base places, base turns and joints of a file, wherever its layout has them."""

    def __init__(self, path, layout):
        self.layout, self.xyzw, self.whole, self.name = layout, layout in XYZW, WHOLE.get(layout), None
        if path.suffix == ".csv":
            self.data = {"rows": np.loadtxt(path, delimiter=",")}
        elif layout == "unitree.npy":
            self.data = {"rows": np.load(path)}
        elif layout == "phuma":
            self.data = np.load(path, allow_pickle=True).item()
        elif layout == "phc":
            ((self.name, self.data),) = pytest.importorskip("joblib").load(path).items()
        elif path.suffix == ".pkl":
            self.data = {key: np.array(value) for key, value in pickle.loads(path.read_bytes()).items()}
        else:
            self.data = dict(np.load(path))

    def change(self, place=None, turn=None, joints=None, local=None):
        if self.whole:
            rows = self.data[self.whole]
            base = 6 if self.layout == "mimickit" else 7
            for change, columns in [(place, slice(0, 3)), (turn, slice(3, base)), (joints, slice(base, None))]:
                if change:
                    rows[:, columns] = change(rows[:, columns])
        for change, keys in [(place, PLACES), (turn, TURNS), (joints, JOINTS), (local, LOCAL)]:
            for key in keys:
                if change and key in self.data and key != self.whole:
                    self.data[key] = change(self.data[key])

    def save(self, path):
        if path.suffix == ".csv":
            np.savetxt(path, self.data["rows"], delimiter=",")
        elif self.layout == "unitree.npy":
            np.save(path, self.data["rows"])
        elif self.layout == "phuma":
            np.save(path, self.data, allow_pickle=True)
        elif self.layout == "phc":
            pytest.importorskip("joblib").dump({self.name: self.data}, path)
        elif self.layout == "mimickit":
            path.write_bytes(pickle.dumps({**self.data, "frames": self.data["frames"].tolist(), "fps": float(self.data["fps"]), "loop_mode": 0}))
        elif path.suffix == ".pkl":
            path.write_bytes(pickle.dumps(self.data))
        else:
            np.savez(path, **self.data)


def swap_turns(poses):
    if poses.layout == "mimickit":
        return False
    poses.change(turn=lambda q: q[..., [3, 0, 1, 2]] if poses.xyzw else q[..., [1, 2, 3, 0]])


def y_up(poses):
    def turn(q):
        wxyz = q[..., [3, 0, 1, 2]] if poses.xyzw else q
        wxyz = turned(wxyz, -1)
        return wxyz[..., [1, 2, 3, 0]] if poses.xyzw else wxyz

    poses.change(place=lambda p: p @ UP.T, turn=turn)


def wrong_rate(poses):
    if "fps" not in poses.data or not any("vel" in key for key in poses.data):  # nothing tells it without velocities
        return False
    poses.data["fps"] = poses.data["fps"] * 0.6


def other_order(poses, isaac):
    order = np.argsort(isaac) if poses.layout == "beyondmimic" else isaac
    poses.change(joints=lambda q: q[..., order])


def isaac_order(motion):
    """The joints of a robot level by level, as columns of those branch by branch: both as the library writes them."""
    branches, levels = (np.load(motion_file(motion, name))["joint_pos"] for name in ("mjlab", "beyondmimic"))
    free, order = list(range(branches.shape[1])), []
    for column in levels.T:
        order.append(min(free, key=lambda i: np.abs(branches[:, i] - column).max()))
        free.remove(order[-1])
    return order


def motion_file(motion, layout):
    return io.BytesIO(motion.to_bytes("motion.npz", layout=layout))


PLANTS = {
    "joint order": other_order,
    "turns": swap_turns,
    "angles": lambda poses: poses.change(joints=np.degrees),
    "lengths": lambda poses: poses.change(place=lambda p: 100 * p, local=lambda p: 100 * p),
    "up axis": y_up,
    "rate": wrong_rate,
}


@pytest.fixture(scope="module")
def on_robot(data_file):
    """Function from a clip and a robot to its motion there; solved once."""
    solved = {}

    def motion(clip, robot):
        if (clip, robot) not in solved:
            solved[clip, robot] = panto.retarget(data_file(clip), robot, collisions="off").motion
        return solved[clip, robot]

    return motion


def written(motion, folder, layout):
    path = folder / ("clip" + LAYOUTS[layout])
    if layout in ("phuma", "unitree.npy"):
        motion.save(folder / "rows.csv", layout="unitree")
        rows = np.loadtxt(folder / "rows.csv", delimiter=",")
        content = {"root_trans": rows[:, :3], "root_ori": rows[:, 3:7], "dof_pos": rows[:, 7:], "fps": 30}
        np.save(path, content if layout == "phuma" else rows, allow_pickle=True)
    else:
        motion.save(path, layout=layout)
    return path


def cases():
    """Every layout, clean and with each swap: on all clips and robots; in the fast tier on one each, in turn."""
    if SCALE >= 10:
        return list(itertools.product(CLIPS, ROBOTS, LAYOUTS))
    return [(CLIPS[i % len(CLIPS)], ROBOTS[i % len(ROBOTS)], layout) for i, layout in enumerate(LAYOUTS)]


def test_files_are_named_and_swaps_found_and_none_is_taken_wrongly_in_silence(on_robot, tmp_path):
    right, wrong, asked, files = 0, [], [], 0
    for clip, robot, layout in cases():
        motion = on_robot(clip, robot)
        isaac = isaac_order(motion)
        path = written(motion, tmp_path, layout)
        for plant in [None, *PLANTS]:
            poses = Poses(path, layout)
            if plant and PLANTS[plant](*([poses, isaac] if plant == "joint order" else [poses])) is False:
                continue
            planted = tmp_path / ("planted" + path.suffix)
            poses.save(planted)
            read = panto.open_motion(planted, robot=robot)
            files += 1
            facts = {fact.what: fact for fact in read.told}
            departs = {what for what, fact in facts.items() if fact.departs}
            if not read.settled:
                asked.append((clip, robot, layout, plant, read.notes))
            elif plant == "turns" and layout in ("unitree", "kimodo", "unitree.npy"):  # each is the other's swap
                good = not departs and read.layout == ("unitree" if layout == "kimodo" else "kimodo")
                right += good
                wrong += [] if good else [(clip, robot, layout, plant)]
            elif plant == "rate" and layout == "mujoco" and facts[plant].certainty == "assumed":
                asked.append((clip, robot, layout, plant))
            elif departs == ({plant} if plant else set()) and read.layout == READ_AS.get(layout, layout):
                right += 1
            else:
                wrong.append((clip, robot, layout, plant, sorted(departs), read.layout))
    print(f"{files} files: {right} named right, {len(asked)} asked, {len(wrong)} wrong")
    assert not wrong, wrong
    assert right >= 0.99 * files, asked


def test_what_is_read_through_python_is_what_the_command_reads(run, on_robot, tmp_path):
    motion = on_robot(CLIPS[1], "unitree_g1")
    motion.save(tmp_path / "dance.npz", layout="mjlab")
    assert run("convert", "dance.npz", "command.npz", "--for", "mujoco").returncode == 0
    panto.open_motion(tmp_path / "dance.npz").motion.save(tmp_path / "package.npz", layout="mujoco")
    assert (tmp_path / "package.npz").read_bytes() == (tmp_path / "command.npz").read_bytes()


def test_pantos_own_file_of_a_robot_is_read_and_that_of_a_person_stays_a_person(on_robot, data_file, tmp_path):
    motion = on_robot(CLIPS[1], "unitree_g1")
    motion.save(tmp_path / "own.npz")
    read = panto.open_motion(tmp_path / "own.npz")
    assert (read.layout, read.robot_name, read.settled) == ("panto", "unitree_g1", True) and read.verdict.good
    assert np.abs(read.motion.joint_positions - motion.joint_positions).max() < 1e-12, "the same numbers"
    assert np.abs(read.motion.base_position - motion.base_position).max() < 1e-12
    panto.track(data_file(CLIPS[1])).motion.save(tmp_path / "person.npz")
    assert len(panto.open(tmp_path / "person.npz").segment_names) == 23


def test_a_motion_is_opened_judged_checked_and_brought_to_another_robot(on_robot, tmp_path):
    on_robot(CLIPS[1], "unitree_g1").save(tmp_path / "dance.pkl", layout="gmr")
    read = panto.open_motion(tmp_path / "dance.pkl")
    assert (read.layout, read.robot_name, read.settled) == ("gmr", "unitree_g1", True) and read.verdict.good
    assert {"robot", "joint order", "turns", "angles", "lengths", "up axis", "rate"} <= {fact.what for fact in read.told}
    judged = read.judge()
    inspected = panto.inspect(tmp_path / "dance.pkl")
    assert inspected["format"] == "gmr" and dict(inspected) == judged.figures
    checked = panto.check(read)
    assert not checked and [check.key for check in checked.failed] == [check.key for check in panto.check(tmp_path / "dance.pkl").failed]
    assert panto.check(read, "limit_violations>0")
    with pytest.raises(panto.ConfigError, match="limit_violations"):
        panto.check(read, "limit_violation>0")
    person = panto.open(tmp_path / "dance.pkl")
    assert "unitree_g1" in person.format
    for source in (person, read.person(), tmp_path / "dance.pkl"):
        assert panto.retarget(source, "h1", collisions="off").motion.joint_positions.shape == (562, 19)
    with pytest.raises(panto.ConfigError, match="robots' motions"):
        panto.open(WALK, robot="g1")


def test_contacts_of_an_own_file_are_used_where_they_fit_and_bad_ones_are_said(run, tmp_path):
    motion = panto.retarget(WALK, "g1").motion
    motion.save(tmp_path / "own.npz")
    own = dict(np.load(tmp_path / "own.npz"))

    def inspected(name, **changes):
        np.savez(tmp_path / name, **{**own, **changes})
        result = run("inspect", name, "--robot", "g1", "--json")
        said = run("inspect", name, "--robot", "g1").stderr
        return json.loads(result.stdout) if result.returncode in (0, 1) else None, said

    whole, errors = inspected("whole.npz")
    assert whole["foot_skate_p95_mm_s"] == pytest.approx(5.0, abs=3.0) and "contacts" not in errors
    # a walk at four fifths of its way: feet in stance slide by 0.2 of the speed, whatever the file says of them
    short = {"base_position": own["base_position"] * [0.8, 0.8, 1.0]}
    silent = own["contact_points"].copy()
    silent[30:] = False
    slides, _ = inspected("slides.npz", **short)
    lies, errors = inspected("lies.npz", **short, contact_points=silent)
    assert min(slides["foot_skate_p95_mm_s"], lies["foot_skate_p95_mm_s"]) > 100
    assert "do not fit its motion and are not used" in errors
    _, errors = inspected("air.npz", contact_points=~own["contact_points"])
    assert "do not fit its motion and are not used" in errors
    _, errors = inspected("foreign.npz", contact_names=np.array(["left_ankle_roll_link", "foo"]))
    assert "contacts of 'foo' are not used" in errors
    for name, changes, words in [
        ("nan.npz", {"contact_points": np.full(own["contact_points"].shape, np.nan)}, "is not finite"),
        ("twice.npz", {"contact_names": np.array(["left_ankle_roll_link"] * 2)}, "'left_ankle_roll_link' twice"),
        ("short.npz", {"contact_points": own["contact_points"][:-1]}, "must be numbers of shape"),
    ]:
        facts, errors = inspected(name, **changes)
        assert facts is None and words in errors, (name, errors)
    motion.save(tmp_path / "bare.csv")
    assert "the file has no contacts: when a foot stands is guessed" in run("inspect", "bare.csv", "--robot", "g1").stderr


def test_what_applies_to_points_is_refused_for_a_robots_motion(run, tmp_path):
    panto.retarget(WALK, "g1").motion.save(tmp_path / "own.npz")
    for command in ("retarget own.npz --robot h1 -o h1.csv", "convert own.npz own.csv --robot g1", "check own.npz --robot g1"):
        result = run(*command.split(), "--clean", "strong")
        assert result.returncode == 2 and "--clean has no effect: 'own.npz' holds a robot's motion" in result.stderr, command


def test_an_open_question_keeps_a_motion_from_use_until_it_is_answered(on_robot, tmp_path):
    on_robot(CLIPS[1], "unitree_g1").save(tmp_path / "dance.npz", layout="any4hdmi")
    read = panto.open_motion(tmp_path / "dance.npz")
    assert not read.settled and read.verdict.grade == "unreliable" and "rate" in read.notes[0]
    for use in (lambda: read.motion, read.person, lambda: panto.check(read), lambda: panto.open(tmp_path / "dance.npz")):
        with pytest.raises(panto.ConfigError, match="rate"):
            use()
    assert panto.open_motion(tmp_path / "dance.npz", hints="50hz").motion.rate_hz == 50


def test_the_manifest_of_a_data_set_tells_the_rate_and_the_joints(on_robot, tmp_path):
    folder = tmp_path / "set" / "motions" / "a"
    folder.mkdir(parents=True)
    motion = on_robot(CLIPS[1], "unitree_g1")
    motion.save(folder / "dance.npz", layout="any4hdmi", fps=25)
    from panto._layouts import write_manifest

    write_manifest(tmp_path / "set", "unitree_g1", "", motion.joint_names, 25.0, 1)
    read = panto.open_motion(folder / "dance.npz")
    assert read.settled and read.motion.rate_hz == 25 and not any(fact.departs for fact in read.told)
    assert dict((fact.what, fact.value) for fact in read.told)["joint order"] == "as the file names them"
    manifest = tmp_path / "set" / "manifest.json"
    for damage, said in [("{", "JSON"), (manifest.read_text().replace('"root_tx",', ""), "35"), (manifest.read_text().replace("0.04", "-1"), "timestep")]:
        manifest.write_text(damage)
        with pytest.raises(panto.FormatError, match=f"manifest.json.*{said}"):
            panto.open_motion(folder / "dance.npz")
        write_manifest(tmp_path / "set", "unitree_g1", "", motion.joint_names, 25.0, 1)


def test_a_cut_or_broken_file_is_refused_with_its_place(run, on_robot, tmp_path):
    path = written(on_robot(CLIPS[0], "unitree_g1"), tmp_path, "unitree")
    text = path.read_text()
    broken = tmp_path / "broken.csv"
    for damage, said in [(text[: len(text) // 2 + 37], ":"), (text.replace(",", ",nan,", 1), "not finite")]:
        broken.write_text(damage)
        done = run("inspect", broken)
        assert done.returncode == 3 and "broken.csv:" in done.stderr and said in done.stderr, done.stderr


def frames_of(motion, step):
    return zip(motion.base_position[::step], motion.base_quaternion[::step], motion.joint_positions[::step])


def pinocchio_places(file, motion, links, step):
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed: places of bodies are NOT checked with it")
    model = pin.buildModelFromUrdf(str(file), pin.JointModelFreeFlyer())
    data, places = model.createData(), []
    for place, wxyz, joints in frames_of(motion, step):
        q = pin.neutral(model)
        q[:3], q[3:7] = place, wxyz[[1, 2, 3, 0]]
        for name, angle in zip(motion.joint_names, joints):
            q[model.joints[model.getJointId(name)].idx_q] = angle
        pin.framesForwardKinematics(model, data, q)
        places.append([data.oMf[model.getFrameId(link)].translation.copy() for link in links])
    return np.array(places)


def mujoco_places(file, motion, links, step):
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed: places of bodies are NOT checked with it")
    import xml.etree.ElementTree as ElementTree

    tree = ElementTree.parse(file)  # meshes are not needed for places
    for parent in tree.iter():
        for child in [child for child in parent if child.tag == "mesh" or child.get("mesh")]:
            parent.remove(child)
    model = mujoco.MjModel.from_xml_string(ElementTree.tostring(tree.getroot(), encoding="unicode"))
    data, places = mujoco.MjData(model), []
    for place, wxyz, joints in frames_of(motion, step):
        data.qpos[:7] = [*place, *wxyz]
        for name, angle in zip(motion.joint_names, joints):
            data.qpos[model.joint(name).qposadr[0]] = angle
        mujoco.mj_kinematics(model, data)
        places.append([data.body(link).xpos.copy() for link in links])
    return np.array(places)


@pytest.mark.parametrize("oracle, file", [(pinocchio_places, "models/unitree/g1_29dof_rev_1_0.urdf"), (mujoco_places, "models/unitree/g1_29dof_rev_1_0.xml")])
def test_bodies_are_where_the_makers_model_has_them(on_robot, data_file, tmp_path, oracle, file):
    motion = on_robot(CLIPS[1], "unitree_g1")
    for layout in LAYOUTS:
        read = panto.open_motion(written(motion, tmp_path, layout), robot="unitree_g1").motion
        links = [link for link in read.link_names if link.endswith(("pelvis", "roll_link", "yaw_link", "knee_link", "elbow_link"))]
        assert len(links) >= 15
        places = read.link_poses(links)[0][::20]
        assert np.abs(oracle(data_file(file), read, links, 20) - places).max() < 1e-5, layout


def test_bodies_that_a_file_holds_are_those_of_its_joints(on_robot, tmp_path):
    motion = on_robot(CLIPS[1], "unitree_g1")
    for layout in ("mjlab", "isaac-amp"):
        path = written(motion, tmp_path, layout)
        data, read = np.load(path), panto.open_motion(path).motion
        places = read.link_poses([str(name) for name in data["body_names"]])[0]
        assert np.abs(places - data["body_pos_w" if layout == "mjlab" else "body_positions"]).max() < 1e-5, layout


def test_unitrees_own_motion_is_where_the_makers_model_has_it(data_file):
    read = panto.open_motion(data_file("lafan1/unitree_dance1_subject2.csv")).motion
    assert read.model_name == "unitree_g1" and read.rate_hz == 30
    links = ["left_ankle_roll_link", "right_wrist_yaw_link", "torso_link"]
    places = pinocchio_places(data_file("models/unitree/g1_29dof_rev_1_0.urdf"), read, links, 50)
    assert np.abs(places - read.link_poses(links)[0][::50]).max() < 1e-5


def test_a_layout_that_only_the_package_writes_is_named_so_by_the_library():
    from panto import _core, _layouts

    for name in _layouts.LAYOUTS:
        with pytest.raises(panto.ConfigError, match=f"Python package writes the layout '{name}'"):
            _core.layout_extension(name)
