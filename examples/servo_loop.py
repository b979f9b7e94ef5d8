#!/usr/bin/env python3
"""A robot that follows Panto: references in by UDP, joint servos in MuJoCo at 1 kHz, measured joints back.

    tools/setup.sh robot                                                  once: MuJoCo and NumPy, in .venv-robot
    panto convert unitree_g1 robot.urdf                                   or a URDF of your own
    .venv-robot/bin/python examples/servo_loop.py robot.urdf --armed --record out.csv
    panto retarget walk.bvh --robot robot.urdf --out udp://127.0.0.1:7000 --rate 50

Without --armed it moves when somebody types a and Enter here, and holds at Enter alone. On a network, say who may command:
`--peer HOST`, or `--key FILE` here and udp://HOST:7000?key=FILE there.

The robot hangs by its base on a pole. Each joint has a position servo: critically damped, gravity compensated, its
torque limited where the URDF has an effort. References are followed within the limits of position, speed and
acceleration; when they stop coming, the joints slow down and hold. The datagrams: docs/formats/robot_link.md.

Read from the top: bytes, who may send them, the motion between references, the simulated robot, the loop.
"""
import argparse
import collections
import csv
import hmac
import pathlib
import secrets
import signal
import socket
import struct
import sys
import threading
import time
import xml.etree.ElementTree as xml

import numpy as np

# --- bytes ----------------------------------------------------------------------------------------------------------

HEADER = struct.Struct("<4sBBHQIqI")  # magic, version, type, length, session, sequence, stamp [ns], checksum
MAGIC, VERSION = b"PNTL", 2
HELLO, REFERENCE, MEASURED, BYE, WELCOME = 1, 2, 3, 4, 5
SEALED = 0x80  # of the type: a tag ends the datagram
MAX_BYTES, TAG = 1472, 16
MAX_JOINTS = 82
LARGEST = 1e6  # [m], [rad] or per second: larger numbers are no motion


def _crc_table():
    table = []
    for crc in range(256):
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
        table.append(crc)
    return table


CRC_TABLE = _crc_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = (crc >> 8) ^ CRC_TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


class Console:
    """Twenty lines at once, then one a second, whatever comes."""

    def __init__(self, lines=20.0):
        self.most = self.left = lines
        self.at = time.monotonic()

    def say(self, text):
        now = time.monotonic()
        self.left = min(self.most, self.left + now - self.at)
        self.at = now
        if self.left >= 1.0:
            self.left -= 1.0
            print(text, flush=True)


CONSOLE = Console()


class Refused(Exception):
    """A datagram that is not taken; the text says why in a word, and after a colon what it was about."""


def complete(data):
    """The datagram with its length and checksum."""
    data = data[:6] + struct.pack("<H", len(data)) + data[8:28] + bytes(4) + data[32:]
    return data[:28] + struct.pack("<I", crc32c(data[:28] + data[32:])) + data[32:]


def tag_of(key, data):
    return hmac.digest(key, data[:28] + data[32:], "sha256")[:TAG]


def seal(key, data):
    """The datagram with a tag that needs the key."""
    sealed = complete(data[:5] + bytes([data[5] | SEALED]) + data[6:] + bytes(TAG))
    return complete(sealed[:-TAG] + tag_of(key, sealed[:-TAG]))


def unseal(key, data):
    """The datagram as it was before it was sealed."""
    if not HEADER.size + TAG <= len(data) <= MAX_BYTES or not data[5] & SEALED or not hmac.compare_digest(tag_of(key, data[:-TAG]), data[-TAG:]):
        raise Refused("not sealed by the key")
    return complete(data[:5] + bytes([data[5] ^ SEALED]) + data[6:-TAG])


def read_header(data):
    """(type, session, sequence, stamp) of a datagram that is whole."""
    if not HEADER.size <= len(data) <= MAX_BYTES - TAG:
        raise Refused("length")
    magic, version, kind, length, session, seq, stamp, checksum = HEADER.unpack_from(data)
    if magic != MAGIC or version != VERSION:
        raise Refused("not ours")
    if length != len(data):
        raise Refused("length")
    if checksum != crc32c(data[:28] + data[32:]):
        raise Refused("checksum")
    if kind & SEALED:
        raise Refused("sealed by a key: give the same file with --key")
    return kind, session, seq, stamp


