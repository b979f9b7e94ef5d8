"""panto track --frames: a run frame by frame; the gains and limits that experiments turn; noise of synthetic recordings."""
import csv
import math
import xml.etree.ElementTree as ET

import pytest
from command import GOOD, USAGE, card_of, refused

COLUMNS = [
    "time_s", "mnte", "angle_mean_deg", "angle_max_deg", "omega_rmse_rad_s", "status", "active_bounds", "clamped", "solves",
    "fallback_level", "step_us",
]  # fmt: skip
NPOSE = 6 / 23  # MNTE of six links of 23 that are 90 deg off


def frames_of(path):
    with path.open(newline="") as file:
        reader = csv.DictReader(file)
        assert reader.fieldnames == COLUMNS
        return list(reader)


def column(rows, name):
    return [float(row[name]) for row in rows]


@pytest.fixture
def npose(run):
    """A still N-pose, 50 Hz, one second."""
    assert run("synthesize", "npose", "--rate", 50, "--duration", 1.02, "-o", "npose.mvnx").returncode == GOOD
    return "npose.mvnx"


def test_every_frame_has_a_row_and_their_means_are_the_cards(run, take, tmp_path):
    card = card_of(run("track", take, "--model", "human48", "--settle", 0, "--frames", "f.csv", "--json"))
    rows = frames_of(tmp_path / "f.csv")
    assert len(rows) == card["frames"] == 112
    assert sum(column(rows, "mnte")) / 112 == pytest.approx(card["mnte_mean"], rel=1e-9)
    assert max(column(rows, "angle_max_deg")) == pytest.approx(card["angle_max_deg"], rel=1e-12)
    assert math.sqrt(sum(x * x for x in column(rows, "omega_rmse_rad_s")) / 112) == pytest.approx(card["omega_rmse_rad_s"], rel=1e-9)
    assert max(column(rows, "step_us")) == card["step_max_us"]
    statuses = [row["status"] for row in rows]
    assert statuses.count("saturated") == card["status_counts"]["saturated"] > 0
    assert all((row["status"] == "saturated") == (row["active_bounds"] != "0") for row in rows[1:])


def test_the_table_is_named_with_the_other_outputs(run, walk, tmp_path):
    result = run("track", walk, "-o", "a.csv", "--frames", "f.csv")
    assert [line for line in result.stdout.splitlines() if line.startswith("wrote")] == ["wrote a.csv", "wrote f.csv"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "f.csv"]


def test_a_recording_without_rates_has_no_error_of_rates(run, walk, tmp_path):
    assert run("track", walk.with_suffix(".bvh"), "--frames", "f.csv").returncode == GOOD
    rows = frames_of(tmp_path / "f.csv")
    assert {row["omega_rmse_rad_s"] for row in rows} == {""} and max(column(rows, "mnte")) < 1e-20


@pytest.mark.parametrize("gain", [0, 5, 50])
@pytest.mark.parametrize("mode", ["ours", "paper"])
def test_the_gain_is_how_fast_errors_die_out(run, npose, tmp_path, gain, mode):
    options = ("--paper", "--speed-limit", 1e6) if mode == "paper" else ()
    assert run("track", npose, "--align", "none", "--gain", gain, *options, "--frames", "f.csv").returncode == GOOD
    mnte = column(frames_of(tmp_path / "f.csv"), "mnte")
    assert mnte[0] == pytest.approx(NPOSE, abs=1e-8)
    # theta <- theta - g sin theta, g = K dt, or 1 - e^(-K dt)
    g = gain * 0.02 if mode == "paper" else -math.expm1(-gain * 0.02)
    theta = math.pi / 2
    for value in mnte[1:12]:
        theta -= g * math.sin(theta)
        assert value == pytest.approx(NPOSE * (1 - math.cos(theta)), rel=1e-4, abs=1e-15)


def test_a_speed_limit_holds_joints_whose_model_has_none(run, npose, tmp_path):
    card_of(run("track", npose, "--align", "none", "--speed-limit", 2, "--frames", "f.csv", "-o", "a.csv", "--json"))
    rows = frames_of(tmp_path / "f.csv")
    assert rows[5]["status"] == "saturated" and int(rows[5]["active_bounds"]) >= 2
    with (tmp_path / "a.csv").open() as file:
        arm = [float(row["jRightShoulder_rotx_rad"]) for row in csv.DictReader(file)]
    assert max(abs(b - a) for a, b in zip(arm, arm[1:])) == pytest.approx(2 * 0.02, rel=1e-9)


def test_the_gain_of_tanh_limits_is_how_close_a_joint_runs(run, walk, tmp_path):
    held = {}
    for gain in (0.05, 0.5):
        card_of(run("track", walk, "--model", "human48", "--limits", "tanh", "--limit-gain", gain, "--frames", "f.csv", "--json"))
        held[gain] = sum(column(frames_of(tmp_path / "f.csv"), "active_bounds"))
    assert held[0.05] > held[0.5]


