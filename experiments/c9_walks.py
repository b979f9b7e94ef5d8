"""C-9: seventeen sensors with all faults on a person who walks, with and without learning the body. Synthetic."""

import pathlib

import numpy as np
from common import PROJECT, Page, main, panto, read_table

PAGE = Page("inertial.md")
SEEDS, SECONDS, SETTLE = 12, 20.0, 1.0  # [s]
BOUND, WORST = 5.0, 5.5  # [deg] asked of every walk; of the worst when last measured
REFINE = "[refine]"
HANG = 75.0  # [deg] by which the arms hang when the walk begins
START = f"\n[start]\njoints_deg = {{ jRightShoulder_rotx = {HANG:g}, jLeftShoulder_rotx = -{HANG:g} }}\nsigma_deg = 8\n"


def joints_rmse(folder, name):
    """Root mean square over all joints from SETTLE on [deg]."""
    truth, found = (read_table(folder / f"{which}.csv") for which in ("truth", name))
    late = truth["time_s"] >= SETTLE
    off = [found[joint][late] - truth[joint][late] for joint in truth if joint.startswith("j")]
    return np.degrees(np.sqrt(np.mean(np.square(off))))


def measure(quick, folder):
    folder = pathlib.Path(folder)
    suit = (PROJECT / "models/chains/human_sensors.toml").read_text(encoding="utf-8")
    before, mark, _ = suit.partition(REFINE)
    assert mark, "the shipped suit asks for [refine]"
    files = {"refined": suit + START, "as worn": before + START}
    for name, text in files.items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    data = {name: [] for name in files}
    for seed in range(1, 1 + (2 if quick else SEEDS)):
        panto("synthesize", "walk", "--model", "human48", "--rate", "100", "--duration", SECONDS, "--seed", seed, "--sensors", "as worn.toml",
              "--imu", "walk.csv", "--fault", "all", "-o", "truth.csv", folder=folder)  # fmt: skip
        for name in files:
            panto("track", "walk.csv", "--model", "human48", "--sensors", f"{name}.toml", "-o", f"{name}.csv", folder=folder)
            data[name].append(joints_rmse(folder, name))
    return data


def check(data, checks):
    checks.known_miss(max(data["refined"]), BOUND, WORST, "joints, all faults, worst walk", "deg")
    checks.below(np.mean(data["refined"]), np.mean(data["as worn"]), "joints, mean over walks, no worse than without [refine]", "deg")


def publish(data, checks):
    rows = [
        [what, ", ".join(f"{e:.2f}" for e in data[name]), f"{np.mean(data[name]):.2f}", f"{sum(e <= BOUND for e in data[name])} of {SEEDS}"]
        for what, name in (("as the file is", "refined"), ("without `[refine]`", "as worn"))
    ]
    header = ["`human_sensors.toml`", f"joints, seeds 1 to {SEEDS} [deg]", "mean", "within 5°"]
    PAGE.write_block("C-9 walks", f"{PAGE.excerpt('c9_walks.csv', header, rows, (0, 2, 3))}\n\n{checks.brief(PAGE, 'c9_checks.csv')}")


if __name__ == "__main__":
    main("C-9", measure, check, publish)
