"""panto inspect: what it says of clean, odd, foreign and hostile files, and the rig map that it writes."""

import json
import os
import re

import pytest
from command import CHECK_FAILED, GOOD, UNUSABLE, USAGE, card_of, refused

KEYS = """file format trackable refusal part damage frames file_frames duration_s rate_hz stated_rate_hz rest_pose_dropped
rest_pose_reason has_angular_velocity has_linear_velocity floor_m travel_m person oddities rig skeleton mvnx table notes verdict""".split()
RECORDINGS = ["bvh", "mvnx", "opensim"]
# what is not a recording at all
FOREIGN = {".csv", ".xml"}


def inspected(result):
    """The object that --json printed, with all its keys."""
    found = card_of(result)
    assert list(found) == KEYS
    assert found["trackable"] == (found["refusal"] is None)
    assert found["trackable"] or found["verdict"]["grade"] == "unreliable"
    for oddity in found["oddities"]:
        assert list(oddity) == ["kind", "weight", "segment", "count", "largest", "worst_frame", "worst_s", "text"]
        assert oddity["weight"] in ("remark", "suspect", "fault")
    return found


def kinds(found, *weights):
    return {oddity["kind"] for oddity in found["oddities"] if not weights or oddity["weight"] in weights}


# --- what is clean


@pytest.mark.parametrize("motion", ["walk", "run", "fast_walk"])
@pytest.mark.parametrize("extension", ["mvnx", "bvh"])
def test_nothing_is_odd_about_a_synthetic_walk(run, motion, extension):
    assert run("synthesize", motion, "--duration", 4, "--height", 1.8, "-o", f"a.{extension}").returncode == GOOD
    found = inspected(run("inspect", f"a.{extension}", "--json"))
    assert found["trackable"] and found["frames"] == 240 and found["rate_hz"] == pytest.approx(60.0)
    assert found["oddities"] == []
    assert found["person"]["height_m"] == pytest.approx(1.8, abs=0.03)
    assert found["person"]["thigh_m"]["left"] == pytest.approx(found["person"]["thigh_m"]["right"], abs=1e-3)
    assert found["has_angular_velocity"] == (extension == "mvnx")
    assert (found["rig"] is None) == (extension == "mvnx")


def test_swapped_names_are_reported_by_inspect_and_track(run, tmp_path):
    assert run("synthesize", "walk", "--duration", 4, "-o", "a.bvh").returncode == GOOD
    text = (tmp_path / "a.bvh").read_text()
    other = {"Left": "Right", "Right": "Left"}
    (tmp_path / "b.bvh").write_text(re.sub("(?<= )(Left|Right)(?=[A-Z])", lambda side: other[side[0]], text))
    assert "named the wrong way round" not in run("inspect", "a.bvh").stdout
    assert "named the wrong way round" in run("inspect", "b.bvh").stdout.splitlines()[0]
    tracked = run("track", "b.bvh", "--json")
    assert "the names are swapped" in tracked.stderr
    # and the motion is that of the body
    assert card_of(tracked)["state_hash"] == card_of(run("track", "a.bvh", "--json"))["state_hash"]


def test_every_recording_is_inspected_and_what_is_trackable_is_tracked(run, data_file):
    seen = 0
    for folder in RECORDINGS:
        for path in sorted(data_file(folder).rglob("*")):
            if not path.is_file():
                continue
            result = run("inspect", path, "--json")
            if path.suffix in FOREIGN and not path.stem.endswith("_pos"):  # a table of places by joint is a person
                refused(result, UNUSABLE, path.name)
                continue
            if "sensors" in json.loads(result.stdout):  # orientations of trackers: --sensors must say where these sit
                assert path.suffix == ".sto"
                refused(run("track", path), USAGE, "--sensors")
                seen += 1
                continue
            found = inspected(result)
            seen += 1
            tracked = run("track", path, "--json")
            assert (tracked.returncode == GOOD) == found["trackable"], (path, tracked.stderr, found["refusal"])
            if found["trackable"]:
                assert json.loads(tracked.stdout)["frames"] == found["frames"]
                assert "fault" not in {oddity["weight"] for oddity in found["oddities"]}, (path, found["oddities"])
            else:
                assert found["refusal"].splitlines()[0] in tracked.stderr
            text = run("inspect", path, "--verbose")
            assert text.returncode == GOOD and text.stderr == ""
            assert max(map(len, text.stdout.splitlines()[2:])) <= max(80, 2 + 16 + len(str(path)) + 2), path
    assert seen >= 25