@pytest.mark.parametrize(
    "line, words",
    [
        ("track WALK --frames f.txt", ["--frames", "'f.txt'", ".csv"]),
        ("track WALK -o f.csv --frames ./f.csv", ["f.csv", "twice"]),
        ("track WALK --gain -1", ["--gain", "'-1'", "1/s"]),
        ("track WALK --gain 5 --solver pairwise", ["--gain", "pairwise"]),
        ("track WALK --limit-gain 0", ["--limit-gain", "1/rad"]),
        ("track WALK --limit-gain 2", ["--limit-gain", "--limits tanh", "exact"]),
        ("track WALK --speed-limit 0", ["--speed-limit", "rad/s"]),
        ("check WALK --limits brake --limit-gain 2", ["--limit-gain", "brake"]),
        ("synthesize walk --noise 1 -o a.csv", ["--noise", ".mvnx"]),
        ("synthesize walk --noise -1 -o a.mvnx", ["--noise", "deg"]),
    ],
)
def test_a_wrong_line_is_refused_with_the_reason(run, walk, tmp_path, line, words):
    refused(run(*line.replace("WALK", str(walk)).split()), USAGE, *words)
    assert not list(tmp_path.iterdir())


def orientations(path):
    """Quaternions (w, x, y, z) of all frames and segments, and the angular velocities' text."""
    frames = [f for f in ET.parse(path).findall(".//{*}frame") if f.get("type") == "normal"]
    numbers = [[float(word) for word in frame.find("{*}orientation").text.split()] for frame in frames]
    return [row[4 * i : 4 * i + 4] for row in numbers for i in range(23)], [frame.find("{*}angularVelocity").text for frame in frames]


def test_noise_is_as_large_as_asked_and_the_truth_has_none(run, tmp_path):
    for name, options in (("clean", ()), ("a", ("--noise", 2)), ("b", ("--noise", 2)), ("c", ("--noise", 2, "--seed", 5))):
        line = ("synthesize", "walk", "--rate", 50, "--duration", 4, *options, "-o", f"{name}.mvnx", "-o", f"{name}.csv")
        assert run(*line).returncode == GOOD
    text = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert text["a.mvnx"] == text["b.mvnx"] != text["c.mvnx"] != text["clean.mvnx"]
    assert text["a.csv"] == text["clean.csv"], "joint angles are the truth"
    clean, rates = orientations(tmp_path / "clean.mvnx")
    noisy, noisy_rates = orientations(tmp_path / "a.mvnx")
    assert rates == noisy_rates, "orientations alone"
    squared = [2 * math.acos(min(1.0, abs(sum(x * y for x, y in zip(p, q))))) for p, q in zip(clean, noisy)]
    rms = math.degrees(math.sqrt(sum(x * x for x in squared) / len(squared)))
    assert rms == pytest.approx(2 * math.sqrt(3), rel=0.03), "three axes; 4600 draws"


def test_a_slow_recording_is_stepped_to_without_alignment(run, tmp_path):
    """Every frame comes later than the longest gap that a step spans at usual rates; held poses would be 30 deg off."""
    assert run("synthesize", "walk", "--rate", 5, "--duration", 4, "-o", "slow.mvnx").returncode == GOOD
    result = run("track", "slow.mvnx", "--align", "none", "--settle", 2, "--json")
    assert "frames are 0.2 s apart" in result.stderr
    assert card_of(result)["angle_max_deg"] < 3.0


def test_what_the_paper_mode_makes_of_too_large_a_gain_fails_and_is_not_written(run, tmp_path):
    """K dt = 2.02 has no stable step: frames fail or are valid states, nothing between."""
    assert run("synthesize", "walk", "--duration", 4, "-o", "walk.mvnx").returncode == GOOD
    result = run("track", "walk.mvnx", "--paper", "--gain", 121, "-o", "x.csv", "--json")
    counts = card_of(result)["status_counts"]
    assert result.returncode == GOOD and "could not be written" not in result.stderr
    assert counts["numerical_failure"] > 0 and sum(counts.values()) == 240


@pytest.mark.parametrize("option", ["--frames", "--report", "--rig"])
def test_an_empty_file_name_is_refused(run, walk, option):
    refused(run("track", walk, option, ""), USAGE, option, "empty")


def test_vectors_beyond_a_million_are_reported_with_the_line_of_their_frame(run, tmp_path):
    assert run("synthesize", "walk", "--duration", 1, "-o", "walk.mvnx").returncode == GOOD
    lines = (tmp_path / "walk.mvnx").read_text().splitlines(keepends=True)
    at = [i for i, line in enumerate(lines) if "<position>" in line][-20]
    first = lines[at].split(">")[1].split()[0]
    lines[at] = lines[at].replace(first, "2000000", 1)
    frame = max(i for i in range(at) if "<frame" in lines[i]) + 1
    (tmp_path / "walk.mvnx").write_text("".join(lines))
    result = run("track", "walk.mvnx")
    assert result.returncode == GOOD
    assert f"walk.mvnx:{frame}: the position of Pelvis is beyond 1e+06" in result.stderr
    assert "1 beyond 1e+06" in result.stderr
