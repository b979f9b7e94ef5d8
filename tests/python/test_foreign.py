"""Files that Python libraries open for Panto: C3D by ezc3d, PyTorch by torch. What they hold is read as from other formats."""

import sys
import types

import numpy as np
import pytest

from package import panto

MARKERS = "opensim/Gait2392_Simbody_subject01_walk1.trc"


def markers(path):
    lines = path.read_text().splitlines()
    names = [name for name in lines[3].split("\t")[2:] if name.strip()]
    rows = [[float(cell) if cell.strip() else np.nan for cell in line.split("\t")[2 : 2 + 3 * len(names)]] for line in lines[5:] if line.strip()]
    return names, np.array(rows).reshape(len(rows), len(names), 3)


def test_c3d_is_read_as_the_same_markers_in_trc(data_file, tmp_path):
    ezc3d = pytest.importorskip("ezc3d", reason="ezc3d is not installed: C3D is NOT tested")
    names, p = markers(data_file(MARKERS))
    file = ezc3d.c3d()
    file["parameters"]["POINT"]["RATE"]["value"] = [60.0]
    file["parameters"]["POINT"]["UNITS"]["value"] = ["mm"]
    file["parameters"]["POINT"]["LABELS"]["value"] = names
    p[10:14, 3] = np.nan  # what ezc3d writes with a residual of -1
    points = np.ones((4, len(names), len(p)))
    points[:3] = np.moveaxis(p, (0, 1, 2), (2, 1, 0))
    file["data"]["points"] = points
    file.write(str(tmp_path / "walk.c3d"))
    read, same = panto.open(tmp_path / "walk.c3d"), panto.open(data_file(MARKERS))
    assert (read.frames, read.rate_hz, read.up) == (len(p), 60.0, "y")
    a, b = read.samples(), same.samples()
    i = list(read.segment_names).index("Pelvis")
    assert np.nanmax(np.abs(a.positions[:, i, 2] - b.positions[:, i, 2])) < 2e-3, "single precision, and a gap that is filled"
    assert np.nanmax(1 - np.abs(np.sum(a.orientations * b.orientations, -1))) < 1e-3 or read.format.startswith("npz")
    (tmp_path / "cut.c3d").write_bytes((tmp_path / "walk.c3d").read_bytes()[:600])
    with pytest.raises(panto.FormatError, match="cut.c3d"):
        panto.open(tmp_path / "cut.c3d")


@pytest.mark.parametrize("library, file", [("ezc3d", "a.c3d"), ("torch", "a.pt")])
def test_a_library_that_is_missing_is_named_with_its_installation(library, file, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    (tmp_path / file).write_bytes(b"x")
    with pytest.raises(panto.ConfigError, match=f"needs {library}.*pip install"):
        panto.open(tmp_path / file)


class Tensor:
    def __init__(self, values):
        self.values = np.asarray(values, np.float32)

    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return self.values


def stand(content, monkeypatch):
    """A stand-in for torch, which is too large for these tests: it has what panto uses of it, and refuses to unpickle code."""

    def load(path, map_location, weights_only):
        assert weights_only and map_location == "cpu"
        if content is None:
            raise RuntimeError("Weights only load failed: GLOBAL os.system\nmore")
        return content

    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(load=load, Tensor=Tensor))


def test_gvhmr_is_read_in_the_world_not_in_the_camera(tmp_path, monkeypatch):
    frames = 60
    pose = {
        "body_pose": Tensor(np.full((frames, 63), 0.1)),  # no rest pose, which would be dropped
        "betas": Tensor(np.zeros((frames, 10))),
        "global_orient": Tensor(np.zeros((frames, 3))),
        "transl": Tensor(np.c_[np.linspace(0, 1, frames), np.full(frames, 0.9), np.zeros(frames)]),
    }
    lying = {**pose, "global_orient": Tensor(np.tile([np.pi, 0, 0], (frames, 1)))}
    (tmp_path / "hmr4d_results.pt").write_bytes(b"PK")
    stand({"smpl_params_global": pose, "smpl_params_incam": lying, "K_fullimg": Tensor(np.eye(3))}, monkeypatch)
    recording = panto.open(tmp_path / "hmr4d_results.pt", height=1.8)
    assert recording.up == "y" and recording.frames == frames and "smpl" in recording.format
    pelvis = recording.samples().positions[:, list(recording.segment_names).index("Pelvis")]
    assert np.linalg.norm(pelvis[-1, :2] - pelvis[0, :2]) == pytest.approx(1.0, abs=1e-6)
    stand({"smpl_params_incam": lying}, monkeypatch)
    with pytest.raises(panto.FormatError, match="smpl_params_incam only"):
        panto.open(tmp_path / "hmr4d_results.pt")
    stand(None, monkeypatch)
    with pytest.raises(panto.FormatError, match="refuses it: Weights only load failed: GLOBAL os.system$"):
        panto.open(tmp_path / "hmr4d_results.pt")


def squats(seconds, height, tmp_path, name, seed):
    """A person of SMPL who squats and sways on flat feet: the pelvis goes where legs of this height carry it."""
    frames = int(60 * seconds)
    t = np.arange(frames) / 60
    rng = np.random.default_rng(seed)
    hip = -0.6 - 0.5 * np.sin(2 * np.pi * (0.3 * t + rng.random()))  # flexion, about x to the left
    knee = 1.0 + 0.6 * np.sin(2 * np.pi * (0.4 * t + rng.random()))
    poses = np.zeros((frames, 52, 3))
    poses[:, [1, 2], 0], poses[:, [4, 5], 0], poses[:, [7, 8], 0] = hip[:, None], knee[:, None], -(hip + knee)[:, None]
    arrays = {"poses": poses.reshape(frames, -1), "trans": np.zeros((frames, 3)), "fps": 60.0, "betas": np.zeros(10)}
    path = tmp_path / name
    np.savez(path, **arrays)
    recording = panto.open(path, height=1.5)
    samples, names = recording.samples(), list(recording.segment_names)
    legs = samples.positions[:, names.index("LeftToe")] - samples.positions[:, names.index("Pelvis")]
    # x forward, y left, z up of the answer is z, x, y of the file
    arrays["trans"] = -(height / 1.5) * legs[:, [1, 2, 0]]
    np.savez(path, **arrays)
    return path


def test_the_stature_of_a_person_comes_from_all_clips_together(tmp_path):
    clips = [squats(4, 1.83, tmp_path, f"{i}.npz", i) for i in range(3)]
    found = panto.stature(clips)
    assert found is not None and found.height == pytest.approx(1.83, abs=0.02)
    alone = panto.stature(clips[:1])
    assert alone is None or alone.stances < found.stances
    still = tmp_path / "still.npz"
    np.savez(still, poses=np.zeros((60, 156)), trans=np.zeros((60, 3)), betas=np.zeros(10))
    assert panto.stature([still]) is None
