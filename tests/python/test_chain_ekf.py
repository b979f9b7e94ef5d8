"""The reference filter: its parts against other formulas, and the whole on motions with known truth."""

import dataclasses
import os
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "python"))
from reference import chain_ekf, imu_chain, so3  # noqa: E402

SEEDS = range(1, 1 + max(5, round(5 * float(os.environ.get("PANTO_TEST_SCALE") or 1))))


def moved(R_ref, q, q1, q2, t):
    """A ball's rotation along q(t) = q + q' t + q'' t^2 / 2."""
    return R_ref @ chain_ekf.ball(q + q1 * t + q2 * t * t / 2.0)


def angles(R):
    return np.array([np.arctan2(-R[1, 2], R[2, 2]), np.arcsin(R[0, 2]), np.arctan2(-R[0, 1], R[0, 0])])


def about_new_reference(R_new, x):
    """(q, q', q'') about R_new of the motion (q, q', q'') about I, by differences in time of the rotation itself."""
    step = 1e-3
    q = np.array([angles(R_new.T @ moved(np.eye(3), *x.reshape(3, 3), k * step)) for k in range(-2, 3)])
    first = (q[0] - 8.0 * q[1] + 8.0 * q[3] - q[4]) / (12.0 * step)
    second = (-q[0] + 16.0 * q[1] - 30.0 * q[2] + 16.0 * q[3] - q[4]) / (12.0 * step**2)
    return np.concatenate([q[2], first, second])


@pytest.mark.parametrize("seed", SEEDS)
def test_a_ball_moved_to_a_new_reference_is_the_same_motion(seed):
    random = np.random.default_rng(seed)
    x = np.concatenate([random.uniform(-0.5, 0.5, 3), random.uniform(-2, 2, 3), random.uniform(-5, 5, 3)])
    w, q2_new, J = chain_ekf.rebase_ball(*x.reshape(3, 3))
    R_new = chain_ekf.ball(x[:3])
    theirs = about_new_reference(R_new, x)
    assert np.abs(np.concatenate([np.zeros(3), w, q2_new]) - theirs).max() < 1e-6  # differences of fourth order
    for i in range(9):
        dx = np.zeros(9)
        dx[i] = 1e-3
        column = (about_new_reference(R_new, x + dx) - about_new_reference(R_new, x - dx)) / 2e-3
        # second-order differences in x: the third derivatives of these coordinates stay below 100
        assert np.abs(J[:, i] - column).max() < 1e-4, i


PROCESSES = [chain_ekf.WhiteJerk(2.0), chain_ekf.Singer(30.0, 0.2), chain_ekf.Tethered(6.0, 4.0)]


@pytest.mark.parametrize("process", PROCESSES)
def test_two_short_steps_are_one_long_step(process):
    F, Q = process.over(0.02)
    F2, Q2 = process.over(0.04)
    assert np.abs(F @ F - F2).max() < 1e-14
    assert np.abs(F @ Q @ F.T + Q - Q2).max() <= 1e-13 * np.abs(Q2).max()


def test_white_jerk_and_singer_have_their_closed_forms():
    T, S = 0.1, 3.0
    F, Q = chain_ekf.WhiteJerk(S).over(T)
    assert np.abs(Q - S * np.array([[T**5 / 20, T**4 / 8, T**3 / 6], [T**4 / 8, T**3 / 3, T**2 / 2], [T**3 / 6, T**2 / 2, T]])).max() < 1e-15
    tau = 0.2
    F, _ = chain_ekf.Singer(30.0, tau).over(T)
    e = np.exp(-T / tau)
    assert np.abs(F - [[1, T, tau**2 * (e - 1 + T / tau)], [0, 1, tau * (1 - e)], [0, 0, e]]).max() < 1e-12


def test_a_tethered_body_stays_where_its_numbers_say():
    rms, b = 6.0, 4.0
    F, Q = chain_ekf.Tethered(rms, b).over(0.01)
    P = np.zeros((3, 3))
    for _ in range(2000):
        P = F @ P @ F.T + Q
    assert np.abs(np.sqrt(np.diag(P)) / [rms / b**2, rms / b / np.sqrt(3.0), rms] - 1.0).max() < 1e-9


