"""minimise |A x - b|^2 under lower <= x <= upper, A of full column rank: small, dense, exact."""

import numpy as np


def solve(A, b, lower, upper, tolerance=1e-10):
    """The minimiser, and the working set: -1 held by the lower bound, 0 free, 1 held by the upper one.

    Principal pivoting: exchange every violated index while their number falls, else only the last one (Murty), which
    cannot cycle since A'A is positive definite. Least squares by orthogonal factorisation, never by A'A.
    """
    held = np.zeros(A.shape[1], dtype=int)
    fewest, patience = A.shape[1] + 1, 5
    for _ in range(10_000):
        x = np.where(held < 0, lower, np.where(held > 0, upper, 0.0))
        x[held == 0] = 0.0
        free = held == 0
        x[free] = np.linalg.lstsq(A[:, free], b - A[:, ~free] @ x[~free], rcond=None)[0]
        gradient = A.T @ (A @ x - b)
        wanted = held.copy()
        wanted[free & (x < lower - tolerance)] = -1
        wanted[free & (x > upper + tolerance)] = 1
        wanted[((held < 0) & (gradient < -tolerance)) | ((held > 0) & (gradient > tolerance))] = 0
        violated = np.flatnonzero(wanted != held)
        if violated.size == 0:
            return x, held
        if violated.size < fewest:
            fewest, patience = violated.size, 5
        else:
            patience -= 1
        change = violated if patience > 0 else violated[-1:]
        held[change] = wanted[change]
    raise RuntimeError("the working set did not settle")
