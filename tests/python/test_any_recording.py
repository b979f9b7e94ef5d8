"""Any skeleton clip, with no option but the model: the tracked human against the clip's own joint centres.

The clip and the written answer are both read by tests/python/bvh_oracle.py, and which joint of a clip is which part of
the body is written down here by hand, so nothing of Panto's own understanding judges itself. PANTO_COMMAND names the
built command.
"""

import json
import subprocess

import numpy as np
import pytest
from bvh_oracle import Clip, angle_between, rotation_vectors

# part -> joint; the order of the values is that of PARTS
PARTS = "pelvis neck head upper_arm forearm hand thigh shank foot toe".split()
FAMILIES = {
    "xsens": "Hips Neck Head {s}Shoulder {s}Elbow {s}Wrist {s}Hip {s}Knee {s}Ankle {s}Toe",
    "reallusion": "CC_Base_Pelvis CC_Base_NeckTwist01 CC_Base_Head CC_Base_{c}_Upperarm CC_Base_{c}_Forearm CC_Base_{c}_Hand "
    "CC_Base_{c}_Thigh CC_Base_{c}_Calf CC_Base_{c}_Foot CC_Base_{c}_ToeBase",
    "cgspeed": "Hips lowerneck Head {s}Shoulder {s}Elbow {s}Wrist {s}Hip {s}Knee {s}Ankle {s}Toe",
    "motionbuilder": "Hips Neck Head {s}Arm {s}ForeArm {s}Hand {s}UpLeg {s}Leg {s}Foot {s}ToeBase",
    "toeless": "Hips Neck Head {s}Arm {s}ForeArm {s}Hand {s}UpLeg {s}Leg {s}Foot -",
    "mixamo": "mixamorig:Hips mixamorig:Neck mixamorig:Head mixamorig:{s}Arm mixamorig:{s}ForeArm mixamorig:{s}Hand "
    "mixamorig:{s}UpLeg mixamorig:{s}Leg mixamorig:{s}Foot mixamorig:{s}ToeBase",
}
CLIPS = {
    "bvh/cmu/002_01.bvh": "reallusion",
    "bvh/cmu/002_03.bvh": "reallusion",
    "bvh/cmu/002_04.bvh": "reallusion",
    "bvh/cmu/005_02.bvh": "reallusion",
    "bvh/cmu/007_01.bvh": "reallusion",
    "bvh/cmu/007_04.bvh": "reallusion",
    "bvh/cmu/131_01.bvh": "cgspeed",
    "bvh/cmu/131_02.bvh": "cgspeed",
    "bvh/cmu/scaled_131_01.bvh": "cgspeed",
    "bvh/oracle/walk01.bvh": "toeless",
    "bvh/corner-cases/bvh_example.bvh": "motionbuilder",
    "bvh/corner-cases/bvh_test2.bvh": "xsens",
    "bvh/corner-cases/cmu_12_01_walk.bvh": "motionbuilder",
    "bvh/corner-cases/test_freebvh.bvh": "mixamo",
    "mvnx/blender-mvnx-io_test_mocap.bvh": "xsens",
}
Z_UP = {"bvh/corner-cases/bvh_example.bvh"}
OTHERS = {
    "bvh/corner-cases/full_precision_frame_time.bvh",
    "bvh/corner-cases/rotation_first_root.bvh",
    "bvh/corner-cases/sinusoidal.bvh",
    "bvh/corner-cases/sinusoidal_2.bvh",
    "bvh/corner-cases/standard_skeleton.bvh",
}
UNMEASURED_LEGS = {"mvnx/blender-mvnx-io_test_mocap.bvh"}  # an upper-body take: the legs follow the pelvis, tilt and all
SETTLE = 0.5  # [s]


def parts(family):
    """{'pelvis': joint, 'right_thigh': joint, ...}"""
    named = {}
    for part, joint in zip(PARTS, FAMILIES[family].split()):
        if joint == "-":
            continue
        if "{" not in joint:
            named[part] = joint
        else:
            for side in ("Right", "Left"):
                named[f"{side.lower()}_{part}"] = joint.format(s=side, c=side[0])
    return named


def bones(centres):
    """Direction of every bone from joint centres by part."""
    hips = (centres["right_thigh"] + centres["left_thigh"]) / 2
    found = {"trunk": centres["neck"] - hips, "head": centres["head"] - centres["neck"]}
    for side in ("right", "left"):
        chain = [f"{side}_{part}" for part in ("thigh", "shank", "foot", "toe")]
        arm = [f"{side}_{part}" for part in ("upper_arm", "forearm", "hand")]
        for limb in (chain, arm):
            for a, b in zip(limb, limb[1:]):
                if b in centres:
                    found[a] = centres[b] - centres[a]
    return found


