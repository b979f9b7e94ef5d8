"""panto check: passes and fails as it must, on reports and on recordings, and says where."""

import json

import pytest
from command import CHECK_FAILED, GOOD, UNUSABLE, USAGE, refused


@pytest.fixture
def report(run, walk, tmp_path):
    """What `track --json` printed for a walk, as a file."""
    result = run("track", walk, "--json")
    assert result.returncode == GOOD
    (tmp_path / "card.json").write_text(result.stdout)
    return "card.json"


def failed(result, *words):
    assert result.returncode == CHECK_FAILED, (result.stdout, result.stderr)
    lines = [line for line in result.stdout.splitlines() if line.startswith("FAILED")]
    for word in words:
        assert any(word in line for line in lines), lines
    return lines


def test_a_good_report_passes_and_so_does_its_recording(run, report, walk, take):
    for file in (report, walk, take):
        result = run("check", file)
        assert result.returncode == GOOD, result.stdout
        assert result.stdout.count("\n") == 1 and "all 10 checks passed" in result.stdout
        loud = run("check", file, "--verbose")
        assert loud.stdout.count("passed ") == 10


def test_thresholds_fail_on_any_key_and_say_value_and_limit(run, report):
    lines = failed(run("check", report, "--fail-on", "frames>100, status_counts.Solved>=120,fallback_counts.0>0,angle_p99_deg>90"))
    assert len(lines) == 3
    assert lines[0] == "FAILED frames is 120; fails when > 100"
    assert "status_counts.solved is 120; fails when >= 120" in lines[1] and "fallback_counts[0]" in lines[2]
    assert run("check", report, "--fail-on", "fallback_counts[9]>0,frames!=120").returncode == GOOD


def test_a_state_hash_is_compared_as_a_text(run, report, tmp_path):
    state_hash = json.loads((tmp_path / report).read_text())["state_hash"]
    assert run("check", report, "--fail-on", f"state_hash!={state_hash}").returncode == GOOD
    failed(run("check", report, "--fail-on", "state_hash!=0000000000000000"), "state_hash")


def test_an_unknown_figure_fails_unless_absent_passes(run, tmp_path):
    (tmp_path / "card.json").write_text('{"angle_p99_deg": null}')
    failed(run("check", "card.json", "--fail-on", "angle_p99_deg>2"), "unknown")
    assert run("check", "card.json", "--fail-on", "angle_p99_deg>2", "--absent", "pass").returncode == GOOD


def test_a_recording_says_where_the_worst_is(run, take):
    result = run("check", take, "--model", "human48", "--fail-on", "angle_max_deg>0.001,origin_max_m>=0,step_max_us>0,saturated_share<0")
    lines = failed(result, "deg off at", "m off at", "us at", "(frame ")
    assert len(lines) == 3
    (angle,) = (line for line in lines if "angle_max_deg" in line)
    value, worst = float(angle.split(" is ")[1].split(";")[0]), angle.split("worst: ")[1]
    assert float(worst.split()[1]) == pytest.approx(value, rel=1e-3), "the moment is that of the figure"


def test_the_worst_place_is_that_of_what_follows_a_position(run, take):
    (line,) = failed(run("check", take, "--fail-on", "position_rmse_m>=0"), "position_rmse_m")
    assert "worst: Pelvis " in line
    (line,) = failed(run("check", take, "--settle", "1", "--fail-on", "angle_max_deg>=0"), "angle_max_deg")
    assert float(line.split(" at ")[1].split()[0]) >= 1.0, "after settling, as the card counts"


def test_json_is_one_object_with_every_check(run, report):
    result = run("check", report, "--json", "--fail-on", "frames>100,angle_p99_deg>90")
    assert result.returncode == CHECK_FAILED
    answer = json.loads(result.stdout)
    assert list(answer) == ["file", "passed", "failed_count", "checks", "verdict"]
    assert answer["passed"] is False and answer["failed_count"] == 1
    assert list(answer["checks"][0]) == ["key", "value", "fails_when", "limit", "outcome", "failed", "worst"]
    assert answer["checks"][0]["outcome"] == "failed" and answer["checks"][1]["outcome"] == "passed"
    assert json.loads(run("check", report, "--json").stdout)["passed"] is True


