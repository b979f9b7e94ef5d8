"""panto.LiveStream: live streams in a loop of one's own, from the emulators of `panto replay`."""
import os
import signal
import subprocess
import threading
import time

import numpy as np
import pytest
from package import panto

COMMAND = os.environ.get("PANTO_COMMAND", "")


@pytest.fixture
def replay(project):
    running = []

    def start(clip, to, *options):
        words = [COMMAND, "replay", str(project / clip), "--out", to, *map(str, options)]
        running.append(subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE))
        return running[-1]

    yield start
    for one in running:
        one.kill()
        one.wait()


def free_stream(scheme, ending=""):
    """A stream at a port that was free; another program may take it in between, so it is tried again."""
    import socket

    for _ in range(10):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
        try:
            return panto.LiveStream(f"{scheme}://:{port}{ending}")
        except panto.Error:
            continue
    raise AssertionError("no free port")


def test_samples_are_those_of_the_recording_that_is_sent(project, replay):
    truth = panto.open(project / "examples/data/walk.bvh").samples()
    with free_stream("mvn") as stream:
        replay("examples/data/walk.bvh", f"mvn://127.0.0.1:{stream.port}")
        stream.begin(timeout=30, person=False)
        assert len(stream.names) == 23 and not stream.sensors
        stamps = [stream.t]
        while stream.read(timeout=1.0, newest=False):
            stamps.append(stream.t)
            k = int(np.argmin(np.abs(truth.times - stream.t)))
            assert np.abs(stream.positions[0] - truth.positions[k, 0]).max() < 1e-5, "floats on the wire: 1e-6 of 10 m"
            assert np.abs(np.abs(np.sum(stream.orientations * truth.orientations[k], axis=1)) - 1.0).max() < 1e-6
        assert np.all(np.diff(stamps) > 0)
        counts = stream.counts
    assert counts["samples"] >= len(stamps) and counts["lost"] == counts["refused"] == counts["overtaken"] == 0
    # `begin` takes some without showing them; with the last the recording is at its end
    assert stamps[-1] == pytest.approx(truth.times[-1] - truth.times[0], abs=0.02)


def test_a_robot_follows_a_stream_and_its_height_is_known(replay):
    with free_stream("mvn") as stream:
        replay("examples/data/walk.bvh", f"mvn://127.0.0.1:{stream.port}", "--rate", 60, "--loop")
        stream.begin(timeout=30)
        assert 1.5 < stream.height < 2.0 and stream.rate == pytest.approx(60, rel=0.01)
        live = panto.LiveRetargeter("g1", stream.names, height=stream.height)
        knee, solved = live.robot.joint_names.index("right_knee_joint"), []
        while len(solved) < 120:
            assert stream.read(timeout=10.0)
            if live.step(stream.t, stream.orientations, stream.positions):
                solved.append(live.joint_positions[knee])
        assert np.ptp(solved) > 0.3, "it walks"


def test_raw_sensors_arrive_as_they_were_sent(project, replay):
    times, gyro, acc, mag = panto.open_sensors(project / "examples/data/arm_imu.csv").readings()
    with free_stream("imu") as stream:
        replay("examples/data/arm_imu.csv", f"imu://127.0.0.1:{stream.port}")
        stream.begin(timeout=30)
        assert stream.sensors and stream.names == panto.open_sensors(project / "examples/data/arm_imu.csv").names
        seen = 0
        while stream.read(timeout=1.0, newest=False):
            k = int(np.argmin(np.abs(times - times[0] - stream.t)))
            assert np.allclose(stream.gyro, gyro[k], atol=1e-5) and np.allclose(stream.acc, acc[k], atol=1e-4)
            assert stream.positions.size == 0
            seen += 1
        assert seen > 0.5 * len(times)


def test_who_is_slow_gets_the_newest_sample_and_the_others_are_counted(replay):
    with free_stream("mvn") as stream:
        replay("examples/data/walk.bvh", f"mvn://127.0.0.1:{stream.port}", "--loop")
        stream.begin(timeout=30, person=False)
        before, at = stream.counts, stream.t
        time.sleep(0.5)
        assert stream.read(timeout=10.0)
        assert stream.t - at > 0.3
        assert stream.counts["overtaken"] > 10 + before["overtaken"]
        assert not stream.read(timeout=0.0) or stream.counts["lost"] == 0, "nothing more is there, or the next one came just now"


def test_nothing_that_comes_is_said_in_time():
    with free_stream("mvn") as stream:
        assert not stream.read(timeout=0.0) and not stream.read(timeout=0.1)
        with pytest.raises(panto.Error, match="no sample came within"):
            stream.begin(timeout=0.2)
        assert stream.names is not None and stream.height is None and stream.counts["samples"] == 0


def test_ctrl_c_ends_a_wait():
    with free_stream("mvn") as stream:
        for wait in (stream.read, stream.begin):
            alarm = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
            alarm.start()
            with pytest.raises(KeyboardInterrupt):
                wait()
            alarm.join()
        assert not stream.read(timeout=0.0), "and it can go on"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: panto.LiveStream("mvm://"), "mvm"),
        (lambda: panto.LiveStream("webxr://"), "webxr"),
        (lambda: panto.LiveStream("vmc://?character=1"), r"\?character=1' follows the port"),
        (lambda: panto.LiveStream("mvn://:70000"), "70000"),
        (lambda: panto.LiveStream(7), "LiveStream: address must be"),
        (lambda: free_stream("mvn").read(timeout=float("nan")), "timeout is nan"),
        (lambda: free_stream("mvn").read(timeout=-1), "timeout is -1"),
        (lambda: free_stream("mvn").begin(timeout=0), "timeout is 0"),
    ],
)
def test_wrong_words_are_named(call, words):
    with pytest.raises((panto.Error, TypeError), match=words):
        call()


def test_a_port_that_is_taken_or_a_stream_that_is_closed_says_so():
    stream = free_stream("mvn")
    with pytest.raises(panto.Error, match=str(stream.port)):
        panto.LiveStream(f"mvn://:{stream.port}")
    address, port = stream.address, stream.port
    stream.close()
    with pytest.raises(panto.ConfigError, match="closed"):
        stream.read(timeout=0.0)
    again = panto.LiveStream(f"mvn://:{port}")
    again.close()
    assert address.endswith(str(port))
