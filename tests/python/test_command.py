"""The command as a user meets it, and as an attacker does: what it prints where, its exit codes, its errors.

PANTO_COMMAND names the built command.
"""

import csv
import json
import math
import os
import re
import resource
import shlex
import socket
import signal
import subprocess

import pytest
from bvh_oracle import Clip
from command import GOOD, UNUSABLE, USAGE, card_of, refused, viewing
from gltf_oracle import write_glb
from still_sensors import put_held_poses, put_still_sensors

COMMANDS = ["inspect", "track", "retarget", "view", "map", "convert", "check", "synthesize", "calibrate"]
MOTIONS = ["tpose", "npose", "walk", "fast_walk", "run", "reach", "random"]
KEYS = """frames rate_hz duration_s recording_faults recording_remarks mnte_mean angle_mean_deg angle_p99_deg angle_max_deg omega_rmse_rad_s position_rmse_m
origin_mean_m origin_max_m limit_violations limit_violation_max_rad saturated_share step_p50_us step_p99_us step_max_us
allocations status_counts fallback_counts jerk_rms_rad_s3 state_hash unmeasured_joints unmeasured_joint_names verdict""".split()


# --- a real take


def test_a_real_take_is_followed_within_the_promised_figures(run, take):
    card = card_of(run("track", take, "--json"))
    assert list(card) == KEYS
    assert card["frames"] == 112 and card["rate_hz"] == pytest.approx(60.0)
    assert card["duration_s"] == pytest.approx(1.85)
    assert card["angle_mean_deg"] <= 0.5 and card["angle_p99_deg"] <= 2.0 and card["mnte_mean"] <= 1e-4
    assert card["position_rmse_m"] <= 0.005 and card["origin_max_m"] <= 0.02
    assert card["limit_violations"] == 0 and card["limit_violation_max_rad"] == 0.0
    assert card["allocations"] in (0, None)
    assert sum(card["status_counts"].values()) == card["frames"] == card["status_counts"]["solved"]
    assert card["fallback_counts"] == [112]
    assert card["step_p50_us"] <= card["step_p99_us"] <= card["step_max_us"] < 1e6
    assert re.fullmatch("[0-9a-f]{16}", card["state_hash"])


def test_human48_keeps_its_limits_on_a_real_take(run, take):
    card = card_of(run("track", take, "--model", "human48", "--json"))
    assert card["limit_violations"] == 0
    assert card["angle_mean_deg"] < 8.0, "a dancer beyond clinical limits"
    answered = card["status_counts"]["solved"] + card["status_counts"]["saturated"]
    assert answered == card["frames"] == 112


def test_the_table_is_for_people(run, take):
    result = run("track", take, "-o", "a.mot", "--verbose")
    assert result.returncode == GOOD
    assert max(map(len, result.stdout.splitlines()[2:])) <= 80
    for words in ("orientation error", "step time", "limit violations", "state hash", "wrote a.mot"):
        assert words in result.stdout
    assert "UpperBody" in result.stderr, "what the reader decided is noted on stderr"


def test_the_same_input_gives_the_same_bits(run, take, tmp_path):
    first, second = (card_of(run("track", take, "--json", "-o", name)) for name in ("a.csv", "b.csv"))
    assert first["state_hash"] == second["state_hash"]
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_a_line_break_in_a_name_forges_no_line(run, walk):
    for name in ("a\npanto: all is well.bvh", "a\rb.bvh"):
        result = run("track", name, "-o", "a.mot")
        refused(result, USAGE, "a line break in 'a\\x0", "rename the file")
        assert result.stderr.count("\n") == 1
    checks = run("check", walk, "--model", "human66", "--fail-on", "angle_p99_deg>2,\nlimit_violations>0")
    assert checks.returncode == GOOD, "a list may be written in lines"