def test_a_recording_with_a_fault_fails_unless_that_is_not_checked(run, walk, tmp_path):
    text = walk.read_text()
    for side in ("Left", "Right"):
        text = text.replace(f'label="{side}', f'label="@{side}')
    text = text.replace('label="@Left', 'label="Right').replace('label="@Right', 'label="Left')
    (tmp_path / "swap.mvnx").write_text(text)
    (line,) = failed(run("check", "swap.mvnx"), "recording_faults is 1; fails when > 0")
    result = run("track", "swap.mvnx", "--json")
    assert result.returncode == GOOD and json.loads(result.stdout)["recording_faults"] == 1
    assert "note: error: the left leg is on the right" in result.stderr
    assert "note: error: the left leg is on the right" in run("convert", "swap.mvnx", "a.npz").stderr
    assert "note: error: the left leg is on the right" in run("convert", "swap.mvnx", "a.bvh").stderr
    assert run("check", "swap.mvnx", "--fail-on", "angle_p99_deg>5").returncode == GOOD
    inspected = run("inspect", "swap.mvnx").stdout
    assert inspected.startswith("Not usable: the left leg is on the right")


@pytest.mark.parametrize(
    "swap, words",
    [
        ({"RightUpLeg": "LeftUpLeg", "RightLeg": "LeftLeg", "RightFoot": "LeftFoot", "RightToeBase": "LeftToeBase"}, ["one joint may be used for both"]),
        ({"RightUpLeg": "RightArm", "RightLeg": "RightForeArm", "RightFoot": "RightHand", "LeftUpLeg": "LeftArm", "LeftLeg": "LeftForeArm", "LeftFoot": "LeftHand", "RightToeBase": None, "LeftToeBase": None}, ["arms", "longer than the legs", "m tall"]),
        ({"RightUpLeg": "LeftUpLeg", "LeftUpLeg": "RightUpLeg", "RightLeg": "LeftLeg", "LeftLeg": "RightLeg", "RightFoot": "LeftFoot", "LeftFoot": "RightFoot", "RightToeBase": "LeftToeBase", "LeftToeBase": "RightToeBase"}, ["left and right are swapped"]),
    ],
)
def test_a_map_that_makes_no_person_fails(run, data_file, tmp_path, swap, words):
    """The body follows whatever the map says, exactly: only the recording's health tells."""
    path = data_file("bvh/corner-cases/cmu_12_01_walk.bvh")
    assert run("inspect", path, "-o", "map.toml").returncode == GOOD
    text = (tmp_path / "map.toml").read_text().partition("\n# Frames of the segments")[0]
    both = {**swap, **({} if "LeftUpLeg" not in swap else {new: old for old, new in swap.items() if new})}
    lines = []
    for line in text.splitlines():
        name = line.partition('"')[2].partition('"')[0]
        if " = " not in line or name not in both:
            lines.append(line)
        elif both[name] is not None:
            lines.append(line.replace(f'"{name}"', f'"{both[name]}"'))
    (tmp_path / "map.toml").write_text("\n".join(lines) + "\n")
    result = run("check", path, "--rig", "map.toml")
    assert len(failed(result, "recording_faults")) == 1
    for word in words:
        assert any(line.startswith("note: error: ") and word in line for line in result.stderr.splitlines()), result.stderr


def test_a_report_from_before_faults_were_counted_is_checked_without_them(run, report, tmp_path):
    card = json.loads((tmp_path / report).read_text())
    assert card.pop("recording_faults") == 0 and card.pop("recording_remarks") == 0
    (tmp_path / "old.json").write_text(json.dumps(card))
    result = run("check", "old.json")
    assert result.returncode == GOOD and "all 9 checks passed" in result.stdout
    assert "old.json lacks recording_faults" in result.stderr
    refused(run("check", "old.json", "--fail-on", "recording_faults>0"), USAGE, "recording_faults")


@pytest.mark.parametrize("text", ["{}", '{"a": 1}', '{"frames": "12", "angle_p99_deg": 1}', '{"frames": 5, "frames": 6}', '{"a": {}}'])
def test_what_is_no_report_is_refused_by_name(run, tmp_path, text):
    (tmp_path / "card.json").write_text(text)
    refused(run("check", "card.json"), UNUSABLE, "card.json")
    refused(run("check", "card.json", "--fail-on", "angle_mean_deg>3"), UNUSABLE if '"frames": "12"' not in text else USAGE)


@pytest.mark.parametrize("key", ["fallback_counts[+1]", "fallback_counts[-1]", "fallback_counts[1e0]", "fallback_counts[99]"])
def test_counts_that_cannot_be_are_no_zeros(run, report, key):
    refused(run("check", report, "--fail-on", f"{key}>0"), USAGE, f"no key '{key}'")


