"""Layouts that the Python package writes, against what their readers do: written again from their source, or their own code.

The motion is asymmetric, turns and leans, so that a swapped quaternion, order, unit or frame shows.
"""

import io
import json
import pathlib
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from package import panto

# columns of Unitree's order in Isaac's (GR00T-WholeBodyControl, MUJOCO_TO_ISAACLAB)
ISAAC = [0, 6, 12, 1, 7, 13, 2, 8, 14, 3, 9, 15, 22, 4, 10, 16, 23, 5, 11, 17, 24, 18, 25, 19, 26, 20, 27, 21, 28]


@pytest.fixture(scope="module")
def motion(data_file):
    return panto.retarget(data_file("bvh/cmu/005_02.bvh"), "g1", collisions="off").motion


def rates(values, fps):
    return (values[2:] - values[:-2]) * fps / 2


def test_phc_joblib_gives_the_poses_of_the_makers_model(motion, data_file, tmp_path):
    joblib = pytest.importorskip("joblib", reason="joblib is not installed: the layout phc is NOT tested")
    motion.save(tmp_path / "dance.pkl", layout="phc")
    ((name, clip),) = joblib.load(tmp_path / "dance.pkl").items()  # PHC phc/utils/motion_lib_base.py
    assert name == "dance" and clip["fps"] == 30 and set(clip) == {"root_trans_offset", "pose_aa", "dof", "root_rot", "smpl_joints", "fps"}
    frames = len(clip["dof"])
    assert clip["dof"].shape == (frames, 29) and clip["root_rot"].shape == (frames, 4) and clip["smpl_joints"].shape == (frames, 24, 3)
    assert clip["pose_aa"].shape == (frames, 33, 3) and np.all(clip["pose_aa"][:, 30:] == 0), "30 bodies, 3 ends"
    assert np.allclose(Rotation.from_quat(clip["root_rot"]).as_matrix(), Rotation.from_rotvec(clip["pose_aa"][:, 0]).as_matrix(), atol=1e-12)
    # the readers' forward kinematics (torch_humanoid_batch.py): every body in depth-first order, R_parent R_body exp(pose_aa)
    at, places, turns, names = 37, [], [], []

    def visit(body, parent):
        i = len(names)
        names.append(body.get("name"))
        offset = np.fromstring(body.get("pos", "0 0 0"), sep=" ")
        own = np.fromstring(body.get("quat", "1 0 0 0"), sep=" ")
        turn = Rotation.from_rotvec(clip["pose_aa"][at, i])
        if parent is None:
            places.append(clip["root_trans_offset"][at])
            turns.append(turn)
        else:
            places.append(places[parent] + turns[parent].apply(offset))
            turns.append(turns[parent] * Rotation.from_quat(own[[1, 2, 3, 0]]) * turn)
        for child in body.findall("body"):
            visit(child, i)

    visit(ElementTree.parse(data_file("models/unitree/g1_29dof_rev_1_0.xml")).getroot().find("worldbody").find("body"), None)
    assert len(names) == 30
    data = np.load(io.BytesIO(motion.to_bytes("m.npz", layout="mjlab", fps=30)))
    for place, turn, body in zip(places, turns, names):
        i = list(data["body_names"]).index(body)
        assert np.allclose(place, data["body_pos_w"][at, i], atol=1e-5), body
        assert abs(turn.as_quat()[[3, 0, 1, 2]] @ data["body_quat_w"][at, i]) > 1 - 1e-6, body


def read_reference(folder):
    """As MotionDataReader of SONIC's deployment (gear_sonic_deploy, motion_data_reader.hpp): a head is skipped."""
    tables = {path.stem: np.loadtxt(path, delimiter=",", skiprows=1) for path in folder.glob("*.csv")}
    lines = (folder / "metadata.txt").read_text().splitlines()
    indexes = lines[[i for i, line in enumerate(lines) if "Body part indexes:" in line][0] + 1]
    steps = int([line for line in lines if "Total timesteps:" in line][0].split()[2])
    return tables, indexes, steps


