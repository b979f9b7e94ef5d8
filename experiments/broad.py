"""Trials of BROAD [Laidig et al. 2021]: one IMU, carried by hand, and its orientation by optical capture."""

import pathlib
import struct
import zlib

import numpy as np
from common import Missed, data_folder

TYPES = {1: "i1", 2: "u1", 3: "<i2", 4: "<u2", 5: "<i4", 6: "<u4", 7: "<f4", 9: "<f8", 12: "<i8", 13: "<u8"}
MATRIX, COMPRESSED = 14, 15
FILES = {
    6: ("06_undisturbed_fast_rotation_A.mat", "fast turns"),
    21: ("21_fast_combined_first60s.csv", "fast turns and shifts, first 60 s"),
    27: ("27_disturbed_phone_vibration_B.mat", "on a phone that vibrates"),
    30: ("30_disturbed_stationary_magnet_C.mat", "past a magnet that stands in the room"),
    32: ("32_disturbed_attached_magnet_1cm.mat", "a magnet at 1 cm of the sensor, later taken off"),
}
# for `./dev bench-imu`
MORE = {
    6: ("06_undisturbed_fast_rotation_A.mat", "fast turns"),
    27: ("27_disturbed_phone_vibration_B.mat", "shifts, with a vibrating telephone"),
}


class Trial:
    """N samples at `rate` [Hz]: gyro [rad/s], acc [m/s^2], mag [uT]; truth R (N x 3 x 3), NaN where not seen."""

    def __init__(self, number):
        folder = data_folder("inertial/broad")
        if folder is None:
            raise Missed("BROAD is not there")
        name, self.what = (FILES | MORE)[number]
        self.number = number
        if name.endswith(".csv"):
            table = np.loadtxt(folder / name, delimiter=",", skiprows=1)
            self.rate = 1.0 / np.median(np.diff(table[:, 0]))
            self.gyro, self.acc, self.mag, quaternions, _, moving = np.split(table[:, 1:], [3, 6, 9, 13, 16], axis=1)
        else:
            file = read_mat(folder / name)
            self.rate = float(file["sampling_rate"].item())
            self.gyro, self.acc, self.mag = file["imu_gyr"], file["imu_acc"], file["imu_mag"]
            quaternions, moving = file["opt_quat"], file["movement"]
        self.moving = moving.ravel() > 0
        self.truth = rotations(quaternions)

    @property
    def samples(self):
        return len(self.gyro)

    def errors(self, R):
        """Root mean squares while moving [deg]: whole angle, heading, inclination. ENU truth against R, both R_GI."""
        seen = self.moving & np.isfinite(self.truth[:, 0, 0]) & np.isfinite(R[:, 0, 0])
        D = R[seen] @ np.swapaxes(self.truth[seen], 1, 2)
        whole = np.arccos(np.clip((np.trace(D, axis1=1, axis2=2) - 1.0) / 2.0, -1.0, 1.0))
        inclination = np.arccos(np.clip(D[:, 2, 2], -1.0, 1.0))
        # the turn about the vertical that is left when the shortest tilt is taken out
        heading = np.arctan2(D[:, 1, 0] - D[:, 0, 1], D[:, 0, 0] + D[:, 1, 1])
        return {
            name: float(np.degrees(np.sqrt(np.mean(np.square(e)))))
            for name, e in (("total", whole), ("heading", heading), ("inclination", inclination))
        }

    def lag(self):
        """How long the gyroscope is behind the capture [s]: where its rates fit those of the capture best."""
        reach = 2  # rates of the capture over so many samples to either side; the gyroscope averaged likewise
        turned = np.swapaxes(self.truth[: -2 * reach], 1, 2) @ self.truth[2 * reach :]
        sine = np.stack([turned[:, 2, 1] - turned[:, 1, 2], turned[:, 0, 2] - turned[:, 2, 0], turned[:, 1, 0] - turned[:, 0, 1]], 1) / 2.0
        length = np.linalg.norm(sine, axis=1, keepdims=True)
        truth = sine * np.where(length > 1e-9, np.arcsin(np.clip(length, 0, 1)) / np.maximum(length, 1e-9), 1.0) * self.rate / (2 * reach)
        weights = np.array([0.5] + [1.0] * (2 * reach - 1) + [0.5]) / (2 * reach)
        rest = self.gyro[: int(20 * self.rate)].mean(axis=0)
        gyro = np.stack([np.convolve(self.gyro[:, i] - rest[i], weights, "valid") for i in range(3)], 1)
        time = np.arange(len(gyro)) / self.rate
        used = self.moving[reach:-reach] & np.isfinite(truth[:, 0])
        lags = np.arange(-2e-3, 12e-3, 1e-4)
        misfit = []
        for lag in lags:
            difference = (truth - np.stack([np.interp(time + lag, time, gyro[:, i]) for i in range(3)], 1))[used]
            misfit.append(np.median(np.abs(difference)))  # the capture jumps now and then
        return float(lags[int(np.argmin(misfit))])


def rotations(quaternions):
    """From (w, x, y, z)."""
    w, x, y, z = quaternions.T
    return np.stack([
        np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)], -1),
        np.stack([2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)], -1),
        np.stack([2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], -1),
    ], -2)  # fmt: skip


def read_mat(path):
    """Numeric matrices of a MATLAB 5 file by name."""
    data, found = pathlib.Path(path).read_bytes()[128:], {}
    for kind, element in elements(data):
        if kind == COMPRESSED:
            ((kind, element),) = elements(zlib.decompress(element))
        if kind != MATRIX:
            continue
        _, (_, shape), (_, name), *content = elements(element)
        if content and content[0][0] in TYPES:
            numbers = np.frombuffer(content[0][1], TYPES[content[0][0]]).astype(float)
            found[name.decode()] = numbers.reshape(np.frombuffer(shape, "<i4"), order="F")
    return found


def elements(data):
    """(kind, bytes) of every element; small ones keep both in the tag's eight bytes."""
    position, result = 0, []
    while position + 8 <= len(data):
        kind, size = struct.unpack_from("<II", data, position)
        if kind >> 16:
            kind, size, start, end = kind & 0xFFFF, kind >> 16, position + 4, position + 8
        else:
            start = position + 8
            end = start + (size if kind == COMPRESSED else -(-size // 8) * 8)
        result.append((kind, data[start : start + size]))
        position = end
    return result
