"""A-7: does the law converge whatever attitudes link and target have in the world?

Synthetic: 400 random pairs (start, target) of attitudes, K = 10/s, 5 s at 50 Hz. In human66 every link can take any
attitude, so that one recording whose 23 segments jump to new random attitudes every 5 s holds 23 pairs a jump. Its rates
are zero: nothing but the residual moves the links. The printed law, Eq. (5) and (8) taken literally, is computed here.
"""

import pathlib
import re

import numpy as np
from common import BLUE, PAPER, RED, Missed, main, new_figure, number, panto, read_table, save, synthesize, table, write_block, write_table
from human import SEGMENTS, distance_deg, link_attitudes, rotation

PAIRS = 400
GAIN, RATE, SECONDS = 10.0, 50.0, 5.0
HOLD = int(RATE * SECONDS)  # frames of one attitude
MUST, WRONG = 0.01, 1.0  # [deg]
SEED = 7
NAMES = {"ours": "ours", "paper": "paper mode: corrected frames", "literal": "the printed law, literally (NumPy)"}
MODES = {"ours": (), "paper": ("--paper", "--speed-limit", "1e6")}


def random_quaternions(count, generator):
    """Uniform over all attitudes, (w, x, y, z)."""
    q = generator.normal(size=(count, 4))
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def write_recording(template, path, attitudes):
    """The template's person with segments that hold attitudes[k] (SEGMENTS, 4) for SECONDS each, at rest."""
    head, frames = template.split("</frames>")[0], []
    head = re.sub(r'\s*<frame [^>]*type="normal">.*?</frame>', "", head, flags=re.DOTALL)
    still = " ".join(["0"] * 3 * SEGMENTS)
    for k, attitude in enumerate(attitudes):
        numbers = " ".join(f"{value:.17g}" for value in attitude.ravel())
        for i in range(k * HOLD, (k + 1) * HOLD):
            frames.append(
                f'<frame time="{round(1000 * i / RATE)}" index="{i}" type="normal"><orientation>{numbers}</orientation>'
                f"<position>{still}</position><velocity>{still}</velocity><angularVelocity>{still}</angularVelocity></frame>"
            )
    path.write_text(head + "\n".join(frames) + "</frames></subject></mvnx>", encoding="utf-8")


def literal_law(start, target):
    """h' = S(K r) h with r = vee sk(h^T R): a residual in the link's axes taken for a velocity in the world's."""
    h, dt = start.copy(), 1.0 / RATE
    for _ in range(HOLD):
        E = np.swapaxes(h, -1, -2) @ target
        r = 0.5 * np.stack([E[:, 2, 1] - E[:, 1, 2], E[:, 0, 2] - E[:, 2, 0], E[:, 1, 0] - E[:, 0, 1]], axis=-1)
        w = GAIN * dt * r
        angle = np.linalg.norm(w, axis=-1)
        axis = w / np.maximum(angle, 1e-300)[:, None]
        h = rotation(np.concatenate([np.cos(angle / 2)[:, None], np.sin(angle / 2)[:, None] * axis], axis=-1)) @ h
    return distance_deg(h, target)


def measure(quick, folder):
    jumps = 3 if quick else -(-PAIRS // SEGMENTS)
    generator = np.random.default_rng(SEED)
    attitudes = random_quaternions((jumps + 1) * SEGMENTS, generator).reshape(jumps + 1, SEGMENTS, 4)
    folder = pathlib.Path(folder)
    template = (folder / synthesize("tpose", "--duration", "0.1", folder=folder)).read_text(encoding="utf-8")
    write_recording(template, folder / "jumps.mvnx", attitudes)
    count = min(PAIRS, jumps * SEGMENTS)
    matrices = rotation(attitudes)
    start, target = (part.reshape(-1, 3, 3)[:count] for part in (matrices[:-1], matrices[1:]))
    errors = {"literal": literal_law(start, target)}
    for mode, options in MODES.items():
        panto("track", "jumps.mvnx", "--align", "none", "--gain", GAIN, *options, "-o", f"{mode}.csv", folder=folder)
        links = link_attitudes(template, read_table(folder / f"{mode}.csv"))
        if len(links) != HOLD * (jumps + 1):
            raise Missed(f"{mode}: {len(links)} frames were answered of {HOLD * (jumps + 1)}")
        last = links[2 * HOLD - 1 :: HOLD]  # of every attitude but the first
        errors[mode] = distance_deg(last, matrices[1:]).reshape(-1)[:count]
    return errors


def check(errors, checks):
    for mode in MODES:
        checks.below(np.max(errors[mode]), MUST, f"{NAMES[mode]}: worst of {errors[mode].size} pairs after {SECONDS:g} s", "deg")
    share = 100.0 * np.mean(errors["literal"] > WRONG)
    checks.above(share, 50.0, f"{NAMES['literal']}: pairs more than {WRONG:g} deg off after {SECONDS:g} s", "%")


def draw(errors):
    figure, axes = new_figure(figsize=(7.2, 3.4))
    bins = np.logspace(-15, np.log10(180.0), 64)
    for mode, colour in (("ours", BLUE), ("literal", RED)):
        axes.hist(np.maximum(errors[mode], 1.1e-15), bins, color=colour, alpha=0.85, label=NAMES[mode])
    axes.axvline(MUST, color="#888888", lw=0.8, ls=":")
    axes.text(MUST, axes.get_ylim()[1], f" must: {MUST} deg", fontsize=7.5, color="#666666", va="top")
    axes.set(xscale="log", xlabel=f"orientation error after {SECONDS:g} s [deg]", ylabel=f"of {errors['ours'].size} pairs")
    axes.set_title("Synthetic: random pairs of attitudes, K = 10/s, 50 Hz")
    axes.legend(loc="upper center")
    save(figure, "a7_frame_regression.svg")


def publish(errors, checks):
    draw(errors)
    rows = []
    for mode, name in NAMES.items():
        error = errors[mode]
        rows.append((name, f"{np.mean(error <= MUST):.1%}", f"{np.mean(error > WRONG):.1%}", number(np.median(error)), number(np.max(error))))
    header = ("law", f"within {MUST} deg", f"more than {WRONG:g} deg off", "median [deg]", "worst [deg]")
    write_table("a7_frame_regression.csv", list(errors), zip(*errors.values()))
    write_block("A-7", f"![Final errors of 400 pairs](paper/a7_frame_regression.svg)\n\n{table(header, rows)}\n\n{checks.brief(PAPER, 'a7_checks.csv', 'ours: worst')}")


if __name__ == "__main__":
    main("A-7", measure, check, publish)