def test_the_text_says_the_most_important_first(run, data_file):
    text = run("inspect", data_file("bvh/cmu/002_03.bvh"), "--verbose").stdout
    assert text.startswith("Good: human motion")
    headings = ["Motion", "Person", "How the skeleton is understood", "In the file"]
    places = [text.index(f"\n{heading}\n") for heading in headings]
    assert places == sorted(places)
    assert max(map(len, text.splitlines()[2:])) <= 80


# --- what is odd


def test_a_gap_repeated_frames_and_a_teleport_are_named(run, tmp_path):
    assert run("synthesize", "walk", "--duration", 4, "-o", "a.bvh").returncode == GOOD
    head, _, body = (tmp_path / "a.bvh").read_text().partition("Frame Time:")
    time, *rows = body.splitlines()
    rows[100] = rows[99]
    for number in range(150, len(rows)):
        x, y, rest = rows[number].split(" ", 2)
        rows[number] = f"{float(x) + 90.0} {y} {rest}"
    (tmp_path / "b.bvh").write_text(head + "Frame Time:" + "\n".join([time, *rows]) + "\n")
    found = inspected(run("inspect", "b.bvh", "--json"))
    assert kinds(found) == {"repeated_frames", "jump"}
    (jump,) = (oddity for oddity in found["oddities"] if oddity["kind"] == "jump")
    assert jump["segment"] == "Pelvis" and jump["worst_s"] == pytest.approx(150 / 60.0) and jump["largest"] == pytest.approx(0.9, abs=0.1)
    assert run("inspect", "b.bvh").stdout.startswith("Usable, but ")
    # a verdict that is not Good ends the command with 1 where that is asked for
    assert run("inspect", "b.bvh", "--strict").returncode == CHECK_FAILED
    assert run("inspect", "b.bvh", "--strict", "--json").returncode == CHECK_FAILED
    assert run("inspect", "a.bvh", "--strict").returncode == GOOD


def test_angular_velocities_in_degrees_are_converted_and_said(run, tmp_path):
    assert run("synthesize", "run", "--duration", 2, "-o", "a.mvnx").returncode == GOOD

    def in_degrees(match):
        return match[1] + " ".join(str(float(word) * 57.29578) for word in match[2].split()) + match[3]

    text = re.sub(r"(<angularVelocity>)([^<]*)(</angularVelocity>)", in_degrees, (tmp_path / "a.mvnx").read_text())
    (tmp_path / "b.mvnx").write_text(text)
    found = inspected(run("inspect", "b.mvnx", "--json"))
    assert found["oddities"] == []
    assert sum("taken as degrees per second" in note for note in found["notes"]) == 1


def test_missing_frames_of_an_mvnx_are_a_gap(run, tmp_path):
    assert run("synthesize", "walk", "--duration", 2, "-o", "a.mvnx").returncode == GOOD
    text = (tmp_path / "a.mvnx").read_text()
    cut = re.sub(r'<frame [^>]*index="(5\d)".*?</frame>\s*', "", text, flags=re.S)
    assert cut != text
    (tmp_path / "b.mvnx").write_text(cut)
    found = inspected(run("inspect", "b.mvnx", "--json"))
    assert kinds(found) == {"gap"} and "10 frames are missing" in found["oddities"][0]["text"]


