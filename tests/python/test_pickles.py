"""Pickles of robots' motions: their arrays are read, nothing in them runs, and damage is refused in words."""

import io
import os
import pathlib
import pickle
import pickletools
import random
import resource
import shutil
import subprocess
import sys
import time

import numpy as np
import pytest

from package import PACKAGE, panto

FRAMES = 60


@pytest.fixture(scope="module")
def clip(data_file):
    """What GMR writes of a clip."""
    motion = panto.retarget(data_file("bvh/cmu/005_02.bvh"), "g1", collisions="off").motion
    data = np.load(io.BytesIO(motion.to_bytes("m.npz", layout="mjlab", fps=30)))
    turns = data["body_quat_w"][:, 0].astype(float)
    content = {
        "fps": 30, "root_pos": data["body_pos_w"][:, 0].astype(float), "root_rot": turns[:, [1, 2, 3, 0]],
        "dof_pos": data["joint_pos"].astype(float), "local_body_pos": None, "link_body_list": None,
    }
    return content


@pytest.fixture
def file(tmp_path):
    def write(content, name="dance.pkl"):
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    return write


@pytest.mark.parametrize("protocol", range(6))
def test_every_protocol_and_array_is_read_as_written(clip, file, protocol):
    read = panto.open_motion(file(pickle.dumps(clip, protocol=protocol)))
    assert read.layout == "gmr" and read.settled and np.array_equal(read.motion.joint_positions, clip["dof_pos"])
    others = {
        "fps": np.float64(30), "root_pos": np.asfortranarray(clip["root_pos"].astype(">f8")), "root_rot": clip["root_rot"].tolist(),
        "dof_pos": [list(row) for row in clip["dof_pos"]], "notes": {"by": "hand"}, "names": np.array(["a", "b"], object),
    }
    again = panto.open_motion(file(pickle.dumps(others, protocol=protocol)))
    assert np.array_equal(again.motion.joint_positions, clip["dof_pos"])
    assert np.array_equal(again.motion.base_position, read.motion.base_position)


@pytest.mark.parametrize("compress", [0, 3, ("gzip", 3), ("bz2", 3), ("xz", 3), ("lzma", 3)])
def test_joblib_is_read_as_joblib_reads_it_and_one_of_several_clips_is_chosen(clip, file, tmp_path, compress):
    joblib = pytest.importorskip("joblib", reason="joblib is not installed: its files are NOT tested")
    phc = {"root_trans_offset": clip["root_pos"], "root_rot": clip["root_rot"], "dof": np.asfortranarray(clip["dof_pos"]), "fps": 30}
    joblib.dump({"a": phc, "b": {**phc, "dof": phc["dof"][:50], "root_rot": phc["root_rot"][:50], "root_trans_offset": phc["root_trans_offset"][:50]}},
                tmp_path / "set.pkl", compress=compress)
    with pytest.raises(panto.ConfigError, match="2 motions.*a, b"):
        panto.open_motion(tmp_path / "set.pkl")
    with pytest.raises(panto.ConfigError, match="none is called c"):
        panto.open_motion(tmp_path / "set.pkl", person="c")
    assert np.array_equal(panto.open_motion(tmp_path / "set.pkl", person="a").motion.joint_positions, clip["dof_pos"])
    assert len(panto.open_motion(tmp_path / "set.pkl", person="b").motion) == 50


class Runs:
    """Pickles as a call."""

    def __init__(self, function, *arguments):
        self.function, self.arguments = function, arguments

    def __reduce__(self):
        return self.function, self.arguments


