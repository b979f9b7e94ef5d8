"""DynamicalSolver, step by step, against python/reference: the same theory written down densely and slowly.

PANTO_STEP_PROBE names the program built from tests/support/step_probe.cpp: it writes a model, samples with gaps and
uneven intervals (4 to 95 ms), and our State after every step.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "python"))
from reference import bounded_least_squares, so3  # noqa: E402
from reference.dynamical import Dynamical, State  # noqa: E402
from reference.model import Model  # noqa: E402

PROBE = os.environ.get("PANTO_STEP_PROBE", "")
SCALE = float(os.environ.get("PANTO_TEST_SCALE") or 1)
SEEDS = range(1, 1 + max(1, round(SCALE)))
STEPS = 50
TOLERANCE = 1e-9  # [rad], [m], per step


def run_probe(model, scene, seed):
    if not Path(PROBE).is_file():
        pytest.fail("PANTO_STEP_PROBE does not name the built probe; run through ctest or ./dev test")
    command = [PROBE, model, str(STEPS), str(seed), scene]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def state_of(raw):
    return State(raw["t_ns"], np.array(raw["p_WB"]), np.array(raw["R_WB"]), np.array(raw["s"]))


def sample_of(step):
    return {t["link"]: {key: np.array(t[key]) for key in t if key != "link"} for t in step["targets"]}


def difference(ours, theirs):
    return max(np.abs(ours.p_WB - theirs.p_WB).max(), np.abs(ours.R_WB - theirs.R_WB).max(), np.abs(ours.s - theirs.s).max())


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("scene", ["full", "missing", "sparse"])
@pytest.mark.parametrize("name", ["human66", "human48"])
def test_every_step_is_the_same(name, scene, seed):
    raw = run_probe(name, scene, seed)
    model = Model(raw["urdf"], raw["joints"])
    reference = Dynamical(model, raw["targets"], raw["rest"])
    state = state_of(raw["start"])
    assert len(raw["steps"]) == STEPS
    held = worst = 0.0
    for number, step in enumerate(raw["steps"]):
        assert step["status"] in ("solved", "saturated"), number
        assert step["fallback"] <= 1, number
        ours = state_of(step["state"])
        theirs, answer = reference.step(state, step["t_ns"], sample_of(step))
        error = difference(ours, theirs)
        assert error < TOLERANCE, f"step {number}"
        worst = max(worst, error)
        held += len(answer.held)
        assert np.all(ours.s >= model.lower) and np.all(ours.s <= model.upper)
        state = ours
    print(f"\n{name} {scene} {seed}: {worst:.1e} at most, {held / STEPS:.1f} joints held on average")
    # the scenes are what they are called
    assert (held / STEPS > 3.0) == (name == "human48")
    if scene == "missing":
        assert sum("R" not in target for step in raw["steps"] for target in step["targets"]) > 2 * STEPS


@pytest.mark.parametrize("name", ["human66", "human48"])
def test_fifty_steps_on_its_own_end_at_the_same_pose(name):
    raw = run_probe(name, "full", 7)
    reference = Dynamical(Model(raw["urdf"], raw["joints"]), raw["targets"], raw["rest"])
    theirs = state_of(raw["start"])
    for number, step in enumerate(raw["steps"]):
        theirs, _ = reference.step(theirs, step["t_ns"], sample_of(step))
        assert difference(state_of(step["state"]), theirs) < TOLERANCE, number


def test_the_models_have_the_compound_joints_that_decision_4_speaks_of():
    for name, balls in (("human66", 22), ("human48", 0)):
        raw = run_probe(name, "full", 1)
        reference = Dynamical(Model(raw["urdf"], raw["joints"]), raw["targets"], raw["rest"])
        assert len(reference.compounds) == 22
        assert sum(compound.ball for compound in reference.compounds) == balls


# --- the reference itself


def random_rotations(count):
    random = np.random.default_rng(1)
    for _ in range(count):
        axis = random.normal(size=3)
        yield axis / np.linalg.norm(axis), random.choice([1e-9, 1e-4, 1.0, 2.9, 3.1, np.pi - 1e-7]) * random.uniform(0.5, 1.0)


def test_the_reference_takes_the_logarithm_of_its_exponential():
    for axis, angle in random_rotations(300):
        R = so3.exp(axis * angle)
        np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-14)
        np.testing.assert_allclose(so3.log(R), axis * angle, atol=1e-9)


def test_the_jacobian_of_the_reference_is_the_derivative_of_its_poses():
    raw = run_probe("human48", "sparse", 1)
    model = Model(raw["urdf"], raw["joints"])
    reference = Dynamical(model, raw["targets"], raw["rest"])
    state, step = state_of(raw["start"]), 1e-6
    h = model.pose(state.p_WB, state.R_WB, state.s)
    columns = reference._columns(h)
    for link in ("LeftHand", "RightFoot", "Head"):
        J = reference.jacobian(link, h, columns)
        for i in range(J.shape[1]):
            poses = []
            for sign in (1.0, -1.0):
                nu = np.zeros(J.shape[1])
                nu[i] = sign * step
                order = [model.dof[joint.name] for joint, _, _ in columns]
                s = state.s.copy()
                s[order] += nu[6:]
                poses.append(model.pose(state.p_WB + nu[:3], so3.exp(nu[3:6]) @ state.R_WB, s))
            linear = (poses[0].p[link] - poses[1].p[link]) / (2.0 * step)
            angular = so3.log(poses[0].R[link] @ poses[1].R[link].T) / (2.0 * step)
            np.testing.assert_allclose(J[:, i], np.concatenate([linear, angular]), atol=1e-8)


def test_the_bounded_least_squares_of_the_reference_is_optimal():
    random = np.random.default_rng(2)
    for _ in range(200):
        columns = random.integers(1, 30)
        A = random.normal(size=(columns + random.integers(0, 20), columns))
        b = random.normal(size=A.shape[0]) * 3.0
        lower, upper = np.sort(random.normal(size=(2, columns)), axis=0)
        x, _ = bounded_least_squares.solve(A, b, lower, upper)
        gradient = A.T @ (A @ x - b)
        assert np.all(x >= lower - 1e-9) and np.all(x <= upper + 1e-9)
        # going along the gradient and back onto the box leads nowhere
        np.testing.assert_allclose((x - gradient).clip(lower, upper), x, atol=1e-8)