def test_options_change_the_result(run, walk):
    cards = {}
    for options in ((), ("--velocity", "differenced"), ("--paper",)):
        cards[options] = card_of(run("track", walk, "--json", *options))
    assert len({card["state_hash"] for card in cards.values()}) == len(cards)
    # another body: the same orientations, other places
    short = card_of(run("track", walk, "--json", "--height", "1.5"))
    assert short["angle_mean_deg"] == pytest.approx(cards[()]["angle_mean_deg"], rel=1e-6)
    assert short["origin_max_m"] > 10 * cards[()]["origin_max_m"]
    assert cards[("--paper",)]["angle_mean_deg"] > cards[()]["angle_mean_deg"]


SOLVERS = ["dynamical", "instantaneous", "pairwise", "damped-jacobian", "modular"]


@pytest.mark.parametrize("model", ["human66", "human48"])
def test_every_solver_follows_a_walk(run, walk, model):
    cards = {}
    for solver in SOLVERS:
        cards[solver] = card_of(run("track", walk, "--model", model, "--solver", solver, "--json"))
        assert cards[solver]["angle_max_deg"] < 1.0, solver
        assert cards[solver]["limit_violations"] == 0 and cards[solver]["allocations"] in (0, None)
    assert len({card["state_hash"] for card in cards.values()}) == len(SOLVERS)
    # every sample on its own: what can be reached is reached
    for solver in ("instantaneous", "pairwise"):
        assert cards[solver]["angle_max_deg"] < 1e-5
    assert cards["dynamical"]["state_hash"] == card_of(run("track", walk, "--model", model, "--json"))["state_hash"]


def test_the_damping_of_the_jacobian_can_be_chosen(run, walk):
    hashes = {
        card_of(run("track", walk, "--solver", "damped-jacobian", "--damping", damping, "--json"))["state_hash"]
        for damping in ("adaptive", "constant", "plain")
    }
    assert len(hashes) == 3


def test_a_wrong_solver_gets_the_valid_names(run, walk):
    result = run("track", walk, "--solver", "pairwize")
    assert result.returncode == USAGE and result.stdout == ""
    assert all(solver in result.stderr for solver in SOLVERS) and "did you mean 'pairwise'" in result.stderr


# --- outputs


@pytest.mark.parametrize("extension", ["csv", "mot", "sto", "bvh", "mvnx"])
def test_every_extension_is_written_alone_and_complete(run, take, tmp_path, extension):
    result = run("track", take, "-o", f"out.{extension}")
    assert result.returncode == GOOD, result.stderr
    assert [path.name for path in tmp_path.iterdir()] == [f"out.{extension}"]
    text = (tmp_path / f"out.{extension}").read_text()
    numbers = 112 if extension != "mvnx" else text.count("<frame ")
    assert numbers >= 112 and len(text) > 10_000
    if extension == "bvh":
        assert "Frames: 112" in text


def test_several_outputs_come_from_one_run(run, walk, tmp_path):
    result = run("track", walk, "-o", "a.csv", "-o", "b.mot", "--out", "c.bvh")
    assert result.returncode == GOOD
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "b.mot", "c.bvh"]
    assert [line for line in result.stdout.splitlines() if line.startswith("wrote")] == ["wrote a.csv", "wrote b.mot", "wrote c.bvh"]


def test_isb_angles_are_66_columns_of_22_joints(run, take, tmp_path):
    assert run("track", take, "--angles", "isb", "-o", "a.sto", "-o", "a.csv").returncode == GOOD
    labels = next(csv.reader((tmp_path / "a.csv").open()))
    assert labels[0] == "time_s" and len(labels) == 67
    assert {re.sub("_[xyz]_deg$", "", label) for label in labels[1:]} >= {"C1Head", "LeftBallFoot", "RightKnee", "LeftShoulder", "L5S1"}
    assert (tmp_path / "a.sto").read_text().count("\n") >= 112


