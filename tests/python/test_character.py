"""panto retarget --to: any person onto any skeleton, judged by our own NumPy reader of BVH, which shares nothing with Panto's."""

import re

import numpy as np
import pytest
from bvh_oracle import Clip, angle_between
from command import GOOD, UNUSABLE, USAGE, card_of, refused

LAFAN = "lafan1/dance1_subject2.bvh"
CMU = "bvh/corner-cases/cmu_12_01_walk.bvh"
CGSPEED = "bvh/cmu/131_02.bvh"
MIXAMO = "bvh/corner-cases/test_freebvh.bvh"
ROKOKO = "bvh/field/rokoko_jesse_dance.bvh"
SOMA = "bvh/field/soma_pick_up.bvh"
XSENS = "mvnx/blender-mvnx-io_test_mocap.bvh"

# limbs: joint and the next; thigh, shank, upper arm, forearm, of the left side
LIMBS = {
    LAFAN: ("LeftUpLeg LeftLeg LeftFoot", "LeftArm LeftForeArm LeftHand"),
    CMU: ("LeftUpLeg LeftLeg LeftFoot", "LeftArm LeftForeArm LeftHand"),
    CGSPEED: ("LeftHip LeftKnee LeftAnkle", "LeftShoulder LeftElbow LeftWrist"),
    ROKOKO: ("LeftUpLeg LeftLeg LeftFoot", "LeftArm LeftForeArm LeftHand"),
    SOMA: ("LeftLeg LeftShin LeftFoot", "LeftArm LeftForeArm LeftHand"),
    XSENS: ("LeftHip LeftKnee LeftAnkle", "LeftShoulder LeftElbow LeftWrist"),
}


def other_side(name):
    return name.replace("Left", "Right")


def directions(clip, file):
    """Of eight limbs, [frames, 8, 3]: thighs, shanks, upper arms, forearms."""
    all = []
    for chain in LIMBS[file]:
        a, b, c = chain.split()
        for side in (str, other_side):
            for first, second in ((a, b), (b, c)):
                all.append(clip.centre(side(second)) - clip.centre(side(first)))
    return np.stack([v / np.linalg.norm(v, axis=1, keepdims=True) for v in all], axis=1)


def start(text, frames):
    """The file with its first frames alone."""
    head, rows = text.split("MOTION")
    lines = rows.strip().splitlines()
    return f"{head}MOTION\nFrames: {frames}\n{lines[1]}\n" + "\n".join(lines[2 : 2 + frames]) + "\n"


@pytest.fixture
def part(data_file, tmp_path):
    """A recording of the shared data, cut to its first frames."""

    def cut(name, frames):
        path = tmp_path / name.replace("/", "_")
        path.write_text(start(data_file(name).read_text(), frames))
        return path

    return cut


def header(path):
    """The hierarchy word by word, numbers as numbers."""

    def value(word):
        try:
            return float(word)
        except ValueError:
            return word

    return [value(word) for word in path.read_text().split("MOTION")[0].split()]


@pytest.mark.parametrize("file", [LAFAN, CMU, CGSPEED, ROKOKO, SOMA, XSENS])
def test_the_same_skeleton_gives_the_same_rotations_back(file, part, run, tmp_path):
    source = part(file, 150)
    assert run("retarget", source, "--to", source, "--feet", "off", "-o", "out.bvh").returncode == GOOD
    before, after = Clip(source), Clip(tmp_path / "out.bvh")
    first = len(before.p) - len(after.p)
    assert first in (0, 1), "one frame may be the exporter's rest pose"
    spread = before.R[first:].transpose(0, 1, 3, 2) @ after.R
    angle = np.degrees(np.arccos(np.clip((np.trace(spread, axis1=2, axis2=3) - 1) / 2, -1, 1)))
    hips = before.joints.index("Hips")
    body = [j for j in range(len(before.joints)) if j >= hips]
    # rounding under arccos near 1 is 1e-6 deg; the file has six decimals
    assert angle[:, body].max() < 1e-4
    size = np.ptp(before.p[0, :, 1])
    way = (after.p[:, hips] - before.p[first:, hips])[:, [0, 2]]
    assert np.abs(way).max() < 0.001 * size, "two millimetres of a person"


