"""A kinematic tree from URDF text: poses and Jacobians by walking from link to root."""

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field

import numpy as np

from . import so3

NO_LIMIT = 1e300  # a URDF limit of this size or more means "none"


@dataclass
class Joint:
    """A joint with at most one degree of freedom; the child frame at zero is the joint frame."""

    name: str
    kind: str
    parent: str
    child: str
    R: np.ndarray  # joint frame in the parent link
    p: np.ndarray
    axis: np.ndarray
    lower: float = -np.inf
    upper: float = np.inf
    speed: float = np.inf

    @property
    def movable(self):
        return self.kind != "fixed"


@dataclass
class Pose:
    """Where every link is in the world, and every joint's axis and origin."""

    R: dict = field(default_factory=dict)
    p: dict = field(default_factory=dict)
    axis: dict = field(default_factory=dict)
    origin: dict = field(default_factory=dict)


def _numbers(text):
    return np.array([float(word) for word in text.split()])


def _limit(value, sign):
    return sign * np.inf if abs(value) >= NO_LIMIT else value


class Model:
    """Links, joints by name, and the order of the movable joints in `s`."""

    def __init__(self, urdf, order):
        root = ElementTree.fromstring(urdf)
        self.links = [link.get("name") for link in root.findall("link")]
        self.joints = {}
        for element in root.findall("joint"):
            joint = self._joint(element)
            self.joints[joint.name] = joint
        self.above = {joint.child: joint for joint in self.joints.values()}
        self.below = {link: [j for j in self.joints.values() if j.parent == link] for link in self.links}
        (self.root,) = (link for link in self.links if link not in self.above)
        self.order = list(order)
        self.dof = {name: i for i, name in enumerate(self.order)}
        assert set(self.order) == {joint.name for joint in self.joints.values() if joint.movable}
        self.lower, self.upper, self.speed = (
            np.array([getattr(self.joints[name], limit) for name in self.order]) for limit in ("lower", "upper", "speed")
        )

    @staticmethod
    def _joint(element):
        origin, axis, limit = element.find("origin"), element.find("axis"), element.find("limit")
        origin = origin.attrib if origin is not None else {}
        roll, pitch, yaw = _numbers(origin.get("rpy", "0 0 0"))
        x, y, z = np.eye(3)
        direction = _numbers(axis.get("xyz")) if axis is not None else x
        joint = Joint(
            name=element.get("name"),
            kind=element.get("type"),
            parent=element.find("parent").get("link"),
            child=element.find("child").get("link"),
            R=so3.about(z, yaw) @ so3.about(y, pitch) @ so3.about(x, roll),
            p=_numbers(origin.get("xyz", "0 0 0")),
            axis=direction / np.linalg.norm(direction),
        )
        if limit is not None:
            joint.speed = _limit(float(limit.get("velocity", "0")) or np.inf, 1.0)
            if joint.kind in ("revolute", "prismatic"):
                joint.lower = _limit(float(limit.get("lower", "0")), -1.0)
                joint.upper = _limit(float(limit.get("upper", "0")), 1.0)
        return joint

    def path(self, link):
        """Joints from the root to a link, fixed ones too."""
        joints = []
        while link in self.above:
            joints.insert(0, self.above[link])
            link = self.above[link].parent
        return joints

    def pose(self, p_WB, R_WB, s):
        """Forward kinematics."""
        pose = Pose(R={self.root: R_WB}, p={self.root: p_WB})
        todo = [self.root]
        while todo:
            link = todo.pop()
            for joint in self.below[link]:
                R, p = pose.R[link] @ joint.R, pose.p[link] + pose.R[link] @ joint.p
                pose.axis[joint.name], pose.origin[joint.name] = R @ joint.axis, p
                value = s[self.dof[joint.name]] if joint.movable else 0.0
                if joint.kind == "prismatic":
                    p = p + R @ joint.axis * value
                elif joint.movable:
                    R = R @ so3.about(joint.axis, value)
                pose.R[joint.child], pose.p[joint.child] = R, p
                todo.append(joint.child)
        return pose
