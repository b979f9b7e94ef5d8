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
    assert np.abs(angles[0] - angles[1]).max() < 1e-3, "[m], [rad]: one person, one motion of the robot"


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


BONES = {
    "Hips": "hips", "Spine": "spine", "Spine1": "chest", "Spine2": "upperChest", "Neck": "neck", "Head": "head",
    "Shoulder": "Shoulder", "Arm": "UpperArm", "ForeArm": "LowerArm", "Hand": "Hand",
    "UpLeg": "UpperLeg", "Leg": "LowerLeg", "Foot": "Foot", "Toe": "Toes",
}  # fmt: skip


def bone_of(name):
    for side, own in (("Left", "left"), ("Right", "right")):
        if name.startswith(side):
            return own + BONES[name.removeprefix(side)]
    return BONES[name]


@pytest.mark.parametrize("version", ["VRM", "VRMC_vrm", "VRMC_vrm_animation"])
def test_a_vrm_names_its_bones_whatever_its_nodes_are_called(run, tmp_path, data_file, version):
    clip = first_frames(data_file("lafan1/dance1_subject2.bvh"), tmp_path / "take.bvh", 100)
    places = {bone_of(name): {"node": j} for j, name in enumerate(clip.joints)}
    bones = [{"bone": bone, **place} for bone, place in places.items()] if version == "VRM" else places
    nameless = {name: f"b{j}" for j, name in enumerate(clip.joints)}
    write_glb(clip, tmp_path / "take.vrm", seed=4, rename=nameless, extensions={version: {"humanoid": {"humanBones": bones}}})
    result = run("inspect", "take.vrm")
    assert result.returncode == GOOD
    assert ("vrma (vrm)" if version.endswith("animation") else "vrm (vrm)") in result.stdout
    columns, vrm = measured(run, tmp_path, "take.vrm", "vrm.csv")
    columns_bvh, bvh = measured(run, tmp_path, "take.bvh", "bvh.csv")
    assert columns == columns_bvh
    centres = [i for i, name in enumerate(columns.split(",")) if name.startswith(("LeftFoot_", "RightHand_", "Pelvis_")) and name.endswith("_m")]
    assert np.abs(vrm[:, centres] - bvh[:, centres]).max() < 1e-5
