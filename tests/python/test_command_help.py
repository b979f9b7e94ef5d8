"""The command as people expect it: help, version, robots, near names, files of other programs, completion."""

import io
import json
import os
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess
import time
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
    assert "\n  completion" not in run("help").stdout, "for once: named at the end, not among the tasks"
    assert "`panto completion bash`" in run("help").stdout and "`panto man`" in run("help").stdout
    assert "\nCommands:\n" in run("help").stdout and "ubcommand" not in run("help").stdout


def test_help_of_an_unknown_command_names_the_nearest(run):
    refused(run("help", "trak"), USAGE, "'trak'", "did you mean 'track'?")
    refused(run("completoin", "bash"), USAGE, "did you mean 'completion'?")
    refused(run("help", "retarget", "track"), USAGE, "unexpected argument 'track'")


def test_an_option_before_the_command_names_the_nearest_or_says_where_it_belongs(run):
    refused(run("--verison"), USAGE, "unknown option '--verison'; did you mean '--version'?")
    refused(run("--robot", "g1", "retarget"), USAGE, "'--robot' comes before the command")


def test_the_command_without_python_names_the_way_to_data_sets_and_pictures(run):
    for task, *words in (("batch", "clips", "--robot", "g1", "-o", "set"), ("picture", "dance.html", "-o", "dance.png")):
        refused(run(task, *words), USAGE, f"`panto {task}`", "Python package", "pip install")
        text = run("help", task).stdout
        assert "Python package" in text and "-o FILE" in text.replace("FOLDER", "FILE") and f"Example:\n  panto {task} " in text


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


def test_progress_on_a_terminal_only_grows_and_leaves_a_clean_line(panto, project, tmp_path):
    text = (project / "examples/data/walk.bvh").read_text()
    head, motion = text.split("MOTION\n")
    count, rate, *frames = motion.splitlines()
    # there and back again, so that nothing jumps: long enough to be shown
    lap = frames + frames[::-1]
    (tmp_path / "long.bvh").write_text(head + "MOTION\n" + f"Frames: {40 * len(lap)}\n{rate}\n" + "\n".join(40 * lap) + "\n")
    for words in (["track", "long.bvh", "-o", "a.csv"], ["retarget", "long.bvh", "--robot", "icub", "-o", "a.npz"]):
        shown = on_terminal([panto, *words], tmp_path)
        shares = [int(share) for share in re.findall(r"\r\x1b\[K *(\d+) %", shown)]
        assert shares and shares == sorted(shares), shares
        # each line of progress is wiped before anything else is printed
        assert not re.search(r"\d %[^\r\n]*(Good|Usable|Not usable|note)", re.sub(r"[^\n]*\r\x1b\[K", "", shown)), shown


