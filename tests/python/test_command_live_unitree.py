"""panto live --out unitree-arms://, unitree-all://: what a robot gets, by Eclipse's Python binding, types and checksum written
after unitree_sdk2_python (idl/unitree_hg, utils/crc.py)."""
import random
import signal
import struct
import subprocess
import time
from dataclasses import dataclass

import numpy as np
import pytest
from command import GOOD, USAGE

pytest.importorskip("cyclonedds")
from cyclonedds.domain import Domain, DomainParticipant  # noqa: E402
from cyclonedds.idl import IdlStruct, types  # noqa: E402
from cyclonedds.pub import DataWriter  # noqa: E402
from cyclonedds.sub import DataReader  # noqa: E402
from cyclonedds.topic import Topic  # noqa: E402

WAVE = "examples/data/wave.bvh"
MOTORS = 35
# as ChannelFactoryInitialize(domain, "lo") of unitree_sdk2_python opens it, which unitree_mujoco calls
LOOPBACK = (
    "<CycloneDDS><Domain Id=\"any\"><General><Interfaces><NetworkInterface name=\"lo\" priority=\"default\" multicast=\"default\"/>"
    "</Interfaces></General></Domain></CycloneDDS>"
)
# left leg, right leg, waist, left arm, right arm: g1_low_level_example.py
LEG = ["hip_pitch", "hip_roll", "hip_yaw", "knee", "ankle_pitch", "ankle_roll"]
ARM = ["shoulder_pitch", "shoulder_roll", "shoulder_yaw", "elbow", "wrist_roll", "wrist_pitch", "wrist_yaw"]
JOINTS = [f"{side}_{part}_joint" for side, part in (
    *(("left", part) for part in LEG), *(("right", part) for part in LEG), *(("waist", part) for part in ("yaw", "roll", "pitch")),
    *(("left", part) for part in ARM), *(("right", part) for part in ARM))]


@dataclass
class MotorCmd(IdlStruct, typename="unitree_hg.msg.dds_.MotorCmd_"):
    mode: types.uint8
    q: types.float32
    dq: types.float32
    tau: types.float32
    kp: types.float32
    kd: types.float32
    reserve: types.uint32


@dataclass
class LowCmd(IdlStruct, typename="unitree_hg.msg.dds_.LowCmd_"):
    mode_pr: types.uint8
    mode_machine: types.uint8
    motor_cmd: types.array[MotorCmd, MOTORS]
    reserve: types.array[types.uint32, 4]
    crc: types.uint32


@dataclass
class Imu(IdlStruct, typename="unitree_hg.msg.dds_.IMUState_"):
    quaternion: types.array[types.float32, 4]
    gyroscope: types.array[types.float32, 3]
    accelerometer: types.array[types.float32, 3]
    rpy: types.array[types.float32, 3]
    temperature: types.int16


@dataclass
class MotorState(IdlStruct, typename="unitree_hg.msg.dds_.MotorState_"):
    mode: types.uint8
    q: types.float32
    dq: types.float32
    ddq: types.float32
    tau_est: types.float32
    temperature: types.array[types.int16, 2]
    vol: types.float32
    sensor: types.array[types.uint32, 2]
    motorstate: types.uint32
    reserve: types.array[types.uint32, 4]


@dataclass
class LowState(IdlStruct, typename="unitree_hg.msg.dds_.LowState_"):
    version: types.array[types.uint32, 2]
    mode_pr: types.uint8
    mode_machine: types.uint8
    tick: types.uint32
    imu_state: Imu
    motor_state: types.array[MotorState, MOTORS]
    wireless_remote: types.array[types.uint8, 40]
    reserve: types.array[types.uint32, 4]
    crc: types.uint32


