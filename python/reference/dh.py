"""Trees by Denavit-Hartenberg's parameters, classical (distal) convention, as 4 x 4 matrices and as joints of
`imu_chain`. [Miezal 2013, Eq. (1)] The parameters are named: the printed order in (2) is not that of (1)."""

from dataclasses import dataclass

import numpy as np

from . import so3
from .homogeneous import rigid
from .imu_chain import Dof


@dataclass
class DhLink:
    """Classical (distal) Denavit-Hartenberg link: H = Rot_z(theta) Trans_z(d) Trans_x(a) Rot_x(alpha).

    The variable is added to theta, or to d where the link slides.
    """

    parent: int  # link before; -1: the root
    theta: float = 0.0  # [rad]
    d: float = 0.0  # [m]
    a: float = 0.0  # [m]
    alpha: float = 0.0  # [rad]
    slides: bool = False

    def derivatives(self, q):
        """H and its first three derivatives by the variable."""
        theta, d = (self.theta, self.d + q) if self.slides else (self.theta + q, self.d)
        constant = rigid(so3.about([1.0, 0.0, 0.0], self.alpha), [self.a, 0.0, 0.0])
        H = [rigid(so3.about([0.0, 0.0, 1.0], theta), [0.0, 0.0, d]) @ constant]
        generator = np.zeros((4, 4))
        if self.slides:
            generator[2, 3] = 1.0
        else:
            generator[0, 1], generator[1, 0] = -1.0, 1.0
        for _ in range(3):
            H.append(generator @ H[-1])
        return H


def dofs(links):
    """The same tree as joints. The frame of joint j's body is the one before its constant part; that part moves to
    the children and to whatever is mounted: see `mounting`."""
    joints = []
    for link in links:
        R, p = np.eye(3), np.zeros(3)
        if link.parent >= 0:
            R, p = _constant(links[link.parent])
        # the offsets of the variable commute with the motion: about and along the same z
        joints.append(Dof(link.parent, np.array([0.0, 0.0, 1.0]), R, p, link.slides))
    return joints


def mounting(link, R, p):
    """A pose given in the link's own frame (after its constant part), in the frame of the joint's body."""
    R_BL, p_BL = _constant(link)
    return R_BL @ R, p_BL + R_BL @ p


def _constant(link):
    R = so3.about([0.0, 0.0, 1.0], link.theta)
    return R @ so3.about([1.0, 0.0, 0.0], link.alpha), R @ np.array([link.a, 0.0, 0.0]) + np.array([0.0, 0.0, link.d])
