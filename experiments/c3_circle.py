"""C-3: a circle drawn by the tip of a pen, before and after functional calibration. Synthetic: five sensors on the right arm.

Every command is the user's: `panto synthesize` feels a motion, `panto calibrate --hinge --motion` turns and places the sensors,
`panto track` follows. Before: nominal mounts. After: what the calibration wrote.
"""

import json
import pathlib
import subprocess

import numpy as np
from common import BLACK, BLUE, ORANGE, Missed, Page, command, main, new_figure, panto
from whiteboard import CHAINS, WORK, Person, joint_angles, plane_of, with_start

PAGE = Page("inertial.md")
SEEDS, FEWER = 30, 10  # of the asked case, of the others
DIAMETER, PERIOD, ROUNDS = 0.272, 4.0, 5
SETTLE = 2.0  # [s] of the drawing that do not count: the pen begins
START = np.radians(3.0)  # by which the start of the drawing is known, standard deviation of every joint
SENSOR = ("noise", "gyro_bias", "gyro_drift", "acc_bias")
MOUNTED = (*SENSOR, "mounting", "places")
ASKED = "asked: all of these"
# what is wrong: faults of `panto synthesize`, and how the person is drawn
CASES = {
    ASKED: ((*MOUNTED, "swing", "flesh"), {}),
    "without flesh": (MOUNTED, {}),
    "sensors where the file says": ((*SENSOR, "swing", "flesh"), {}),
    "the trunk's length too": ((*MOUNTED, "swing", "flesh"), {"trunk": True}),
    "the pen stays on a board that does not sway": ((*MOUNTED, "swing", "flesh"), {"on_board": True}),
    "`--fault all`": (("all",), {}),
}
WAYS = {"before": "nominal.toml", "after": "subject.toml"}
FIGURES = ("joints_deg", "plane_cm", "widest_cm", "narrowest_cm", "whole_cm", "tip_cm", "bias_cm")


def circle(t):
    """From its middle, across x; the pen begins slowly. (n x 3)"""
    turns = np.where(t < SETTLE, t**2 / (2 * SETTLE), t - SETTLE / 2) / PERIOD
    angle = 2.0 * np.pi * turns
    return DIAMETER / 2 * np.stack([0 * t, np.sin(angle), np.cos(angle)], -1)


def calibrate(parts, folder):
    """nominal.toml -> subject.toml; what was found."""
    words = ["calibrate", "moved.csv", "--model", str(CHAINS / "right_arm.toml"), "--sensors", "nominal.toml", "-o", "subject.toml", "--json"]
    for name, (begin, end) in parts.items():
        span = f"{begin:g}..{end:g}"
        words += ["--motion", span] if name == "free" else ["--hinge", f"{name}={span}"]
    result = subprocess.run([str(command()), *words], cwd=folder, capture_output=True, text=True)
    if result.returncode not in (0, 1):  # 1: something is to be repeated
        raise Missed(f"`panto {' '.join(words)}` ended with {result.returncode}: {result.stderr.strip()}")
    return json.loads(result.stdout)


def follow(person, sensors, start, t_true, q_true, way, folder):
    """Tracks drawn.csv from `start` and compares with the truth."""
    text = (folder / sensors).read_text(encoding="utf-8")
    (folder / "used.toml").write_text(with_start(text, person.model.joints, start), encoding="utf-8")
    panto("track", "drawn.csv", "--model", CHAINS / "right_arm.toml", "--sensors", "used.toml", "-o", "q.csv", folder=folder)
    t, q = joint_angles(folder / "q.csv", person.model.joints)
    counts = (t >= SETTLE) & (t < SETTLE + ROUNDS * PERIOD)
    at = t[counts]
    wrong = np.degrees(q[counts] - np.stack([np.interp(at, t_true, column) for column in q_true.T], -1))
    tip = 100 * person.model.tip(q[counts])
    off = tip - 100 * np.stack([np.interp(at, t_true, column) for column in way.T], -1)
    rounds = [plane_of(tip[(at >= begin) & (at < begin + PERIOD)]) for begin in SETTLE + PERIOD * np.arange(ROUNDS)]
    plane, whole, _ = plane_of(tip)
    return {
        "joints_deg": np.sqrt(np.mean(wrong**2)), "plane_cm": plane, "whole_cm": whole,
        "widest_cm": np.median([widest for _, widest, _ in rounds]), "narrowest_cm": np.median([narrow for *_, narrow in rounds]),
        "tip_cm": np.sqrt(np.mean(np.sum(off**2, axis=1))), "bias_cm": np.linalg.norm(off.mean(axis=0)),
        "pen": tip, "way": tip - off,
    }  # fmt: skip


