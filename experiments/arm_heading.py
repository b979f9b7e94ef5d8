"""How wrong is the heading of an arm without magnetometers, beside the deviation that the filter gives? Synthetic; prints a table.

    python experiments/arm_heading.py [SEEDS]

The arm of examples/data with its two sensors and the faults `noise` and `gyro_bias`; the mounting and the start are exact.
"""

import pathlib
import re
import sys
import tempfile

import numpy as np
from common import PROJECT, panto, read_table

DATA = PROJECT / "examples" / "data"
sys.path.insert(0, str(DATA))
import make_data  # noqa: E402

JOINT = "shoulder_rotation"
DENSITY = np.radians(0.01), 200e-6 * 9.80665  # of the fault `noise`: gyroscope, accelerometer


def settings(rate, gyro):
    """The sensors file; `gyro`: the gyroscope's noise as a share of the simulated one; None: the file's defaults."""
    sensors = (DATA / "arm_sensors.toml").read_text(encoding="utf-8").partition("[noise]")[0]
    if gyro is None:
        return sensors
    noise = [density * np.sqrt(rate) for density in DENSITY]
    return sensors.replace("turn_sigma_deg = 0.5", "turn_sigma_deg = 0.02") + (
        f"[noise]\ngyro = {gyro * noise[0]:g}\nacc = {noise[1]:g}\nchanging_deg = 0.02\nwobble = 1e-5\ngyro_bias = 0.0035\n"
    )


def measure(rate, gyro, seeds, folder):
    """(errors at the end [deg], deviations given there [deg], how often the verdict is Good)"""
    (folder / "sensors.toml").write_text(settings(rate, gyro), encoding="utf-8")
    errors, deviations, good = [], [], 0
    body = ("--model", DATA / "arm.toml", "--sensors", "sensors.toml")
    for seed in range(1, 1 + seeds):
        panto("synthesize", "arm.csv", *body, "--imu", "imu.csv", "--rate", rate, "--seed", seed, "--fault", "noise", "--fault", "gyro_bias",
              folder=folder)  # fmt: skip
        good += panto("track", "imu.csv", *body, "--cov", "-o", "q.csv", folder=folder).startswith("Good")
        found = read_table(folder / "q.csv")
        errors.append(np.degrees(found[f"{JOINT}_rad"][-1] - make_data.arm(found["time_s"][-1])[9]))
        deviations.append(np.degrees(found[f"{JOINT}_sd_rad"][-1]))
    return np.array(errors), np.array(deviations), good


def main(seeds):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        joints = [f"{joint}_rad" for joint in re.findall(r'name = "(\w+)", type', (DATA / "arm.toml").read_text(encoding="utf-8"))]
        make_data.table(folder / "arm.csv", joints, 200, 6, make_data.arm)
        print("| `[noise]` | rate [Hz] | error, rms [deg] | deviation given [deg] | error / deviation, rms | verdict Good |\n|---|---|---|---|---|---|")
        for what, rate, gyro in (("defaults", 60, None), ("as simulated", 60, 1.0), ("gyro a third", 60, 0.35), ("as simulated", 200, 1.0)):
            errors, deviations, good = measure(rate, gyro, seeds, folder)
            rms, ratio = (np.sqrt(np.mean(np.square(x))) for x in (errors, errors / deviations))
            print(f"| {what} | {rate} | {rms:.2f} | {np.mean(deviations):.2f} | {ratio:.2f} | {good} of {seeds} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 20)
