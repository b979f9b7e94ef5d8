"""NeuRA: legs of a person who stands and walks, seven raw sensors, beside optical capture (joint centres)."""

import pathlib
import re
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "experiments"))
from c11_verdict import WALKS, exports, forward, inverse, product, turn, vectors

RATE, WALKING = 100.0, slice(1120, 2080)
STILL_BEFORE, STILL_AFTER, STANDS = slice(900, 1050), slice(2300, 2450), slice(600, 1050)
SEGMENTS = [side + part for side in ("Left", "Right") for part in ("UpperLeg", "LowerLeg", "Foot")]
LAGS = range(-2, 6)  # frames by which an estimate may be late


def unit(v):
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def dot(a, b):
    return np.sum(a * b, -1)


def axis(q, v):
    v = np.broadcast_to(np.concatenate([[0.0], v]), np.shape(q))
    return product(product(q, v), inverse(q))[..., 1:]


def leg_angles(front, left, up, thigh, shank, foot, outward):
    """Of one side, from directions: hip flexion and abduction in the pelvis, knee flexion about its left, ankle [deg]."""
    hinge = unit(left - dot(left, thigh)[:, None] * thigh)
    return [
        np.degrees(np.arctan2(dot(thigh, front), -dot(thigh, up))),
        outward * np.degrees(np.arcsin(np.clip(dot(thigh, left), -1, 1))),
        np.degrees(np.arctan2(dot(np.cross(thigh, shank), hinge), dot(thigh, shank))),
        np.degrees(np.arccos(np.clip(dot(shank, foot), -1, 1))) - 90.0,
    ]


def captured(folder):
    """The eight angles by joint centres and the pelvis' markers. (8 x frames)"""
    V = np.load(folder / "vicon.npz")
    front, left = unit(V["LASI"] + V["RASI"] - V["LPSI"] - V["RPSI"]), unit(V["LASI"] - V["RASI"])
    up = unit(np.cross(front, left))
    front = np.cross(left, up)
    angles = []
    for side, outward in (("L", 1.0), ("R", -1.0)):
        hip, knee, ankle, toe, heel = (V[side + name] for name in ("HJC", "KJC", "AJC", "TOE", "HEE"))
        angles += leg_angles(front, left, up, unit(knee - hip), unit(ankle - knee), unit(toe - heel), outward)
    return np.array(angles)


def shown(segments):
    """The same of orientations by segment."""
    pelvis = [axis(segments["Pelvis"], e) for e in np.eye(3)]
    angles = []
    for side, outward in (("Left", 1.0), ("Right", -1.0)):
        directions = [axis(segments[side + part], v) for part, v in (("UpperLeg", [0, 0, -1.0]), ("LowerLeg", [0, 0, -1.0]), ("Foot", [1.0, 0, 0]))]
        angles += leg_angles(*pelvis, *directions, outward)
    return np.array(angles)


def figures(segments, truth):
    found, frames = shown(segments), np.arange(WALKING.start, WALKING.stop)
    misfit = {lag: found[:, frames + lag] - truth[:, frames] for lag in LAGS}
    best = misfit[min(misfit, key=lambda lag: misfit[lag].std(axis=1).sum())]
    turned = {}
    for name in SEGMENTS:
        heading = np.unwrap(forward(segments[name])) - np.unwrap(forward(segments["Pelvis"]))
        drift = np.degrees(heading[STILL_AFTER].mean() - heading[STILL_BEFORE].mean())
        turned[name] = abs((drift + 180.0) % 360.0 - 180.0)
    return {"raw": float(np.sqrt((best**2).mean(axis=1)).mean()), "offset removed": float(best.std(axis=1).mean()), "axial drift": max(turned.values())}


def orientations(path):
    """Of the segments of an MVNX file."""
    text = pathlib.Path(path).read_text(encoding="utf-8")
    labels = re.findall(r'<segment [^>]*label="(\w+)"', text)
    frames = [frame for frame in text.split("<frame ")[1:] if 'type="normal"' in frame[:200]]
    cells = np.array([frame.split("<orientation>", 1)[1].split("</orientation>", 1)[0].split() for frame in frames], float)
    return {label: cells.reshape(len(frames), -1, 4)[:, k] for k, label in enumerate(labels)}


class Neura:
    def __init__(self, source, folder, run):
        self.source, self.folder, self.run = source, folder, run
        self.truth = captured(source)
        about = WALKS["neura"]
        names = {sensor: link for sensor, link in about["links"].items()}
        text = (source / "nominal.toml").read_text(encoding="utf-8")
        for sensor, link in names.items():  # its names are the subject's; ours are the sensors'
            text = re.sub(rf'name = "\w+", link = "{link}"', f'name = "{sensor}", link = "{link}"', text)
        (folder / "nominal.toml").write_text(text, encoding="utf-8")
        run("calibrate", source, "--model", "human66", "--sensors", "nominal.toml", *about["calibrate"], "-o", "subject.toml", fine=(0, 1))
        self.text = (folder / "subject.toml").read_text(encoding="utf-8")
        self.mounts = {sensor: np.array([float(x) for x in cells.split(",")]) for sensor, cells in re.findall(r'name = "(\w+)", link = "\w+".*?wxyz = \[(.*?)\]', self.text)}
        self.links, self.tables = names, exports(source)

    def panto(self, model, options, text=None):
        (self.folder / "used.toml").write_text(text or self.text, encoding="utf-8")
        seconds = self.run("track", self.source, "--model", model, "--sensors", "used.toml", *options, "-o", "legs.mvnx")
        segments = orientations(self.folder / "legs.mvnx")
        return figures(segments, self.truth), 1e6 * seconds / len(segments["Pelvis"])

    def peer(self, estimate, clock):
        segments, seconds = {}, 0.0
        for sensor, table in self.tables.items():
            signals = [vectors(table, *(f"{what}_{axis}" for axis in "XYZ")) for what in ("Gyr", "Acc", "Mag")]
            begin = clock()
            q = estimate(*signals, RATE)
            seconds += clock() - begin
            q = product(q, inverse(self.mounts[sensor]))
            heading = forward(q[STANDS])  # all faced forward while the person stood
            segments[self.links[sensor]] = product(turn([0, 0, -1], np.arctan2(np.sin(heading).mean(), np.cos(heading).mean())), q)
        return figures(segments, self.truth), 1e6 * seconds / len(segments["Pelvis"])
