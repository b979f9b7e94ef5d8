"""Who is in a file: part of a person, two people, nobody; and limbs that nothing measures."""

import json
import os
import re

import pytest
from command import GOOD, UNUSABLE, USAGE, card_of, refused

ONE_ARM = "cases/16_one_arm.bvh"
TWO = "cases/11_two_people_first_stands.bvh"


def without(text, *joints):
    """A BVH text without these joints, all below them, and their channels."""
    head, motion = text.split("MOTION")
    lines, kept, columns, column, skip, depth = head.splitlines(), [], [], 0, None, 0
    for line in lines:
        words = line.split()
        if words and words[0] == "JOINT" and words[1] in joints and skip is None:
            skip = depth
        if words and words[0] == "CHANNELS":
            count = int(words[1])
            columns += [] if skip is not None else range(column, column + count)
            column += count
        kept += [line] if skip is None else []
        depth += line.count("{") - line.count("}")
        if "}" in line and skip is not None and depth == skip:
            skip = None
    rows = motion.strip().splitlines()
    thinned = [" ".join(row.split()[i] for i in columns) for row in rows[2:]]
    return "\n".join(kept) + "\nMOTION\n" + "\n".join(rows[:2] + thinned) + "\n"


@pytest.fixture
def parts(walk, tmp_path):
    """Writes a walk without some of its joints."""
    text = (walk.parent / "walk.bvh").read_text()
    names = re.findall(r"JOINT (\S+)", text)

    def write(name, *words):
        cut = [joint for joint in names if any(joint.endswith(word) for word in words)]
        assert cut, (words, names)
        (tmp_path / name).write_text(without(text, *cut))
        return name

    return write


def test_an_upper_body_is_followed_as_one_and_said_so_first(run, parts):
    parts("upper.bvh", "UpperLeg", "Hip", "UpLeg")
    inspected = run("inspect", "upper.bvh")
    assert inspected.returncode == GOOD, inspected.stdout
    assert "upper body only (no legs in the recording)" in inspected.stdout.splitlines()[0]
    tracked = run("track", "upper.bvh")
    assert "upper body only (no legs in the recording)" in tracked.stdout.splitlines()[0]
    card = card_of(run("track", "upper.bvh", "--json"))
    assert card["unmeasured_joints"] == len(card["unmeasured_joint_names"]) == 24
    assert all("Hip" in name or "Knee" in name or "Ankle" in name or "Ball" in name for name in card["unmeasured_joint_names"])
    assert card["limit_violations"] == 0 and card["angle_p99_deg"] < 0.1


def test_arms_that_nothing_measures_hang(run, parts, tmp_path):
    parts("legs.bvh", "Arm", "Collar", "Clavicle", "Shoulder")
    assert run("track", "legs.bvh", "--model", "human48", "--angles", "isb", "-o", "a.csv").returncode == GOOD
    rows = [line.split(",") for line in (tmp_path / "a.csv").read_text().splitlines() if not line.startswith("#")]
    heads = rows[0]
    for side in ("Right", "Left"):
        at = heads.index(f"{side}Shoulder_x_deg")
        assert abs(float(rows[-1][at])) < 20.0, "abduction: 90 in a T pose"


def test_a_page_marks_what_was_not_measured(run, parts, tmp_path):
    parts("upper.bvh", "UpperLeg", "Hip", "UpLeg")
    result = run("track", "upper.bvh", "--model", "human48", "--report", "page.html")
    if "without the page" in result.stderr:
        in_ci = os.environ.get("CI", "false") not in ("", "false")
        (pytest.fail if in_ci else pytest.skip)("this Panto was built without the page: node or npm was not there")
    assert result.returncode == GOOD, result.stderr
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    told = json.loads(re.search(r'<script id="panto-run" type="application/json">(.*?)</script>', page, re.S)[1])
    assert told["unmeasured_joint_names"] and all("Hip" in n or "Knee" in n or "Ankle" in n or "Ball" in n for n in told["unmeasured_joint_names"])
    assert "upper body only" in told["verdict"]["text"]


def test_one_arm_is_followed(run, data_file):
    found = run("inspect", data_file(ONE_ARM))
    assert found.returncode == GOOD, found.stdout
    assert "no left arm in the recording" in found.stdout.splitlines()[0]
    card = card_of(run("track", data_file(ONE_ARM), "--json"))
    assert card["unmeasured_joints"] > 0 and all("Left" in name for name in card["unmeasured_joint_names"])


