"""RepoIMU, test 02a: a pendulum of three rods from a fixed point, a sensor on each, beside optical capture.

The sensors' x points up a rod at rest, the hinges turn about their z. Rods' lengths are not published: with LENGTHS the
accelerometers agree best with the hinges (not with the capture). The capture begins at the identity, in axes of its own: turns since the
first second are compared, after one constant turn between the two sets of axes, fitted per segment to all turns.
"""

import numpy as np
from c11_verdict import inverse, product
from c5_smoother import dh, quaternion
from common import read_table

LENGTHS = (0.36, 0.3, 0.15)  # [m]
SEEN = np.cos(np.radians(30.0))  # in wide swings the capture takes the third rod's markers for one another
FIRST = 90  # samples: a second


def vector(q):
    """Rotation vectors of quaternions."""
    q = q * np.where(q[..., :1] < 0, -1.0, 1.0)
    size = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    return np.where(size > 1e-12, 2 * np.arctan2(size, q[..., :1]) / np.maximum(size, 1e-12), 2.0) * q[..., 1:]


def error(found, truth):
    """Root mean square of the angle between turns since the beginning [deg]."""
    level = product(product(truth, [0.0, 0.0, 0.0, 1.0]), inverse(truth))[:, 3]  # of the hinges' axis
    seen = np.nan_to_num(level) > SEEN
    relative = [product(inverse(unit_mean(q[:FIRST])), q[seen]) for q in (found, truth)]
    a, b = (vector(q) for q in relative)
    U, _, V = np.linalg.svd(a.T @ b)
    C = quaternion(U @ np.diag([1, 1, np.linalg.det(U @ V)]) @ V)
    turned = product(product(C, relative[1]), inverse(C))
    return float(np.degrees(np.sqrt(np.mean(np.sum(vector(product(inverse(turned), relative[0])) ** 2, -1)))))


def unit_mean(q):
    q = q * np.where(q @ q[0] < 0, -1.0, 1.0)[:, None]
    return q.mean(axis=0) / np.linalg.norm(q.mean(axis=0))


# axes of a rod's end: hinges x down, z about which it swings; balls y down, z the same
KINDS = {
    "hinge": {"links": [("rod", "a = {l}, alpha_deg = 0", 0, 0, 0)], "base": [[0, 0, 1], [0, 1, 0], [-1, 0, 0]],
              "axes": '["-x", "-y", "z"]', "place": (-0.5, 0, 0)},
    "ball": {"links": [("first", "theta_deg = 90, alpha_deg = 90", 90, 90, 0), ("second", "theta_deg = 90, alpha_deg = 90", 90, 90, 0),
                       ("rod", "theta_deg = 90, d = {l}, alpha_deg = 90", 90, 90, 0)], "base": [[0, 0, 1], [-1, 0, 0], [0, -1, 0]],
             "axes": '["-y", "x", "z"]', "place": (0, -0.5, 0)},
}  # fmt: skip


class Pendulum:
    def __init__(self, source, folder, run, lengths=LENGTHS):
        self.folder, self.run, self.lengths = folder, run, lengths
        tables = [np.genfromtxt(source / f"Pendulum_Test02a_Trial1_Segment_{k}.csv", delimiter=";", skip_header=2) for k in (1, 2, 3)]
        stamps = tables[0][:, 0]  # rounded to a millisecond, and now and then repeated: the rate is even
        self.t = np.arange(len(stamps)) * (stamps[-1] - stamps[0]) / (len(stamps) - 1)
        self.truth = [table[:, 1:5] / np.linalg.norm(table[:, 1:5], axis=1, keepdims=True) for table in tables]
        self.acc, self.gyro, self.mag = (np.stack([table[:, at : at + 3] for table in tables], 1) for at in (5, 8, 11))
        np.savez(folder / "pendulum.npz", gyro=self.gyro, acc=self.acc, sensor_names=np.array(["s1", "s2", "s3"]), times_s=self.t)

    def write(self, kind):
        about, links, parent = KINDS[kind], [], "frame"
        for k in (1, 2, 3):
            for name, dimensions, *_ in about["links"]:
                links.append(f'  {{ name = "{name}_{k}", parent = "{parent}", joint = "{name}_{k}_turn", {dimensions.format(l=self.lengths[k - 1])} }},')
                parent = f"{name}_{k}"
        head = 'kind = "dh chain"\nversion = 1\nname = "pendulum"\nconvention = "classical"\nbase = "fixed"\nroot = "frame"\n'
        (self.folder / "pendulum.toml").write_text(head + "links = [\n" + "\n".join(links) + "\n]\n")
        places = [[length * x for x in about["place"]] for length in self.lengths]
        mounts = "\n".join(f'  {{ name = "s{k}", link = "rod_{k}", axes = {about["axes"]}, position = {places[k - 1]} }},' for k in (1, 2, 3))
        base = quaternion(np.array(about["base"], float)).tolist()
        text = f'kind = "sensors"\nversion = 1\nsensors = [\n{mounts}\n]\n[start]\nbase_wxyz = {base}\n'
        (self.folder / "hung.toml").write_text(text)

    def panto(self, kind, options):
        self.write(kind)
        seconds = self.run("track", "pendulum.npz", "--model", "pendulum.toml", "--sensors", "hung.toml", *options, "-o", "hung.csv")
        q, R, errors = read_table(self.folder / "hung.csv"), np.eye(3), {}
        at = np.searchsorted(self.t, q["time_s"] - 1e-6)
        for k in (1, 2, 3):
            for name, _, theta, alpha, _ in KINDS[kind]["links"]:
                R = R @ dh(np.radians(theta) + q[f"{name}_{k}_turn_rad"], np.radians(alpha))
            errors[f"rod {k}"] = error(np.array([quaternion(one) for one in R]), self.truth[k - 1][at])
        return errors, 1e6 * seconds / len(self.t)

    def peer(self, estimate, clock):
        errors, rate, seconds = {}, 1.0 / np.median(np.diff(self.t)), 0.0
        for k in range(3):
            begin = clock()
            q = estimate(self.gyro[:, k], self.acc[:, k], self.mag[:, k], rate)
            seconds += clock() - begin
            errors[f"rod {k + 1}"] = error(q, self.truth[k])
        return errors, 1e6 * seconds / len(self.t)
