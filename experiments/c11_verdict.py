"""C-11: the verdict of `panto track` on sensors that are mounted, named, sized or started wrongly.

Real: OpenSense's walk (eight trackers, orientations) and NeuRA's (seven raw sensors, twenty-five seconds), calibrated by the command.
Variants: one to three mounts turned by 15 to 180 degrees, two sensors exchanged, a wrong height, a wrong start; and others that are
right: other spans of time, more noise, mounts that are off by less than 5 degrees. A joint's error is the median over the frames after
two seconds of the angle between its rotation and that of the run with the right mounts; how right that one is: `./dev bench-imu`. A
wrong run counts as seen where the verdict is not good.
"""

import json
import pathlib
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from common import Missed, Page, command, data_folder, main, table

PAGE = Page("inertial.md")
AT_ONCE = 2  # commands
RATE = 100.0  # [Hz] of both recordings
SETTLED = 200  # frames
WRONG, RIGHT = 20.0, 10.0  # [deg] of the worst joint
SPOILT, FINE = 100, 30  # variants of each recording
JOINTS = [("Pelvis", "T8"), ("Pelvis", "RightUpperLeg"), ("Pelvis", "LeftUpperLeg"), ("RightUpperLeg", "RightLowerLeg"),
          ("LeftUpperLeg", "LeftLowerLeg"), ("RightLowerLeg", "RightFoot"), ("LeftLowerLeg", "LeftFoot")]  # fmt: skip
WALKS = {
    "opensense": {
        "folder": "inertial/opensense/example_lowerbody",
        "links": {"00B42268": "T8", "00B42279": "Pelvis", "00B4227D": "RightLowerLeg", "00B4227C": "RightUpperLeg",
                  "00B421ED": "LeftLowerLeg", "00B421EE": "LeftUpperLeg", "00B421EF": "RightFoot", "00B421E6": "LeftFoot"},
        "axes": {"Pelvis": '["z", "-y", "x"]'},
        "calibrate": ("--pose", "npose", "--trusted", "00B42279"),
        "tail": "",
        "begins": (0, 250), "ends": (1500, 2430),
    },
    "neura": {
        "folder": "inertial/neura",
        "links": {"00B40B91": "Pelvis", "00B40C45": "LeftUpperLeg", "00B40C3C": "RightUpperLeg", "00B40BA5": "LeftLowerLeg",
                  "00B40C35": "RightLowerLeg", "00B40C55": "LeftFoot", "00B40C48": "RightFoot"},
        "axes": {"Pelvis": '["z", "y", "-x"]', "UpperLeg": '["z", "-y", "x"]', "LowerLeg": '["z", "-y", "x"]', "Foot": '["-x", "-y", "z"]'},
        "calibrate": ("--pose", "npose", "--walk", "11..21.5"),
        "tail": 'contacts = "soles"\n',
        "begins": (500, 950), "ends": (1900, 2500),
    },
}  # fmt: skip


def product(p, q):
    """Of quaternions, w first."""
    pw, px, py, pz = np.moveaxis(np.asarray(p), -1, 0)
    qw, qx, qy, qz = np.moveaxis(np.asarray(q), -1, 0)
    return np.stack([pw * qw - px * qx - py * qy - pz * qz, pw * qx + px * qw + py * qz - pz * qy,
                     pw * qy - px * qz + py * qw + pz * qx, pw * qz + px * qy - py * qx + pz * qw], -1)  # fmt: skip


def inverse(q):
    return np.asarray(q) * [1.0, -1.0, -1.0, -1.0]


