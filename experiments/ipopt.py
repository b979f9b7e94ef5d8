"""The whole body frame by frame with IPOPT (by CasADi): the general solver that the paper's instantaneous method uses.

The problem is that of benchmarks/peers/ipopt_row.py, which times it: minimise sum (1 - cos theta) + 25/2 |p - p_pelvis|^2
within the joint limits, the potential of `panto track --solver instantaneous`, begun from the frame before, with functions
that are compiled.
"""

import contextlib
import functools
import sys
import types

import casadi as ca
import numpy as np
from common import PROJECT
from human import SEGMENTS, limits_of_human48

sys.path.insert(0, str(PROJECT / "benchmarks" / "peers"))
from ipopt_row import compiled, potential  # noqa: E402

POSITION_WEIGHT = 25.0  # of the pelvis [1/m^2], panto's default
WORK = PROJECT / "build" / "ipopt"  # what was compiled stays there


def write_urdf(path, joints, axes):
    """The turning joints `axes` of the 22 `joints`; without lengths, since only the pelvis follows a position."""
    lines, unit = ['<robot name="human">'], {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}
    for joint, parent, child in joints:
        turning = [name for name in axes if name.rsplit("_rot", 1)[0] == joint]
        links = [parent, *(f"{child}_f{i}" for i in range(1, len(turning))), child]
        for name, before, after in zip(turning, links, links[1:]):
            ends = f'<parent link="{before}"/><child link="{after}"/><axis xyz="{unit[name[-1]]}"/>'
            lines.append(f'<joint name="{name}" type="revolute">{ends}</joint>')
    path.write_text("\n".join([*lines, "</robot>"]), encoding="utf-8")


@functools.cache
def whole_body(model, names, joints):
    """The problem of one model, made once: deriving it takes longer than solving it a hundred times."""
    return WholeBody(model, list(names), list(joints))


class WholeBody:
    """One model; `follow` goes from frame to frame."""

    def __init__(self, model, names, joints):
        limits = limits_of_human48() if model == "human48" else {}
        self.names = [f"{joint}_rot{axis}" for joint, _, _ in joints for axis in "xyz"]
        if limits:
            self.names = [name for name in self.names if name in limits]
        low, high = (np.array([limits.get(name, (-np.inf, np.inf))[k] for name in self.names]) for k in (0, 1))
        self.low, self.high = np.concatenate([np.full(6, -np.inf), low]), np.concatenate([np.full(6, np.inf), high])
        self.pelvis = names.index("Pelvis")

        work = WORK / model
        work.mkdir(parents=True, exist_ok=True)
        write_urdf(work / f"{model}.urdf", [(joint, names[a], names[b]) for joint, a, b in joints], self.names)
        rows = [{"link": name, "orientation_weight": 1.0, "position_weight": 0.0} for name in names]
        rows[self.pelvis]["position_weight"] = POSITION_WEIGHT
        scene = types.SimpleNamespace(joints=self.names, urdf=work / f"{model}.urdf", rows=rows)
        self.x, self.parameters, cost, self.rotations, _ = potential(scene)
        with contextlib.chdir(work):
            self.library = compiled(self.x, self.parameters, cost, work)
        # 1 - cos theta = |R - T|^2 / 4, which does not cancel near zero
        R = self.rotations(self.x, self.parameters)
        T = [ca.reshape(self.parameters[9 + 12 * i : 18 + 12 * i], 3, 3) for i in range(SEGMENTS)]
        errors = [ca.sumsqr(R[:, 3 * i : 3 * i + 3] - T[i]) / 4.0 for i in range(SEGMENTS)]
        self.mnte = ca.Function("mnte", [self.x, self.parameters], [sum(errors) / SEGMENTS])
        self.solvers = {}
        self.stop = StopAt(self)

    def solver(self, hessian, stop):
        """IPOPT for one set of options, made once. `hessian`: "exact", or "limited-memory" as the authors' program has it."""
        key = hessian, stop
        if key not in self.solvers:
            ipopt = {"print_level": 0, "sb": "yes", "tol": 1e-8, "acceptable_iter": 0, "hessian_approximation": hessian}
            # begun next to the answer: the barrier must not push it away
            ipopt |= {"mu_init": 1e-9, "bound_push": 1e-9, "bound_frac": 1e-9}
            options = {"print_time": False, "record_time": True, "error_on_fail": False, "ipopt": ipopt}
            if stop:
                options["iteration_callback"] = self.stop
            self.solvers[key] = ca.nlpsol("solver", "ipopt", self.library, options)
        return self.solvers[key]

    def follow(self, targets, origins, hessian, errors=None):
        """Solves the frames of targets (frames, SEGMENTS, 3, 3) one after another, each begun from the one before.

        With `errors`, each frame stops at the first iterate whose MNTE is no larger than its error. Returns MNTE, iterations
        and IPOPT's processor times [us] by frame; the first frame, which has none before it, is always solved to the end.
        """
        x = np.concatenate([origins[0], np.zeros(3), np.clip(np.zeros(len(self.names)), self.low[6:], self.high[6:])])
        base = targets[0, self.pelvis]
        mnte, iterations, times = [], [], []
        for k, target in enumerate(targets):
            places = np.zeros((SEGMENTS, 3))
            places[self.pelvis] = origins[k]
            rows = [part for R, place in zip(target, places) for part in (R.ravel(order="F"), place)]
            x[3:6] = 0.0  # the base turns from where it was
            given = {"x0": x, "p": np.concatenate([base.ravel(order="F"), *rows]), "lbx": self.low, "ubx": self.high}
            stopping = errors is not None and k > 0
            if stopping:
                self.stop.aim(given["p"], errors[k])
            solver = self.solver(hessian if k > 0 else "exact", stop=stopping)
            x = np.array(solver(**given)["x"]).ravel()
            stats = solver.stats()
            # without what asking for the error takes
            times.append(1e6 * (stats["t_proc_total"] - stats.get("t_proc_callback_fun", 0.0)))
            base = np.array(self.rotations(x, given["p"]))[:, 3 * self.pelvis : 3 * self.pelvis + 3]
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
