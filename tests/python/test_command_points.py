"""Points as cameras give them, and recordings that float, through the command: what is said, and what options do."""

import json

import numpy as np
import pytest
from command import GOOD, UNUSABLE, USAGE, refused


def retargeted(run, tmp_path, clip, *options):
    """The answer of `retarget --json`, the steps of the base [mm] and the notes."""
    result = run("retarget", clip, "--robot", "g1", "-o", "out.npz", "--json", *options)
    assert result.returncode == GOOD, result.stderr
    with np.load(tmp_path / "out.npz") as motion:
        steps = 1e3 * np.linalg.norm(np.diff(motion["base_position"], axis=0), axis=1)
    return json.loads(result.stdout), steps, result.stderr


@pytest.mark.parametrize("case", ["03_ankle_every_other_frame", "03_hip_missing_2_frames"])
def test_short_gaps_are_bridged_and_said(run, tmp_path, data_file, case):
    card, steps, notes = retargeted(run, tmp_path, data_file(f"cases/{case}.trc"))
    assert steps.max() <= 45
    assert card["foot_skate_p95_mm_s"] <= 30
    assert "gaps of up to 0.2 s bridged" in notes


def test_noise_is_filtered_unless_it_is_wanted(run, tmp_path, data_file):
    clip = data_file("cases/04_noise_10mm.trc")
    light = retargeted(run, tmp_path, clip)
    off = retargeted(run, tmp_path, clip, "--clean", "off")
    assert "jitter of" in light[2] and "jitter" not in off[2]
    assert light[0]["followable_mean_deg"] < off[0]["followable_mean_deg"]
    assert "jitter of" in retargeted(run, tmp_path, clip, "--clean", "strong")[2]
    refused(run("retarget", clip, "--robot", "g1", "--clean", "a-lot"), USAGE, "--clean")


def test_a_skeleton_has_no_points_to_clean(run, walk):
    for words in (("track",), ("retarget", "--robot", "g1"), ("convert", "-o", "a.bvh")):
        line = (words[0], walk.with_suffix(".bvh"), *words[1:], "--clean", "strong")
        refused(run(*line), USAGE, "cleaning applies to points", "holds none")


def test_a_frozen_ankle_is_named_with_its_time(run, tmp_path, data_file):
    _, _, notes = retargeted(run, tmp_path, data_file("cases/14_frozen_ankle_20_frames.trc"))
    assert "freeze while the body moves" in notes and "LAnkle from 1.03 to 1.63 s" in notes
    told = run("inspect", data_file("cases/14_frozen_ankle_20_frames.trc")).stdout
    assert told.startswith("Usable, but points not seen for over 0.2 s, guessed from their neighbours: LAnkle"), told


def test_a_video_from_one_side_is_refused_with_the_remedy(run, data_file):
    clip = data_file("cases/06_planar_side_view.trc")
    refused(run("retarget", clip, "--robot", "g1"), UNUSABLE, "in one plane", "several cameras")
    shown = run("inspect", clip)
    assert "in one plane" in shown.stdout.splitlines()[0]


@pytest.mark.parametrize("clip", ["bvh/field/rokoko_jesse_dance.bvh", "cases/13_squats_with_fixed_root.bvh"])
def test_a_floating_recording_is_said_and_ground_puts_it_down(run, tmp_path, data_file, clip):
    before, _, notes = retargeted(run, tmp_path, data_file(clip))
    assert "the soles float" in notes and "turn on ground to correct it" in notes
    after, _, notes = retargeted(run, tmp_path, data_file(clip), "--ground")
    assert "put on the floor" in notes and "to correct it" not in notes
    assert after["body_floating_longest_s"] < 1.0 < before["body_floating_longest_s"]
