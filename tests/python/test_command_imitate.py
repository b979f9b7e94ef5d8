"""panto imitate: gestures of a person, one by one, within a robot's range and speed."""

import csv
import json
import re

import numpy as np
import pytest
from command import CHECK_FAILED, GOOD, UNUSABLE, USAGE, card_of, refused


def table(path):
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(line for line in file if not line.startswith("#"))
    return header, np.array(rows, dtype=float)


@pytest.fixture
def imitate(run):
    return lambda *words: card_of(run("imitate", *words, "--json"))


@pytest.fixture
def gesture(run):
    """A gesture of known truth as a recording of segments at 80 Hz."""

    def make(name, seconds=8):
        assert run("synthesize", name, "--rate", 80, "--duration", seconds, "-o", f"{name}.mvnx").returncode == 0
        return f"{name}.mvnx"

    return make


def clean(part):
    figures = part["motion"]
    return figures["limit_violations"] == 0 and figures["velocity_violations"] == 0 and figures["row_violations"] == 0


@pytest.mark.parametrize("name", ["wave", "conduct"])
def test_a_gesture_points_where_the_person_points_and_stays_inside(name, imitate, gesture, tmp_path):
    card = imitate(gesture(name), "-o", "robot.csv")
    assert card["solver"] == "modular"
    assert card["gestures"]
    for part in card["gestures"]:
        assert clean(part)
        assert part["motion"]["scaling"]["stretch"] >= 1.0
        for limb in part["limbs"]:
            if limb["segment"].endswith("Arm"):  # the elbow's and the wrist's direction; the issue asks for 1 deg
                assert limb["direction_median_deg"] < 1.0, limb
        for path in part["written"]:
            header, rows = table(tmp_path / path)
            assert len(rows) > 10 and np.isfinite(rows).all()
        assert part["scale_ms"] > 0.0
    assert card["solve_ms"] > 0.0


@pytest.mark.parametrize("robot", ["unitree_g1", "olivia17"])
@pytest.mark.parametrize("name", ["wave", "conduct", "forearm_roll", "overflex", "singular"])
def test_a_motion_that_ends_at_rest_returns_to_its_first_pose(name, robot, run, tmp_path):
    periods = {"wave": 6, "conduct": 8, "forearm_roll": 8, "overflex": 10, "singular": 12}  # from rest to rest
    assert run("synthesize", name, "--rate", 80, "--duration", periods[name], "-o", "take.mvnx").returncode == 0
    done = run("retarget", "take.mvnx", "--robot", robot, "--solver", "modular", "--limits", "scale", "--feet", "off", "-o", "robot.csv")
    assert done.returncode == 0, done.stderr
    header, rows = table(tmp_path / "robot.csv")
    joints = [i for i, name in enumerate(header) if name.endswith("_rad")]
    turned = np.degrees(np.abs(rows[-1, joints] - rows[0, joints]))
    assert turned.max() < 2.0, dict(zip(np.array(header)[joints], turned.round(1)))


def test_several_gestures_go_to_numbered_files(imitate, gesture, tmp_path):
    card = imitate(gesture("wave", 14), "-o", "out.csv", "--min-pause", 0)
    files = [path for part in card["gestures"] for path in part["written"]]
    assert len(files) == len(card["gestures"])
    if len(files) > 1:
        assert files[:2] == ["out_1.csv", "out_2.csv"]
    assert all((tmp_path / path).exists() for path in files)


def test_a_dancer_of_a_real_take_becomes_gestures(imitate, data_file, tmp_path):
    card = imitate(data_file("mvnx/blender-mvnx-io_test_mocap.mvnx"), "-o", "dance.csv", "--report", "dance.html")
    assert card["gestures"]
    for part in card["gestures"]:
        assert clean(part)
        assert any(path.endswith(".html") for path in part["written"])


