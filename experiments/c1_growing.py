"""C-1: segments and their sensors join and leave while the filter runs. Synthetic: the right arm at work, up to more than 2 g.

PANTO_GROWING_PROBE names the program built from tests/support/growing_probe.cpp; without it the dev build makes it.
"""

import numpy as np
from common import BLACK, BLUE, ORANGE, PROJECT, Page, ask, main, new_figure, probe

PAGE = Page("inertial.md")
SEEDS = 210
EVERY = 0.05  # [s] between the errors that the program says
SETTLED = 5.0  # [deg] root mean square of the joints
IN_TIME = 1.0  # [s] after the change, asked
GRAVITY = 9.80665
# by the joints before and after
NAMES = {
    (3, 5): "clavicle joins", (5, 8): "upper arm joins", (8, 10): "forearm joins", (10, 12): "hand joins",
    (12, 10): "hand leaves", (10, 5): "arm leaves",
}  # fmt: skip


def measure(quick, _):
    data = ask(probe("growing"), PROJECT / "models/chains", 4 if quick else SEEDS)
    changes = {}
    for stages in data["runs"]:
        changes.setdefault("trunk begins", []).append(stages[0]["off_deg"])  # everything joins
        for before, after in zip(stages, stages[1:]):
            changes.setdefault(NAMES[before["joints"], after["joints"]], []).append(after["off_deg"])
    return {
        "changes": {name: np.array(rows) for name, rows in changes.items()},
        "failed": data["failed"],
        "strongest_g": data["strongest_m_s2"] / GRAVITY,
    }


def late(rows):
    """Whose error a second after the change is not below what counts as settled."""
    return rows[:, round(IN_TIME / EVERY)] > SETTLED


def check(data, checks):
    count = sum(len(rows) for rows in data["changes"].values())
    share = 100.0 * sum(late(rows).sum() for rows in data["changes"].values()) / count
    checks.below(data["failed"], 0, "samples without a finite answer")
    checks.above(data["strongest_g"], 2.0, "strongest acceleration", "g")
    checks.below(share, 0.0, f"changes that take longer than {IN_TIME:.0f} s, of {count}", "%")


def publish(data, checks):
    draw(data["changes"])
    rows = []
    for name, errors in data["changes"].items():
        after = errors[:, round(IN_TIME / EVERY)]
        # the first instant from which the error stays below until the stage ends
        above = errors > SETTLED
        last = np.where(above.any(axis=1), errors.shape[1] - np.argmax(above[:, ::-1], axis=1), 0) * EVERY
        rows.append([
            name, len(errors), f"{np.median(last):.2f}, {np.quantile(last, 0.99):.2f}", f"{np.median(after):.1f}, {np.quantile(after, 0.99):.1f}",
            f"{after.max():.1f}", late(errors).sum(),
        ])  # fmt: skip
    header = ["change", "of them", "below 5° for good after: median, 99 % [s]", "joints after 1 s: median, 99 % [deg]", "worst", "late"]
    figure = "![How soon the joints are followed after a change](inertial/c1_growing.svg)"
    PAGE.write_block("C-1 growing", f"{figure}\n\n{PAGE.excerpt('c1_growing.csv', header, rows, (0, 2, 3, 4), lambda row: 'leaves' not in row[0])}\n\n{checks.brief(PAGE, 'c1_checks.csv', 'changes that take')}")


def draw(changes):
    figure, axes = new_figure(2, 4, figsize=(10, 4.6), sharex=True, sharey=True)
    for axis, (name, errors) in zip(axes.flat, changes.items()):
        since = EVERY * np.arange(errors.shape[1])
        median, most = np.quantile(errors, [0.5, 0.99], axis=0)
        axis.fill_between(since, median, most, color=BLUE, alpha=0.2, lw=0, label="half to 99 % of the runs")
        axis.semilogy(since, median, color=BLUE, label="median")
        axis.semilogy(since, errors.max(axis=0), color=ORANGE, lw=0.8, label="worst run")
        axis.axhline(SETTLED, color=BLACK, ls="--", lw=0.8)
        axis.axvline(IN_TIME, color=BLACK, ls="--", lw=0.8)
        axis.set_title(f"{name} ({len(errors)})")
    for axis in axes[-1]:
        axis.set_xlabel("since the change [s]")
    for axis in axes[:, 0]:
        axis.set_ylabel("joints, rms [deg]")
    axes[-1, -1].axis("off")
    axes[-1, -1].legend(*axes[0, 0].get_legend_handles_labels(), loc="center")
    figure.suptitle("The right arm grows and shrinks while it is tracked (synthetic): settled is below 5° within a second")
    PAGE.save(figure, "c1_growing.svg")


if __name__ == "__main__":
    main("C-1", measure, check, publish)