def hostile(mark):
    """Pickles that would run code or take the machine's memory."""
    command = f"touch {mark}"
    yield pickle.dumps({"fps": Runs(os.system, command)})
    yield pickle.dumps({"fps": Runs(eval, f"__import__('os').system({command!r})")})
    yield pickle.dumps({"fps": Runs(subprocess.Popen, ["touch", str(mark)])})
    yield b"cos\nsystem\n(S'" + command.encode() + b"'\ntR."  # protocol 0
    yield b"(S'" + command.encode() + b"'\nios\nsystem\n."  # INST
    yield b"\x80\x02(cos\nsystem\nX" + len(command).to_bytes(4, "little") + command.encode() + b"o."  # OBJ
    yield b"\x80\x04\x95" + (30).to_bytes(8, "little") + b"\x8c\x02os\x8c\x06system\x93\x8c\x02ls\x85R."
    yield b"cnumpy._core.multiarray\n_reconstruct\ncos\nsystem\n\x85R."
    yield b"\x80\x02cnumpy\ndtype\n(U\x02f8\x89\x88tR}U\x08__init__cos\nsystem\nsb."  # BUILD
    yield b"\x80\x02\x82\x01."  # EXT1
    yield b"Pname\n."  # PERSID
    yield b"\x80\x05\x96" + (1 << 60).to_bytes(8, "little") + b"."  # a bytearray of an exabyte
    yield b"\x80\x05\x8e" + (1 << 60).to_bytes(8, "little") + b"."
    yield pickle.dumps({"dof_pos": Runs(np._core.multiarray._reconstruct, np.ndarray, (1 << 50,), b"b")})
    yield pickle.dumps({"dof_pos": Runs(np.zeros, (1 << 40,))})
    row = [[0.0] * 1000] * 1000
    yield pickle.dumps({"frames": [row] * 1000, "loop_mode": 0, "fps": 30})  # 10^9 numbers in 10 kB
    laughs = [0.0]
    for _ in range(40):
        laughs = [laughs] * 10
    yield pickle.dumps({"frames": laughs, "loop_mode": 0, "fps": 30})
    around = []
    around.append(around)
    yield pickle.dumps({"frames": around})
    yield b"I" + b"9" * 100_000 + b"\n."
    yield b"(" * 200_000 + b"l" * 200_000 + b"."
    yield pickle.dumps([1, 2])
    yield pickle.dumps({})
    yield b""


def test_hostile_pickles_are_refused_run_nothing_and_take_no_memory(file, tmp_path):
    mark = tmp_path / "ran"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for i, content in enumerate(hostile(mark)):
        begin = time.process_time()
        with pytest.raises(panto.FormatError, match=r"dance\.pkl: \S"):
            panto.open_motion(file(content))
        assert time.process_time() - begin < 5.0, i
        assert not mark.exists(), i
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000, "kB"
    with pytest.raises(panto.FormatError, match="os.system|posix.system.*numpy.savez"):
        panto.open_motion(file(next(hostile(mark))))


def test_cut_and_changed_pickles_are_read_or_refused_with_their_name(clip, file, tmp_path):
    joblib = pytest.importorskip("joblib")
    small = {key: value[:FRAMES] if isinstance(value, np.ndarray) else value for key, value in clip.items()}
    phc = {"dance": {"root_trans_offset": small["root_pos"], "root_rot": small["root_rot"], "dof": small["dof_pos"], "fps": 30}}
    joblib.dump(phc, tmp_path / "phc.pkl")
    joblib.dump(phc, tmp_path / "packed.pkl", compress=3)
    frames = np.hstack([small["root_pos"], small["root_rot"][:, :3], small["dof_pos"]]).tolist()
    contents = [pickle.dumps(small, protocol=protocol) for protocol in (0, 2, 4, 5)]
    contents += [pickle.dumps({"loop_mode": 0, "fps": 30, "frames": frames}), (tmp_path / "phc.pkl").read_bytes(), (tmp_path / "packed.pkl").read_bytes()]
    chance, refused, rounds = random.Random(7), 0, 40
    begin = time.process_time()
    for content in contents:
        heads = [position for _, _, position in pickletools.genops(content)] if content[:1] == b"\x80" and b"joblib" not in content else [0]
        for _ in range(rounds):
            damaged = bytearray(content)
            if chance.random() < 0.4:
                damaged = damaged[: chance.randrange(len(damaged))]
            else:
                for _ in range(chance.randrange(1, 6)):
                    damaged[chance.choice([chance.choice(heads), chance.randrange(len(damaged))])] = chance.randrange(256)
            try:
                panto.open_motion(file(bytes(damaged)))
            except panto.Error as error:
                assert "dance.pkl" in str(error), error
                refused += 1
    assert refused > rounds * len(contents) / 3 and time.process_time() - begin < 120.0