def test_sonic_reads_its_reference_folder_in_isaacs_order(motion, tmp_path):
    motion.save(tmp_path / "dance", layout="sonic")
    tables, indexes, steps = read_reference(tmp_path / "dance")
    assert set(tables) == {"joint_pos", "joint_vel", "body_pos", "body_quat", "body_lin_vel", "body_ang_vel"}
    assert indexes == "[0]" and all(len(table) == steps for table in tables.values())
    expected = np.load(io.BytesIO(motion.to_bytes("m.npz", layout="mujoco", fps=50)))
    assert np.allclose(tables["joint_pos"], expected["qpos"][:, 7:][:, ISAAC], atol=1e-6)
    assert np.allclose(tables["body_pos"], expected["qpos"][:, :3], atol=1e-6)
    assert np.allclose(np.abs(np.sum(tables["body_quat"] * expected["qpos"][:, 3:7], axis=1)), 1, atol=1e-6), "w x y z"
    assert np.abs(rates(tables["joint_pos"], 50) - tables["joint_vel"][1:-1]).max() < 1e-3
    assert np.abs(rates(tables["body_pos"], 50) - tables["body_lin_vel"][1:-1]).max() < 1e-3
    with pytest.raises(panto.Error, match="exists"):
        motion.save(tmp_path / "dance", layout="sonic")


def test_locomujoco_loads_a_trajectory_of_known_keys(motion, tmp_path):
    motion.save(tmp_path / "dance.npz", layout="locomujoco", fps=40)
    data = np.load(tmp_path / "dance.npz")  # loco_mujoco/trajectory/dataclasses.py: any other key raises
    assert set(data.files) == {"qpos", "qvel", "split_points", "joint_names", "frequency", "njnt", "jnt_type"}
    frames = len(data["qpos"])
    assert data["qpos"].shape == (frames, 36) and data["qvel"].shape == (frames, 35) and list(data["split_points"]) == [0, frames]
    assert data["joint_names"][0] == "root" and data["joint_names"][1] == "left_hip_pitch_joint" and data["frequency"] == 40
    assert int(data["njnt"]) == 30 and list(data["jnt_type"]) == [0] + [3] * 29, "mjJNT_FREE, mjJNT_HINGE"
    trajectory = pytest.importorskip("loco_mujoco.trajectory", reason="loco-mujoco is not installed: its own loader is NOT run")
    loaded = trajectory.Trajectory.load(str(tmp_path / "dance.npz"))
    assert loaded.info.frequency == 40 and loaded.data.qpos.shape == (frames, 36)
    assert list(loaded.info.joint_name2ind_qpos["left_hip_pitch_joint"]) == [7]


def test_protomotions_loads_a_state_of_torch_tensors(motion, tmp_path):
    torch = pytest.importorskip("torch", reason="torch is not installed: the layout protomotions is NOT tested")
    motion.save(tmp_path / "dance.motion", layout="protomotions")
    data = torch.load(tmp_path / "dance.motion", weights_only=True)  # protomotions/components/motion_lib.py
    frames = len(data["dof_pos"])
    shapes = {"dof_pos": (29,), "dof_vel": (29,), "rigid_body_pos": (30, 3), "rigid_body_rot": (30, 4), "rigid_body_vel": (30, 3)}
    shapes.update(rigid_body_ang_vel=(30, 3), rigid_body_contacts=(30,))
    assert set(data) == {*shapes, "fps"} and data["fps"] == 30
    for name, shape in shapes.items():
        assert tuple(data[name].shape) == (frames, *shape), name
    expected = np.load(io.BytesIO(motion.to_bytes("m.npz", layout="mjlab", fps=30)))
    assert np.array_equal(data["rigid_body_rot"].numpy(), expected["body_quat_w"][..., [1, 2, 3, 0]]), "x y z w"
    contacts = data["rigid_body_contacts"].numpy()
    feet = [i for i, name in enumerate(expected["body_names"]) if "ankle_roll" in str(name)]
    assert contacts.dtype == bool and contacts[:, feet].any() and not np.delete(contacts, feet, axis=1).any()
    heights = expected["body_pos_w"][:, feet, 2]
    assert np.median(heights[contacts[:, feet]]) < 0.06, "an ankle 3.5 cm over its sole"