# What the filter believes, against what is so: motions drawn from its own process model.

SITE = chain_ekf.Field(45.0, np.radians(65.0))
EXACT = chain_ekf.Options(mounting=0.0, wobble=0.0, bias=0.01, huber=1e9, rest_rate=0.0, start=(0.05, 0.1, 1.0))


def arm(random):
    """Four hinges in different directions, a sensor on each half."""
    axes = [imu_chain.Z, imu_chain.Y, imu_chain.X, imu_chain.Y]
    dofs = [imu_chain.Dof(j - 1, axis, p_PJ=random.uniform(-0.3, 0.3, 3)) for j, axis in enumerate(axes)]
    imus = [imu_chain.Imu(body, so3.exp(random.uniform(-1, 1, 3)), random.uniform(-0.1, 0.1, 3)) for body in (1, 3)]
    return imu_chain.Chain(dofs, imus)


def drawn(random, chain, process, steps, T):
    """States (steps x 3n) from the process, the biases, and the sensors' samples, with the noise of EXACT."""
    F, Q = process.over(T)
    root = np.linalg.cholesky(Q + 1e-18 * np.trace(Q) * np.eye(3))
    x = random.normal(size=(chain.size, 3)) * EXACT.start
    bias = random.normal(size=(len(chain.imus), 3)) * EXACT.bias
    sigma = np.repeat([EXACT.gyro, EXACT.acc, EXACT.mag], 3)
    scale = np.repeat([1.0, 1.0, SITE.norm], 3)
    states, samples = [], []
    for _ in range(steps):
        states.append(x.ravel().copy())
        chain.move(*x.T)
        felt = [chain.feel(imu, SITE.m_G)[0] + np.append(b, np.zeros(6)) for imu, b in zip(chain.imus, bias)]
        samples.append([np.split((y + random.normal(size=9) * sigma) * scale, 3) for y in felt])
        x = x @ F.T + random.normal(size=x.shape) @ root.T
    return np.array(states), bias.ravel(), samples


def test_errors_are_as_large_as_the_filter_says():
    """NEES and NIS over independent runs inside the 99.9 % bounds of chi-square, by its normal approximation."""
    runs, steps, T = 20, 60, 0.01
    process = chain_ekf.Singer(30.0, 0.2)
    nees, nis = [], []
    for seed in range(runs):
        random = np.random.default_rng(1000 + seed)
        chain = arm(random)
        truth, bias, samples = drawn(random, chain, process, steps, T)
        options = dataclasses.replace(EXACT, bias_walk=0.0)
        ekf = chain_ekf.ChainEkf(chain, [process] * 4, options, magnetic="vector", site=SITE)
        ekf.good_field = [1.0, 1.0]
        for k in range(steps):
            ekf.step(k * T, samples[k])
            if k >= 10:
                nis.append([block for imu in ekf.health.nis.values() for block in imu])
        error = ekf.x - np.append(truth[-1], bias)
        nees.append(error @ np.linalg.solve(ekf.P, error))
    dof = len(error)
    assert abs(np.mean(nees) / dof - 1.0) < 3.3 * np.sqrt(2.0 / (dof * runs))
    # blocks of one sample are taken together, samples of one run are independent when the filter is right
    count = np.size(nis)
    assert abs(np.mean(nis) / 3.0 - 1.0) < 3.3 * np.sqrt(2.0 / (3.0 * count)) + 0.02  # linearisation


def tumbling(random, seconds, T):
    """A body that turns by everything: smooth rates of up to 8 rad/s an axis. (R, w, alpha) by sample, w in body axes."""
    amplitude, frequency = random.uniform(2.0, 4.0, (2, 3)), random.uniform(0.2, 0.8, (2, 3))
    phase = random.uniform(0, 2 * np.pi, (2, 3))
    R, motion, fine = np.eye(3), [], 10
    for k in range(int(seconds / T)):
        t = k * T
        argument = 2 * np.pi * frequency * t + phase
        motion.append((R, (amplitude * np.sin(argument)).sum(0), (2 * np.pi * frequency * amplitude * np.cos(argument)).sum(0)))
        for i in range(fine):
            middle = 2 * np.pi * frequency * (t + (i + 0.5) * T / fine) + phase
            R = R @ so3.exp((amplitude * np.sin(middle)).sum(0) * T / fine)
    return motion


