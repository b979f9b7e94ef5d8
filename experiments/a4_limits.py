"""A-4: a joint that is driven beyond its limits [Rapetti 2020, Fig. 3]. The iCub: a4_robot_limits.py.

Synthetic: one joint of the right arm swings 25 deg beyond both of its limits, twice a second to and fro; human48 follows.
50 Hz.
"""

import csv
import pathlib

import numpy as np
from common import BLUE, GREEN, ORANGE, PAPER, RED, main, new_figure, number, panto, read_table, save, track, write_block, write_table

RATE, SECONDS, SWING_HZ = 50.0, 10.0, 0.5
BEYOND = 25.0  # [deg]
SPEED = 30.0  # of human48 [rad/s]
JOINTS = {"elbow": ("jRightElbow_rotz", 0.0, 145.0), "shoulder": ("jRightShoulder_rotx", -135.0, 90.0)}  # docs/algorithms/human.md
FASTEST = RATE / SPEED  # the K_g at which K_g v dt = 1 [1/rad]
LAWS = {
    "paper mode, K_g = 0.5/rad": (("--paper",), 0.5),
    "tanh, K_g = 0.5/rad": (("--limits", "tanh"), 0.5),
    f"tanh, K_g = {FASTEST:.2f}/rad (K_g v dt = 1)": (("--limits", "tanh", "--limit-gain", FASTEST), FASTEST),
    "tanh, K_g = 5/rad asked, cut to 1/(v dt)": (("--limits", "tanh", "--limit-gain", 5), FASTEST),
    "brake": (("--limits", "brake"), None),
    "exact (default)": ((), None),
}
TOO_FAST = (("--paper", "--limit-gain", 4), 4.0)  # K_g v dt = 2.4
LAP = slice(int(2 * RATE), int((2 + 1 / SWING_HZ) * RATE) + 1)  # one swing, when the start has died out
DRAWN = (("tanh, K_g = 0.5/rad", BLUE), (list(LAWS)[2], GREEN), ("brake", ORANGE), ("exact (default)", RED))


def write_drive(rest, path, joint, lower, upper):
    """The person at rest but for one joint that swings beyond its limits, starting at rest and smoothly."""
    t = rest["time_s"]
    middle, amplitude = np.radians((lower + upper) / 2), np.radians((upper - lower) / 2 + BEYOND)
    swing = (middle - amplitude * np.cos(2 * np.pi * SWING_HZ * t)) * -np.expm1(-((3.0 * t) ** 2))
    columns = rest | {f"{joint}_rad": swing}
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*(map(repr, values.tolist()) for values in columns.values())))
    return swing


def follow(joint, lower, upper, options, gain, folder):
    card, frames = track("drive.csv", "--model", "human48", *options, "-o", "followed.csv", folder=folder)
    s = read_table(pathlib.Path(folder) / "followed.csv")[f"{joint}_rad"]
    lower, upper = np.radians((lower, upper))
    run = {"s": s, "rate": np.diff(s) * RATE, "clamped": frames["clamped"].sum()}
    run["violation"] = max(card["limit_violation_max_rad"], lower - s.min(), s.max() - upper, 0.0)  # of any joint
    if gain is not None:
        up, down = SPEED * np.tanh(gain * (upper - s[:-1])), -SPEED * np.tanh(gain * (s[:-1] - lower))
        run["excess"] = max(0.0, np.max(run["rate"] - up), np.max(down - run["rate"]))
        run["touched"] = np.mean(np.minimum(up - run["rate"], run["rate"] - down) < 1e-9)
    return run


def measure(quick, folder):
    panto("synthesize", "tpose", "--rate", RATE, "--duration", 2.5 if quick else SECONDS, "-o", "rest.csv", folder=folder)
    rest = read_table(pathlib.Path(folder) / "rest.csv")
    runs = {}
    for name, (joint, lower, upper) in JOINTS.items():
        runs[name, "asked"] = write_drive(rest, pathlib.Path(folder) / "drive.csv", joint, lower, upper)
        for law, (options, gain) in (LAWS | {"too fast": TOO_FAST}).items():
            runs[name, law] = follow(joint, lower, upper, options, gain, folder)
    return runs


