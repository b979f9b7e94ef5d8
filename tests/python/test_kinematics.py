"""Panto's forward kinematics and URDF reader against Pinocchio, an independent implementation.

PANTO_PROBE names the program built from tests/support/probe.cpp; PANTO_TEST_DATA the folder of real models.
"""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

PROBE = os.environ.get("PANTO_PROBE", "")
BESIDE = Path(__file__).parents[3] / "shared" / "data"
DATA = Path(os.environ.get("PANTO_TEST_DATA") or os.environ.get("PANTO_TEST_DATA_DEFAULT") or BESIDE)
FILES = sorted((DATA / "models").glob("**/*.urdf"))
STATES = 3
TOLERANCE = 1e-10  # relative to the model's size and speed, at least 1


def probe(model, states=STATES, seed=1):
    if not Path(PROBE).is_file():
        pytest.fail("PANTO_PROBE does not name the built probe; run through ctest or ./dev test")
    run = subprocess.run([PROBE, str(model), str(states), str(seed)], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


class Oracle:
    """Pinocchio's answer in Panto's terms: joints by name, velocities in world axes."""

    def __init__(self, urdf):
        self.model = pin.buildModelFromXML(urdf, pin.JointModelFreeFlyer())
        self.data = self.model.createData()

    def set_state(self, joints, state):
        model = self.model
        self.R_WB = np.array(state["R_WB"])
        q, v = pin.neutral(model), np.zeros(model.nv)
        q[:3] = state["p_WB"]
        q[3:7] = pin.Quaternion(self.R_WB).normalized().coeffs()  # x, y, z, w
        # a free-flyer's velocity is expressed in the base's own axes
        v[:3] = self.R_WB.T @ state["v_WB"]
        v[3:6] = self.R_WB.T @ state["w_WB"]
        self.columns = []
        for name, s, rate in zip(joints, state["s"], state["sdot"]):
            assert model.existJointName(name), name
            joint = model.joints[model.getJointId(name)]
            # a continuous joint is kept as (cos, sin)
            q[joint.idx_q : joint.idx_q + joint.nq] = (np.cos(s), np.sin(s)) if joint.nq == 2 else s
            v[joint.idx_v] = rate
            self.columns.append(joint.idx_v)
        assert model.nv == 6 + len(joints)
        pin.forwardKinematics(model, self.data, q, v)
        pin.updateFramePlacements(model, self.data)
        pin.computeJointJacobians(model, self.data, q)

    def frame(self, link):
        frame = self.model.getFrameId(link, pin.FrameType.BODY)
        assert frame < self.model.nframes, link
        return frame

    def pose(self, link):
        placement = self.data.oMf[self.frame(link)]
        return placement.rotation, placement.translation

    def velocity(self, link):
        twist = pin.getFrameVelocity(self.model, self.data, self.frame(link), pin.LOCAL_WORLD_ALIGNED)
        return twist.linear, twist.angular

    def jacobian(self, link):
        J = pin.getFrameJacobian(self.model, self.data, self.frame(link), pin.LOCAL_WORLD_ALIGNED)
        base = np.hstack([J[:, :3] @ self.R_WB.T, J[:, 3:6] @ self.R_WB.T])
        return np.hstack([base, J[:, self.columns]])


def check(answer, urdf):
    oracle = Oracle(urdf)
    for state in answer["states"]:
        oracle.set_state(answer["joints"], state)
        links = state["links"]
        size = max([1.0] + [np.linalg.norm(link["p"]) for link in links.values()])
        speed = max([1.0] + [np.linalg.norm(link["w"]) for link in links.values()])
        for name, link in links.items():
            R, p = oracle.pose(name)
            np.testing.assert_allclose(link["R"], R, rtol=0, atol=TOLERANCE, err_msg=name)
            np.testing.assert_allclose(link["p"], p, rtol=0, atol=TOLERANCE * size, err_msg=name)
            v, w = oracle.velocity(name)
            np.testing.assert_allclose(link["w"], w, rtol=0, atol=TOLERANCE * speed, err_msg=name)
            np.testing.assert_allclose(link["v"], v, rtol=0, atol=TOLERANCE * size * speed, err_msg=name)
            J = np.array(link["J"])
            expected = oracle.jacobian(name)[:, -J.shape[1] :]  # a fixed base has no columns
            np.testing.assert_allclose(J, expected, rtol=0, atol=TOLERANCE * size, err_msg=name)


@pytest.mark.parametrize("name", ["human66", "human48"])
def test_the_human_models_agree_with_pinocchio(name):
    answer = probe(name)
    assert len(answer["joints"]) == int(name[-2:])
    check(answer, answer["urdf"])


@pytest.mark.parametrize("name, joints", [("icub", 32), ("unitree_g1", 29), ("olivia17", 17), ("tee7", 7)])
def test_the_shipped_robots_agree_with_pinocchio(name, joints):
    answer = probe(name, states=10)
    assert len(answer["joints"]) == joints
    check(answer, answer["urdf"])


@pytest.mark.parametrize(
    "name, path",
    [
        ("icub", "models/icub/teleoperation_iCub_model_V_2_5.urdf"),
        ("unitree_g1", "models/unitree/g1_29dof_rev_1_0.urdf"),
    ],
)
def test_the_shipped_robots_agree_with_pinocchio_reading_their_makers_files(name, path, data_file):
    check(probe(name, states=10), data_file(path).read_text(encoding="utf-8"))


def test_the_real_models_are_there(data_file):
    assert data_file("models").is_dir()
    assert len(FILES) >= 10


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_real_models_agree_with_pinocchio_reading_the_same_file(path):
    answer = probe(path)
    check(answer, path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_written_models_are_the_same_to_pinocchio(path):
    answer = probe(path, states=1)
    check(answer, answer["urdf"])
    read, written = (pin.buildModelFromXML(text) for text in (path.read_text(encoding="utf-8"), answer["urdf"]))
    assert list(read.names) == list(written.names)
    np.testing.assert_allclose(written.lowerPositionLimit, read.lowerPositionLimit, rtol=0, atol=0)
    np.testing.assert_allclose(written.upperPositionLimit, read.upperPositionLimit, rtol=0, atol=0)
    # a simulator's 50000 stands for none, and so do a missing limit (infinity to Pinocchio) and what is written for none
    speed = np.where(read.velocityLimit >= 1000.0, np.inf, read.velocityLimit)
    np.testing.assert_array_equal(np.where(written.velocityLimit >= 1e308, np.inf, written.velocityLimit), speed)
    for ours, theirs in zip(written.inertias, read.inertias):
        np.testing.assert_allclose(ours.mass, theirs.mass, rtol=1e-14, atol=0)
        np.testing.assert_allclose(ours.lever, theirs.lever, rtol=0, atol=1e-14)
        np.testing.assert_allclose(ours.inertia, theirs.inertia, rtol=0, atol=1e-13)


@pytest.mark.parametrize("seed", range(20))
def test_random_trees_agree_with_pinocchio(seed):
    answer = probe(f"random:{seed}", seed=seed)
    check(answer, answer["urdf"])
