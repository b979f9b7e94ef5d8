"""Motions of the shipped arm whose sensors are turned in a known way, for tests of calibration by motion."""

import math
import pathlib
import random
import re

CHAINS = pathlib.Path(__file__).resolve().parents[2] / "models" / "chains"
RATE = 50  # rows a second
# angle in the middle and reach [deg], in the file's order
WORK = [(0, 10), (10, 10), (0, 14), (0, 12), (-5, 8), (-25, 25), (45, 25), (0, 30), (70, 35), (0, 40), (0, 35), (-5, 14)]
GROUPS = [range(0, 3), range(3, 5), range(5, 8), range(8, 10), range(10, 12)]
SENSORS = (CHAINS / "right_arm_sensors.toml").read_text(encoding="utf-8")
JOINTS = re.findall(r'joint = "(\w+)"', (CHAINS / "right_arm.toml").read_text(encoding="utf-8"))


def nominal_sensors(start=True):
    """The shipped file of sensors, at the pose in the middle of WORK."""
    angles = ", ".join(f"{joint} = {middle}" for joint, (middle, _) in zip(JOINTS, WORK))
    head = SENSORS.partition("[start]")[0]
    return f"{head}[start]\njoints_deg = {{ {angles} }}\nsigma_deg = 5\n"


def wander(dice, reach):
    """Three sinusoids of 0.5 to 1 Hz that together stay within `reach` [deg]."""
    waves = [(dice.uniform(0.5, 1.0), dice.uniform(0, 2 * math.pi)) for _ in range(3)]
    return lambda t: math.radians(reach) / 3 * sum(math.sin(2 * math.pi * f * t + phase) for f, phase in waves)


def put_motion(path, parts, seed=1):
    """A table of joint angles: 3 s of rest, then each part for its seconds with a second of rest behind it.

    A part is (joint, seconds), where that hinge moves alone between its sensors and all before them move too, ("all", seconds)
    or ("none", seconds). Returns when each moved.
    """
    dice, spans, begin = random.Random(seed), [], 3.0
    moves = []
    for joint, seconds in parts:
        moving = range(12) if joint == "all" else ()
        if joint in JOINTS:
            own = JOINTS.index(joint)
            group = next(group for group in GROUPS if own in group)
            moving = [*range(group.start), own]
        moves.append((begin, seconds, {j: wander(dice, WORK[j][1]) for j in moving}))
        spans.append((begin, begin + seconds))
        begin += seconds + 1.0
    lines = [",".join(["time_s", *(f"base_{axis}_m" for axis in "xyz"), *(f"base_q{axis}" for axis in "wxyz"), *(f"{joint}_rad" for joint in JOINTS)])]
    for k in range(int(begin * RATE)):
        t = k / RATE
        angles = [math.radians(middle) for middle, _ in WORK]
        for start, seconds, curves in moves:
            if start <= t <= start + seconds:
                soft = min(1.0, (t - start) / 0.5, (start + seconds - t) / 0.5)
                for j, curve in curves.items():
                    angles[j] += (0.5 - 0.5 * math.cos(math.pi * soft)) * curve(t)
        lines.append(",".join(map(repr, [t, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, *angles])))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return spans