def model_joints(run, tmp_path, model):
    assert run("synthesize", "tpose", "--model", model, "--duration", "0.1", "-o", "names.mot").returncode == GOOD
    lines = (tmp_path / "names.mot").read_text().splitlines()
    return lines[lines.index("endheader") + 1].split("\t")[7:]


@pytest.mark.parametrize("model", ["human66", "human48"])
def test_csv_columns_are_those_that_the_header_documents(run, project, walk, tmp_path, model):
    documented = (project / "src/panto/io/csv.hpp").read_text()
    documented = re.search(r"^//   (time_s,.*),<joint>_rad,\.\.\.$", documented, re.M)[1].split(",")
    assert run("track", walk, "--model", model, "-o", "a.csv").returncode == GOOD
    with (tmp_path / "a.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header == documented + [f"{joint}_rad" for joint in model_joints(run, tmp_path, model)]
    assert len(header) == 8 + int(model[-2:]) and len(rows) == 120
    for number, row in enumerate(rows):
        values = dict(zip(header, map(float, row)))
        assert len(row) == len(header)
        assert values["time_s"] == pytest.approx(number / 60.0, abs=2e-9)
        assert values["base_qw"] >= 0.0
        assert math.hypot(*(values[f"base_q{axis}"] for axis in "wxyz")) == pytest.approx(1.0, abs=1e-12)
        assert 0.7 < values["base_z_m"] < 1.3, "z is up, metres"
    assert float(rows[-1][1]) - float(rows[0][1]) == pytest.approx(2.0 * 4.0 / 3.6, abs=0.15), "x is forward, 4 km/h"


def test_mot_is_read_by_ten_lines_of_python(run, walk, tmp_path):
    assert run("track", walk, "-o", "a.mot", "-o", "a.csv").returncode == GOOD
    # an independent reader, after OpenSim's documentation of the format
    header, _, body = (tmp_path / "a.mot").read_text().partition("endheader\n")
    fields = dict(line.split("=", 1) for line in header.splitlines() if "=" in line)
    labels, *rows = (line.split("\t") for line in body.splitlines())
    table = {label: [float(row[i]) for row in rows] for i, label in enumerate(labels)}
    assert int(fields["nRows"]) == len(rows) == 120
    assert int(fields["nColumns"]) == len(labels) == 7 + 66
    assert fields["inDegrees"] == "yes" and all(len(row) == len(labels) for row in rows)
    assert labels[:7] == "time pelvis_tilt pelvis_list pelvis_rotation pelvis_tx pelvis_ty pelvis_tz".split()
    # the same motion as in the .csv: y up instead of z up, degrees instead of radians
    with (tmp_path / "a.csv").open(newline="") as file:
        for i, row in enumerate(csv.DictReader(file)):
            assert table["time"][i] == pytest.approx(float(row["time_s"]), abs=1e-8)
            assert table["pelvis_ty"][i] == pytest.approx(float(row["base_z_m"]), abs=1e-8)
            assert table["pelvis_tx"][i] == pytest.approx(float(row["base_x_m"]), abs=1e-8)
            turns = (table["jRightKnee_roty"][i] - math.degrees(float(row["jRightKnee_roty_rad"]))) / 360.0
            assert turns == pytest.approx(round(turns), abs=1e-8)


# --- synthesis and back


@pytest.mark.parametrize("motion", MOTIONS)
def test_what_is_synthesised_is_tracked_back(run, tmp_path, motion):
    names = [f"a.{extension}" for extension in ("mvnx", "bvh", "csv", "mot", "sto")]
    options = [word for name in names for word in ("-o", name)]
    assert run("synthesize", motion, "--duration", "2", *options).returncode == GOOD
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)
    mvnx, bvh = (card_of(run("track", f"a.{extension}", "--json")) for extension in ("mvnx", "bvh"))
    assert mvnx["frames"] == bvh["frames"] == 120
    assert mvnx["angle_mean_deg"] < 0.1, "rates are means of both ends: a small error, bounded"
    assert bvh["angle_mean_deg"] < 0.01, "differenced poses are met exactly"
    assert mvnx["position_rmse_m"] < 1e-3
    # back to the joints that it was made from
    assert run("track", "a.mvnx", "--velocity", "differenced", "-o", "b.csv").returncode == GOOD
    with (tmp_path / "a.csv").open() as truth, (tmp_path / "b.csv").open() as answer:
        for wanted, got in zip(csv.DictReader(truth), csv.DictReader(answer)):
            for key, value in wanted.items():
                difference = float(got[key]) - float(value)
                if key.endswith("_rad"):
                    difference = math.remainder(difference, 2.0 * math.pi)
                assert abs(difference) < 1e-3, key


