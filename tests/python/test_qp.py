"""Panto's velocity problems against two published solvers of quadratic programs, ProxQP and OSQP.

PANTO_QP_PROBE names the program built from tests/support/qp_probe.cpp: it writes our problems densely, with our
answers. A peer's answer counts where the peer itself says "solved".
"""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import osqp
import proxsuite
import pytest
import scipy.sparse

PROBE = os.environ.get("PANTO_QP_PROBE", "")
SCALE = float(os.environ.get("PANTO_TEST_SCALE") or 1)
COUNT = max(210, int(210 * SCALE))
COST = 1e-6  # difference of the costs, absolute and relative
BETTER = 1e-9  # by how much a feasible point of a peer may be cheaper than ours, absolute and relative
SHARE = 0.9  # of the problems a peer has to solve, or the comparison says little


def below(values):
    return np.array([-np.inf if value is None else value for value in values])


def above(values):
    return np.array([np.inf if value is None else value for value in values])


class Problem:
    """minimise x'Hx/2 - f'x under lower <= x <= upper, row_lower <= A x <= row_upper, and our answer."""

    def __init__(self, line):
        raw = json.loads(line)
        self.kind, self.status, self.active, self.cost = raw["kind"], raw["status"], raw["active"], raw["cost"]
        self.f, self.x = np.array(raw["f"]), np.array(raw["x"])
        self.H = np.array(raw["H"]).reshape(len(self.f), len(self.f))
        self.lower, self.upper = below(raw["lower"]), above(raw["upper"])
        self.row_lower, self.row_upper = below(raw["row_lower"]), above(raw["row_upper"])
        self.A = np.array(raw["A"]).reshape(len(self.row_lower), len(self.f))
        self.row_multiplier = np.array(raw["row_multiplier"])

    def cost_of(self, x):
        return 0.5 * x @ self.H @ x - self.f @ x

    def rows_off(self, x):
        """By how much x is outside every row."""
        value = self.A @ x
        return np.maximum(0.0, np.maximum(value - self.row_upper, self.row_lower - value))

    def scale(self):
        """What rounding of a cost is relative to: its largest term, at least 1."""
        return max(1.0, abs(self.cost), 0.5 * self.x @ self.H @ self.x, abs(self.f @ self.x))

    def determines_x(self):
        """A cost close to the minimum means an x close to the answer: H has no small eigenvalue."""
        return np.linalg.eigvalsh(self.H)[0] >= 1e-3


