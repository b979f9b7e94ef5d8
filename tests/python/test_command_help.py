"""The command as people expect it: help, version, robots, near names, files of other programs, completion."""

import io
import json
import re
import shlex
import shutil
import subprocess
import zipfile

import pytest
from command import GOOD, UNUSABLE, USAGE, refused

COMMANDS = ["inspect", "track", "retarget", "imitate", "view", "live", "replay", "doctor", "convert", "check", "synthesize", "map", "calibrate", "bench", "robots"]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_is_what_its_option_prints(run, command):
    asked, option = run("help", command), run(command, "--help")
    assert asked.returncode == GOOD and asked.stdout == option.stdout and asked.stdout


def test_help_alone_is_the_help_of_panto(run):
    assert run("help").stdout == run("--help").stdout
    assert "completion" not in run("help").stdout
    assert "\nCommands:\n" in run("help").stdout and "ubcommand" not in run("help").stdout


def test_help_of_an_unknown_command_names_the_nearest(run):
    refused(run("help", "trak"), USAGE, "'trak'", "did you mean 'track'?")


def test_the_command_without_python_names_the_way_to_data_sets_and_pictures(run):
    for task, *words in (("batch", "clips", "--robot", "g1", "-o", "set"), ("picture", "dance.html", "-o", "dance.png")):
        refused(run(task, *words), USAGE, f"`panto {task}`", "Python package", "pip install")
        assert "Python package" in run("help", task).stdout


def test_the_version_has_three_names(run):
    assert run("version").stdout == run("-v").stdout == run("--version").stdout != ""


def test_without_arguments_the_commands_are_listed(run):
    refused(run(), USAGE, "No command given. Commands: inspect, track", "robots")


def test_an_unknown_option_gets_only_the_nearest_name(run):
    result = run("retarget", "a.bvh", "--robto", "icub")
    refused(result, USAGE, "'--robto'", "did you mean '--robot'?", "`panto retarget --help` lists all")
    assert "--settle" not in result.stderr


def test_shipped_robots_are_listed_with_joints_and_a_description(run):
    text = run("robots").stdout
    robots = {robot["name"]: robot for robot in json.loads(run("robots", "--json").stdout)["robots"]}
    assert robots["unitree_g1"]["joints"] == 29 and "g1" in robots["unitree_g1"]["aliases"]
    assert robots["unitree_h1"]["follows"] == "trunk, arms, legs" and "h1" in robots["unitree_h1"]["aliases"]
    assert "BSD-3-Clause" in robots["nao"]["source"] and robots["nao"]["source"] in text
    assert all(name in text and robot["description"] in text and robot["description"] for name, robot in robots.items())
    assert "my_robot.urdf" in text


def test_robots_have_short_names_and_near_names_are_suggested(run, walk):
    assert run("convert", "g1", "g1.urdf").returncode == GOOD
    refused(run("retarget", walk, "--robot", "gl1"), USAGE, "'gl1'", "did you mean 'unitree_g1'?")
    refused(run("retarget", walk, "--robot", "pepper"), USAGE, "'pepper'", "does not ship", "URDF", "unitree_g1")


def test_output_is_the_long_name_of_out(run, walk, tmp_path):
    assert run("track", walk, "--output", "a.csv").returncode == GOOD
    assert (tmp_path / "a.csv").exists()


def test_help_shows_usual_options_before_those_of_the_method(run):
    text = run("help", "retarget").stdout
    assert text.index("\nOptions:") < text.index("--robot") < text.index("--report") < text.index("\nMethod:") < text.index("--solver")


