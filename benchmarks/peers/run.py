#!/usr/bin/env python3
"""Measures our step beside other software, on one core, and writes docs/results/peers.md and .csv. `./dev bench-peers` calls it.

Usage: run.py [--repeats N] [--steps N] [--out FILE]

  --repeats N   laps of each compiled peer and of ours, in turns; the smallest percentiles count (default 9)
  --steps N     steps of each scene for IPOPT and for the Python libraries (default 600)
  --out FILE    the page, with all figures beside it as .csv (default docs/results/peers.md)

Virtual environments are made under build/peers, from compiled.txt and python.txt beside this file. What cannot be installed
is said in the table's notes. Exit code 1: a ratio that must hold does not.
"""
import argparse
import csv
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
# settings that the page leaves to the .csv
ASIDE = {COMPILED["proxqp_gap"], COMPILED["osqp_1e-6"]}
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
    """Lines of the result, the ratios that must hold, and all figures."""

    HEADER = ("scene", "what is timed", "tolerance", "p50 µs", "p99 µs", "angle error °", "times ours", "steps unsolved",
              "ν off: median, largest", "build", "p50 µs without functions", "gradient left")  # fmt: skip

    def __init__(self):
        self.lines, self.claims, self.details = [], [], []

    def add(self, *lines):
        self.lines += lines

    def table(self, head, rows):
        self.add("| " + " | ".join(head) + " |", "|" + "---|" * len(head))
        self.add(*("| " + " | ".join(row) + " |" for row in rows), "")

    def medians(self, what, details, scenes):
        """A table of the medians by scene, and how many times ours they are; adds them to the figures."""
        rows = {}
        for cells in details:
            row = dict(zip(self.HEADER, cells))
            unsolved = f"; {row['steps unsolved']} unsolved" if row["steps unsolved"] else ""
            if row["what is timed"] in ASIDE:
                continue
            name = row["what is timed"] + (f", {row['tolerance']}" if row["tolerance"] else "")
            rows.setdefault(name, {})[row["scene"]] = f"{row['p50 µs']} ({row['times ours']}{unsolved})"
        self.details += details
        self.table([what, *scenes.values()], [[name, *(by.get(scene, "") for scene in scenes)] for name, by in rows.items()])

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


def compiled_rows(scene):
    own = ours(scene)
    yield [scene["scene"], "**Panto: the complete step**", "", number(own["p50_us"]), number(own["p99_us"]), number(own["angle_mean_deg"]), "1", "", "", "portable"]
    for kind, name in COMPILED.items():
        row = fastest(scene, kind)
        if row is None:
            continue
        whole = kind not in ("forward_kinematics", "target_jacobian")
        difference = f"{row['median_difference']:.0e}, {row['largest_difference']:.0e}" if whole and kind != "cholesky" else ""
        yield [scene["scene"], name, "", number(row["p50_us"]), number(row["p99_us"]), number(row["angle_mean_deg"]) if whole else "",
               ratio(row["p50_us"], own["p50_us"]), row["failed"] or "", difference, row["build"]]  # fmt: skip


def compiled_table(page, scenes):
    page.add("## One step: median [µs] (times ours)", "")
    details = [row for scene in scenes.values() for row in compiled_rows(scene)]
    page.medians("what is timed", details, {name: f"{name}: {ours(scene)['active_mean']:.1f} active bounds" for name, scene in scenes.items()})


def python_table(page, rows, scenes):
    if not rows:
        return
    page.add("## Libraries that are Python to their users: median [µs] (times ours)", "")
    details = [[row["scene"], PYTHON[row["kind"]][1], "", number(row["p50_us"]), number(row["p99_us"]), number(row["angle_mean_deg"]),
                ratio(row["p50_us"], ours(scenes[row["scene"]])["p50_us"]), ""] for row in rows]  # fmt: skip
    page.medians("what is timed, Python included", details, {name: name for name in scenes})


def ipopt_table(page, results, scenes):
    if not results:
        return
    page.add("## The instantaneous method beside IPOPT: median [µs] (times ours)", "")
    details = []
    for result in results:
        own = ours(scenes[result["scene"]], "instantaneous")
        if own:
            details.append([result["scene"], "**Panto: `instantaneous`**", "", number(own["p50_us"]), number(own["p99_us"]), number(own["angle_mean_deg"]), "1", ""])
        for row in result["rows"]:
            details.append([
                result["scene"], "IPOPT", f"{row['tolerance']:.0e}", number(row["p50_us"]), number(row["p99_us"]), number(row["angle_mean_deg"]),
                ratio(row["p50_us"], own["p50_us"]) if own else "-", row["failed"] or "", "", "", number(row["without_functions_p50_us"]), f"{row['gradient_max']:.0e}",
            ])  # fmt: skip
        if own:
            exact = result["rows"][0]
            page.claim(f"IPOPT at tolerance {exact['tolerance']:.0e} / `instantaneous`, {result['scene']}", exact["p50_us"] / own["p50_us"], 100.0)
    page.medians("what is timed", details, {result["scene"]: result["scene"] for result in results})


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
- Same targets, model, bounds and gain K = 20 for all; 15 s at 100 Hz (`panto bench --help` describes the scenes). Each
  solver runs its own closed loop on one pinned core, in turns, the smallest p50 of {repeats} laps each. Errors from 2 s on.
- **Panto**: sample in, State out, plain x86-64 build.
- **Pinocchio**: whole steps are kinematics, Jacobians, residuals, J'J, solver and integration, without the 132 tanh of
  the bounds; the faster of two builds. Joints are integrated one by one, hence a larger angle error.
- **ProxQP**, **OSQP** (generated C) run with warm start and without scaling, which is faster; **eiquadprog** from scratch.
- Velocities of peers against ours from the same states are in the .csv (ν off, 149 steps, rad/s and m/s).
- **Python libraries**: their whole call; their law has no feed-forward. quadprog: the quadratic program alone.
- **IPOPT**: warm start, exact derivatives as compiled C, processor time without Python, MUMPS."""


def write(page, options, measured, notes, names):
    page.add("# Beside other software", "")
    page.add(f"Made by `./dev bench-peers` on {processor()}, {os.cpu_count()} cores. Synthetic. Times include {measured['clock_ns']:.0f} ns of the clock.", "p99, errors, builds: [peers.csv](peers.csv).", "")
    scenes = {scene["scene"]: scene for scene in measured["scenes"]}
    compiled_table(page, scenes)
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
    with open(options.out.with_suffix(".csv"), "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(page.HEADER)
        writer.writerows([*(str(cell).replace("**", "") for cell in row), *[""] * (len(page.HEADER) - len(row))] for row in page.details)
    print(page.text())
    say(f"wrote {options.out}")
    return 0 if all(holds for _, holds in page.claims) else 1


if __name__ == "__main__":
    sys.exit(main())
