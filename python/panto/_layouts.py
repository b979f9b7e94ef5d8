"""Files for programs that read pickles, joblib, torch, Parquet or folders; the others are written by the library.

docs/formats/layouts.md has all of them, with their readers.
"""

import io
import os
import pathlib
import pickle
import shutil
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

import numpy as np

from panto import _core

if TYPE_CHECKING:
    from panto._results import Motion

Arrays = dict[str, np.ndarray]


def _turned_back(wxyz: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Vectors (T, B, 3) in the frames (T, 4)."""
    w, u = wxyz[:, None, :1], -wxyz[:, None, 1:]
    turned: np.ndarray = v + 2 * np.cross(u, np.cross(u, v) + w * v)
    return turned


def _exponential_map(wxyz: np.ndarray) -> np.ndarray:
    """Rotation vectors (T, 3), at most half a turn long, of quaternions (T, 4)."""
    wxyz = np.where(wxyz[:, :1] < 0, -wxyz, wxyz)
    length = np.linalg.norm(wxyz[:, 1:], axis=1, keepdims=True)
    angle = 2 * np.arctan2(length, wxyz[:, :1])
    return wxyz[:, 1:] * np.where(length > 1e-12, angle / np.maximum(length, 1e-12), 2.0)


def arrays_of(motion: "Motion", layout: str, fps: float) -> Arrays:
    """Returns the members of an archive that the library writes."""
    with np.load(io.BytesIO(motion._core.bytes("motion.npz", "model", layout, fps))) as archive:
        return dict(archive)


def _needs(library: str, layout: str) -> _core.ConfigError:
    return _core.ConfigError(f"the layout {layout} needs {library}: pip install {library}")


def _gmr(motion: "Motion", fps: float, path: pathlib.Path) -> None:
    """GMR's and TWIST2's: places of bodies in the frame of the root, as with the root at the origin."""
    data = arrays_of(motion, "mjlab", fps)
    places = data["body_pos_w"].astype(float)
    turn = data["body_quat_w"][:, 0].astype(float)
    content = {
        "fps": fps,
        "root_pos": places[:, 0],
        "root_rot": turn[:, [1, 2, 3, 0]],
        "dof_pos": data["joint_pos"].astype(float),
        "local_body_pos": _turned_back(turn, places - places[:, :1]).astype(np.float32),
        "link_body_list": [str(name) for name in data["body_names"]],
    }
    path.write_bytes(pickle.dumps(content, protocol=4))


def _mimickit(motion: "Motion", fps: float, path: pathlib.Path) -> None:
    """MimicKit's: rows of root place, exponential map of its turn, joints; loop mode 1: its last frame is its first."""
    data = arrays_of(motion, "mjlab", fps)
    turn = _exponential_map(data["body_quat_w"][:, 0].astype(float))
    frames = np.hstack([data["body_pos_w"][:, 0], turn, data["joint_pos"]])
    path.write_bytes(pickle.dumps({"loop_mode": int(motion.loops), "fps": fps, "frames": frames.tolist()}, protocol=4))


#: rows of zeros after the bodies in `pose_aa`: ends that its readers add (a head, two hands); they cut off what is too many
_PHC_ENDS = 3


def _phc(motion: "Motion", fps: float, path: pathlib.Path) -> None:
    """PHC's, ASAP's, PBHC's, SONIC's for training: `pose_aa` are the root's turn, then axis times angle of each joint."""
    try:
        import joblib
    except ImportError:
        raise _needs("joblib", "phc") from None
    data = arrays_of(motion, "mjlab", fps)
    turn, angles = data["body_quat_w"][:, 0].astype(float), data["joint_pos"].astype(float)
    of_name = dict(zip(motion.joint_names, motion._core.joint_axes()))
    axes = np.array([of_name[str(name)] for name in data["joint_names"]])
    frames, joints = angles.shape
    pose = np.zeros((frames, 1 + joints + _PHC_ENDS, 3))
    pose[:, 0] = _exponential_map(turn)
    pose[:, 1 : 1 + joints] = angles[..., None] * axes
    clip = {
        "root_trans_offset": data["body_pos_w"][:, 0].astype(float),
        "pose_aa": pose,
        "dof": angles,
        "root_rot": turn[:, [1, 2, 3, 0]],
        "smpl_joints": np.zeros((frames, 24, 3)),
        "fps": int(fps) if fps == int(fps) else fps,
    }
    joblib.dump({path.stem.removesuffix(".pkl"): clip}, path)


def _protomotions(motion: "Motion", fps: float, path: pathlib.Path) -> None:
    """ProtoMotions' RobotState of a motion; a foot is in contact where its heel or ball is."""
    try:
        import torch
    except ImportError:
        raise _needs("torch", "protomotions") from None
    data = arrays_of(motion, "mjlab", fps)
    at = np.clip(np.searchsorted(motion.times, motion.times[0] + np.arange(len(data["joint_pos"])) / fps - 1e-9), 0, len(motion) - 1)
    names = [str(name) for name in data["body_names"]]
    contacts = np.zeros((len(at), len(names)), bool)
    for link, (heel, ball) in motion.contacts.items():
        if link in names:
            contacts[:, names.index(link)] = (heel | ball)[at]
    content = {
        "dof_pos": data["joint_pos"],
        "dof_vel": data["joint_vel"],
        "rigid_body_pos": data["body_pos_w"],
        "rigid_body_rot": data["body_quat_w"][..., [1, 2, 3, 0]],
        "rigid_body_vel": data["body_lin_vel_w"],
        "rigid_body_ang_vel": data["body_ang_vel_w"],
        "rigid_body_contacts": contacts,
    }
    torch.save({**{key: torch.from_numpy(np.ascontiguousarray(value)) for key, value in content.items()}, "fps": fps}, path)


def _locomujoco(motion: "Motion", fps: float, path: pathlib.Path) -> None:
    """LocoMuJoCo's Trajectory, as its own class saves it: one trajectory, its free joint is called `root`."""
    data = arrays_of(motion, "mujoco", fps)
    names = ["root", *(str(name) for name in data["joint_names"])]
    free, slide, hinge = 0, 2, 3  # mjtJoint
    linear = dict(zip(motion.joint_names, motion._core.joint_slides()))
    kinds = [free, *(slide if linear[name] else hinge for name in names[1:])]
    with path.open("wb") as file:
        np.savez(
            file,
            qpos=data["qpos"],
            qvel=data["qvel"],
            split_points=np.array([0, len(data["qpos"])]),
            joint_names=np.array(names),
            frequency=np.array(fps),
            njnt=np.array(len(names)),
            jnt_type=np.array(kinds),
        )


def _table(path: pathlib.Path, name: str, columns: list[str], values: np.ndarray) -> None:
    with (path / name).open("w", encoding="ascii") as file:
        file.write(",".join(columns) + "\n")
        np.savetxt(file, values, delimiter=",", fmt="%.9g")


def _sonic(motion: "Motion", fps: float, path: pathlib.Path) -> None:
    """SONIC's reference folder: joints in Isaac's order, the root alone of the bodies."""
    joints, root = arrays_of(motion, "beyondmimic", fps), arrays_of(motion, "mjlab", fps)
    count = joints["joint_pos"].shape[1]
    path.mkdir()
    _table(path, "joint_pos.csv", [f"joint_{i}" for i in range(count)], joints["joint_pos"])
    _table(path, "joint_vel.csv", [f"joint_vel_{i}" for i in range(count)], joints["joint_vel"])
    for name, key, middle, axes in (
        ("body_pos", "body_pos_w", "", "xyz"),
        ("body_quat", "body_quat_w", "", "wxyz"),
        ("body_lin_vel", "body_lin_vel_w", "vel_", "xyz"),
        ("body_ang_vel", "body_ang_vel_w", "angvel_", "xyz"),
    ):
        _table(path, f"{name}.csv", [f"body_0_{middle}{axis}" for axis in axes], root[key][:, 0])
    name = path.name.removesuffix(".part")
    head = f"Metadata for: {name}\n{'=' * 30}\n\n"
    (path / "metadata.txt").write_text(f"{head}Body part indexes:\n[0]\n\nTotal timesteps: {len(root['joint_pos'])}\n", encoding="utf-8")


def _lerobot(motion: "Motion", fps: float, path: pathlib.Path) -> None:
    from panto._lerobot import Writer

    data = arrays_of(motion, "mujoco", fps)
    with Writer(path, fps, motion.model_name, [str(name) for name in data["joint_names"]]) as writer:
        writer.add(path.name.removesuffix(".part"), data["qpos"])


class Layout(NamedTuple):
    """A layout that is written here."""

    extension: str  #: of its file; "": a folder
    rate_hz: float  #: that its reader expects; 0: any
    write: Callable[["Motion", float, pathlib.Path], None]


LAYOUTS = {
    "gmr": Layout(".pkl", 0, _gmr),
    "twist2": Layout(".pkl", 0, _gmr),
    "mimickit": Layout(".pkl", 0, _mimickit),
    "phc": Layout(".pkl", 30, _phc),
    "sonic": Layout("", 50, _sonic),
    "protomotions": Layout(".motion", 30, _protomotions),
    "locomujoco": Layout(".npz", 0, _locomujoco),
    "lerobot": Layout("", 50, _lerobot),
}


def layouts() -> list[str]:
    """Returns the names of the layouts of other programs that `Motion.save` writes."""
    return [*_core.layout_names(), *LAYOUTS]


def check_layout(layout: Optional[str], fps: Optional[float]) -> None:
    """Raises ConfigError for an unknown layout, and for a rate that no program reads."""
    if layout is not None and layout not in layouts():
        raise _core.ConfigError(_core.unknown_name("layout", layout, "Panto", layouts()))
    if fps is not None and not 1.0 <= fps <= 1000.0:
        raise _core.ConfigError(f"fps is {fps:g}, must be 1 to 1000 frames per second")


def extension_of(layout: str) -> str:
    """Returns the extension of a layout's files, "": folders."""
    return LAYOUTS[layout].extension if layout in LAYOUTS else _core.layout_extension(layout)


def rate_of(layout: str) -> float:
    """Returns the rate that a layout's reader expects [Hz]; 0: any."""
    return LAYOUTS[layout].rate_hz if layout in LAYOUTS else _core.layout_rate(layout)


def save_layout(motion: "Motion", path: pathlib.Path, name: str, fps: Optional[float]) -> None:
    """Writes a motion in a layout of this file; it appears complete or not at all."""
    layout = LAYOUTS[name]
    if path.suffix != layout.extension and layout.extension:
        raise _core.ConfigError(f"output '{path}': the layout {name} is a {layout.extension} file")
    rate = float((layout.rate_hz or motion.rate_hz) if fps is None else fps)
    if not layout.extension and path.exists():
        raise _core.Error(f"output '{path}': the layout {name} is a new folder, and this exists; remove it, or choose another name")
    part = path.with_name(path.name + ".part")
    taken = _core.Error(f"output '{path}': '{part}' exists; another run writes it, or left it: remove it then")
    try:
        if part.is_dir():
            raise taken
        if layout.extension:
            part.open("xb").close()
    except FileExistsError:
        raise taken from None
    except OSError as error:
        raise _core.Error(f"output '{path}': cannot be written: {error.strerror}") from None
    try:
        layout.write(motion, rate, part)
        part.replace(path)
    except BaseException as error:
        shutil.rmtree(part) if part.is_dir() else part.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _core.Error(f"output '{path}': cannot be written: {error.strerror or error}") from None
        raise


def write_manifest(folder: pathlib.Path, robot: str, file: str, joints: list[str], fps: float, count: int) -> None:
    """Writes the manifest that makes a folder with `motions/` a data set of any4hdmi. file: the robot's, if it is an MJCF."""
    import json

    known = {"unitree_g1": "hf://elijahgalahad/g1_xmls@main/g1.xml"}
    names = [f"root_{part}" for part in ("tx", "ty", "tz", "qw", "qx", "qy", "qz")] + joints
    content: dict[str, Any] = {
        "format_version": 2,
        "dataset_name": folder.name,
        "mjcf": os.path.relpath(file, folder) if file.endswith(".xml") else known.get(robot, ""),
        "motions_subdir": "motions",
        "timestep": 1.0 / fps,
        "qpos_dim": len(names),
        "qpos_names": names,
        "num_motions": count,
        "source": {"fps": fps, "program": f"panto {_core.version}"},
    }
    part = folder / ".manifest.json.part"
    part.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    part.replace(folder / "manifest.json")