@pytest.fixture(scope="module")
def problems():
    if not Path(PROBE).is_file():
        pytest.fail("PANTO_QP_PROBE does not name the built probe; run through ctest or ./dev test")
    run = subprocess.run([PROBE, str(COUNT), "1"], capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stderr
    return [Problem(line) for line in run.stdout.splitlines()]


def proxqp(problem):
    """ProxQP's answer to 1e-10 (duality gap 1e-9), or None."""
    box = proxsuite.proxqp.dense.QP(len(problem.f), 0, len(problem.A), True)
    box.settings.eps_abs = 1e-10
    box.settings.eps_rel = 0.0
    # without it ProxQP says "solved" with a complementarity far from 1e-10
    box.settings.check_duality_gap = True
    box.settings.eps_duality_gap_abs = 1e-9
    box.settings.eps_duality_gap_rel = 0.0
    box.settings.max_iter = 10_000
    rows = {}
    if len(problem.A):
        rows = {"C": problem.A, "l": problem.row_lower.clip(-1e20), "u": problem.row_upper.clip(None, 1e20)}
    box.init(
        H=problem.H, g=-problem.f, l_box=problem.lower.clip(-1e20), u_box=problem.upper.clip(None, 1e20), **rows
    )
    box.solve()
    solved = box.results.info.status == proxsuite.proxqp.QPSolverOutput.PROXQP_SOLVED
    return np.array(box.results.x) if solved else None


def osqp_polished(problem):
    """OSQP's answer to 1e-9, or None."""
    solver = osqp.OSQP()
    solver.setup(
        scipy.sparse.triu(problem.H, format="csc"),
        -problem.f,
        scipy.sparse.vstack([scipy.sparse.eye(len(problem.f)), scipy.sparse.csc_matrix(problem.A)], format="csc"),
        np.concatenate([problem.lower, problem.row_lower]),
        np.concatenate([problem.upper, problem.row_upper]),
        eps_abs=1e-9,
        eps_rel=1e-9,
        max_iter=20_000,
        polishing=True,
        verbose=False,
    )
    result = solver.solve(raise_error=False)
    return np.array(result.x) if result.info.status == "solved" else None


def test_there_are_enough_problems_of_every_kind(problems):
    kinds = {}
    for problem in problems:
        kinds.setdefault(problem.kind, []).append(problem)
    assert len(problems) >= 300
    assert {"random", "random sparse", "random with rows", "human48", "human66 with positions", "human48 sparse"} <= set(kinds)
    # bounds matter in these
    for kind in ("random", "random sparse", "human48", "human48 sparse"):
        assert sum(problem.active > 0 for problem in kinds[kind]) >= 0.3 * len(kinds[kind]), kind
    rows = kinds["random with rows"]
    assert sum(np.any(problem.row_multiplier != 0.0) for problem in rows) >= 0.5 * len(rows)


def test_our_answers_are_exact_feasible_and_cost_what_they_say(problems):
    for number, problem in enumerate(problems):
        name = f"{problem.kind} {number}"
        assert problem.status == "exact", name
        assert np.all(problem.x >= problem.lower), name
        assert np.all(problem.x <= problem.upper), name
        assert abs(problem.cost_of(problem.x) - problem.cost) <= 1e-11 * problem.scale(), name
        row_size = 1.0 + np.abs(problem.A) @ np.abs(problem.x)
        assert np.all(problem.rows_off(problem.x) <= 1e-12 * row_size), name
        # the conditions of optimality, without any other solver
        gradient = problem.H @ problem.x - problem.f
        if len(problem.A):
            gradient += problem.A.T @ problem.row_multiplier
            slack = np.where(problem.row_multiplier > 0.0, problem.row_upper, problem.row_lower) - problem.A @ problem.x
            assert np.all((problem.row_multiplier == 0.0) | (np.abs(slack) <= 1e-12 * row_size)), name
        gradient[problem.x == problem.lower] = np.minimum(gradient[problem.x == problem.lower], 0.0)
        gradient[problem.x == problem.upper] = np.maximum(gradient[problem.x == problem.upper], 0.0)
        size = 1.0 + np.abs(problem.f).max() + np.abs(problem.H).max() * np.abs(problem.x).max()
        assert np.abs(gradient).max() <= 1e-10 * size, name


@pytest.mark.parametrize("peer", [proxqp, osqp_polished])
def test_a_peer_finds_the_same_minimum(problems, peer):
    solved = compared = 0
    worst_cost = worst_better = worst_x = 0.0
    for number, problem in enumerate(problems):
        name = f"{problem.kind} {number}"
        theirs = peer(problem)
        if theirs is None:
            continue
        solved += 1
        difference = abs(problem.cost - problem.cost_of(theirs)) / problem.scale()
        assert difference <= COST, name
        # a peer's answer is feasible to its tolerance only: moved onto the box it is a candidate, and what it is off
        # the rows by has its price
        candidate = theirs.clip(problem.lower, problem.upper)
        gained = np.abs(problem.row_multiplier) @ problem.rows_off(candidate) if len(problem.A) else 0.0
        better = (problem.cost - problem.cost_of(candidate) - gained) / problem.scale()
        assert better <= BETTER, name
        worst_cost, worst_better = max(worst_cost, difference), max(worst_better, better)
        if problem.determines_x():
            compared += 1
            x = np.abs(problem.x - theirs).max() / max(1.0, np.abs(problem.x).max())
            assert x <= 1e-6, name
            worst_x = max(worst_x, x)
    print(
        f"\n{peer.__name__}: {solved} of {len(problems)} solved; cost differs by {worst_cost:.1e} at most, a peer is cheaper by "
        f"{worst_better:.1e} at most; x, of {compared} well conditioned, by {worst_x:.1e} at most"
    )
    assert solved >= SHARE * len(problems)
    assert compared >= 0.25 * len(problems)