def checksum(command):
    """CRC-32 over the words of the C struct, as `CRC._crc_py`."""
    values = [command.mode_pr, command.mode_machine]
    for m in command.motor_cmd:
        values += [m.mode, m.q, m.dq, m.tau, m.kp, m.kd, m.reserve]
    packed = struct.pack("<2B2x" + "B3x5fI" * MOTORS + "4I", *values, *command.reserve)
    crc = 0xFFFFFFFF
    for (word,) in struct.iter_unpack("<I", packed):
        for bit in range(31, -1, -1):
            high = crc & 0x80000000
            crc = (crc << 1) & 0xFFFFFFFF
            crc ^= (0x04C11DB7 if high else 0) ^ (0x04C11DB7 if word >> bit & 1 else 0)
    return crc


class FakeRobot:
    """A G1 whose joints go to where they are told within a tenth of a second."""

    def __init__(self, domain, topic):
        self.domain = Domain(domain, LOOPBACK)
        self.participant = DomainParticipant(domain)
        self.writer = DataWriter(self.participant, Topic(self.participant, "rt/lowstate", LowState))
        self.reader = DataReader(self.participant, Topic(self.participant, topic, LowCmd))
        self.q = [0.3 * np.sin(j) for j in range(29)]
        self.commands = []  # (time, command)

    def live(self, seconds, until=lambda: False):
        motor = MotorState(1, 0.0, 0.0, 0.0, 0.0, [30, 30], 48.0, [0, 0], 0, [0] * 4)
        imu = Imu([1.0, 0.0, 0.0, 0.0], [0.0] * 3, [0.0] * 3, [0.0] * 3, 30)
        end = time.monotonic() + seconds
        while time.monotonic() < end and not until():
            motors = [MotorState(**{**motor.__dict__, "q": q}) for q in self.q + [0.0] * (MOTORS - 29)]
            self.writer.write(LowState([1, 0], 0, 5, 0, imu, motors, [0] * 40, [0] * 4, 0))
            for command in self.reader.take(100):
                if not isinstance(command, LowCmd):
                    continue  # that the writer is gone
                self.commands.append((time.monotonic(), command))
                for j in range(29):
                    if command.motor_cmd[j].kp > 0:
                        self.q[j] += 0.05 * (command.motor_cmd[j].q - self.q[j])
            time.sleep(0.004)
        return until()

    def last(self):
        return self.commands[-1][1] if self.commands else None

    def close(self):
        del self.reader, self.writer, self.participant, self.domain


