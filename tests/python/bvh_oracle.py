"""An independent reader of BVH: hierarchy, frames and forward kinematics in NumPy, nothing shared with the C++ one."""

import numpy as np


class Clip:
    """joints: names; parent: indices; R[frames, joints, 3, 3], p[frames, joints, 3] in the file's axes and units."""

    def __init__(self, path):
        tokens = path.read_text().split()
        self.joints, self.parent, self.offset, self.tips, channels = [], [], [], [], []
        stack, at = [], 0
        while tokens[at] != "MOTION":
            word = tokens[at]
            if word in ("ROOT", "JOINT"):
                name = tokens[at + 1]
                self.parent.append(next((s for s in reversed(stack) if s is not None), -1))
                self.joints.append(name)
                self.offset.append(np.zeros(3))
                self.tips.append([])
                channels.append([])
                pending, at = len(self.joints) - 1, at + 2
            elif word == "End":
                pending, at = None, at + 2
            elif word == "{":
                stack.append(pending)
                at += 1
            elif word == "}":
                stack.pop()
                at += 1
            elif word == "OFFSET":
                offset = np.array([float(x) for x in tokens[at + 1 : at + 4]])
                owner = stack[-1]
                if owner is None:
                    self.tips[next(s for s in reversed(stack) if s is not None)].append(offset)
                else:
                    self.offset[owner] = offset
                at += 4
            elif word == "CHANNELS":
                count = int(tokens[at + 1])
                channels[stack[-1]] = tokens[at + 2 : at + 2 + count]
                at += 2 + count
            else:
                at += 1
        frames = tokens.index("Frames:", at)
        time = tokens.index("Time:", at)
        self.rate = 1.0 / float(tokens[time + 1])
        width = sum(map(len, channels))
        values = np.array(tokens[time + 2 :], dtype=float)
        count = min(int(tokens[frames + 1]), len(values) // width)
        self._pose(channels, values[: count * width].reshape(count, width))

    def _pose(self, channels, values):
        frames, joints = len(values), len(self.joints)
        self.R = np.empty((frames, joints, 3, 3))
        self.p = np.empty((frames, joints, 3))
        column = 0
        for j in range(joints):
            R = np.broadcast_to(np.eye(3), (frames, 3, 3)).copy()
            t = np.broadcast_to(self.offset[j], (frames, 3)).copy()
            for channel in channels[j]:
                axis = "xyz".index(channel[0].lower())
                if channel[1:].lower() == "position":
                    t[:, axis] = values[:, column]
                else:
                    R = R @ turn(axis, np.radians(values[:, column]))
                column += 1
            parent = self.parent[j]
            if parent < 0:
                self.R[:, j], self.p[:, j] = R, t
            else:
                self.R[:, j] = self.R[:, parent] @ R
                self.p[:, j] = self.p[:, parent] + np.einsum("fij,fj->fi", self.R[:, parent], t)

    def index(self, name):
        return self.joints.index(name)

    def centre(self, name):
        return self.p[:, self.index(name)]

    def rotation(self, name):
        return self.R[:, self.index(name)]


def turn(axis, angle):
    """Rotations about a coordinate axis, one per angle."""
    R = np.zeros((len(angle), 3, 3))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[:, axis, axis] = 1.0
    R[:, i, i] = R[:, j, j] = np.cos(angle)
    R[:, i, j], R[:, j, i] = -np.sin(angle), np.sin(angle)
    return R


def rotation_vectors(R):
    """Logarithms of rotations, for angles below 180 degrees."""
    axis = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1) / 2
    sine = np.linalg.norm(axis, axis=1)
    angle = np.arctan2(sine, (np.trace(R, axis1=1, axis2=2) - 1) / 2)
    return axis * np.divide(angle, sine, out=np.ones_like(angle), where=sine > 1e-9)[:, None]


def angle_between(a, b):
    """Angles between vectors [deg], row by row."""
    cross = np.linalg.norm(np.cross(a, b), axis=-1)
    return np.degrees(np.arctan2(cross, np.sum(a * b, axis=-1)))
