"""panto live --in webxr://: a headset's page by TLS, and what a stranger of the same network gets."""
import base64
import json
import os
import re
import socket
import ssl
import struct
import subprocess
import time

import numpy as np
import pytest
from command import GOOD, UNUSABLE, USAGE
from test_command_live import Live, free_port

SUBPROTOCOL = "panto.webxr.v1"
LEFT = {"collar": 7, "upper": 9, "lower": 10, "wrist": 18, "index": 24, "middle": 29, "little": 39, "thigh": 69, "shank": 70, "ankle": 72, "subtalar": 73, "ball": 75}
APART = {"collar": 5, "upper": 5, "lower": 5, "wrist": 26, "index": 26, "middle": 26, "little": 26, "thigh": 7, "shank": 7, "ankle": 7, "subtalar": 7, "ball": 7}


def standing(raised=0.0):
    """Places of a person who stands with hanging arms, x ahead, y left, z up [m]; `raised`: of the left arm, to the side [rad]."""
    at = {0: (0, 0, 0.99), 2: (0, 0, 1.14), 3: (0, 0, 1.36), 5: (0, 0, 1.48), 6: (0, 0, 1.57)}
    for side, out in ((0, -1.0), (1, 1.0)):
        along = np.array([0.0, out * np.sin(raised * side), -np.cos(raised * side)])
        shoulder = np.array([0, 0.18 * out, 1.43])
        elbow, wrist = shoulder + 0.29 * along, shoulder + 0.53 * along
        places = {
            "collar": (0, 0.03 * out, 1.43), "upper": shoulder, "lower": elbow, "wrist": wrist, "middle": wrist + 0.09 * along,
            "index": wrist + 0.085 * along + (0.02, 0, 0), "little": wrist + 0.08 * along - (0.04, 0, 0), "thigh": (0, 0.09 * out, 0.99),
            "shank": (0, 0.09 * out, 0.5), "ankle": (0, 0.09 * out, 0.07), "subtalar": (-0.02, 0.09 * out, 0.03), "ball": (0.15, 0.09 * out, 0),
        }
        for name, place in places.items():
            at[LEFT[name] + (0 if side else APART[name])] = place
    at[83] = (0.09, 0, 1.64)
    return at


def frame(places, t, number, session=7, breaks=False):
    """The message of docs/formats/webxr_stream.md, written from that page alone."""
    out = b"PWXR" + struct.pack("<BBHQqII", 1, int(breaks), len(places), session, t, number, 0)
    for which, (x, y, z) in sorted(places.items()):
        out += struct.pack("<BB7f", which, 0, -y, z, -x, 0, 0, 0, 1)
    return out


def show(page, frames):
    """Sends frames at 72 Hz, as a headset does."""
    begun = time.monotonic()
    for i, places in enumerate(frames):
        page.send(frame(places, 1_000_000_000 + i * 13_888_889, i))
        time.sleep(max(0.0, begun + (i + 1) / 72 - time.monotonic()))


class Page:
    """A page's end of the WebSocket, over TLS by Python's own library."""

    def __init__(self, port, token):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        self.socket = context.wrap_socket(socket.create_connection(("127.0.0.1", port), timeout=10))
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET /headset HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: https://127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: {SUBPROTOCOL}\r\n\r\n".encode()
        )
        self.rest = b""
        while b"\r\n\r\n" not in self.rest:
            self.rest += self.socket.recv(4096)
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        assert head.startswith(b"HTTP/1.1 101 "), head
        self.send(json.dumps({"token": token}).encode(), 1)

    def send(self, payload, kind=2):
        size = len(payload)
        head = bytes([0x80 | kind]) + (bytes([0x80 | size]) if size < 126 else bytes([0x80 | 126]) + struct.pack(">H", size))
        self.socket.sendall(head + b"\0\0\0\0" + payload)

    def receive(self):
        """The next message's kind and bytes."""
        def exactly(count):
            while len(self.rest) < count:
                some = self.socket.recv(4096)
                assert some, "the connection has ended"
                self.rest += some
            taken, self.rest = self.rest[:count], self.rest[count:]
            return taken

        kind, size = exactly(2)
        return kind & 15, exactly(size)