def test_any4hdmi_loads_qpos_and_a_data_set_has_its_manifest(motion, tmp_path):
    motion.save(tmp_path / "dance.npz", layout="any4hdmi")
    data = np.load(tmp_path / "dance.npz", allow_pickle=False)  # any4hdmi/core/format.py
    assert data.files == ["qpos"] and data["qpos"].dtype == np.float32 and data["qpos"].shape[1] == 36
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: the data set is NOT tested")
    walk = pathlib.Path(__file__).resolve().parents[2] / "examples" / "data" / "walk.bvh"
    panto.batch(walk, "g1", tmp_path / "set", layout="any4hdmi", workers=1, reports=0)
    manifest = json.loads((tmp_path / "set" / "manifest.json").read_text())
    assert manifest["format_version"] == 2 and manifest["timestep"] == 0.02 and manifest["num_motions"] == 1
    assert manifest["qpos_dim"] == len(manifest["qpos_names"]) == 36 and manifest["qpos_names"][3] == "root_qw"
    (clip,) = (tmp_path / "set" / manifest["motions_subdir"]).rglob("*.npz")
    assert np.load(clip)["qpos"].shape == (249, 36), "4.97 s at 50 Hz"


def test_lerobot_loads_its_data_set(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed: the layout lerobot is NOT tested")
    pytest.importorskip("pandas", reason="pandas is not installed: the layout lerobot is NOT tested")
    walk = pathlib.Path(__file__).resolve().parents[2] / "examples" / "data" / "walk.bvh"
    (tmp_path / "in").mkdir()
    for name in ("a", "b"):
        (tmp_path / "in" / f"{name}.bvh").write_bytes(walk.read_bytes())
    panto.batch(tmp_path / "in", "g1", tmp_path / "set", layout="lerobot", workers=1, reports=0)
    root = tmp_path / "set" / "lerobot"
    info = json.loads((root / "meta" / "info.json").read_text())  # lerobot/datasets/dataset_metadata.py, v3.0
    assert info["codebase_version"] == "v3.0" and info["fps"] == 50 and info["total_episodes"] == 2 and info["total_frames"] == 498
    assert info["features"]["observation.state"]["names"][:4] == ["kLeftHipPitch.q", "kLeftHipRoll.q", "kLeftHipYaw.q", "kLeftKnee.q"]
    table = parquet.read_table(root / info["data_path"].format(chunk_index=0, file_index=0)).to_pydict()
    assert table["index"] == list(range(498)) and table["episode_index"][248:250] == [0, 1] and table["frame_index"][249] == 0
    assert table["timestamp"][1] == pytest.approx(0.02, abs=1e-7)
    assert table["action"][10] == table["observation.state"][11] and table["action"][248] == table["observation.state"][248]
    motion = panto.retarget(walk, "g1").motion
    motion.save(tmp_path / "one", layout="lerobot")
    alone = parquet.read_table(tmp_path / "one" / "data" / "chunk-000" / "file-000.parquet").to_pydict()
    assert alone["observation.state"] == table["observation.state"][:249]
    assert np.allclose(alone["observation.state"][0], motion.joint_positions[0], atol=1e-6)
    datasets = pytest.importorskip("lerobot.datasets.lerobot_dataset", reason="lerobot is not installed: its own loader is NOT run")
    loaded = datasets.LeRobotDataset("panto/walk", root=root)
    assert loaded.num_episodes == 2 and loaded.num_frames == 498
    item = loaded[300]
    assert item["task"] == "b" and np.allclose(item["observation.state"].numpy(), table["observation.state"][300])


@pytest.mark.parametrize("layout, name", [("gmr", "m.pkl"), ("phc", "m.pkl"), ("sonic", "m"), ("locomujoco", "m.npz"), ("lerobot", "m")])
def test_a_motion_that_cannot_be_written_leaves_nothing_behind(motion, tmp_path, layout, name):
    with pytest.raises(panto.Error, match="cannot be written|needs"):
        motion.save(tmp_path / "nowhere" / name, layout=layout)
    other = "m.txt" if "." in name else None
    if other:
        with pytest.raises(panto.ConfigError, match=name[1:]):
            motion.save(tmp_path / other, layout=layout)
    assert list(tmp_path.iterdir()) == []
