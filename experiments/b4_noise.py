"""B-4: an arm held where all three modules are singular at once, in noise [Tee et al., Fig. 8, Eq. (31)].

Synthetic: the arm tee7 at 80 Hz, 1 mm of noise on every coordinate of elbow and wrist, 1 mrad about every axis of the hand.
PANTO_ARM_PROBE names the program built from tests/support/arm_probe.cpp; without it the dev build makes it.
"""

import numpy as np
from common import BLUE, ORANGE, RED, ask, main, new_figure, number, probe, table
from gestures import PAGE

RATE, SHORT, LONG, SEEDS = 80, 50, 600, 20
FROM = 200  # [s] until the spread of the angles is stationary
# law, eps_0 where it is not the law's own, colour
RUNS = {
    "paper": ("the paper's law, eps_0 = 2", ("paper",), BLUE),
    "small": ("the paper's law, eps_0 = 0.01", ("paper", 0.01), RED),
    "ours": ("the law without drift (default)", ("drift-free",), ORANGE),
}


def measure(quick, _):
    data = {}
    for name, (_, (law, *epsilon), _) in RUNS.items():
        seeds = 4 if quick else 3 if name == "small" else SEEDS
        words = ("follow", law, "singular_hold", LONG, 1, seeds, RATE, *epsilon)
        data[name] = np.array([np.max(run["error_deg"], axis=0) for run in ask(probe("arm"), *words)["runs"]])
    return data


def slopes(errors):
    """Of a line through the largest error of every second, mean over seeds and its standard deviation [deg/s]."""
    t = np.arange(FROM, LONG)
    found = np.polyfit(t, errors[:, FROM:LONG].T, 1)[0]
    return found.mean(), found.std(ddof=1) / np.sqrt(found.size)


def check(data, checks):
    seeds = len(data["ours"])
    short = data["paper"][:, :SHORT].max(axis=1)
    checks.below(np.median(short), 7.2, f"{RUNS['paper'][0]}: largest error in {SHORT} s, median of {seeds} seeds", "deg")
    checks.below(data["ours"].max(), 5.0, f"{RUNS['ours'][0]}: largest error in {LONG} s, worst of {seeds} seeds", "deg")
    mean, sigma = slopes(data["ours"])
    checks.below(abs(mean) / sigma, 2.0, f"{RUNS['ours'][0]}: slope of the error over {LONG - FROM} s, of its standard deviation")


def publish(data, checks):
    figure, panels = new_figure(1, 3, figsize=(9.6, 3.4))
    for axes, (name, (title, _, colour)) in zip(panels, RUNS.items()):
        t = np.arange(1, LONG + 1)
        for errors in data[name]:
            axes.plot(t, errors[:LONG], color=colour, lw=0.5, alpha=0.35)
        axes.plot(t, np.median(data[name], axis=0)[:LONG], color="black", lw=1.2, label="median")
        axes.axvline(SHORT, color="#888888", lw=0.8, ls="--")
        axes.set(title=f"{title}, {len(data[name])} seeds", xlabel="time [s]", xlim=(0, LONG), ylim=(0, None))
    panels[0].set_ylabel("largest error of a joint in a second [deg]")
    panels[0].legend(loc="upper left")
    panels[2].set_ylim(0, 5)
    figure.suptitle("Synthetic: three singular poses held in 1 mm of noise, Eq. (31); dashed: the paper's 50 s", fontsize=10)
    PAGE.save(figure, "b4_noise.svg")
    rows = []
    for name, (title, *_) in RUNS.items():
        mean, sigma = slopes(data[name])
        short, long = data[name][:, :SHORT].max(axis=1), data[name].max(axis=1)
        rows.append((title, len(long), *(f"{np.median(x):.2f}, {x.max():.2f}" for x in (short, long)), f"{number(3600 * mean)} ± {number(3600 * sigma)}"))
    header = ("law", "seeds", f"largest error in {SHORT} s, median and worst [deg]", f"in {LONG} s [deg]", f"drift from {FROM} s on [deg/h]")
    PAGE.write_table("b4_noise.csv", ["time_s", *(f"error_deg_{name}_median" for name in RUNS)], zip(range(1, LONG + 1), *(np.median(data[name], axis=0)[:LONG] for name in RUNS)))
    PAGE.write_block("B-4", f"![Errors over time in noise](gestures/b4_noise.svg)\n\n{table(header, rows)}\n\n{checks.brief(PAGE, 'b4_checks.csv')}")


if __name__ == "__main__":
    main("B-4", measure, check, publish)
