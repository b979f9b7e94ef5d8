"""C-5: what the whole recording tells more than its past, and what that costs: `panto track --sensors --smooth`.

Real: trial 21 of BROAD, one IMU against optical capture, by the command. Synthetic: the right arm at a whiteboard and a
walk of human48 with 17 sensors; starts are 5 deg off in every joint. PANTO_SMOOTHER_PROBE names the program built from
tests/support/smoother_probe.cpp; without it the dev build makes it.
"""

import pathlib

import numpy as np
from broad import FILES, Trial
from common import PROJECT, Page, ask, data_folder, main, panto, probe, read_table, table

PAGE = Page("inertial.md")
CHAINS = PROJECT / "models/chains"
SEEDS, SECONDS = 30, 20.0
WALK, REPEATS = 10.0, 3  # [s] of human48; how often times are taken
GAPS = (0.05, 0.1, 0.2, 0.3)  # [s]
LAG = 4.1e-3  # of the sensor's gyroscope, as in c0_broad_reference.py [s]
CHAIN = """kind = "dh chain"
version = 1
name = "carried"
convention = "classical"
base = "fixed"
root = "room"
links = [
  { name = "up", parent = "room", joint = "shift_z", type = "prismatic", alpha_deg = 90 },
  { name = "back", parent = "up", joint = "shift_y", type = "prismatic", alpha_deg = 90, theta_deg = 90 },
  { name = "side", parent = "back", joint = "shift_x", type = "prismatic" },
  { name = "ball_1", parent = "side", joint = "turn_1", alpha_deg = 90 },
  { name = "ball_2", parent = "ball_1", joint = "turn_2", alpha_deg = 90, theta_deg = 90 },
  { name = "hand", parent = "ball_2", joint = "turn_3" },
]
"""
# the setting of c0_broad_reference.py
SENSORS = """kind = "sensors"
version = 1
sensors = [{{ name = "imu", link = "hand", wxyz = {wxyz} }}]
[world]
field = {field}
[noise]
gyro = 0.002
acc = 0.07
mag = 0.015
mounting_deg = 0
wobble = 0
gyro_scale = 0.005
[motion]
hinges = {{ rms = 200, time = 0.1 }}
slides = {{ rms = 6, time = 0.25 }}
"""


def dh(theta, alpha):
    """Rotations of a classical link. (n x 3 x 3)"""
    c, s = np.cos(theta), np.sin(theta)
    ca, sa = np.full_like(c, np.cos(alpha)), np.full_like(c, np.sin(alpha))
    zero = np.zeros_like(c)
    return np.stack([np.stack([c, -s * ca, s * sa], -1), np.stack([s, c * ca, -c * sa], -1), np.stack([zero, sa, ca], -1)], -2)


def hand(turns):
    """R_WL of the chain's last link; turns in rad. (n x 3)"""
    quarter, none = np.pi / 2, np.zeros(len(turns))
    R = dh(none, quarter) @ dh(none + quarter, quarter)
    return R @ dh(turns[:, 0], quarter) @ dh(quarter + turns[:, 1], quarter) @ dh(turns[:, 2], 0.0)


def quaternion(R):
    """(w, x, y, z)."""
    K = np.array([
        [np.trace(R), R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
        [R[2, 1] - R[1, 2], R[0, 0] - R[1, 1] - R[2, 2], R[1, 0] + R[0, 1], R[0, 2] + R[2, 0]],
        [R[0, 2] - R[2, 0], R[1, 0] + R[0, 1], R[1, 1] - R[0, 0] - R[2, 2], R[2, 1] + R[1, 2]],
        [R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[2, 1] + R[1, 2], R[2, 2] - R[0, 0] - R[1, 1]],
    ])  # fmt: skip
    return np.linalg.eigh(K)[1][:, -1]


def stand(up, field):
    """R_GI of a sensor at rest: z up, y along the field over the ground."""
    z = up / np.linalg.norm(up)
    x = np.cross(field, z)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z])


def ahead(R, rate):
    """Orientations LAG later, by the turn from sample to sample."""
    D = np.swapaxes(R[:-1], 1, 2) @ R[1:]
    w = rate * np.stack([D[:, 2, 1] - D[:, 1, 2], D[:, 0, 2] - D[:, 2, 0], D[:, 1, 0] - D[:, 0, 1]], -1) / 2.0
    v = LAG * np.vstack([w, w[-1:]])
    angle = np.maximum(np.linalg.norm(v, axis=1), 1e-12)[:, None, None]
    x, y, z = v.T
    zero = np.zeros_like(x)
    hat = np.stack([np.stack([zero, -z, y], -1), np.stack([z, zero, -x], -1), np.stack([-y, x, zero], -1)], -2)
    return R @ (np.eye(3) + np.sin(angle) / angle * hat + (1 - np.cos(angle)) / angle**2 * hat @ hat)


