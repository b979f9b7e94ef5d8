"""C-4: what every single fault of inertial sensors costs the filter. Synthetic: the right arm at a whiteboard, five sensors.

PANTO_FAULT_PROBE names the program built from tests/support/fault_probe.cpp; without it the dev build makes it.
"""

import numpy as np
from common import PROJECT, Page, ask, main, probe

PAGE = Page("inertial.md")
SEEDS, SECONDS = 30, 20.0
BOUND = 5.0  # [deg] root mean square of all joints, of the worst seed
COSTLY = 0.35  # [deg] of the worst seed: the page shows faults that cost more
USES = ("estimate", "inflate")  # what the filter makes of sensors that are turned; the first is the default


def measure(quick, _):
    seeds, seconds = (2, 10.0) if quick else (SEEDS, SECONDS)
    data, program = {}, probe("fault")
    for use in USES[: 1 if quick else None]:
        data[use] = {
            row["fault"]: {key: np.array([run[key] for run in row["runs"]]) for key in row["runs"][0]}
            for row in ask(program, PROJECT / "models/chains", seeds, seconds, use)["faults"]
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
    costly = [row[0] for row in rows if float(row[2]) > COSTLY]
    others = max(float(row[2]) for row in rows if row[0] not in costly)
    reached = f"The other {len(rows) - len(costly)} rows: at most {others:.2f}° in the worst seed. {reached}"
    PAGE.write_block("C-4 faults", f"{PAGE.excerpt('c4_faults.csv', header, rows, (0, 1, 2, 4), lambda row: row[0] in costly)}\n\n{reached}")


if __name__ == "__main__":
    main("C-4", measure, check, publish)