def one(seed, faults, drawn, folder):
    """One person: a calibration and a drawing, tracked with the nominal mounts and with those that were found."""
    person = Person(seed, trunk=drawn.get("trunk", False))
    nominal = with_start((CHAINS / "right_arm_sensors.toml").read_text(encoding="utf-8"), person.model.joints, WORK)
    (folder / "nominal.toml").write_text(nominal, encoding="utf-8")
    t, q, parts = person.calibration()
    person.record("moved", t, q, faults, folder)
    found = calibrate(parts, folder)
    t, q, way = person.draw(circle, SETTLE + ROUNDS * PERIOD + 0.5, on_board=drawn.get("on_board", False))
    person.record("drawn", t, q, faults, folder)
    start = q[0] + person.random.normal(0.0, START, q.shape[1])
    runs = {name: follow(person, sensors, start, t, q, way, folder) for name, sensors in WAYS.items()}
    good, repeats = sum(sensor["good"] for sensor in found["sensors"]), sum(not joint["good"] for joint in found["joints"])
    return {**runs, "good": good, "repeats": repeats}


def measure(quick, folder):
    data = {}
    for name, (faults, drawn) in CASES.items():
        if quick and name != ASKED:
            continue
        seeds = 2 if quick else SEEDS if name == ASKED else FEWER
        data[name] = [one(seed, faults, drawn, pathlib.Path(folder)) for seed in range(1, seeds + 1)]
    return data


def figures(runs, way):
    """By figure: one number a seed."""
    return {key: np.array([run[way][key] for run in runs]) for key in FIGURES}


def axis_errors(found):
    """How far the axes of a round are from the circle's, in percent. (2 x seeds)"""
    return 100 * np.abs(np.stack([found["widest_cm"], found["narrowest_cm"]]) / (100 * DIAMETER) - 1)


def check(data, checks):
    before, after = (figures(data[ASKED], way) for way in WAYS)
    for way, found, plane, axes, joints in (("before", before, 0.92, 5.1, 5.0), ("after", after, 0.3, 3.0, 2.5)):
        widest, narrowest = np.median(axis_errors(found), axis=1)
        checks.below(np.median(found["plane_cm"]), plane, f"{way}: distance from the plane, median", "cm")
        checks.below(widest, axes, f"{way}: widest extent of a round against 27.2 cm, median", "%")
        checks.below(narrowest, axes, f"{way}: narrowest extent, median", "%")
        checks.below(np.median(found["joints_deg"]), joints, f"{way}: joints, median", "deg")
        checks.below(found["joints_deg"].max(), 10.0, f"{way}: joints, worst seed: none diverges", "deg")
    checks.below(np.median(after["tip_cm"]), 4.0, "after: tip of the pen, median", "cm")
    if len(data) > 1:
        checks.known_miss(np.median(after["joints_deg"]), 1.0, 2.5, "after: joints, median, as theory asks", "deg")


def draw(data):
    figure, axes = new_figure(1, 2, figsize=(7.4, 3.6))
    run = data[ASKED][0]
    for panel, way, colour in zip(axes, WAYS, (ORANGE, BLUE)):
        middle = run[way]["way"].mean(axis=0)
        for key, shade, width in (("way", BLACK, 0.8), ("pen", colour, 1.2)):
            off = run[way][key] - middle
            panel.plot(-off[:, 1], off[:, 2], color=shade, lw=width, label={"way": "drawn", "pen": "tracked"}[key])
        found = figures(data[ASKED], way)
        panel.set(title=f"{way} calibration, seed 1 (synthetic)\nmedian of 30: tip {np.median(found['tip_cm']):.1f} cm, "
                  f"joints {np.median(found['joints_deg']):.1f} deg", xlabel="to the right [cm]", ylabel="up [cm]", aspect="equal")  # fmt: skip
        panel.legend(loc="center")
    PAGE.save(figure, "c3_circle.svg")


def publish(data, checks):
    draw(data)
    header = [
        "what is wrong", "", "joints [deg]", "plane [cm]", "widest and narrowest of a round [cm]", "widest of all rounds [cm]",
        "tip, rms [cm]", "tip, bias [cm]", "joints, worst seed [deg]",
    ]  # fmt: skip
    rows = []
    for name, runs in data.items():
        for way in WAYS:
            found = figures(runs, way)
            median = {key: np.median(values) for key, values in found.items()}
            rows.append([
                f"{name} ({len(runs)} seeds)" if way == "before" else "", way, f"{median['joints_deg']:.2f}", f"{median['plane_cm']:.2f}",
                f"{median['widest_cm']:.1f}, {median['narrowest_cm']:.1f}", f"{median['whole_cm']:.1f}", f"{median['tip_cm']:.1f}",
                f"{median['bias_cm']:.1f}", f"{found['joints_deg'].max():.2f}",
            ])  # fmt: skip
    good, repeats = (np.mean([run[key] for run in data[ASKED]]) for key in ("good", "repeats"))
    text = (
        f"Medians over seeds.\n\n{PAGE.excerpt('c3_circle.csv', header, rows, (0, 1, 2, 3, 6), lambda row: row in rows[:4] + rows[-2:])}\n\n"
        f"{checks.brief(PAGE, 'c3_checks.csv', 'after: distance')}\n\n"
        f"On average the calibration rates {good:.1f} of five sensors as good and asks to repeat {repeats:.1f} of twelve axes and five centres.\n\n"
        "![A circle as it was drawn and as it was tracked, before and after calibration](inertial/c3_circle.svg)"
    )
    PAGE.write_block("C-3 circle", text)


if __name__ == "__main__":
    main("C-3", measure, check, publish)
