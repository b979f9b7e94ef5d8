"""MJCF read and written, beside MuJoCo: poses, names and ranges of what Panto reads; motions played through what it writes.

MuJoCo comes from .venv-robot, PANTO_PROBE names the program built from tests/support/probe.cpp.
"""
import json
import os
import sys

import numpy as np
import pytest
from command import CHECK_FAILED, GOOD, UNUSABLE, refused

WALK = "walk.bvh"
ROBOTS = ["unitree_g1", "icub", "models/unitree/g1_29dof_rev_1_0.urdf", "models/talos/talos_reduced.urdf", "models/icub/iCubGazeboV2_5.urdf",
          "models/field/booster_t1_serial.urdf"]
LEG = """<body name="{n}_hip" pos="0 {y} 0"><joint name="{n}1" axis="0 1 0" range="-2 2"/><geom fromto="0 0 0 0 0 -.4" size=".05"/>
  <body name="{n}_shin" pos="0 0 -.4"><joint name="{n}2" axis="0 1 0" range="-.1 2"/><geom fromto="0 0 0 0 0 -.4" size=".05"/>
  <body name="{n}_foot" pos="0 0 -.4"><joint name="{n}3" axis="0 1 0" range="-1 1"/><geom type="box" size=".1 .04 .02" pos=".03 0 -.05"/></body></body></body>"""


@pytest.fixture(scope="module")
def mujoco(project):
    """MuJoCo; skips aloud, or fails in CI, where it is missing."""
    sys.path.extend(map(str, sorted((project / ".venv-robot" / "lib").glob("python*/site-packages"))))
    try:
        import mujoco
    except ImportError:
        why = "no MuJoCo in .venv-robot; `tools/setup.sh robot` installs it"
        (pytest.fail if os.environ.get("CI", "false") not in ("", "false") else pytest.skip)(why)
    return mujoco


@pytest.fixture(scope="module")
def twins(mujoco, project):
    """experiments/robot_mjcf.py, which compares a model with MuJoCo's."""
    sys.path.insert(0, str(project / "experiments"))
    try:
        import robot_mjcf
        yield robot_mjcf
    finally:
        sys.path.remove(str(project / "experiments"))


@pytest.fixture
def legs(tmp_path):
    """An MJCF of two legs with an included file."""
    (tmp_path / "parts.xml").write_text("<mujocoinclude>" + LEG.format(n="p", y=0.1) + LEG.format(n="q", y=-0.1) + "</mujocoinclude>")
    (tmp_path / "legs.xml").write_text('<mujoco model="legs"><compiler angle="radian"/><worldbody><geom type="plane" size="1 1 1"/>'
                                       '<body name="box" pos="0 0 .9"><freejoint/><geom type="box" size=".1 .1 .1"/><include file="parts.xml"/></body>'
                                       "</worldbody></mujoco>")
    return tmp_path / "legs.xml"


# --- read ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", ["models/unitree/g1_29dof_rev_1_0.xml"])
def test_a_makers_model_moves_as_in_mujoco(twins, data_file, file):
    path = data_file(file)
    model = twins.load(path)
    ours = twins.probe(path)
    twin = twins.Twin(model, ours)
    assert len(twin.bodies) == 30 and len(ours["joints"]) == 29 and not twin.faults
    assert max(max(twin.difference(state)) for state in ours["states"]) < 1e-10


def test_an_mjcf_is_a_robot_for_map_and_retarget(run, legs, project):
    mapped = run("map", legs, "-o", "legs.toml")
    assert mapped.returncode == GOOD, mapped.stderr
    assert 'model = "legs.xml"' in (legs.parent / "legs.toml").read_text()
    clip = project / "examples" / "data" / WALK
    for robot in (legs, legs.parent / "legs.toml"):
        done = run("retarget", clip, "--robot", robot, "-o", "m.npz")
        assert done.returncode == GOOD, done.stderr
        assert sorted(np.load(legs.parent / "m.npz")["joint_names"]) == ["p1", "p2", "p3", "q1", "q2", "q3"]
        (legs.parent / "m.npz").unlink()


