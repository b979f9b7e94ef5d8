"""Files and names that somebody chose to do harm: what they cost, which files they pull in, what they print."""

import copy
import io
import json
import os
import re
import resource
import subprocess
import zipfile

import numpy as np
import pytest
from command import GOOD, UNUSABLE, USAGE, refused

MOST_KIB = 256 << 10  # of memory beyond what the content needs
TETRAHEDRON = "v 0 -0.03 -0.05\nv 0.2 0 -0.05\nv 0 0.03 -0.05\nv 0 0 0\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
# ESC, the same as one C1 code, and marks that turn the direction of writing
EVIL = "\x1b[31m\u009b2J\u202eevil\u2066"
RAW = [mark.encode() for mark in "\x1b\u009b\u202e\u2066"]


def spare_this_machine():
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))


@pytest.fixture
def measured(panto, tmp_path):
    """Function from words to (exit code, what was said, peak memory in KiB); the run must end by itself."""

    def run(*words):
        with open(tmp_path / "said", "w+b") as said:
            process = subprocess.Popen([panto, *map(str, words)], cwd=tmp_path, stdout=said, stderr=said, preexec_fn=spare_this_machine)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            return process.returncode, said.read().decode(errors="replace"), usage.ru_maxrss

    return run


HEADS = {
    "a.bvh": b"HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 9\nFrame Time: 0.01\n1 2 3\n",
    "a.npz": b"PK\x03\x04",
    "a.npy": b"\x93NUMPY\x01\x00",
    "a.mvnx": b'<?xml version="1.0"?><mvnx version="4"><subject label="a" frameRate="60">',
    "a.csv": b"time,a\n0,1\n",
    "a.trc": b"PathFileType\t4\t(X/Y/Z)\ta.trc\n",
    "a.sto": b"a\nversion=3\nendheader\ntime\ta\n",
    "a.json": b'{"frames": [',
    "a.glb": b"glTF\x02\x00\x00\x00",
    "a.toml": b"version = 1\n",
}


# archives, arrays and GLB may be as large as 1 GiB: only beyond it does their size alone refuse them
@pytest.mark.parametrize(
    ("name", "size"),
    [(name, size) for name in HEADS for size in (900 << 20, 10 << 30) if size > 1 << 30 or name not in ("a.npz", "a.npy", "a.glb")],
)
def test_a_file_of_which_nothing_was_written_takes_no_memory(name, size, measured, tmp_path):
    (tmp_path / name).write_bytes(HEADS[name])
    os.truncate(tmp_path / name, size)
    code, said, memory = measured("inspect", name)
    assert code in (USAGE, UNUSABLE) and name in said, said
    assert memory < MOST_KIB, f"{memory} KiB: {said}"


def test_members_that_share_their_bytes_share_their_budget(measured, tmp_path):
    """500 names for one array of 60 MB, of which the archive holds 60 KB."""
    array = io.BytesIO()
    np.save(array, np.zeros((7_500_000, 1)))
    with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("m0.npy", array.getvalue())
        for k in range(1, 500):
            again = copy.copy(archive.infolist()[0])
            again.filename = f"m{k}.npy"
            archive.filelist.append(again)
            archive.NameToInfo[again.filename] = again
    code, said, memory = measured("inspect", "a.npz")
    assert code == UNUSABLE and "a.npz" in said, said
    assert memory < MOST_KIB, f"{memory} KiB"