def on_terminal(command, folder):
    """What a command writes to a terminal."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.execv(command[0], command)
    text = ""
    try:
        while True:
            text += os.read(terminal, 65536).decode(errors="replace")
    except OSError:  # the command has ended
        pass
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == GOOD, text
    return text


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
        ("a.glb", b"glTF\x02\0\0\0", "header: the file is cut off: 8 of at least 20 bytes"),
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


def completed(run, *words):
    """What bash offers for the last of the words."""
    line = " ".join(shlex.quote(word) for word in ("panto", *words))
    asked = run("completion", "bash").stdout + f"\nCOMP_WORDS=({line}); COMP_CWORD={len(words)}; _panto; echo \"${{COMPREPLY[@]}}\"\n"
    return subprocess.run(["bash"], input=asked.encode(), capture_output=True, check=True).stdout.decode().split()


def test_the_completion_is_understood_by_bash(run):
    subprocess.run(["bash", "-n"], input=run("completion", "bash").stdout.encode(), check=True)
    assert completed(run, "track", "--limits", "e") == ["exact"]


@pytest.mark.parametrize("words, offered", [
    ("retarget --for mj", "mjlab"), ("synthesize fast", "fast_walk"), ("synthesize --fault gyro_b", "gyro_bias"), ("synthesize --fault al", "all"),
    ("calibrate --pose c", "chair"), ("bench --scene po", "positions"), ("bench --solver pair", "pairwise"), ("completion z", "zsh"),
    ("help retar", "retarget"), ("completio", "completion"), ("retarget --relative o", "off"), ("retarget --robot g1_", "g1_29dof"),
    ("retarget --robot = tal", "talos"), ("-v", "-v")])  # fmt: skip
def test_closed_lists_are_completed(run, words, offered):
    assert completed(run, *words.split()) == [offered]


def test_files_are_completed_where_no_list_is_known(run):
    assert completed(run, "track", "") == completed(run, "track", "-o", "") == completed(run, "retarget", "--height", "") == []


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_completion_is_understood_by_its_shell(run, shell):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    subprocess.run([shell, "-n"], input=run("completion", shell).stdout.encode(), check=True)


def test_no_colon_ends_a_value_of_zsh_too_early(run):
    """_arguments splits a specification at every colon that is not escaped: in the text, since `zsh -n` does not see it."""
    specifications = [word for word in shlex.split(run("completion", "zsh").stdout, comments=True) if re.match(r"\*-", word)]
    assert len(specifications) > 100
    for word in specifications:
        found = re.fullmatch(r"\*-[-\w]+\[(?:[^\]\\]|\\.)*\](?::value:(.*))?", word)
        assert found and not re.search(r"(?<!\\):", found[1] or ""), word
    assert any(word.startswith("*--feet[") and word.endswith(":value:(plant soft off hold)") for word in specifications)
    assert any(word.startswith("*--robot[") and r'{_alternative "words\:words\:(' in word and "_files" in word for word in specifications)


def typed_in_zsh(folder, keys, awaited):
    """What an interactive zsh shows after `keys` until `awaited`, its completions being those of `folder`."""
    (folder / ".zshrc").write_text("fpath=($ZDOTDIR $fpath)\nPROMPT='ready> '\nautoload -Uz compinit; compinit -D -u\nsetopt no_beep\n")
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.execvpe("zsh", ["zsh", "-i"], {**os.environ, "ZDOTDIR": str(folder), "TERM": "dumb", "COLUMNS": "150"})

    def shown(until, seconds):
        text, end = "", time.monotonic() + seconds
        while until not in text and time.monotonic() < end:
            if select.select([terminal], [], [], 0.1)[0]:
                text = re.sub(r"\x1b\[[?\d;]*[a-zA-Z]|\x08|\r", "", text + os.read(terminal, 65536).decode(errors="replace"))
        return text

    try:
        assert "ready>" in shown("ready>", 30)
        os.write(terminal, keys.encode())
        return shown(awaited, 10)
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(terminal)


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
@pytest.mark.parametrize("words, offered", [
    ("retarget --feet pl", "plant"), ("retarget --robot booster", "booster_t1"), ("retarget --robot my_ro", "my_robot.urdf"),
    ("retarget --for mj", "mjlab"), ("synthesize fast", "fast_walk"), ("completion z", "zsh"), ("help retar", "retarget"),
    ("track my_ro", "my_robot.urdf")])  # fmt: skip
def test_zsh_completes_words_and_files(run, tmp_path, words, offered):
    (tmp_path / "_panto").write_text(run("completion", "zsh").stdout)
    (tmp_path / "my_robot.urdf").touch()
    awaited = f"panto {words.rpartition(' ')[0]} {offered}"
    assert awaited in typed_in_zsh(tmp_path, f"panto {words}\t", awaited)


def test_the_manual_has_the_names_of_the_help_and_its_lists(run):
    text = run("man").stdout.replace("\\-", "-")
    for command in [*COMMANDS, "completion", "man"]:
        usage = re.search(r"^Usage: (.*)$", run("help", command).stdout, re.M)[1]
        assert text.count(f"\n.B {usage}\n") == 2, "in the synopsis and with the command"
    assert "\n.B recording" not in text and "\n.TP\n.B -i, --in FILE\nSame as RECORDING\n" in text
    assert "\n.TP\n.B -v, --version\n" in text
    for line in ("walk: walking", "gyro_bias: ", "clamped: "):
        assert f"\n.br\n{line}" in text, line


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
    words = completed(run, *option.split(), "")
    assert offered in words and withheld not in words


def test_an_unknown_shell_gets_the_known_names(run):
    refused(run("completion", "bsh"), USAGE, "did you mean 'bash'?", "fish")
