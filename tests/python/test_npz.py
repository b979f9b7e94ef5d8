"""Archives of keypoints that NumPy wrote, read by Panto, and the other way round.

PANTO_NPZ_PROBE names the program built from tests/support/npz_probe.cpp.
"""

import json
import os
import resource
import subprocess
from pathlib import Path

import numpy as np
import pytest

PROBE = os.environ.get("PANTO_NPZ_PROBE", "")
RANDOM = np.random.default_rng(1)
POSITIONS = RANDOM.normal(size=(7, 3, 3))
NAMES = np.array(["left_hip", "Straße", "右手"])


@pytest.fixture
def probe(tmp_path):
    """Function from arrays to (what Panto read, the archive that Panto wrote); the run must end well."""
    if not Path(PROBE).is_file():
        pytest.fail("PANTO_NPZ_PROBE does not name the built probe; run through ctest or ./dev test")

    def run(save=np.savez, fails=False, **arrays):
        given, written = tmp_path / "in.npz", tmp_path / "out.npz"
        written.unlink(missing_ok=True)
        save(given, **arrays)
        result = subprocess.run([PROBE, given, written], capture_output=True, text=True, timeout=60)
        if fails:
            assert result.returncode == 3, result.stdout
            return result.stderr
        assert result.returncode == 0, result.stderr
        with np.load(written, allow_pickle=False) as archive:
            return json.loads(result.stdout), dict(archive)

    return run


def positions(read):
    return np.array(read["positions"], dtype=float).reshape(7, 3, 3)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("dtype", ["<f8", ">f8", "<f4", ">f4"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_every_kind_of_number_and_order_is_read(probe, save, dtype, order):
    given = np.array(POSITIONS, dtype=dtype, order=order)
    read, _ = probe(save, keypoints=given, names=NAMES, fps=50.0)
    assert read["names"] == list(NAMES)
    assert read["rate"] == 50.0
    assert read["times"] == [20_000_000 * k for k in range(7)]
    np.testing.assert_array_equal(positions(read), given.astype(float))


def test_names_may_be_bytes_and_times_may_replace_the_rate(probe):
    read, _ = probe(joints=POSITIONS, joint_names=np.array([b"hip", b"knee", b"ankle"]), times=np.arange(7) * 0.1)
    assert read["names"] == ["hip", "knee", "ankle"]
    assert read["rate"] == pytest.approx(10.0)


def test_numpy_reads_what_panto_writes(probe):
    given = POSITIONS.copy()
    given[2, 1] = np.nan
    quaternions = RANDOM.normal(size=(7, 3, 4))
    quaternions /= np.linalg.norm(quaternions, axis=2, keepdims=True)
    quaternions *= np.sign(quaternions[..., :1])
    _, written = probe(keypoints=given, names=NAMES, fps=25, orientations=quaternions)
    np.testing.assert_array_equal(written["keypoints"], given)
    np.testing.assert_allclose(written["orientations"], quaternions, atol=1e-15)
    assert list(written["names"]) == list(NAMES)
    assert written["fps"] == 25.0 and written["up"] == "z" and written["unit"] == "m"
    np.testing.assert_allclose(written["times"], np.arange(7) / 25.0, atol=1e-9)


def test_a_confidence_of_zero_is_not_seen(probe):
    scored = np.concatenate([POSITIONS, np.ones((7, 3, 1))], axis=2)
    scored[3, 0, 3] = 0.0
    read, _ = probe(keypoints=scored, names=NAMES, fps=30)
    seen = positions(read)
    assert np.isnan(seen[3, 0]).all()
    np.testing.assert_array_equal(seen[2], POSITIONS[2])


@pytest.mark.parametrize(
    "arrays, words",
    [
        ({"keypoints": POSITIONS}, "have no names"),
        ({"keypoints": POSITIONS, "names": NAMES[:2]}, "must be 3 names"),
        ({"keypoints": POSITIONS[0], "names": NAMES}, "(frames, points, 3)"),
        ({"keypoints": POSITIONS, "names": np.array(list(NAMES), dtype=object)}, "never unpickled"),
        ({"keypoints": POSITIONS.astype(complex), "names": NAMES}, "elements of type"),
        ({"a": POSITIONS, "b": POSITIONS, "names": NAMES}, "two arrays of shape"),
        ({"keypoints": POSITIONS, "names": NAMES, "fps": -1.0}, "frames per second"),
        ({"keypoints": POSITIONS, "names": NAMES, "times": np.zeros(7)}, "does not increase"),
        ({"keypoints": POSITIONS, "names": NAMES, "up": "sky"}, "must be one of"),
    ],
)
def test_what_cannot_be_understood_is_refused_with_the_reason(probe, arrays, words):
    assert words in probe(fails=True, **arrays)


def test_packed_zeros_are_refused_before_they_fill_memory(panto, tmp_path):
    """261 KB that would be 2 GB of numbers; a minute of a person who stands still packs as well and is read."""
    bomb, still = tmp_path / "bomb.npz", tmp_path / "still.npz"
    np.savez_compressed(bomb, poses=np.zeros((1_700_000, 156), np.int8), trans=np.zeros((1_700_000, 3), np.int8), betas=np.zeros(16), mocap_framerate=120.0)
    np.savez_compressed(still, poses=np.zeros((7200, 156)), trans=np.zeros((7200, 3)), betas=np.zeros(16), mocap_framerate=120.0)
    half_a_gigabyte = lambda: resource.setrlimit(resource.RLIMIT_AS, (2**29, 2**29))
    for file, code in ((bomb, 3), (still, 0)):
        run = subprocess.run([panto, "inspect", file], capture_output=True, text=True, timeout=60, preexec_fn=half_a_gigabyte)
        assert run.returncode == code, run.stderr + run.stdout
    assert bomb.stat().st_size < 300_000
    said = subprocess.run([panto, "inspect", bomb], capture_output=True, text=True, timeout=60).stderr
    assert "'poses.npy': needs 265200128 bytes, more than a recording packs into" in said, said
