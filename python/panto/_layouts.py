"""Files for programs that read pickles; the others are written by the library (docs/formats/layouts.md)."""

import io
import pathlib
import pickle
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from panto import _core

if TYPE_CHECKING:
    from panto._results import Motion

#: name -> extension of the file
PICKLES = {"gmr": ".pkl", "twist2": ".pkl", "mimickit": ".pkl"}


def extension_of(layout: str) -> str:
    """Returns the extension of a layout's files. Raises ConfigError for an unknown layout."""
    return PICKLES[layout] if layout in PICKLES else _core.layout_extension(layout)


def check_layout(layout: str) -> None:
    """Raises ConfigError for an unknown layout."""
    extension_of(layout)


def _turned_back(wxyz: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Vectors (T, B, 3) in the frames (T, 4)."""
    w, u = wxyz[:, None, :1], -wxyz[:, None, 1:]
    return v + 2 * np.cross(u, np.cross(u, v) + w * v)


def _exponential_map(wxyz: np.ndarray) -> np.ndarray:
    """Rotation vectors (T, 3), at most half a turn long, of quaternions (T, 4)."""
    wxyz = np.where(wxyz[:, :1] < 0, -wxyz, wxyz)
    length = np.linalg.norm(wxyz[:, 1:], axis=1, keepdims=True)
    angle = 2 * np.arctan2(length, wxyz[:, :1])
    return wxyz[:, 1:] * np.where(length > 1e-12, angle / np.maximum(length, 1e-12), 2.0)


def _gmr(data: dict[str, np.ndarray], fps: float) -> dict[str, Any]:
    """GMR's and TWIST2's: places of bodies in the frame of the root, as with the root at the origin."""
    places = data["body_pos_w"].astype(float)
    turn = data["body_quat_w"][:, 0].astype(float)
    return {
        "fps": fps,
        "root_pos": places[:, 0],
        "root_rot": turn[:, [1, 2, 3, 0]],
        "dof_pos": data["joint_pos"].astype(float),
        "local_body_pos": _turned_back(turn, places - places[:, :1]).astype(np.float32),
        "link_body_list": [str(name) for name in data["body_names"]],
    }


def _mimickit(data: dict[str, np.ndarray], fps: float) -> dict[str, Any]:
    """MimicKit's: rows of root place, exponential map of its turn, joints; 0: the clip is not a loop."""
    turn = _exponential_map(data["body_quat_w"][:, 0].astype(float))
    frames = np.hstack([data["body_pos_w"][:, 0], turn, data["joint_pos"]])
    return {"loop_mode": 0, "fps": fps, "frames": frames.tolist()}


def save_pickle(motion: "Motion", path: pathlib.Path, layout: str, fps: Optional[float]) -> None:
    """Writes a motion for a program that reads pickles; the file appears complete or not at all."""
    rate = float(motion.rate_hz if fps is None else fps)
    with np.load(io.BytesIO(motion.to_bytes("motion.npz", layout="mjlab", fps=rate))) as archive:
        data = dict(archive)
    content = _mimickit(data, rate) if layout == "mimickit" else _gmr(data, rate)
    part = path.with_name(path.name + ".part")
    try:
        file = part.open("xb")
    except FileExistsError:
        raise _core.Error(f"output '{path}': '{part}' exists; another run writes it, or left it: remove it then") from None
    except OSError as error:
        raise _core.Error(f"output '{path}': cannot be written: {error.strerror}") from None
    try:
        with file:
            pickle.dump(content, file, protocol=4)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