def archive(*members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        for member in members:
            made.writestr(member, b"")
    return file.getvalue()


@pytest.mark.parametrize(
    "name, content, words",
    [
        ("a.fbx", b"Kaydara FBX Binary  \0\x1a\0", "an FBX file"),
        ("a.c3d", b"\x02\x50" + bytes(513) + b"\x54" + bytes(600), "a C3D file"),
        ("a.glb", b"glTF\x02\0\0\0", "header: the file breaks off"),
        ("a.usda", b"#usda 1.0\n", "a USD file"),
        ("a.npz", archive("markers_latent.npy", "betas.npy"), "a first-stage file of AMASS"),
        ("a.npz", b"", "the file is empty"),
        ("a.zip", archive("take.bvh"), "a ZIP archive without NumPy arrays; unpack it"),
        ("a.xlsx", archive("[Content_Types].xml"), "an Office file (.xlsx or .docx); save its table as .csv"),
        ("a.html", b"\n<!DOCTYPE html><html></html>", "a web page (HTML), not data"),
        ("a.png", b"\x89PNG\r\n\x1a\n", "an image"),
        ("a.mp4", b"\0\0\0\x20ftypisom", "run a pose estimator"),
        ("a.pdf", b"%PDF-1.4", "a PDF document"),
        ("a.bvh.gz", b"\x1f\x8b\x08\0", "unpack it and give the file inside"),
    ],
)
def test_files_of_other_programs_are_named_as_what_they_are(run, tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    refused(run("track", name), UNUSABLE, f"{name}: ", words)


@pytest.mark.parametrize("words", ["check", "inspect", "track", "retarget --robot g1", "map", "retarget WALK --robot"])
def test_a_report_page_is_named_with_what_opens_it(run, walk, tmp_path, words):
    (tmp_path / "page.html").write_text('<!doctype html><html><meta name="generator" content="Panto" /></html>')
    words = [walk if word == "WALK" else word for word in words.split()]
    refused(run(*words, "page.html"), UNUSABLE, "page.html: is a report page of Panto", "`panto view`")


def test_a_motion_in_the_place_of_a_robot_is_named(run, walk):
    for words in (("map", walk), ("retarget", walk, "--robot", walk)):
        refused(run(*words), USAGE, "not a robot or model", f"`panto inspect {walk}`")


def test_options_of_another_command_and_words_too_many_name_what_was_meant(run, walk):
    refused(run("track", "--robot", "g1", walk), USAGE, "'--robot'", "panto retarget RECORDING --robot NAME")
    refused(run("map", "--robot", "g1"), USAGE, "'--robot'", "panto map NAME")
    refused(run("track", "--loop", walk), USAGE, "commands with it: retarget")
    refused(run("retarget", walk, "g1"), USAGE, "unexpected argument 'g1'", "for a robot write --robot g1")
    refused(run("track", walk, "x.csv"), USAGE, "unexpected argument 'x.csv'", "for an output write -o x.csv")
    refused(run("retarget", walk), USAGE, "--robot NAME (`panto robots` lists them)", "--to FILE")
    refused(run("convert", walk, "g1"), USAGE, "'g1' has no extension", "panto retarget RECORDING --robot g1")


def test_a_mujoco_model_without_a_body_is_refused_with_its_line(run, walk, tmp_path):
    (tmp_path / "g1.xml").write_text("<mujoco model='g1'></mujoco>")
    refused(run("retarget", walk, "--robot", "g1.xml"), UNUSABLE, "g1.xml:1: ", "<mujoco>", "no <body>")


@pytest.mark.parametrize("words", [("completion", "bash"), ("completion", "zsh"), ("completion", "fish"), ("man",)])
def test_every_option_is_completed_and_in_the_manual(run, words):
    text = run(*words).stdout.replace("\\-", "-")
    for command in COMMANDS:
        for option in re.findall(r"^  (?:-\w,)?--(\w[\w-]*)", run("help", command).stdout, re.M):
            assert ("-l " + option if "fish" in words else "--" + option) in text, (command, option)


def test_the_completion_is_understood_by_bash(run):
    text = run("completion", "bash").stdout
    subprocess.run(["bash", "-n"], input=text.encode(), check=True)
    asked = text + "\nCOMP_WORDS=(panto track --limits e); COMP_CWORD=3; _panto; echo \"${COMPREPLY[@]}\"\n"
    assert subprocess.run(["bash"], input=asked.encode(), capture_output=True, check=True).stdout.decode().strip() == "exact"


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_completion_is_understood_by_its_shell(run, shell):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    subprocess.run([shell, "-n"], input=run("completion", shell).stdout.encode(), check=True)


def test_the_completion_keeps_apostrophes_and_colons_of_descriptions(run):
    zsh = run("completion", "zsh").stdout
    assert r"the skeleton'\''s map" in zsh
    assert "*--rig[Use this map of the skeleton's joints, as `panto inspect -o rig.toml` writes it]:value:_files" in shlex.split(zsh, comments=True)
    assert r"leaves open\: its robot" in zsh
    fish = run("completion", "fish").stdout
    assert r"the skeleton\'s map" in fish and "leaves open: its robot" in fish
    for line in fish.splitlines()[1:]:
        assert re.fullmatch(r"(?:[^']|'(?:[^'\\]|\\.)*')*", line), line


@pytest.mark.parametrize("option, offered, withheld", [
    ("retarget --robot", "unitree_g1", None), ("retarget --model", "human48", "unitree_g1"), ("track --model", "human66", "unitree_g1"),
    ("synthesize --model", "tee7", None), ("calibrate --model", "unitree_g1", None)])  # fmt: skip
def test_robots_are_completed_only_where_an_option_takes_one(run, option, offered, withheld):
    text = run("completion", "bash").stdout
    asked = text + f"\nCOMP_WORDS=(panto {option} ''); COMP_CWORD=3; _panto; echo \"${{COMPREPLY[@]}}\"\n"
    words = subprocess.run(["bash"], input=asked.encode(), capture_output=True, check=True).stdout.decode().split()
    assert offered in words and withheld not in words


def test_an_unknown_shell_gets_the_known_names(run):
    refused(run("completion", "bsh"), USAGE, "did you mean 'bash'?", "fish")
