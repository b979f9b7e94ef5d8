"""Where a robot comes to rest, against an independent nonlinear program (SciPy's SLSQP).

Under targets that do not move the dynamical method rests where its velocity problem is answered by zero: at a
stationary point, within limits and coupled rows, of

    V(q) = sum of w k u(theta) + sum of w k |p - p*|^2 / 2 + sum over loose joints of lambda c (s - s_rest)^2 / 2,

with k = (1 - exp(-K dt))/dt, the gain of a step; u = 1 - cos(theta) up to 150 degrees and on with the slope that it has
there, since residuals keep their length beyond; and lambda = 1e-4, c = 1/s for joints that no orientation target on their own
body determines: the pull to the rest pose that is part of the problem (decision 3). All other damping is towards zero
velocity and has no say at rest.

Kinematics are those of python/reference, from the URDF. PANTO_REST_PROBE names the program built from
tests/support/rest_probe.cpp.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.optimize

sys.path.insert(0, str(Path(__file__).parents[2] / "python"))
from reference import so3  # noqa: E402
from reference.model import Model  # noqa: E402

PROBE = os.environ.get("PANTO_REST_PROBE", "")
SCALE = float(os.environ.get("PANTO_TEST_SCALE") or 1)
COUNT = max(8, round(8 * SCALE))  # of each of three robots; 102 in all at scale 4.25
CLIP = "bvh/cmu/131_01.bvh"
UNDETERMINED, REST_RATE = 1e-4, 1.0
KEPT = np.radians(150.0)  # residuals beyond keep their length
SAME = 1e-6  # of costs, relative
ROUNDING = 1e-12  # of costs
STATIONARY = 1e-7  # largest component of the projected gradient [1/s]
ACTIVE = 1e-7  # [rad] nearer to a limit is on it
PERTURBED = 0.05  # [rad]


class Rest:
    """One robot, and the potential of one pose."""

    def __init__(self, raw):
        self.model = model = Model(raw["urdf"], raw["joints"])
        self.rest, self.dt = np.array(raw["rest"]), raw["dt"]
        self.base = 6 if raw["floating"] else 0
        self.paths = {}
        self.body = {model.root: model.root}  # the link that carries a link's body
        for link in model.links:
            joints = model.path(link)
            self.paths[link] = [(model.dof[j.name], j) for j in joints if j.movable]
            moved = [j.child for j in joints if j.movable]
            self.body[link] = moved[-1] if moved else model.root
        A, lower, upper = [], [], []
        for row in raw["rows"]:
            a = np.zeros(len(model.order))
            for joint, coefficient in row["terms"].items():
                a[model.dof[joint]] = coefficient
            A.append(a)
            lower.append(row.get("lower", -np.inf))
            upper.append(row.get("upper", np.inf))
        self.A = np.array(A).reshape(-1, len(model.order))
        self.row_lower, self.row_upper = np.array(lower), np.array(upper)

    def take(self, pose):
        """The targets of a pose, and which joints they leave loose."""
        self.targets = []
        for raw in pose["targets"]:
            target = {"link": raw["link"]}
            for fact, weight, gain in (("R", "orientation_weight", "orientation_gain"), ("p", "position_weight", "position_gain")):
                if fact in raw:
                    target[fact] = np.array(raw[fact])
                    target[f"k_{fact}"] = raw[weight] * (1.0 - np.exp(-raw[gain] * self.dt)) / self.dt
            self.targets.append(target)
        self.p_WB, self.R_WB = np.array(pose["p_WB"]), np.array(pose["R_WB"])
        asked = {self.body[target["link"]] for target in self.targets}
        oriented = {self.body[target["link"]] for target in self.targets if "R" in target}
        self.loose = np.zeros(len(self.model.order), bool)
        for chain in self.compounds(asked):
            if chain[-1].child not in oriented:
                for joint in chain:
                    self.loose[self.model.dof[joint.name]] = True

    def compounds(self, asked):
        """Joints that move one body as one: up to three in series through one point, none of whose bodies but the last is asked for anything."""
        model = self.model
        parent = {}  # of every moved body: the joint that moves it, its rotation centre in the body before
        children = {}
        for link in model.links:
            if self.body[link] != link or link == model.root:
                continue
            above = model.above[link]
            before, up, p = self.body[above.parent], above.parent, above.p
            while up != before:
                fixed = model.above[up]
                p, up = fixed.p + fixed.R @ p, fixed.parent
            parent[link] = (above, before, p)
            children.setdefault(before, []).append(link)
        chains, todo = [], list(children.get(model.root, []))
        while todo:
            link = todo.pop()
            chain = [parent[link][0]]
            while len(chain) < 3:
                below = children.get(chain[-1].child, [])
                if len(below) != 1 or chain[-1].child in asked or chain[-1].kind == "prismatic":
                    break
                joint, _, p = parent[below[0]]
                if joint.kind == "prismatic" or np.linalg.norm(p) >= 1e-9:
                    break
                chain.append(joint)
            chains.append(chain)
            todo += children.get(chain[-1].child, [])
        return chains

    def start(self, pose):
        return np.concatenate([np.zeros(self.base), pose["s"]])

    def potential(self, x):
        """V and its gradient; x: shift and turn of the base from where Panto left it (turn as a rotation vector), joints."""
        s, turn = x[self.base :], x[3 : self.base]
        floating = self.base > 0
        p_WB = self.p_WB + x[:3] if floating else self.p_WB
        R_WB = so3.exp(turn) @ self.R_WB if floating else self.R_WB
        h = self.model.pose(p_WB, R_WB, s)
        V, g = 0.0, np.zeros(len(x))
        for target in self.targets:
            link = target["link"]
            force = moment = np.zeros(3)
            if "R" in target:
                E = target["R"] @ h.R[link].T
                r = so3.vee(E - E.T) / 2.0
                theta = np.arctan2(np.linalg.norm(r), (np.trace(E) - 1.0) / 2.0)
                if theta > KEPT:
                    V += target["k_R"] * (1.0 - np.cos(KEPT) + np.sin(KEPT) * (theta - KEPT))
                    r = np.sin(KEPT) * so3.log(E) / theta
                else:
                    V += target["k_R"] * 2.0 * np.sin(theta / 2.0) ** 2
                moment = -target["k_R"] * r
            if "p" in target:
                off = h.p[link] - target["p"]
                V += 0.5 * target["k_p"] * (off @ off)
                force = target["k_p"] * off
            if floating:
                g[:3] += force
                g[3:6] += moment + np.cross(h.p[link] - p_WB, force)
            for dof, joint in self.paths[link]:
                axis, origin = h.axis[joint.name], h.origin[joint.name]
                if joint.kind == "prismatic":
                    g[self.base + dof] += axis @ force
                else:
                    g[self.base + dof] += axis @ (moment + np.cross(h.p[link] - origin, force))
        away = np.where(self.loose, s - self.rest, 0.0)
        V += 0.5 * UNDETERMINED * REST_RATE * (away @ away)
        g[self.base :] += UNDETERMINED * REST_RATE * away
        if floating:
            g[3:6] = left_jacobian(turn).T @ g[3:6]
        return V, g

    def projected_gradient(self, x):
        """What of the gradient limits and rows do not hold: the largest component of the least that is left."""
        s, (_, g) = x[self.base :], self.potential(x)
        outward = []
        for i in range(len(s)):
            unit = np.zeros(len(x))
            unit[self.base + i] = 1.0
            if s[i] >= self.model.upper[i] - ACTIVE:
                outward.append(unit)
            if s[i] <= self.model.lower[i] + ACTIVE:
                outward.append(-unit)
        for a, lower, upper in zip(self.A, self.row_lower, self.row_upper):
            row = np.concatenate([np.zeros(self.base), a])
            if a @ s >= upper - ACTIVE:
                outward.append(row)
            if a @ s <= lower + ACTIVE:
                outward.append(-row)
        if not outward:
            return np.abs(g).max()
        N = np.array(outward).T
        multipliers, _ = scipy.optimize.nnls(N, -g)
        return np.abs(g + N @ multipliers).max()

    def outside(self, s):
        value = self.A @ s
        return max(0.0, (self.model.lower - s).max(), (s - self.model.upper).max(), *(self.row_lower - value), *(value - self.row_upper))

    def minimise(self, x):
        """The nonlinear program, from x."""
        rows = []
        for a, lower, upper in zip(self.A, self.row_lower, self.row_upper):
            row = np.concatenate([np.zeros(self.base), a])
            for sign, limit in ((1.0, lower), (-1.0, upper)):
                if np.isfinite(limit):
                    rows.append((sign * row, sign * limit))
        constraints = []
        if rows:
            G, b = np.array([row for row, _ in rows]), np.array([limit for _, limit in rows])
            constraints = [{"type": "ineq", "fun": lambda x: G @ x - b, "jac": lambda x: G}]
        free = [(None, None)] * self.base
        bounds = scipy.optimize.Bounds(*np.array([(-np.inf, np.inf)] * len(free) + list(zip(self.model.lower, self.model.upper))).T)
        answer = scipy.optimize.minimize(
            self.potential, x, jac=True, method="SLSQP", bounds=bounds, constraints=constraints, options={"ftol": 1e-15, "maxiter": 2000}
        )
        return answer.x, answer.fun


def left_jacobian(v):
    """exp(v + d) = exp(J d) exp(v)."""
    angle, K = np.linalg.norm(v), so3.hat(v)
    if angle < 1e-6:
        return np.eye(3) + K / 2.0
    return np.eye(3) + (1.0 - np.cos(angle)) / angle**2 * K + (angle - np.sin(angle)) / angle**3 * K @ K


@pytest.fixture(scope="module", params=["unitree_g1", "icub", "olivia17"])
def probed(request, data_file):
    if not Path(PROBE).is_file():
        pytest.fail("PANTO_REST_PROBE does not name the built probe; run through ctest or ./dev test")
    run = subprocess.run([PROBE, request.param, str(COUNT), "1", str(data_file(CLIP))], capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_the_potentials_gradient_is_its_difference(probed):
    rest = Rest(probed)
    rng = np.random.default_rng(1)
    for pose in probed["poses"][-4:]:
        rest.take(pose)
        x = rest.start(pose) + rng.uniform(-0.5, 0.5, rest.base + len(rest.rest))
        _, g = rest.potential(x)
        h = 1e-6
        steps = h * np.eye(len(x))
        differences = [(rest.potential(x + d)[0] - rest.potential(x - d)[0]) / (2 * h) for d in steps]
        assert np.abs(differences - g).max() < 1e-6 * max(1.0, np.abs(g).max())


def test_a_robot_rests_where_an_independent_program_finds_nothing_cheaper(probed):
    rest = Rest(probed)
    rng = np.random.default_rng(2)
    assert len(probed["poses"]) == COUNT
    for number, pose in enumerate(probed["poses"]):
        about = f"pose {number}, {pose['kind']}, {pose['steps']} steps"
        assert pose["status"] in ("solved", "saturated") and pose["speed"] <= 1e-11, about
        rest.take(pose)
        x = rest.start(pose)
        assert rest.outside(x[rest.base :]) <= 1e-9, about
        assert rest.projected_gradient(x) <= STATIONARY, about
        cost, _ = rest.potential(x)
        _, best = rest.minimise(x)
        assert cost - best <= SAME * cost + ROUNDING, about
        # from beside it back to the same cost
        beside = x + rng.uniform(-PERTURBED, PERTURBED, len(x))
        beside[rest.base :] = beside[rest.base :].clip(rest.model.lower, rest.model.upper)
        _, again = rest.minimise(beside)
        assert abs(again - cost) <= SAME * cost + ROUNDING, about