@pytest.mark.parametrize("rate", [10, 15, 30, 120])
def test_slow_recordings_with_rates_are_followed_too(run, rate):
    assert run("synthesize", "run", "--rate", rate, "--duration", 4, "-o", "a.mvnx").returncode == GOOD
    assert card_of(run("track", "a.mvnx", "--json"))["angle_mean_deg"] < 0.5


def test_the_printed_method_is_judged_and_written_too(run, walk, tmp_path):
    options = [word for extension in ("csv", "mot", "bvh", "mvnx") for word in ("-o", f"a.{extension}")]
    card = card_of(run("track", walk, "--paper", "--json", *options))
    assert card["status_counts"]["solved"] + card["status_counts"]["saturated"] == 120
    assert 0.1 < card["angle_mean_deg"] < 5.0, "one sample ahead (theory 1.1)"
    assert (tmp_path / "a.csv").read_text().count("\n") == 121


def test_seed_and_only_seed_makes_random_motions_differ(run, tmp_path):
    for name, seed in (("a.csv", 1), ("b.csv", 1), ("c.csv", 2)):
        assert run("synthesize", "random", "--seed", seed, "--duration", "0.5", "-o", name).returncode == GOOD
    a, b, c = ((tmp_path / name).read_bytes() for name in ("a.csv", "b.csv", "c.csv"))
    assert a == b != c


# --- help


@pytest.mark.parametrize("arguments", [(), *((command,) for command in COMMANDS)])
def test_help_fits_a_terminal_and_shows_examples(run, arguments):
    result = run(*arguments, "--help")
    assert result.returncode == GOOD and result.stderr == ""
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "Usage: panto" in result.stdout and "Examples:" in result.stdout
    assert "REQUIRED" not in result.stdout and "FLOAT" not in result.stdout


def test_every_example_of_the_help_runs(run, panto, take, tmp_path, request, project):
    (tmp_path / "take.mvnx").write_bytes(take.read_bytes())
    assert run("track", "take.mvnx", "-o", "take.bvh").returncode == GOOD
    assert run("inspect", "take.bvh", "-o", "rig.toml").returncode == GOOD
    for name in ("dance.bvh", "wave.bvh"):
        (tmp_path / name).write_bytes((tmp_path / "take.bvh").read_bytes())
    assert run("convert", "unitree_g1", "my_robot.urdf").returncode == GOOD
    for name in ("my_robot.toml", "my_map.toml"):
        assert run("map", "my_robot.urdf", "-o", name).returncode == GOOD
    put_still_sensors(tmp_path, "sensors.toml")
    put_held_poses(tmp_path)
    for name in ("suit.toml", "body.toml"):
        (tmp_path / name).write_text((project / "models/chains/human_sensors.toml").read_text())
    assert run("synthesize", "walk", "--sensors", "suit.toml", "--imu", "suit.csv", "--duration", 2).returncode == GOOD
    lines = ", ".join(f'{{ name = "{link}", link = "{link}" }}' for link in ("LeftUpperLeg", "LeftLowerLeg"))
    (tmp_path / "leg.toml").write_text(f'kind = "sensors"\nversion = 1\nsensors = [{lines}]\n[noise]\nmounting_deg = 2\n')
    leg = ("--sensors", "leg.toml", "--imu", "leg.csv", "--duration", 15, "--rate", 100, "--fault", "noise")
    assert run("synthesize", "walk", *leg).returncode == GOOD
    robot = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    robot.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    robot.bind(("127.0.0.1", 7000))
    request.addfinalizer(robot.close)
    (tmp_path / "my_robot.toml").unlink()
    write_glb(Clip(tmp_path / "dance.bvh"), tmp_path / "my_character.glb", seed=1)
    for name, layout in (("dance.csv", "unitree"), ("motion.npz", "mjlab")):
        assert run("retarget", "take.bvh", "--robot", "unitree_g1", "--for", layout, "-o", name).returncode == GOOD
    examples = set()
    for arguments in ((), *((command,) for command in COMMANDS)):
        examples.update(re.findall(r"^  panto (.+)$", run(*arguments, "--help").stdout, re.M))
    assert len(examples) >= 12
    for example in sorted(examples, key=lambda words: (not words.startswith("map "), words)):
        words = shlex.split(example)
        if words[0] == "view":  # it serves until it is interrupted
            with viewing(panto, *words[1:], cwd=tmp_path) as ask:
                assert ask("/")[0] == 200, example
        else:
            assert run(*words).returncode == GOOD, example