class Run:
    """One clip tracked onto human66, with clip and answer in the same axes and at the same frames."""

    def __init__(self, panto, path, name, folder):
        out = folder / "out.bvh"
        result = subprocess.run(
            [panto, "track", path, "--model", "human66", "--json", "-o", out, "-o", folder / "out.csv"],
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert result.returncode == 0, result.stderr
        self.card = json.loads(result.stdout)
        clip, answer = Clip(path), Clip(out)
        dropped = len(clip.p) - len(answer.p)
        assert 0 <= dropped <= 1, "at most the exporter's rest pose is left out"
        settled = slice(int(SETTLE * clip.rate) if len(answer.p) > SETTLE * clip.rate + 1 else 0, None)
        axes = [1, 2, 0] if name in Z_UP else [0, 1, 2]  # the answer has y up, x left
        mine = parts(CLIPS[name])
        self.clip = {part: clip.centre(joint)[dropped:][settled][:, axes] for part, joint in mine.items()}
        self.clip_R = {part: clip.rotation(joint)[dropped:][settled][:, axes][:, :, axes] for part, joint in mine.items()}
        theirs = parts("xsens")
        self.answer = {part: answer.centre(joint)[settled] / 100 for part, joint in theirs.items()}
        self.answer_R = {part: answer.rotation(joint)[settled] for part, joint in theirs.items()}
        self.family = CLIPS[name]
        self.rate, self.legs = clip.rate, name not in UNMEASURED_LEGS


@pytest.fixture(scope="module", params=CLIPS)
def tracked(request, panto, data_file, tmp_path_factory):
    return Run(panto, data_file(request.param), request.param, tmp_path_factory.mktemp("clip"))


def test_every_link_reaches_its_target(tracked):
    assert tracked.card["angle_mean_deg"] <= 0.05, "66 free joints can take every pose; what is left is the solver's"


def test_bones_point_where_the_clips_own_joint_centres_say(tracked):
    clip, answer = bones(tracked.clip), bones(tracked.answer)
    errors = {bone: angle_between(clip[bone], answer[bone]).mean() for bone in clip}
    print({bone: round(float(error), 2) for bone, error in errors.items()})
    assert max(errors.values()) <= 3.0, errors  # a neighbouring joint, the wrong side or a wrong axis is 10 and more


def test_joint_centres_lie_where_the_clip_has_them(tracked):
    common = [part for part in tracked.clip if part not in ("pelvis",)]
    a = np.stack([tracked.clip[part] for part in common])
    b = np.stack([tracked.answer[part] for part in common])
    a0, b0 = a.mean(axis=0), b.mean(axis=0)
    scale = np.sum((a - a0) * (b - b0)) / np.sum((a - a0) ** 2)  # the file does not say its unit
    errors = np.linalg.norm(scale * a - b, axis=-1).mean(axis=1)
    print("scale", scale, {part: round(100 * float(e), 2) for part, e in zip(common, errors)}, "cm")
    assert errors.mean() <= 0.03, dict(zip(common, errors))


def turns_about_mean(R):
    """Turns of R about its mean, as rotation vectors in the turning body's axes."""
    middle = rotation_vectors(R[0].T @ R).mean(axis=0)
    angle = np.linalg.norm(middle)
    K = -np.cross(np.eye(3), middle / max(angle, 1e-12))
    mean = R[0] @ (np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K)
    return rotation_vectors(mean.T @ R)


@pytest.mark.parametrize("hinge", ["right_shank", "left_shank", "right_forearm", "left_forearm"])
def test_knees_and_elbows_hinge_about_their_own_axes(tracked, hinge):
    if tracked.family == "xsens":
        pytest.skip("Xsens' segment frames are the vendor's own and kept as they are, pronation and all")
    upper = hinge.replace("shank", "thigh").replace("forearm", "upper_arm")
    end = hinge.replace("shank", "foot").replace("forearm", "hand")

    def turns(R):
        return turns_about_mean(np.swapaxes(R[upper], 1, 2) @ R[hinge])

    own = turns(tracked.clip_R)
    total = np.sum(own**2)
    powers, axes = np.linalg.eigh(own.T @ own)
    bone = np.einsum("fji,fj->i", tracked.clip_R[hinge], tracked.clip[end] - tracked.clip[hinge])
    along = abs(axes[:, -1] @ bone) / np.linalg.norm(bone)
    size = np.degrees(np.sqrt(total / len(own)))
    if size < 5.0 or powers[-1] < 0.98 * total or along > 0.3:
        pytest.skip(f"the clip itself does not hinge here: {size:.0f} deg rms, {powers[-1] / total:.2f} about one axis, {along:.2f} along the bone")
    # in the answer's axes (x left, y up, z forward) a knee turns about x, an elbow held sideways about y
    answer = turns(tracked.answer_R)
    share = 1.0 - np.sum(answer[:, 0 if "shank" in hinge else 1] ** 2) / np.sum(answer**2)
    print(f"{size:.0f} deg rms, {share:.3f} off the axis")
    assert share <= 0.10


@pytest.mark.parametrize("side", ["right", "left"])
def test_standing_feet_lie_flat_and_point_forward(tracked, side):
    if not tracked.legs:
        pytest.skip("the legs of this take were not measured")
    foot = tracked.answer[f"{side}_foot"]
    speed = np.linalg.norm(np.gradient(foot, 1 / tracked.rate, axis=0), axis=1)
    standing = (foot[:, 1] < foot[:, 1].min() + 0.04) & (speed < 0.25)
    if standing.sum() < 3:
        pytest.skip("this foot never stands")
    R = tracked.answer_R[f"{side}_foot"][standing]
    left = (tracked.answer["left_thigh"] - tracked.answer["right_thigh"])[standing]
    facing = np.cross(left, [0.0, 1.0, 0.0])
    pointing = R[:, :, 2] * [1, 0, 1]
    tilt = np.degrees(np.arcsin(np.clip(R[:, 1, 2], -1, 1)))
    print(f"heading {np.median(angle_between(facing, pointing)):.0f} deg, tilt {np.median(tilt):.1f} deg")
    assert np.median(angle_between(facing, pointing)) <= 45.0  # feet turn out by 7, dancers' by 40
    assert abs(np.median(tilt)) <= 10.0


@pytest.mark.parametrize("name", sorted(OTHERS))
def test_what_is_no_human_motion_is_refused_with_the_reason(panto, data_file, name):
    result = subprocess.run([panto, "track", data_file(name), "--model", "human66"], capture_output=True, text=True, timeout=60)
    assert result.returncode == 3, result.stdout
    last = result.stderr.strip().splitlines()[-1]
    assert last.startswith("panto: ") and name.split("/")[-1] in last, last
