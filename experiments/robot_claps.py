"""The table "A clap" of docs/results/robots.md: people who clap, in many ways (synthetic). Prints, for every robot, the largest miss
of the hands' distance where they should be nearer than 15 cm.

    PANTO_COMMAND=build/dev/apps/panto/panto .venv-experiments/bin/python experiments/robot_claps.py [DRAWN]
"""

import csv
import json
import pathlib
import sys
import tempfile

import numpy as np
from common import data_folder, panto

DRAWN = 100  # claps from the T-pose with palms turned
ROBOTS = {"unitree_g1": None, "olivia17": None, "talos": "talos/talos_reduced.urdf", "icub": None}
MIRROR = np.diag([1.0, -1.0, 1.0])


def turn(axis, degrees):
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    R, angle = np.eye(3), np.radians(degrees)
    R[i, i] = R[j, j] = np.cos(angle)
    R[i, j], R[j, i] = -np.sin(angle), np.sin(angle)
    return R


def ramp(t, rate):
    """0 at the beginning, 1 later, without a jump of its rate."""
    return -np.expm1(-((rate * t) ** 2))


def swing(begin, end, hz):
    return lambda t: begin + (end - begin) * (0.5 - 0.5 * np.cos(2 * np.pi * hz * t))


def from_the_sides(begin, end, hz, rate=3.0, up=0.0, palms=0.0):
    """Arms from the T-pose, turned about the vertical by `begin` to `end` degrees, raised and rolled on the way there."""
    angle = swing(begin, end, hz)
    return lambda t: turn("z", angle(t) * ramp(t, rate)) @ turn("y", up * ramp(t, rate)) @ turn("x", palms * ramp(t, rate))


def from_below(hz):
    """Arms that hang rise to the front within 0.8 s, then clap."""

    def at(t):
        up = 0.5 - 0.5 * np.cos(np.pi * min(1.0, t / 0.8))
        return turn("z", swing(0.0, 28.0, hz)(max(0.0, t - 0.8))) @ turn("y", -80 * up) @ turn("x", 75)

    return at


def motions(drawn):
    """Name of a column -> motions of the right shoulder."""
    random = np.random.default_rng(1)
    sides = [from_the_sides(begin, 106, 1.0) for begin in (70, 75, 80, 85)]
    sides += [from_the_sides(*way) for way in ((75, 106, 0.5), (75, 106, 1.0, 1.5), (60, 106, 0.5), (85, 106, 0.5, 6.0))]

    def draw():
        return from_the_sides(random.uniform(50, 95), random.uniform(104, 108), random.choice([0.5, 1.0, 1.5]),
                              random.uniform(1, 8), random.uniform(-8, 8), random.uniform(-30, 30))  # fmt: skip

    return {"sides": sides, "below, 0.5 Hz": [from_below(0.5)], "below, 1 Hz": [from_below(1.0)], "palms turned": [draw() for _ in range(drawn)]}


def write(folder, name, rest, motion):
    """A person at rest whose right shoulder turns by motion(t), the left one by its mirror image."""
    header, rows = rest
    with open(pathlib.Path(folder) / name, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(header)
        for row in rows:
            row, R = list(row), motion(float(row[0]))
            for side, turned in (("Right", R), ("Left", MIRROR @ R @ MIRROR)):
                angles = np.arctan2(-turned[1, 2], turned[2, 2]), np.arcsin(turned[0, 2]), np.arctan2(-turned[0, 1], turned[0, 0])
                for axis, angle in zip("xyz", angles):
                    row[header.index(f"j{side}Shoulder_rot{axis}_rad")] = repr(float(angle))
            out.writerow(row)


def main():
    drawn = int(sys.argv[1]) if len(sys.argv) > 1 else DRAWN
    data = data_folder("")
    with tempfile.TemporaryDirectory() as folder:
        panto("synthesize", "tpose", "--rate", 60, "--duration", 4, "-o", "rest.csv", folder=folder)
        with open(pathlib.Path(folder) / "rest.csv", newline="", encoding="utf-8") as file:
            header, *rows = csv.reader(file)
        columns = motions(drawn)
        for name, file in ROBOTS.items():
            if file and data is None:
                continue
            cells = []
            for column, ways in columns.items():
                misses = []
                for way in ways:
                    write(folder, "clap.csv", (header, rows), way)
                    card = json.loads(panto("retarget", "clap.csv", "--robot", data / "models" / file if file else name, "--relative", "hands", "--json", folder=folder))
                    if card["hand_distance_close_max_mm"] is not None:  # None: the hands never come that near
                        misses.append(card["hand_distance_close_max_mm"])
                cells.append(f"{max(misses):.1f}" + (f" ({len(misses)}; median {np.median(misses):.1f})" if len(ways) > 1 else ""))
            print("| " + " | ".join([name, *cells]) + " |", flush=True)
        print("columns: " + ", ".join(columns))


if __name__ == "__main__":
    main()
