"""Rotations as 3 x 3 matrices."""

import numpy as np


def hat(v):
    """hat(v) u = v x u."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def vee(M):
    """Inverse of `hat`."""
    return np.array([M[2, 1], M[0, 2], M[1, 0]])


def exp(v):
    """Rotation by |v| about v (Rodrigues)."""
    angle = np.linalg.norm(v)
    # sin(a)/a and (1 - cos a)/a^2; np.sinc divides by pi
    first, half = np.sinc(angle / np.pi), np.sinc(angle / (2.0 * np.pi))
    return np.eye(3) + first * hat(v) + 0.5 * half * half * hat(v) @ hat(v)


def log(R):
    """Rotation vector of R, its length in [0, pi]."""
    sine = vee(R - R.T) / 2.0
    angle = np.arctan2(np.linalg.norm(sine), (np.trace(R) - 1.0) / 2.0)
    if angle < 3.0:
        return sine / np.sinc(angle / np.pi)
    # near a half turn the axis is the symmetric part's: R + R^T = 2 cos I + 2 (1 - cos) u u^T
    uu = (R + R.T - 2.0 * np.cos(angle) * np.eye(3)) / (2.0 * (1.0 - np.cos(angle)))
    column = int(np.argmax(np.diag(uu)))
    axis = uu[:, column] / np.linalg.norm(uu[:, column])
    return angle * axis * (1.0 if axis @ sine >= 0.0 else -1.0)


def polar(R):
    """Nearest rotation to a matrix that nearly is one."""
    U, _, Vt = np.linalg.svd(R)
    return U @ Vt


def about(axis, angle):
    """Rotation by `angle` about the unit vector `axis`."""
    return exp(np.asarray(axis) * angle)
