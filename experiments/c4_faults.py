"""C-4: what every single fault of inertial sensors costs the filter. Synthetic: the right arm at a whiteboard, five sensors.

PANTO_FAULT_PROBE names the program built from tests/support/fault_probe.cpp; without it the dev build makes it.
"""

import json
import os
import pathlib
import subprocess

import numpy as np
from common import PROJECT, RESULTS, Missed, main, table, write_block

PAGE = RESULTS / "inertial.md"
SEEDS, SECONDS = 30, 20.0
BOUND = 5.0  # [deg] root mean square of all joints, of the worst seed
USES = ("estimate", "inflate")  # what the filter makes of sensors that are turned; the first is the default


def probe():
    """Path of the program; the dev build makes it where nobody names one."""
    if named := os.environ.get("PANTO_FAULT_PROBE"):
        return pathlib.Path(named)
    for words in (["--preset", "dev"], ["--build", "build/dev", "--target", "panto_fault_probe"]):
        if subprocess.run(["cmake", *words], cwd=PROJECT, stdout=subprocess.DEVNULL).returncode != 0:
            raise Missed("the program panto_fault_probe cannot be built; PANTO_FAULT_PROBE names one")
    return PROJECT / "build/dev/tests/panto_fault_probe"


def measure(quick, _):
    seeds, seconds = (2, 10.0) if quick else (SEEDS, SECONDS)
    data, program = {}, probe()
    for use in USES[: 1 if quick else None]:
        words = [program, PROJECT / "models/chains", str(seeds), str(seconds), use]
        result = subprocess.run(list(map(str, words)), capture_output=True, text=True)
        if result.returncode != 0:
            raise Missed(f"the probe ended with {result.returncode}: {result.stderr.strip()}")
        data[use] = {
            row["fault"]: {key: np.array([run[key] for run in row["runs"]]) for key in row["runs"][0]}
            for row in json.loads(result.stdout)["faults"]
        }
    return data


def check(data, checks):
    for fault, runs in data[USES[0]].items():
        checks.below(runs["rmse_deg"].max(), BOUND, f"{fault}: joints, worst seed", "deg")
        checks.below(runs["last_deg"].max(), 2 * BOUND, f"{fault}: joints in the last second, worst seed", "deg")
        checks.below(runs["failed"].sum(), 0, f"{fault}: samples without an answer")


def publish(data, checks):
    rows = []
    for fault, runs in data[USES[0]].items():
        with_noise = data[USES[1]][fault]["rmse_deg"]
        rows.append([
            fault, f"{runs['rmse_deg'].mean():.2f}", f"{runs['rmse_deg'].max():.2f}", f"{runs['worst_joint_deg'].mean():.2f}",
            f"{runs['tip_cm'].mean():.1f}", f"{with_noise.mean():.2f}, {with_noise.max():.2f}",
        ])  # fmt: skip
    header = [
        "fault", "joints, mean [deg]", "joints, worst seed [deg]", "worst joint, mean [deg]", "tip of the pen [cm]",
        "mounting as noise: joints, mean and worst [deg]",
    ]  # fmt: skip
    missed = [what for holds, what, *_ in checks.lines if not holds]
    reached = f"All {len(checks.lines)} bounds are reached." if not missed else f"**Not reached**: {'; '.join(missed)}."
    write_block("C-4 faults", f"{table(header, rows)}\n\n{reached}", PAGE)


if __name__ == "__main__":
    main("C-4", measure, check, publish)
