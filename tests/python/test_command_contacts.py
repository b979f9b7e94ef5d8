"""Contacts and anchors in the arrays of a retargeted motion, with forward kinematics of our own."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from command import GOOD, UNUSABLE, USAGE, card_of, refused

sys.path.insert(0, str(Path(__file__).parents[2] / "python"))
from reference import so3  # noqa: E402
from reference.model import Model  # noqa: E402

FEET = ["right_ankle_roll_link", "left_ankle_roll_link"]
# the heel in the link [m], between the maker's collision spheres, where they touch the floor
HEEL = np.array([-0.05, 0.0, -0.035])


@pytest.fixture
def g1(run, tmp_path):
    """The robot's URDF, as Panto writes it."""
    assert run("convert", "unitree_g1", "g1.urdf").returncode == GOOD
    return (tmp_path / "g1.urdf").read_text(encoding="utf-8")


@pytest.fixture
def walk(project):
    return project / "examples" / "data" / "walk.bvh"


@pytest.fixture
def take(run, walk, tmp_path):
    """Function from options to (figures, arrays, notes) of the walk on the G1."""

    def retarget(*options, clip=walk):
        result = run("retarget", clip, "--robot", "unitree_g1", *options, "-o", "take.npz", "--json")
        with np.load(tmp_path / "take.npz", allow_pickle=False) as arrays:
            return card_of(result), dict(arrays), result.stderr

    return retarget


def rotation(q):
    """Of a quaternion w x y z."""
    w, v = q[0], so3.hat(q[1:])
    return np.eye(3) + 2 * w * v + 2 * v @ v


def feet(arrays, urdf):
    """Origins and orientations of the feet, (T, F, 3) and (T, F, 3, 3)."""
    model = Model(urdf, list(arrays["joint_names"]))
    poses = [
        model.pose(p, rotation(q), s)
        for p, q, s in zip(arrays["base_position"], arrays["base_quaternion_wxyz"], arrays["joint_position"])
    ]
    places = np.array([[pose.p[link] for link in arrays["contact_names"]] for pose in poses])
    turns = np.array([[pose.R[link] for link in arrays["contact_names"]] for pose in poses])
    return places, turns


def stance_slides(arrays, places, turns, shift):
    """Horizontal speeds [mm/s] of heels in contact in two frames; contacts `shift` frames too late."""
    down = np.roll(arrays["contact_points"][:, :, 0], shift, axis=0)
    moved = np.diff(places + turns @ HEEL, axis=0)[:, :, :2]
    return (np.linalg.norm(moved, axis=2) * 1e3 / np.diff(arrays["times_s"])[:, None])[down[1:] & down[:-1]]


def let_go(notes):
    """How far feet in stance may be from their anchors [m]: as the note says, or 20 mm, which needs no note."""
    said = re.search(r"miss their places by up to ([\d.]+) mm", notes)
    return 1e-3 * float(said[1]) if said else 0.02


def test_the_arrays_of_a_walk_hold_contacts_anchors_and_the_feets_names(take):
    _, arrays, _ = take()
    frames = len(arrays["times_s"])
    assert list(arrays["contact_names"]) == FEET
    assert arrays["contacts"].shape == (frames, 2) and arrays["contacts"].dtype == bool
    assert arrays["contact_points"].shape == (frames, 2, 2) and arrays["contact_points"].dtype == bool
    assert arrays["contact_anchors"].shape == (frames, 2, 7)
    np.testing.assert_array_equal(arrays["contacts"], arrays["contact_points"].any(axis=2))
    np.testing.assert_array_equal(np.isfinite(arrays["contact_anchors"]).all(axis=2), arrays["contacts"])
    assert (0.4 < arrays["contacts"].mean(axis=0)).all() and (arrays["contacts"].mean(axis=0) < 0.7).all()
    assert np.allclose(np.linalg.norm(arrays["contact_anchors"][arrays["contacts"]][:, 3:], axis=1), 1.0)


