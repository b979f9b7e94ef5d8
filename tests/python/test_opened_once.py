"""A clip, a robot map and a URDF are opened once in a command, counted by the kernel (inotify)."""

import ctypes
import os
import shutil
import struct
import sys

import pytest
from command import GOOD

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")
ACCESS, CLOSED, OPENED = 0x1, 0x18, 0x20  # events; the others keep two openings from being told as one

ROBOT_PART = """
  <link name="{n}a"/><link name="{n}b"/><link name="{n}c"/>
  <joint name="{n}1" type="revolute"><parent link="box"/><child link="{n}a"/><origin xyz="0 {y} 0"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="1" velocity="9"/></joint>
  <joint name="{n}2" type="revolute"><parent link="{n}a"/><child link="{n}b"/><origin xyz="0 0 -0.4"/>
    <axis xyz="0 1 0"/><limit lower="-0.1" upper="2" effort="1" velocity="9"/></joint>
  <joint name="{n}3" type="revolute"><parent link="{n}b"/><child link="{n}c"/><origin xyz="0 0 -0.4"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="9"/></joint>
"""


def openings(work, path):
    """(what `work` returns, how often it opens the file)."""
    libc = ctypes.CDLL(None, use_errno=True)
    queue = libc.inotify_init1(os.O_NONBLOCK)
    assert queue >= 0 and libc.inotify_add_watch(queue, os.fsencode(path), ACCESS | CLOSED | OPENED) >= 0
    try:
        result = work()
        count = 0
        while True:
            try:
                events = os.read(queue, 65536)
            except BlockingIOError:
                return result, count
            at = 0
            while at < len(events):
                _, mask, _, length = struct.unpack_from("iIII", events, at)
                count += 1 if mask & OPENED else 0
                at += 16 + length
    finally:
        os.close(queue)


@pytest.fixture
def files(run, tmp_path):
    """A clip, a URDF of two legs and its map."""
    clip = tmp_path / "walk.bvh"
    shutil.copy(os.path.join(os.path.dirname(__file__), "..", "..", "examples", "data", "walk.bvh"), clip)
    urdf = tmp_path / "legs.urdf"
    parts = ROBOT_PART.format(n="p", y=0.1) + ROBOT_PART.format(n="q", y=-0.1)
    urdf.write_text(f'<robot name="legs"><link name="box"/>{parts}</robot>')
    made = run("map", urdf, "-o", tmp_path / "legs.toml")
    assert made.returncode == GOOD, made.stderr
    return {"clip": clip, "urdf": urdf, "map": tmp_path / "legs.toml"}


@pytest.mark.parametrize("command, watched", [
    ("inspect {clip}", ("clip",)),
    ("track {clip} -o {out}.csv", ("clip",)),
    ("convert {clip} -o {out}.mvnx", ("clip",)),
    ("map {urdf}", ("urdf",)),
    ("retarget {clip} --robot {urdf} -o {out}.csv", ("clip", "urdf")),
    ("retarget {clip} --robot {map} -o {out}.csv --report {out}.html", ("clip", "map", "urdf")),
])
def test_a_command_opens_each_of_its_files_once(run, files, tmp_path, command, watched):
    for name in watched:
        words = command.format(**files, out=tmp_path / f"out_{name}").split()
        result, count = openings(lambda: run(*words), files[name])
        assert result.returncode == GOOD, result.stderr
        assert count == 1, f"{name}: opened {count} times by {command}"


def test_the_urdf_of_a_tracked_model_is_opened_once_although_the_page_draws_its_shapes(run, files, tmp_path):
    human = tmp_path / "human.urdf"
    assert run("convert", "human48", human).returncode == GOOD
    words = ("track", files["clip"], "--model", human, "-o", tmp_path / "a.csv", "--report", tmp_path / "a.html")
    result, count = openings(lambda: run(*words), human)
    assert result.returncode == GOOD, result.stderr
    assert count == 1, f"opened {count} times"


def test_an_mvnx_is_opened_once_although_it_is_read_more_than_once(run, files, tmp_path):
    take = tmp_path / "take.mvnx"
    assert run("convert", files["clip"], "-o", take).returncode == GOOD
    for words in (("inspect", take), ("track", take, "-o", tmp_path / "a.csv")):
        result, count = openings(lambda: run(*words), take)
        assert result.returncode == GOOD, result.stderr
        assert count == 1, f"opened {count} times by panto {words[0]}"