@pytest.fixture
def started(panto, project, tmp_path):
    running = []

    def start(scheme):
        domain = random.SystemRandom().randint(201, 230)  # that no other test has
        words = ["live", "--in", project / WAVE, "--loop", "--robot", "g1", "--out", f"{scheme}://127.0.0.1:{domain}",
                 "--out", "same.npz"]
        running.append(subprocess.Popen([panto, *map(str, words)], cwd=tmp_path, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        return running[-1], FakeRobot(domain, "rt/arm_sdk" if scheme == "unitree-arms" else "rt/lowcmd")

    yield start
    for one in running:
        one.kill()
        one.wait()


def say(process, line):
    process.stdin.write(line + "\n")
    process.stdin.flush()


def ended(process, robot):
    process.send_signal(signal.SIGINT)
    robot.live(4.0, lambda: process.poll() is not None)
    out, err = process.communicate(timeout=20)
    return process.returncode, out, err


def angles(commands, joints):
    return np.array([[command.motor_cmd[j].q for j in joints] for _, command in commands])


def test_arms_are_taken_over_follow_and_are_given_back(started, tmp_path):
    run, robot = started("unitree-arms")
    robot.live(2.0)
    assert not robot.commands, "nothing moves before somebody arms it"
    begin = list(robot.q)
    say(run, "a")
    assert robot.live(15.0, lambda: robot.commands and robot.last().motor_cmd[29].q == 1.0), "taken over"
    first = robot.commands[0][1]
    assert first.motor_cmd[29].q < 0.1 and np.allclose(angles(robot.commands[:1], range(15, 29)), begin[15:], atol=0.05)
    robot.live(3.0)
    following = len(robot.commands)
    robot.live(1.5)
    say(run, "d")
    assert robot.live(10.0, lambda: robot.last().motor_cmd[29].q == 0.0), "given back"
    robot.live(0.5)
    code, out, err = ended(run, robot)
    robot.close()
    assert code == GOOD, err
    assert "frames to unitree-arms://" in out

    # every tenth: the checksum is slow in Python
    assert all(checksum(command) == command.crc for _, command in robot.commands[::10])
    assert all(command.mode_machine == 5 and command.mode_pr == 0 for _, command in robot.commands)
    assert all(m.kp == 0 and m.mode == 0 for _, command in robot.commands for m in command.motor_cmd[:12]), "legs are its own"
    waist = angles(robot.commands, range(12, 15))
    assert np.ptp(waist, axis=0).max() == 0.0 and np.allclose(waist[0], begin[12:15], atol=1e-6), "the waist stays"
    weight = angles(robot.commands, [29])[:, 0]
    assert np.abs(np.diff(weight)).max() < 0.05, "taken over and given back within a second"
    with np.load(tmp_path / "same.npz") as same:
        names = [str(name) for name in same["joint_names"]]
        rows = same["joint_position"][:, [names.index(joint) for joint in JOINTS[15:]]]
    sent = angles(robot.commands[following:following + 200], range(15, 29))
    steps = np.diff(rows, axis=0)
    length = np.maximum((steps**2).sum(axis=1), 1e-12)
    for point in sent:
        share = np.clip(((point - rows[:-1]) * steps).sum(axis=1) / length, 0.0, 1.0)
        apart = np.abs(rows[:-1] + share[:, None] * steps - point).max(axis=1).min()
        assert apart < 0.005, "on the straight line between two frames of the run's own motion"


def test_all_joints_are_led_held_when_disarmed_and_damped_at_the_end(started):
    run, robot = started("unitree-all")
    robot.live(2.0)
    assert not robot.commands
    say(run, "a")
    assert robot.live(10.0, lambda: len(robot.commands) > 200)
    steps = np.abs(np.diff(angles(robot.commands[:200], range(29)), axis=0)).max(axis=1)
    times = np.diff([when for when, _ in robot.commands[:200]])
    assert steps.sum() <= 3.0 * (times.sum() + 0.1), "0.5 rad/s beside the motion's own"
    robot.live(3.0)
    say(run, "d")
    robot.live(1.0)
    count, held = len(robot.commands), angles(robot.commands[-1:], range(29))
    robot.live(1.0)
    assert len(robot.commands) > count + 100 and np.array_equal(angles(robot.commands[-1:], range(29)), held)
    code, _, err = ended(run, robot)
    robot.close()
    assert code == GOOD, err
    assert robot.last().motor_cmd[3].kp == 0.0 and robot.last().motor_cmd[3].kd == 8.0
    assert all(checksum(command) == command.crc for _, command in robot.commands[::50])


def test_a_robot_that_says_nothing_is_named_at_the_end(started):
    run, robot = started("unitree-all")
    robot.close()
    time.sleep(2.0)
    say(run, "a")
    time.sleep(1.0)
    run.send_signal(signal.SIGINT)
    begun = time.monotonic()
    out, err = run.communicate(timeout=20)
    assert time.monotonic() - begun < 5.0, "there is nothing to give back"
    assert "took none of" in err and "does the robot or its controller run there?" in err, err


@pytest.mark.parametrize(("robot", "address", "why"), [
    ("g1", "unitree-arms://robot", "the host must be 127.0.0.1"),
    ("g1", "unitree-all://127.0.0.1:300", "'300' is not a number from 0 to 232"),
    ("icub", "unitree-arms://", "29 joints of a Unitree G1"),
])
def test_what_cannot_be_reached_is_refused(panto, project, robot, address, why):
    done = subprocess.run([panto, "live", "--in", project / WAVE, "--robot", robot, "--out", address], input="",
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == USAGE and why in done.stderr