def test_people_are_named_first_and_chosen_by_name(run, data_file):
    file = data_file(TWO)
    first = run("inspect", file).stdout.splitlines()[0]
    assert "2 people in the file: Hips Hips_2" in first and "this is Hips_2" in first
    other = run("inspect", file, "--person", "Hips").stdout.splitlines()[0]
    assert "this is Hips" in other and "this is Hips_2" not in other
    hashes = {card_of(run("track", file, "--json", *words))["state_hash"] for words in ([], ["--person", "Hips"], ["--person", "Hips_2"])}
    assert len(hashes) == 2
    for command in (["inspect", file], ["track", file], ["retarget", file, "--robot", "unitree_g1"], ["convert", file, "a.csv"]):
        refused(run(*command, "--person", "Hips_3"), USAGE, "Hips_3", "Hips_2")
    assert run("inspect", file, "-o", "map.toml").returncode == GOOD
    refused(run("track", file, "--rig", "map.toml", "--person", "Hips_3"), USAGE, "Hips_3", "Hips_2")  # the map is not to blame


def test_a_person_is_chosen_only_where_there_can_be_several(run, walk):
    refused(run("track", walk, "--person", "Hips"), USAGE, "several people", "Hips")
    refused(run("track", walk.parent / "walk.bvh", "--person", "Nobody"), USAGE, "one person", "Nobody")


# a table on four legs, a camera on its rig, a lone stick
FURNITURE = {
    "table": [("top", 0, (0, 70, 0))] + [(f"leg_{i}", 1, (40 * (i % 2) - 20, 0, 60 * (i // 2) - 30)) for i in range(4)],
    "camera": [("dolly", 0, (0, 100, 0)), ("pan", 1, (0, 20, 0)), ("tilt", 2, (0, 5, 10)), ("camera", 3, (0, 0, 10))],
    "prop": [("sword", 0, (0, 90, 0))],
}


def furniture(joints):
    lines, depth = ["HIERARCHY"], 0
    for number, (name, level, offset) in enumerate(joints):
        while depth > level:
            depth -= 1
            lines.append("}")
        lines += [f"{'JOINT' if number else 'ROOT'} {name}", "{", "OFFSET {} {} {}".format(*offset)]
        lines.append("CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation" if not number else "CHANNELS 3 Zrotation Xrotation Yrotation")
        depth = level + 1
        following = joints[number + 1][1] if number + 1 < len(joints) else 0
        if following <= level:
            lines += ["End Site", "{", "OFFSET 0 -70 0", "}"]
    lines += ["}"] * depth
    width = 3 + 3 * len(joints)
    rows = [" ".join(str(round(0.3 * k * (i % 5), 2)) for i in range(width)) for k in range(60)]
    return "\n".join([*lines, "MOTION", "Frames: 60", "Frame Time: 0.033333", *rows]) + "\n"


@pytest.mark.parametrize("thing", FURNITURE)
def test_furniture_cameras_and_props_are_nobody(run, tmp_path, thing):
    (tmp_path / "a.bvh").write_text(furniture(FURNITURE[thing]))
    found = run("inspect", "a.bvh")
    assert found.stdout.startswith("Not usable: not trackable: no human skeleton: "), found.stdout
    refused(run("track", "a.bvh"), UNUSABLE, "no human skeleton")


def test_a_dog_is_nobody(run, data_file):
    refused(run("track", data_file("bvh/field/dog_walk.bvh")), UNUSABLE, "on all fours")


def test_arms_without_sensors_hang_and_count_on_no_limit(run, project, tmp_path):
    suit = (project / "models/chains/human_sensors.toml").read_text()
    (tmp_path / "suit.toml").write_text(suit)
    away = re.compile(r'link = "(T8|Head|(Right|Left)(Shoulder|UpperArm|ForeArm|Hand))"')
    (tmp_path / "legs.toml").write_text("".join(line for line in suit.splitlines(True) if not away.search(line)))
    made = ["--model", "human48", "--rate", 60, "--duration", 1, "--seed", 3, "--sensors", "suit.toml", "--imu", "imu.csv"]
    assert run("synthesize", "walk", *made).returncode == GOOD
    card = card_of(run("track", "imu.csv", "--model", "human48", "--sensors", "legs.toml", "--angles", "isb", "-o", "a.csv", "--json"))
    assert card["limit_violations"] == 0 and len(card["unmeasured_joint_names"]) == card["unmeasured_joints"]
    assert {"jRightShoulder_rotx", "jLeftElbow_rotz"} < set(card["unmeasured_joint_names"])
    rows = [line.split(",") for line in (tmp_path / "a.csv").read_text().splitlines() if not line.startswith("#")]
    for joint, wanted in (("RightShoulder_x", 12.0), ("LeftShoulder_x", 12.0), ("RightElbow_z", 15.0)):
        assert abs(float(rows[-1][rows[0].index(f"{joint}_deg")]) - wanted) < 1.0, joint