class Broad:
    """Trial 21, put as a recording for the command."""

    def __init__(self, folder):
        self.folder, self.trial = folder, Trial(21)
        self.raw = np.loadtxt(data_folder("inertial/broad") / FILES[21][0], delimiter=",", skiprows=1)
        rest = slice(0, 286)  # a second
        R_GI = stand(self.trial.acc[rest].mean(axis=0), self.trial.mag[rest].mean(axis=0))
        self.R_LI = hand(np.zeros((1, 3)))[0].T @ R_GI
        self.field = (R_GI @ self.trial.mag[rest].mean(axis=0)).tolist()
        (folder / "carried.toml").write_text(CHAIN)

    def follow(self, words, field=True, used=slice(None)):
        """R_GI of the samples in `used`; NaN elsewhere."""
        names = [f"imu.{what}_{axis}_{unit}" for what, unit in (("gyro", "rad_s"), ("acc", "m_s2"), ("mag", "uT")) for axis in "xyz"]
        lines = [",".join(["time_s", *names]), *(",".join(map(repr, row[:10])) for row in self.raw[used].tolist())]
        (self.folder / "imu.csv").write_text("\n".join(lines) + "\n")
        text = SENSORS.format(wxyz=quaternion(self.R_LI).tolist(), field=self.field)
        (self.folder / "sensors.toml").write_text(text if field else text.replace(f"[world]\nfield = {self.field}\n", ""))
        panto("track", "imu.csv", "--model", "carried.toml", "--sensors", "sensors.toml", "-o", "q.csv", *words, folder=self.folder)
        q = read_table(self.folder / "q.csv")
        R = np.full((len(self.raw), 3, 3), np.nan)
        R[used] = hand(np.stack([q[f"turn_{k}_rad"] for k in (1, 2, 3)], -1)) @ self.R_LI
        return R


WAYS = {False: (), True: ("--smooth",)}


def follow_broad(broad):
    """Errors of R_GI with and without --smooth, at the samples and LAG ahead; with the field and without."""
    found = {}
    for world in ("field", "no field"):
        for smooth, words in WAYS.items():
            R = broad.follow(words, field=world == "field")
            found[world, smooth] = [broad.trial.errors(at) for at in (R, ahead(R, broad.trial.rate))]
    return found


def follow_gaps(broad):
    """Inclination [deg] within 0.3 s of gaps in all that is measured, every 3 s while the hand moves."""
    found, t = {}, broad.raw[:, 0]
    moving = t[broad.trial.moving]
    for gap in GAPS:
        used, near = np.ones(len(t), bool), np.zeros(len(t), bool)
        for start in np.arange(moving[0] + 3.0, moving[-1] - 2.0, 3.0):
            used &= (t < start) | (t > start + gap)
            near |= (t > start - 0.3) & (t < start + gap + 0.3)
        for smooth, words in WAYS.items():
            R = broad.follow(words, used=used)
            R[~near] = np.nan
            found[gap, smooth] = broad.trial.errors(R)["inclination"]
    return found


def cost(program, body, seconds, what, repeats):
    """One run, with the least times of some."""
    runs = [ask(program, CHAINS, body, 1, seconds, "suit", what) for _ in range(repeats)]
    return runs[0] | {key: min(run[key] for run in runs) for key in ("filter_ms", "smoother_ms")}


def measure(quick, folder):
    program, seeds, seconds, walk = probe("smoother"), 4 if quick else SEEDS, 10.0 if quick else SECONDS, 3.0 if quick else WALK
    data = {"broad": {}, "gaps": {}, "arm": {}, "costs": {}}
    if data_folder("inertial/broad") is not None:
        broad = Broad(pathlib.Path(folder))
        data["broad"], data["gaps"] = follow_broad(broad), follow_gaps(broad)
    for setting in ("exact", "suit"):
        data["arm"][setting] = [ask(program, CHAINS, "arm", seed, seconds, setting, "smooth") for seed in range(1, seeds + 1)]
    for body, length in (("arm", seconds), ("human48", walk)):
        data["costs"][body] = {what: cost(program, body, length, what, 1 if quick else REPEATS) for what in ("smooth", "deviations")}
    return data