def test_the_version_is_the_projects(run, project):
    version = re.search(r"project\(panto VERSION (\S+)", (project / "CMakeLists.txt").read_text())[1]
    assert run("--version").stdout == f"panto {version}\n"


# --- lines that cannot be understood: exit 2, nothing on stdout, nothing written


@pytest.mark.parametrize(
    "line, words",
    [
        ("", ["No command given. Commands: ", "track", "synthesize", "--help"]),
        ("trak WALK", ["'trak'", "did you mean 'track'", "synthesize"]),
        ("track", ["RECORDING", ".mvnx"]),
        ("synthesize walk", ["--out"]),
        ("synthesize -o a.csv", ["MOTION"]),
        ("track WALK --modle human48", ["'--modle'", "did you mean '--model'"]),
        ("track WALK --bogus=3", ["'--bogus'", "`panto track --help` lists all"]),
        ("track WALK other.mvnx", ["unexpected argument 'other.mvnx'"]),
        ("track WALK --limits", ["--limits needs a value: --limits exact|brake|tanh|none"]),
        ("track WALK -o", ["--out needs a value: --out FILE"]),
        ("track WALK --verbose=foo", ["--verbose takes no value: remove '=foo'"]),
        ("track WALK --model human67", ["'human67'", "did you mean 'human66'", "human48", "unitree_g1", ".urdf", ".toml"]),
        ("track WALK --model icbu", ["'icbu'", "did you mean 'icub'", "olivia17", "tee7"]),
        ("track WALK --model icub --height 1.2", ["--height", "'icub'", "its own"]),
        ("track WALK --settle -1", ["--settle", "'-1'", "0 to"]),
        ("track WALK --settle nan", ["--settle", "'nan'"]),
        ("track WALK --settle 1e300", ["--settle"]),
        ("track WALK --settle half", ["--settle", "'half'"]),
        ("track WALK --settle 0,5", ["--settle", "'0,5'"]),
        ("track WALK --height 9", ["--height", "'9'", "0.3 to 3 m"]),
        ("track WALK -o a.bvh --angles isb", ["--angles isb has no effect", ".csv"]),
        ("synthesize walk -o a.csv --seed 3", ["--seed has no effect on 'walk'"]),
        ("track WALK --mass inf", ["--mass", "2 to 400 kg"]),
        ("track WALK --angles sib", ["'sib'", "did you mean 'isb'", "model"]),
        ("track WALK --limits hard", ["'hard'", "exact, brake, tanh, none"]),
        ("track WALK --velocity guess", ["'guess'", "measured, differenced"]),
        ("track WALK --align maybe", ["'maybe'", "auto, none"]),
        ("track WALK -o a.xyz", ["'a.xyz'", ".csv", ".mot", ".sto", ".bvh", ".mvnx"]),
        ("track WALK -o noextension", ["'noextension'", ".csv"]),
        ("track WALK -o a.trc", ["'a.trc'", "`panto convert"]),
        ("track WALK --report a.bvh", ["'a.bvh'", ".html"]),
        ("track WALK -o a.csv -o ./a.csv", ["a.csv", "twice"]),
        ("track WALK -o WALK", ["is also the input"]),
        ("retarget WALK --robot g1 --to WALK -o a.npz", ["--robot and --to were both given"]),
        ("retarget WALK --robot g1 --for mjlab", ["--for mjlab has no effect without an output"]),
        ("retarget WALK --robot g1 --for mjlba -o a.npz", ["'mjlba'", "did you mean 'mjlab'"]),
        ("retarget WALK --robot g1 --for gmr -o a.pkl", ["Python package writes the layout 'gmr'"]),
        ("retarget WALK --robot g1 --for mjlab -o a.csv", ["the layout mjlab is a .npz file", "name it a.npz"]),
        ("track WALK --damping plain", ["--damping", "--solver damped-jacobian"]),
        ("bench --repeats 1.5", ["--repeats", "'1.5'", "whole number"]),
        ("bench --scene free --steps 2.5", ["--steps", "'2.5'", "whole number"]),
        ("synthesize dance -o a.csv", ["'dance'", *MOTIONS]),
        ("synthesize walk -o a.zip", ["'a.zip'", ".mvnx"]),
        ("synthesize walk -o a.csv --rate 0", ["--rate", "'0'", "Hz"]),
        ("synthesize walk -o a.csv --duration 1e12", ["--duration", "s"]),
        ("synthesize walk -o a.csv --seed -1", ["--seed"]),
        ("synthesize walk -o a.csv -o a.csv", ["twice"]),
    ],
)
def test_a_line_that_cannot_be_understood_is_a_usage_error(run, walk, tmp_path, line, words):
    before = walk.read_bytes()
    result = run(*(str(walk) if word == "WALK" else word for word in line.split()))
    assert result.returncode == USAGE, result.stderr
    assert result.stdout == ""
    message = result.stderr.partition("panto: ")[2]
    for word in words:
        assert word in message, message
    assert list(tmp_path.iterdir()) == []
    assert walk.read_bytes() == before


