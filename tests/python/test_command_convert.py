"""panto convert: round trips within stated tolerances, what is lost is said, what cannot be is refused."""

import math
import re

import pytest
from command import GOOD, UNUSABLE, USAGE, refused

SKELETONS, TABLES, SAMPLES = ["bvh", "mvnx"], ["csv", "mot", "sto"], ["trc", "npz"]


def frames_of(path):
    """Orientations of an MVNX: frame by frame, 23 quaternions."""
    frames = []
    for part in re.findall(r'<frame [^>]*type="normal".*?<orientation>([^<]*)<', path.read_text(), re.S):
        numbers = list(map(float, part.split()))
        frames.append([numbers[i : i + 4] for i in range(0, 92, 4)])
    return frames


def positions_of(path):
    return [list(map(float, part.split())) for part in re.findall(r'<frame [^>]*type="normal".*?<position>([^<]*)<', path.read_text(), re.S)]


def largest_angle_deg(a, b):
    def angle(p, q):
        # from the difference: accurate near zero
        sign = 1.0 if sum(x * y for x, y in zip(p, q)) >= 0.0 else -1.0
        return 4.0 * math.asin(min(1.0, 0.5 * math.dist(p, [sign * x for x in q])))

    assert len(a) == len(b)
    return math.degrees(max(angle(p, q) for frame, other in zip(a, b) for p, q in zip(frame, other)))


@pytest.fixture
def converted(run):
    def convert(*arguments):
        result = run("convert", *arguments)
        assert result.returncode == GOOD, result.stderr
        assert f"\nwrote {arguments[1]}" in result.stdout
        return result

    return convert


# --- there and back


# (format, options, largest angle [deg], places [m] or None where the format holds no sizes)
@pytest.mark.parametrize(
    "way, options, degrees, metres",
    [
        ("csv", (), 1e-4, None),
        ("mot", (), 1e-4, None),
        ("sto", (), 1e-4, None),
        # points are no sizes of a body: those are estimated from them
        ("csv", ("--as", "keypoints"), 1e-4, 0.02),
        ("npz", (), 1e-4, 0.02),
        ("sto", ("--as", "orientations"), 1e-4, None),
        ("mvnx", (), 1e-4, 1e-4),
    ],
)
@pytest.mark.parametrize("source", ["walk", "take"])
def test_there_and_back_is_the_same_motion(request, run, converted, tmp_path, way, options, degrees, metres, source):
    original = request.getfixturevalue(source)
    converted(original, "a.mvnx")  # in our own form first, so that what follows is the way's doing
    converted("a.mvnx", f"b.{way}", *options)
    converted(f"b.{way}", "c.mvnx")
    a, c = frames_of(tmp_path / "a.mvnx"), frames_of(tmp_path / "c.mvnx")
    assert largest_angle_deg(a, c) < degrees
    if metres:
        for one, other in zip(positions_of(tmp_path / "a.mvnx"), positions_of(tmp_path / "c.mvnx"), strict=True):
            assert max(abs(x - y) for x, y in zip(one, other)) < metres


def test_a_bvh_of_ours_is_read_back_as_it_was_written(run, converted, walk, tmp_path):
    converted(walk, "a.mvnx")
    converted("a.mvnx", "b.bvh")
    converted("b.bvh", "c.mvnx")
    assert largest_angle_deg(frames_of(tmp_path / "a.mvnx"), frames_of(tmp_path / "c.mvnx")) < 1e-4


def test_an_mvnx_keeps_the_orientations_of_the_recording(converted, take, tmp_path):
    converted(take, "a.mvnx")
    assert largest_angle_deg(frames_of(take), frames_of(tmp_path / "a.mvnx")) < 1e-4


def test_bvh_to_bvh_keeps_every_joint_and_number(run, converted, data_file, tmp_path):
    for name in ("bvh/cmu/005_02.bvh", "bvh/corner-cases/sinusoidal.bvh", "bvh/corner-cases/test_freebvh.bvh"):
        path = data_file(name)
        result = converted(path, "a.bvh")
        assert "stay unchanged" in result.stderr
        converted("a.bvh", "b.bvh")
        assert (tmp_path / "a.bvh").read_bytes() == (tmp_path / "b.bvh").read_bytes()
        words = [re.findall(r"[^\s]+", text) for text in (path.read_text(), (tmp_path / "a.bvh").read_text())]
        joints = [[b for a, b in zip(text, text[1:]) if a in ("JOINT", "ROOT")] for text in words]
        assert joints[0] == joints[1]
        motions = [list(map(float, text[text.index("Time:") + 2 :])) for text in words]
        assert motions[0] == motions[1]


