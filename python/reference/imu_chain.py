"""Inertial sensors on a tree of joints: what they feel, and how that depends on every joint.

The vector recursion and its closed-form Jacobians, in the global frame G (z up). Every joint has one degree of
freedom with (q, q', q''); a body is named by the joint that it hangs on, the root by -1. For any measured point,
dr''/dq = J'', dr''/dq' = 2 J', dr''/dq'' = J. Oracle of both: `homogeneous.py`.
"""

from dataclasses import dataclass, field

import numpy as np

from . import so3

GRAVITY = np.array([0.0, 0.0, -9.80665])  # [m/s^2]
X, Y, Z = np.eye(3)


@dataclass
class Dof:
    """A hinge about, or a slider along, `axis`; the joint frame J sits constantly in the parent body P."""

    parent: int  # joint of the parent body; -1: the root
    axis: np.ndarray = field(default_factory=lambda: Z)  # unit, in J
    R_PJ: np.ndarray = field(default_factory=lambda: np.eye(3))
    p_PJ: np.ndarray = field(default_factory=lambda: np.zeros(3))  # [m]
    slides: bool = False
    name: str = ""


@dataclass
class Imu:
    """A sensor I, rigid on a body B."""

    body: int
    R_BI: np.ndarray = field(default_factory=lambda: np.eye(3))
    p_BI: np.ndarray = field(default_factory=lambda: np.zeros(3))  # [m]
    name: str = ""


@dataclass
class Frame:
    """Motion of a body: orientation, origin, angular velocity and acceleration, all in G."""

    R: np.ndarray
    p: np.ndarray
    v: np.ndarray
    c: np.ndarray  # p''
    w: np.ndarray
    alpha: np.ndarray
    W: np.ndarray  # d/dt of a vector fixed in the body: W u
    K: np.ndarray  # d2/dt2: K u


def _frame(R, p, v, c, w, alpha):
    W = so3.hat(w)
    return Frame(R, p, v, c, w, alpha, W, so3.hat(alpha) + W @ W)


def cross(a, b):
    """Row by row; several times faster than numpy's own for small arrays."""
    i, j = [1, 2, 0], [2, 0, 1]
    return a[..., i] * b[..., j] - a[..., j] * b[..., i]


@dataclass
class Point:
    """A point of a body, its motion, and J, J', J'' (3 x joints of its path)."""

    path: list
    r: np.ndarray
    v: np.ndarray
    c: np.ndarray
    J: np.ndarray
    J1: np.ndarray
    J2: np.ndarray