# --- inputs that cannot be used: exit 3


def test_terminal_control_codes_in_a_name_are_shown_not_executed(run):
    result = run("track", "\x1b[31mred\x07\x7f\u009b2J é.bvh")
    assert result.returncode == UNUSABLE
    assert "\\x1b[31mred\\x07\\x7f\\xc2\\x9b2J é.bvh" in result.stderr
    assert not set(result.stderr) & {"\x1b", "\x07", "\x7f", "\x9b"}


def test_a_robot_is_sent_to_retarget(run, walk):
    refused(run("track", walk, "--model", "icub"), UNUSABLE, "'icub'", "panto retarget RECORDING --robot icub")
    assert run("convert", "icub", "mine.urdf").returncode == GOOD
    refused(run("track", walk, "--model", "mine.urdf"), UNUSABLE, "panto retarget RECORDING --robot mine.urdf")


def test_a_missing_file_and_a_folder_are_named(run, tmp_path):
    refused(run("track", "nowhere.mvnx"), UNUSABLE, "nowhere.mvnx", "No such file")
    (tmp_path / "folder.mvnx").mkdir()
    refused(run("track", "folder.mvnx"), UNUSABLE, "folder.mvnx", "regular file")
    refused(run("track", "nowhere.mvnx", "-o", "a.csv"), UNUSABLE, "nowhere.mvnx")
    assert [path.name for path in tmp_path.iterdir()] == ["folder.mvnx"]


