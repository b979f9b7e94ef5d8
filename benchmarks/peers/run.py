#!/usr/bin/env python3
"""Measures our step beside other software, on one core, and writes docs/results/peers.md. `./dev bench-peers` calls it.

Usage: run.py [--repeats N] [--steps N] [--out FILE]

  --repeats N   laps of each compiled peer and of ours, in turns; the smallest percentiles count (default 9)
  --steps N     steps of each scene for IPOPT and for the Python libraries (default 600)
  --out FILE    where the table goes (default docs/results/peers.md)

Virtual environments are made under build/peers, from compiled.txt and python.txt beside this file. What cannot be installed
is said in the table's notes. Exit code 1: a ratio that must hold does not.
"""
import argparse
import hashlib
import json
import os
import pathlib
import platform
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
BUILD = PROJECT / "build" / "peers"
SCENES = ["free", "few", "clamped", "positions"]
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}

# what the compiled rows are called, in the table's order; what each includes is in the notes
COMPILED = {
    "forward_kinematics": "Pinocchio: forward kinematics alone",
    "target_jacobian": "Pinocchio: that, Jacobians, stacked target Jacobian",
    "cholesky": "Pinocchio + dense LLT, bounds ignored",
    "proxqp_primal_dual": "Pinocchio + ProxQP primal-dual, 1e-6",
    "proxqp_primal": "Pinocchio + ProxQP primal, 1e-6",
    "proxqp_1e-3": "Pinocchio + ProxQP primal-dual, 1e-3",
    "proxqp_gap": "Pinocchio + ProxQP primal-dual, 1e-6 with duality gap",
    "osqp_1e-3": "Pinocchio + OSQP, 1e-3 (its default)",
    "osqp_often": "Pinocchio + OSQP, 1e-3, looked at every 5 iterations",
    "osqp_1e-6": "Pinocchio + OSQP, 1e-6",
    "eiquadprog": "Pinocchio + eiquadprog, exact",
}
PYTHON = {
    "pink": ("pin-pink", "Pink (Pinocchio, DAQP)"),
    "mink": ("mink", "mink (MuJoCo, DAQP)"),
    "placo": ("placo", "PlaCo (Pinocchio, eiquadprog)"),
    "quadprog": ("quadprog", "quadprog, the quadratic program alone"),
}


def say(text):
    print(f"peers: {text}", file=sys.stderr, flush=True)


def quietly(command, **options):
    """Runs; shows what was said only where it fails."""
    result = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{result.stdout}")
    return result.stdout


def environment(name, packages):
    """Python of a virtual environment with `packages` as NAME.txt pins them, and why some are not there."""
    pins = HERE / f"{name}.txt"
    folder = BUILD / name
    python = folder / "bin" / "python"
    stamp = folder / "stamp.json"
    wanted = hashlib.sha256(pins.read_bytes() + repr(packages).encode()).hexdigest()
    if stamp.exists() and json.loads(stamp.read_text())["of"] == wanted:
        return python, json.loads(stamp.read_text())["missing"]
    say(f"making {folder.relative_to(PROJECT)} from {pins.name}")
    quietly([sys.executable, "-m", "venv", "--clear", folder])
    missing = {}
    for package in packages:
        pip = [python, "-m", "pip", "install", "--disable-pip-version-check", "--only-binary", ":all:", "-c", pins, *package.split()]
        try:
            quietly(pip)
        except RuntimeError as error:
            missing[package] = str(error).strip().splitlines()[-1]
            say(f"{package} does not install: {missing[package]}")
    stamp.write_text(json.dumps({"of": wanted, "missing": missing}))
    return python, missing


def versions(python, names):
    text = quietly([python, "-c", f"import importlib.metadata as m, json\nprint(json.dumps({{n: m.version(n) for n in {names!r}}}))"])
    return json.loads(text)