@pytest.fixture(scope="module")
def command(request, tmp_path_factory):
    """`python -m panto` of a package with its command, as a wheel has it."""
    home = tmp_path_factory.mktemp("installed")
    (home / "panto" / "bin").mkdir(parents=True)
    for source in sorted((pathlib.Path(PACKAGE) / "panto").glob("*.*")):
        shutil.copy(source, home / "panto")
    os.symlink(os.path.abspath(request.getfixturevalue("panto")), home / "panto" / "bin" / "panto")

    def run(*words, cwd):
        done = subprocess.run([sys.executable, "-B", "-m", "panto", *map(str, words)], cwd=cwd, capture_output=True, text=True, timeout=120,
                              env={**os.environ, "PYTHONPATH": str(home)})
        assert done.returncode in (0, 1, 2, 3) and "Traceback" not in done.stderr, done.stderr
        return done

    return run


def test_the_command_reads_pickles_through_the_package(clip, file, command, run, tmp_path):
    file(pickle.dumps(clip))
    inspected = command("inspect", "dance.pkl", cwd=tmp_path)
    assert inspected.returncode == 0 and "dance.pkl: gmr, unitree_g1" in inspected.stdout and str(tmp_path) not in inspected.stdout, inspected
    assert "/tmp/panto-" not in inspected.stdout + inspected.stderr
    assert command("check", "dance.pkl", "--fail-on", "limit_violations>0", cwd=tmp_path).returncode == 0
    assert command("convert", "dance.pkl", "dance.npz", "--for", "mjlab", cwd=tmp_path).returncode == 0
    assert panto.open_motion(tmp_path / "dance.npz").layout == "mjlab"
    assert command("retarget", "dance.pkl", "--robot", "h1", "--collisions", "off", "-o", "h1.csv", cwd=tmp_path).returncode == 0
    assert (tmp_path / "h1.csv").stat().st_size > 100_000
    file(pickle.dumps({"a": clip, "b": clip}), "set.pkl")
    several = command("inspect", "set.pkl", cwd=tmp_path)
    assert several.returncode == 2 and "set.pkl: holds 2 motions" in several.stderr
    assert command("inspect", "set.pkl", "--person", "b", cwd=tmp_path).returncode == 0
    file(pickle.dumps({"fps": Runs(os.system, "touch ran")}), "bad.pkl")
    bad = command("inspect", "bad.pkl", cwd=tmp_path)
    assert bad.returncode == 3 and "bad.pkl: wants to build" in bad.stderr and not (tmp_path / "ran").exists()
    assert command("version", cwd=tmp_path).returncode == 0
    alone = run("inspect", "dance.pkl")  # the command without the package
    assert alone.returncode == 3 and "python -m panto" in alone.stderr


def test_a_body_model_in_a_pickle_is_opened_as_in_an_archive(file, tmp_path):
    chance = np.random.default_rng(3)
    content = {"poses": 0.2 * np.cumsum(chance.normal(0, 0.02, (90, 72)), axis=0), "trans": np.full((90, 3), 0.5), "betas": np.zeros(10), "mocap_framerate": 30.0}
    np.savez(tmp_path / "body.npz", **content)
    archive, unpickled = panto.open(tmp_path / "body.npz"), panto.open(file(pickle.dumps({0: content}), "body.pkl"))
    assert unpickled.format == archive.format
    assert np.array_equal(unpickled.samples().orientations, archive.samples().orientations, equal_nan=True)