SMALL_LEG = """<body name="{n}_yaw" pos="0 {y} 0"><joint name="{n}_hip_yaw" axis="0 0 1" range="-2 2"/><geom size=".02"/>
  <body name="{n}_roll"><joint name="{n}_hip_roll" axis="1 0 0" range="-1 1"/><geom size=".02"/>
  <body name="{n}_thigh"><joint name="{n}_hip_pitch" axis="0 1 0" range="-2 2"/><geom type="capsule" fromto="0 0 0 0 0 -.11" size=".02"/>
  <body name="{n}_shank" pos="0 0 -.11"><joint name="{n}_knee" axis="0 1 0" range="-.1 2.3"/><geom type="capsule" fromto="0 0 0 0 0 -.11" size=".02"/>
  <body name="{n}_heel" pos="0 0 -.11"><joint name="{n}_ank_pitch" axis="0 1 0" range="-1 1"/><geom size=".02"/>
  <body name="{n}_foot"><joint name="{n}_ank_roll" axis="1 0 0" range="-1 1"/><geom type="box" size=".06 .03 .01" pos=".02 0 -.02"/>
  </body></body></body></body></body></body>"""
# as of the OP3: two joints in the shoulder, and the elbow bends about forward where the arm lies sideways
SMALL_ARM = """<body name="{n}_sho" pos="0 {y} .11"><joint name="{n}_sho_pitch" axis="0 1 0" range="-3 3"/><geom size=".02"/>
  <body name="{n}_upper"><joint name="{n}_sho_roll" axis="1 0 0" range="-2 2"/><geom type="capsule" fromto="0 0 0 0 {d} 0" size=".02"/>
  <body name="{n}_fore" pos="0 {d} 0"><joint name="{n}_el" axis="1 0 0" range="-2.8 2.8"/><geom type="capsule" fromto="0 0 0 0 {d} 0" size=".02"/>
  </body></body></body>"""


def write_small(path, leg):
    parts = "".join(part.format(n=n, y=y, d=d) for part, place in ((leg, 0.035), (SMALL_ARM, 0.09)) for n, y, d in (("l", place, 0.09), ("r", -place, -0.09)))
    path.write_text(f'<mujoco model="small"><compiler angle="radian"/><worldbody><body name="trunk" pos="0 0 .3"><freejoint/><geom type="box" size=".04 .06 .06" pos="0 0 .06"/>{parts}</body></worldbody></mujoco>')


def test_a_robot_without_ankles_is_not_praised_for_how_it_stands(run, project, tmp_path):
    write_small(tmp_path / "small.xml", SMALL_LEG.split('  <body name="{n}_heel"')[0] + "</body></body></body></body>")
    done = run("retarget", project / "examples" / "data" / WALK, "--robot", "small.xml", "--json", "-o", "walk.npz")
    figures = json.loads(done.stdout)
    assert figures["unjudged"] == 1 and figures["foot_skate_p95_mm_s"] is None
    again = json.loads(run("inspect", "walk.npz", "--robot", "small.xml", "--json").stdout)
    for verdict in (figures["verdict"], again["verdict"]):
        assert verdict["grade"] != "good" and "soles are unknown" in verdict["text"]
    assert run("check", "walk.npz", "--robot", "small.xml").returncode == CHECK_FAILED


def test_a_robot_with_two_joints_in_the_shoulder_faces_where_the_person_does(run, project, tmp_path):
    write_small(tmp_path / "small.xml", SMALL_LEG)
    done = run("retarget", project / "examples" / "data" / WALK, "--robot", "small.xml", "--json")
    assert done.returncode == GOOD, done.stderr
    figures = json.loads(done.stdout)
    # the elbows' axes turned the trunk by 70 deg when they were taken for a person's
    assert figures["base_heading_median_deg"] < 2 and figures["base_tilt_median_deg"] < 2
    assert figures["followable_mean_deg"] < 10 and figures["limb_direction_mean_deg"] < 8


def test_the_wrong_file_is_refused_plainly(run, legs):
    refused(run("inspect", legs), UNUSABLE, "legs.xml: this is a robot (MJCF), not a recording; `panto map` shows how it is understood")
    refused(run("map", legs.parent / "parts.xml"), UNUSABLE, "parts.xml:1", "this is a part of a model; give the file that includes it")
    legs.write_text(legs.read_text().replace('size=".1 .1 .1"', 'size=".1 x"'))
    refused(run("map", legs), UNUSABLE, "legs.xml:1: <geom>: size='.1 x' is not a number")
    (legs.parent / "scene.xml").write_text("<scene/>")
    refused(run("map", legs.parent / "scene.xml"), UNUSABLE, "scene.xml:1: <scene>: the outermost element of an MJCF must be <mujoco>")
    (legs.parent / "page.xml").write_text("<html/>")
    refused(run("map", legs.parent / "page.xml"), UNUSABLE, "page.xml: is a web page (HTML), not data")