def test_planted_feet_leave_the_arms_of_a_fast_motion_as_they_are(part, run, tmp_path):
    """A character has no limits of speed: wrists of this clip turn at over 20 rad/s."""
    source = part("bvh/cmu/131_01.bvh", 600)
    moved = {}
    for feet in ("off", "plant"):
        ran = run("retarget", source, "--to", source, "--feet", feet, "-o", f"{feet}.bvh")
        assert ran.returncode == GOOD and "Not usable" not in ran.stdout, ran.stdout
        moved[feet] = Clip(tmp_path / f"{feet}.bvh")
    arms = [j for j, name in enumerate(moved["off"].joints) if any(word in name for word in ("Shoulder", "Elbow", "Wrist"))]
    assert len(arms) == 6
    spread = moved["off"].R[:, arms].transpose(0, 1, 3, 2) @ moved["plant"].R[:, arms]
    angle = np.degrees(np.arccos(np.clip((np.trace(spread, axis1=2, axis2=3) - 1) / 2, -1, 1)))
    assert angle.max() < 1e-3


@pytest.mark.parametrize("source,target", [(LAFAN, CMU), (CMU, LAFAN), (CGSPEED, ROKOKO), (ROKOKO, SOMA), (SOMA, XSENS), (XSENS, CGSPEED)])
def test_limbs_of_another_skeleton_point_as_the_persons(source, target, part, run, data_file, tmp_path):
    clip, character = part(source, 200), data_file(target)
    assert run("retarget", clip, "--to", character, "--feet", "off", "-o", "out.bvh").returncode == GOOD
    out = tmp_path / "out.bvh"
    assert header(out) == header(character), "the character's own hierarchy"
    before, after = Clip(clip), Clip(out)
    first = len(before.p) - len(after.p)
    off = angle_between(in_world(directions(before, source)[first:], before), in_world(directions(after, target), after))
    assert np.median(off) < 2.0 and np.percentile(off, 95) < 8.0, off.mean(axis=0)


def in_world(v, clip):
    """All files of this test have y up, so that horizontal axes agree too."""
    assert np.median(clip.centre("Head")[:, 1] - clip.centre("Hips")[:, 1]) > 0
    return v


def speeds(clip, name, unit):
    """Horizontal speed of a joint [m/s] by frame."""
    p = clip.centre(name)[:, [0, 2]] * unit
    return np.linalg.norm(np.gradient(p, axis=0), axis=1) * clip.rate


def leg(clip, file):
    a, b, c = (clip.centre(name)[0] for name in LIMBS[file][0].split())
    return np.linalg.norm(b - a) + np.linalg.norm(c - b)


def test_feet_in_stance_slide_less_than_the_persons(part, run, data_file, tmp_path):
    clip = part(LAFAN, 400)
    assert run("retarget", clip, "--to", data_file(ROKOKO), "-o", "out.bvh").returncode == GOOD
    before, after = Clip(clip), Clip(tmp_path / "out.bvh")
    first = len(before.p) - len(after.p)
    theirs, ours = [], []
    for side in ("Left", "Right"):
        speed = speeds(before, f"{side}Toe", 0.9 / leg(before, LAFAN))[first:]
        height = before.centre(f"{side}Toe")[first:, 1]
        # well inside a stance of the person: slow for five frames on each side, and low
        slow = (speed < 0.15) & (height < np.percentile(height, 10) + 4)
        still = np.convolve(slow, np.ones(11), "same") > 10.5
        theirs.append(speed[still])
        ours.append(speeds(after, f"{side}ToeBase", 0.9 / leg(after, ROKOKO))[still])
    theirs, ours = np.concatenate(theirs), np.concatenate(ours)
    assert len(theirs) > 50, "the clip has stances"
    assert ours.mean() < theirs.mean(), (ours.mean(), theirs.mean())


def test_fingers_bend_as_the_persons_do(run, data_file, tmp_path):
    clip = data_file(MIXAMO)
    assert run("retarget", clip, "--to", data_file(ROKOKO), "-o", "out.bvh").returncode == GOOD
    before, after = Clip(clip), Clip(tmp_path / "out.bvh")
    first = len(before.p) - len(after.p)

    def bend(c, a, b):
        turn = c.rotation(a).transpose(0, 2, 1) @ c.rotation(b)
        return np.degrees(np.arccos(np.clip((np.trace(turn, axis1=1, axis2=2) - 1) / 2, -1, 1)))

    for side in ("Left", "Right"):
        for finger in ("Index", "Middle", "Ring", "Pinky"):
            for a, b in ((1, 2), (2, 3)):
                names = f"{side}Hand{finger}{a}", f"{side}Hand{finger}{b}"
                theirs = bend(before, *(f"mixamorig:{name}" for name in names))[first:]
                assert np.abs(bend(after, *names) - theirs).max() < 0.01, names


