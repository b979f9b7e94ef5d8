"""A-5: a robot in the loop [Rapetti 2020, Fig. 6 and 9].

A synthetic walk goes onto the iCub; references leave at 50 Hz by UDP, in real time, to a simulated robot (MuJoCo, 1 kHz,
base on a pole, examples/servo_loop.py) whose joints are measured. Needs `tools/setup.sh robot`.
"""

import csv
import pathlib
import re
import subprocess
import xml.etree.ElementTree as xml

import numpy as np
from common import BLUE, ORANGE, PAPER, PROJECT, Missed, main, new_figure, number, panto, read_table, save, synthesize, table, write_block, write_table

RATE, SECONDS = 50.0, 12.0
BEGUN = 2.0  # [s] that the robot has to come from where it was to the walk
SPEED = 10.0  # of joints whose model has none [rad/s]
DRAWN = ("r_shoulder_pitch", "r_elbow", "l_hip_pitch", "l_knee")
PYTHON = PROJECT / ".venv-robot" / "bin" / "python"


def limits_of(urdf):
    """lower, upper, speed by joint."""
    found = {}
    for joint in xml.parse(urdf).getroot().iter("joint"):
        limit = joint.find("limit")
        if limit is not None and joint.get("type") == "revolute":
            speed = float(limit.get("velocity", 0.0))
            found[joint.get("name")] = (float(limit.get("lower")), float(limit.get("upper")), speed if 0 < speed < 1e3 else SPEED)
    return found


def measure(quick, folder):
    if not PYTHON.is_file():
        raise Missed("there is no simulated robot; `tools/setup.sh robot` makes it")
    folder = pathlib.Path(folder)
    walk = synthesize("walk", "--rate", RATE, "--duration", 5.0 if quick else SECONDS, folder=folder)
    panto("convert", "icub", "icub.urdf", folder=folder)
    command = [PYTHON, "-u", PROJECT / "examples" / "servo_loop.py", "icub.urdf", "--port", "0", "--armed", "--acceleration", "300", "--record", "loop.csv"]
    loop = subprocess.Popen(list(map(str, command)), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        address = re.search(r"udp://\S+", loop.stdout.readline())
        if not address:
            raise Missed(f"the simulated robot did not begin: {loop.stdout.read()}")
        panto("retarget", walk, "--robot", "icub", "-o", address[0], "-o", "sent.csv", "--rate", RATE, folder=folder)
    finally:
        loop.terminate()
        said = loop.communicate(timeout=30)[0]
    with open(folder / "loop.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    sent = read_table(folder / "sent.csv")
    return {"sent": sent, "rows": [row for row in rows if row["mode"] == "following"], "limits": limits_of(folder / "icub.urdf"), "said": said}


def columns(data, kind):
    names = list(data["limits"])
    return np.array([[float(row[f"{name}_{kind}"]) for name in names] for row in data["rows"]])


def delay_of(t, wanted, measured):
    """Shift [s] at which measured and wanted correlate best, and that correlation; over all joints that move."""
    step = 0.002
    steady = np.arange(t[0], t[-1], step)
    moves = np.ptp(wanted, axis=0) > 0.05
    a, b = (np.column_stack([np.interp(steady, t, column) for column in joints[:, moves].T]) for joints in (wanted, measured))
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    best = (0.0, 0.0)
    for shift in range(200):
        x, y = a[: len(a) - shift], b[shift:]
        correlation = (x * y).sum() / np.sqrt((x**2).sum() * (y**2).sum())
        best = max(best, (correlation, shift * step))
    return best[1], best[0]


def figures(data):
    t = np.array([float(row["local_s"]) for row in data["rows"]])
    begun = t > t[0] + BEGUN
    wanted, commanded, measured = (columns(data, kind) for kind in ("reference", "commanded", "measured"))
    lower, upper, speed = (np.array([limit[k] for limit in data["limits"].values()]) for k in range(3))
    sent = np.column_stack([data["sent"][f"{name}_rad"] for name in data["limits"]])
    steps = np.abs(np.diff(sent, axis=0)) / np.diff(data["sent"]["time_s"])[:, None]
    delay, correlation = delay_of(t[begun], wanted[begun], measured[begun])
    return {
        "t": t - t[0], "wanted": wanted, "commanded": commanded, "measured": measured, "lower": lower, "upper": upper,
        "delay": delay, "correlation": correlation, "faster": float((steps - speed).max()),
        "outside": float(max((lower - sent).max(), (sent - upper).max(), 0.0)),
        "rms": float(np.degrees(np.sqrt(np.mean((measured - wanted)[begun] ** 2)))),
    }  # fmt: skip


def check(data, checks):
    found = figures(data)
    checks.below(1e3 * found["delay"], 300.0, "end to end, reference to measured joint, by cross-correlation", "ms")
    checks.above(found["correlation"], 0.99, "their correlation at that shift")
    checks.below(found["faster"], 1e-6, "references: fastest joint beyond its speed limit", "rad/s")
    checks.below(found["outside"], 1e-9, "references: farthest beyond a position limit", "rad")


def publish(data, checks):
    found = figures(data)
    names = list(data["limits"])
    figure, rows = new_figure(2, 2, figsize=(9.6, 5.2))
    for name, axes in zip(DRAWN, rows.flat):
        i = names.index(name)
        axes.plot(found["t"], np.degrees(found["wanted"][:, i]), color=BLUE, lw=1.6, label="reference")
        axes.plot(found["t"], np.degrees(found["measured"][:, i]), color=ORANGE, lw=1.0, label="measured")
        for limit in (found["lower"][i], found["upper"][i]):
            axes.axhline(np.degrees(limit), color="#888888", lw=0.9, ls="--")
        axes.set(title=name, xlabel="time [s]", ylabel="deg")
    rows[0][0].legend(loc="lower right", ncols=2)
    figure.suptitle("Synthetic walk onto the iCub at 50 Hz, simulated joint servos at 1 kHz; dashed: limits", fontsize=10)
    save(figure, "a5_closed_loop.svg")
    keep = slice(None, None, 2)
    header = ["time_s", *(f"{name}_{kind}_rad" for name in DRAWN for kind in ("reference", "measured"))]
    picked = [found[kind][keep, names.index(name)] for name in DRAWN for kind in ("wanted", "measured")]
    write_table("a5_closed_loop.csv", header, zip(found["t"][keep], *picked))
    lines = [("delay, reference to measured", f"{1e3 * found['delay']:.0f} ms"), ("difference, RMS over joints", f"{number(found['rms'])} deg")]
    lines += [tuple(line.split(": ", 1)) for line in data["said"].splitlines() if line.startswith(("references: ", "interval: "))]
    write_block("A-5", f"![Reference and measured joints](paper/a5_closed_loop.svg)\n\n{table(('what', 'found'), lines)}\n\n{checks.brief(PAPER, 'a5_checks.csv', 'end to end')}")


if __name__ == "__main__":
    main("A-5", measure, check, publish)
