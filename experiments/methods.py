"""The three methods that the paper compares, as the command runs them: what A-2 and A-3 share."""

import json
import pathlib

import numpy as np
from common import BLUE, GREEN, ORANGE, RED, new_figure, panto, read_table, track
from human import read_recording, rotation

HUMANS = {"human66": "Human66", "human48": "Human48"}
MODELS = HUMANS | {"icub": "iCub"}
MOTIONS = {"tpose": "T-pose", "walk": "walking", "run": "running"}
CLIPS = {"walking": ("002_01.bvh", "007_01.bvh", "007_04.bvh"), "running": ("002_03.bvh",)}  # of bvh/cmu, 60 Hz
METHODS = {
    "paper": ("dynamical, paper mode", ("--paper",), RED),
    "ours": ("dynamical, ours", (), BLUE),
    "whole": ("whole body", ("--solver", "instantaneous"), ORANGE),
    "pairs": ("pair-wise", ("--solver", "pairwise"), GREEN),
}
RATE = 50.0  # of synthetic motions [Hz]
DROPPED = 2.0  # at the start of synthetic ones [s]
DROPPED_REAL = 0.5  # of clips, which last 1.4 to 3.7 s [s]
FLOOR = 1e-16


def follow(recording, model, *options, folder):
    """Report card and table of frames of one model; a robot turns as the person does, its base follows the pelvis."""
    if model in HUMANS:
        return track(recording, "--model", model, *options, folder=folder)
    words = ("--robot", model, "--feet", "off", "--relative", "off", *options, "--frames", "frames.csv", "--json")
    card = json.loads(panto("retarget", recording, *words, folder=folder))
    return card, read_table(pathlib.Path(folder) / "frames.csv")


def panels_of(rows, motions):
    """A figure with one column a model and one place a motion."""
    figure, panels = new_figure(rows, len(MODELS), figsize=(9.6, 2.9 * rows + 0.6), sharey="row", squeeze=False)
    for row in panels:
        for axes, model in zip(row, MODELS.values()):
            axes.set_title(model)
            axes.set_xticks(range(len(motions)), motions)
            axes.set_xlim(-0.6, len(motions) - 0.4)
            axes.grid(axis="x", visible=False)
    return figure, panels


def ipopt_beside(model, mvnx, dropped, runs, frames):
    """IPOPT on the first `frames` of an MVNX that come behind `dropped` seconds, but for the very first.

    By mode of `runs` (tables of frames): the errors that were asked for, and MNTE, iterations and times [us] of IPOPT that
    stops there, set up as the authors' program has it; under "end" those of IPOPT run to its end, with an exact Hessian.
    """
    import ipopt

    q, origins, (names, joints) = read_recording(mvnx)
    t = next(iter(runs.values()))["time_s"]
    start = int(np.searchsorted(t - t[0], dropped - 1e-9))
    window = slice(start, start + frames)
    body = ipopt.whole_body(model, tuple(names), tuple(joints))
    result = {}
    for mode, errors in [(mode, np.maximum(run["mnte"][window], FLOOR)) for mode, run in runs.items()] + [("end", None)]:
        hessian = "exact" if mode == "end" else "limited-memory"
        mnte, iterations, times = body.follow(rotation(q[window]), origins[window], hessian, errors)
        result[mode] = {"mnte": np.maximum(mnte[1:], FLOOR), "iterations": iterations[1:], "us": times[1:]}
        if mode != "end":
            result[mode]["error"] = errors[1:]
    return result


def boxes(axes, groups, colours, log=True):
    """Groups of boxes side by side: whiskers from the 1st to the 99th percentile, one colour a method."""
    width = 0.8 / len(colours)
    for g, group in enumerate(groups):
        for i, (values, colour) in enumerate(zip(group, colours)):
            if values is None or not np.any(np.isfinite(values)):
                continue
            values = np.maximum(values[np.isfinite(values)], FLOOR)
            drawn = axes.boxplot(
                [np.log10(values) if log else values], positions=[g + (i - (len(colours) - 1) / 2) * width], widths=0.85 * width,
                whis=(1, 99), showfliers=False, patch_artist=True, manage_ticks=False,
            )  # fmt: skip
            for part in ("boxes", "whiskers", "caps"):
                for line in drawn[part]:
                    line.set(color=colour, linewidth=1)
            drawn["boxes"][0].set(facecolor=colour, alpha=0.55)
            drawn["medians"][0].set(color="#000000", linewidth=1.2)


def legend(figure, names, colours):
    """One entry a method, below the panels."""
    from matplotlib.patches import Patch

    figure.legend(handles=[Patch(facecolor=c, alpha=0.7, label=n) for n, c in zip(names, colours)], loc="outside lower center", ncols=len(names))


def settled(frames, seconds, name):
    """A column of the table of frames without the settling time."""
    return frames[name][frames["time_s"] >= frames["time_s"][0] + seconds - 1e-9]