def ask(port, path, host=None, headers=""):
    """The status of an HTTPS request, and its body."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with context.wrap_socket(socket.create_connection(("127.0.0.1", port), timeout=10)) as one:
        one.sendall(f"GET {path} HTTP/1.1\r\nHost: {host or f'127.0.0.1:{port}'}\r\n{headers}\r\n".encode())
        answer = b""
        while some := one.recv(65536):
            answer += some
    head, body = answer.split(b"\r\n\r\n", 1)
    return int(head.split()[1]), body


@pytest.fixture
def headset(panto, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    running = []

    def start(*arguments):
        port = free_port()
        one = Live.__new__(Live)
        one.process = subprocess.Popen(
            [panto, "live", "--in", f"webxr://127.0.0.1:{port}", "--no-open", *map(str, arguments)],
            cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        said = one.process.stderr.readline()
        found = re.search(r"open https://127\.0\.0\.1:(\d+)/#([0-9a-f]{32}) in the headset's browser, or http://127\.0\.0\.1:\d+/#", said)
        assert found, said + one.process.stderr.read()
        one.port, one.token = int(found[1]), found[2]
        running.append(one)
        return one

    yield start
    for one in running:
        one.process.kill()
        one.process.wait()


def test_a_headset_drives_a_g1_over_tls(headset, tmp_path):
    run = headset("--robot", "g1", "--out", "live.npz", "--json", "--look-ahead", 0)
    page = Page(run.port, run.token)
    assert page.receive() == (1, b'{"op":"welcome"}')
    # three seconds; the left arm rises by 80 degrees in the second one
    show(page, [standing(np.radians(80) * np.clip((i - 72) / 72, 0, 1)) for i in range(220)])
    code, out, err = run.end()
    assert code == GOOD, err
    figures = json.loads(out)
    assert 200 <= figures["samples"] <= 220, "the first 0.2 s tell the rate"
    assert figures["refused"] == 0 and figures["lost"] == 0
    assert figures["rate_hz"] == pytest.approx(72, abs=2)
    motion = np.load(tmp_path / "live.npz")
    names = [str(name) for name in motion["joint_names"]]
    roll = motion["joint_position"][:, names.index("left_shoulder_roll_joint")]
    assert roll[-1] - roll[0] == pytest.approx(np.radians(80), abs=0.25), "the arm is raised to the side"
    other = motion["joint_position"][:, names.index("right_shoulder_roll_joint")]
    assert abs(other[-1] - other[0]) < 0.1
    assert re.search(r"a person of 1\.7\d m", err), err


def test_a_recorded_headset_is_solved_again_to_the_bit(headset, run, tmp_path):
    one = headset("--robot", "g1", "--record", "take.mcap")
    page = Page(one.port, one.token)
    page.receive()
    show(page, [standing(0.01 * i) for i in range(100)])
    code, _, err = one.end()
    assert code == GOOD, err
    again = run("live", "--in", "take.mcap", "--robot", "g1", "--out", "again.csv")
    assert again.returncode == GOOD, again.stderr
    same = re.search(r"(\d+) of (\d+) recorded states are the same to the bit", again.stderr)
    assert same and same[1] == same[2] and int(same[1]) > 50, again.stderr


def test_a_stranger_of_the_network_gets_the_page_alone(headset):
    one = headset("--robot", "g1")
    status, body = ask(one.port, "/")
    assert status == 200 and b'"headset":true' in body
    assert one.token.encode() not in body
    assert ask(one.port, "/run.json")[0] == 404, "there is no run yet"
    assert ask(one.port, "/", host="evil.example:8012")[0] == 403
    assert ask(one.port, "/", headers="Origin: https://evil.example\r\n")[0] == 403
    page = Page(one.port, one.token)
    page.receive()
    show(page, [standing()] * 60)
    until = time.monotonic() + 20
    while ask(one.port, f"/run.json?{one.token}")[0] != 200 and time.monotonic() < until:
        time.sleep(0.1)
    assert ask(one.port, "/run.json")[0] == 403
    status, run_json = ask(one.port, f"/run.json?{one.token}")
    assert status == 200 and json.loads(run_json)["live"] is True
    upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: foxglove.sdk.v1\r\n"
    assert ask(one.port, "/", headers=upgrade)[0] == 403, "nobody looks without the token"
    stranger = Page(one.port, "0" * 32)
    assert stranger.receive() == (8, struct.pack(">H", 1008) + b"wrong token")
    second = Page(one.port, one.token)
    assert second.receive()[1][:2] == struct.pack(">H", 1013), "one headset sends at a time"


def test_the_certificate_is_kept_so_that_a_browser_asks_once(headset, tmp_path):
    def certificate(port):
        return ssl.get_server_certificate(("127.0.0.1", port))

    first = certificate(headset("--robot", "g1").port)
    second = certificate(headset("--robot", "g1").port)
    assert first == second
    kept = tmp_path / "state" / "panto" / "headset.pem"
    assert kept.stat().st_mode & 0o777 == 0o600


def test_webxr_takes_no_sensors_and_sends_nothing(run, project):
    wrong = run("live", "--in", "webxr://", "--robot", "g1", "--sensors", "suit.toml")
    assert wrong.returncode == USAGE and "webxr:// sends persons" in wrong.stderr
    to = run("replay", project / "examples/data/walk.bvh", "--out", "webxr://")
    assert to.returncode in (USAGE, UNUSABLE) and "webxr" in to.stderr