@pytest.mark.parametrize("extension", ["mvnx", "bvh", "dat"])
@pytest.mark.parametrize("content", [b"", b"\n\n", bytes(range(256)) * 20, b"\0" * 5000, b"<?xml version='1.0'?><html/>", b"HIERARCHY\nROOT"])
def test_files_that_are_no_recordings_are_refused_with_their_place(run, tmp_path, extension, content):
    name = f"junk.{extension}"
    (tmp_path / name).write_bytes(content)
    refused(run("track", name, "-o", "a.csv"), UNUSABLE, f"{name}:")
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_complete_frames_of_a_cut_recording_are_used(run, take, tmp_path):
    whole = take.read_bytes()
    (tmp_path / "cut.mvnx").write_bytes(whole[: len(whole) // 2])
    result = run("track", "cut.mvnx", "--json", "-o", "a.csv")
    assert result.returncode == UNUSABLE
    card = json.loads(result.stdout)
    assert 10 < card["frames"] < 112
    assert (tmp_path / "a.csv").read_text().count("\n") == 1 + card["frames"]
    lines = result.stderr.strip().splitlines()
    assert re.search(r"cut\.mvnx:\d+: .*truncated", lines[-2]) and f"{card['frames']} frames" in lines[-1]


def test_a_recording_cut_before_its_first_frame_gives_nothing(run, take, tmp_path):
    whole = take.read_bytes()
    (tmp_path / "cut.mvnx").write_bytes(whole[: whole.index(b'type="normal"')])
    refused(run("track", "cut.mvnx", "-o", "a.csv"), UNUSABLE, "cut.mvnx:")
    assert not (tmp_path / "a.csv").exists()


def test_a_skeleton_that_is_no_human_is_refused_with_the_reason(run, data_file):
    refused(run("track", data_file("bvh/corner-cases/sinusoidal.bvh")), UNUSABLE, "sinusoidal.bvh", "no human")


def test_a_robot_is_no_human_and_the_links_say_so(run, walk, data_file):
    robot = data_file("models/unitree/h1.urdf")
    refused(run("track", walk, "--model", robot), UNUSABLE, "Pelvis", "h1", "MVN")
    refused(run("track", walk, "--model", "nowhere.urdf"), UNUSABLE, "nowhere.urdf", "No such file")


# --- outputs that cannot be written: exit 3


@pytest.mark.parametrize("command", ["track", "synthesize"])
def test_an_output_that_cannot_be_created_is_named(run, walk, tmp_path, command):
    what = walk if command == "track" else "walk"
    refused(run(command, what, "-o", "no/such/folder/a.csv"), UNUSABLE, "no/such/folder/a.csv", "the folder 'no/such/folder' does not exist")
    (tmp_path / "folder.csv").mkdir()
    refused(run(command, what, "-o", "folder.csv"), UNUSABLE, "folder.csv", "folder")


@pytest.mark.parametrize("command", ["track", "synthesize"])
@pytest.mark.parametrize("extension", ["csv", "mot", "bvh", "mvnx"])
def test_a_full_disk_is_an_error_and_leaves_no_half_file_under_the_name(run, walk, tmp_path, command, extension):
    def little_room():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    what = walk if command == "track" else "walk"
    result = run(command, what, "-o", f"a.{extension}", preexec_fn=little_room, restore_signals=False)
    assert result.returncode == UNUSABLE, result.stderr
    line = result.stderr.strip().splitlines()[-1]
    assert f"a.{extension}" in line and "too large" in line, line  # the figures of the run are printed all the same
    assert not (tmp_path / f"a.{extension}").exists()


def test_a_full_standard_output_is_an_error(panto, walk):
    with open("/dev/full", "w") as full:
        result = subprocess.run([panto, "track", walk, "--json"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert result.returncode == UNUSABLE and "standard output" in result.stderr


# --- the world around


def test_a_locale_with_a_decimal_comma_changes_nothing(run, walk, tmp_path):
    # where de_DE is not installed LC_ALL falls back to C; `./dev test` makes one (LOCPATH)
    outputs = []
    for number, name in enumerate(["C", "de_DE.UTF-8"]):
        names = [f"{number}.{extension}" for extension in ("csv", "mot", "bvh", "mvnx")]
        options = [word for output in names for word in ("-o", output)]
        environment = {**os.environ, "LC_ALL": name, "LANG": name}
        card = card_of(run("track", walk, "--json", "--height", "1.8", "--settle", "0.25", *options, env=environment))
        outputs.append([card["state_hash"], *((tmp_path / output).read_bytes() for output in names)])
    assert outputs[0] == outputs[1]


def test_names_with_spaces_and_letters_of_any_language_work(run, walk, tmp_path):
    folder = tmp_path / "Übung 1 – „Gehen“"
    folder.mkdir()
    (folder / "Aufnahme 1.mvnx").write_bytes(walk.read_bytes())
    assert run("track", folder / "Aufnahme 1.mvnx", "-o", folder / "Ergebnis 1.csv").returncode == GOOD
    assert (folder / "Ergebnis 1.csv").exists()


def test_an_output_replaces_an_older_one_only_when_it_is_complete(run, walk, tmp_path):
    (tmp_path / "a.csv").write_text("precious\n")
    (tmp_path / "cut.mvnx").write_bytes(b"<?xml version='1.0'?><mvnx version='4'>")
    assert run("track", "cut.mvnx", "-o", "a.csv").returncode == UNUSABLE
    assert (tmp_path / "a.csv").read_text() == "precious\n"
    assert run("track", walk, "-o", "a.csv").returncode == GOOD
    assert (tmp_path / "a.csv").read_text().startswith("time_s,")


def test_an_odd_height_of_the_person_is_questioned(run):
    assert run("synthesize", "tpose", "--height", 0.6, "--duration", 1, "-o", "small.mvnx").returncode == GOOD
    result = run("track", "small.mvnx", "--json")
    assert result.returncode == GOOD
    assert "0.60 m tall" in result.stderr and "another unit" in result.stderr
    assert run("synthesize", "tpose", "--height", 1.6, "--duration", 1, "-o", "usual.mvnx").returncode == GOOD
    assert "tall" not in run("track", "usual.mvnx", "--json").stderr


def test_notes_made_while_reading_are_printed(run, tmp_path):
    assert run("synthesize", "walk", "--duration", 1, "-o", "take.mvnx").returncode == GOOD
    text = (tmp_path / "take.mvnx").read_text()
    cut = text.rindex("<orientation>")
    end = text.index("</orientation>", cut)
    (tmp_path / "short.mvnx").write_text(text[:cut] + "<orientation>1 0 0" + text[end:])
    result = run("track", "short.mvnx", "--json")
    assert result.returncode == GOOD
    assert re.search(r"note: .*orientation", result.stderr), result.stderr


def test_an_interrupted_recording_is_not_overwritten_by_its_own_tracking(run, tmp_path):
    assert run("synthesize", "walk", "--duration", 1, "-o", "take.mvnx").returncode == GOOD
    (tmp_path / "take.mvnx").rename(tmp_path / "rec.mvnx.part")
    before = (tmp_path / "rec.mvnx.part").read_bytes()
    result = run("track", "rec.mvnx.part", "-o", "rec.mvnx")
    assert result.returncode == USAGE and "would overwrite the input" in result.stderr
    assert (tmp_path / "rec.mvnx.part").read_bytes() == before


def test_sizes_are_refused_for_a_urdf(run):
    assert run("synthesize", "walk", "--duration", 1, "-o", "take.mvnx").returncode == GOOD
    result = run("track", "take.mvnx", "--model", "h.urdf", "--height", 1.2)
    assert result.returncode == USAGE and "--height" in result.stderr