def test_another_rate_keeps_the_motion_and_its_length(part, run, tmp_path):
    source = part(CGSPEED, 241)
    assert run("retarget", source, "--to", source, "--feet", "off", "--fps", "30", "-o", "out.bvh").returncode == GOOD
    before, after = Clip(source), Clip(tmp_path / "out.bvh")
    first = 1 if len(before.p) % 4 == 1 and len(after.p) == 60 else 0
    step = round(before.rate / 30)
    assert after.rate == pytest.approx(30, rel=1e-6)
    again = before.R[first::step][: len(after.R)]
    assert np.abs(again - after.R[: len(again)]).max() < 1e-5, "these instants are frames of the source"


def test_a_character_of_two_centimetres_follows_and_its_unit_is_told(part, run, data_file, tmp_path):
    text = data_file(XSENS).read_text().split("MOTION")[0]
    small = []
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["OFFSET"]:
            line = "OFFSET " + " ".join(str(float(w) * 1.2e-4) for w in words[1:])
        small.append(line)
    target = tmp_path / "small.bvh"
    target.write_text("\n".join(small) + "\nMOTION\nFrames: 0\nFrame Time: 0.01\n")
    done = run("retarget", part(LAFAN, 60), "--to", target, "-o", "out.bvh")
    assert done.returncode == GOOD, done.stderr
    assert "unit of length" in done.stderr
    out = Clip(tmp_path / "out.bvh")
    assert 0.005 < np.ptp(out.p[0, :, 1]) < 0.05


def test_joint_names_may_repeat(part, run, data_file, tmp_path):
    target = tmp_path / "twice.bvh"
    target.write_text(part(ROKOKO, 3).read_text().replace("LeftHandRing3", "LeftHandPinky3"))
    assert run("retarget", part(LAFAN, 60), "--to", target, "-o", "out.bvh").returncode == GOOD
    assert Clip(tmp_path / "out.bvh").joints.count("LeftHandPinky3") == 2


def test_a_character_without_legs_follows_with_what_it_has(part, run, data_file, tmp_path):
    words, skip, kept = data_file(XSENS).read_text().split("MOTION")[0].splitlines(), 0, []
    for line in words:
        if skip == 0 and line.split()[:2] in (["JOINT", "RightHip"], ["JOINT", "LeftHip"]):
            skip = -1
        if skip == 0:
            kept.append(line)
        elif "{" in line or "}" in line:
            skip += line.count("{") - line.count("}") + (1 if skip == -1 else 0)
    target = tmp_path / "bust.bvh"
    target.write_text("\n".join(kept) + "\nMOTION\nFrames: 0\nFrame Time: 0.01\n")
    clip = part(LAFAN, 60)
    done = run("retarget", clip, "--to", target, "-o", "out.bvh")
    assert done.returncode == GOOD, done.stderr
    assert "no joints for RightUpperLeg" in done.stderr
    before, after = Clip(clip), Clip(tmp_path / "out.bvh")
    arm = after.centre("LeftElbow") - after.centre("LeftShoulder")
    assert np.median(angle_between(arm, before.centre("LeftForeArm") - before.centre("LeftArm"))) < 3


ONE_JOINT = "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 0\nFrame Time: 0.01\n"


def test_what_is_no_character_is_refused_by_name(part, run, data_file, tmp_path):
    clip = part(LAFAN, 30)
    for name, text in {"one.bvh": ONE_JOINT, "empty.bvh": "", "words.bvh": "hello\n"}.items():
        (tmp_path / name).write_text(text)
        refused(run("retarget", clip, "--to", name, "-o", "out.bvh"), UNUSABLE, name)
    robot = data_file("models/unitree/h1.urdf")
    refused(run("retarget", clip, "--to", robot, "-o", "out.bvh"), UNUSABLE, "h1.urdf", "--robot")
    refused(run("retarget", clip, "-o", "out.bvh"), USAGE, "--robot", "--to")
    refused(run("retarget", clip, "--to", clip, "--robot", "g1", "-o", "out.bvh"), USAGE, "--robot", "--to")
    refused(run("retarget", clip, "--to", clip, "-o", clip), USAGE, "out")
    assert not (tmp_path / "out.bvh").exists()