def build(python):
    """The programs, with the peers where their headers are there."""
    say("building (a few minutes the first time)")
    jobs = str(os.cpu_count() or 2)
    quietly(["cmake", "--preset", "peers"], cwd=PROJECT)
    quietly(["cmake", "--build", "--preset", "peers", "--parallel", jobs, "--target", "peers_benchmark"], cwd=PROJECT)
    program, data = BUILD / "benchmarks" / "peers" / "peers_benchmark", BUILD / "data"
    data.mkdir(exist_ok=True)
    quietly([program, "export", data])
    patterns = [f"{name}={data / name}.csv" for name in ("orientations", "positions")]
    (BUILD / "osqp").mkdir(exist_ok=True)
    stamp = hashlib.sha256(b"".join((data / f"{name}.csv").read_bytes() for name in ("orientations", "positions")) + (HERE / "osqp_codegen.py").read_bytes()).hexdigest()
    if not (BUILD / "osqp" / "stamp").exists() or (BUILD / "osqp" / "stamp").read_text() != stamp:
        quietly([python, "-B", HERE / "osqp_codegen.py", BUILD / "osqp", *patterns])
        (BUILD / "osqp" / "stamp").write_text(stamp)
    (prefix,) = (BUILD / "compiled" / "lib").glob("python*/site-packages/cmeel.prefix")
    quietly(["cmake", "--preset", "peers", f"-DPANTO_PEERS_PREFIX={prefix}", f"-DPANTO_PEERS_OSQP={BUILD / 'osqp'}"], cwd=PROJECT)
    quietly(["cmake", "--build", "--preset", "peers", "--parallel", jobs, "--target", "peers_portable", "peers_native"], cwd=PROJECT)
    return program, [program.parent / "peers_portable.so", program.parent / "peers_native.so"], data


def answer(command):
    """The JSON that a program prints, or why there is none."""
    result = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **ONE_THREAD})
    if result.returncode != 0:
        return None, (result.stderr.strip().splitlines() or ["no reason given"])[-1]
    return json.loads(result.stdout), None


def number(value, digits=4):
    if value is None:
        return "-"
    return f"{value:.{max(0, digits - len(str(int(abs(value)))))}f}" if abs(value) >= 1e-3 else f"{value:.1e}" if value else "0"


def ratio(value, ours):
    return f"{value / ours:.1f}" if value / ours < 10 else f"{value / ours:.0f}"


class Page:
    """Lines of the result, and the ratios that must hold."""

    def __init__(self):
        self.lines, self.claims = [], []

    def add(self, *lines):
        self.lines += lines

    def table(self, head, rows):
        self.add("| " + " | ".join(head) + " |", "|" + "---|" * len(head))
        self.add(*("| " + " | ".join(row) + " |" for row in rows), "")

    def claim(self, text, value, at_least):
        holds = value >= at_least
        self.claims.append((f"{text}: {value:.1f} (must be at least {at_least:g})", holds))

    def text(self):
        return "\n".join(self.lines) + "\n"


def fastest(scene, kind):
    rows = [row for row in scene["peers"] if row["kind"] == kind]
    return min(rows, key=lambda row: row["p50_us"]) if rows else None


def ours(scene, solver="dynamical"):
    return next((row for row in scene["ours"] if row["solver"] == solver), None)


def scene_table(page, scene):
    own = ours(scene)
    page.add(f"## {scene['scene']}: {own['active_mean']:.1f} active bounds a step", "")
    rows = [["**Panto: the complete step**", number(own["p50_us"]), number(own["p99_us"]), number(own["angle_mean_deg"]), "1", "", "portable"]]
    for kind, name in COMPILED.items():
        row = fastest(scene, kind)
        if row is None:
            continue
        whole = kind not in ("forward_kinematics", "target_jacobian")
        difference = f"{row['median_difference']:.0e}, {row['largest_difference']:.0e}" if whole and kind != "cholesky" else ""
        failed = f"; {row['failed']} steps unsolved" if row["failed"] else ""
        rows.append([name + failed, number(row["p50_us"]), number(row["p99_us"]), number(row["angle_mean_deg"]) if whole else "", ratio(row["p50_us"], own["p50_us"]), difference, row["build"]])
    page.table(["what is timed", "p50 µs", "p99 µs", "angle error °", "times ours", "ν off: median, largest", "build"], rows)


