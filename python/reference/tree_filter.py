"""Inertial tracking of a tree of bodies with a covariance that is kept a tree: what a filter of linear cost knows.

Sources: Miezal 2013, sections 3 and 4 (the model); Lauritzen 1996, chapter 5 (Gaussian graphs: of all trees with the
same cliques the nearest one has the cliques' own covariances).

A body b is a group of joints; xi_b is (q, q', q'') of each of them, then gyroscope biases and constant turns of its
sensors. What a sensor on b feels depends on xi_b and on twelve numbers s of the body before it, at the joint's point:
its turn, that turn's first and second derivative, and what an accelerometer there feels (`motion_rows`). So one
sample of all sensors can be used along the tree, exactly. The errors of two instants together are no tree: s of this
instant is another function of the joints than s of the last one. Hence a filter of linear cost projects P once a
sample, after predicting: of every body it keeps the joint covariance of xi_b and a separator z_b, linear in all that
comes before b, and drops what xi_b shares with the rest given z_b (`projected`).

`TreeFilter` has a dense P and projects it: slow, for any separator. `Cliques` is the recursion, with the same numbers.
"""

from dataclasses import dataclass

import numpy as np

from . import so3
from .chain_ekf import _cached
from .imu_chain import GRAVITY, cross


@dataclass
class Body:
    """A group of joints that move one body against the one before it."""

    dofs: list  # numbers of the joints, parents first
    parent: int  # number of the body before; -1: the root, which does not move
    imus: list  # numbers of its sensors
    limb: str = ""  # "": the trunk
    name: str = ""


def sensor_states(chain, body, turns=False):
    """Where the biases of a body's sensors sit in the state, and their turns."""
    n, imus = 3 * chain.size, len(chain.imus)
    starts = [n + 3 * i for i in body.imus] + [n + 3 * (imus + i) for i in body.imus if turns]
    return [start + k for start in starts for k in range(3)]


def own(chain, body, turns=False):
    """Where xi_b sits in the state: (q, q', q'') of its joints, then the states of its sensors."""
    return np.array([3 * j + k for j in body.dofs for k in range(3)] + sensor_states(chain, body, turns), dtype=int)


def motion_rows(chain, bodies, b, size):
    """s of the body before b, linearised: (12 x size), after `chain.move`, in axes of G.

    With phi = sum a_j dq_j: phi [rad], phi' = sum a'_j dq_j + a_j dq'_j [rad/s], phi'' = sum a''_j dq_j + 2 a'_j dq'_j
    + a_j dq''_j [rad/s^2]; and R d(R^T (p'' - g)) [m/s^2] of the point p that b's first joint sits at.
    """
    rows = np.zeros((12, size))
    if bodies[b].parent < 0:
        return rows
    last = bodies[bodies[b].parent].dofs[-1]
    point = chain.at(last, chain.dofs[bodies[b].dofs[0]].p_PJ)
    path = np.array(point.path, dtype=int)
    a, a1, a2 = chain.axis[:, path] * (~chain.slides[path])[None, :, None]
    q, q1, q2 = 3 * path, 3 * path + 1, 3 * path + 2
    rows[0:3, q] = a.T
    rows[3:6, q], rows[3:6, q1] = a1.T, a.T
    rows[6:9, q], rows[6:9, q1], rows[6:9, q2] = a2.T, 2.0 * a1.T, a.T
    rows[9:12, q] = point.J2 - cross(a, point.c - GRAVITY).T
    rows[9:12, q1], rows[9:12, q2] = 2.0 * point.J1, point.J
    return rows


# Separators: z_b = rows @ x of what stands between body b and all others before it.


def separator(kind, chain, bodies, b, turns=False):
    """Rows of z_b (m x states), zero where b or what comes after it stands.

    "apart": none, bodies are independent. "motion": s of the body before. "motion, sensor": and the states of its
    sensors; "motion, sensor, base": and xi of the first body. "joints": xi of the body before. "motion, joints": s
    and xi. "limbs": xi of the trunk and of all bodies before b in its limb; limbs are independent, given the trunk as
    it is now.
    """
    size = 3 * chain.size + (6 if turns else 3) * len(chain.imus)
    unit = np.eye(size)
    parent = bodies[b].parent
    if kind == "apart" or parent < 0:
        return np.zeros((0, size))
    if kind == "motion":
        return motion_rows(chain, bodies, b, size)
    if kind == "motion, sensor":
        return np.vstack([motion_rows(chain, bodies, b, size), unit[sensor_states(chain, bodies[parent], turns)]])
    if kind == "motion, sensor, base":
        kept = np.union1d(own(chain, bodies[0], turns), sensor_states(chain, bodies[parent], turns)).astype(int)
        return np.vstack([motion_rows(chain, bodies, b, size), unit[kept]])
    if kind == "joints":
        return unit[own(chain, bodies[parent], turns)]
    if kind == "motion, joints":
        return np.vstack([motion_rows(chain, bodies, b, size), unit[own(chain, bodies[parent], turns)]])
    if kind == "limbs":
        kept = [c for c in range(b) if bodies[c].limb in ("", bodies[b].limb)]
        return unit[np.concatenate([own(chain, bodies[c], turns) for c in kept])]
    raise ValueError(f"no separator '{kind}'")