def test_every_pair_of_formats_that_can_hold_it_is_converted(run, converted, walk, tmp_path):
    names = []
    for extension in SKELETONS + TABLES + SAMPLES:
        converted(walk, f"a.{extension}")
        names.append(f"a.{extension}")
    converted(walk, "k.csv", "--as", "keypoints")
    converted(walk, "o.sto", "--as", "orientations")
    for source in [*names, "k.csv", "o.sto"]:
        for extension in SKELETONS + TABLES + SAMPLES:
            if (source, extension) == ("o.sto", "trc"):
                refused(run("convert", source, "no.trc"), UNUSABLE, "o.sto", "holds no positions")
                continue
            result = converted(source, f"z.{extension}")
            assert re.search(r"\b120 frames", result.stdout), (source, extension, result.stdout)
    left = {path.name for path in tmp_path.iterdir()}
    assert not any(name.endswith(".part") for name in left)


def test_every_real_recording_is_converted_or_refused_with_a_reason(run, data_file, tmp_path):
    count = 0
    for folder in ("bvh", "mvnx", "opensim"):
        for path in sorted(data_file(folder).rglob("*")):
            if not path.is_file():
                continue
            tracked = run("track", path, "--json").returncode
            result = run("convert", path, "z.mvnx")
            # orientations of sensors lack a file for track, and a body for convert
            assert result.returncode == (UNUSABLE if tracked == USAGE else tracked), (path, result.stderr)
            if tracked == GOOD:
                count += 1
                assert " -> human66, " in result.stdout
    assert count >= 15


# --- what is lost


def test_losses_are_listed(run, converted, walk, take, data_file):
    rig = converted(data_file("bvh/cmu/002_03.bvh"), "a.mvnx").stderr
    assert re.search(r"not kept: \d+ joints beyond the body", rig) and "own joints and axes" in rig
    mvnx = converted(take, "a.bvh").stderr
    assert "not kept: sensor data" in mvnx and "not kept: measured velocities" in mvnx
    assert "not kept: the person's sizes" in converted(walk, "a.csv").stderr
    assert "not kept: orientations" in converted(walk, "a.trc").stderr
    assert "not kept: positions" in converted(walk, "a.sto", "--as", "orientations").stderr
    assert converted(walk, "b.bvh").stdout.startswith("Good: the model follows the recording exactly")


def test_points_that_are_no_body_can_still_change_their_format(run, converted, data_file, tmp_path):
    sensors = data_file("opensim/Inverese_Kinematics_with_IMUs_walking_orientations.sto")
    assert "frames of" in converted(sensors, "a.csv").stdout
    (tmp_path / "a.csv").unlink()
    refused(run("convert", sensors, "a.mvnx"), UNUSABLE, "no person was recognised")
    # a file without a single value is none
    for extension in ("trc", "npz"):
        refused(run("convert", sensors, f"a.{extension}"), UNUSABLE, "holds no positions", ".sto")
    markers = "PathFileType\t4\t(X/Y/Z)\ta.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n"
    markers += "60\t60\t3\t2\tmm\t60\t1\t3\nFrame#\tTime\tball\t\t\tcube\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n"
    markers += "".join(f"{k + 1}\t{k / 60:.6f}\t{k}\t2\t3\t4\t5\t6\n" for k in range(3))
    (tmp_path / "ball.trc").write_text(markers)
    refused(run("convert", "ball.trc", "a.sto", "--as", "orientations"), UNUSABLE, "holds no orientations", ".npz")
    assert [path.name for path in tmp_path.iterdir()] == ["ball.trc"]


def test_a_model_that_is_named_is_tracked_even_from_bvh_to_bvh(converted, data_file):
    path = data_file("bvh/cmu/005_02.bvh")
    assert "stay unchanged" in converted(path, "a.bvh").stderr
    assert "-> human66, 562 frames" in converted(path, "b.bvh", "--model", "human66").stdout


def test_a_recording_without_a_solvable_frame_is_refused(run, converted, walk, tmp_path):
    """No segment is measured in any frame: no table with zeros, no output, exit code 3."""
    converted(walk, "a.sto", "--as", "orientations")
    header, _, rows = (tmp_path / "a.sto").read_text().partition("endheader\n")
    labels, *rows = rows.splitlines()
    empty = ["\t".join([row.split("\t")[0]] + ["NaN,NaN,NaN,NaN"] * 23) for row in rows]
    (tmp_path / "none.sto").write_text(header + "endheader\n" + "\n".join([labels, *empty]) + "\n")
    (tmp_path / "a.sto").unlink()
    for line in (("track", "none.sto", "-o", "a.csv", "--report", "a.html", "--json"), ("convert", "none.sto", "a.mvnx"), ("check", "none.sto")):
        refused(run(*line), UNUSABLE, "none.sto", "none of its 120 frames", "no segment")
    found = run("inspect", "none.sto")
    assert "not trackable" in found.stdout and "no frame has a measured segment" in found.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["none.sto"]


