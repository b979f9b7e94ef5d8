"""Modular against dynamical inverse kinematics on the 17-joint robot, same gestures: error, smoothness, time per step.

Synthetic gestures at 80 Hz. Streamed: frame by frame within the robot's limits. Whole: solved without limits, then scaled in
range and slowed down. Time is the least of every frame over repeats, from sample to State, on one core.
"""

import pathlib
import subprocess

import numpy as np
from a3_time import pin
from common import BLUE, ORANGE, Missed, command, main, new_figure, number, panto, read_table, table
from gestures import FEET_OFF, PAGE, ROBOT, SYNTHETIC, imitate, make_gesture, retarget

SOLVERS = {"modular": ("modular", ORANGE), "dynamical": ("dynamical", BLUE)}
SEEDS = (1, 2, 3)  # of the random gestures
REPEATS = 5
ASKED_US = 1.0  # of a modular step
FIGURES = ("followable_mean_deg", "followable_p99_deg", "jerk_rms_rad_s3")


def gestures(folder):
    for name in SYNTHETIC:
        if name != "gesture":
            yield name, make_gesture(name, folder)
    for seed in SEEDS:
        yield f"random {seed}", make_gesture("gesture", folder, "--seed", seed)


def pointing(card):
    """How far upper arms and forearms are off the person's before scaling: median and 95 %, mean over limbs and gestures [deg]."""
    limbs = [limb for part in card["gestures"] for limb in part["limbs"] if limb["segment"].endswith("Arm")]
    return {key: float(np.mean([limb[key] for limb in limbs])) for key in ("direction_median_deg", "direction_p95_deg")}


def step_times(take, solver, repeats, folder):
    """Of every frame, the least time over repeats [us]."""
    times = []
    for _ in range(repeats):
        words = (take, "--robot", ROBOT, *FEET_OFF, "--solver", solver, "--limits", "brake", "--frames", "frames.csv", "--json")
        panto("retarget", *words, folder=folder)
        times.append(read_table(pathlib.Path(folder) / "frames.csv")["step_us"][10:])
    least = np.min(times, axis=0)
    return least[np.isfinite(least)]  # a motion that hindsight answers has no times of steps


def kernel_times():
    """Time of the solver's step alone [us], of the benchmark beside the command; empty where that is not built."""
    program = command().parents[2] / "benchmarks" / "gesture_benchmark"
    if not program.is_file():
        return {}
    result = subprocess.run([str(program), "steps"], capture_output=True, text=True)
    if result.returncode != 0:
        raise Missed(f"{program} ended with {result.returncode}: {result.stderr.strip()}")
    rows = [line.split(",") for line in result.stdout.splitlines()[1:]]
    return {row[0]: float(row[1]) for row in rows}


def measure(quick, folder):
    pin()
    runs = {}
    for name, take in gestures(folder):
        for solver in SOLVERS:
            streamed, _ = retarget(take, "--solver", solver, "--limits", "brake", folder=folder)
            whole, _ = retarget(take, "--solver", solver, "--limits", "scale", folder=folder)
            times = step_times(take, solver, 1 if quick else REPEATS, folder)
            card, *_ = imitate(take, "--solver", solver, folder=folder)
            runs[name, solver] = {"streamed": streamed, "whole": whole, "us": times, "free": pointing(card)}
        if quick:
            break
    return {"runs": runs, "kernel": {} if quick else kernel_times(), "names": list(dict.fromkeys(name for name, _ in runs))}


def mean_of(data, solver, way, key):
    return float(np.mean([data["runs"][name, solver][way][key] for name in data["names"]]))


def check(data, checks):
    for way in ("streamed", "whole"):
        broken = sum(run[way][f"{kind}_violations"] for run in data["runs"].values() for kind in ("limit", "velocity", "row"))
        checks.below(broken, 0, f"{way}, both: joints beyond a limit of range or speed, all frames")
    free = [mean_of(data, solver, "free", "direction_median_deg") for solver in SOLVERS]
    checks.below(free[0] / free[1], 1.0, "arms off before limits and scaling: median, modular / dynamical")
    if data["kernel"]:  # times are figures of the full form; they gate no test
        us = {solver: np.concatenate([data["runs"][name, solver]["us"] for name in data["names"]]) for solver in SOLVERS}
        checks.above(np.median(us["dynamical"]) / np.median(us["modular"]), 1.0, "sample to State: median, dynamical / modular")
        checks.below(data["kernel"]["modular"], ASKED_US, "modular: the solver's step by itself", "us")


def draw(data):
    figure, panels = new_figure(1, 4, figsize=(9.6, 3.2))
    place = np.arange(len(data["names"]))
    what = (("free", "direction_p95_deg", "arms, no limits: 95 % [deg]"), ("streamed", "followable_mean_deg", "streamed: mean error [deg]"), ("whole", "followable_mean_deg", "whole: mean error [deg]"), ("whole", "jerk_rms_rad_s3", "whole: jerk [rad/s$^3$]"))  # fmt: skip
    for axes, (way, key, title) in zip(panels, what):
        for side, (solver, (name, colour)) in zip((-0.2, 0.2), SOLVERS.items()):
            axes.bar(place + side, [data["runs"][gesture, solver][way][key] for gesture in data["names"]], 0.38, color=colour, label=name)
        axes.set_xticks(place, data["names"], rotation=60, ha="right", fontsize=7.5)
        axes.set_title(title)
        axes.grid(axis="x", visible=False)
    panels[3].set_yscale("log")
    panels[0].set_ylim(0, 1.3 * panels[0].get_ylim()[1])
    panels[0].legend(loc="upper left")
    PAGE.save(figure, "b8_modular_dynamical.svg")


def publish(data, checks):
    draw(data)
    rows = []
    for name in [*data["names"], "mean"]:
        cells = [name]
        for way, keys in (("free", ("direction_median_deg", "direction_p95_deg")), ("streamed", FIGURES), ("whole", FIGURES)):
            for key in keys:
                pair = [mean_of(data, solver, way, key) if name == "mean" else data["runs"][name, solver][way][key] for solver in SOLVERS]
                cells.append(", ".join(map(number, pair)))
        stretch = [np.mean([data["runs"][gesture, solver]["whole"]["scaling"]["stretch"] for gesture in (data["names"] if name == "mean" else [name])]) for solver in SOLVERS]
        rows.append((*cells, ", ".join(f"{value:.2f}" for value in stretch)))
    header = ["gesture", "arms off before limits and scaling, median [deg]", "95 % [deg]"] + [f"{way}: {what}" for way in ("streamed", "whole") for what in ("mean error [deg]", "99 % [deg]", "jerk [rad/s³]")] + ["whole: times as long"]
    us = {solver: np.concatenate([data["runs"][name, solver]["us"] for name in data["names"]]) for solver in SOLVERS}
    times = [(SOLVERS[solver][0], *(f"{value:.2f}" for value in (np.median(x), np.percentile(x, 99))), f"{data['kernel'][solver]:.2f}" if data["kernel"] else "") for solver, x in us.items()]
    mean = PAGE.excerpt("b8_gestures.csv", header, rows, range(len(header)), lambda row: row[0] == "mean")
    text = f"Each cell: modular, dynamical.\n\n{mean}\n\n{table(('solver', 'sample to State, median [us]', '99 % [us]', 'the step by itself [us]'), times)}"
    PAGE.write_block("Modular, dynamical", f"![Error and jerk of both](gestures/b8_modular_dynamical.svg)\n\n{text}\n\n{checks.brief(PAGE, 'b8_checks.csv')}")


if __name__ == "__main__":
    main("Modular, dynamical", measure, check, publish)
