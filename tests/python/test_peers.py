"""The comparison with other software: what it works out beside measuring, which needs none of that software."""
import argparse
import importlib.util
import sys

import numpy as np
import pytest


@pytest.fixture(scope="module")
def module(project):
    """Function from a name to the script of benchmarks/peers as a module."""
    folder = project / "benchmarks" / "peers"

    def load(name):
        spec = importlib.util.spec_from_file_location(f"peers_{name}", folder / f"{name}.py")
        loaded = importlib.util.module_from_spec(spec)
        sys.path.insert(0, str(folder))
        try:
            spec.loader.exec_module(loaded)
        finally:
            sys.path.remove(str(folder))
        return loaded

    return load


def test_the_sparse_problem_holds_the_jacobian_where_it_says(module):
    codegen = module("osqp_codegen")
    rng = np.random.default_rng(4)
    J = rng.normal(size=(9, 14)) * (rng.random((9, 14)) < 0.4)
    A, places = codegen.problem(J)
    dense = A.toarray()
    assert np.array_equal(dense[:9, :14], J)
    assert np.array_equal(dense[:9, 14:], -np.eye(9)), "J nu - e = wanted"
    assert np.array_equal(dense[9:, 6:14], np.eye(8)), "bounds of the joints, not of the base"
    assert not dense[9:, :6].any() and not dense[9:, 14:].any()
    # another J of the same pattern by the places alone, as the C does it
    other = np.where(J != 0.0, rng.normal(size=J.shape), 0.0)
    for in_A, in_J in places:
        A.data[in_A] = other.flatten(order="F")[in_J]
    assert np.array_equal(A.toarray()[:9, :14], other)


def test_percentiles_and_angles(module):
    material = module("material")
    assert material.percentiles(np.arange(1.0, 101.0)) == [50.0, 99.0]
    R = np.array([material.turn(axis, 0.3 + axis) for axis in range(3)])
    assert np.allclose(material.angle(R, np.eye(3)), [0.3, 1.3, 2.3], atol=1e-12)


def test_joints_of_a_urdf_come_parents_first(module, tmp_path):
    joint = '<joint name="{n}" type="revolute"><origin xyz="0 0 {z}" rpy="0 0 0"/><parent link="{p}"/><child link="{c}"/><axis xyz="0 1 0"/></joint>'
    (tmp_path / "arm.urdf").write_text("<robot>" + joint.format(n="elbow", z=2, p="upper", c="fore") + joint.format(n="shoulder", z=1, p="trunk", c="upper") + "</robot>")
    links = module("material").links(tmp_path / "arm.urdf")
    assert [link.name for link in links] == ["shoulder", "elbow"]
    assert links[1].p.tolist() == [0.0, 0.0, 2.0] and links[1].axis == 1


def measured(step_us):
    def scene(name):
        peers = [
            {"kind": kind, "build": build, "p50_us": us * factor, "p99_us": 2 * us, "angle_mean_deg": 0.1, "failed": 0, "largest_difference": 1e-9, "median_difference": 1e-12}
            for kind, us in (("forward_kinematics", 2.0), ("proxqp_primal_dual", 60.0), ("proxqp_primal", 70.0), ("osqp_1e-3", 160.0))
            for build, factor in (("portable", 1.5), ("native", 1.0))
        ]  # fmt: skip
        own = [{"solver": solver, "p50_us": us, "p99_us": us, "angle_mean_deg": 0.01, "active_mean": 0.0} for solver, us in (("dynamical", step_us), ("instantaneous", 10.0))]
        return {"scene": name, "ours": own, "peers": peers}

    return {"clock_ns": 18.0, "scenes": [scene(name) for name in ("free", "few", "clamped", "positions")]}


def page(run, step_us, **notes):
    made = run.Page()
    notes = {"python": [], "ipopt": [], "missing": {}, **notes}
    run.write(made, argparse.Namespace(repeats=3), measured(step_us), notes, {"pin": "4.1.0"})
    return made


def test_the_page_takes_the_faster_build_and_says_what_holds(module):
    run = module("run")
    made = page(run, 1.25)
    text = made.text()
    assert "| Pinocchio + ProxQP primal-dual, 1e-6 | 60.00 (48) | 60.00 (48) | 60.00 (48) | 60.00 (48) |" in text
    assert ["free", "Pinocchio + ProxQP primal-dual, 1e-6", "", "60.00", "120.0", "0.100", "48", "", "1e-12, 1e-09", "native"] in made.details
    assert all(holds for _, holds in made.claims) and len(made.claims) == 5
    assert "ProxQP / ours, `free`: 48.0 (must be at least 40): holds" in text
    slow = page(run, 2.5)
    assert [holds for _, holds in slow.claims] == [False, False, True, False, True], "0.8, 24, 64, 24, 64"
    assert "**does not hold**" in slow.text()


def test_the_page_says_what_is_not_there_and_rates_ipopt(module):
    rows = [{"tolerance": 1e-10, "steps": 10, "p50_us": 1500.0, "p99_us": 2000.0, "without_functions_p50_us": 1200.0, "iterations_mean": 6.0, "angle_mean_deg": 1e-9, "gradient_max": 1e-10, "failed": 0}]
    made = page(module("run"), 1.0, ipopt=[{"scene": "free", "rows": rows}], missing={"placo": "no matching distribution"})
    assert "- Not there: placo: no matching distribution" in made.text()
    assert ("IPOPT at tolerance 1e-10 / `instantaneous`, free: 150.0 (must be at least 100)", True) in made.claims