def test_slower_only_where_it_must_be_is_the_default_and_takes_no_longer(imitate, gesture):
    take = gesture("conduct")
    uniform = imitate(take, "--max-acceleration", 10, "--pace", "uniform")["gestures"]
    optimal = imitate(take, "--max-acceleration", 10)["gestures"]
    assert {part["motion"]["scaling"]["law"] for part in optimal} == {"optimal"}
    assert len(uniform) == len(optimal) > 0
    for slow, fast in zip(uniform, optimal):
        assert clean(slow) and clean(fast)
        assert fast["motion"]["scaling"]["duration_after_s"] <= slow["motion"]["scaling"]["duration_after_s"] + 1e-9
        assert fast["motion"]["joint_acceleration_max_rad_s2"] <= 10.0 * 1.001


def test_every_frame_says_which_recorded_instant_it_shows(imitate, gesture, tmp_path):
    (part,) = imitate(gesture("conduct"), "--max-acceleration", 10, "-o", "robot.csv")["gestures"]
    _, rows = table(tmp_path / "robot.csv")
    recorded = np.array(part["motion"]["scaling"]["recorded_s"])
    assert recorded.size == len(rows)
    assert np.isclose([recorded[0], recorded[-1]], [part["first_s"], part["last_s"]]).all()
    passed, taken = np.diff(recorded), np.diff(rows[:, 0])
    assert (passed >= 0.0).all() and (passed <= taken + 1e-6).all(), "never backwards, nowhere faster than recorded"
    assert (passed < 0.9 * taken).any(), "and slower where it must be"


def test_a_motion_that_takes_much_longer_says_which_joint_and_when(run, gesture):
    take = gesture("wave", 6)
    done = run("imitate", take, "--max-acceleration", 0.3, "--json")
    scaling = card_of(done)["gestures"][0]["motion"]["scaling"]
    assert scaling["stretch"] > 3.0
    warning = next(line for line in done.stderr.splitlines() if "times as long" in line)
    assert warning.startswith("warning: ") and f"joint '{scaling['asked_by']}'" in warning
    assert f"at {scaling['asked_at_s']:.2f} s for its acceleration limit" in warning
    assert "times as long" not in run("imitate", take).stderr, "and one that does not does not"


def test_a_joint_that_scaling_leaves_next_to_still_is_named(run, gesture, tmp_path):
    take = gesture("overflex", 5)
    assert "hardly any motion is left" not in run("imitate", take).stderr, "an elbow that is scaled and moves is not"
    arm = run("convert", "olivia17", "arm.urdf")
    assert arm.returncode == GOOD, arm.stderr
    text = (tmp_path / "arm.urdf").read_text(encoding="utf-8")
    # an elbow that cannot bend: all that it is asked for lies beyond its range
    joint = re.search(r'<joint name="right_elbow".*?</joint>', text, re.DOTALL).group()
    stiff = re.sub(r'upper="[^"]*"', 'upper="0.01"', joint)
    assert stiff != joint
    (tmp_path / "arm.urdf").write_text(text.replace(joint, stiff), encoding="utf-8")
    done = run("imitate", take, "--robot", "arm.urdf")
    lines = [line for line in done.stderr.splitlines() if "hardly any motion is left" in line]
    assert lines and len(lines) <= done.stdout.count("  gesture ")
    for line in lines:
        assert line.startswith("warning: ") and "joint 'right_elbow' (wanted " in line and "limits 0.00 to 0.01)" in line


def test_retarget_in_turns_is_imitate(run, imitate, gesture):
    take = gesture("overflex")
    scaled = run("retarget", take, "--robot", "olivia17", "--solver", "modular", "--limits", "scale", "--turns", "--feet", "off", "--json")
    ours, theirs = json.loads(scaled.stdout), imitate(take)
    hashes = [[part["motion"]["state_hash"] for part in card["gestures"]] for card in (ours, theirs)]
    assert hashes[0] == hashes[1] != []
    assert any(part["motion"]["scaling"]["swings"] for part in theirs["gestures"]), "an elbow bent too far is scaled"