# A direction of z that is uncertain by less than this part of the others tells nothing that doubles could hold
RANK = 1e-9


def projected(P, cliques):
    """The Gaussian nearest to P (Kullback and Leibler) in which xi_b is independent of all before it, given its z_b.

    cliques: (indices of xi_b, rows of z_b), parents first; every z_b must be a function of (xi, z) of one body
    before. The covariance of (xi_b, z_b) stays as it is for every b.
    """
    order = np.concatenate([index for index, _ in cliques])
    L = np.linalg.cholesky(P[np.ix_(order, order)])
    out = np.zeros_like(P)  # in this order
    done = 0
    for index, rows in cliques:
        here = slice(done, done + len(index))
        out[here, here] = P[np.ix_(index, index)]
        if len(rows) and done:
            rows = rows[:, order[:done]]
            Z = rows @ L[:done, :done]
            scale = np.linalg.norm(Z, axis=1)
            used = scale > 0.0
            U, S, Vt = np.linalg.svd(Z[used] / scale[used, None], full_matrices=False)
            kept = S > RANK * S[0]
            # white coordinates of z, S^-1 U^T (z / scale) = V^T L^-1 x, and their covariance with xi: cov(xi, x) L^-T V
            white = (U[:, kept] / S[kept]).T @ (rows[used] / scale[used, None])
            across = L[here, :done] @ Vt[kept].T @ white @ out[:done, :done]
            out[here, :done], out[:done, here] = across, across.T
        done += len(index)
    back = np.argsort(order)
    return out[np.ix_(back, back)]


class TreeFilter:
    """The filter of `chain_ekf`, all rows of a sample at once, P projected after every prediction; "exact": never.

    Sensors' noise alone, no robust weights, hinges and slides, no balls: for motions drawn from its own process.
    """

    FAR = (0.003, 0.3)  # a sample that moves the state by more [rad, m] or [rad/s, m/s] is linearised anew ...
    BEND = 0.03  # ... where the model bends by more standard deviations of a row's noise on the way
    ITERATIONS = 4

    def __init__(self, chain, bodies, processes, options, kind="exact", m_G=None, turns=0.0):
        """m_G: unit field in G; None: no magnetometers. turns: of sensors, standard deviation [rad]; 0: no states."""
        self.chain, self.bodies, self.options, self.kind = chain, bodies, options, kind
        self.processes, self.m_G, self.turns = processes, m_G, turns
        n, imus = chain.size, len(chain.imus)
        start = [np.tile(options.start, n), np.full(3 * imus, options.bias), np.full(3 * imus if turns else 0, turns)]
        self.P = np.diag(np.concatenate(start) ** 2)
        self.x = np.zeros(len(self.P))
        self.rows_of_imu = 6 if m_G is None else 9
        sigma = np.repeat([options.gyro, options.acc, options.mag], 3)[: self.rows_of_imu]
        self.R = np.diag(np.tile(sigma**2, imus))
        self.order = [own(chain, body, bool(turns)) for body in bodies]

    def predict(self, T):
        F, Q = np.eye(len(self.x)), np.zeros_like(self.P)
        for j, process in enumerate(self.processes):
            block = slice(3 * j, 3 * j + 3)
            F[block, block], Q[block, block] = _cached(process, T)
        n = 3 * self.chain.size
        biases = np.arange(n, n + 3 * len(self.chain.imus))
        Q[biases, biases] = self.options.bias_walk**2 * T
        self.x, self.P = F @ self.x, F @ self.P @ F.T + Q

    def project(self, P):
        """P as the tree holds it, with the model as it was last linearised."""
        if self.kind == "exact":
            return P
        rows = [separator(self.kind, self.chain, self.bodies, b, bool(self.turns)) for b in range(len(self.bodies))]
        return projected(P, list(zip(self.order, rows)))

    def linearise(self, x):
        """Predictions and slopes of all sensors, (rows) and (rows x states)."""
        n, m, imus = self.chain.size, self.rows_of_imu, len(self.chain.imus)
        self.chain.move(*x[: 3 * n].reshape(-1, 3).T)
        y, H = np.zeros(m * imus), np.zeros((m * imus, len(x)))
        for k, imu in enumerate(self.chain.imus):
            felt, slopes = self.chain.feel(imu, np.zeros(3) if self.m_G is None else self.m_G)
            bias = slice(3 * (n + k), 3 * (n + k) + 3)
            for i in range(0, m, 3):  # gyro, acc, mag
                at, three = slice(m * k + i, m * k + i + 3), slice(i, i + 3)
                y[at], H[at, : 3 * n] = felt[three], slopes[three]
                if self.turns:
                    turn = slice(3 * (n + imus + k), 3 * (n + imus + k) + 3)
                    R = so3.exp(x[turn]).T
                    y[at], H[at, : 3 * n] = R @ felt[three], R @ slopes[three]
                    H[at, turn] = so3.hat(y[at]) @ (np.eye(3) - so3.hat(x[turn]) / 2.0)
            y[m * k : m * k + 3] += x[bias]
            H[m * k : m * k + 3, bias] = np.eye(3)
        return y, H

    def update(self, measured):
        """All sensors' rows of one sample; returns its innovation squared per row, 1 is expected."""
        before, P_before, around = self.x, self.P, self.x
        n, sigma = 3 * self.chain.size, np.sqrt(np.diag(self.R))
        y, H = self.linearise(around)
        for k in range(self.ITERATIONS):
            P, self.around = self.project(P_before), around  # the tree is one about this point
            nu = measured - y - H @ (before - around)
            PH = P @ H.T
            S = H @ PH + self.R
            K = np.linalg.solve(S, PH.T).T
            if k == 0:
                nis = nu @ np.linalg.solve(S, nu) / len(nu)
            self.x = before + K @ nu
            A = np.eye(len(self.x)) - K @ H
            moved = np.abs(self.x - around)[:n].reshape(-1, 3).max(axis=0)
            if moved[0] < self.FAR[0] and moved[1] < self.FAR[1]:
                break
            expected = y + H @ (self.x - around)
            around = self.x
            y, H = self.linearise(around)
            if np.abs((y - expected) / sigma).max() < self.BEND:
                break
        self.P = A @ P @ A.T + (K * sigma**2) @ K.T
        self.P = (self.P + self.P.T) / 2.0
        return nis

    def step(self, T, measured):
        """T [s] on, then a sample: per sensor gyro [rad/s], acc [m/s^2], mag [-], one after the other."""
        self.predict(T)
        return self.update(measured)


