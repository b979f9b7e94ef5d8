"""Files that need a library of Python: opened here, handed on as the arrays that the C++ readers take.

Nothing is unpickled: torch loads weights only, ezc3d reads a format without code.
"""

import io
import os
from typing import Any, Callable, Optional

import numpy as np

from panto import _core


def _npz(arrays: dict[str, Any]) -> bytes:
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def _missing(path: str, library: str, extra: str) -> _core.ConfigError:
    return _core.ConfigError(f"{path}: reading it needs {library}, which is not installed: pip install {extra}")


def _torch(path: str) -> bytes:
    """GVHMR's hmr4d_results.pt (as its demo.py writes it), and files of the same names: WHAM, AMASS-like, with tensors."""
    try:
        import torch
    except ImportError:
        raise _missing(path, "torch", "torch") from None
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # whatever torch's unpickler raises: it names what it refused
        raise _core.FormatError(f"{path}: torch.load(weights_only=True) refuses it: {str(error).splitlines()[0]}") from None
    if not isinstance(content, dict):
        raise _core.FormatError(f"{path}: holds a {type(content).__name__}, not named arrays")
    # the world's before the camera's, in which people lie down
    inner = next((content[key] for key in ("smpl_params_global", "smpl_params_world") if isinstance(content.get(key), dict)), content)
    if inner is content and isinstance(content.get("smpl_params_incam"), dict):
        raise _core.FormatError(f"{path}: holds smpl_params_incam only, in the camera's axes; give the file with smpl_params_global")
    arrays = {}
    for key, value in {**content, **inner}.items():
        if isinstance(value, torch.Tensor):
            arrays[key] = value.detach().cpu().numpy()
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            arrays[key] = np.array(float(value))
    if not arrays:
        raise _core.FormatError(f"{path}: holds no tensors of a motion (keys: {', '.join(map(str, list(content)[:8]))})")
    return _npz(arrays)


def _c3d(path: str) -> bytes:
    """Markers of a C3D file; those whose residual is negative were not seen (c3d.org, 3D data section)."""
    try:
        import ezc3d
    except ImportError:
        raise _missing(path, "ezc3d", "panto[c3d]") from None
    try:
        file = ezc3d.c3d(path)
    except Exception as error:  # ezc3d raises IOError and RuntimeError
        raise _core.FormatError(f"{path}: ezc3d cannot read it: {str(error).splitlines()[0]}") from None
    points = file["data"]["points"]
    if points.shape[1] == 0 or points.shape[2] == 0:
        raise _core.FormatError(f"{path}: holds no markers; analog channels alone are no motion")
    facts = file["parameters"]["POINT"]
    names = [str(name).strip() for name in facts["LABELS"]["value"]]
    # more than 255 labels continue in LABELS2, LABELS3 ...
    for number in range(2, 100):
        names += [str(name).strip() for name in facts.get(f"LABELS{number}", {"value": []})["value"]]
    if len(names) < points.shape[1]:
        raise _core.FormatError(f"{path}: {points.shape[1]} markers, but only {len(names)} labels")
    positions = np.moveaxis(points[:3], 0, -1).swapaxes(0, 1).copy()
    residuals = file["data"]["meta_points"]["residuals"][0].T
    positions[residuals < 0] = np.nan
    arrays: dict[str, Any] = {"keypoints": positions, "names": np.array(names[: points.shape[1]])}
    rate = float(file["parameters"]["POINT"]["RATE"]["value"][0])
    if rate > 0:
        arrays["fps"] = rate
    units = facts.get("UNITS", {"value": []})["value"]
    if units and str(units[0]).strip().lower() in ("m", "cm", "mm"):
        arrays["unit"] = np.array(str(units[0]).strip().lower())
    return _npz(arrays)


_READERS: dict[str, Callable[[str], bytes]] = {".pt": _torch, ".pth": _torch, ".c3d": _c3d}


def arrays_of(path: str) -> Optional[bytes]:
    """The content of a file that only Python can read, as an .npz; None for all others."""
    read = _READERS.get(os.path.splitext(path)[1].lower())
    if read is None or not os.path.isfile(path):
        return None
    return read(path)