def test_a_cut_recording_is_inspected_up_to_there(run, take, tmp_path):
    whole = take.read_bytes()
    (tmp_path / "cut.mvnx").write_bytes(whole[: len(whole) // 2])
    found = inspected(run("inspect", "cut.mvnx", "--json"))
    assert found["trackable"] and 10 < found["frames"] < 112
    assert re.search(r"cut\.mvnx:\d+: ", found["damage"])
    assert "damaged" in run("inspect", "cut.mvnx").stdout


# --- what is no human


def test_a_skeleton_that_is_no_human_is_described_and_refused_with_the_reason(run, data_file):
    found = inspected(run("inspect", data_file("bvh/corner-cases/sinusoidal.bvh"), "--json"))
    assert not found["trackable"] and "human" in found["refusal"] and found["rig"] is None
    assert found["skeleton"]["joints"] == ["base", "child1", "child2", "child3"] and found["file_frames"] == 120
    assert found["frames"] is None and found["rate_hz"] == pytest.approx(60.0)


def test_a_table_of_another_model_is_described(run, data_file):
    found = inspected(run("inspect", data_file("opensim/Hamner_subject02_running_ik.mot"), "--json"))
    assert not found["trackable"] and "human48" in found["refusal"]
    assert found["table"]["row_count"] == 599 and "knee_angle_r" in found["table"]["columns"]


# --- the rig map


def test_a_written_map_given_back_gives_the_same_motion(run, data_file, tmp_path):
    for clip in ("bvh/cmu/002_03.bvh", "bvh/corner-cases/cmu_12_01_walk.bvh", "mvnx/blender-mvnx-io_test_mocap.bvh"):
        path = data_file(clip)
        assert run("inspect", path, "-o", "map.toml").returncode == GOOD
        assert len((tmp_path / "map.toml").read_text().splitlines()) < 100, "small enough to edit"
        plain, mapped = (card_of(run("track", path, "--json", "-o", name, *option)) for name, option in (("a.mvnx", ()), ("b.mvnx", ("--rig", "map.toml"))))
        assert plain["frames"] == mapped["frames"]
        numbers = []
        for name in ("a.mvnx", "b.mvnx"):
            text = (tmp_path / name).read_text()
            numbers.append([float(word) for part in re.findall(r"<orientation>([^<]*)<", text) for word in part.split()])
        # nine decimals of every frame's quaternion: 1e-6 degrees are 1e-8 of a half angle
        assert max(abs(a - b) for a, b in zip(*numbers, strict=True)) < 2e-8
        # and the map that is found with it is the same again, but for the last digit
        assert run("inspect", path, "--rig", "map.toml", "-o", "again.toml").returncode == GOOD
        def settings(name):
            lines = (tmp_path / name).read_text().partition("[offsets")[0].splitlines()
            return [setting for line in lines if (setting := line.partition("#")[0].rstrip())]

        assert settings("map.toml") == settings("again.toml")


def test_an_edited_joint_is_followed_and_its_frame_found_again(run, data_file, tmp_path):
    path = data_file("bvh/cmu/002_03.bvh")
    assert run("inspect", path, "-o", "map.toml").returncode == GOOD
    text = (tmp_path / "map.toml").read_text()
    assert 'Head          = "CC_Base_Head"' in text
    (tmp_path / "map.toml").write_text(text.replace('Head          = "CC_Base_Head"', 'Head          = "CC_Base_NeckTwist02"', 1))
    found = inspected(run("inspect", path, "--rig", "map.toml", "--json"))
    assert found["rig"]["segments"]["Head"]["joint"] == "CC_Base_NeckTwist02"
    assert any("Head" in note and "found again" in note for note in found["notes"])


def test_a_map_that_does_not_fit_is_refused_with_the_nearest_name(run, data_file, tmp_path):
    path = data_file("bvh/cmu/002_03.bvh")
    (tmp_path / "map.toml").write_text('version = 1\n[segments]\nHead = "CC_Base_Haed"\n')
    result = run("track", path, "--rig", "map.toml")
    assert result.returncode in (USAGE, UNUSABLE) and "CC_Base_Haed" in result.stderr and "'CC_Base_Head'" in result.stderr
    (tmp_path / "map.toml").write_text('version = 1\n[segments]\nHaed = "CC_Base_Head"\n')
    refused(run("track", path, "--rig", "map.toml"), UNUSABLE, "map.toml:3:", "'Head'")


def test_a_map_that_is_missing_or_broken_is_the_maps_fault(run, data_file, tmp_path):
    path = data_file("bvh/cmu/002_03.bvh")
    (tmp_path / "broken.toml").write_text("version = 1\n[segments\n")
    for command in ("inspect", "track", "check"):
        refused(run(command, path, "--rig", "nowhere.toml"), UNUSABLE, "nowhere.toml", "No such file")
        refused(run(command, path, "--rig", "broken.toml"), UNUSABLE, "broken.toml:2:")
    (tmp_path / "map.toml").write_text('version = 1\n[segments]\nNeck = "CC_Base_NeckTwist01"\nHead = "CC_Base_Haed"\n')
    for command in ("inspect", "track", "check"):
        refused(run(command, path, "--rig", "map.toml"), UNUSABLE, "map.toml:4:", "'CC_Base_Head'")


def test_replacing_a_map_is_reported(run, data_file):
    path = data_file("bvh/cmu/002_03.bvh")
    assert run("inspect", path, "-o", "map.toml").stdout.endswith("wrote map.toml\n")
    assert run("inspect", path, "-o", "map.toml").stdout.endswith("wrote map.toml (replaced the existing file)\n")


def test_a_truncated_bvh_says_so_at_once(run, tmp_path):
    assert run("synthesize", "walk", "--duration", 2, "-o", "a.bvh").returncode == GOOD
    lines = (tmp_path / "a.bvh").read_text().splitlines(keepends=True)
    (tmp_path / "b.bvh").write_text("".join(lines[:-50]))
    found = inspected(run("inspect", "b.bvh", "--json"))
    assert found["trackable"] and found["file_frames"] == 70 and "120 frames are declared but only 70" in found["damage"]
    text = run("inspect", "b.bvh").stdout
    assert text.startswith("Usable, but the file is damaged: ")
    assert text.count("declared") == 1


def test_frames_are_counted_as_the_file_does(run, data_file):
    found = inspected(run("inspect", data_file("bvh/cmu/007_04.bvh"), "--json"))
    assert found["rest_pose_dropped"] and found["frames"] == found["file_frames"] - 1
    assert found["rest_pose_reason"] and "left out" not in found["rest_pose_reason"]


def test_a_map_is_not_needed_where_segments_are_named(run, walk, tmp_path):
    (tmp_path / "map.toml").write_text("version = 1\n")
    result = run("track", walk, "--rig", "map.toml", "--json")
    assert result.returncode == GOOD and "map.toml" in result.stderr and "is ignored" in result.stderr
    result = run("inspect", walk, "-o", "new.toml")
    assert result.returncode == UNUSABLE and "no rig map" in result.stderr and result.stdout.startswith("Good: ")
    assert not (tmp_path / "new.toml").exists()


# --- hostile inputs and lines


@pytest.mark.parametrize("command", ["inspect", "check", "convert"])
@pytest.mark.parametrize("name", ["a.bvh", "a.mvnx", "a.trc", "a.npz", "a.sto", "a.csv", "a.dat"])
@pytest.mark.parametrize("content", [b"", b"\n\n", bytes(range(256)) * 20, b"\0" * 5000, b"PK\x03\x04", b"HIERARCHY\nROOT"])
def test_files_that_cannot_be_read_are_refused_in_one_line(run, tmp_path, command, name, content):
    (tmp_path / name).write_bytes(content)
    result = run(command, name, *(["out.mvnx"] if command == "convert" else []))
    refused(result, UNUSABLE, name)
    assert len(result.stderr.strip().splitlines()) <= 3
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("command", ["inspect", "check", "convert"])
def test_missing_files_folders_and_forbidden_files_are_named(run, tmp_path, command):
    output = ["out.mvnx"] if command == "convert" else []
    refused(run(command, "nowhere.bvh", *output), UNUSABLE, "nowhere.bvh", "No such file")
    (tmp_path / "folder.bvh").mkdir()
    refused(run(command, "folder.bvh", *output), UNUSABLE, "folder.bvh", "regular file")
    if os.geteuid() != 0:
        (tmp_path / "secret.bvh").write_text("HIERARCHY")
        (tmp_path / "secret.bvh").chmod(0)
        refused(run(command, "secret.bvh", *output), UNUSABLE, "secret.bvh", "ermission")


def test_counts_that_a_file_only_claims_cost_nothing(run, tmp_path):
    text = "HIERARCHY\nROOT a\n{\n OFFSET 0 0 0\n CHANNELS 3 Xrotation Yrotation Zrotation\n End Site\n {\n OFFSET 0 1 0\n }\n}\n"
    (tmp_path / "a.bvh").write_text(text + "MOTION\nFrames: 99999999\nFrame Time: 0.01\n1 2 3\n4 5 6\n")
    found = inspected(run("inspect", "a.bvh", "--json"))
    assert not found["trackable"] and found["file_frames"] == 2


@pytest.mark.parametrize(
    "line, words",
    [
        ("inspect", ["RECORDING"]),
        ("inspect WALK --jsn", ["'--jsn'", "did you mean '--json'"]),
        ("inspect WALK -o WALK", ["is also the input"]),
        ("inspect WALK -o map.json", ["map.json", ".toml"]),
        ("inspect WALK more", ["unexpected argument 'more'"]),
    ],
)
def test_a_line_that_cannot_be_understood_is_a_usage_error(run, walk, tmp_path, line, words):
    result = run(*(str(walk) if word == "WALK" else word for word in line.split()))
    refused(result, USAGE, *words)
    assert list(tmp_path.iterdir()) == []