def test_what_inspect_says_can_be_checked_too(run, walk, tmp_path):
    (tmp_path / "found.json").write_text(run("inspect", walk, "--json").stdout)
    assert run("check", "found.json", "--fail-on", "person.height_m>2,frames<100,trackable!=true").returncode == GOOD
    failed(run("check", "found.json", "--fail-on", "person.thigh_m.left<3"), "person.thigh_m.left")


def test_recordings_that_cannot_be_used_are_no_failed_checks(run, take, data_file, tmp_path):
    refused(run("check", data_file("bvh/corner-cases/sinusoidal.bvh")), UNUSABLE, "sinusoidal.bvh")
    whole = take.read_bytes()
    (tmp_path / "cut.mvnx").write_bytes(whole[: len(whole) // 2])
    cut = run("check", "cut.mvnx")
    assert cut.returncode == UNUSABLE and "FAILED recording_faults is 1" in cut.stdout
    # a skeleton clip says how many frames it has: what is left of it can be used, but it is not whole
    assert run("synthesize", "walk", "--duration", 4, "-o", "walk.bvh").returncode == GOOD
    (tmp_path / "cut.bvh").write_bytes((tmp_path / "walk.bvh").read_bytes()[:-9999])
    failed(run("check", "cut.bvh"), "recording_faults is 1; fails when > 0")
    assert run("check", "walk.bvh").returncode == GOOD


@pytest.mark.parametrize(
    "text, words",
    [
        ("", ["card.json:1:", "empty"]),
        ("{", ["card.json:1:"]),
        ('{"frames": 1,\n "angle_p99_deg": 0x1}', ["card.json:2:", "not JSON"]),
        ("[]", ["card.json:1:", "list"]),
        ("[{}]", ["card.json:1:", "list"]),
        ('{"frames": 1} {"frames": 2}', ["card.json:1:"]),
        ('{"a":' * 100 + "1" + "}" * 100, ["card.json", "nested"]),
    ],
)
def test_malformed_reports_are_refused_with_the_place(run, tmp_path, text, words):
    (tmp_path / "card.json").write_text(text)
    refused(run("check", "card.json"), UNUSABLE, *words)


@pytest.mark.parametrize(
    "line, words",
    [
        ("check", ["FILE"]),
        ("check CARD --fail-on", ["--fail-on"]),
        ("check CARD --fail-on angle_p90_deg>2", ["'angle_p90_deg'", "did you mean 'angle_p99_deg'", "frames"]),
        ("check WALK --fail-on angle_p90_deg>2", ["'angle_p90_deg'", "did you mean 'angle_p99_deg'"]),
        ("check CARD --fail-on angle_p99>2", ["'angle_p99'", "did you mean 'angle_p99_deg'"]),
        ("check CARD --fail-on frames", ["'frames'", "KEY OPERATOR LIMIT"]),
        ("check CARD --fail-on frames>many", ["'frames>many'", "no number"]),
        ("check CARD --fail-on state_hash>1", ["state_hash", "cannot be ordered"]),
        ("check CARD --fail-on angle_p99_deg>inf", ["'angle_p99_deg>inf'", "not finite"]),
        ("check CARD --fail-on frames<1 --fail-on frames<2", ["--fail-on", "more than once"]),
        ("check CARD --absent maybe", ["'maybe'", "fail, pass"]),
        ("check CARD --model human48", ["--model has no effect", "is a report"]),
        ("check CARD --robot g1", ["--robot has no effect", "is a report"]),
        ("check WALK --model human67", ["did you mean 'human66'"]),
    ],
)
def test_a_line_that_cannot_be_understood_is_a_usage_error(run, walk, report, line, words):
    result = run(*({"WALK": str(walk), "CARD": report}.get(word, word) for word in line.split()))
    refused(result, USAGE, *words)


def test_a_full_pipeline_from_track_to_check_stops_a_build(run, walk, tmp_path):
    short = run("track", walk, "--json", "--height", "1.5")
    (tmp_path / "card.json").write_text(short.stdout)
    failed(run("check", "card.json", "--fail-on", "origin_max_m>0.05"), "origin_max_m")


def test_a_walk_on_a_robot_passes_and_feet_that_slide_do_not(run, tmp_path):
    assert run("synthesize", "walk", "--rate", 60, "--duration", 4, "-o", "walk.mvnx").returncode == GOOD
    for feet, code in (("plant", GOOD), ("off", CHECK_FAILED)):
        (tmp_path / "robot.json").write_text(run("retarget", "walk.mvnx", "--robot", "g1", "--feet", feet, "--json").stdout)
        result = run("check", "robot.json")
        assert result.returncode == code, result.stdout
    failed(result, "foot_skate_p95_mm_s")
