"""B-5: gestures of a person on the 17-joint robot, beside each other [Tee et al., Fig. 9 to 11].

Synthetic gestures at 80 Hz, and two real clips. `panto imitate`: modular, then scaled in range and slowed down.
"""

import numpy as np
from common import main, number
from gestures import PAGE, REAL, SYNTHETIC, Robot, draw_strip, imitate, make_gesture, person_of, real_clip, retarget, seconds_of

POINTED = ("UpperArm", "ForeArm")  # whose direction is that of elbow and wrist
STRIPS = {
    "wave": "Wave (synthetic)", "conduct": "Conducting (synthetic)", "forearm_roll": "Turning forearms (synthetic)",
    "dancer": "A dancer (real, MVNX)", "CMU 131_02": "A dance (real, CMU 131_02)",
}  # fmt: skip
PIPELINE_MS = 20.0  # of a gesture of 10 s
SHOULDER = ("right_shoulder_pan", "right_shoulder_tilt", "right_shoulder_twist")


def run_of(recording, folder):
    card, part, states = imitate(recording, folder=folder)
    return {"card": card, "part": part, "states": states, "recording": recording}


def without_branch(recording, robot, folder):
    """Share of the frames in which neither branch of the right shoulder is inside the robot's range, whole turns added."""
    _, free = retarget(recording, "--solver", "modular", "--limits", "none", folder=folder)
    pan, tilt, twist = (free[f"{joint}_rad"] for joint in SHOULDER)
    index = [robot.joints.index(joint) for joint in SHOULDER]
    lower, upper = robot.model.lower[index], robot.model.upper[index]
    inside = np.zeros(pan.size, dtype=bool)
    for branch in ((pan, tilt, twist), (pan + np.pi, np.pi - tilt, twist + np.pi)):
        turned = lower + np.mod(np.column_stack(branch) - lower, 2 * np.pi)
        inside |= (turned <= upper + 1e-3).all(axis=1)
    return 1.0 - inside.mean()


def measure(quick, folder):
    runs = {name: run_of(make_gesture(name, folder), folder) for name in SYNTHETIC}
    if not quick:
        # a machine that does other things too: the least of five runs is the pipeline's own
        runs["overflex"]["ms"] = min(taken_ms(run_of(runs["overflex"]["recording"], folder)) for _ in range(5))
        for name in REAL:
            if clip := real_clip(name):
                runs[name] = run_of(clip, folder)
        robot = Robot(folder)
        runs["singular"]["without_branch"] = without_branch(runs["singular"]["recording"], robot, folder)
        for name in STRIPS:
            if name in runs:
                runs[name] |= {"robot": robot, "person": person_of(runs[name]["recording"], folder)}
    return runs


def directions(run, key, parts=POINTED):
    """The worse arm's figure over all gestures of a run, of each part."""
    limbs = [limb for gesture in run["card"]["gestures"] for limb in gesture["limbs"]]
    return {part: max(limb[key] for limb in limbs if limb["segment"].endswith(part) and limb[key] is not None) for part in parts}


def outside(run):
    return sum(gesture["motion"][f"{kind}_violations"] for gesture in run["card"]["gestures"] for kind in ("limit", "velocity", "row"))


def taken_ms(run):
    return run["card"]["solve_ms"] + sum(gesture["scale_ms"] for gesture in run["card"]["gestures"])


def check(runs, checks):
    for name, run in runs.items():
        for part, median in directions(run, "direction_median_deg").items():
            checks.below(median, 1.0, f"{name}: {part} off the person's direction before scaling, median, worse arm", "deg")
        checks.below(outside(run), 0, f"{name}: joints beyond a limit of range or speed, all frames")
    if "ms" in runs["overflex"]:
        checks.below(runs["overflex"]["ms"], PIPELINE_MS, "overflex, 10 s: solving and scaling, least of five runs", "ms")


def publish(runs, checks):
    strips = []
    for name, title in STRIPS.items():
        if name not in runs:
            continue
        run = runs[name]
        file = f"b5_{name.lower().replace(' ', '_')}.svg"
        draw_strip(file, title, run["person"], run["robot"], run["part"], run["states"])
        strips.append(f"![{title}](gestures/{file})")
    rows = []
    for name, run in runs.items():
        medians, largest = directions(run, "direction_median_deg"), directions(run, "direction_p95_deg")
        hand = directions(run, "direction_median_deg", ("Hand",))["Hand"]
        motions = [gesture["motion"] for gesture in run["card"]["gestures"]]
        off = np.average([m["followable_mean_deg"] or 0.0 for m in motions], weights=[m["frames"] for m in motions])
        rows.append((
            name, f"{seconds_of(name):.4f}" if name in SYNTHETIC else "all", len(motions), *(f"{number(medians[part])}, {number(largest[part])}" for part in POINTED), number(hand),
            number(off), f"{max(m['scaling']['stretch'] for m in motions):.2f}", outside(run), number(taken_ms(run)),
        ))  # fmt: skip
    header = (
        "motion", "`--duration` [s]", "gestures", "upper arm off, median and 95 % [deg]", "forearm off [deg]", "hand off, median [deg]",
        "after scaling, mean [deg]", "times as long", "beyond a limit", "solved and scaled in [ms]",
    )  # fmt: skip
    share = 100 * runs["singular"]["without_branch"]
    said = f"In {share:.0f} % of the frames of `singular` no branch of the right shoulder is inside the robot's range."
    PAGE.write_block("B-5", "\n\n".join([*strips, PAGE.excerpt("b5_gestures.csv", header, rows, (0, 1, 3, 4, 6, 7)), said, checks.brief(PAGE, "b5_checks.csv")]))


if __name__ == "__main__":
    main("B-5", measure, check, publish)
