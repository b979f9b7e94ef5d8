"""A-4 on the iCub: a person's elbow and shoulder swing beyond what the robot's can [Rapetti 2020, Fig. 3].

Synthetic, 50 Hz. The iCub follows by the paper's tanh law and by ours; its coupled shoulder rows are judged too.
"""

import csv
import pathlib

import numpy as np
from common import BLUE, GREEN, ORANGE, PAPER, main, new_figure, number, panto, read_table, save, write_block, write_table
from a5_closed_loop import limits_of

RATE, SECONDS, SWING_HZ, SPEED = 50.0, 10.0, 0.5, 10.0
# of the person [deg]: joint, from, to; and the robot's joint that it drives beyond its range
DRIVES = {"elbow": ("jRightElbow_rotz", 0.0, 140.0, "r_elbow"), "shoulder": ("jRightShoulder_rotx", -95.0, 95.0, "r_shoulder_roll")}
FASTEST = RATE / SPEED  # the K_g at which K_g v dt = 1 [1/rad]
LAWS = {
    "tanh, K_g = 0.5/rad": (("--limits", "tanh", "--limit-gain", 0.5), 0.5, BLUE),
    f"tanh, K_g = {FASTEST:g}/rad (K_g v dt = 1)": (("--limits", "tanh", "--limit-gain", FASTEST), FASTEST, GREEN),
    "brake (default)": ((), None, ORANGE),
}


def write_drive(rest, path, joint, low, high):
    t = rest["time_s"]
    swing = np.radians((low + high) / 2 - (high - low) / 2 * np.cos(2 * np.pi * SWING_HZ * t)) * -np.expm1(-((2.0 * t) ** 2))
    columns = rest | {f"{joint}_rad": swing}
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*(map(repr, values.tolist()) for values in columns.values())))


def rows_of_shoulder(s):
    """Farthest beyond the coupled rows of an arm [rad]: the authors' configuration (docs/formats/model_table.md has the source)."""
    worst = -np.inf
    for side in "rl":
        pitch, roll, yaw, elbow, prosup = (s[f"{side}_{name}_rad"] for name in ("shoulder_pitch", "shoulder_roll", "shoulder_yaw", "elbow", "wrist_prosup"))
        c = 1.7105
        rows = [(c * pitch - c * roll, -6.0563, np.inf), (c * pitch - c * roll - c * yaw, -6.3979, 1.9622), (roll + yaw, -1.1623, 3.7228),
                (roll + 0.0427 * yaw, 0.4611, np.inf), (roll, -np.inf, 1.7453), (2.5 * elbow + prosup, -np.inf, 5.2796),
                (-2.5 * elbow + prosup, -5.2796, np.inf)]  # fmt: skip
        worst = max([worst, *(max((low - x).max(), (x - high).max()) for x, low, high in rows)])
    return worst


def follow(options, folder):
    panto("retarget", "drive.csv", "--robot", "icub", "--height", 1.75, "--feet", "hold", *options, "-o", "followed.csv", "--json", folder=folder)
    return read_table(pathlib.Path(folder) / "followed.csv")


def measure(quick, folder):
    folder = pathlib.Path(folder)
    panto("synthesize", "tpose", "--rate", RATE, "--duration", 4.5 if quick else SECONDS, "-o", "rest.csv", folder=folder)
    panto("convert", "icub", "icub.urdf", folder=folder)
    rest, limits, runs = read_table(folder / "rest.csv"), limits_of(folder / "icub.urdf"), {}
    for name, (joint, low, high, own) in DRIVES.items():
        write_drive(rest, folder / "drive.csv", joint, low, high)
        for law, (options, gain, _) in LAWS.items():
            s = follow(options, folder)
            lower, upper = limits[own][:2]
            x = s[f"{own}_rad"]
            run = {"rows_left": rows_of_shoulder(s), "s": x, "rate": np.diff(x) * RATE, "lower": lower, "upper": upper, "rows": rows_of_shoulder(s)}
            run["rows"] = max(0.0, run["rows"])
            run["outside"] = max(0.0, *(max((limits[j][0] - s[f"{j}_rad"]).max(), (s[f"{j}_rad"] - limits[j][1]).max()) for j in limits))
            if gain is not None:
                run["excess"] = max(0.0, (run["rate"] - SPEED * np.tanh(gain * (upper - x[:-1]))).max(), (-run["rate"] - SPEED * np.tanh(gain * (x[:-1] - lower))).max())
            runs[name, law] = run
    return runs


