"""B-5 in the loop: gestures replayed by a simulated 17-joint robot [Tee et al., section V: proportional-derivative servos].

Synthetic gestures, scaled to the robot's range, speed and 20 rad/s^2; references leave at 50 Hz by UDP, in real time, to
MuJoCo (1 kHz, examples/servo_loop.py). Needs `tools/setup.sh robot`.
"""

import csv
import json
import pathlib
import re
import subprocess

import numpy as np
from a5_closed_loop import PYTHON, delay_of, limits_of
from common import BLUE, ORANGE, PROJECT, Missed, main, new_figure, number, panto, read_table, synthesize
from gestures import PAGE, ROBOT, Robot, make_gesture

REFERENCES, ACCELERATION = 50.0, 20.0  # [Hz], [rad/s^2]
BEGUN = 0.5  # [s] that the robot has to come from hanging arms to where the gesture begins: left out of errors
GESTURES = ("wave", "conduct", "forearm_roll", "overflex", "singular")
DRAWN = {"wave": ("right_shoulder_pan", "right_elbow"), "conduct": ("right_shoulder_tilt", "right_elbow")}
HANDS = ("right_hand", "left_hand")


def last_following(rows):
    """The last stretch in which references were followed."""
    follows = [row["mode"] == "following" for row in rows]
    last = len(follows) - follows[::-1].index(True)
    first = last - follows[last - 1 :: -1].index(False) if False in follows[:last] else 0
    return rows[first:last]