def read_hello(data):
    """(rate, number of joints in all, index of the first one named here, names, proof)"""
    try:
        rate, order, total, first, count, proof = struct.unpack_from("<d4sHHH16s", data, 32)
        place, names = 66, []
        for _ in range(1 + count):
            size = data[place]
            names.append(data[place + 1 : place + 1 + size].decode())
            place += 1 + size
    except (struct.error, IndexError, UnicodeDecodeError):
        raise Refused("content") from None
    fits = place == len(data) and order == b"wxyz" and 0 < count and first + count <= total <= MAX_JOINTS
    if not fits or not all(names) or not 0.0 < rate < np.inf:
        raise Refused("content")
    return rate, total, first, names[1:], proof


def read_state(data):
    """(joints, their velocities, whether the sender vouches for them); the base is on a pole and not needed."""
    if len(data) < 36:
        raise Refused("content")
    flags, joints = struct.unpack_from("<HH", data, 32)
    if flags > 1 or len(data) != 36 + 8 * (13 + 2 * joints):
        raise Refused("content")
    numbers = np.frombuffer(data, "<f8", offset=36)
    if not (np.abs(numbers) <= LARGEST).all() or abs(np.linalg.norm(numbers[3:7]) - 1.0) > 1e-3:
        raise Refused("not finite")
    return numbers[13 : 13 + joints], numbers[13 + joints :], flags == 1


def write_state(session, seq, stamp, s, sdot, valid):
    """A measured state; base at the origin, quaternion w first."""
    base = [0.0] * 3 + [1.0, 0.0, 0.0, 0.0] + [0.0] * 6
    body = struct.pack("<HH", int(valid), len(s)) + np.concatenate([base, s, sdot]).astype("<f8").tobytes()
    return complete(HEADER.pack(MAGIC, VERSION, MEASURED, 0, session, seq & 0xFFFFFFFF, stamp, 0) + body)


def write_welcome(session, stamp, proof):
    return complete(HEADER.pack(MAGIC, VERSION, WELCOME, 0, session, 0, stamp, 0) + proof)


def printable(text):
    """Text from elsewhere without what a terminal obeys or hides."""
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)


# --- who may send them ----------------------------------------------------------------------------------------------


