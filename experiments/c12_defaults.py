"""C-12: what a first-time user gets: hand-held sensors with default settings beside VQF, on five trials of BROAD.

The file of sensors sets nothing about noise or motion: only the mounting and the field, both from the first second at rest. `ours,
tuned` is the setting of C-0. Needs the package vqf (PyPI).
"""

import csv
import json
import pathlib
import tempfile
import time

import numpy as np
from broad import FILES, Trial, rotations
from c5_smoother import CHAIN, hand, quaternion, stand
from common import Missed, Page, main, panto, read_table, table

PAGE = Page("inertial.md")
TRIALS = tuple(FILES)
LAG = "lag = 0.0041\n"  # of this sensor [s], as C-0 measures it
TUNED = """[noise]
gyro = 0.002
acc = 0.07
mag = 0.015
mounting_deg = 0
wobble = 0
gyro_scale = 0.005
[motion]
hinges = { rms = 200, time = 0.1 }
slides = { rms = 6, time = 0.25 }
"""
KINDS = ("total", "heading", "inclination")


def put(trial, folder):
    """The recording and the chain; returns the mounting and the lines of the file of sensors."""
    columns = [f"imu.{what}_{axis}_{unit}" for what, unit in (("gyro", "rad_s"), ("acc", "m_s2"), ("mag", "uT")) for axis in "xyz"]
    with open(folder / "imu.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["time_s", *columns])
        writer.writerows(np.column_stack([np.arange(trial.samples) / trial.rate, trial.gyro, trial.acc, trial.mag]).tolist())
    (folder / "carried.toml").write_text(CHAIN)
    start = slice(0, round(trial.rate))
    R_GI = stand(trial.acc[start].mean(axis=0), trial.mag[start].mean(axis=0))
    field = R_GI @ trial.mag[start].mean(axis=0)
    R_LI = hand(np.zeros((1, 3)))[0].T @ R_GI
    lines = f'sensors = [{{ name = "imu", link = "hand", wxyz = {quaternion(R_LI).tolist()} }}]\n[world]\nfield = {field.tolist()}\n'
    return R_LI, lines


def ours(trial, folder, R_LI, lines, top="", settings=""):
    (folder / "sensors.toml").write_text(f'kind = "sensors"\nversion = 1\n{top}{lines}{settings}')
    start = time.perf_counter()
    words = ("track", "imu.csv", "--model", "carried.toml", "--sensors", "sensors.toml", "--cov", "-o", "q.csv", "--json")
    card = json.loads(panto(*words, folder=folder))
    seconds = time.perf_counter() - start
    q = read_table(folder / "q.csv")
    R = np.full((trial.samples, 3, 3), np.nan)
    R[np.round(q["time_s"] * trial.rate).astype(int)] = hand(np.stack([q[f"turn_{k}_rad"] for k in (1, 2, 3)], -1)) @ R_LI
    sensor = card["sensors"][0]
    return {**trial.errors(R), "nis": (sensor["nis_gyro_mean"], sensor["nis_acc_mean"]), "used": sensor["field_used_share"], "seconds": seconds}


def measure(quick, _):
    try:
        import vqf
    except ImportError as error:
        raise Missed("the package vqf is not installed") from error
    data = {}
    for number in (21,) if quick else TRIALS:
        trial = Trial(number)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            R_LI, lines = put(trial, folder)
            found = {"default": ours(trial, folder, R_LI, lines), "lag known": ours(trial, folder, R_LI, lines, LAG)}
            found["tuned"] = ours(trial, folder, R_LI, lines, LAG, TUNED)
        filtered = vqf.VQF(1.0 / trial.rate).updateBatch(*(np.ascontiguousarray(x) for x in (trial.gyro, trial.acc, trial.mag)))
        found["VQF"] = trial.errors(rotations(filtered["quat9D"]))
        data[number] = {"what": trial.what, **found}
    return data


def check(data, checks):
    for number, found in data.items():
        for kind in ("total", "inclination"):
            checks.below(found["default"][kind] / found["VQF"][kind], 1.2, f"trial {number}: {kind}, default settings, times VQF's")
        checks.below(found["lag known"]["total"] / found["VQF"]["total"], 1.0, f"trial {number}: total, lag known, times VQF's")
    better = sum(found["default"]["total"] < found["VQF"]["total"] for found in data.values())
    checks.above(better, min(3, len(data)), "trials in which the default is better than VQF")


def publish(data, checks):
    names = ("default", "lag known", "tuned", "VQF")
    rows = [[number, *("/".join(f"{found[name][kind]:.2f}" for kind in KINDS) for name in names)] for number, found in data.items()]
    header = ["trial", *names]
    PAGE.write_block("C-12 defaults", f"{table(header, rows)}\n\n{checks.brief(PAGE, 'c12_checks.csv')}")


if __name__ == "__main__":
    main("C-12", measure, check, publish)
