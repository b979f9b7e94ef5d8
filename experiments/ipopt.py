"""The whole body frame by frame with IPOPT (by CasADi): the general solver that the paper's instantaneous method uses.

minimise  sum (1 - cos theta_j) + 25/2 |p - p_pelvis|^2  within the joint limits, the potential of `panto track --solver
instantaneous`; begun from the frame before. Exact gradient and Hessian.
"""

import casadi as ca
import numpy as np
from human import SEGMENTS, limits_of_human48

POSITION_WEIGHT = 25.0  # [1/m^2], of panto's defaults


def axis_rotation(axis, angle):
    c, s = ca.cos(angle), ca.sin(angle)
    return ca.vertcat(*[ca.horzcat(*row) for row in (
        [[1, 0, 0], [0, c, -s], [0, s, c]], [[c, 0, s], [0, 1, 0], [-s, 0, c]], [[c, -s, 0], [s, c, 0], [0, 0, 1]],
    )[axis]])  # fmt: skip


def turned(R, u):
    """R turned by the rotation whose Cayley vector is u, in world axes: smooth, and regular below 180 deg."""
    S = ca.skew(u)
    return R + (2.0 / (1.0 + ca.dot(u, u))) * (ca.mtimes(S, R) + ca.mtimes(S, ca.mtimes(S, R)))


class WholeBody:
    """One model; `solve` goes from frame to frame."""

    def __init__(self, model, names, joints):
        limits = limits_of_human48() if model == "human48" else {}
        self.names = [f"{joint}_rot{axis}" for joint, _, _ in joints for axis in "xyz"]
        if limits:
            self.names = [name for name in self.names if name in limits]
        s, u, p = ca.SX.sym("s", len(self.names)), ca.SX.sym("u", 3), ca.SX.sym("p", 3)
        base, targets, origin = ca.SX.sym("R", 3, 3), ca.SX.sym("T", 3, 3 * SEGMENTS), ca.SX.sym("o", 3)
        R = {names.index("Pelvis"): turned(base, u)}
        for joint, parent, child in joints:
            R[child] = R[parent]
            for axis, letter in enumerate("xyz"):
                if f"{joint}_rot{letter}" in self.names:
                    R[child] = ca.mtimes(R[child], axis_rotation(axis, s[self.names.index(f"{joint}_rot{letter}")]))
        # 1 - cos theta = |R - T|^2 / 4, which does not cancel near zero
        errors = [ca.sumsqr(R[i] - targets[:, 3 * i : 3 * i + 3]) / 4.0 for i in range(SEGMENTS)]
        potential = sum(errors) + 0.5 * POSITION_WEIGHT * ca.sumsqr(p - origin)
        self.x, self.parameters = ca.vertcat(s, u, p), ca.vertcat(ca.vec(base), ca.vec(targets), origin)
        self.problem = {"x": self.x, "p": self.parameters, "f": potential}
        self.mnte = ca.Function("mnte", [self.x, self.parameters], [sum(errors) / SEGMENTS])
        self.base = ca.Function("base", [self.x, self.parameters], [R[names.index("Pelvis")]])
        low, high = (np.array([limits.get(name, (-np.inf, np.inf))[k] for name in self.names]) for k in (0, 1))
        self.low, self.high = np.concatenate([low, np.full(6, -np.inf)]), np.concatenate([high, np.full(6, np.inf)])
        self.solvers = {}
        self.stop = StopAt(self)

    def solver(self, hessian, stop):
        """IPOPT for one set of options, made once. `hessian`: "exact", or "limited-memory" as the authors' program has it."""
        key = hessian, stop
        if key not in self.solvers:
            ipopt = {"print_level": 0, "sb": "yes", "tol": 1e-10, "hessian_approximation": hessian}
            # begun next to the answer: the barrier must not push it away
            ipopt |= {"mu_init": 1e-9, "bound_push": 1e-9, "bound_frac": 1e-9}
            options = {"print_time": False, "record_time": True, "error_on_fail": False, "ipopt": ipopt}
            if stop:
                options["iteration_callback"] = self.stop
            self.solvers[key] = ca.nlpsol("whole_body", "ipopt", self.problem, options)
        return self.solvers[key]

    def follow(self, targets, origins, hessian, errors=None):
        """Solves the frames of targets (frames, SEGMENTS, 3, 3) one after another, each begun from the one before.

        With `errors`, each frame stops at the first iterate whose MNTE is no larger than its error. Returns MNTE, iterations
        and IPOPT's processor times [us] by frame; the first frame, which has none before it, is always solved to the end.
        """
        s = np.clip(np.zeros(len(self.names)), self.low[:-6], self.high[:-6])
        base, origin = targets[0, 0], origins[0]
        mnte, iterations, times = [], [], []
        for k, target in enumerate(targets):
            given = {"x0": np.concatenate([s, np.zeros(3), origin]), "lbx": self.low, "ubx": self.high}
            given["p"] = np.concatenate([base.ravel(order="F"), np.concatenate(list(target), axis=1).ravel(order="F"), origins[k]])
            stopping = errors is not None and k > 0
            if stopping:
                self.stop.aim(given["p"], errors[k])
            solver = self.solver(hessian if k > 0 else "exact", stop=stopping)
            solution = solver(**given)
            # without what asking for the error takes
            stats = solver.stats()
            times.append(1e6 * (stats["t_proc_total"] - stats.get("t_proc_callback_fun", 0.0)))
            x = np.array(solution["x"]).ravel()
            s, origin, base = x[:-6], x[-3:], np.array(self.base(x, given["p"]))
            mnte.append(float(self.mnte(x, given["p"])))
            iterations.append(stats["iter_count"])
        return np.array(mnte), np.array(iterations), np.array(times)


class StopAt(ca.Callback):
    """Ends IPOPT at the first iterate whose MNTE is no larger than asked."""

    def __init__(self, body):
        ca.Callback.__init__(self)
        self.body, self.size, self.parameters, self.error = body, body.x.shape[0], None, 0.0
        self.construct("stop", {})

    def aim(self, parameters, error):
        self.parameters, self.error = parameters, error

    def get_n_in(self):
        return ca.nlpsol_n_out()

    def get_n_out(self):
        return 1

    def get_name_in(self, i):
        return ca.nlpsol_out(i)

    def get_name_out(self, i):
        return "ret"

    def get_sparsity_in(self, i):
        sizes = {"f": 1, "x": self.size, "lam_x": self.size, "lam_p": self.body.parameters.shape[0]}
        return ca.Sparsity.dense(sizes.get(ca.nlpsol_out(i), 0), 1) if ca.nlpsol_out(i) in sizes else ca.Sparsity(0, 0)

    def eval(self, given):
        return [float(self.body.mnte(given[0], self.parameters)) <= self.error]
