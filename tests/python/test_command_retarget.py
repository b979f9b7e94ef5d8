"""panto retarget from the command line: real clips onto every robot, what is written, and what is refused."""

import csv
import json
import os
import re
import signal
import socket
import subprocess
import time

import numpy as np
import pytest
from command import GOOD, UNUSABLE, USAGE, card_of, refused

CLIPS = [f"bvh/cmu/{name}.bvh" for name in ("002_01", "002_03", "002_04", "005_02", "007_01", "007_04", "131_01", "131_02", "scaled_131_01")]
CLIPS.append("mvnx/blender-mvnx-io_test_mocap.mvnx")
ROBOTS = {
    "icub": None,
    "unitree_g1": None,
    "talos": "models/talos/talos_reduced.urdf",
    "h1": "models/unitree/h1.urdf",
    "simple_humanoid": "models/talos/simple_humanoid.urdf",
}


@pytest.fixture
def card(run):
    return lambda *words: card_of(run("retarget", *words, "--json"))


@pytest.fixture
def walk(run):
    """A synthetic walk with known truth; needs no recording."""
    assert run("synthesize", "walk", "--rate", 60, "--duration", 4, "-o", "walk.mvnx").returncode == 0
    return "walk.mvnx"


@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("clip", CLIPS)
def test_every_clip_goes_onto_every_robot_within_its_limits_and_never_collapses(clip, robot, card, data_file):
    figures = card(data_file(clip), "--robot", data_file(ROBOTS[robot]) if ROBOTS[robot] else robot)
    assert figures["frames"] > 0
    for key in ("limit_violations", "velocity_violations", "row_violations"):
        assert figures[key] == 0, key
    assert figures["collapsed_longest_s"] <= 0.5  # over 90 deg off where it could follow
    assert figures["followable_mean_deg"] is not None
    assert figures["foot_penetration_max_mm"] <= 10.0
    assert all(0.0 < share <= 1.0 for share in figures["joints_on_limit"].values())
    # None: every frame is led through other poses, so there is no step to count
    assert figures["allocations"] == 0 or figures["allocations"] is figures["step_p50_us"] is None


def test_a_walk_of_known_truth_is_followed_and_its_feet_do_not_slide(walk, run, card, tmp_path):
    figures = card(walk, "--robot", "unitree_g1")
    assert figures["followable_mean_deg"] < 5.0
    assert figures["foot_skate_median_mm_s"] <= 5.0
    assert figures["foot_penetration_max_mm"] <= 5.0
    sliding = card(walk, "--robot", "unitree_g1", "--feet", "off")
    assert sliding["foot_skate_median_mm_s"] > 2 * figures["foot_skate_median_mm_s"]
    # legs that are straight at touch-down bend to their plan: 294 beside 85 for feet that slide
    assert figures["touch_down_acceleration_max_rad_s2"] <= 4.0 * sliding["touch_down_acceleration_max_rad_s2"]


