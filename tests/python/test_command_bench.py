"""panto bench: its rows, that its bits are always the same, and what it refuses. Times are never judged."""
import json

import pytest
from command import GOOD, USAGE, refused

KEYS = {
    "scene", "model", "solver", "step_p50_us", "step_p99_us", "step_max_us", "mnte_mean", "active_mean", "resolves_mean", "allocations", "state_hash"
}  # fmt: skip


def bench(run, *arguments):
    result = run("bench", "--json", "--repeats", "1", *arguments)
    assert result.returncode == GOOD, result.stderr
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def rows(panto):
    import subprocess

    result = subprocess.run([panto, "bench", "--json", "--repeats", "2"], capture_output=True, text=True, timeout=120, check=True)
    assert "ns for reading the clock" in result.stderr
    return json.loads(result.stdout)


def test_every_scene_has_a_row_with_all_keys(rows):
    assert all(KEYS <= set(row) for row in rows)
    on = {}
    for row in rows:
        on.setdefault(row["model"], []).append(row["scene"])
    assert on == {"human66": ["free", "few", "clamped", "positions", "tpose", "walk", "run"], "human48": ["tpose", "walk", "run"]}


def test_no_step_allocates_and_times_are_ordered(rows):
    for row in rows:
        assert row["allocations"] == 0, row
        assert 0.0 < row["step_p50_us"] <= row["step_p99_us"] <= row["step_max_us"], row
        assert len(row["state_hash"]) == 16 and int(row["state_hash"], 16) != 0
        assert row["resolves_mean"] >= 1.0


def test_scenes_are_what_their_names_say(rows):
    active = {row["scene"]: row["active_mean"] for row in rows if row["model"] == "human66"}
    assert active["free"] == active["positions"] == 0.0
    assert 1.0 < active["few"] < 6.0 and 20.0 < active["clamped"] < 45.0
    angle = {row["scene"]: row["angle_mean_deg"] for row in rows if row["model"] == "human66"}
    # whoever may move follows; whoever is held by a bound cannot
    assert angle["free"] < 0.05 and angle["walk"] < 0.02 and angle["few"] < 2.0 and 2.0 < angle["clamped"] < 20.0


def test_two_runs_have_the_same_bits(run, rows):
    hashes = {(row["scene"], row["model"]): row["state_hash"] for row in rows}
    assert len(set(hashes.values())) == len(hashes), "no two scenes are alike"
    for row in bench(run, "--scene", "clamped,walk"):
        assert row["state_hash"] == hashes[row["scene"], row["model"]]


def test_a_scene_and_a_model_are_chosen(run):
    assert [(row["scene"], row["model"]) for row in bench(run, "--scene", "walk", "--scene", "free")] == [
        ("walk", "human66"), ("walk", "human48"), ("free", "human66")
    ]  # fmt: skip
    assert [row["scene"] for row in bench(run, "--model", "human48")] == ["tpose", "walk", "run"]


def test_many_steps_are_counted_and_the_slowest_are_placed(run):
    (row,) = bench(run, "--scene", "walk", "--model", "human48", "--steps", "5000")
    latency = row["latency"]
    assert latency["steps"] == 5000 and latency["laps"] == 3 and latency["allocations"] == 0
    keys = ["step_p50_us", "step_p99_us", "step_p999_us", "step_p9999_us", "step_max_us"]
    assert [latency[key] for key in keys] == sorted(latency[key] for key in keys)
    assert 0.0 < latency["own_max_us"] <= latency["step_max_us"]
    assert latency["slow_us"] == pytest.approx(5.0 * latency["own_max_us"]) and 0 <= latency["slow_steps"] <= 5000
    slowest = latency["slowest"]
    assert len(slowest) == 10 and slowest[0]["step_us"] == latency["step_max_us"]
    worst = {slow["frame"]: max(other["step_us"] for other in slowest if other["frame"] == slow["frame"]) for slow in slowest}
    for slow in slowest:
        assert slow["step"] == slow["lap"] * 2000 + slow["frame"] and slow["frame"] > 0, "20 s at 100 Hz; the first step aligns"
        assert slow["frame_median_us"] <= worst[slow["frame"]], "several laps of one frame may be among the slowest"


def test_a_closed_scene_goes_on_without_aligning(run):
    (row,) = bench(run, "--scene", "free", "--steps", "3100")
    assert row["latency"]["steps"] == 3100 and row["latency"]["laps"] == 3, "1499, 1500, 101"


def test_the_table_is_for_people(run):
    result = run("bench", "--scene", "free", "--repeats", "1")
    assert result.returncode == GOOD
    lines = result.stdout.splitlines()
    assert lines[0].startswith("Time of one complete step") and any(line.startswith("free") for line in lines)


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("--scene", "clampd"), ("no scene 'clampd'", "clamped", "free", "walk")),
        (("--model", "human67"), ("no model 'human67'", "human66", "human48")),
        (("--solver", "dynamicle"), ("no solver 'dynamicle'", "dynamical")),
        (("--scene", "free", "--model", "human48"), ("only for human66",)),
        (("--repeats", "0"), ("--repeats", "1 to 1000")),
        (("--steps", "1e12"), ("--steps", "1e+08")),
        (("walk",), ("unexpected argument 'walk'",)),
    ],
)
def test_what_cannot_be_is_refused_with_what_can(run, arguments, words):
    refused(run("bench", *arguments), USAGE, *words)