class Chain:
    """Joints, parents first, and sensors. R_GW: orientation of the root in G."""

    def __init__(self, dofs, imus=(), R_GW=None):
        self.dofs, self.imus = list(dofs), list(imus)
        self.R_GW = np.eye(3) if R_GW is None else R_GW
        self.slides = np.array([dof.slides for dof in self.dofs])
        self._hat = [so3.hat(dof.axis) for dof in self.dofs]
        assert all(dof.parent < j for j, dof in enumerate(self.dofs))

    @property
    def size(self):
        return len(self.dofs)

    def path(self, body):
        """Joints from the root to a body."""
        joints = []
        while body >= 0:
            joints.insert(0, body)
            body = self.dofs[body].parent
        return joints

    def move(self, q, q1, q2, turned=None):
        """One pass from the root outward. `turned[j]`: an extra rotation before joint j (a ball's reference)."""
        zero = np.zeros(3)
        self.root = _frame(self.R_GW, zero, zero, zero, zero, zero)
        self.frames = []
        self.axis = np.empty((3, self.size, 3))  # a, a', a''
        self.point = np.empty((3, self.size, 3))  # a point on the axis: p, p', p''
        for j, dof in enumerate(self.dofs):
            up = self.frames[dof.parent] if dof.parent >= 0 else self.root
            l = up.R @ dof.p_PJ
            p, v, c = up.p + l, up.v + up.W @ l, up.c + up.K @ l
            R = up.R @ dof.R_PJ
            if turned and j in turned:
                R = R @ turned[j]
            a = R @ dof.axis
            a1, a2 = up.W @ a, up.K @ a
            self.axis[:, j], self.point[:, j] = (a, a1, a2), (p, v, c)
            if dof.slides:
                l = a * q[j]
                p, v, c = p + l, v + up.W @ l + a * q1[j], c + up.K @ l + 2.0 * a1 * q1[j] + a * q2[j]
                self.frames.append(Frame(R, p, v, c, up.w, up.alpha, up.W, up.K))
            else:
                w, alpha = up.w + a * q1[j], up.alpha + a * q2[j] + a1 * q1[j]
                turn = np.eye(3) + np.sin(q[j]) * self._hat[j] + 2.0 * np.sin(q[j] / 2.0) ** 2 * self._hat[j] @ self._hat[j]
                self.frames.append(_frame(R @ turn, p, v, c, w, alpha))

    def at(self, body, p_B):
        """A point of a body; after `move`."""
        frame = self.frames[body] if body >= 0 else self.root
        l = frame.R @ p_B
        r, v, c = frame.p + l, frame.v + frame.W @ l, frame.c + frame.K @ l
        path = self.path(body)
        a, a1, a2 = self.axis[:, path]
        d, d1, d2 = (np.array([r, v, c])[:, None] - self.point[:, path])
        J = cross(a, d)
        J1 = cross(a1, d) + cross(a, d1)
        J2 = cross(a2, d) + 2.0 * cross(a1, d1) + cross(a, d2)
        slides = self.slides[path]
        J[slides], J1[slides], J2[slides] = a[slides], a1[slides], a2[slides]
        return Point(path, r, v, c, J.T, J1.T, J2.T)

    def feel(self, imu, m_G):
        """What a sensor measures without bias, (gyro, acc, mag) [rad/s, m/s^2, as m_G], and its Jacobian
        (9 x 3n), columns (q, q', q'') joint by joint."""
        frame = self.frames[imu.body] if imu.body >= 0 else self.root
        point = self.at(imu.body, imu.p_BI)
        R = (frame.R @ imu.R_BI).T
        f = point.c - GRAVITY
        y = np.concatenate([R @ frame.w, R @ f, R @ m_G])
        H = np.zeros((9, 3 * self.size))
        path = np.array(point.path, dtype=int)
        turns = ~self.slides[path]
        a, a1, _ = self.axis[:, path] * turns[:, None]
        H[0:3, 3 * path] = R @ a1.T
        H[0:3, 3 * path + 1] = R @ a.T
        H[3:6, 3 * path] = R @ (point.J2 - cross(a, f).T)
        H[3:6, 3 * path + 1] = 2.0 * R @ point.J1
        H[3:6, 3 * path + 2] = R @ point.J
        H[6:9, 3 * path] = -R @ cross(a, m_G).T
        return y, H

    def heading(self, imu, y_m):
        """Heading of the measured field in G, atan2(m_y, m_x) [rad], and the rows of the measured *error* by joint:
        tilt-free (only a_z), so that the field cannot touch inclination. Also the horizontal part."""
        frame = self.frames[imu.body] if imu.body >= 0 else self.root
        m = frame.R @ imu.R_BI @ y_m
        H = np.zeros(3 * self.size)
        path = np.array(self.path(imu.body), dtype=int)
        H[3 * path] = self.axis[0, path, 2] * ~self.slides[path]
        return np.arctan2(m[1], m[0]), H, np.hypot(m[0], m[1])


def dofs_of_ball(parent, first, R_PJ=None, p_PJ=None, name=""):
    """Three hinges about x, y, z through one point; `first` is the number of the first."""
    R_PJ = np.eye(3) if R_PJ is None else R_PJ
    p_PJ = np.zeros(3) if p_PJ is None else p_PJ
    return [
        Dof(parent, X, R_PJ, p_PJ, name=f"{name}_x"),
        Dof(first, Y, name=f"{name}_y"),
        Dof(first + 1, Z, name=f"{name}_z"),
    ]