class Receiver:
    """Takes the references of one session at a time, in order; puts joints in the order of `names`.

    A session begins with a hello that carries the proof of our welcome, once the one before has said bye or been silent
    for 0.5 s. The proof fits one address and is worth nothing once a session has begun, so a replay has no effect. A packet
    must be newer than the last by sequence and stamp; what is far ahead is taken when three in a row agree.
    """

    WINDOW, STAMP_JUMP, LOST, ANSWERS_FOR, ROW_KEPT = 1 << 15, 10**9, 0.5, 1.0, 0.1

    USUAL = ("before any hello", "session is over", "old")  # before the welcome, after bye, twice

    def __init__(self, names, port, host="127.0.0.1", peer=None, key=None):
        """`peer`: the only host that may command; `key`: bytes that both ends know."""
        self.names = {name: i for i, name in enumerate(names)}
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((host, port))
        self.socket.setblocking(False)
        self.hosts = peer and {entry[4][0] for entry in socket.getaddrinfo(peer, None, socket.AF_INET)}
        self.key, self.secret, self.sessions = key, secrets.token_bytes(32), 0
        self.session, self.ended = None, True
        self.peer, self.order, self.rate = None, {}, 0.0
        self.now, self.heard, self.lost, self.states, self.seq_out = 0.0, -np.inf, 0, 0, 0
        self.refused = {}  # reason: how often
        self.said = -np.inf  # when we last printed one
        self.arrivals = []  # local time of each reference

    def poll(self, now):
        """Events since the last call: ("session", stamp), ("reference", stamp, s, sdot, valid) or ("bye",)."""
        events = []
        self.now = now
        for _ in range(256):
            try:
                data, peer = self.socket.recvfrom(MAX_BYTES + 1)
            except BlockingIOError:
                break
            except ConnectionError:  # whoever we answered has gone
                continue
            sessions = self.sessions
            try:
                event = self.take(data, peer, now)
            except Refused as why:
                self.count(str(why), now)
                continue
            if self.sessions != sessions:
                events.append(("session", self.last[1]))
            if event:
                events.append(event)
        return events

    def count(self, why, now):
        reason = why.split(":")[0]
        self.refused[reason] = self.refused.get(reason, 0) + 1
        if now - self.said >= 1.0 and reason not in self.USUAL:  # one line a second, whatever comes
            self.said = now
            print(f"refused: {printable(why)}", file=sys.stderr, flush=True)

    def proof_for(self, peer):
        return hmac.digest(self.secret, f"{self.sessions} {peer[0]} {peer[1]}".encode(), "sha256")[:16]

    def may_begin(self, session, now):
        return session != self.session and (self.ended or now - self.heard > self.LOST)

    def take(self, data, peer, now):
        if self.hosts and peer[0] not in self.hosts:
            raise Refused("from another host than --peer")
        if self.key:
            data = unseal(self.key, data)
        kind, session, seq, stamp = read_header(data)
        if kind == HELLO:
            return self.take_hello(data, session, seq, stamp, peer, now)
        if kind == BYE:
            self.admit(kind, session, seq, stamp, now)
            self.ended, self.peer = True, None
            return ("bye",)
        if kind != REFERENCE:
            raise Refused("type")
        s, sdot, valid = read_state(data)
        self.admit(kind, session, seq, stamp, now)
        if len(self.order) != self.total or len(s) != self.total or len(set(self.order.values())) != self.total:
            raise Refused("before all joints were named")
        self.states += 1
        self.arrivals.append(now)
        index = [self.order[i] for i in range(self.total)]
        return "reference", stamp, dict(zip(index, s)), dict(zip(index, sdot)), valid

    def take_hello(self, data, session, seq, stamp, peer, now):
        rate, total, first, names, proof = read_hello(data)
        unknown = [name for name in names if name not in self.names]
        if unknown:
            raise Refused(f"a hello with joints that this robot does not have: {', '.join(unknown[:5])}"[:300])
        begins = self.may_begin(session, now)
        if begins and not hmac.compare_digest(proof, self.proof_for(peer)):
            self.send(write_welcome(session, stamp, self.proof_for(peer)), peer)
            return
        self.admit(HELLO, session, seq, stamp, now)
        if begins:
            self.peer, self.total, self.sessions = peer, total, self.sessions + 1
            CONSOLE.say(f"session from {peer[0]}:{peer[1]}")
        if total != self.total:
            raise Refused("a hello that contradicts the one before")
        self.rate = rate
        self.order = {first + i: self.names[name] for i, name in enumerate(names)} | self.order

    def send(self, data, peer):
        try:
            self.socket.sendto(seal(self.key, data) if self.key else data, peer)
        except OSError:
            pass  # a datagram that is lost is lost

    def admit(self, kind, session, seq, stamp, now):
        if session != self.session:
            return self.admit_stranger(kind, session, seq, stamp, now)
        if self.ended:
            raise Refused("session is over")
        is_state = kind == REFERENCE
        if seq == self.last[0] or stamp < self.last[1] or (stamp == self.last[1] and is_state and self.any_state):
            raise Refused("old")
        if not self.near(self.last, seq, stamp):
            if stamp <= self.last[1]:
                raise Refused("old")
            newer = self.jumps > 0 and 0 < (seq - self.ahead[0]) % 2**32 < self.WINDOW and stamp >= self.ahead[1]
            if self.jumps > 0 and not newer and now - self.ahead_at <= self.ROW_KEPT:
                raise Refused("jump")  # breaks no row: a duplicate would
            agrees = newer and self.near(self.ahead, seq, stamp)
            self.jumps, self.ahead, self.ahead_at = (self.jumps + 1 if agrees else 1), (seq, stamp), now
            if self.jumps < 3:
                raise Refused("jump")
        self.keep(is_state, seq, stamp, now)

    def near(self, last, seq, stamp):
        return 0 < (seq - last[0]) % 2**32 < self.WINDOW and stamp - last[1] <= self.STAMP_JUMP

    def admit_stranger(self, kind, session, seq, stamp, now):
        if kind != HELLO or not self.may_begin(session, now):
            raise Refused("before any hello" if self.session is None else "another session")
        self.session, self.ended, self.any_state, self.order = session, False, False, {}
        self.last = ((seq - 1) % 2**32, stamp)
        self.keep(False, seq, stamp, now)

    def keep(self, is_state, seq, stamp, now):
        step = (seq - self.last[0]) % 2**32
        self.lost += step - 1 if step < self.WINDOW else 0
        self.last, self.heard, self.jumps = (seq, stamp), now, 0
        self.any_state = self.any_state or is_state

    def answer(self, stamp, s, sdot, valid):
        """Measured joints, in the session's order, to whoever opened it and still speaks."""
        if self.peer is None or len(self.order) != self.total or self.now - self.heard > self.ANSWERS_FOR:
            return
        index = [self.order[i] for i in range(self.total)]
        self.send(write_state(self.session, self.seq_out, stamp, s[index], sdot[index], valid), self.peer)
        self.seq_out += 1