def forward(q):
    """The heading of x [rad]."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    return np.arctan2(2 * (x * y + w * z), 1 - 2 * (y * y + z * z))


def turn(axis, radians):
    axis = np.asarray(axis, float) / np.linalg.norm(axis)
    return np.concatenate([[np.cos(radians / 2)], np.sin(radians / 2) * axis])


def exports(folder):
    """Columns of Xsens' exports by sensor, as long as the shortest."""
    tables = {}
    for path in sorted(pathlib.Path(folder).glob("*.txt")):
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        head = next(k for k, line in enumerate(lines) if line.startswith("PacketCounter"))
        names = re.split("[\t,]", lines[head].strip())
        rows = [re.split("[\t,]", line)[: len(names)] for line in lines[head + 1 :] if line.strip()]
        values = np.array([[float(cell) if cell.strip() else np.nan for cell in row] for row in rows])
        tables[path.stem.rsplit("_", 1)[1]] = dict(zip(names, values.T))
    length = min(len(table["Acc_X"]) for table in tables.values())
    return {sensor: {name: column[:length] for name, column in table.items()} for sensor, table in tables.items()}


def vectors(table, *names):
    return np.stack([table[name] for name in names], -1)


def quaternions(table):
    """Of the exports' matrices, column by column; w first."""
    R = np.stack([vectors(table, *(f"Mat[{row}][{column}]" for row in (1, 2, 3))) for column in (1, 2, 3)], -1)
    K = np.empty((len(R), 4, 4))  # Bar-Itzhack: the quaternion is the eigenvector of the largest eigenvalue
    trace = np.trace(R, axis1=1, axis2=2)
    for a in range(3):
        for b in range(3):
            K[:, a + 1, b + 1] = R[:, a, b] + R[:, b, a] - (trace if a == b else 0)
    for a, (b, c) in enumerate(((1, 2), (2, 0), (0, 1))):
        K[:, 0, a + 1] = K[:, a + 1, 0] = R[:, c, b] - R[:, b, c]
    K[:, 0, 0] = trace
    return np.linalg.eigh(K)[1][:, :, -1]


