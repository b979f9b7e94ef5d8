"""The paper's own 4 x 4 recursion [Miezal 2013, Eqs. (2)-(4), (7)-(10)]: the oracle of `imu_chain`.

A is the pose of a link in G, B and C its first and second derivatives in time:
    A+ = A H,   B+ = B H + A H',   C+ = C H + 2 B H' + A H''.
Departure: the recursion starts at A_0 = H_GW. The printed one leaves H_GW out of (7) and (10), which is harmless for the
gyroscope and wrong for gravity and field.
"""

from dataclasses import dataclass

import numpy as np

from . import so3
from .imu_chain import GRAVITY


@dataclass
class TreeLink:
    """A joint of `imu_chain` as a link: a constant pose, then the motion. `dh.DhLink` is the other kind."""

    dof: object

    @property
    def parent(self):
        return self.dof.parent

    def derivatives(self, q):
        dof = self.dof
        generator = np.zeros((4, 4))
        if dof.slides:
            generator[:3, 3] = dof.axis
            move = rigid(np.eye(3), dof.axis * q)
        else:
            generator[:3, :3] = so3.hat(dof.axis)
            move = rigid(so3.about(dof.axis, q), np.zeros(3))
        H = [rigid(dof.R_PJ, dof.p_PJ) @ move]
        for _ in range(3):
            H.append(H[-1] @ generator)
        return H


def rigid(R, p):
    """The 4 x 4 matrix of a rigid motion."""
    H = np.eye(4)
    H[:3, :3], H[:3, 3] = R, p
    return H


def path(links, body):
    joints = []
    while body >= 0:
        joints.insert(0, body)
        body = links[body].parent
    return joints


def recursion(links, body, H_GW, q, q1, q2):
    """(A, B, C) of a link, and their derivatives by (q, q', q'') of every joint: a dict joint -> 3 x (A, B, C)."""
    A, B, C = H_GW, np.zeros((4, 4)), np.zeros((4, 4))
    slopes = {}
    for j in path(links, body):
        D0, D1, D2, D3 = links[j].derivatives(q[j])
        v, c = q1[j], q2[j]
        H, H1, H2 = D0, D1 * v, D2 * v * v + D1 * c
        # by this joint's (q, q', q''): those of (H, H', H'')
        own = [(D1, D2 * v, D3 * v * v + D2 * c), (0 * D0, D1, 2.0 * D2 * v), (0 * D0, 0 * D0, D1)]
        slopes = {i: [_next(dA, dB, dC, H, H1, H2) for dA, dB, dC in by] for i, by in slopes.items()}
        slopes[j] = [_next(A, B, C, *derivative) for derivative in own]
        A, B, C = _next(A, B, C, H, H1, H2)
    return (A, B, C), slopes


def _next(A, B, C, H, H1, H2):
    return A @ H, B @ H + A @ H1, C @ H + 2.0 * B @ H1 + A @ H2


def feel(links, imu, H_GW, q, q1, q2, m_G):
    """What a sensor measures (9) and its Jacobian (9 x 3n), Eqs. (6)-(10)."""
    H_BI = rigid(imu.R_BI, imu.p_BI)
    pose, slopes = recursion(links, imu.body, H_GW, q, q1, q2)
    A, B, C = (M @ H_BI for M in pose)
    R, R1, f = A[:3, :3], B[:3, :3], C[:3, 3] - GRAVITY
    y = np.concatenate([so3.vee(_sk(R.T @ R1)), R.T @ f, R.T @ m_G])
    H = np.zeros((9, 3 * len(links)))
    for j, by in slopes.items():
        for k, derivative in enumerate(by):
            dA, dB, dC = (M @ H_BI for M in derivative)
            dR = dA[:3, :3]
            gyro = so3.vee(_sk(dR.T @ R1 + R.T @ dB[:3, :3]))
            H[:, 3 * j + k] = np.concatenate([gyro, dR.T @ f + R.T @ dC[:3, 3], dR.T @ m_G])
    return y, H


def _sk(M):
    return (M - M.T) / 2.0
