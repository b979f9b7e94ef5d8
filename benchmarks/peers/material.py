"""What `peers_benchmark export` wrote of a scene, for the peers in Python."""
import json
import pathlib
import xml.etree.ElementTree

import numpy


class Scene:
    def __init__(self, folder, name):
        stem = pathlib.Path(folder) / name
        self.name = name
        self.urdf = stem.with_suffix(".urdf")
        about = json.loads(stem.with_suffix(".json").read_text())
        self.joints = about["joints"]
        self.rows = about["rows"]
        self.steps = about["steps"]
        self.dt = 1.0 / about["rate_hz"]
        self.gain = about["gain"]
        self.tanh_gain = about["tanh_gain"]
        targets = numpy.fromfile(stem.with_suffix(".targets")).reshape(self.steps, len(self.rows), 18)
        self.R = targets[:, :, :9].reshape(self.steps, len(self.rows), 3, 3)
        self.p, self.w, self.v = targets[:, :, 9:12], targets[:, :, 12:15], targets[:, :, 15:18]
        n = len(self.joints)
        states = numpy.fromfile(stem.with_suffix(".states")).reshape(self.steps, 12 + n)
        self.base_p, self.base_R, self.s = states[:, :3], states[:, 3:12].reshape(-1, 3, 3), states[:, 12:]
        self.speed, self.lower, self.upper = numpy.fromfile(stem.with_suffix(".bounds")).reshape(3, n)

    def settled(self, step):
        return step * self.dt >= 2.0


class Link:
    """One moving joint of the URDF and the link it carries."""

    def __init__(self, element):
        origin = element.find("origin")
        self.name = element.get("name")
        self.parent, self.child = element.find("parent").get("link"), element.find("child").get("link")
        self.p = numpy.array([float(x) for x in origin.get("xyz").split()]) if origin is not None else numpy.zeros(3)
        rpy = [float(x) for x in (origin.get("rpy") or "0 0 0").split()] if origin is not None else [0.0] * 3
        self.R = numpy.linalg.multi_dot([turn(2, rpy[2]), turn(1, rpy[1]), turn(0, rpy[0])])
        self.axis = [float(x) for x in element.find("axis").get("xyz").split()].index(1.0)


def turn(axis, angle):
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = numpy.eye(3)
    R[i, i] = R[j, j] = numpy.cos(angle)
    R[j, i], R[i, j] = numpy.sin(angle), -numpy.sin(angle)
    return R


def links(urdf):
    """Joints of the file, parents first."""
    found = [Link(e) for e in xml.etree.ElementTree.parse(urdf).getroot().findall("joint")]
    children = {link.child for link in found}
    known, ordered = {link.parent for link in found if link.parent not in children}, []
    while len(ordered) < len(found):
        for link in found:
            if link.parent in known and link.child not in known:
                known.add(link.child)
                ordered.append(link)
    return ordered


def angle(R_target, R):
    """Between rotations, by stacks [rad]."""
    chordal = numpy.linalg.norm(R_target - R, axis=(-2, -1)) / numpy.sqrt(8.0)
    return 2.0 * numpy.arcsin(numpy.clip(chordal, 0.0, 1.0))


def percentiles(values):
    """p50 and p99, nearest rank."""
    values = numpy.sort(values)
    return [float(values[max(0, int(numpy.ceil(share * len(values))) - 1)]) for share in (0.5, 0.99)]