def python_table(page, rows, scenes):
    if not rows:
        return
    page.add("## Libraries that are Python to their users", "")
    table = []
    for row in rows:
        own = ours(scenes[row["scene"]])
        table.append([PYTHON[row["kind"]][1], row["scene"], number(row["p50_us"]), number(row["p99_us"]), number(row["angle_mean_deg"]), ratio(row["p50_us"], own["p50_us"])])
    page.table(["what is timed, Python included", "scene", "p50 µs", "p99 µs", "angle error °", "times ours"], table)


def ipopt_table(page, results, scenes):
    if not results:
        return
    page.add("## The instantaneous method beside IPOPT", "")
    table = []
    for result in results:
        own = ours(scenes[result["scene"]], "instantaneous")
        if own:
            table.append(["**Panto: `instantaneous`**", result["scene"], "", number(own["p50_us"]), number(own["p99_us"]), "", "", number(own["angle_mean_deg"]), "1"])
        for row in result["rows"]:
            failed = f"; {row['failed']} steps unsolved" if row["failed"] else ""
            table.append([
                "IPOPT" + failed, result["scene"], f"{row['tolerance']:.0e}", number(row["p50_us"]), number(row["p99_us"]),
                number(row["without_functions_p50_us"]), f"{row['gradient_max']:.0e}", number(row["angle_mean_deg"]), ratio(row["p50_us"], own["p50_us"]) if own else "-",
            ])  # fmt: skip
        if own:
            exact = result["rows"][0]
            page.claim(f"IPOPT at tolerance {exact['tolerance']:.0e} / `instantaneous`, {result['scene']}", exact["p50_us"] / own["p50_us"], 100.0)
    page.table(["what is timed", "scene", "tolerance", "p50 µs", "p99 µs", "p50 µs without functions", "gradient left", "angle error °", "times ours"], table)


def claims(page, scenes):
    fk = fastest(scenes["free"], "forward_kinematics")
    if fk:
        page.claim("Pinocchio's forward kinematics alone / the whole `free` step", fk["p50_us"] / ours(scenes["free"])["p50_us"], 1.0)
    for name in ("free", "clamped"):
        own = ours(scenes[name])["p50_us"]
        for label, kinds in (("ProxQP", ("proxqp_primal_dual", "proxqp_primal")), ("OSQP", ("osqp_1e-3", "osqp_often"))):
            rows = [row for row in (fastest(scenes[name], kind) for kind in kinds) if row]
            if rows:
                page.claim(f"{label} / ours, `{name}`", min(row["p50_us"] for row in rows) / own, 40.0)


def processor():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown processor"


NOTES = """\
- Same targets, same model, same bounds, same gain K = 20 for all; 15 s at 100 Hz, synthetic (`panto bench --help` describes
  the scenes). Every solver runs its own closed loop from the same start. One pinned core, solvers in turns lap by lap, the
  smallest p50 and p99 of {repeats} laps each. Errors from 2 s on.
- **Panto**: sample in, State out. Checks of the sample, bounds (tanh), forward kinematics, residuals, solution, integration on
  SO(3), velocities of the interval's end by a second right-hand side, report. Plain x86-64 build.
- **Pinocchio rows**: forward kinematics; from the second on also joint Jacobians (one pass) and the stacked Jacobian of the
  targets, written straight from Pinocchio's columns. Whole steps: that, residuals, J'J, solver, integration. The bounds
  are given to them: 132 tanh are not in their times. Built twice against the wheels' headers, -O3 and -O3 -march=native;
  the faster counts, "build" says which. Pinocchio integrates every joint by itself, ours turns a triple as one rotation:
  hence the larger angle error of the same velocities.
- **ProxQP**: dense, box constraints, warm start, no preconditioner (faster here and no less exact); **OSQP**: its generated C
  with matrix updates, sparse form (ν, e), warm start, no scaling (faster here); **eiquadprog**: from scratch every time.
  Times of the solvers contain their updates.
- **ν off**: largest component of the difference between the peer's velocities and our kernel's, from the same states, median
  and largest of 149 steps [rad/s, m/s]: nobody is given another problem. ProxQP says "solved" of its own residuals; what is left
  where many bounds are active is its own, eiquadprog agrees with us there to rounding.
- **Python libraries**: their whole call, with Python; their law corrects the pose error in one step and knows no feed-forward, so
  their error is not comparable to the digit. quadprog alone: its call on the same quadratic program, built outside.
- **IPOPT**: every sample on its own, Σ w (1 − cos θ) + positions within the joint limits, begun from the last answer and its
  multipliers; exact gradient and Hessian as C that CasADi writes, compiled for this processor; CasADi's own timer (processor
  time), Python not in it; barrier and linear solver set to what was fastest here. "Without functions" leaves out the evaluation of cost, gradient and Hessian. Linear solver: MUMPS."""