def means(runs, what):
    return [np.array([run[f"{what}_{which}_deg"] for run in runs]) for which in ("filtered", "smoothed")]


def check(data, checks):
    for setting, bound in (("exact", 0.7), ("suit", 0.9)):
        filtered, smoothed = means(data["arm"][setting], "joints")
        checks.below(smoothed.mean() / filtered.mean(), bound, f"arm, {setting}: joints smoothed, part of filtered, mean")
        kept = sum(run["kept"] for run in data["arm"][setting])
        checks.below(kept, 0, f"arm, {setting}: samples without a gain")
    if data["broad"]:
        for world in ("field", "no field"):
            (at, later), (at_smoothed, later_smoothed) = (data["broad"][world, smooth] for smooth in (False, True))
            for name, a, b in (("at the samples' stamps", at, at_smoothed), ("lag taken out", later, later_smoothed)):
                checks.below(b["inclination"] / a["inclination"], 0.85, f"trial 21, {world}: inclination smoothed, part of filtered, {name}")
    if data["gaps"]:
        gap = 0.1
        checks.below(data["gaps"][gap, True] / data["gaps"][gap, False], 0.7, f"trial 21, gaps of {gap} s: inclination near them, part of filtered")


def covariances(run):
    """What the tracker keeps at once, N/L + L of them, and what every sample's would be [MB]."""
    stretch = int(np.ceil(np.sqrt(run["samples"])))
    kept = np.ceil(run["samples"] / stretch) + stretch
    return [f"{n * run['columns'] ** 2 * 8 / 1e6:.0f}" for n in (kept, run["samples"])]


def publish(data, checks):
    blocks = []
    if data["broad"]:
        rows = []
        for (world, smooth), (at, later) in data["broad"].items():
            cells = (f"{at[k]:.2f}, **{later[k]:.2f}**" for k in ("total", "heading", "inclination"))
            rows.append([world, "smoothed" if smooth else "filtered", *cells])
        blocks.append(table(["trial 21", "", "total [deg]", "heading [deg]", "inclination [deg]"], rows))
    if data["gaps"]:
        rows = [[f"{gap:g} s", f"{data['gaps'][gap, False]:.2f}", f"{data['gaps'][gap, True]:.2f}"] for gap in GAPS]
        header = ["trial 21, nothing measured for", "inclination near the gaps, filtered [deg]", "smoothed [deg]"]
        blocks.append(f"Gaps in the data of trial 21: {PAGE.write_cells('c5_gaps.csv', header, rows)}.")
    rows = []
    for setting, words in (("exact", "nothing is turned"), ("suit", "turns are estimated")):
        for what in ("joints", "links"):
            filtered, smoothed = means(data["arm"][setting], what)
            worse = int((smoothed > filtered).sum())
            rows.append([
                f"{words}: {what}", f"{filtered.mean():.3f}, {filtered.max():.3f}", f"{smoothed.mean():.3f}, {smoothed.max():.3f}",
                f"{smoothed.mean() / filtered.mean():.2f}", f"{worse} of {len(filtered)}",
            ])  # fmt: skip
    header = ["right arm", "filtered: mean, worst seed [deg]", "smoothed", "ratio of means", "seeds in which it is worse"]
    blocks.append(PAGE.excerpt("c5_arm.csv", header, rows, range(4), lambda row: "joints" in row[0]))
    rows = []
    for body, costs in data["costs"].items():
        for what, words in (("smooth", "`--smooth`"), ("deviations", "`--smooth --cov`")):
            run = costs[what]
            rows.append([
                f"{'right arm, 5 sensors' if body == 'arm' else 'human48, 17 sensors'}, {words}", run["columns"], run["samples"], f"{run['filter_ms']:.2f}",
                f"{run['smoother_ms']:.2f}", f"{run['smoother_ms'] / run['filter_ms']:.1f}", *covariances(run), f"{run['memory_mb']:.0f}",
            ])  # fmt: skip
    header = ["", "size of the state", "samples", "filter [ms a sample]", "filtered and smoothed [ms a sample]", "times the filter", "covariances kept [MB]", "all of them would be [MB]", "process at its peak [MB]"]
    blocks.append(PAGE.excerpt("c5_costs.csv", header, rows, (0, 3, 4, 5, 6)))
    blocks.append(checks.brief(PAGE, "c5_checks.csv"))
    PAGE.write_block("C-5 smoother", "\n\n".join(blocks))


if __name__ == "__main__":
    main("C-5", measure, check, publish)
