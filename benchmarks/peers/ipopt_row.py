#!/usr/bin/env python3
"""Instantaneous inverse kinematics by IPOPT: prints one JSON object.

Usage: ipopt_row.py DATA WORK SCENE [STEPS]

Every sample on its own: minimise sum w (1 - cos theta) + 1/2 sum w |dp|^2 inside the joints' limits, begun from the last
answer. CasADi writes function, gradient and Hessian as C, which is compiled for this processor; times are those that
CasADi's own timer gives for the solver (of the processor, so that nobody else's work counts), Python not among them. The
options are those that were fastest here at equal accuracy. The base turns by three angles from where it was.
"""
import hashlib
import json
import os
import pathlib
import subprocess
import sys

import casadi
import numpy
from material import Scene, angle, links, percentiles


def about(axis, angle_):
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = casadi.SX.eye(3)
    R[i, i] = R[j, j] = casadi.cos(angle_)
    R[j, i], R[i, j] = casadi.sin(angle_), -casadi.sin(angle_)
    return R


def potential(scene):
    """Variables, parameters, cost, and the poses of the targets' links."""
    joint_of = {name: i for i, name in enumerate(scene.joints)}
    x = casadi.SX.sym("x", 6 + len(scene.joints))
    R_before = casadi.SX.sym("R", 3, 3)
    R_base = casadi.mtimes([R_before, about(2, x[5]), about(1, x[4]), about(0, x[3])])
    tree = links(scene.urdf)
    children = {link.child for link in tree}
    poses = {link.parent: (R_base, x[:3]) for link in tree if link.parent not in children}
    for link in tree:
        R, p = poses[link.parent]
        p = p + casadi.mtimes(R, casadi.DM(link.p))
        if not numpy.allclose(link.R, numpy.eye(3), rtol=0.0, atol=0.0):
            R = casadi.mtimes(R, casadi.DM(link.R))
        poses[link.child] = (casadi.mtimes(R, about(link.axis, x[6 + joint_of[link.name]])), p)
    cost, targets = 0, []
    for row in scene.rows:
        R, p = poses[row["link"]]
        R_target, p_target = casadi.SX.sym("Rt", 3, 3), casadi.SX.sym("pt", 3)
        targets += [casadi.vec(R_target), p_target]
        cost += row["orientation_weight"] * 0.5 * (3 - casadi.sum1(casadi.vec(R_target * R)))
        if row["position_weight"] > 0.0:
            cost += 0.5 * row["position_weight"] * casadi.sumsqr(p_target - p)
    parameters = casadi.vertcat(casadi.vec(R_before), *targets)
    rotations = casadi.horzcat(*[poses[row["link"]][0] for row in scene.rows])
    return x, parameters, cost, casadi.Function("rotations", [x, parameters], [rotations]), casadi.Function("gradient", [x, parameters], [casadi.gradient(cost, x)])


def compiled(x, parameters, cost, work):
    """Path of a library with the functions of the problem."""
    casadi.nlpsol("solver", "ipopt", {"x": x, "p": parameters, "f": cost}).generate_dependencies("nlp.c")
    library = work / f"nlp_{hashlib.sha256((work / 'nlp.c').read_bytes()).hexdigest()[:16]}.so"
    if library.exists():
        return str(library)
    subprocess.run(["cc", "-O2", "-march=native", "-fPIC", "-shared", "nlp.c", "-o", str(library), "-lm"], cwd=work, check=True)
    return str(library)


def solver(library, tolerance):
    options = {
        "print_time": False,
        "record_time": True,
        "ipopt.print_level": 0,
        "ipopt.sb": "yes",
        "ipopt.tol": tolerance,
        "ipopt.acceptable_iter": 0,
        "ipopt.warm_start_init_point": "yes",
        "ipopt.mu_init": 0.1 * tolerance,
        "ipopt.fast_step_computation": "yes",
        "ipopt.mumps_permuting_scaling": 0,
        "ipopt.mumps_scaling": 0,
        "ipopt.mumps_pivot_order": 0,
        "ipopt.warm_start_bound_push": 1e-9,
        "ipopt.warm_start_mult_bound_push": 1e-9,
        "ipopt.warm_start_slack_bound_push": 1e-9,
    }
    return casadi.nlpsol("solver", "ipopt", library, options)


def main(data, work, name, steps):
    scene = Scene(data, name)
    work = pathlib.Path(work)
    work.mkdir(parents=True, exist_ok=True)
    os.chdir(work)
    x, parameters, cost, rotations, gradient = potential(scene)
    try:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    except (AttributeError, OSError):
        pass
    result = {"scene": name, "casadi": casadi.__version__, "rows": []}
    library = compiled(x, parameters, cost, work)
    for tolerance in (1e-10, 1e-6, 1e-3):
        solve = solver(library, tolerance)
        lower = numpy.concatenate([numpy.full(6, -numpy.inf), scene.lower])
        upper = numpy.concatenate([numpy.full(6, numpy.inf), scene.upper])
        answer = numpy.concatenate([scene.base_p[0], numpy.zeros(3), scene.s[0]])
        R, multipliers = scene.base_R[0], None
        times, own, iterations, angles, stationary, failed = [], [], [], [], 0.0, 0
        for step in range(1, min(steps, scene.steps)):
            flat = [R.flatten(order="F")]
            for row in range(len(scene.rows)):
                flat += [scene.R[step, row].flatten(order="F"), scene.p[step, row]]
            p = numpy.concatenate(flat)
            answer[3:6] = 0.0
            given = {"x0": answer, "p": p, "lbx": lower, "ubx": upper}
            if multipliers is not None:
                given["lam_x0"] = multipliers
            solution = solve(**given)
            stats = solve.stats()
            answer, multipliers = numpy.array(solution["x"]).flatten(), solution["lam_x"]
            failed += not stats["success"]
            times.append(1e6 * stats["t_proc_total"])
            own.append(1e6 * (stats["t_proc_total"] - sum(v for k, v in stats.items() if k.startswith("t_proc_nlp"))))
            iterations.append(stats["iter_count"])
            stationary = max(stationary, float(numpy.abs(numpy.array(gradient(answer, p)) ).max()))
            if scene.settled(step):
                all_R = numpy.array(rotations(answer, p)).reshape(3, -1, 3).transpose(1, 0, 2)
                angles.append(float(angle(scene.R[step], all_R).mean()))
            c, s = numpy.cos(answer[3:6]), numpy.sin(answer[3:6])
            Rx = numpy.array([[1, 0, 0], [0, c[0], -s[0]], [0, s[0], c[0]]])
            Ry = numpy.array([[c[1], 0, s[1]], [0, 1, 0], [-s[1], 0, c[1]]])
            Rz = numpy.array([[c[2], -s[2], 0], [s[2], c[2], 0], [0, 0, 1]])
            R = R @ Rz @ Ry @ Rx
        p50, p99 = percentiles(times)
        result["rows"].append(
            {
                "tolerance": tolerance,
                "steps": len(times),
                "p50_us": p50,
                "p99_us": p99,
                "without_functions_p50_us": percentiles(own)[0],
                "iterations_mean": float(numpy.mean(iterations)),
                "angle_mean_deg": float(numpy.degrees(numpy.mean(angles))) if angles else None,
                "gradient_max": stationary,
                "failed": failed,
            }
        )
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*(str(pathlib.Path(word).resolve()) for word in sys.argv[1:3]), sys.argv[3], int(sys.argv[4]) if len(sys.argv) > 4 else 600)
