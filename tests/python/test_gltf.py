"""A walk as BVH and as the glTF that our own writer makes of it is one recording."""

import numpy as np
import pytest
from bvh_oracle import Clip
from command import GOOD
from gltf_oracle import write_glb


def measured(run, tmp_path, file, name):
    result = run("convert", file, name, "--as", "keypoints")
    assert result.returncode == GOOD, result.stderr
    lines = [line for line in (tmp_path / name).read_text().splitlines() if line[:1] != "#"]
    return lines[0], np.genfromtxt(lines[1:], delimiter=",")


def first_frames(file, path, frames):
    text = file.read_text()
    head, numbers = text.split("MOTION")
    lines = numbers.strip().splitlines()
    path.write_text(head + "MOTION\n" + f"Frames: {frames}\n" + "\n".join(lines[1 : 2 + frames]) + "\n")
    return Clip(path)


@pytest.mark.parametrize("file, unit", [("lafan1/dance1_subject2.bvh", 0.01), ("bvh/corner-cases/cmu_12_01_walk.bvh", 0.0254 / 0.45)])
def test_a_person_in_gltf_is_the_person_in_bvh(run, tmp_path, data_file, file, unit):
    clip = first_frames(data_file(file), tmp_path / "take.bvh", 400)
    write_glb(clip, tmp_path / "take.glb", seed=1, unit=unit)
    columns, bvh = measured(run, tmp_path, "take.bvh", "bvh.csv")
    columns_glb, glb = measured(run, tmp_path, "take.glb", "glb.csv")
    assert columns_glb == columns and glb.shape == bvh.shape
    np.testing.assert_array_equal(np.isnan(glb), np.isnan(bvh))
    difference = np.nanmax(np.abs(glb - bvh))
    assert difference < 1e-5, f"{difference}: times, positions [m], quaternions; keys are floats of 24 bits"


def test_a_person_in_gltf_goes_onto_a_robot(run, tmp_path, data_file):
    write_glb(first_frames(data_file("lafan1/dance1_subject2.bvh"), tmp_path / "take.bvh", 60), tmp_path / "take.glb", seed=2)
    one = run("retarget", "take.glb", "--robot", "unitree_g1", "-o", "glb.csv")
    other = run("retarget", "take.bvh", "--robot", "unitree_g1", "-o", "bvh.csv")
    assert one.returncode == GOOD and other.returncode == GOOD
    angles = [np.genfromtxt(tmp_path / name, delimiter=",", skip_header=1) for name in ("glb.csv", "bvh.csv")]
    assert angles[0].shape == angles[1].shape


def test_a_character_in_gltf_is_written_as_bvh_with_its_own_joints(run, tmp_path, data_file):
    take = first_frames(data_file("lafan1/dance1_subject2.bvh"), tmp_path / "take.bvh", 60)
    character = first_frames(data_file("lafan1/dance1_subject2.bvh"), tmp_path / "character.bvh", 5)
    write_glb(character, tmp_path / "character.glb", seed=3)
    result = run("retarget", "take.bvh", "--to", "character.glb", "-o", "out.bvh", "--feet", "off")
    assert result.returncode == GOOD, result.stderr
    written = Clip(tmp_path / "out.bvh")
    assert written.joints == character.joints
    hips, knee = written.joints.index("Hips"), written.joints.index("LeftLeg")
    foot = written.joints.index("LeftFoot")
    bone = (written.p[:, foot] - written.p[:, knee]) / np.linalg.norm(written.p[:, foot] - written.p[:, knee], axis=1)[:, None]
    expected = take.p[:, foot] - take.p[:, knee]
    expected /= np.linalg.norm(expected, axis=1)[:, None]
    assert np.abs(bone - expected[: len(bone)]).max() < 1e-4, "the shank points where the person's does"
    assert hips == 0
