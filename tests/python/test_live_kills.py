"""panto live --record survives what ends programs: kills, a full disk, Ctrl-C."""
import json
import os
import random
import resource
import signal
import socket
import subprocess
import time

import numpy as np
import pytest
from command import GOOD

WALK = "examples/data/walk.bvh"
SCALE = float(os.environ.get("PANTO_TEST_SCALE") or 1)
KILLS = max(3, round(3 * SCALE)) if SCALE < 10 else 200
START = 1.5  # s until the first chunk is written, on a busy machine


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@pytest.fixture(scope="module")
def suit(panto, project):
    """A port to which a suit sends without an end."""
    port = free_port()
    sender = subprocess.Popen([panto, "replay", project / WALK, "--out", f"mvn://:{port}", "--rate", "60", "--loop"], stdout=subprocess.DEVNULL)
    yield port
    sender.send_signal(signal.SIGINT)
    sender.wait(timeout=10)


def start(panto, folder, port, *arguments, **options):
    one = subprocess.Popen(
        [panto, "live", "--in", f"mvn://:{port}", "--model", "human48", "--record", "take.mcap", *arguments],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )
    line = one.stderr.readline()
    assert "listening" in line, line
    return one


def test_a_kill_at_any_instant_leaves_a_recording_that_lacks_a_second_at_most(panto, suit, run, tmp_path):
    instants = random.Random(20)
    worst = 0.0
    for _ in range(KILLS):
        one = start(panto, tmp_path, suit)
        begun = time.monotonic()
        time.sleep(START + instants.uniform(0, 1.5))
        one.kill()
        lived = time.monotonic() - begun
        one.wait()
        assert not (tmp_path / "take.mcap").exists()
        again = run("live", "--in", "take.mcap.part", "--model", "human48", "--json")
        assert again.returncode == GOOD, again.stderr
        assert "damaged" not in again.stderr
        figures = json.loads(again.stdout)
        kept = (figures["samples"] + figures["before"]) / 60
        worst = max(worst, lived - kept)
        (tmp_path / "take.mcap.part").unlink()
    assert worst < 1.0, "of it a quarter of a second waits for the disk; the rest is the kill's own delay"


def test_a_file_of_arrays_is_made_again_from_the_recording_of_a_killed_run(panto, suit, run, tmp_path):
    one = start(panto, tmp_path, suit, "--out", "take.npz")
    time.sleep(START + 1.5)
    one.kill()
    one.wait()
    assert not (tmp_path / "take.npz").exists(), "it is written at the end"
    for name in ("one.npz", "two.npz"):
        again = run("live", "--in", "take.mcap.part", "--model", "human48", "--out", name)
        assert again.returncode == GOOD, again.stderr
    same, of = again.stderr.split("note: ")[-1].split(" recorded states")[0].split(" of ")
    assert int(same) == int(of) > 20, "what the run itself had found, to the bit"
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    with np.load(tmp_path / "one.npz") as made:
        assert len(made["times_s"]) >= int(of)


def test_ctrl_c_leaves_a_complete_recording_in_half_a_second(panto, suit, run, tmp_path):
    one = start(panto, tmp_path, suit)
    time.sleep(START + 1)
    begun = time.monotonic()
    one.send_signal(signal.SIGINT)
    _, err = one.communicate(timeout=10)
    took = time.monotonic() - begun
    assert one.returncode == GOOD, err
    assert took < 0.5 * max(1.0, os.getloadavg()[0])
    again = run("live", "--in", "take.mcap", "--model", "human48", "--json")
    assert again.returncode == GOOD and "ends early" not in again.stderr, again.stderr


def test_a_full_disk_is_said_and_the_run_goes_on(panto, suit, tmp_path):
    def small():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))

    one = start(panto, tmp_path, suit, "--seconds", "4", "--json", preexec_fn=small)
    out, err = one.communicate(timeout=30)
    assert "is the disk full? The run goes on" in err
    assert "cannot write" in err
    assert one.returncode != GOOD, "what was asked for is not whole"
    assert json.loads(out)["samples"] > 60 * 3, "4 s, but for a second to begin"


def test_the_totals_of_a_run_and_of_its_recording_agree(panto, suit, run, tmp_path):
    one = start(panto, tmp_path, suit, "--json")
    time.sleep(START + 2)
    one.send_signal(signal.SIGINT)
    out, err = one.communicate(timeout=10)
    live = json.loads(out)
    recorded = json.loads(run("live", "--in", "take.mcap", "--model", "human48", "--json").stdout)
    assert live["samples"] + live["before"] == recorded["samples"] + recorded["before"]
    assert live["late"] == live["refused"] == live["foreign"] == 0, "a clean run"
    assert recorded["late"] == recorded["refused"] == recorded["lost"] == live["lost"] == 0
    assert f"{live['samples']} samples in" in live["verdict"]["text"]
    assert live["clock_fast"] == live["clock_slow"] == 0


def test_a_pause_of_this_program_is_not_called_a_slow_computer(panto, suit, tmp_path):
    one = start(panto, tmp_path, suit, "--json")
    time.sleep(START + 0.5)
    one.send_signal(signal.SIGSTOP)
    time.sleep(1.5)
    one.send_signal(signal.SIGCONT)
    time.sleep(1)
    one.send_signal(signal.SIGINT)
    out, _ = one.communicate(timeout=10)
    live = json.loads(out)
    assert live["pauses"] >= 1 and 1.4 < live["longest_pause_s"] < 3
    assert "this program was paused" in live["verdict"]["text"]
    assert "faster than this computer" not in live["verdict"]["text"]
    assert live["losses"] == 0
