"""A-7: does the law converge whatever attitudes link and target have in the world?

Synthetic: 400 random pairs (start, target) of attitudes, K = 10/s, 5 s at 50 Hz. In human66 every link can take any
attitude, so that one recording whose 23 segments jump to new random attitudes every 5 s holds 23 pairs a jump. Its rates
are zero: nothing but the residual moves the links. The printed law, Eq. (5) and (8) taken literally, is computed here.
"""

import pathlib
import re
import xml.etree.ElementTree as ET

import numpy as np
from common import BLUE, RED, Missed, main, new_figure, number, panto, read_table, save, synthesize, table, track, write_block, write_table

PAIRS, SEGMENTS = 400, 23
GAIN, RATE, SECONDS = 10.0, 50.0, 5.0
HOLD = int(RATE * SECONDS)  # frames of one attitude
MUST, WRONG = 0.01, 1.0  # [deg]
SEED = 7
MVNX = "{http://www.xsens.com/mvn/mvnx}"
NAMES = {"ours": "ours", "paper": "paper mode: corrected frames", "literal": "the printed law, literally (NumPy)"}
MODES = {"ours": (), "paper": ("--paper", "--speed-limit", "1e6")}


def random_quaternions(count, generator):
    """Uniform over all attitudes, (w, x, y, z)."""
    q = generator.normal(size=(count, 4))
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def rotation(q):
    """Quaternions (..., 4) to matrices (..., 3, 3)."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def about(axis, angle):
    """Turns about a coordinate axis, (..., 3, 3)."""
    q = np.zeros((*np.shape(angle), 4))
    q[..., 0], q[..., 1 + axis] = np.cos(angle / 2), np.sin(angle / 2)
    return rotation(q)


def distance_deg(a, b):
    """Angles between rotations, exact for small ones: |a - b| = 2 sqrt(2) sin(theta / 2)."""
    chord = np.linalg.norm(a - b, axis=(-2, -1)) / (2.0 * np.sqrt(2.0))
    return np.degrees(2.0 * np.arcsin(np.minimum(1.0, chord)))


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


def skeleton(template):
    """Names of the segments, and the joints as (name, parent, child)."""
    subject = ET.fromstring(template).find(MVNX + "subject")
    names = [segment.get("label") for segment in subject.iter(MVNX + "segment")]
    joints = []
    for joint in subject.iter(MVNX + "joint"):
        parent, child = (names.index(joint.find(MVNX + end).text.split("/")[0]) for end in ("connector1", "connector2"))
        # the models keep version 3's name for the joint of the shoulder girdle
        joints.append((joint.get("label").replace("T4Shoulder", "C7Shoulder"), parent, child))
    return names, joints


def link_attitudes(template, states):
    """Attitudes of the model's 23 links, (frames, SEGMENTS, 3, 3), by forward kinematics of human66."""
    names, joints = skeleton(template)
    R = np.zeros((states["time_s"].size, SEGMENTS, 3, 3))
    R[:, names.index("Pelvis")] = rotation(np.stack([states[f"base_q{axis}"] for axis in "wxyz"], axis=-1))
    for joint, parent, child in joints:
        turns = [about(axis, states[f"{joint}_rot{name}_rad"]) for axis, name in enumerate("xyz")]
        R[:, child] = R[:, parent] @ turns[0] @ turns[1] @ turns[2]
    return R


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
    write_block("A-7", f"![Final errors of 400 pairs](paper/a7_frame_regression.svg)\n\n{table(header, rows)}\n\n{checks.table()}")


if __name__ == "__main__":
    main("A-7", measure, check, publish)