class Walk:
    """A recording, its right mounts, and its true joints."""

    def __init__(self, name, folder):
        self.name, self.about, self.work = name, WALKS[name], folder
        source = data_folder(self.about["folder"])
        if source is None:
            raise Missed(f"{self.about['folder']} is not there")
        tables = exports(source)
        self.names = list(tables)
        self.arrays = {"acc": np.stack([vectors(t, "Acc_X", "Acc_Y", "Acc_Z") for t in tables.values()], 1)}
        if all("Gyr_X" in columns for columns in tables.values()):
            self.arrays["gyro"] = np.stack([vectors(t, "Gyr_X", "Gyr_Y", "Gyr_Z") for t in tables.values()], 1)
        else:
            self.arrays["orientation_wxyz"] = np.stack([quaternions(t) for t in tables.values()], 1)
        self.nominal(folder / f"{name}_nominal.toml")
        words = ["calibrate", source, "--model", "human66", "--sensors", f"{name}_nominal.toml", *self.about["calibrate"], "-o", f"{name}.toml"]
        run(words, folder, (0, 1))
        self.text = (folder / f"{name}.toml").read_text(encoding="utf-8")
        rows = re.findall(r'name = "(\w+)", link = "\w+".*?wxyz = \[(.*?)\]', self.text)
        self.mounts = {sensor: np.array([float(x) for x in cells.split(",")]) for sensor, cells in rows}
        self.joints, self.said = {}, ""
        first = self.judged({})
        self.joints, self.said = first["shown"], first["text"]

    def nominal(self, path):
        lines = []
        for sensor, link in self.about["links"].items():
            axes = self.about["axes"].get(link.replace("Right", "").replace("Left", ""))
            lines.append(f'  {{ name = "{sensor}", link = "{link}"' + (f", axes = {axes}" if axes else "") + " },")
        path.write_text("\n".join(['kind = "sensors"', "version = 1", "sensors = [", *lines, "]", self.about["tail"]]), encoding="utf-8")

    def joints_of(self, segments, begin):
        """Rotations of joints, by the frame of the recording; not a number before `begin`."""
        links = set(self.about["links"].values())
        joints = {pair: product(inverse(segments[pair[0]]), segments[pair[1]]) for pair in JOINTS if set(pair) <= links}
        return {"/".join(pair): np.concatenate([np.full((begin, 4), np.nan), q]) for pair, q in joints.items()}

    def judged(self, variant):
        """The grade, the sentence, and the worst joint's error [deg] and name."""
        with tempfile.TemporaryDirectory(dir=self.work) as own:
            own = pathlib.Path(own)
            begin, end = variant.get("frames", (0, len(self.arrays["acc"])))
            arrays = {name: values[begin:end].copy() for name, values in self.arrays.items()}
            if variant.get("noise"):
                random = np.random.default_rng(variant["noise"])
                arrays["acc"] += random.normal(0.0, 0.1, arrays["acc"].shape)
                if "gyro" in arrays:
                    arrays["gyro"] += random.normal(0.0, 0.005, arrays["gyro"].shape)
            np.savez(own / "walk.npz", **arrays, sensor_names=np.array(self.names), rate_hz=np.array(RATE))
            (own / "suit.toml").write_text(variant.get("text", self.text), encoding="utf-8")
            height = ("--height", variant["height"]) if "height" in variant else ()
            words = ["track", "walk.npz", "--model", "human66", "--sensors", "suit.toml", *height, "-o", "walk.mvnx", "--json"]
            said = json.loads(run(words, own))
            shown = self.shown(own / "walk.mvnx", begin)
            return {**said["verdict"], **self.errors(shown, begin), "shown": shown}

    def shown(self, path, begin):
        """What a run shows of the joints."""
        text = path.read_text(encoding="utf-8")
        labels = re.findall(r'<segment [^>]*label="(\w+)"', text)
        frames = [frame for frame in text.split("<frame ")[1:] if 'type="normal"' in frame[:200]]
        cells = np.array([frame.split("<orientation>", 1)[1].split("</orientation>", 1)[0].split() for frame in frames], float)
        cells = cells.reshape(len(frames), len(labels), 4)
        return self.joints_of({label: cells[:, k] for k, label in enumerate(labels)}, begin)

    def errors(self, shown, begin):
        worst, joint = 0.0, ""
        for name, truth in self.joints.items():
            frames = slice(begin + SETTLED, min(len(truth), len(shown[name])))
            cosine = np.abs(np.sum(shown[name][frames] * truth[frames], -1))
            angle = float(np.degrees(np.nanmedian(2 * np.arccos(np.clip(cosine, 0, 1)))))
            if angle > worst:
                worst, joint = angle, name
        return {"off_deg": worst, "joint": joint}

    def with_mount(self, text, sensor, wxyz):
        cells = ", ".join(f"{x:.9f}" for x in wxyz)
        return re.sub(rf'(name = "{sensor}", link = "\w+".*?wxyz = \[)[^\]]*', lambda found: found[1] + cells, text)

    def turned(self, text, random, low, high):
        sensor = self.names[random.integers(len(self.names))]
        angle = random.uniform(low, high)
        return self.with_mount(text, sensor, product(self.mounts[sensor], turn(random.normal(size=3), np.radians(angle)))), f"{self.about['links'][sensor]} by {angle:.0f} deg"

    def spoil(self, seed):
        """A variant that may be wrong."""
        random = np.random.default_rng([seed, len(self.name)])
        kind = random.choice(["turned", "several turned", "exchanged", "height", "start"], p=[0.5, 0.2, 0.15, 0.05, 0.1])
        text, what = self.text, []
        if kind in ("turned", "several turned"):
            for _ in range(1 if kind == "turned" else random.integers(2, 4)):
                text, said = self.turned(text, random, 15.0, 180.0)
                what.append(said)
        elif kind == "exchanged":
            one, other = random.choice(self.names, 2, replace=False)
            text = text.replace(f'"{one}"', '"?"').replace(f'"{other}"', f'"{one}"').replace('"?"', f'"{other}"')
            what = [self.about["links"][one], self.about["links"][other]]
        elif kind == "height":
            height = random.choice([random.uniform(1.2, 1.5), random.uniform(2.0, 2.3)])
            return {"kind": str(kind), "what": f"{height:.2f} m", "height": f"{height:.2f}"}
        else:
            joints = random.choice(["jRightHip_rotx", "jLeftHip_rotz", "jRightKnee_roty", "jLeftHip_roty", "base"])
            text, what = self.with_start(text, joints, random.choice([-1, 1]) * random.uniform(15.0, 90.0))
        return {"kind": str(kind), "what": what if isinstance(what, str) else ", ".join(what), "text": text}

    def with_start(self, text, joint, degrees):
        head, _, tail = text.partition("[start]\n")
        if joint == "base":
            q = turn([0.3, 0.3, 1.0], np.radians(degrees))
            line = "base_wxyz = [" + ", ".join(f"{x:.9f}" for x in q) + "]"
        else:
            line = f"joints_deg = {{ {joint} = {degrees:.1f} }}"
        return f"{head}[start]\n{line}\n{tail}", f"{joint} {degrees:.0f} deg"

    def keep(self, seed):
        """A variant that is right."""
        random = np.random.default_rng([seed, len(self.name), 1])
        kind = ("span", "noise", "mounts")[seed % 3]
        variant = {"kind": kind, "what": ""}
        if kind in ("span", "noise"):
            variant["frames"] = (int(random.integers(*self.about["begins"])), int(random.integers(*self.about["ends"])))
            variant["what"] = "{} to {}".format(*variant["frames"])
        if kind == "noise":
            variant["noise"] = seed + 1
        if kind == "mounts":
            variant["text"], variant["what"] = self.turned(self.text, random, 1.0, 5.0)
        return variant