def rated(project, tmp_path, frame_time, frames):
    text = (project / "examples/data/walk.bvh").read_text()
    head, motion = text.split("MOTION\n")
    rows = (motion.splitlines()[2:] * (1 + frames // 60))[:frames]
    (tmp_path / "fast.bvh").write_text(f"{head}MOTION\nFrames: {len(rows)}\nFrame Time: {frame_time}\n" + "\n".join(rows) + "\n")
    return "fast.bvh"


def test_an_absurd_rate_is_refused_where_it_is_read(run, project, tmp_path):
    for words in (["inspect"], ["retarget", "--robot", "g1", "--smooth"]):
        refused(run(words[0], rated(project, tmp_path, 1e-5, 100), *words[1:]), UNUSABLE, "fast.bvh", "Frame Time", "1e-4")
    points = np.random.default_rng(1).normal(size=(50, 3, 3))
    np.savez(tmp_path / "fast.npz", keypoints=points, names=np.array(["LeftHip", "LeftKnee", "LeftAnkle"]), times=np.arange(50) * 1e-9)
    refused(run("inspect", "fast.npz"), UNUSABLE, "fast.npz", "us apart")


@pytest.mark.parametrize("words", [[], ["--smooth"], ["--limits", "scale"], ["--for", "mjlab", "--fps", "50", "--lead-in", "2", "--lead-out", "2", "-o", "a.npz"]], ids=str)
def test_the_fastest_rate_costs_no_more_than_its_frames(words, run, project, tmp_path):
    result = run("retarget", rated(project, tmp_path, 1e-4, 600), "--robot", "g1", *words)
    # within limits of speed such a motion may last too long; it must not last long to say so
    assert result.returncode in (GOOD, USAGE, UNUSABLE), result.stderr


@pytest.fixture
def robot(tmp_path):
    """Function from a mesh's name to a robot that names it for its foot, beside a folder that is not the robot's."""
    folder = tmp_path / "home/robot"
    folder.mkdir(parents=True)
    (tmp_path / "home/private").mkdir()
    (tmp_path / "home/private/foot.obj").write_text(TETRAHEDRON)

    def write(mesh, kind="urdf"):
        path = folder / f"r.{'urdf' if kind == 'urdf' else 'xml'}"
        if kind == "urdf":
            path.write_text(
                f'<robot name="r"><link name="base"/><link name="foot"><visual><geometry><mesh filename="{mesh}"/></geometry></visual></link><joint name="j" type="continuous"><parent link="base"/><child link="foot"/></joint></robot>'
            )
        else:
            path.write_text(
                f'<mujoco model="r"><compiler meshdir="{os.path.dirname(mesh)}"/><asset><mesh name="m" file="{os.path.basename(mesh)}"/></asset><worldbody><body name="base"><body name="foot"><joint name="j"/><geom type="mesh" mesh="m"/></body></body></worldbody></mujoco>'
            )
        return path

    return write


@pytest.mark.parametrize("kind", ["urdf", "mjcf"])
@pytest.mark.parametrize("name", ["../private/foot.obj", "{home}/private/foot.obj", "linked/foot.obj"])
def test_a_robot_pulls_no_mesh_of_another_folder_into_what_is_shared(kind, name, robot, tmp_path, run):
    os.symlink(tmp_path / "home/private", tmp_path / "home/robot/linked")
    path = robot(name.format(home=tmp_path / "home"), kind)
    asked = run("convert", path, "r.osim")
    assert asked.returncode == GOOD, asked.stderr
    assert "foot.obj) below the robot's folder and its packages" in asked.stderr and "--package-dir DIR" in asked.stderr
    assert "1 mesh file is missing" in asked.stderr


def test_an_include_and_a_buffer_stay_below_their_folder(robot, tmp_path, run):
    (tmp_path / "secret.xml").write_text("<mujoco><worldbody/></mujoco>")
    path = tmp_path / "home/robot/r.xml"
    path.write_text('<mujoco model="r"><include file="../../secret.xml"/></mujoco>')
    refused(run("convert", path, "r.urdf"), UNUSABLE, "secret.xml", "outside the model's folder")
    buffer = {"asset": {"version": "2.0"}, "buffers": [{"byteLength": 4, "uri": "../secret.xml"}]}
    views = {"bufferViews": [{"buffer": 0, "byteLength": 4}], "accessors": [{"bufferView": 0, "componentType": 5126, "count": 1, "type": "SCALAR"}]}
    skeleton = {"nodes": [{"name": "a"}], "scenes": [{"nodes": [0]}], "animations": [{"channels": [{"sampler": 0, "target": {"node": 0, "path": "rotation"}}], "samplers": [{"input": 0, "output": 0}]}]}
    (tmp_path / "home/a.gltf").write_text(json.dumps(buffer | views | skeleton))
    refused(run("inspect", tmp_path / "home/a.gltf"), UNUSABLE, "must be a file below the folder of this one")


def test_true_is_no_figure_of_a_report(run, tmp_path):
    (tmp_path / "r.json").write_text(json.dumps({"frames": True, "angle_p99_deg": False}))
    refused(run("check", "r.json", "--fail-on", "angle_p99_deg>5"), USAGE, "angle_p99_deg", "the text 'false'")


def silent_on_terminals(result):
    for said in (result.stdout, result.stderr):
        for mark in RAW:
            assert mark not in said.encode(), said
    return result.stdout + result.stderr


def test_names_from_files_command_no_terminal(run, project, tmp_path):
    """Joints, sensors, links and files may have any name; what a terminal would obey is shown as it was written."""
    walk = (project / "examples/data/walk.bvh").read_text()
    for joint in ("LeftHand", "Hips"):
        walk = re.sub(rf"\b{joint}\b", joint + EVIL, walk)
    name = f"w{EVIL}.bvh"
    (tmp_path / name).write_text(walk)
    said = ""
    for words in (["inspect"], ["inspect", "--verbose"], ["inspect", "--json"], ["track"], ["track", "--json"], ["retarget", "--robot", "g1"], ["check"]):
        said += silent_on_terminals(run(words[0], name, *words[1:]))
    said += silent_on_terminals(run("convert", name, f"x{EVIL}.bvh"))
    assert "\\x1b[31m" in said and "\\u202e" in said, "shown, in texts and in JSON"
    robot = (project / "examples/data/homemade.urdf").read_text()
    link = re.search(r'<link name="([^"]+)"', robot)[1]
    (tmp_path / "r.urdf").write_text(robot.replace(f'"{link}"', f'"{link}\u009b2J\u202e"'))
    for words in (["map"], ["map", "--json"], ["map", "-o", "r.toml"]):
        silent_on_terminals(run(words[0], "r.urdf", *words[1:]))
    silent_on_terminals(run("check", "r.toml"))
    sensors = (project / "examples/data/arm_sensors.toml").read_text()
    (tmp_path / "s.toml").write_text(re.sub(r'name = "(\w+)"', lambda m: f'name = "{m[1]}\u009b2J\u202e"', sensors))
    silent_on_terminals(run("track", project / "examples/data/arm_imu.csv", "--sensors", "s.toml", "--model", project / "examples/data/arm.toml"))