class Cliques:
    """The same filter as a recursion over the bodies: "motion" and "motion, sensor", no turns, linearised once.

    Of every body: A, S of p(xi | z) = N(A z, S) in errors, and Z = cov z. Of body c behind b, z_c = W_c (z_b, xi_b).
    In time, with D = cov(z, z') between two instants, cov(xi', z') = F A D: what is left of xi given z has nothing to
    do with bodies before. So no matrix needs to be larger than a clique (Q and the slopes are dense here for brevity
    alone). Begins where `dense`, a TreeFilter, is, and has model and processes from it.
    """

    def __init__(self, dense):
        self.dense, self.x = dense, dense.x.copy()
        self.bodies, self.order = dense.bodies, dense.order
        self.children = [[c for c, body in enumerate(self.bodies) if body.parent == b] for b in range(len(self.bodies))]
        self.W = self._transfers(self.x)
        self.A = [np.zeros((len(index), self._m(b))) for b, index in enumerate(self.order)]
        self.S = [dense.P[np.ix_(index, index)] for index in self.order]
        self.Z = [np.zeros((self._m(b),) * 2) for b in range(len(self.order))]
        for b in range(len(self.order)):  # parents first
            for c in self.children[b]:
                self.Z[c] = self.W[c] @ self._clique(b) @ self.W[c].T

    def covariance(self, b):
        """Of xi_b."""
        return self.A[b] @ self.Z[b] @ self.A[b].T + self.S[b]

    def step(self, T, measured):
        self._predict(T)
        self._update(measured)

    def _m(self, b):
        parent = self.bodies[b].parent
        if parent < 0:
            return 0
        return 12 + (3 * len(self.bodies[parent].imus) if self.dense.kind == "motion, sensor" else 0)

    def _clique(self, b):
        """Covariance of (z_b, xi_b)."""
        AZ = self.A[b] @ self.Z[b]
        return np.block([[self.Z[b], AZ.T], [AZ, self.covariance(b)]])

    def _lever(self, b, r, v):
        """From b's first joint to a point: s there of s here, (12 x 12). [p, v in G]"""
        X = np.eye(12)
        p, p1, _ = self.dense.chain.point[:, self.bodies[b].dofs[0]]
        X[9:12, 6:9], X[9:12, 3:6] = -so3.hat(r - p), -2.0 * so3.hat(v - p1)
        return X

    def _transfers(self, x):
        """W of every body, about x; leaves the chain there."""
        chain = self.dense.chain
        self.y, self.H = self.dense.linearise(x)
        W = [None] * len(self.bodies)
        for c, body in enumerate(self.bodies):
            b = body.parent
            if b < 0:
                continue
            index = self.order[b]
            W[c] = np.zeros((self._m(c), self._m(b) + len(index)))
            if self._m(b):
                W[c][:12, :12] = self._lever(b, *chain.point[:2, body.dofs[0]])
            W[c][:12, self._m(b) :] = motion_rows(chain, self.bodies, c, len(x))[:, index]
            sensors = sensor_states(chain, self.bodies[b])
            for k in range(self._m(c) - 12):
                W[c][12 + k, self._m(b) + list(index).index(sensors[k])] = 1.0
        return W

    def _predict(self, T):
        P, self.dense.P, x = self.dense.P, np.zeros_like(self.dense.P), self.dense.x
        self.dense.x = self.x
        self.dense.predict(T)  # for x, and for Q out of a P that is zero: block by block of the bodies
        Q, self.x = self.dense.P, self.dense.x
        self.dense.P, self.dense.x = P, x
        before, self.W = self.W, self._transfers(self.x)
        Z, D = [None] * len(self.W), [None] * len(self.W)  # of z', and of z against z'
        for b, index in enumerate(self.order):
            if Z[b] is None:
                Z[b] = D[b] = np.zeros((0, 0))
            F = self._transition(b, T)
            A = self.A[b]
            across = F @ A @ D[b]  # xi' against z'
            own_before = self.covariance(b)
            own_after = F @ own_before @ F.T + Q[np.ix_(index, index)]
            after = np.block([[Z[b], across.T], [across, own_after]])
            between = np.block([[D[b], self.Z[b] @ A.T @ F.T], [A @ D[b], own_before @ F.T]])
            for c in self.children[b]:
                Z[c] = self.W[c] @ after @ self.W[c].T
                D[c] = before[c] @ between @ self.W[c].T
            scale = np.sqrt(np.diag(Z[b]))
            inverse = np.linalg.pinv(Z[b] / np.outer(scale, scale), rcond=1e-13, hermitian=True)
            self.A[b] = across / scale @ inverse / scale
            self.S[b] = own_after - self.A[b] @ across.T
        self.Z = Z

    def _transition(self, b, T):
        F = np.eye(len(self.order[b]))
        for k, j in enumerate(self.bodies[b].dofs):
            F[3 * k : 3 * k + 3, 3 * k : 3 * k + 3] = _cached(self.dense.processes[j], T)[0]
        return F

    def _slopes(self, k, b):
        """Of sensor k by (z_b, xi_b): R^T phi', R^T of what an accelerometer feels, R^T (m_G x phi)."""
        chain, imu, rows = self.dense.chain, self.dense.chain.imus[k], self.dense.rows_of_imu
        at = slice(rows * k, rows * k + rows)
        G = np.zeros((rows, self._m(b)))
        if self._m(b):
            point, R = chain.at(imu.body, imu.p_BI), (chain.frames[imu.body].R @ imu.R_BI).T
            G[0:3, 3:6], G[3:6, :12] = R, R @ self._lever(b, point.r, point.v)[9:12]
            if rows == 9:
                G[6:9, 0:3] = R @ so3.hat(self.dense.m_G)
        return np.hstack([G, self.H[at][:, self.order[b]]]), at

    def _update(self, measured):
        """Up: what a body and all behind it measured, xi eliminated, goes to the body before; down: means and Z."""
        sigma = np.diag(self.dense.R)
        J, h = [None] * len(self.W), [None] * len(self.W)  # information on (z_b, xi_b)
        for b in reversed(range(len(self.order))):
            m, n = self._m(b), len(self.order[b])
            V = np.hstack([-self.A[b], np.eye(n)])
            J[b], h[b] = V.T @ np.linalg.solve(self.S[b], V), np.zeros(m + n)
            for k in self.bodies[b].imus:
                H, at = self._slopes(k, b)
                J[b] += H.T / sigma[at] @ H
                h[b] += H.T / sigma[at] @ (measured - self.y)[at]
            for c in self.children[b]:
                M, v = J[c]
                J[b] += self.W[c].T @ M @ self.W[c]
                h[b] += self.W[c].T @ v
            here, left = J[b], h[b]
            self.S[b] = np.linalg.inv(here[m:, m:])
            self.A[b] = -self.S[b] @ here[m:, :m]
            h[b] = self.S[b] @ left[m:]
            J[b] = here[:m, :m] + here[:m, m:] @ self.A[b], left[:m] - here[:m, m:] @ h[b]  # the message
        z = [np.zeros(0)] * len(self.order)
        for b, index in enumerate(self.order):
            xi = self.A[b] @ z[b] + h[b]
            self.x[index] += xi
            for c in self.children[b]:
                z[c] = self.W[c] @ np.concatenate([z[b], xi])
                self.Z[c] = self.W[c] @ self._clique(b) @ self.W[c].T
