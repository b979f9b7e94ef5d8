"""The robot in the loop: examples/servo_loop.py against the library's own sender, and what it is made of."""
import csv
import importlib.util
import math
import os
import pathlib
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

G1 = "models/unitree/g1_29dof_rev_1_0.urdf"
ICUB = "models/icub/iCubGazeboV2_5.urdf"
PROJECT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = PROJECT / "examples" / "servo_loop.py"
ROBOT_PYTHON = PROJECT / ".venv-robot" / "bin" / "python"


# --- parts, without MuJoCo ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def loop():
    spec = importlib.util.spec_from_file_location("servo_loop", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def packet(loop, kind, session, seq, stamp, body=b""):
    return loop.complete(loop.HEADER.pack(b"PNTL", 2, kind, 0, session, seq % 2**32, stamp, 0) + body)


def hello(loop, names, session=1, seq=0, stamp=0, first=0, total=None, order=b"wxyz", rate=50.0, proof=bytes(16)):
    text = b"".join(bytes([len(name)]) + name for name in map(str.encode, ["robot", *names]))
    return packet(loop, loop.HELLO, session, seq, stamp, struct.pack("<d4sHHH16s", rate, order, total or len(names), first, len(names), proof) + text)


def reference(loop, s, session=1, seq=1, stamp=1, flags=1, base=(0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0)):
    body = struct.pack("<HH", flags, len(s)) + struct.pack(f"<{13 + 2 * len(s)}d", *base, *s, *([0.5] * len(s)))
    return packet(loop, loop.REFERENCE, session, seq, stamp, body)


@pytest.fixture
def receiver(loop):
    receiver = loop.Receiver(["a", "b", "c"], 0)
    receiver.proof_for = lambda peer: bytes(16)  # that of `hello`; the last of these tests take the real one
    yield receiver
    receiver.socket.close()


def reason(loop, receiver, data, now=0.0):
    try:
        receiver.take(data, ("127.0.0.1", 9), now)
    except loop.Refused as why:
        return str(why)
    return "taken"


def test_the_checksum_is_the_published_one(loop):
    assert loop.crc32c(b"123456789") == 0xE3069283


def test_a_reference_reaches_the_joints_that_the_hello_named(loop, receiver):
    receiver.take(hello(loop, ["c", "a"]), ("127.0.0.1", 9), 0.0)
    kind, stamp, s, sdot, valid = receiver.take(reference(loop, [0.1, 0.2], stamp=20), ("127.0.0.1", 9), 0.0)
    assert (kind, stamp, valid) == ("reference", 20, True)
    assert s == {2: 0.1, 0: 0.2} and sdot == {2: 0.5, 0: 0.5}


def test_sessions_sequence_and_stamps(loop, receiver):
    def say(kind, *where, now=0.0):
        data = {"hello": lambda *w: hello(loop, ["a"], *w), "state": lambda *w: reference(loop, [0.0], *w)}.get(kind, lambda *w: packet(loop, loop.BYE, *w))
        return reason(loop, receiver, data(*where), now)

    assert say("state", 1, 0, 0) == "before any hello"
    assert say("hello", 1, 2**32 - 2, 0) == "taken"
    assert say("state", 1, 2**32 - 1, 0) == "taken"
    assert say("state", 1, 0, 1) == "taken", "the sequence wraps around"
    assert say("state", 1, 0, 2) == "old", "the same again"
    assert say("state", 1, 1, 1) == "old", "the stamp stands still"
    assert [say("state", 1, 10**6 + i, 2 + i) for i in range(3)] == ["jump", "jump", "taken"]
    assert say("state", 1, 10**6 + 3, 2**62) == "jump", "a stamp far ahead"
    assert say("state", 1, 10**6 + 3, 9) == "taken"
    assert say("hello", 1, 5 * 10**6, 9) == "old", "a jump goes forward in time"
    assert say("hello", 2, 0, 0, now=0.4) == "another session"
    assert say("bye", 1, 10**6 + 4, 9) == "taken"
    assert say("state", 1, 10**6 + 5, 10) == "session is over"
    assert say("hello", 2, 0, 0) == "taken"
    assert say("hello", 3, 0, 0, now=0.6) == "taken", "after half a second of silence"


def test_damaged_datagrams_are_refused(loop, receiver):
    names = [f"joint_{i}" for i in range(29)]
    receiver.names = {name: i for i, name in enumerate(names)}
    rng = np.random.default_rng(1)
    for whole in (hello(loop, names), reference(loop, [0.1] * 29)):
        for size in range(len(whole)):
            assert reason(loop, receiver, whole[:size]) != "taken", size
        for _ in range(2000):
            damaged = bytearray(whole)
            for place in rng.integers(0, len(whole), rng.integers(1, 8)):
                damaged[place] ^= 1 << int(rng.integers(0, 8))
            if bytes(damaged) == whole:
                continue
            assert reason(loop, receiver, bytes(damaged)) != "taken"
            # the same with a checksum that fits: whatever is behind it, nothing worse than a refusal
            kind, body = damaged[5] % 7, bytes(damaged[32:])
            reason(loop, receiver, packet(loop, kind, int(rng.integers(3)), int(rng.integers(2**32)), int(rng.integers(-(2**62), 2**62)), body), 99.0)
    for data in (b"", bytes(65507), bytes(1473)):
        assert reason(loop, receiver, data) == "length"


def test_what_is_no_number_is_refused(loop, receiver):
    receiver.take(hello(loop, ["a"]), ("127.0.0.1", 9), 0.0)
    for value in (math.nan, math.inf, 1.1e6, -1.797e308):
        assert reason(loop, receiver, reference(loop, [value])) == "not finite"
    assert reason(loop, receiver, reference(loop, [0.0], base=(0, 0, 0, 2, *[0] * 9))) == "not finite"
    assert reason(loop, receiver, reference(loop, [0.0], flags=2)) == "content"
    assert reason(loop, receiver, hello(loop, ["a"], order=b"xyzw")) == "content"
    assert reason(loop, receiver, hello(loop, ["a"], rate=math.nan)) == "content"


def test_joints_of_another_robot_are_named(loop, receiver):
    assert reason(loop, receiver, hello(loop, ["a", "x"])) == "a hello with joints that this robot does not have: x"
    assert reason(loop, receiver, hello(loop, ["a"])) == "taken", "and it took no session"


def test_a_session_begins_by_the_proof_of_the_welcome(loop):
    one = loop.Receiver(["a"], 0)
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.settimeout(5.0)
    sender.connect(one.socket.getsockname())
    forged = hello(loop, ["a"])
    sender.send(forged)
    assert select.select([one.socket], [], [], 5.0)[0]
    assert one.poll(0.0) == [] and one.session is None and one.peer is None
    answer = sender.recv(2000)
    assert answer[5] == loop.WELCOME and len(answer) < len(forged), "no more bytes than it was asked with"
    proof = answer[32:]
    here = sender.getsockname()
    assert one.take(hello(loop, ["a"], proof=proof), ("127.0.0.2", here[1]), 0.0) is None and one.session is None, "of another address"
    one.take(hello(loop, ["a"], proof=proof), here, 0.0)
    assert one.session == 1 and one.peer == here
    # the same once more after its end, at this robot and at one that was restarted
    one.take(packet(loop, loop.BYE, 1, 1, 1), here, 0.0)
    for robot in (one, loop.Receiver(["a"], 0)):
        robot.take(hello(loop, ["a"], session=2, proof=proof), here, 99.0)
        assert robot.session != 2 and robot.peer is None
    one.answer(5, np.zeros(1), np.zeros(1), True)
    assert not select.select([sender], [], [], 0.05)[0] or sender.recv(2000)[5] == loop.WELCOME, "nobody to answer"


def test_a_key_keeps_out_who_does_not_have_it(loop):
    key = b"a key of more than sixteen bytes"
    one = loop.Receiver(["a"], 0, key=key)
    one.proof_for = lambda peer: bytes(16)
    plain = hello(loop, ["a"])
    sealed = loop.seal(key, plain)
    assert loop.unseal(key, sealed) == plain and len(sealed) == len(plain) + 16
    assert reason(loop, one, plain) == "not sealed by the key"
    assert reason(loop, one, loop.seal(b"another key of sixteen bytes", plain)) == "not sealed by the key"
    for bit in range(8 * len(sealed)):
        damaged = bytearray(sealed)
        damaged[bit // 8] ^= 1 << bit % 8
        assert bit // 8 in range(28, 32) or reason(loop, one, bytes(damaged)) == "not sealed by the key", bit
    for size in range(len(sealed)):
        assert reason(loop, one, sealed[:size]) == "not sealed by the key"
    assert one.session is None
    assert reason(loop, one, sealed) == "taken" and one.session == 1
    assert reason(loop, loop.Receiver(["a"], 0), sealed).startswith("sealed by a key")


def test_a_gap_is_passed_though_every_packet_comes_twice(loop, receiver):
    say = lambda *where: reason(loop, receiver, reference(loop, [0.0], 1, *where), 1e-9 * where[1])
    receiver.take(hello(loop, ["a"]), ("127.0.0.1", 9), 0.0)
    assert say(1, 1) == "taken"
    stamps = [(2 + k, 5 * 10**9 + 20_000_000 * k) for k in range(6)]
    assert [(say(*where), say(*where)) for where in stamps] == 2 * [("jump", "jump")] + 4 * [("taken", "old")]


def test_the_console_is_not_flooded(loop, capsys):
    console = loop.Console()
    for i in range(1000):
        console.say(i)
    assert 20 <= len(capsys.readouterr().out.split()) <= 22


def test_a_robot_stands_the_last_stamp_there_is(loop):
    last = 2**63 - 1
    assert loop.read_header(loop.write_state(1, 1, last, np.zeros(1), np.zeros(1), True))[3] == last


def test_a_named_host_is_the_only_one(loop):
    one = loop.Receiver(["a"], 0, peer="127.0.0.2")
    assert reason(loop, one, hello(loop, ["a"])) == "from another host than --peer"


def test_refusals_are_one_escaped_line_a_second(loop, receiver, capsys):
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.connect(receiver.socket.getsockname())
    for i in range(100):
        sender.send(hello(loop, [f"\x1b[2J\u202e\x9b{i}"]))
    assert select.select([receiver.socket], [], [], 5.0)[0]
    for k in range(50):
        receiver.poll(0.001 * k)
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "\\u001b[2J\\u202e\\u009b0" in said, said
    assert receiver.refused == {"a hello with joints that this robot does not have": 100}


def test_the_follower_keeps_its_limits_whatever_comes(loop):
    rng = np.random.default_rng(2)
    lower, upper, speed = np.full(4, -1.5), np.full(4, 1.5), np.array([1.0, 2.0, 4.0, 8.0])
    follower = loop.Follower(np.zeros(4), lower, upper, speed, acceleration=30.0)
    for tick in range(20000):
        if rng.random() < 0.03:
            large = 10.0 ** rng.choice([0, 0, 0, 300])
            follower.follow(dict(enumerate(large * rng.uniform(-3, 3, 4))), dict(enumerate(large * rng.uniform(-20, 20, 4))), rng.random() < 0.95, 0.001 * tick)
        s, sdot = follower.s, follower.sdot
        follower.step(0.001 * (tick + 1))
        assert (np.abs(follower.s - s) <= speed * 0.001 + 1e-12).all()
        assert (np.abs(follower.sdot - sdot) <= 0.03 + 1e-9).all()
        assert (follower.s <= upper + 1e-9).all() and (follower.s >= lower - 1e-9).all()


def test_the_follower_is_close_behind_and_holds_at_last(loop):
    follower = loop.Follower(np.zeros(1), np.array([-2.0]), np.array([2.0]), np.array([10.0]))
    worst = 0.0
    for tick in range(3000):
        t = 0.001 * tick
        if tick % 20 == 0 and t < 2.0:
            follower.follow({0: math.sin(3 * t)}, {0: 3 * math.cos(3 * t)}, True, t)
        follower.step(t + 0.001)
        if 0.5 < t < 2.0:
            worst = max(worst, abs(follower.s[0] - math.sin(3 * (t + 0.001))))
    assert worst < 3 * 0.002, "less than 2 ms late"
    assert follower.mode == "holding" and not follower.valid and follower.sdot[0] == 0.0


# --- end to end, with MuJoCo ----------------------------------------------------------------------------------------


class Robot:
    """The example as a process of its own, on a free port; `lines` is what it has said so far."""

    def __init__(self, urdf, record, *more, seconds=40):
        command = [ROBOT_PYTHON, "-u", EXAMPLE, urdf, "--port", "0", "--headless", "--record", record, "--for", str(seconds), *(more or ["--armed"])]
        self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.lines = []
        first = self.process.stdout.readline()
        self.lines.append(first)
        listening = re.search(r"udp://127\.0\.0\.1:(\d+)", first)
        assert listening, first + self.process.stdout.read()
        self.address = listening[0]
        self.reader = threading.Thread(target=lambda: self.lines.extend(self.process.stdout), daemon=True)
        self.reader.start()

    def has_said(self, words):
        return any(words in line for line in self.lines)

    def said(self, words, timeout=20.0):
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            if self.has_said(words):
                return True
            time.sleep(0.02)
        return False

    def finish(self):
        """Ends it as Ctrl-C does. Returns what it said."""
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(20) == 0
        self.reader.join(5)
        return "".join(self.lines)


@pytest.fixture
def robot(tmp_path):
    if not ROBOT_PYTHON.is_file():
        in_ci = os.environ.get("CI", "false") not in ("", "false")
        (pytest.fail if in_ci else pytest.skip)("no simulated robot: run tools/setup.sh robot (MuJoCo, in .venv-robot)")
    started = []

    def start(urdf, *more):
        started.append(Robot(urdf, tmp_path / "record.csv", *more))
        return started[-1]

    yield start
    for one in started:
        one.process.kill()
        one.process.wait()


@pytest.fixture(scope="module")
def probe():
    command = os.environ.get("PANTO_LINK_PROBE", "")
    if not pathlib.Path(command).is_file():
        pytest.fail("PANTO_LINK_PROBE does not name the built program; run through ctest or ./dev test")
    return command


def tables(text):
    """Joint names, what was sent and what came back: rows of [seconds, stamp, joints...]."""
    rows = [line.split(",") for line in text.splitlines() if line]
    table = {kind: np.array([[float(x) for x in row[1:]] for row in rows if row[0] == kind]) for kind in ("sent", "measured")}
    return rows[0][1:], table["sent"], table["measured"]


def at(table, t):
    return np.column_stack([np.interp(t, table[:, 0], column) for column in table[:, 2:].T])


def delay_of(sent, measured):
    """Seconds by which `measured` is behind `sent` on the sender's clock, where their correlation is largest."""
    t = np.arange(0.6, sent[-1, 0] - 0.5, 0.002)
    wanted = at(sent, t)
    wanted = wanted - wanted.mean(0)
    shifts = np.arange(-0.1, 0.5, 0.002)
    agreement = []
    for shift in shifts:
        was = at(measured, t + shift)
        was = was - was.mean(0)
        agreement.append((was * wanted).sum() / np.sqrt((was**2).sum() * (wanted**2).sum()))
    return shifts[int(np.argmax(agreement))], max(agreement)


def limits(urdf):
    table = {}
    for joint in re.findall(r"<joint\b.*?</joint>", pathlib.Path(urdf).read_text(), re.S):
        name, limit = re.search(r'name="([^"]*)"', joint)[1], re.search(r"<limit[^>]*>", joint)
        if limit and 'type="continuous"' not in joint:
            number = {key: float(value) for key, value in re.findall(r'(\w+)="([^"]*)"', limit[0])}
            table[name] = number.get("lower", 0.0), number.get("upper", 0.0)
    return table


@pytest.mark.parametrize("model", [G1, ICUB])
def test_a_robot_follows_within_300_ms_and_its_limits(model, robot, probe, data_file, tmp_path):
    urdf = data_file(model)
    machine = robot(urdf)
    played = subprocess.run([probe, urdf, machine.address, "4"], capture_output=True, timeout=60, text=True)
    assert played.returncode == 0, played.stderr
    assert machine.said("holding"), "bye brings it to rest"
    said = machine.finish()

    names, sent, measured = tables(played.stdout)
    assert len(sent) == 201, "4 s at 50 Hz"
    assert len(measured) > 120, "measured joints come back, though a busy machine may lose some"
    delay, agreement = delay_of(sent, measured)
    print(f"{model}: end-to-end delay {1000 * delay:.0f} ms, correlation {agreement:.4f}")
    assert -0.02 < delay < 0.3 and agreement > 0.98, "not ahead of what was asked by more than references run on"
    assert np.ptp(sent[:, 2:], axis=0).max() > 0.3, "the robot was asked to move"
    for name, column in zip(names, measured[:, 2:].T):
        lower, upper = limits(urdf)[name]
        assert column.min() > lower - 0.02 and column.max() < upper + 0.02, name
    assert re.search(r"references: (1[5-9]\d|20[01]) taken", said), said

    # the record agrees with what was sent: at rows that hold it, the reference of that stamp
    with open(tmp_path / "record.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {"following", "holding"} <= {row["mode"] for row in rows}
    for name in names:
        recorded = np.array([float(row[f"{name}_reference"]) for row in rows if row["mode"] == "following"])
        assert np.isin(recorded, sent[:, 2 + names.index(name)]).all()


def test_a_robot_whose_sender_dies_slows_down_and_holds(robot, probe, data_file, tmp_path):
    urdf = data_file(G1)
    machine = robot(urdf)
    sender = subprocess.Popen([probe, str(urdf), machine.address, "30"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    # two seconds of motion at least, and more where a busy machine has not yet begun to follow
    for line in sender.stdout:
        if line.startswith("sent,") and float(line.split(",")[1]) >= 2.0 and machine.has_said("following"):
            break
    sender.kill()
    sender.wait()
    for mode in ("following", "stopping", "holding"):
        assert machine.said(mode), f"not {mode}: " + "".join(machine.lines)
    time.sleep(0.5)
    machine.finish()

    with open(tmp_path / "record.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    names = [key[: -len("_commanded")] for key in rows[0] if key.endswith("_commanded")]
    table = np.array([[float(row[f"{name}_commanded"]) for name in names] for row in rows])
    measured = np.array([[float(row[f"{name}_measured"]) for name in names] for row in rows])
    mode = np.array([row["mode"] for row in rows])
    t = np.array([float(row["local_s"]) for row in rows])
    first_hold = int(np.argmax(mode == "holding"))
    assert mode[first_hold] == "holding" and (mode[first_hold:] == "holding").all()
    assert np.ptp(table[first_hold:], axis=0).max() == 0.0, "frozen"
    assert np.ptp(measured[first_hold + 20 :], axis=0).max() < 0.01, "and the joints with it"
    # from 5 rad/s at 50 rad/s^2: a tenth of a second; more only where the machine was busy elsewhere
    moving = t[np.flatnonzero(mode == "following")[-1]]
    assert t[first_hold] - moving < 0.6
    stop = np.abs(table[first_hold] - table[np.flatnonzero(mode == "following")[-1]]).max()
    assert stop < 5.0 * 0.15 + 5.0**2 / 100.0, "no farther than the stale time and the braking distance"


def test_a_second_sender_after_the_first(robot, probe, data_file):
    urdf = data_file(G1)
    machine = robot(urdf)
    for _ in range(2):
        played = subprocess.run([probe, urdf, machine.address, "1"], capture_output=True, timeout=30, text=True)
        assert played.returncode == 0
        assert len(tables(played.stdout)[2]) > 25
    said = machine.finish()
    assert sum("following" in line for line in said.splitlines()) >= 2


def test_a_robot_moves_after_a_and_enter_and_for_one_session(robot, probe, data_file, tmp_path):
    urdf = data_file(G1)
    machine = robot(urdf, "--host", "127.0.0.1")
    assert machine.said("type a and Enter")
    play = lambda: subprocess.Popen([probe, urdf, machine.address, "4"], stdout=subprocess.PIPE, text=True)
    first = play()
    measured = (line for line in first.stdout if line.startswith("measured,"))
    for _ in range(30):
        next(measured)
    assert not machine.has_said("following"), "disarmed it listens and answers, and does not move"
    machine.process.stdin.write("a\n")
    machine.process.stdin.flush()
    assert machine.said("following")
    first.communicate(timeout=30)
    assert machine.said("holding")
    assert play().communicate(timeout=30)[0].count("measured,") > 50
    said = machine.finish()
    assert said.count("following") == 1 and said.rstrip().count("disarmed") == 2, said


def test_a_robot_with_a_key_follows_who_has_it_and_nobody_else(robot, probe, data_file, tmp_path):
    urdf, key = data_file(G1), tmp_path / "link.key"
    key.write_text("0123456789abcdef0123456789abcdef\n")
    machine = robot(urdf, "--armed", "--key", key)
    forged = subprocess.run([probe, urdf, machine.address, "1"], capture_output=True, timeout=30, text=True)
    assert "measured," not in forged.stdout and machine.said("not sealed by the key")
    played = subprocess.run([probe, urdf, f"{machine.address}?key={key}", "2"], capture_output=True, timeout=30, text=True)
    assert played.returncode == 0, played.stderr
    assert len(tables(played.stdout)[2]) > 50
    assert int(re.search(r"references: (\d+) taken", machine.finish())[1]) > 75


def test_a_robot_that_is_another_says_so(robot, probe, data_file):
    machine = robot(data_file(G1))
    played = subprocess.run([probe, data_file(ICUB), machine.address, "0.5"], capture_output=True, timeout=30, text=True)
    assert played.returncode == 0 and "measured" not in played.stdout
    assert machine.said("joints that this robot does not have: ")
    assert "references: 0 taken" in machine.finish()


def test_a_gesture_is_replayed_close_to_its_references(project, panto, robot):
    """The quick form of its experiment; `robot` skips, or fails in CI, where there is none."""
    script = project / "experiments" / "b5_servo_loop.py"
    result = subprocess.run([sys.executable, "-B", script, "--quick"], env=os.environ | {"PANTO_COMMAND": panto}, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stdout + result.stderr
    assert " ok " in result.stdout and "MISSED" not in result.stdout
