"""The reference's IMU model: vector recursion and Jacobians against the paper's 4 x 4 matrices and differences."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "python"))
from reference import dh, homogeneous, imu_chain, so3  # noqa: E402
from reference.imu_chain import GRAVITY, Chain, Dof, Imu  # noqa: E402

SEEDS = range(1, 1 + max(5, round(5 * float(os.environ.get("PANTO_TEST_SCALE") or 1))))
FIELD = np.array([0.1, 0.4, -0.9])


def random_rotation(random):
    return so3.exp(random.uniform(-2.0, 2.0, 3))


def random_parent(random, j):
    """Mostly long paths, some branches."""
    return j - 1 if j == 0 or random.random() < 0.7 else int(random.integers(-1, j))


def random_tree(random, size=9):
    """A chain with branches, sliders among the hinges, three sensors; the root is turned."""
    dofs = []
    for j in range(size):
        axis = random.normal(size=3)
        dofs.append(
            Dof(random_parent(random, j), axis / np.linalg.norm(axis), random_rotation(random), random.uniform(-0.5, 0.5, 3), random.random() < 0.25)
        )
    imus = [Imu(int(body), random_rotation(random), random.uniform(-0.1, 0.1, 3)) for body in (size - 1, size // 2, 0)]
    return Chain(dofs, imus, random_rotation(random))


def random_links(random, size=9):
    return [
        dh.DhLink(
            random_parent(random, j), theta=random.uniform(-3, 3), d=random.uniform(-0.4, 0.4), a=random.uniform(-0.4, 0.4),
            alpha=random.uniform(-3, 3), slides=random.random() < 0.25,
        )
        for j in range(size)
    ]  # fmt: skip


def random_motion(random, size):
    return random.uniform(-2, 2, size), random.uniform(-4, 4, size), random.uniform(-30, 30, size)


def close(ours, theirs, relative):
    """Largest difference over the size of what is compared."""
    return np.abs(ours - theirs).max() <= relative * max(1.0, np.abs(theirs).max())


@pytest.mark.parametrize("seed", SEEDS)
def test_predictions_and_jacobians_are_those_of_the_4x4_matrices(seed):
    random = np.random.default_rng(seed)
    chain = random_tree(random)
    links = [homogeneous.TreeLink(dof) for dof in chain.dofs]
    motion = random_motion(random, chain.size)
    chain.move(*motion)
    for imu in chain.imus:
        y, H = chain.feel(imu, FIELD)
        y_4x4, H_4x4 = homogeneous.feel(links, imu, homogeneous.rigid(chain.R_GW, np.zeros(3)), *motion, FIELD)
        assert close(y, y_4x4, 1e-12)
        assert close(H, H_4x4, 1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_tree_of_denavit_and_hartenberg_is_the_same_tree(seed):
    random = np.random.default_rng(seed)
    links = random_links(random)
    motion = random_motion(random, len(links))
    R, p = random_rotation(random), random.uniform(-0.1, 0.1, 3)
    for body in (len(links) - 1, 4, 0):
        R_GW = random_rotation(random)
        chain = Chain(dh.dofs(links), [Imu(body, *dh.mounting(links[body], R, p))], R_GW)
        chain.move(*motion)
        y, H = chain.feel(chain.imus[0], FIELD)
        y_4x4, H_4x4 = homogeneous.feel(links, Imu(body, R, p), homogeneous.rigid(R_GW, np.zeros(3)), *motion, FIELD)
        assert close(y, y_4x4, 1e-12)
        assert close(H, H_4x4, 1e-12)


def test_a_link_is_rot_z_trans_z_trans_x_rot_x():
    link = dh.DhLink(-1, theta=np.pi / 2, d=3.0, a=2.0, alpha=np.pi / 2)
    H = link.derivatives(0.0)[0]
    expected = np.array([[0, 0, 1, 0], [1, 0, 0, 2], [0, 1, 0, 3], [0, 0, 0, 1]])  # by hand
    assert np.abs(H - expected).max() < 1e-15


def differences(function, x, step):
    """Jacobian by central differences."""
    columns = []
    for i in range(len(x)):
        dx = np.zeros(len(x))
        dx[i] = step
        columns.append((function(x + dx) - function(x - dx)) / (2.0 * step))
    return np.array(columns).T


@pytest.mark.parametrize("seed", SEEDS)
def test_jacobians_equal_central_differences(seed):
    random = np.random.default_rng(seed)
    chain = random_tree(random)
    x = np.array(random_motion(random, chain.size)).T.ravel()  # joint by joint
    for imu in chain.imus:

        def feel(x):
            chain.move(*x.reshape(-1, 3).T)
            return chain.feel(imu, FIELD)[0]

        def point(x):
            chain.move(*x.reshape(-1, 3).T)
            at = chain.at(imu.body, imu.p_BI)
            return np.concatenate([at.r, at.v, at.c])

        numeric = differences(feel, x, 1e-5)
        moved = differences(point, x, 1e-5)
        chain.move(*x.reshape(-1, 3).T)
        assert close(chain.feel(imu, FIELD)[1], numeric, 1e-6)
        at = chain.at(imu.body, imu.p_BI)
        analytic = np.zeros((9, 3 * chain.size))
        path = 3 * np.array(at.path)
        analytic[0:3, path] = at.J
        analytic[3:6, path], analytic[3:6, path + 1] = at.J1, at.J
        analytic[6:9, path], analytic[6:9, path + 1], analytic[6:9, path + 2] = at.J2, 2.0 * at.J1, at.J
        assert close(analytic, moved, 1e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_measurements_are_the_motion_differentiated_in_time(seed):
    """q(t) a polynomial: gyro and accelerometer from differences of poses in time, with no recursion at all."""
    random = np.random.default_rng(seed)
    chain = random_tree(random, size=5)
    q, q1, q2 = random.uniform(-2, 2, 5), random.uniform(-1, 1, 5), random.uniform(-2, 2, 5)
    imu, step = chain.imus[0], 1e-3

    def pose(t):
        chain.move(q + q1 * t + q2 * t * t / 2, np.zeros(5), np.zeros(5))
        frame = chain.frames[imu.body]
        return frame.R @ imu.R_BI, frame.p + frame.R @ imu.p_BI

    (R0, p0), (R, p), (R1, p1) = pose(-step), pose(0.0), pose(step)
    gyro = so3.log(R0.T @ R1) / (2.0 * step)
    acc = R.T @ ((p1 - 2.0 * p + p0) / step**2 - GRAVITY)
    chain.move(q, q1, q2)
    y, _ = chain.feel(imu, FIELD)
    # second-order differences; the fourth derivative of a path of 5 joints at these rates stays below 1e3
    assert np.abs(y[:3] - gyro).max() < 1e-3
    assert np.abs(y[3:6] - acc).max() < 1e-3


def test_a_sensor_at_rest_feels_one_g_upward():
    chain = Chain([Dof(-1)], [Imu(0)])
    chain.move(*np.zeros((3, 1)))
    y, _ = chain.feel(chain.imus[0], FIELD)
    assert np.abs(y - np.concatenate([np.zeros(3), -GRAVITY, FIELD])).max() == 0.0


@pytest.mark.parametrize("seed", SEEDS)
def test_turning_a_joint_turns_the_heading_as_its_vertical_part_says(seed):
    """The heading row is exact for vertical axes, and leaves level axes alone by intention."""
    random = np.random.default_rng(seed)
    chain = Chain([Dof(-1, imu_chain.Z), Dof(0, imu_chain.X)], [Imu(1, random_rotation(random))])
    q = random.uniform(-0.5, 0.5, 2)
    chain.move(q, np.zeros(2), np.zeros(2))
    y_m = random.normal(size=3)
    before, H, _ = chain.heading(chain.imus[0], y_m)
    chain.move(q + [1e-3, 0.0], np.zeros(2), np.zeros(2))
    after, _, _ = chain.heading(chain.imus[0], y_m)
    assert abs(np.angle(np.exp(1j * (after - before))) - 1e-3) < 1e-12
    assert H[0] == 1.0 and abs(H[3]) < 1e-15