def test_a_character_whose_joints_have_no_telling_names_follows_by_a_map_of_its_own(part, run, data_file, tmp_path):
    from package import panto

    clip, named = part(LAFAN, 90), data_file(CGSPEED)
    assert run("retarget", clip, "--to", named, "-o", "named.bvh").returncode == GOOD
    assert run("inspect", named, "-o", "rig.toml").returncode == GOOD
    short = {name: f"j{k}" for k, name in enumerate(re.findall(r"(?:ROOT|JOINT) (\S+)", named.read_text()))}
    (tmp_path / "misnamed.bvh").write_text(re.sub(r"(ROOT|JOINT) (\S+)", lambda found: f"{found[1]} {short[found[2]]}", named.read_text()))
    (tmp_path / "misnamed.toml").write_text(re.sub(r'"(\w+)"', lambda found: f'"{short.get(found[1], found[1])}"', (tmp_path / "rig.toml").read_text()))
    done = run("retarget", clip, "--to", "misnamed.bvh", "--to-rig", "misnamed.toml", "-o", "mapped.bvh")
    assert done.returncode == GOOD, done.stderr
    before, after = Clip(tmp_path / "named.bvh"), Clip(tmp_path / "mapped.bvh")
    np.testing.assert_allclose(after.R, before.R, atol=1e-7)
    np.testing.assert_allclose(after.p, before.p, atol=1e-4)
    panto.retarget(clip, to=tmp_path / "misnamed.bvh", to_rig=tmp_path / "misnamed.toml").motion.save(tmp_path / "python.bvh")
    np.testing.assert_allclose(Clip(tmp_path / "python.bvh").R, after.R, atol=1e-7)
    (tmp_path / "wrong.toml").write_text((tmp_path / "misnamed.toml").read_text().replace('"j0"', '"jay"'))
    refused(run("retarget", clip, "--to", "misnamed.bvh", "--to-rig", "wrong.toml", "-o", "x.bvh"), UNUSABLE, "wrong.toml:", "jay")
    (tmp_path / "half.toml").write_text((tmp_path / "misnamed.toml").read_text().partition("\nPelvis")[0])
    refused(run("retarget", clip, "--to", "misnamed.bvh", "--to-rig", "half.toml", "-o", "x.bvh"), UNUSABLE, "half.toml: ", "no joint for Pelvis")
    refused(run("retarget", clip, "--robot", "g1", "--to-rig", "rig.toml", "-o", "x.csv"), USAGE, "--to-rig", "--to")
    with pytest.raises(panto.ConfigError, match="give `to`"):
        panto.retarget(clip, "g1", to_rig=tmp_path / "rig.toml")


def test_a_character_that_stays_in_one_place_is_not_praised_for_its_way(part, run, data_file, tmp_path):
    clip, target = part(LAFAN, 90), tmp_path / "rooted.bvh"
    text = data_file(CGSPEED).read_text()
    head = text.split("MOTION")[0].replace("CHANNELS 6 Xposition Yposition Zposition", "CHANNELS 3", 1)
    assert head != text.split("MOTION")[0]
    target.write_text(head + "MOTION\nFrames: 0\nFrame Time: 0.008333\n")
    card = card_of(run("retarget", clip, "--to", target, "-o", "out.bvh", "--json"))
    assert card["verdict"]["grade"] == "usable_with_care" and card["unjudged"] == 1
    assert "keeps the body in one place" in card["verdict"]["text"]


def test_a_dancers_foot_that_rests_on_its_toes_is_not_turned_over(run, data_file, tmp_path):
    dance = data_file("bvh/cmu/005_02.bvh")
    assert run("retarget", dance, "--to", dance, "-o", "out.bvh").returncode == GOOD
    before, after = Clip(dance), Clip(tmp_path / "out.bvh")
    for foot in ("CC_Base_L_Foot", "CC_Base_R_Foot"):
        first, then = before.R[-len(after.R) :, before.joints.index(foot)], after.R[:, after.joints.index(foot)]
        off = np.degrees(np.arccos(np.clip((np.einsum("nij,nij->n", first, then) - 1) / 2, -1, 1)))
        assert off.max() < 60, f"{foot}: 180 deg when its roll was levelled"


def test_the_verdict_and_the_page_speak_of_the_character(part, run, data_file, tmp_path):
    clip, character = part(LAFAN, 120), data_file(CGSPEED)
    card = card_of(run("retarget", clip, "--to", character, "-o", "out.bvh", "--report", "out.html", "--json"))
    assert card["verdict"]["grade"] == "good", card["verdict"]
    assert (tmp_path / "out.html").stat().st_size > 100_000


def test_python_writes_the_commands_file(part, run, data_file, tmp_path):
    from package import panto

    clip, character = part(CMU, 120), data_file(SOMA)
    assert run("retarget", clip, "--to", character, "-o", "command.bvh").returncode == GOOD
    result = panto.retarget(clip, to=character)
    result.motion.save(tmp_path / "python.bvh")
    door, command = Clip(tmp_path / "python.bvh"), Clip(tmp_path / "command.bvh")
    assert header(tmp_path / "python.bvh") == header(tmp_path / "command.bvh")
    # six decimals of degrees and centimetres, either of which may round the other way
    assert np.abs(door.R - command.R).max() < 1e-7 and np.abs(door.p - command.p).max() < 1e-4
    with pytest.raises(panto.Error, match="give either `robot` .* or `to`"):
        panto.retarget(clip, "g1", to=character)