# --- models


def test_a_model_becomes_one_that_opensim_opens(run, tmp_path):
    made = run("convert", "human66", "human66.osim")
    assert made.returncode == GOOD and "wrote human66.osim: human66, 67 links, 66 movable joints" in made.stdout
    text = (tmp_path / "human66.osim").read_text()
    assert text.count("<Coordinate name=") == 72 and text.count("<Body name=") == 23
    back = run("convert", "human66.osim", "again.urdf")
    assert back.returncode == UNUSABLE and "human66.osim: is an OpenSim model, which Panto writes but does not read" in back.stderr


@pytest.mark.parametrize("model, joints", [("unitree_g1", 29), ("icub", 32), ("olivia17", 17), ("tee7", 7), ("human48", 48)])
def test_a_model_becomes_a_urdf(model, joints, run, tmp_path):
    made = run("convert", model, "robot.urdf")
    assert made.returncode == GOOD, made.stderr
    assert f"{joints} movable joints" in made.stdout
    again = run("convert", "robot.urdf", "again.urdf")
    assert again.returncode == GOOD and f"{joints} movable joints" in again.stdout


@pytest.mark.parametrize(
    "line, words",
    [
        ("convert WALK", ["OUTPUT", ".bvh"]),
        ("convert WALK a.urdf", ["a.urdf", ".urdf holds a model, no motion", ".bvh"]),
        ("convert WALK a.bhv", ["does not write .bhv", "did you mean '.bvh'"]),
        ("convert WALK noextension", ["noextension", ".csv"]),
        ("convert WALK WALK", ["is also the input"]),
        ("convert WALK a.csv --as points", ["'points'", "keypoints"]),
        ("convert WALK a.trc --as angles", ["'angles' is asked for", ".trc holds keypoints"]),
        ("convert WALK a.mot --as orientations", ["'orientations'", ".mot holds angles"]),
        ("convert WALK a.sto --as keypoints", ["'keypoints'", "angles, orientations"]),
        ("convert WALK a.npz --as orientations", ["'orientations'", ".npz holds keypoints, which include orientations"]),
        ("convert WALK a.csv --as orientations", ["'orientations'", ".csv holds angles, keypoints"]),
        ("convert WALK a.c3d", ["does not write .c3d", "one of .bvh, .mvnx"]),
        ("convert WALK a.bvh --as angles", ["'angles'", ".bvh holds skeleton"]),
        ("convert WALK a.mvnx --model human67", ["did you mean 'human66'"]),
        ("convert g1 a.csv", ["'g1' is a model", ".urdf", ".csv needs a recording"]),
        ("convert g1 a.xml --for mjlab --fps 30 --loop", ["--for has no effect", "'g1' is a model"]),
        ("convert WALK a.csv --as keypoints --angles isb", ["--angles has no effect", "points"]),
        ("convert WALK b.bvh --angles isb", ["--angles isb has no effect"]),
        ("convert WALK b.bvh --clean strong", ["cleaning applies to points", "holds none"]),
        ("convert WALK a.bvh b.bvh", ["unexpected argument 'b.bvh'"]),
    ],
)
def test_a_line_that_cannot_be_understood_is_a_usage_error(run, walk, tmp_path, line, words):
    before = walk.read_bytes()
    refused(run(*(str(walk) if word == "WALK" else word for word in line.split())), USAGE, *words)
    assert list(tmp_path.iterdir()) == [] and walk.read_bytes() == before


def test_an_output_that_cannot_be_written_is_named(run, walk, tmp_path):
    for extension in ("bvh", "mvnx", "csv", "trc", "npz"):
        refused(run("convert", walk, f"no/such/a.{extension}"), UNUSABLE, f"no/such/a.{extension}", "the folder 'no/such' does not exist")
        (tmp_path / f"folder.{extension}").mkdir()
        refused(run("convert", walk, f"folder.{extension}"), UNUSABLE, f"folder.{extension}")


def test_complete_frames_of_a_cut_recording_are_converted(run, take, tmp_path):
    whole = take.read_bytes()
    (tmp_path / "cut.mvnx").write_bytes(whole[: len(whole) // 2])
    for output in ("a.bvh", "a.trc"):
        result = run("convert", "cut.mvnx", output)
        assert result.returncode == UNUSABLE and "cut.mvnx:" in result.stderr
        assert re.search(r"\d+ frames", result.stdout) and (tmp_path / output).exists()