def swing(tmp_path, run, name, rotation, seconds=4):
    """A person at rest whose right shoulder turns by rotation(t) [3 x 3], the left one by its mirror image, as joint angles."""
    assert run("synthesize", "tpose", "--rate", 60, "--duration", seconds, "-o", "rest.csv").returncode == 0
    with open(tmp_path / "rest.csv", newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    mirror = np.diag([1.0, -1.0, 1.0])
    for row in rows:
        R = rotation(float(row[0]))
        for side, turned in (("Right", R), ("Left", mirror @ R @ mirror)):
            angles = np.arctan2(-turned[1, 2], turned[2, 2]), np.arcsin(turned[0, 2]), np.arctan2(-turned[0, 1], turned[0, 0])
            for axis, angle in zip("xyz", angles):
                row[header.index(f"j{side}Shoulder_rot{axis}_rad")] = repr(float(angle))
    with open(tmp_path / name, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


def turn(axis, degrees):
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    R, angle = np.eye(3), np.radians(degrees)
    R[i, i] = R[j, j] = np.cos(angle)
    R[i, j], R[j, i] = -np.sin(angle), np.sin(angle)
    return R


def clap_from_the_sides(t):
    """Straight arms from the T-pose to the front, until the wrists are 8 cm apart."""
    return turn("z", (75 + 31 * (0.5 - 0.5 * np.cos(2 * np.pi * t))) * -np.expm1(-((3 * t) ** 2)))


def clap_from_below(t):
    """Arms that hang rise to the front, then clap."""
    up = 0.5 - 0.5 * np.cos(np.pi * min(1.0, t / 0.8))
    inwards = 28 * (0.5 - 0.5 * np.cos(np.pi * max(0.0, t - 0.8)))
    return turn("z", inwards) @ turn("y", -80 * up) @ turn("x", 75)


def quick_clap_from_below(t):
    """The same with two claps in two seconds."""
    up = 0.5 - 0.5 * np.cos(np.pi * min(1.0, t / 0.8))
    inwards = 28 * (0.5 - 0.5 * np.cos(2 * np.pi * max(0.0, t - 0.8)))
    return turn("z", inwards) @ turn("y", -80 * up) @ turn("x", 75)


def clap_with_turned_palms(t):
    """From the sides; the iCub's shoulders leave their gimbal lock on the side where their limits stop them."""
    return clap_from_the_sides(t) @ turn("x", 18 * np.expm1(-((3 * t) ** 2)))


def sudden_clap(t):
    """The worst of the hundred drawn ones of docs/results/robots.md: from the T-pose to the front in less than 0.4 s."""
    sudden = -np.expm1(-((4.05 * t) ** 2))
    return turn("z", (69.1 + 37.0 * (0.5 - 0.5 * np.cos(2 * np.pi * t))) * sudden) @ turn("y", 1.57 * sudden)


@pytest.mark.parametrize("robot", ["unitree_g1", "olivia17", "talos", "icub"])
@pytest.mark.parametrize("motion", [clap_from_the_sides, clap_from_below, quick_clap_from_below, clap_with_turned_palms, sudden_clap])
def test_a_clap_stays_a_clap(motion, robot, run, card, data_file, tmp_path):
    swing(tmp_path, run, "clap.csv", motion)
    robot = data_file(ROBOTS[robot]) if ROBOTS.get(robot) else robot

    def miss(*options):
        """Distance of the wrists off the person's, scaled, at most [mm]."""
        return card("clap.csv", "--robot", robot, *options)["hand_distance_close_max_mm"]

    assert miss("--relative", "hands", "--collisions", "report") <= 20.0
    if robot == "unitree_g1":
        assert miss("--collisions", "report") <= 20.0
        # there the hands are 45 mm in each other: kept apart, the wrists cannot be as near as the person's
        assert miss("--relative", "hands") <= 30.0 and miss() <= 40.0
    else:  # the iCub's hands have shapes, too
        assert miss("--relative", "hands") <= (30.0 if robot == "icub" else 20.0)


def test_a_robot_that_stands_still_publishes_no_velocity(run, tmp_path):
    """Short of its targets: 0.82 rad/s while corrected and measured rows were mixed."""
    assert run("synthesize", "tpose", "--rate", 50, "--duration", 6, "-o", "still.mvnx").returncode == GOOD
    assert run("retarget", "still.mvnx", "--robot", "icub", "--feet", "off", "-o", "icub.npz").returncode == GOOD
    with np.load(tmp_path / "icub.npz") as take:
        settled = take["times_s"] > 4.0
        assert np.ptp(take["joint_position"][settled], axis=0).max() < 1e-3
        assert np.abs(take["joint_velocity"][settled]).max() < 1e-6


def test_published_velocities_are_those_of_the_motion(run, data_file, tmp_path):
    """On the real take 0.44 rad/s off in the mean before."""
    take = data_file("mvnx/blender-mvnx-io_test_mocap.mvnx")
    assert run("retarget", take, "--robot", "icub", "--feet", "off", "-o", "icub.npz").returncode == GOOD
    with np.load(tmp_path / "icub.npz") as take:
        t, s, rate = (take[name] for name in ("times_s", "joint_position", "joint_velocity"))
    moves = (s[2:] - s[:-2]) / (t[2:] - t[:-2])[:, None]
    off = (rate[1:-1] - moves)[30:]
    assert np.sqrt(np.mean(np.square(moves[30:]))) > 0.4, "it moves"
    assert np.sqrt(np.mean(np.square(off))) < 0.25


def test_a_motion_that_gets_stuck_forwards_says_that_it_was_led(run, tmp_path):
    swing(tmp_path, run, "clap.csv", clap_with_turned_palms)
    result = run("retarget", "clap.csv", "--robot", "icub", "--relative", "hands", "-o", "icub.npz", "--json")
    assert "better poses used at" in result.stderr
    figures = card_of(result)
    for key in ("limit_violations", "velocity_violations", "row_violations"):
        assert figures[key] == 0, key
    with np.load(tmp_path / "icub.npz") as take:
        rates = np.diff(take["joint_position"], axis=0) / np.diff(take["times_s"])[:, None]
        assert np.abs(rates).max() <= 10.0 + 1e-6, "led, not jumped: no joint is faster than it may"
    smooth = card_of(run("retarget", "clap.csv", "--robot", "icub", "--relative", "hands", "--smooth", "--json"))
    assert smooth["hand_distance_close_max_mm"] <= 30.0, "what is smoothed is that motion"


def test_hands_at_the_thighs_are_nearer_to_the_robots_where_that_is_asked(run, card, tmp_path):
    """Arms that hang, on the iCub, whose own keep away from the body."""
    swing(tmp_path, run, "hang.csv", lambda t: turn("x", 88 * -np.expm1(-((2 * t) ** 2))))
    loose, kept = (card("hang.csv", "--robot", "icub", "--relative", words) for words in ("hands", "hands,body"))
    for side in ("right", "left"):
        before, after = (figures["hand_body"][f"{side} thigh"] for figures in (loose, kept))
        assert before["frames"] == after["frames"] > 100, "whether it touches is the person's business"
        assert after["mean_mm"] < 0.7 * before["mean_mm"]


def test_smoothing_keeps_all_limits_and_takes_most_of_the_jerk(walk, run, card, tmp_path):
    plain = card(walk, "--robot", "unitree_g1")
    smooth = card(walk, "--robot", "unitree_g1", "--smooth", "--max-jerk", 3000, "-o", "s.npz")
    assert smooth["jerk_rms_rad_s3"] < plain["jerk_rms_rad_s3"]
    assert smooth["limit_violations"] == smooth["velocity_violations"] == 0
    with np.load(tmp_path / "s.npz") as take:
        s, t = take["joint_position"], take["times_s"]
        dt = np.diff(t).mean()
        assert np.abs(np.diff(s, 3, axis=0)).max() / dt**3 <= 3000 * (1 + 1e-6)
        assert np.abs(np.diff(s, 2, axis=0)).max() / dt**2 <= 200 * (1 + 1e-6)


def test_arrays_tell_the_joints_in_the_orders_of_isaac_and_mujoco(walk, run, card, tmp_path):
    card(walk, "--robot", "unitree_g1", "-o", "g1.npz", "-o", "g1.csv")
    with np.load(tmp_path / "g1.npz") as take:
        names = list(take["joint_names"])
        assert take["joint_position"].shape == (len(take["times_s"]), 29) == take["joint_velocity"].shape
        assert np.allclose(np.linalg.norm(take["base_quaternion_wxyz"], axis=1), 1.0, atol=1e-12)
        for order, first in (("isaac", ["left_hip_pitch_joint", "right_hip_pitch_joint", "waist_yaw_joint"]),
                             ("mujoco", ["left_hip_pitch_joint", "left_hip_roll_joint", "left_hip_yaw_joint"])):  # fmt: skip
            columns = take[f"{order}_order"]
            assert sorted(columns) == list(range(29))
            assert [names[i] for i in columns] == list(take[f"{order}_joint_names"])
            assert list(take[f"{order}_joint_names"])[:3] == first
        last = take["joint_position"][-1]
    with open(tmp_path / "g1.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0])[:8] == ["time_s", "base_x_m", "base_y_m", "base_z_m", "base_qw", "base_qx", "base_qy", "base_qz"]
    assert [float(rows[-1][f"{name}_rad"]) for name in names] == pytest.approx(list(last), abs=1e-12)


def test_a_map_on_paper_does_what_the_robot_alone_does(walk, run, card, tmp_path):
    assert run("map", "unitree_g1", "-o", "g1.toml").returncode == 0
    by_name = card(walk, "--robot", "unitree_g1")
    by_map = card(walk, "--robot", "g1.toml")
    assert by_map["followable_mean_deg"] == pytest.approx(by_name["followable_mean_deg"], abs=1e-4)


def test_a_human_state_on_the_way_changes_nothing(walk, run, card, tmp_path):
    """Person -> human66 -> robot is person -> robot."""
    assert run("track", walk, "-o", "human.csv").returncode == 0
    card(walk, "--robot", "unitree_g1", "--height", 1.75, "-o", "direct.npz")
    card("human.csv", "--robot", "unitree_g1", "--height", 1.75, "-o", "chained.npz")
    with np.load(tmp_path / "direct.npz") as direct, np.load(tmp_path / "chained.npz") as chained:
        off = np.abs(direct["joint_position"] - chained["joint_position"])
        assert np.degrees(off[30:].max()) < 0.5
        assert np.degrees(off[30:].mean()) < 0.05


@pytest.mark.parametrize(
    "words, code, said",
    [
        (["--robot", "unitree_g2"], USAGE, ["unitree_g2", "unitree_g1"]),
        (["--robot", "nowhere.urdf"], UNUSABLE, ["nowhere.urdf"]),
        (["--robot", "unitree_g1", "--feet", "glue"], USAGE, ["--feet", "plant"]),
        (["--robot", "unitree_g1", "--relative", "hands,feet"], USAGE, ["feet", "--relative", "body"]),
        (["--robot", "unitree_g1", "--relative", "hands,off"], USAGE, ["--relative: use `off` alone, not in 'hands,off'"]),
        (["--robot", "unitree_g1", "-o", "udp://127.0.0.1"], USAGE, ["udp://127.0.0.1", "port"]),
        (["--robot", "unitree_g1", "-o", "out.xyz"], USAGE, ["out.xyz", ".csv"]),
        (["--robot", "unitree_g1", "--rate", "5", "-o", "udp://127.0.0.1:7000"], USAGE, ["--rate", "20"]),
        (["--robot", "unitree_g1", "--rate", "50"], USAGE, ["--rate", "udp://host:port"]),
        (["--robot", "unitree_g1", "--max-jerk", "3000"], USAGE, ["--max-jerk", "--smooth"]),
        (["--robot", "olivia17", "--solver", "modular", "--relative", "hands"], USAGE, ["--relative has no effect", "modular"]),
        (["--robot", "olivia17", "--limits", "scale", "--limit-gain", "2"], USAGE, ["--limit-gain", "--limits scale"]),
        ([], USAGE, ["--robot"]),
    ],
)
def test_what_cannot_be_is_refused_by_name(words, code, said, walk, run):
    refused(run("retarget", walk, *words), code, *said)


def test_a_damaged_recording_is_reported_with_every_way_to_make_the_motion(run, tmp_path):
    assert run("synthesize", "wave", "--rate", 80, "--duration", 6, "-o", "wave.mvnx").returncode == GOOD
    text = (tmp_path / "wave.mvnx").read_text(encoding="utf-8")
    (tmp_path / "cut.mvnx").write_text(text[: int(0.7 * len(text))], encoding="utf-8")
    for words in (("retarget", "cut.mvnx", "--robot", "olivia17"), ("retarget", "cut.mvnx", "--robot", "olivia17", "--limits", "scale"), ("imitate", "cut.mvnx")):
        done = run(*words, "--json")
        assert done.returncode == UNUSABLE, words
        assert re.search(r"panto: cut\.mvnx:\d+: the file ends before </mvnx>", done.stderr), words
        used = int(re.search(r"panto: the (\d+) frames before it were used", done.stderr).group(1))
        assert 250 < used < 480, "frames of the recording, not of the slower motion"
        assert json.loads(done.stdout), "and what there is was answered"


def test_references_without_a_receiver_name_the_address(walk, run):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    assert run("synthesize", "wave", "--duration", 1, "-o", "wave.bvh").returncode == GOOD
    done = run("retarget", "wave.bvh", "--robot", "olivia17", "-o", f"udp://127.0.0.1:{port}")
    assert done.returncode == UNUSABLE
    assert re.search(rf"\d+ references to udp://127\.0\.0\.1:{port} could not be sent; is a receiver running there\?", done.stderr)


def test_an_address_given_twice_is_refused(walk, run):
    address = "udp://127.0.0.1:7100"
    refused(run("retarget", walk, "--robot", "olivia17", "-o", address, "-o", address), USAGE, address, "given twice")


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_sends_bye_to_the_robot_and_leaves_no_file(sign, panto, run, tmp_path):
    assert run("synthesize", "wave", "--duration", 20, "-o", "wave.bvh").returncode == GOOD
    types = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as robot:
        robot.bind(("127.0.0.1", 0))
        robot.settimeout(10)
        words = ["retarget", "wave.bvh", "--robot", "olivia17", "-o", "out.csv", "-o", f"udp://127.0.0.1:{robot.getsockname()[1]}"]
        process = subprocess.Popen([panto, *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while types.count(2) < 3:  # references
            types.append(robot.recv(65536)[5])
        process.send_signal(sign)
        while types.count(4) < 3:  # byes
            types.append(robot.recv(65536)[5])
        _, said = process.communicate(timeout=10)
    assert process.returncode == -sign
    assert said.decode().splitlines()[-1] == "panto: interrupted; no file was written"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["wave.bvh"]


def test_an_interrupted_synthesis_leaves_no_file(panto, tmp_path):
    words = ["synthesize", "walk", "--duration", "100000", "-o", "a.csv", "-o", "b.csv"]
    process = subprocess.Popen([panto, *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    end = time.monotonic() + 30
    while time.monotonic() < end and not (tmp_path / "a.csv.part").exists():
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=30)[1].decode()
    assert process.returncode == -signal.SIGINT and said == "panto: interrupted; no file was written\n"
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_goes_away_costs_no_output_and_leaves_no_part(panto, walk, tmp_path):
    gone, stdout = os.pipe()
    os.close(gone)
    done = subprocess.run([panto, "track", walk, "-o", "a.csv", "--verbose"], cwd=tmp_path, stdout=stdout, stderr=subprocess.PIPE)
    os.close(stdout)
    assert done.returncode == UNUSABLE and b"cannot write to standard output" in done.stderr
    assert (tmp_path / "a.csv").exists() and not list(tmp_path.glob("*.part"))


def test_a_robots_motion_cannot_be_a_humans_file(walk, run, tmp_path):
    for name in ("x.bvh", "x.mvnx"):
        refused(run("retarget", walk, "--robot", "g1", "-o", name), USAGE, name, ".csv, .mot, .sto or .npz")
        assert not (tmp_path / name).exists()


def test_a_settling_time_longer_than_the_motion_is_said(walk, run):
    result = run("retarget", walk, "--robot", "olivia17", "--settle", 50)
    assert result.returncode == GOOD and "cover all frames" in result.stderr


def test_a_speed_limit_without_effect_is_reported(walk, run):
    said = "--speed-limit has no effect"
    assert said in run("retarget", walk, "--robot", "olivia17", "--speed-limit", 1).stderr
    assert said not in run("retarget", walk, "--robot", "olivia17").stderr


def test_a_robot_without_limbs_says_why(walk, run, tmp_path):
    (tmp_path / "box.urdf").write_text('<robot name="box"><link name="a"/></robot>', encoding="utf-8")
    refused(run("retarget", walk, "--robot", "box.urdf"), UNUSABLE, "box")


def test_a_map_for_another_robot_names_the_link_that_is_not_there(walk, run, tmp_path):
    assert run("map", "unitree_g1", "-o", "g1.toml").returncode == 0
    text = (tmp_path / "g1.toml").read_text(encoding="utf-8")
    (tmp_path / "wrong.toml").write_text(text.replace('model = "unitree_g1"', 'model = "icub"'), encoding="utf-8")
    refused(run("retarget", walk, "--robot", "wrong.toml"), UNUSABLE, "wrong.toml", "icub")


@pytest.mark.parametrize("robot", ["icub", "olivia17", "unitree_g1"])
@pytest.mark.parametrize("pace", ["uniform", "optimal"])
def test_a_motion_scaled_to_a_robots_limits_keeps_them_all_and_says_what_was_scaled(pace, robot, card, data_file, tmp_path):
    """A dance: wider than the G1 and faster than two of the robots; base and stamps are stretched with the joints."""
    dance = data_file("bvh/cmu/005_02.bvh")
    recorded = card(dance, "--robot", robot)
    figures = card(dance, "--robot", robot, "--limits", "scale", "--pace", pace, "-o", "s.npz")
    for key in ("limit_violations", "velocity_violations"):
        assert figures[key] == 0, key
    assert figures["recording_faults"] == recorded["recording_faults"]
    scaling = figures["scaling"]
    assert scaling["stretch"] > (1.0 if robot != "unitree_g1" else 1.0 - 1e-9)
    assert scaling["stretch"] * scaling["scale"] == pytest.approx(1.0)
    assert scaling["duration_after_s"] == pytest.approx(scaling["stretch"] * scaling["duration_before_s"])
    assert figures["frames"] - 1 == pytest.approx((recorded["frames"] - 1) * scaling["stretch"], abs=3)
    # without limits, shoulders of the other two turn on and on: solved within limits, they have no swings to scale
    assert bool(scaling["swings"]) == (robot == "unitree_g1")
    assert all(s["from_s"] <= s["at_s"] <= s["to_s"] for s in scaling["swings"])
    assert figures["followable_mean_deg"] < recorded["followable_mean_deg"] + 1.0, "nothing is lost by scaling"
    assert all(f["peak"] > f["limit"] for f in scaling["fast"])
    with np.load(tmp_path / "s.npz") as take:
        t = take["times_s"]
        assert np.diff(t) == pytest.approx(1.0 / figures["rate_hz"], abs=1e-6)
        assert t[-1] - t[0] == pytest.approx(scaling["duration_after_s"], abs=1.1 / figures["rate_hz"])


def test_a_slow_walk_is_not_stretched_and_the_table_says_so(walk, run):
    text = run("retarget", walk, "--robot", "unitree_g1", "--limits", "scale", "--pace", "optimal", "--verbose").stdout
    assert "scaled to the robot's limits" in text
    assert "s, unchanged" in text and "stretched" not in text


def test_scaling_excludes_smoothing_and_the_papers_limits(walk, run):
    for other in ("--smooth", "--paper"):
        refused(run("retarget", walk, "--robot", "unitree_g1", "--limits", "scale", other), USAGE, other)