# --- the motion between references ----------------------------------------------------------------------------------


def braking_speed(distance, a, dt):
    """Largest speed from which steps of dt, each slower by a dt, stop within the distance."""
    steps = np.floor(0.5 * (np.sqrt(1.0 + 8.0 * distance / (a * dt * dt)) - 1.0))
    return distance / ((steps + 1.0) * dt) + 0.5 * steps * a * dt


class Follower:
    """Joints that run after the references, bounded in position, speed and acceleration whatever comes."""

    STALE, EXTRAPOLATION, GAIN = 0.1, 0.05, 50.0  # [s], [s], [1/s]

    def __init__(self, start, lower, upper, speed, acceleration=50.0, dt=0.001):
        self.s, self.sdot = start.copy(), np.zeros_like(start)
        self.lower, self.upper, self.speed, self.a, self.dt = lower, upper, speed, acceleration, dt
        self.wanted, self.wanted_rate = start.copy(), np.zeros_like(start)
        self.arrived, self.mode = -np.inf, "waiting"

    def follow(self, s, sdot, valid, now):
        """A reference of some joints by index, {index: position}, {index: velocity}; the others keep theirs."""
        if not valid:
            return self.stop()
        for i in s:
            self.wanted[i], self.wanted_rate[i] = s[i], sdot[i]
        self.arrived, self.mode = now, "following"

    def stop(self):
        if self.mode == "following":
            self.mode = "stopping"

    def step(self, now):
        age = max(now - self.arrived, 0.0)
        if self.mode == "following" and age > self.STALE:
            self.mode = "stopping"
        if self.mode in ("waiting", "holding"):
            return
        wanted = np.zeros_like(self.s)
        if self.mode == "following":
            error = np.clip(self.wanted + self.wanted_rate * min(age, self.EXTRAPOLATION) - self.s, -1e6, 1e6)
            approach = np.minimum(self.GAIN * np.abs(error), braking_speed(np.abs(error), self.a, self.dt))
            wanted = np.sign(error) * approach + (self.wanted_rate if age <= self.EXTRAPOLATION else 0.0)
        up = braking_speed(np.clip(self.upper - self.s, 0.0, 1e6), self.a, self.dt)
        down = braking_speed(np.clip(self.s - self.lower, 0.0, 1e6), self.a, self.dt)
        change = self.a * self.dt
        rate = np.clip(np.clip(wanted, -down, up), self.sdot - change, self.sdot + change)
        self.sdot = np.clip(rate, -self.speed, self.speed)
        self.s = self.s + self.sdot * self.dt
        if self.mode == "stopping" and not self.sdot.any():
            self.mode = "holding"

    @property
    def valid(self):
        return self.mode in ("following", "stopping")