def check(runs, checks):
    checks.below(max(run["outside"] for run in runs.values()), 1e-6, "every law: farthest of all joints beyond a limit", "rad")
    checks.below(max(run["rows"] for run in runs.values()), 1e-6, "every law: farthest beyond a coupled row of an arm", "rad")
    checks.below(max(run["excess"] for run in runs.values() if "excess" in run), 1e-9, "tanh: rate above the envelope", "rad/s")
    run = runs["elbow", "brake (default)"]
    near = min((run["upper"] - run["s"]).min(), (run["s"] - run["lower"]).min())
    checks.below(np.degrees(near), 0.1, "elbow, brake: comes to its limit within", "deg")
    checks.below(abs(runs["shoulder", "brake (default)"]["rows_left"]), 0.01, "shoulder, brake: comes to a coupled row within", "rad")


def publish(runs, checks):
    figure, panels = new_figure(2, 2, figsize=(9.6, 6.4))
    for (name, (_, _, _, own)), (phase, time) in zip(DRIVES.items(), panels):
        for law, (_, gain, colour) in LAWS.items():
            run = runs[name, law]
            lap = slice(int(4 * RATE), int((4 + 1 / SWING_HZ) * RATE) + 1)
            phase.plot(np.degrees(run["s"][:-1][lap]), run["rate"][lap], ".-", color=colour, lw=0.8, ms=3, label=law)
            time.plot(np.arange(run["s"].size)[lap] / RATE, np.degrees(run["s"][lap]), color=colour, lw=1.3)
            if gain is not None:
                s = np.linspace(run["lower"], run["upper"], 100)
                phase.plot(np.degrees(s), SPEED * np.tanh(gain * (run["upper"] - s)), color=colour, lw=1, ls=":")
                phase.plot(np.degrees(s), -SPEED * np.tanh(gain * (s - run["lower"])), color=colour, lw=1, ls=":")
        for limit in (run["lower"], run["upper"]):
            phase.axvline(np.degrees(limit), color="#888888", lw=0.8, ls="--")
            time.axhline(np.degrees(limit), color="#888888", lw=0.8, ls="--")
        phase.set(xlabel=f"{own} [deg]", ylabel="rate [rad/s]", ylim=(-9, 9))
        time.set(xlabel="time [s]", ylabel=f"{own} [deg]")
    panels[0][0].set_title("rate against angle; dotted: tanh envelope, dashed: limits")
    panels[0][1].set_title("the same swing over time")
    panels[0][0].legend(loc="upper center", ncols=1, fontsize=7.5)
    figure.suptitle("Synthetic: a person's elbow and shoulder beyond the iCub's range, 50 Hz", fontsize=10)
    save(figure, "a4_robot_limits.svg")
    rows = [(name, law, number(run["outside"]), number(run["rows"]), number(run["excess"]) if "excess" in run else "", number(np.abs(run["rate"]).max()))
            for (name, law), run in runs.items()]  # fmt: skip
    header = ("drive", "law", "beyond a limit [rad]", "beyond a row [rad]", "above the envelope [rad/s]", "fastest [rad/s]")
    write_table("a4_robot_limits.csv", ["time_s", *(f"{name}: {law} [rad]" for name, law in runs)],
                zip(np.arange(len(next(iter(runs.values()))["s"])) / RATE, *(run["s"] for run in runs.values())))  # fmt: skip
    link = PAPER.write_cells("a4_robot_laws.csv", header, rows)
    text = f"Each law by itself: {link}. {checks.brief(PAPER, 'a4_robot_checks.csv', 'every law', 'tanh: rate')}"
    write_block("A-4, iCub", f"![Rate against angle on the iCub](paper/a4_robot_limits.svg)\n\n{text}")


if __name__ == "__main__":
    main("A-4, iCub", measure, check, publish)
