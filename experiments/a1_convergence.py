"""A-1: how fast a wrong pose dies out, by gain [Rapetti 2020, Fig. 8].

Synthetic: the human stands in the T-pose, the recording in a still N-pose, six links 90 deg off. 50 Hz.
"""

import math

import numpy as np
from common import BLUE, GREEN, ORANGE, PAPER, RED, main, new_figure, number, save, synthesize, track, write_block, write_table

GAINS = (0, 1, 2, 5, 10, 20, 50, 90, 99, 101, 120)  # [1/s]
RATE = 50.0  # [Hz]
SECONDS = 5.0
CONVERGED = 1e-3  # MNTE
# the printed law without the speed limit of 10 rad/s, which would hide what K alone does
MODES = {"paper": ("--paper", "--speed-limit", "1e6"), "limited": ("--paper",), "ours": ()}
NAMES = {"paper": "paper mode without speed limit", "limited": "paper mode", "ours": "ours"}
THEORY_GAINS = (5, 1)  # K dt = 0.1 and 0.02


def measure(quick, folder):
    recording = synthesize("npose", "--rate", RATE, "--duration", SECONDS + 1 / RATE, folder=folder)
    runs = {}
    for mode, options in MODES.items():
        for gain in GAINS:
            _, frames = track(recording, "--align", "none", "--gain", gain, *options, folder=folder)
            runs[mode, gain] = frames
    return runs


def mnte_of(run):
    return np.maximum(run["mnte"], 1e-16)


def time_to_converge(run):
    """First instant from which on MNTE stays below the threshold [s]; infinite if never."""
    above = np.flatnonzero(run["mnte"] >= CONVERGED)
    if above.size == 0:
        return 0.0
    return math.inf if above[-1] + 1 == run["mnte"].size else run["time_s"][above[-1] + 1]


def theory(gain, t, start_deg):
    """tan(theta/2) decays with e^(-K t) [deg]."""
    return np.degrees(2.0 * np.arctan(np.tan(np.radians(start_deg) / 2.0) * np.exp(-gain * t)))


def deviation(run, gain):
    """K t below 5, and the angle there against theory [%]."""
    window = gain * run["time_s"] < 5.0
    t, angle = run["time_s"][window], run["angle_max_deg"][window]
    return gain * t, 100.0 * (angle / theory(gain, t, angle[0]) - 1.0)


def cycle_angle(step):
    """The angle of the 2-cycle of theta <- theta - g sin theta: sin(theta)/theta = 2/g [deg]."""
    low, high = 0.0, math.pi
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if math.sin(middle) / middle > 2.0 / step else (low, middle)
    return math.degrees(low)


def check(runs, checks):
    for mode in MODES:
        checks.below(np.ptp(runs[mode, 0]["mnte"]), 1e-12, f"{NAMES[mode]}, K = 0: change of MNTE")
    for mode, gains in (("ours", [gain for gain in GAINS if gain >= 5]), ("paper", [gain for gain in GAINS if 5 <= gain <= 2 * RATE])):
        slowest, gain = max((time_to_converge(runs[mode, gain]), gain) for gain in gains)
        checks.below(slowest, 1.0, f"{NAMES[mode]}, K = 5 to {gains[-1]}: MNTE below {CONVERGED:g} from, slowest at K = {gain}", "s")
    for gain in (gain for gain in GAINS if gain > 2 * RATE):
        last = runs["paper", gain]["angle_max_deg"][-int(RATE) :]
        off = 100.0 * np.max(np.abs(last / cycle_angle(gain / RATE) - 1.0))
        checks.below(off, 2.0, f"{NAMES['paper']}, K = {gain}: unstable, its swing off the 2-cycle's {cycle_angle(gain / RATE):.1f} deg by", "%")
        least = np.min(runs["limited", gain]["mnte"][-int(RATE) :])
        checks.above(least, CONVERGED, f"{NAMES['limited']}, K = {gain}: unstable, least MNTE of the last second")
    growth, gain = max((np.max(np.diff(mnte_of(runs["ours", gain]))), gain) for gain in GAINS)
    checks.below(growth, 1e-15, f"ours, every K: stable, largest growth of MNTE in a step, at K = {gain}")
    for gain, percent in zip(THEORY_GAINS, (4.0, 0.8)):
        off = np.max(np.abs(deviation(runs["ours", gain], gain)[1]))
        checks.below(off, percent, f"ours, K dt = {gain / RATE:g}: angle off the theory's decay over K t < 5 by", "%")