# --- the simulated robot --------------------------------------------------------------------------------------------

ARMATURE = 0.01  # [kg m^2] or [kg]: rotor and gear, which a URDF does not tell
NO_LIMIT = 1e300  # from here on a number of a URDF means none
DELAY_ROWS = 6000  # of answers, from which the delay is told: a minute at 100 Hz


def numbers(element, name, default):
    text = element.get(name) if element is not None else None
    return np.array([float(x) for x in text.split()] if text else default, dtype=float)


def rotation(rpy):
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
    return np.array(
        [[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr], [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr], [-sp, cp * sr, cp * cr]]
    )


def quaternion(rpy):
    """w, x, y, z of Rz(y) Ry(p) Rx(r)."""
    (cr, cp, cy), (sr, sp, sy) = np.cos(np.array(rpy) / 2), np.sin(np.array(rpy) / 2)
    return [cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy]


def words(values):
    return " ".join(repr(float(value)) for value in values)


class Urdf:
    """Links and joints of a URDF: what a body in MuJoCo needs, no shapes."""

    def __init__(self, path):
        robot = xml.parse(path).getroot()
        self.name = robot.get("name") or "robot"
        self.links = {link.get("name"): link for link in robot.findall("link")}
        self.joints = robot.findall("joint")
        self.children = {}
        for joint in self.joints:
            self.children.setdefault(joint.find("parent").get("link"), []).append(joint)
        below = {joint.find("child").get("link") for joint in self.joints}
        roots = [name for name in self.links if name not in below]
        if len(roots) != 1:
            sys.exit(f"{path}: {len(roots)} links without a parent, must be one")
        self.root = roots[0]

    def mjcf(self):
        """MuJoCo's text: a tree of bodies, a motor-like servo on every joint that moves, the root welded to the world."""
        mujoco = xml.Element("mujoco", model=self.name)
        xml.SubElement(mujoco, "compiler", angle="radian", autolimits="true", boundmass="1e-3", boundinertia="1e-6", balanceinertia="true")
        xml.SubElement(mujoco, "option", timestep="0.001", integrator="implicitfast")
        world = xml.SubElement(mujoco, "worldbody")
        actuators = xml.SubElement(mujoco, "actuator")
        todo = [(world, self.root, None)]
        while todo:
            parent, link, joint = todo.pop()
            body = self.add_body(parent, link, joint, actuators)
            todo += [(body, child.find("child").get("link"), child) for child in self.children.get(link, [])]
        return xml.tostring(mujoco, encoding="unicode")

    def add_body(self, parent, link, joint, actuators):
        origin = joint.find("origin") if joint is not None else None
        place = {"pos": words(numbers(origin, "xyz", [0] * 3)), "quat": words(quaternion(numbers(origin, "rpy", [0] * 3)))}
        body = xml.SubElement(parent, "body", name=link, gravcomp="1", **place)
        if joint is not None and parent.tag == "body":  # a bone to look at, without mass or touch
            end = numbers(origin, "xyz", [0] * 3)
            if np.linalg.norm(end) > 0.01:
                xml.SubElement(parent, "geom", type="capsule", size="0.01", fromto="0 0 0 " + words(end), mass="0", contype="0", conaffinity="0")
        self.add_inertial(body, self.links[link].find("inertial"))
        if joint is not None and joint.get("type") in ("revolute", "continuous", "prismatic"):
            self.add_joint(body, joint, actuators)
        return body

    @staticmethod
    def add_inertial(body, inertial):
        mass = float(inertial.find("mass").get("value")) if inertial is not None else 0.0
        if mass <= 0.0:  # a frame
            xml.SubElement(body, "inertial", pos="0 0 0", mass="1e-3", diaginertia="1e-6 1e-6 1e-6")
            return
        value = {name: float(inertial.find("inertia").get(name, 0)) for name in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")}
        tensor = np.array(
            [[value["ixx"], value["ixy"], value["ixz"]], [value["ixy"], value["iyy"], value["iyz"]], [value["ixz"], value["iyz"], value["izz"]]]
        )
        origin = inertial.find("origin")
        R = rotation(numbers(origin, "rpy", [0] * 3))
        turned = R @ tensor @ R.T + 1e-6 * np.eye(3)
        full = [turned[0, 0], turned[1, 1], turned[2, 2], turned[0, 1], turned[0, 2], turned[1, 2]]
        xml.SubElement(body, "inertial", pos=words(numbers(origin, "xyz", [0] * 3)), mass=repr(mass), fullinertia=words(full))

    @staticmethod
    def add_joint(body, joint, actuators):
        kind = "slide" if joint.get("type") == "prismatic" else "hinge"
        axis = words(numbers(joint.find("axis"), "xyz", [1, 0, 0]))
        limits = {"actuatorgravcomp": "true", "armature": repr(ARMATURE)}
        effort = float(joint.find("limit").get("effort", 0)) if joint.find("limit") is not None else 0.0
        if 0.0 < effort < NO_LIMIT:
            limits["actuatorfrcrange"] = f"{-effort!r} {effort!r}"
        lower, upper, _ = bounds([joint], [joint.get("name")])[:, 0]
        if np.isfinite([lower, upper]).all() and lower < upper:  # mechanical stops
            limits["range"] = words([lower, upper])
        xml.SubElement(body, "joint", name=joint.get("name"), type=kind, axis=axis, **limits)
        xml.SubElement(actuators, "general", name=joint.get("name"), joint=joint.get("name"), biastype="affine")


def bounds(joints, names):
    """Lower and upper limits and speeds of the URDF's joints, in the order of `names`; infinite, and 10 rad/s, where it
    has none."""
    table = np.tile([-np.inf, np.inf, 10.0], (len(names), 1))
    for joint in joints:
        limit = joint.find("limit")
        if joint.get("name") not in names or limit is None:
            continue
        row = table[names.index(joint.get("name"))]
        if joint.get("type") != "continuous":
            row[:2] = float(limit.get("lower", 0)), float(limit.get("upper", 0))
        row[np.abs(row) >= NO_LIMIT] *= np.inf
        speed = float(limit.get("velocity", 0))
        row[2] = speed if 0.0 < speed < NO_LIMIT else 10.0
    return table.T.copy()


class Servos:
    """The robot in MuJoCo with a servo per joint: torque = kp (s - q) + kv (sdot - qdot) + gravity, limited."""

    FREQUENCY = 60.0  # [rad/s] of each joint on its own, critically damped

    def __init__(self, urdf):
        import mujoco

        self.mujoco = mujoco
        self.model = mujoco.MjModel.from_xml_string(urdf.mjcf())
        self.data = mujoco.MjData(self.model)
        self.names = [self.model.actuator(i).name for i in range(self.model.nu)]
        joints = [self.model.joint(name) for name in self.names]
        self.qpos = np.array([joint.qposadr[0] for joint in joints])
        self.dof = np.array([joint.dofadr[0] for joint in joints])

    def start(self, s):
        """At rest in `s`; the gains are those of the inertia that each joint feels there."""
        mujoco, model, data = self.mujoco, self.model, self.data
        data.qpos[self.qpos] = s
        mujoco.mj_forward(model, data)
        inertia = np.zeros(model.nv)
        unit = np.zeros(model.nv)
        for i in range(model.nv):
            unit[:] = 0.0
            unit[i] = 1.0
            column = np.zeros(model.nv)
            mujoco.mj_mulM(model, data, column, unit)
            inertia[i] = column[i]
        kp = inertia[self.dof] * self.FREQUENCY**2
        self.lead = 2.0 / self.FREQUENCY  # kv / kp
        model.actuator_gainprm[:, 0] = kp
        model.actuator_biasprm[:, 1], model.actuator_biasprm[:, 2] = -kp, -kp * self.lead
        self.command(s, np.zeros_like(s))

    def command(self, s, sdot):
        self.data.ctrl[:] = s + self.lead * sdot

    def step(self):
        self.mujoco.mj_step(self.model, self.data)

    def measured(self):
        return self.data.qpos[self.qpos].copy(), self.data.qvel[self.dof].copy()


# --- the loop -------------------------------------------------------------------------------------------------------


class Record:
    """What was wanted, commanded and measured, row by row, the newest `most` (None: all); a CSV at the end."""

    def __init__(self, names, most):
        self.names, self.rows = names, collections.deque(maxlen=most)

    def add(self, now, stamp, mode, wanted, commanded, measured):
        self.rows.append((now, stamp, mode, wanted.copy(), commanded.copy(), measured.copy()))

    def save(self, path):
        part = pathlib.Path(f"{path}.part")
        with part.open("w", newline="", encoding="utf-8") as file:
            out = csv.writer(file)
            kinds = ("reference", "commanded", "measured")
            out.writerow(["local_s", "stamp_s", "mode"] + [f"{name}_{kind}" for kind in kinds for name in self.names])
            for now, stamp, mode, *values in self.rows:
                out.writerow([f"{now:.6f}", f"{stamp * 1e-9:.9f}", mode] + [f"{x:.9g}" for part_of in values for x in part_of])
        part.replace(path)

    def delay(self):
        """By how many seconds the measured joints are behind the references: the shift at which they agree best."""
        rows = [row for row in self.rows if row[2] == "following"]
        if len(rows) < 50:
            return None
        t = np.array([row[0] for row in rows])
        steady = np.arange(t[0], t[-1], 0.005)
        wanted, measured = (
            np.column_stack([np.interp(steady, t, column) for column in np.array([row[k] for row in rows]).T]) for k in (3, 5)
        )
        if np.ptp(wanted, axis=0).max() < 0.05:
            return None  # nothing moved
        errors = [np.square(measured[k:] - wanted[: len(steady) - k]).mean() for k in range(min(100, len(steady) // 2))]
        return 0.005 * int(np.argmin(errors))


class Arming:
    """Whether the robot follows: from the start, or after `a` and Enter on this console; Enter alone always disarms.
    Unless a host or a key says who commands, that is for one session: the next may be anybody's."""

    def __init__(self, options):
        self.armed = options.armed
        self.stays = options.armed or options.peer or options.key
        if not options.armed:
            print("disarmed; type a and Enter to follow once a session is there, Enter alone to hold", flush=True)
            threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        for line in sys.stdin:
            self.turn(line.strip() == "a")

    def turn(self, armed):
        if self.armed != armed:
            self.armed = armed
            CONSOLE.say("armed" if armed else "disarmed")


def read_key(path):
    try:
        key = pathlib.Path(path).read_bytes().strip(b" \t\r\n")
    except OSError as why:
        sys.exit(f"--key {path}: {why.strerror}")
    if not 16 <= len(key) <= 4096:
        sys.exit(f"--key {path}: {len(key)} bytes, must be 16 to 4096; `openssl rand -hex 32` makes a key")
    return key


def run(options):
    urdf = Urdf(options.urdf)
    servos = Servos(urdf)
    lower, upper, speed = bounds(urdf.joints, servos.names)
    start = np.clip(0.0, lower, upper)
    servos.start(start)
    follower = Follower(start, lower, upper, speed, options.acceleration)
    key = options.key and read_key(options.key)
    try:
        receiver = Receiver(servos.names, options.port, options.host, options.peer, key)
    except (OSError, OverflowError) as why:  # IPv4 alone
        sys.exit(f"--host {options.host}, --port {options.port}, --peer {options.peer}: {why}")
    record = Record(servos.names, None if options.record else DELAY_ROWS)
    host, port = receiver.socket.getsockname()
    print(f"{urdf.name}: {len(servos.names)} joints, listening on udp://{host}:{port}", flush=True)

    arming = Arming(options)
    stop = []
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: stop.append(True))
    viewer = None
    if options.view:
        import mujoco.viewer

        viewer = mujoco.viewer.launch_passive(servos.model, servos.data)

    origin = time.monotonic()
    ticks, skipped, stamp, stamped, next_answer, mode = 0, 0, 0, None, 0.0, follower.mode

    def answer(now):
        on_stamps = min(stamp + int(1e9 * max(now - stamped, 0.0)), 2**63 - 1) if stamped is not None else 0
        s, sdot = servos.measured()
        receiver.answer(on_stamps, s, sdot, follower.valid)
        record.add(now, on_stamps, follower.mode, follower.wanted, follower.s, s)

    while not stop and (options.seconds is None or ticks < 1000 * options.seconds) and (viewer is None or viewer.is_running()):
        now = time.monotonic() - origin
        for event in receiver.poll(now):
            if event[0] == "bye":
                follower.stop()
            elif event[0] == "session":
                stamp, stamped = event[1], now
                arming.turn(arming.armed and bool(arming.stays))
            else:
                stamp, stamped = event[1], now
                if arming.armed:
                    follower.follow(*event[2:], now)
        if not arming.armed:
            follower.stop()
        behind = int(1000 * now) - ticks - skipped
        if behind > 100:  # a machine that was busy: the robot does not make up for it
            skipped += behind - 100
        while ticks + skipped < 1000 * now:
            ticks += 1
            follower.step(0.001 * (ticks + skipped))
            servos.command(follower.s, follower.sdot)
            servos.step()
        if now >= next_answer:
            next_answer = max(next_answer + 1.0 / options.rate, now)
            answer(now)
            if viewer is not None:
                viewer.sync()
        if follower.mode != mode:
            mode = follower.mode
            CONSOLE.say(f"{now:8.3f} s: {mode}")
        time.sleep(max(0.0, 0.001 * (ticks + skipped) - (time.monotonic() - origin)))
    answer(time.monotonic() - origin)
    if options.record:
        record.save(options.record)
    summary(receiver, record, skipped)


def summary(receiver, record, skipped):
    sent = receiver.states + receiver.lost
    share = 100.0 * receiver.lost / sent if sent else 0.0
    print(f"references: {receiver.states} taken, {receiver.lost} lost ({share:.2f} %)")
    for reason, count in sorted(receiver.refused.items()):
        print(f"refused: {count} ({reason})")
    if len(receiver.arrivals) > 1:
        gaps = 1000.0 * np.diff(receiver.arrivals)
        print(f"interval: {np.median(gaps):.1f} ms in the middle, {np.percentile(gaps, 99):.1f} ms at the 99th percentile, {gaps.max():.1f} ms at most")
    delay = record.delay()
    if delay is not None:
        print(f"delay of the measured joints: {1000.0 * delay:.0f} ms")
    if skipped:
        print(f"the simulation left out {skipped} ms that the machine had no time for")


def positive(text):
    value = float(text)
    if not 0.0 < value < np.inf:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return value


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("urdf", help="the robot; `panto convert unitree_g1 unitree_g1.urdf` writes one that ships with Panto")
    parser.add_argument("--port", type=int, default=7000, help="UDP port to listen on (7000); 0: any free one")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on; from this machine alone unless given")
    parser.add_argument("--peer", metavar="HOST", help="the only host that may command")
    parser.add_argument("--key", metavar="FILE", help="16 bytes or more that the sender knows too; nobody else may command")
    parser.add_argument("--armed", action="store_true", help="follow from the start; else `a` and Enter on this console arm")
    parser.add_argument("--rate", type=positive, default=50.0, help="measured joints sent back per second (50)")
    parser.add_argument("--acceleration", type=positive, default=50.0, help="largest of a joint, also when it slows down to hold [rad/s^2] (50)")
    parser.add_argument("--record", metavar="CSV", help="references, commands and measured joints as a table")
    parser.add_argument("--for", dest="seconds", type=float, metavar="SECONDS", help="stop after that; else by Ctrl-C")
    parser.add_argument("--view", action="store_true", help="open a window (needs a display)")
    parser.add_argument("--headless", dest="view", action="store_false", help="no window (the default)")
    return parser.parse_args()


if __name__ == "__main__":
    run(arguments())
