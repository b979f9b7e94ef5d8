"""Bases that float, roll or are fixed: told from the file, changed by --base; for robots and for chains with sensors."""

import csv
import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from command import GOOD, USAGE, refused

WHEEL = """<link name="{n}"><inertial><origin xyz="0 0 0"/><mass value="2"/>
  <inertia ixx="0.006" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.006"/></inertial></link>
  <joint name="{n}_joint" type="continuous"><parent link="pelvis"/><child link="{n}"/>
  <origin xyz="0 {y} -0.35"/><axis xyz="0 1 0"/><limit effort="1" velocity="10"/></joint>"""

PENDULUM = """<robot name="pendulum"><link name="world"/>
  <link name="bob"><inertial><origin xyz="0 0 -0.4"/><mass value="1"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.001"/></inertial></link>
  <joint name="pivot" type="continuous"><parent link="world"/><child link="bob"/><origin xyz="0 0 1"/>
    <axis xyz="0 1 0"/><limit effort="1" velocity="20"/></joint></robot>"""
SENSORS = 'kind = "sensors"\nversion = 1\nsensors = [{ name = "imu", link = "bob", position = [0, 0, -0.4], wxyz = [1, 0, 0, 0] }]\n'


def base_of(path):
    """Place and quaternion (w, x, y, z) of the base, by frame."""
    with open(path) as file:
        header, *rows = csv.reader(file)
    assert header[1:8] == ["base_x_m", "base_y_m", "base_z_m", "base_qw", "base_qx", "base_qy", "base_qz"]
    return np.array(rows, dtype=float)[:, 1:8]


def tilt_deg(base):
    return np.degrees(2 * np.arcsin(np.clip(np.hypot(base[:, 4], base[:, 5]), 0, 1)))


@pytest.fixture
def upper_body(run, tmp_path):
    """Writes the G1 from its waist on: bare, or with parts more at its pelvis."""

    def write(name, more="", world=False):
        assert run("convert", "g1", "g1.urdf").returncode == GOOD
        robot = ET.parse(tmp_path / "g1.urdf").getroot()
        for part in list(robot):
            child = part.find("child")
            said = part.get("name") if part.tag == "link" else child.get("link") if child is not None else ""
            if any(word in said for word in ("hip", "knee", "ankle")):
                robot.remove(part)
        for part in ET.fromstring(f"<more>{more}</more>"):
            robot.append(part)
        if world:
            bolt = '<joint name="bolt" type="fixed"><parent link="world"/><child link="pelvis"/><origin xyz="0 0 0.9"/></joint>'
            robot.append(ET.fromstring('<link name="world"/>'))
            robot.append(ET.fromstring(bolt))
        (tmp_path / name).write_text(ET.tostring(robot, encoding="unicode"))
        return name

    return write


def test_a_robot_on_wheels_stays_upright_on_the_floor(run, upper_body, walk, tmp_path):
    robot = upper_body("rolls.urdf", WHEEL.format(n="left_wheel", y=0.2) + WHEEL.format(n="right_wheel", y=-0.2))
    result = run("retarget", walk, "--robot", robot, "-o", "rolls.csv")
    assert result.returncode == GOOD, result.stderr
    assert "note: the base rolls on the floor (`base` changes it): no legs, but wheels 'left_wheel', 'right_wheel'" in result.stderr
    base = base_of(tmp_path / "rolls.csv")
    assert np.ptp(base[:, 2]) < 1e-9 and base[0, 2] == pytest.approx(0.45, abs=1e-6), "axle 0.35 m, radius 0.1 m"
    assert tilt_deg(base).max() < 1e-6
    assert np.ptp(base[:, :2], axis=0).max() > 0.3, "it follows the person's way"


def test_a_robot_without_legs_and_wheels_is_fixed_and_base_changes_it(run, upper_body, walk, tmp_path):
    robot = upper_body("torso.urdf")
    result = run("retarget", walk, "--robot", robot, "-o", "fixed.csv")
    assert "note: the base is fixed (`base` changes it): no legs, no wheels" in result.stderr
    assert np.ptp(base_of(tmp_path / "fixed.csv"), axis=0).max() == 0.0
    assert run("retarget", walk, "--robot", robot, "--base", "float", "-o", "floats.csv").returncode == GOOD
    assert np.ptp(base_of(tmp_path / "floats.csv"), axis=0).max() > 0.3
    assert run("retarget", walk, "--robot", robot, "--base", "roll", "-o", "rolls.csv").returncode == GOOD
    assert tilt_deg(base_of(tmp_path / "rolls.csv")).max() < 1e-6
    refused(run("retarget", walk, "--robot", robot, "--base", "hover"), USAGE, "hover", "fixed", "roll", "float")


def test_the_map_of_a_robot_bolted_to_the_world_names_its_base(run, upper_body, walk, tmp_path):
    robot = upper_body("bolted.urdf", world=True)
    told = run("map", robot, "-o", "map.toml")
    assert "the base is fixed (`base` changes it): the root link is the world: 'world'" in told.stderr
    assert json.loads(run("map", robot, "--json").stdout)["base"] == "fixed"
    assert json.loads(run("map", robot, "--base", "float", "--json").stdout)["base"] == "floating"
    text = (tmp_path / "map.toml").read_text()
    assert 'base = "fixed"' in text
    assert run("retarget", walk, "--robot", "map.toml", "-o", "fixed.csv").returncode == GOOD
    assert np.ptp(base_of(tmp_path / "fixed.csv"), axis=0).max() == 0.0
    (tmp_path / "map.toml").write_text(text.replace('base = "fixed"', 'base = "roll"'))
    assert run("retarget", walk, "--robot", "map.toml", "-o", "rolls.csv").returncode == GOOD
    assert np.ptp(base_of(tmp_path / "rolls.csv")[:, :2], axis=0).max() > 0.3
    (tmp_path / "map.toml").write_text(text.replace('base = "fixed"', 'base = "flat"'))
    refused(run("retarget", walk, "--robot", "map.toml"), 3, "map.toml:", "'flat'", "roll")


def test_a_pendulum_bolted_to_the_world_keeps_its_pivot(run, tmp_path):
    (tmp_path / "pendulum.urdf").write_text(PENDULUM)
    (tmp_path / "sensors.toml").write_text(SENSORS)
    made = run("synthesize", "random", "--model", "pendulum.urdf", "--duration", 4, "--sensors", "sensors.toml", "--imu", "imu.csv")
    assert made.returncode == GOOD, made.stderr
    track = ("track", "imu.csv", "--model", "pendulum.urdf", "--sensors", "sensors.toml")
    result = run(*track, "-o", "fixed.csv")
    assert "the base is fixed (`base` changes it)" in result.stderr
    assert np.ptp(base_of(tmp_path / "fixed.csv"), axis=0).max() == 0.0
    run(*track, "--base", "float", "-o", "floats.csv")
    assert np.ptp(base_of(tmp_path / "floats.csv"), axis=0).max() > 1e-3, "a pivot that nothing holds"
    refused(run(*track, "--base", "roll"), USAGE, "--base roll", "panto retarget")