def draw(runs):
    import matplotlib

    figure, (paper, ours, law) = new_figure(1, 3, figsize=(9.6, 3.9), width_ratios=(1, 1, 0.9))
    colours = matplotlib.colormaps["viridis"](np.linspace(0.0, 0.92, len(GAINS) - 2))
    for axes, mode, title in ((paper, "paper", "paper mode, fixed K"), (ours, "ours", "ours, K$_{eff}$")):
        for gain, colour in zip(GAINS, (*colours, RED, ORANGE)):
            run = runs[mode, gain]
            unstable = gain / RATE > 2.0
            axes.semilogy(run["time_s"], mnte_of(run), color=colour, lw=1.6, ls="--" if unstable else "-", label=f"{gain}")
        axes.axhline(CONVERGED, color="#888888", lw=0.8, ls=":")
        axes.set(title=title, xlabel="time [s]", xlim=(0, 2), ylim=(1e-12, 2))
    paper.set_ylabel("MNTE [-]")
    paper.text(1.98, CONVERGED * 1.5, "must, at 1 s", fontsize=7.5, color="#666666", ha="right")
    ours.sharey(paper)
    ours.legend(title="K [1/s]", loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=1.4, title_fontsize=8)
    for mode, style in (("paper", "--"), ("ours", "-")):
        for gain, colour in zip(THEORY_GAINS, (BLUE, GREEN)):
            kt, percent = deviation(runs[mode, gain], gain)
            law.plot(kt, percent, style, color=colour, lw=1.6, label=f"{'ours' if mode == 'ours' else 'paper'}, K dt = {gain / RATE:g}")
    law.axhspan(-4, 4, color="#f0f0f0", zorder=0)
    law.set(title="angle against theory's decay", xlabel="K t [-]", ylabel="difference [%]", xlim=(0, 5))
    law.legend(loc="lower left")
    figure.suptitle("Synthetic: from the T-pose to a still N-pose, human66, 50 Hz", fontsize=10)
    save(figure, "a1_convergence.svg")


def publish(runs, checks):
    draw(runs)
    rows = []
    for gain in GAINS:
        cells = [gain, f"{gain / RATE:g}"]
        for mode in MODES:
            time, last = time_to_converge(runs[mode, gain]), np.mean(mnte_of(runs[mode, gain])[-int(RATE) :])
            cells += [number(time) if math.isfinite(time) else "never", "< 1e-15" if last < 1e-15 else number(last)]
        rows.append(cells)
    header = ["K [1/s]", "K dt"]
    for mode in MODES:
        header += [f"{NAMES[mode]}: MNTE < {CONVERGED:g} from [s]", "MNTE in the last second"]
    seconds = runs["ours", 1]["time_s"]
    write_table(
        "a1_convergence.csv", ["time_s", *(f"mnte_{mode}_k{gain}" for mode in MODES for gain in GAINS)],
        zip(seconds, *(runs[mode, gain]["mnte"] for mode in MODES for gain in GAINS)),
    )  # fmt: skip
    text = PAPER.excerpt("a1_gains.csv", header, rows, (0, 1, 2, 4, 6), lambda row: row[0] not in (2, 10, 90)) + "\n\n"
    text += checks.brief(PAPER, "a1_checks.csv", "ours, K = 5 to", "ours, every K")
    write_block("A-1", f"![MNTE over time by gain](paper/a1_convergence.svg)\n\n{text}")


if __name__ == "__main__":
    main("A-1", measure, check, publish)
