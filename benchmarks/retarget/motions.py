"""Reads a robot's motion from any of the layouts that people exchange: base, joints, and velocities where the file has them."""

import dataclasses
import pathlib
import pickle

import numpy as np


class Unusable(Exception):
    """A file that cannot be judged; the text says which, why and what to do."""


@dataclasses.dataclass
class Motion:
    rate: float  # [Hz]
    place: np.ndarray  # (n, 3), of the base [m]
    quaternion: np.ndarray  # (n, 4), of the base, wxyz
    angles: np.ndarray  # (n, joints) [rad]
    joints: "list | None" = None  # names; None: the order of the robot's file
    rates: "np.ndarray | None" = None  # as published [rad/s]
    velocity: "np.ndarray | None" = None  # of the base, as published [m/s]

    def __len__(self):
        return len(self.place)


def read(path, rate=30.0):
    """Reads a motion by its extension; `rate` is for files that do not hold theirs."""
    path = pathlib.Path(path)
    readers = {".csv": unitree_csv, ".pkl": gmr_pickle, ".npz": npz}
    if path.suffix not in readers:
        raise Unusable(f"{path}: not a motion; known are .csv (Unitree), .pkl (GMR) and .npz (Panto, or qpos)")
    try:
        motion = readers[path.suffix](path, rate)
    except (OSError, ValueError, KeyError, EOFError, pickle.UnpicklingError) as problem:
        raise Unusable(f"{path}: {problem}") from problem
    lengths = np.linalg.norm(motion.quaternion, axis=1)
    if len(motion) < 3 or not np.isfinite(motion.angles).all() or np.abs(lengths - 1).max() > 1e-2:
        raise Unusable(f"{path}: needs 3 frames or more, finite angles and unit quaternions")
    motion.quaternion = motion.quaternion / lengths[:, None]
    return motion


def unitree_csv(path, rate):
    """Unitree's LAFAN1 set: no header; x y z, quaternion xyzw, joints in the order of the maker's file; 30 Hz."""
    rows = np.loadtxt(path, delimiter=",", ndmin=2)
    if rows.shape[1] < 8:
        raise ValueError(f"{rows.shape[1]} columns, needs x y z, quaternion xyzw and joints")
    return Motion(rate, rows[:, :3], rows[:, [6, 3, 4, 5]], rows[:, 7:])


class ArraysOnly(pickle.Unpickler):
    """Rebuilds arrays and plain values; refuses every other class, since a pickle can run code."""

    ALLOWED = {("numpy", "ndarray"), ("numpy", "dtype"), ("_codecs", "encode")}

    def find_class(self, module, name):
        if (module, name) in self.ALLOWED or (module.endswith(".multiarray") and name in ("_reconstruct", "scalar")):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"holds {module}.{name}; only arrays and numbers are read from a pickle")


def gmr_pickle(path, rate):
    """GMR's pickle: fps, root_pos, root_rot (xyzw), dof_pos in the order of the maker's file."""
    with open(path, "rb") as file:
        content = ArraysOnly(file).load()
    rotation = np.asarray(content["root_rot"], float)
    return Motion(float(content.get("fps", rate)), np.asarray(content["root_pos"], float), rotation[:, [3, 0, 1, 2]],
                  np.asarray(content["dof_pos"], float))  # fmt: skip


def npz(path, rate):
    """Panto's archive, or `qpos` of MuJoCo with `fps` or `frequency` where known."""
    content = np.load(path, allow_pickle=False)
    if "qpos" in content:
        given = next((float(np.ravel(content[key])[0]) for key in ("fps", "frequency", "rate_hz") if key in content), rate)
        q = np.asarray(content["qpos"], float)
        return Motion(given, q[:, :3], q[:, 3:7], q[:, 7:])
    if "base_position" not in content:
        raise ValueError(f"has neither qpos nor base_position, but {', '.join(content)}")
    return Motion(float(content["rate_hz"]), content["base_position"], content["base_quaternion_wxyz"], content["joint_position"],
                  [str(name) for name in content["joint_names"]], content["joint_velocity"], content["base_linear_velocity"])  # fmt: skip