def test_a_urdf_may_be_called_xml(run, tmp_path):
    assert run("convert", "unitree_g1", "g1.urdf").returncode == GOOD
    (tmp_path / "g1.urdf").rename(tmp_path / "g1.xml")
    assert run("map", "g1.xml").returncode == GOOD


# --- written ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("robot", ROBOTS)
def test_mujoco_plays_our_motion_through_written_mjcf(mujoco, run, data_file, project, tmp_path, robot):
    pin = pytest.importorskip("pinocchio")
    robot = data_file(robot) if "/" in robot else robot
    clip = project / "examples" / "data" / WALK
    assert run("convert", robot, "robot.xml").returncode == GOOD
    assert run("convert", robot, "robot.urdf").returncode == GOOD
    done = run("retarget", clip, "--robot", robot, "-o", "m.npz")
    assert done.returncode == GOOD, done.stderr
    motion = np.load(tmp_path / "m.npz")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml"))
    data = mujoco.MjData(model)
    order = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, j) for j in range(1, model.njnt)]
    assert model.jnt_type[0] == mujoco.mjtJoint.mjJNT_FREE and order == list(motion["mujoco_joint_names"])

    judge = pin.buildModelFromXML((tmp_path / "robot.urdf").read_text(), pin.JointModelFreeFlyer())
    theirs = judge.createData()
    columns = {name: i for i, name in enumerate(motion["joint_names"])}
    worst = 0.0
    for frame in range(0, len(motion["times_s"]), 20):
        p, q, s = motion["base_position"][frame], motion["base_quaternion_wxyz"][frame], motion["joint_position"][frame]
        data.qpos[:3], data.qpos[3:7], data.qpos[7:] = p, q, s[motion["mujoco_order"]]
        mujoco.mj_kinematics(model, data)
        x = pin.neutral(judge)
        x[:3], x[3:7] = p, q[[1, 2, 3, 0]]
        for name, i in columns.items():
            joint = judge.joints[judge.getJointId(name)]
            x[joint.idx_q : joint.idx_q + joint.nq] = (np.cos(s[i]), np.sin(s[i])) if joint.nq == 2 else s[i]
        pin.forwardKinematics(judge, theirs, x)
        pin.updateFramePlacements(judge, theirs)
        for body in range(1, model.nbody):
            name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, body)
            link = theirs.oMf[judge.getFrameId(name, pin.FrameType.BODY)]
            worst = max(worst, np.abs(link.translation - data.xpos[body]).max(), np.abs(link.rotation.ravel() - data.xmat[body]).max())
    assert worst < 1e-6
    lower, upper = {}, {}
    for j in range(1, model.njnt):
        if model.jnt_limited[j]:
            lower[order[j - 1]], upper[order[j - 1]] = model.jnt_range[j]
    for name, least in lower.items():
        i = judge.joints[judge.getJointId(name)].idx_q
        assert np.isclose(least, judge.lowerPositionLimit[i]) and np.isclose(upper[name], judge.upperPositionLimit[i])


def test_the_keyframe_stands_on_the_floor_and_a_simulation_of_it_runs(mujoco, run, tmp_path):
    assert run("convert", "unitree_g1", "g1.xml").returncode == GOOD
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "g1.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    assert 0.5 < data.qpos[2] < 1.0 and data.xpos[1:, 2].min() > -1e-9
    assert all(contact.dist > -0.002 for contact in data.contact)
    for _ in range(500):
        mujoco.mj_step(model, data)
    assert np.isfinite(data.qpos).all() and data.xpos[1:, 2].min() > -0.02, "limp, it lies on the floor a second later"


def test_an_mjcf_can_be_written_as_urdf_and_back(run, legs):
    assert run("convert", legs, "legs.urdf").returncode == GOOD
    again = run("convert", "legs.urdf", "again.xml")
    assert again.returncode == GOOD and "6 movable joints" in again.stdout
    refused(run("convert", legs.parent.parent / "none.bvh", "a.xml"), 2, ".xml holds a model, no motion")