def check(runs, checks):
    followed = {key: run for key, run in runs.items() if key[1] in LAWS}
    tanh = {key: run for key, run in followed.items() if LAWS[key[1]][1]}

    def worst(of, what, pick=max):
        (name, law), run = pick(of.items(), key=lambda item: item[1][what])
        return run[what], f"{name}, {law}"

    value, where = worst(followed, "violation")
    checks.below(value, 1e-6, f"every law: farthest beyond any limit ({where})", "rad")
    value, where = worst(tanh, "excess")
    checks.below(value, 1e-9, f"tanh: rate above the envelope ({where})", "rad/s")
    value, where = worst(tanh, "clamped")
    checks.below(value, 0, "tanh with K_g v dt up to 1: joints that integration had to move back")
    value, where = worst(tanh, "touched", min)
    checks.above(value, 0.05, f"tanh: share of the steps that run on the envelope, least ({where})")
    for name in JOINTS:
        found = runs[name, "too fast"]["clamped"]
        checks.above(found, 1, f"{name}, paper mode with K_g v dt = {TOO_FAST[1] * SPEED / RATE:.1f}: the condition is broken, joints moved back")


def draw(runs):
    figure, rows = new_figure(2, 3, figsize=(9.6, 6.0), width_ratios=(1, 1, 1.15))
    for (name, (_, lower, upper)), (tanh, others, time) in zip(JOINTS.items(), rows):
        for law, colour in DRAWN:
            run, gain = runs[name, law], LAWS[law][1]
            axes = tanh if gain else others
            axes.plot(np.degrees(run["s"][LAP]), run["rate"][LAP], ".-", color=colour, lw=0.8, ms=3, label=law)
            time.plot(np.arange(LAP.start, LAP.stop) / RATE, np.degrees(run["s"][LAP]), color=colour, lw=1.4, ls="-" if gain else "--")
            if gain:
                s = np.linspace(lower, upper, 100)
                axes.plot(s, SPEED * np.tanh(gain * np.radians(upper - s)), color=colour, lw=1, ls=":")
                axes.plot(s, -SPEED * np.tanh(gain * np.radians(s - lower)), color=colour, lw=1, ls=":")
        asked = np.degrees(runs[name, "asked"])
        time.plot(np.arange(LAP.start, LAP.stop) / RATE, asked[LAP], color="#777777", lw=1, zorder=0)
        for axes in (tanh, others):
            for limit in (lower, upper):
                axes.axvline(limit, color="#888888", lw=0.8)
            axes.set(xlabel=f"{name} [deg]", ylabel="rate [rad/s]", ylim=(-9, 9), xlim=(lower - 12, upper + 12))
        for limit in (lower, upper):
            time.axhline(limit, color="#888888", lw=0.8)
        time.set(xlabel="time [s]", ylabel=f"{name} [deg]", xlim=(2.6, 3.5), ylim=(upper - 30, upper + 28))
    rows[0][0].set_title("tanh; dotted: its envelope")
    rows[0][1].set_title("brake and exact")
    rows[0][2].set_title("at the upper limit; grey: asked")
    for axes in rows[0][:2]:
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), fontsize=7.5)
    figure.suptitle("Synthetic: a joint driven 25 deg beyond its limits, human48, 50 Hz", fontsize=10)
    save(figure, "a4_limits.svg")


def publish(runs, checks):
    draw(runs)
    rows = []
    for name in JOINTS:
        for law, (_, gain) in LAWS.items():
            run = runs[name, law]
            excess = number(run["excess"]) if gain else ""
            fastest = number(np.max(np.abs(run["rate"])))
            rows.append((name, law, number(run["violation"]), excess, f"{run['clamped']:.0f}", fastest))
    header = ("joint", "law", "beyond a limit [rad]", "above the envelope [rad/s]", "moved back", "fastest [rad/s]")
    drawn = [(name, law) for name in JOINTS for law, _ in DRAWN]
    names = ["time_s", *(f"{name}_{kind}" for name in JOINTS for kind in ("asked_rad",)), *(f"{name}: {law} [rad]" for name, law in drawn)]
    columns = [runs[name, "asked"] for name in JOINTS] + [runs[key]["s"] for key in drawn]
    write_table("a4_limits.csv", names, zip(np.arange(columns[0].size) / RATE, *columns))
    text = f"Each law by itself: {PAPER.write_cells('a4_laws.csv', header, rows)}. {checks.brief(PAPER, 'a4_checks.csv', 'every law', 'tanh: rate', 'tanh with')}"
    write_block("A-4", f"![Rate against angle](paper/a4_limits.svg)\n\n{text}")


if __name__ == "__main__":
    main("A-4", measure, check, publish)
