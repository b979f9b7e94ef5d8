"""A-3: time of one step, three methods on three motions [Rapetti 2020, Fig. 7, row 3].

Synthetic, 50 Hz, one thread pinned to one core; a step is everything between sample and State. Every run is made several
times: the least time of a frame is the step's own, the largest is what a busy machine makes of it.
"""

import os
import pathlib

import numpy as np
from common import PAPER, PINK, SKY, main, number, save, synthesize, table, track, write_block, write_table
from methods import DROPPED, HUMANS, METHODS, MODELS, MOTIONS, RATE, boxes, follow, ipopt_beside, legend, panels_of, settled

SECONDS, REPEATS = 200.0, 5  # 9900 frames behind the settling time
IPOPT_SECONDS, WINDOW = 5.0, 50
LIMITED = "human48"  # the model with limits
MEAN_US, PAPER_US, P999_US, MAX_US = 5.0, 3000.0, 1000.0, 2000.0


def pin():
    """One core for this process and what it starts; nothing where the system has no such thing."""
    try:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    except (AttributeError, OSError):
        pass


def measure(quick, folder):
    pin()
    runs = {}
    for motion in MOTIONS:
        recording = synthesize(motion, "--rate", RATE, "--duration", SECONDS / (20 if quick else 1), folder=folder)
        short = synthesize(motion, "--rate", RATE, "--duration", IPOPT_SECONDS, folder=folder, name=f"{motion}_short.mvnx")
        for model in MODELS:
            for method, (_, options, _) in METHODS.items():
                times, allocations = [], 0
                for _ in range(1 if quick else REPEATS):
                    card, frames = follow(recording, model, *options, folder=folder)
                    times.append(settled(frames, DROPPED, "step_us"))
                    allocations += card["allocations"]
                runs[model, motion, method] = {"own": np.min(times, axis=0), "all": np.concatenate(times), "allocations": allocations}
            if model not in HUMANS:
                continue
            _, frames = track(short, "--model", model, folder=folder)
            beside = ipopt_beside(model, pathlib.Path(folder) / short, DROPPED, {"ours": frames}, WINDOW)
            for how, name in (("ours", "stopped"), ("end", "end")):
                runs[model, motion, name] = {"own": beside[how]["us"], "all": beside[how]["us"]}
    return runs


def check(runs, checks):
    for model in MODELS:
        for motion, name in MOTIONS.items():
            own = {method: runs[model, motion, method]["own"] for method in METHODS}
            where = f"{MODELS[model]}, {name}"
            if model == LIMITED:
                checks.below(np.mean(own["ours"]), MEAN_US, f"{where}, with limits, ours: mean (the paper: < {PAPER_US / 1000:g} ms)", "us")
            if motion != "tpose":  # where nothing moves, an instantaneous solver finds the answer there and has nothing to do
                checks.above(np.mean(own["whole"]) / np.mean(own["ours"]), 1.0, f"{where}: mean, whole body / ours")
                baseline = min(("whole", "pairs"), key=lambda method: np.std(own[method]))
                what = f"{where}: standard deviation of ours, against the steadier baseline ({METHODS[baseline][0]})"
                checks.below(np.std(own["ours"]), np.std(own[baseline]), what, "us")
    ours = [runs[LIMITED, motion, "ours"] for motion in MOTIONS]
    own = np.concatenate([run["own"] for run in ours])
    checks.below(np.mean(own), 200.0, f"{MODELS[LIMITED]}, all motions, ours: mean", "us")
    checks.below(np.percentile(own, 99.9), P999_US, f"{MODELS[LIMITED]}, all motions, ours: p99.9", "us")
    checks.below(np.max(own), MAX_US, f"{MODELS[LIMITED]}, all motions, ours: largest", "us")
    checks.below(sum(runs[model, motion, "ours"]["allocations"] for model in MODELS for motion in MOTIONS), 0, "ours: allocations in all steps")


def names_and_colours():
    names = {method: name for method, (name, _, _) in METHODS.items()} | {"stopped": "IPOPT, stopped at ours", "end": "IPOPT, to its end"}
    colours = [colour for _, _, colour in METHODS.values()] + [PINK, SKY]
    return names, colours


def own_of(runs, model, motion, method):
    """Times of one method, None where it was not run."""
    run = runs.get((model, motion, method))
    return run and run["own"]


def draw(runs):
    names, colours = names_and_colours()
    figure, panels = panels_of(1, list(MOTIONS.values()))
    for axes, model in zip(panels[0], MODELS):
        boxes(axes, [[own_of(runs, model, motion, method) for method in names] for motion in MOTIONS], colours)
    for axes in panels[0]:
        axes.axhline(np.log10(PAPER_US), color="#888888", lw=0.8, ls=":")
    panels[0][0].set_ylabel("log$_{10}$ time of a step [µs]")
    panels[0][-1].text(-0.55, np.log10(PAPER_US), "the paper's 3 ms", fontsize=7.5, color="#666666", va="bottom")
    legend(figure, list(names.values()), colours)
    when = f"{SECONDS - DROPPED:g} s after {DROPPED:g} s of settling"
    figure.suptitle(f"Synthetic: 50 Hz, one core, {when}; boxes: quartiles, whiskers: 1st and 99th percentile", fontsize=10)
    save(figure, "a3_time.svg")


def publish(runs, checks):
    draw(runs)
    names, _ = names_and_colours()
    rows, figures = [], []
    for model in MODELS:
        for motion, motion_name in MOTIONS.items():
            means = [number(np.mean(own)) if (own := own_of(runs, model, motion, method)) is not None else "" for method in names]
            rows.append((f"{MODELS[model]}, {motion_name}", *means))
            for method in names:
                if (model, motion, method) not in runs:
                    continue
                run = runs[model, motion, method]
                own, largest = run["own"], np.max(run["all"])
                values = [np.mean(own), np.std(own), *np.percentile(own, (50, 99, 99.9)), np.max(own)]
                figures.append((model, motion, method, *map(float, values), float(largest)))
    header = ("mean [us]", *names.values())
    write_table("a3_time.csv", ("model", "motion", "method", "mean_us", "std_us", "p50_us", "p99_us", "p999_us", "max_us", "max_all_us"), figures)
    text = f"Deviations and percentiles of all: [a3_time.csv](paper/a3_time.csv). {checks.brief(PAPER, 'a3_checks.csv', f'{MODELS[LIMITED]}, all motions', 'ours: allocations')}"
    write_block("A-3", f"![Time of a step by model, motion and method](paper/a3_time.svg)\n\n{table(header, rows)}\n\n{text}")


if __name__ == "__main__":
    main("A-3", measure, check, publish)