def write(page, options, measured, notes, names):
    page.add("# Beside other software", "")
    page.add(f"Made by `./dev bench-peers` on {processor()}, {os.cpu_count()} cores. Synthetic. Times include {measured['clock_ns']:.0f} ns of the clock.", "")
    scenes = {scene["scene"]: scene for scene in measured["scenes"]}
    for scene in measured["scenes"]:
        scene_table(page, scene)
    python_table(page, notes["python"], scenes)
    claims(page, scenes)
    ipopt_table(page, notes["ipopt"], scenes)
    page.add("## Ratios that must hold", "")
    page.add(*(f"- {text}: {'holds' if holds else '**does not hold**'}" for text, holds in page.claims), "")
    page.add("## What the numbers include", "", NOTES.format(repeats=options.repeats))
    page.add("- Versions: " + ", ".join(f"{name} {version}" for name, version in names.items()) + ".")
    for package, reason in notes["missing"].items():
        page.add(f"- Not there: {package}: {reason}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--out", type=pathlib.Path, default=PROJECT / "docs" / "results" / "peers.md")
    options = parser.parse_args()
    BUILD.mkdir(parents=True, exist_ok=True)
    compiled, missing = environment("compiled", ["pin proxsuite osqp eiquadprog cmeel-simde numpy scipy", "casadi"])
    if "casadi" not in missing and missing:
        sys.exit(f"peers: without these there is nothing to compare: {missing}")
    python, missing_python = environment("python", [package for package, _ in PYTHON.values()])
    missing.update(missing_python)
    program, libraries, data = build(compiled)

    say("compiled peers")
    measured, reason = answer([program, "measure", options.repeats, *libraries])
    if measured is None:
        sys.exit(f"peers: {reason}")
    notes = {"python": [], "ipopt": [], "missing": missing}
    for kind, (package, _) in PYTHON.items():
        for scene in SCENES if package not in missing else []:
            say(f"{kind}, {scene}")
            row, reason = answer([python, "-B", HERE / "python_rows.py", data, BUILD / "work", scene, kind, options.steps])
            if row is None:
                missing[f"{kind} on {scene}"] = reason
            else:
                notes["python"].append({"scene": scene, **row})
    for scene in ("free", "positions") if "casadi" not in missing else ():
        say(f"IPOPT, {scene}")
        result, reason = answer([compiled, "-B", HERE / "ipopt_row.py", data, BUILD / "ipopt", scene, options.steps])
        if result is None:
            missing[f"IPOPT on {scene}"] = reason
        else:
            notes["ipopt"].append(result)
    names = versions(compiled, ["pin", "proxsuite", "osqp", "eiquadprog"] + ([] if "casadi" in missing else ["casadi"]))
    there = [package for package, _ in PYTHON.values() if package not in missing]
    names.update(versions(python, there + (["mujoco"] if "mink" in there else [])))

    page = Page()
    write(page, options, measured, notes, names)
    options.out.write_text(page.text())
    print(page.text())
    say(f"wrote {options.out}")
    return 0 if all(holds for _, holds in page.claims) else 1


if __name__ == "__main__":
    sys.exit(main())