@pytest.mark.parametrize("seed", SEEDS)
def test_a_ball_has_no_pose_that_it_cannot_follow(seed):
    """Four seconds of tumbling at the end of a lever, past every singular pose of three hinges in series."""
    random = np.random.default_rng(seed)
    T, lever = 0.01, np.array([0.1, 0.0, 0.2])
    chain = imu_chain.Chain(imu_chain.dofs_of_ball(-1, 0), [imu_chain.Imu(2, p_BI=lever)])
    options = chain_ekf.Options(mounting=0.0, wobble=0.0, rest_rate=0.0, start=(0.1, 0.05, 40.0))
    ekf = chain_ekf.ChainEkf(chain, [chain_ekf.Singer(60.0, 0.2)] * 3, options, balls=[0], magnetic="vector", site=SITE)
    ekf.good_field = [1.0]
    worst, steepest = 0.0, 0.0
    for k, (R, w, alpha) in enumerate(tumbling(random, 4.0, T)):
        acc = R.T @ -imu_chain.GRAVITY + np.cross(alpha, lever) + np.cross(w, np.cross(w, lever))
        sample = (w + random.normal(size=3) * 0.002, acc + random.normal(size=3) * 0.07, SITE.norm * (R.T @ SITE.m_G + random.normal(size=3) * 0.02))
        if k == 0:
            ekf.x[1:9:3] = sample[0]  # it already turns; the first sample says how fast
        ekf.step(k * T, [sample])
        steepest = max(steepest, abs(R[0, 2]))
        if k * T > 0.5:
            worst = max(worst, np.degrees(np.linalg.norm(so3.log(R.T @ ekf.orientation(2)))))
    print(f"worst {worst:.2f} deg, steepest {steepest:.3f}")
    assert steepest > 0.95, "the middle angle of three hinges passes 72 deg"
    # a single sample fixes heading to 0.02 / cos(65 deg) rad = 2.7 deg: the filter must be better than its input
    assert worst < 2.0


def test_a_missing_sensor_is_no_reason_to_stop():
    random = np.random.default_rng(1)
    chain = arm(random)
    ekf = chain_ekf.ChainEkf(chain, [chain_ekf.Singer(30.0, 0.2)] * 4, EXACT)
    _, _, samples = drawn(random, chain, chain_ekf.Singer(30.0, 0.2), 20, 0.01)
    for k in range(20):
        ekf.step(0.01 * k, [samples[k][0], None])
    assert np.all(np.isfinite(ekf.x)) and list(ekf.health.nis) == [0]
    assert ekf.P[9, 9] > ekf.P[0, 0], "joints beyond the last sensor are less certain"


def test_a_magnet_is_not_north():
    """A field of another strength or dip is left alone, and again believed half a second after it is gone."""
    chain = chain_ekf.carried_imu()
    options = chain_ekf.Options(mounting=0.0)
    ekf = chain_ekf.ChainEkf(chain, [chain_ekf.Tethered(6, 4)] * 3 + [chain_ekf.Singer(100, 0.1)] * 3, options, balls=[3], magnetic="heading", site=SITE)
    believed = []
    for k in range(400):
        magnet = np.array([20.0, 0.0, 10.0]) if 100 <= k < 200 else np.zeros(3)
        ekf.step(0.01 * k, [(np.zeros(3), -imu_chain.GRAVITY, SITE.norm * SITE.m_G + magnet)])
        believed.append(bool(ekf.health.heading_used))
    assert not any(believed[:49]) and all(believed[52:100]), "at first only after half a second"
    assert not any(believed[100:249]) and all(believed[252:])
    assert abs(angles(ekf.orientation(5))[2]) < 1e-9, "heading stays north"