def run(words, folder, fine=(0,)):
    result = subprocess.run([str(command()), *map(str, words)], cwd=folder, capture_output=True, text=True)
    if result.returncode not in fine:
        raise Missed(f"`panto {' '.join(map(str, words))}` ended with {result.returncode}: {result.stderr.strip()}")
    return result.stdout


def measure(quick, folder):
    runs = []
    for name in WALKS:
        walk = Walk(name, pathlib.Path(folder))
        variants = [walk.spoil(seed) for seed in range(6 if quick else SPOILT)] + [walk.keep(seed) for seed in range(3 if quick else FINE)]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for variant, judged in zip(variants, pool.map(walk.judged, variants)):
                runs.append({"walk": name, "kind": variant["kind"], "what": variant["what"], "off": judged["off_deg"], "joint": judged["joint"],
                             "grade": judged["grade"], "said": judged["text"]})  # fmt: skip
        runs.append({"walk": name, "kind": "as it is", "what": "", "off": 0.0, "joint": "", "grade": "", "said": walk.said})
    return runs


def counts(runs):
    """(wrong, of these seen; right, of these doubted), without the calibrated run itself."""
    wrong = [run["grade"] != "good" for run in runs if run["grade"] and run["off"] > WRONG]
    right = [run["grade"] != "good" for run in runs if run["grade"] and run["off"] < RIGHT]
    return len(wrong), sum(wrong), len(right), sum(right)


def check(runs, checks):
    wrong, seen, right, doubted = counts(runs)
    checks.above(seen / max(wrong, 1), 0.95, f"of {wrong} runs with a joint over {WRONG:.0f} deg off, doubted or not usable")
    checks.below(doubted / max(right, 1), 0.05, f"of {right} runs with every joint within {RIGHT:.0f} deg, doubted or not usable")


def publish(runs, checks):
    header = list(runs[0])
    PAGE.write_table("c11_verdicts.csv", header, [[run[key] for key in header] for run in runs])
    rows = []
    for name in WALKS:
        wrong, seen, right, doubted = counts([run for run in runs if run["walk"] == name])
        said = next(run["said"] for run in runs if run["walk"] == name and not run["grade"])
        rows.append([name, f"{seen} of {wrong}", f"{doubted} of {right}", said])
    text = table(["", "wrong, and doubted", "right, and doubted", "calibrated run"], rows)
    PAGE.write_block("C-11 verdicts", f"{text}\n\n{checks.brief(PAGE, 'c11_checks.csv')} [Every run](inertial/c11_verdicts.csv).")


if __name__ == "__main__":
    main("C-11", measure, check, publish)