@pytest.mark.parametrize("clip", ["walk", "lafan1/dance1_subject2.bvh"])
def test_feet_in_stance_keep_to_their_anchors_and_do_not_slide(clip, take, walk, g1, data_file):
    figures, arrays, notes = take(clip=walk if clip == "walk" else data_file(clip))
    places, turns = feet(arrays, g1)
    anchors = arrays["contact_anchors"]
    raised = re.search(r"base raised by up to ([\d.]+) mm", notes)
    off = np.linalg.norm(places - anchors[:, :, :3], axis=2)[arrays["contacts"]]
    assert off.max() <= let_go(notes) + (1e-3 * float(raised[1]) if raised else 0.0)
    assert np.median(off) < 2e-3, "most are where they are held"
    slides = {shift: stance_slides(arrays, places, turns, shift) for shift in (-4, 0, 4)}
    assert len(slides[0]) > 50
    assert slides[0].max() <= figures["foot_skate_max_mm_s"]
    assert np.median(slides[0]) <= 1.2 * figures["foot_skate_median_mm_s"] + 0.5, "settling frames are not in the figure"
    p95 = {shift: np.percentile(slides[shift], 95) for shift in slides}
    assert p95[0] < min(p95[-4], p95[4]), "contacts belong to their frames"


@pytest.mark.parametrize("mode, held", [("hold", True), ("soft", False), ("off", False)])
def test_other_laws_of_the_feet_write_what_they_know(mode, held, take):
    _, arrays, _ = take("--feet", mode)
    assert list(arrays["contact_names"]) == FEET and 0.4 < arrays["contacts"].mean() < 0.7
    assert ("contact_anchors" in arrays) == held, "feet that follow are held nowhere"


def test_smoothed_and_scaled_motions_keep_their_contacts(take):
    _, plain, _ = take()
    _, smooth, _ = take("--smooth")
    np.testing.assert_array_equal(smooth["contacts"], plain["contacts"])
    _, scaled, _ = take("--limits", "scale", "--max-acceleration", 10)
    assert len(scaled["contacts"]) == len(scaled["times_s"]) > len(plain["times_s"]), "slowed down"
    assert scaled["contacts"].mean() == pytest.approx(plain["contacts"].mean(), abs=0.1)


def test_a_robot_with_a_fixed_base_has_no_contacts(run, walk, tmp_path):
    result = run("retarget", walk, "--robot", "olivia17", "-o", "fixed.npz")
    assert result.returncode == GOOD, result.stderr
    with np.load(tmp_path / "fixed.npz") as arrays:
        assert not [name for name in arrays if name.startswith("contact")]


def test_members_are_stored_with_the_same_bytes_each_time(run, walk, tmp_path):
    for name in ("a.npz", "b.npz"):
        assert run("retarget", walk, "--robot", "unitree_g1", "-o", name).returncode == GOOD
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_states_of_a_human_are_read_back_as_a_person_and_a_robots_as_a_robot(run, walk, tmp_path):
    assert run("track", walk, "-o", "human.npz", "-o", "human.csv").returncode == GOOD
    for given in ("human.npz", "human.csv"):
        assert run("convert", given, f"{given[6:]}.csv", "--height", 1.7).returncode == GOOD
    assert (tmp_path / "npz.csv").read_bytes() == (tmp_path / "csv.csv").read_bytes()
    assert run("retarget", walk, "--robot", "unitree_g1", "-o", "g1.npz").returncode == GOOD
    assert run("convert", "g1.npz", "g1.csv", "--for", "unitree").returncode == GOOD
    refused(run("convert", "g1.npz", "a.bvh"), USAGE, "a.bvh", "a robot's motion can be written to")
    with np.load(tmp_path / "human.npz") as arrays:
        damaged = dict(arrays)
    damaged["joint_position"] = damaged["joint_position"][:, :-1]
    np.savez(tmp_path / "damaged.npz", **damaged)
    refused(run("convert", "damaged.npz", "a.bvh"), UNUSABLE, "damaged.npz", "joint_position", "shape")