def test_a_robot_of_another_kind_imitates_with_the_dynamical_solver(imitate, gesture):
    for part in imitate(gesture("wave"), "--robot", "unitree_g1", "--solver", "dynamical")["gestures"]:
        assert clean(part)


@pytest.mark.parametrize("robot, name", [("unitree_g1", "forearm_roll"), ("olivia17", "wrist_wave")])
def test_a_turn_of_the_hand_alone_is_a_gesture(robot, name, run, imitate, tmp_path):
    """The hand stays where it is: the forearm rolls, or the wrist waves, from 1 to 3 s."""
    assert run("synthesize", "tpose", "--rate", 50, "--duration", 4, "-o", "still.csv").returncode == 0
    lines = (tmp_path / "still.csv").read_text().splitlines()
    head = next(i for i, line in enumerate(lines) if not line.startswith("#"))
    joint = {"forearm_roll": "jRightElbow_roty", "wrist_wave": "jRightWrist_rotx"}[name]
    column = lines[head].split(",").index(f"{joint}_rad")
    for i in range(head + 1, len(lines)):
        cells = lines[i].split(",")
        t = (i - head - 1) / 50
        cells[column] = str(0.6 * np.sin(2 * np.pi * (t - 1)) ** 3 if 1 < t < 3 else 0.0)
        lines[i] = ",".join(cells)
    (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n")
    (part,) = imitate(f"{name}.csv", "--robot", robot)["gestures"]
    assert 0.9 < part["onset_s"] < 1.2 and 2.8 < part["offset_s"] < 3.1
    assert part["hand_turn_max_rad_s"] > 2.0 and part["hand_speed_max_m_s"] < 0.15
    assert "turns at up to" in part["reason"]
    assert not imitate_or_none(run, f"{name}.csv", "--robot", robot, "--turn-on", 9), "and --turn-on says how fast"


def imitate_or_none(run, *words):
    done = run("imitate", *words, "--json")
    assert done.returncode == CHECK_FAILED
    return json.loads(done.stdout)["gestures"]


def test_a_robot_that_modules_cannot_follow_uses_the_dynamical_solver_with_a_warning(run, gesture):
    take = gesture("wave")
    done = run("imitate", take, "--robot", "icub", "--json")
    card = card_of(done)
    assert card["solver"] == "dynamical" and card["gestures"]
    assert all(clean(part) for part in card["gestures"])
    (warning,) = [line for line in done.stderr.splitlines() if line.startswith("warning: solver 'modular'")]
    assert "'icub'" in warning and "couples joints" in warning and warning.endswith("used the dynamical solver instead")
    for words in (("imitate", take, "--solver", "modular"), ("imitate", take, "--module-law", "paper"), ("retarget", take, "--solver", "modular")):
        refused(run(*words, "--robot", "icub"), UNUSABLE, "'icub'", "couples joints", "; use the dynamical solver")


def test_gestures_of_an_earlier_run_are_named(run, gesture, tmp_path):
    take = gesture("wave", 14)
    first = run("imitate", take, "-o", "out.csv")
    assert first.returncode == 0 and "earlier" not in first.stderr
    assert sorted(path.name for path in tmp_path.glob("out*")) == ["out_1.csv", "out_2.csv", "out_3.csv"]
    again = run("imitate", take, "-o", "out.csv")
    assert "earlier" not in again.stderr, "all of them are written anew"
    one = run("imitate", gesture("overflex", 4), "-o", "out.csv", "--min-pause", 2)
    assert "warning: left from an earlier run, not written by this one: out_1.csv, out_2.csv, out_3.csv (this run wrote 1 gesture)" in one.stderr
    several = run("imitate", take, "-o", "out.csv")
    assert "not written by this one: out.csv (this run wrote 3 gestures)" in several.stderr
    (tmp_path / "out_04.csv").write_text("no gesture")
    (tmp_path / "out_4.txt").write_text("no gesture")
    assert "not written by this one: out.csv (this run wrote 3 gestures)" in run("imitate", take, "-o", "out.csv").stderr


@pytest.mark.parametrize("command", ["imitate", "retarget"])
def test_an_output_that_cannot_be_is_found_before_the_motion_is_solved(command, run, gesture):
    take = gesture("wave", 3)
    robot = ("--robot", "olivia17") if command == "imitate" else ("--robot", "olivia17", "--solver", "modular", "--limits", "scale", "--turns")
    refused(run(command, take, *robot, "-o", "no/such/a.csv"), UNUSABLE, "no/such/a.csv", "the folder 'no/such' does not exist")
    refused(run(command, take, *robot, "--report", "no/such/a.html"), UNUSABLE, "the folder 'no/such' does not exist")
    refused(run(command, take, *robot, "-o", "a.xls"), USAGE, "a.xls", "unknown extension", ".csv")
    # a recording in which nothing can be solved: the output is what is complained of
    refused(run(command, "nowhere.mvnx", *robot, "-o", "a.xls"), USAGE, "a.xls")
    refused(run(command, "nowhere.mvnx", *robot, "-o", "no/such/a.csv"), UNUSABLE, "the folder 'no/such' does not exist")
    refused(run(command, take, *robot, "-o", "a.mvnx"), USAGE, ".csv, .mot, .sto or .npz")


def test_stillness_is_no_gesture_and_says_so(run):
    assert run("synthesize", "tpose", "--rate", 80, "--duration", 2, "-o", "still.mvnx").returncode == 0
    done = run("imitate", "still.mvnx", "-o", "none.csv")
    assert done.returncode == CHECK_FAILED
    assert done.stdout.startswith("Not usable: no gesture was found") and "nothing written" in done.stdout


@pytest.mark.parametrize(
    "words, said",
    [
        (("--limits", "exact"), ("--limits",)),
        (("--frames", "f.csv"), ("gesture",)),
        (("--paper", "--solver", "dynamical"), ("--paper has its own limits",)),
        (("--paper",), ("--paper", "--module-law paper")),
        (("--paper", "--solver", "pairwise"), ("--paper works only with --solver dynamical", "pairwise")),
        (("--module-law", "paper", "--solver", "dynamical"), ("--module-law has an effect only with --solver modular",)),
        (("--turn-on", "0.1"), ("turn",)),
        (("--speed-on", "0.05", "--speed-off", "0.2"), ("hand speed", "(0.05 m/s)", "below", "(0.2 m/s)")),
        (("--turn-off", "2"), ("turning rate", "(1 rad/s)", "below", "(2 rad/s)")),
        (("--limit-gain", "1"), ("unknown option '--limit-gain'",)),
        (("--align", "none"), ("--align has no effect with --solver modular",)),
        (("--velocity", "differenced"), ("--velocity has no effect with --solver modular",)),
        (("-o", "x.xyz"), ("'.xyz'; expected .csv, .mot or .sto (tables of joint angles) or .npz",)),
        (("--pace", "slow"), ("no choice 'slow'", "uniform", "optimal")),
        (("--robot", "olivia18"), ("olivia17",)),
        (("--robot", ""), ("--robot is empty",)),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(words, said, run, gesture):
    refused(run("imitate", gesture("wave", 3), *words), USAGE, *said)


def test_the_help_names_what_works_and_no_more(run):
    text = run("imitate", "--help").stdout
    for word in ("--turn-on", "--speed-on", "--module-law", "optimal|uniform"):
        assert word in text
    for word in ("--paper", "--frames", "--limit-gain"):
        assert f"\n  {word}" not in text
    said = run("imitate", "take.bvh", "--frame", "a.csv")  # an option that is not in the help is not suggested
    refused(said, USAGE, "unknown option '--frame'")
    assert "--paper" not in said.stderr and "--frames" not in said.stderr


def test_a_page_says_which_gesture_it_shows(imitate, gesture, tmp_path):
    parts = imitate(gesture("wave", 14), "--report", "wave.html")["gestures"]
    assert len(parts) == 3
    for i in (1, 2, 3):
        assert f'"recording":"wave.mvnx, gesture {i} of 3"' in (tmp_path / f"wave_{i}.html").read_text()


def test_angles_that_are_rounding_are_not_spelled_out(run, gesture):
    text = run("imitate", gesture("wave", 6), "--verbose").stdout
    assert " 0 deg" in text and "e-1" not in text


def test_a_recording_of_legs_alone_says_so(run, tmp_path):
    segments = ["Pelvis", "T8", "RightUpperLeg", "RightLowerLeg", "RightFoot", "LeftUpperLeg", "LeftLowerLeg", "LeftFoot"]
    lines = ["DataRate=50", "DataType=Quaternion", "version=3", "endheader", "\t".join(["time", *segments])]
    for k in range(50):
        swing = f"{np.cos(0.02 * k)},0,{np.sin(0.02 * k)},0"
        lines.append("\t".join([str(k / 50), *(swing if segment == "RightUpperLeg" else "1,0,0,0" for segment in segments)]))
    (tmp_path / "legs.sto").write_text("\n".join(lines) + "\n")
    refused(run("imitate", "legs.sto"), UNUSABLE, "legs.sto: the recording has no arm that robot 'olivia17' can follow", "panto retarget")


def columns_of(path, to, keep):
    """Copies a CSV of points with the columns that `keep` wants; lines of head stay."""
    lines = path.read_text().splitlines()
    head = next(i for i, line in enumerate(lines) if not line.startswith("#"))
    wanted = [i for i, name in enumerate(lines[head].split(",")) if i == 0 or keep(name)]
    made = [",".join(line.split(",")[i] for i in wanted) for line in lines[head:]]
    to.write_text("\n".join(lines[:head] + made) + "\n")


@pytest.mark.parametrize("robot", ["olivia17", "tee7", "unitree_g1", "icub"])
def test_points_of_legs_alone_say_so_for_every_robot(robot, run, gesture, tmp_path):
    assert run("convert", gesture("wave", 2), "all.csv", "--as", "keypoints").returncode == 0
    columns_of(tmp_path / "all.csv", tmp_path / "low.csv", lambda name: any(part in name for part in ("Pelvis", "Leg", "Foot", "Toe")))
    refused(run("imitate", "low.csv", "--robot", robot), UNUSABLE, f"low.csv: the recording has no arm that robot '{robot}' can follow")
    if robot in ("olivia17", "tee7"):
        refused(run("retarget", "low.csv", "--robot", robot), UNUSABLE, f"low.csv: the recording has no segment that robot '{robot}' can follow")


def test_the_time_of_a_step_is_the_solvers(imitate, run, gesture):
    take = gesture("wave", 6)
    card = imitate(take)
    (part,) = card["gestures"]
    figures = part["motion"]
    # half of the steps take the median or longer, all of them within the time of solving: true on a busy machine too
    assert 0 < figures["step_p50_us"] <= figures["step_max_us"] < 1e3 * card["solve_ms"]
    steps = 80 * (part["last_s"] - part["first_s"])
    assert figures["step_p50_us"] * steps / 2 < 1e3 * card["solve_ms"]
    # medians, of steps that take about the same; reading a solved motion takes a hundredth of that
    robot = ("--robot", "unitree_g1", "--feet", "off", "--json")
    plain, smooth = (card_of(run("retarget", take, *robot, *more)) for more in ((), ("--smooth",)))
    assert smooth["step_p50_us"] > 0.2 * plain["step_p50_us"]


def run_of(page):
    """What a report page shows."""
    return json.loads(re.search(r'<script id="panto-run" type="application/json">(.*?)</script>', page.read_text(), re.S)[1])


def test_a_page_shows_what_was_scaled_and_which_part_of_the_recording(imitate, run, tmp_path):
    assert run("synthesize", "wave", "--rate", 80, "--duration", 10, "-o", "wave.bvh").returncode == 0
    card = imitate("wave.bvh", "--report", "wave.html")
    page = run_of(tmp_path / "wave.html" if len(card["gestures"]) == 1 else tmp_path / "wave_1.html")
    part = card["gestures"][0]
    told = part["motion"]["scaling"]
    assert told["stretch"] > 1.0 and told["fast"]
    for key in ("stretch", "duration_before_s", "duration_after_s", "asked_by", "fast", "swings"):
        assert page["scaling"][key] == told[key], key
    assert "recorded_s" not in page["scaling"], "one number a frame is not for the page"
    for key in ("first_s", "last_s", "reason", "limbs"):
        assert page["gesture"][key] == part[key], key
    assert page["gesture"]["recording_frames"] == card["frames"]
    assert page["gesture"]["recording_s"] == pytest.approx(10.0, abs=0.02)
    assert page["gesture"]["frames"] == pytest.approx(80 * (part["last_s"] - part["first_s"]) + 1, abs=0.01)
    assert run("track", "wave.bvh", "--report", "track.html").returncode == 0
    assert not {"scaling", "gesture"} & set(run_of(tmp_path / "track.html"))


def test_the_statistics_of_a_gesture_leave_nothing_out(run, imitate, gesture, tmp_path):
    take = gesture("forearm_roll")
    for part in imitate(take, "--robot", "tee7", "-o", "out.csv")["gestures"]:
        header, rows = table(tmp_path / part["written"][0])
        joints = rows[:, [i for i, name in enumerate(header) if name.endswith("_rad")]]
        step = np.median(np.diff(rows[:, 0]))
        most = np.abs(np.diff(joints, 2, axis=0)).max() / step**2
        assert part["motion"]["joint_acceleration_max_rad_s2"] == pytest.approx(most, rel=1e-2)
    settled = imitate(take, "--robot", "tee7", "--settle", "0.5")
    turns = ("--robot", "tee7", "--solver", "modular", "--limits", "scale", "--turns", "--feet", "off", "--json")
    keys = ("angle_max_deg", "jerk_rms_rad_s3")
    figures = [[[part["motion"][key] for key in keys] for part in card["gestures"]] for card in (imitate(take, "--robot", "tee7"), card_of(run("retarget", take, *turns)), settled)]
    assert figures[0] == figures[1] != figures[2]


def test_too_few_frames_a_second_are_not_called_stillness(run):
    for rate, enough in ((3, False), (4, True)):
        assert run("synthesize", "wave", "--rate", rate, "--duration", 6, "-o", "wave.mvnx").returncode == 0
        done = run("imitate", "wave.mvnx")
        assert (done.returncode == CHECK_FAILED) != enough
        assert "no hand was faster" not in done.stdout
        assert ("3 frames a second, too few to find gestures" in done.stderr) != enough
        assert ("record at least 4 a second" in done.stderr) != enough
    assert run("synthesize", "wave", "--rate", 3, "--duration", 6, "-o", "wave.mvnx").returncode == 0
    done = run("imitate", "wave.mvnx", "--json")
    assert json.loads(done.stdout)["gestures"] == [] and "too few to find gestures" in done.stderr


def test_an_arm_that_is_not_measured_any_more_does_not_rest(run, imitate, gesture, tmp_path):
    assert run("convert", gesture("wave", 6), "all.csv", "--as", "keypoints").returncode == 0
    lines = (tmp_path / "all.csv").read_text().splitlines()
    head = next(i for i, line in enumerate(lines) if not line.startswith("#"))
    names = lines[head].split(",")
    lost = [i for i, name in enumerate(names) if "RightForeArm" in name or "RightHand" in name]
    assert lost
    for k in range(100, 301):  # 1.25 to 3.75 s
        cells = lines[head + 1 + k].split(",")
        for i in lost:
            cells[i] = ""
        lines[head + 1 + k] = ",".join(cells)
    (tmp_path / "lost.csv").write_text("\n".join(lines) + "\n")
    before, behind = imitate("lost.csv")["gestures"]
    assert before["end"] == behind["begin"] == "not measured"
    assert before["last_s"] < 1.25 and behind["first_s"] > 3.75, "the arm that is held is in neither"
    assert "RightHand is not measured after" in before["reason"] and "RightHand is not measured before" in behind["reason"]


def test_a_jump_of_many_kilometres_is_reported_in_words(run, tmp_path):
    assert run("synthesize", "wave", "--rate", 80, "--duration", 3, "-o", "wave.bvh").returncode == 0
    lines = (tmp_path / "wave.bvh").read_text().splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("Frame Time")) + 1
    cells = lines[first + 100].split()
    lines[first + 100] = " ".join(["1e300", *cells[1:]])
    (tmp_path / "far.bvh").write_text("\n".join(lines) + "\n")
    said = run("imitate", "far.bvh").stderr
    assert "more than 10 km from its position one frame before" in said
    assert "-92" not in said


def test_a_cut_recording_makes_a_gesture_before_and_one_after(run, tmp_path):
    assert run("synthesize", "wave", "--rate", 80, "--duration", 6, "-o", "wave.bvh").returncode == 0
    lines = (tmp_path / "wave.bvh").read_text().splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("Frame Time")) + 1
    for k in range(first + 200, len(lines)):  # the person is 20 m away from there on
        x, rest = lines[k].split(maxsplit=1)
        lines[k] = f"{float(x) + 2000} {rest}"
    (tmp_path / "cut.bvh").write_text("\n".join(lines) + "\n")
    before, behind = card_of(run("imitate", "cut.bvh", "-o", "out.csv", "--json"))["gestures"]
    assert before["end"] == behind["begin"] == "cut"
    assert before["last_s"] < 2.5 <= behind["first_s"] + 1e-9
    assert before["written"] == ["out_1.csv"] and behind["written"] == ["out_2.csv"]
    whole = run("retarget", "cut.bvh", "--robot", "olivia17", "--limits", "scale")
    refused(whole, UNUSABLE, "a motion without cuts", "frame 200", "gesture by gesture")


def test_a_clip_shorter_than_a_gesture_is_reported_as_such(run, gesture):
    done = run("imitate", gesture("wave", 0.1))
    assert done.returncode == CHECK_FAILED
    assert "shorter than a gesture (at least 0.2 s)" in done.stdout


def test_an_arm_that_collapses_is_named_in_the_text(run, data_file):
    text = run("imitate", data_file("bvh/cmu/131_01.bvh"), "--verbose").stdout
    assert re.search(r"over 90 deg off right_\w+ for up to [\d.]+ s", text)


def test_options_of_scaling_need_scaling(run, gesture):
    take = gesture("wave", 3)
    refused(run("retarget", take, "--robot", "olivia17", "--turns"), USAGE, "--turns needs --limits scale")
    refused(run("retarget", take, "--robot", "olivia17", "--limits", "scale", "--smooth"), USAGE, "--smooth")


@pytest.mark.parametrize("seed", [3, 7, 22, 37])
def test_arms_that_are_nearly_straight_point_where_the_persons_do(run, tmp_path, seed):
    # elbows bent by 5 to 10 degrees for long: the upper arm says another turn of the elbow than the forearm's direction does,
    # and must not be met half way (that was 2 to 5 degrees, standing)
    assert run("synthesize", "gesture", "--seed", seed, "--rate", 80, "-o", "g.bvh").returncode == GOOD
    card = card_of(run("imitate", "g.bvh", "-o", "r.csv", "--json"))
    medians = [limb["direction_median_deg"] for gesture in card["gestures"] for limb in gesture["limbs"] if limb["segment"].endswith("Arm")]
    assert len(medians) >= 4
    assert max(medians) < 1.0, "issue 5: median of the direction error of every gesture"