def replay(name, robot, folder):
    """One gesture from a robot that hangs its arms: rows while it follows, references sent."""
    rest = synthesize("npose", "--rate", REFERENCES, "--duration", 2.0, folder=folder)
    take = make_gesture(name, folder)
    words = [PYTHON, "-u", PROJECT / "examples" / "servo_loop.py", f"{ROBOT}.urdf", "--port", "0", "--armed", "--rate", "200", "--acceleration", "100", "--record", "loop.csv"]
    loop = subprocess.Popen(list(map(str, words)), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        address = re.search(r"udp://\S+", loop.stdout.readline())
        if not address:
            raise Missed(f"the simulated robot did not begin: {loop.stdout.read()}")
        send = ("-o", address[0], "--rate", REFERENCES)
        panto("retarget", rest, "--robot", ROBOT, "--feet", "off", *send, folder=folder)  # to where gestures begin
        scaling = ("--min-pause", 5, "--max-acceleration", ACCELERATION)
        card = json.loads(panto("imitate", take, *scaling, *send, "-o", "sent.csv", "--json", folder=folder))
    finally:
        loop.terminate()
        said = loop.communicate(timeout=30)[0]
    with open(pathlib.Path(folder) / "loop.csv", newline="", encoding="utf-8") as file:
        rows = last_following(list(csv.DictReader(file)))
    found = {kind: np.array([[float(row[f"{joint}_{kind}"]) for joint in robot.joints] for row in rows]) for kind in ("reference", "measured")}
    t = np.array([float(row["local_s"]) for row in rows])
    part = card["gestures"][-1]["motion"]
    sent = read_table(pathlib.Path(folder) / "sent.csv")
    return found | {"t": t - t[0], "part": part, "sent": robot.angles(sent), "sent_t": sent["time_s"], "said": said}


def measure(quick, folder):
    if not PYTHON.is_file():
        raise Missed("there is no simulated robot; `tools/setup.sh robot` makes it")
    robot = Robot(folder)
    limits = limits_of(pathlib.Path(folder) / f"{ROBOT}.urdf")
    bounds = np.array([limits[name] for name in robot.joints]).T
    runs = {name: replay(name, robot, folder) for name in GESTURES[: 1 if quick else None]}
    for run in runs.values():
        run |= figures(run, robot, bounds)
    return {"runs": runs, "joints": robot.joints}


def figures(run, robot, bounds):
    t, wanted, measured = run["t"], run["reference"], run["measured"]
    delay, correlation = delay_of(t[t > BEGUN], wanted[t > BEGUN], measured[t > BEGUN])
    # the delay is the loop's own and known: the error behind it, too
    late = np.column_stack([np.interp(t - delay, t, column) for column in wanted.T])
    begun = t > max(BEGUN, delay)
    off, shape = (np.degrees(np.abs(measured - goal)[begun]) for goal in (wanted, late))
    hands = []
    for k in np.flatnonzero(begun)[::10]:
        a, b = (robot.model.pose(np.zeros(3), np.eye(3), s[k]) for s in (wanted, measured))
        hands += [1e3 * np.linalg.norm(a.p[hand] - b.p[hand]) for hand in HANDS]
    lower, upper, speed = bounds
    steps = np.abs(np.diff(run["sent"], axis=0)) / np.diff(run["sent_t"])[:, None]
    return {
        "delay": delay, "correlation": correlation, "rms": float(np.sqrt(np.mean(off**2))), "largest": float(off.max()),
        "shape_rms": float(np.sqrt(np.mean(shape**2))), "hand": float(np.sqrt(np.mean(np.square(hands)))),
        "outside": float(max((lower - run["sent"]).max(), (run["sent"] - upper).max(), 0.0)),
        "faster": float((steps - speed).max()),
        "measured_outside": float(np.degrees(max((lower - measured).max(), (measured - upper).max(), 0.0))),
    }  # fmt: skip


def check(data, checks):
    for name, run in data["runs"].items():
        checks.below(run["rms"], 1.5, f"{name}: measured off the reference, RMS over joints and time", "deg")
        checks.above(run["correlation"], 0.99, f"{name}: correlation of measured and reference")
        checks.below(1e3 * run["delay"], 100.0, f"{name}: delay, reference to measured", "ms")
        checks.below(run["outside"], 1e-9, f"{name}: references beyond a position limit", "rad")
        checks.below(run["faster"], 1e-6, f"{name}: references faster than a joint may be", "rad/s")


def publish(data, checks):
    figure, panels = new_figure(2, 2, figsize=(9.6, 5.0))
    for (name, joints), row in zip(DRAWN.items(), panels):
        run = data["runs"][name]
        for joint, axes in zip(joints, row):
            i = data["joints"].index(joint)
            axes.plot(run["t"], np.degrees(run["reference"][:, i]), color=BLUE, lw=1.8, label="reference")
            axes.plot(run["t"], np.degrees(run["measured"][:, i]), color=ORANGE, lw=1.0, label="measured")
            axes.set(title=f"{name}: {joint}", ylabel="deg")
    for axes in panels[-1]:
        axes.set_xlabel("time [s]")
    panels[0][0].legend(loc="upper right")
    figure.suptitle("Synthetic gestures on olivia17 at 50 Hz, proportional-derivative servos simulated at 1 kHz", fontsize=10)
    PAGE.save(figure, "b5_servo_loop.svg")
    header = ("gesture", "delay [ms]", "error, RMS [deg]", "largest [deg]", "RMS, delay taken out [deg]", "hands, RMS [mm]", "measured beyond a limit [deg]", "times as long")
    rows = [
        (name, f"{1e3 * run['delay']:.0f}", number(run["rms"]), number(run["largest"]), number(run["shape_rms"]), number(run["hand"]), number(run["measured_outside"]), f"{run['part']['scaling']['stretch']:.2f}")
        for name, run in data["runs"].items()
    ]  # fmt: skip
    text = PAGE.excerpt("b5_servo_gestures.csv", header, rows, (0, 1, 2, 3, 5, 7)) + "\n\n" + checks.brief(PAGE, "b5_servo_checks.csv")
    PAGE.write_block("B-5, servo loop", f"![Reference and measured joints](gestures/b5_servo_loop.svg)\n\n{text}")


if __name__ == "__main__":
    main("B-5, servo loop", measure, check, publish)
