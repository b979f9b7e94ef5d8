"""panto map: any robot from its URDF alone; panto check on the map that it wrote."""

import json
import os
import re

import pytest
from command import CHECK_FAILED, GOOD, UNUSABLE, USAGE, refused

G1 = "models/unitree/g1_29dof_rev_1_0.urdf"

LIMB = """
  <link name="{n}a"/><link name="{n}b"/><link name="{n}c"/><link name="{n}d"/>
  <joint name="{n}1" type="revolute"><parent link="box"/><child link="{n}a"/><origin xyz="0 {y} {z}"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
  <joint name="{n}2" type="revolute"><parent link="{n}a"/><child link="{n}b"/>
    <axis xyz="1 0 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
  <joint name="{n}3" type="revolute"><parent link="{n}b"/><child link="{n}c"/><origin xyz="0 0 -0.4"/>
    <axis xyz="0 1 0"/><limit lower="-0.1" upper="2" effort="1" velocity="1"/></joint>
  <joint name="{n}4" type="revolute"><parent link="{n}c"/><child link="{n}d"/><origin xyz="0 0 -0.4"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
"""


@pytest.fixture
def legs(tmp_path):
    """A robot of two legs and nothing else, in a folder of its own."""
    folder = tmp_path / "robots"
    folder.mkdir()
    body = LIMB.format(n="p", y=0.1, z=0) + LIMB.format(n="q", y=-0.1, z=0)
    (folder / "legs.urdf").write_text(f'<robot name="legs"><link name="box"/>{body}</robot>')
    return folder / "legs.urdf"


def test_the_table_names_links_turns_and_reasons(run, legs):
    result = run("map", legs)
    assert result.returncode == GOOD, result.stderr
    lines = {line.split()[0]: line for line in result.stdout.splitlines()}
    assert lines["LeftUpperLeg"].split()[1] == "pb" and lines["RightFoot"].split()[1] == "qd"
    assert "- y -" in lines["RightLowerLeg"] and "before the knee of the left leg: p3" in lines["LeftUpperLeg"]
    assert "note: found no arms" in result.stdout
    assert "T8" not in lines


def test_a_map_is_written_checked_and_refused_when_it_no_longer_fits(run, legs, tmp_path):
    (tmp_path / "maps").mkdir()
    result = run("map", legs, "-o", "maps/legs.toml")
    assert result.returncode == GOOD and "wrote maps/legs.toml" in result.stdout
    text = (tmp_path / "maps/legs.toml").read_text()
    assert 'model = "../robots/legs.urdf"' in text
    good = run("check", "maps/legs.toml")
    assert good.returncode == GOOD and good.stdout == "Good: maps/legs.toml: the map fits its robot.\n\n7 segments onto 'legs'\n"

    (tmp_path / "maps/bad.toml").write_text(text.replace('"qc"', '"qx"'))
    bad = run("check", "maps/bad.toml")
    assert bad.returncode == CHECK_FAILED
    assert "error   RightLowerLeg: no link 'qx' in model 'legs'; did you mean 'q" in bad.stdout
    told = json.loads(run("check", "maps/bad.toml", "--json").stdout)
    assert not told["passed"] and told["faults"][0]["error"]

    legs.write_text(legs.read_text().replace('"q', '"w').replace('"p', '"v').replace('"box"', '"crate"'))
    other = run("check", "maps/legs.toml")
    assert other.returncode == CHECK_FAILED and "the map is for another robot, 'legs'" in other.stdout


def test_json_is_one_object_with_the_same(run, legs):
    told = json.loads(run("map", legs, "--json").stdout)
    assert [s["segment"] for s in told["segments"]][:2] == ["Pelvis", "RightUpperLeg"]
    assert told["segments"][1]["offset_wxyz"] == pytest.approx([1, 0, 0, 0], abs=1e-12)
    assert told["segments"][2]["follows_xyz"] == pytest.approx([0, 1, 0], abs=1e-12)
    assert told["robot"] == "legs" and told["notes"]


def test_wrong_lines_and_files_say_why(run, legs, tmp_path):
    refused(run("map", legs, "-o", "legs.txt"), USAGE, "must end in .toml")
    refused(run("map", "nobody"), USAGE, "nobody")
    run("map", legs, "-o", "legs.toml")
    refused(run("check", "legs.toml", "--fail-on", "frames>1"), USAGE, "--fail-on has no effect: 'legs.toml' is a robot map")
    (tmp_path / "box.urdf").write_text('<robot name="box"><link name="box"/></robot>')
    result = run("map", "box.urdf")
    assert result.returncode == 3 and "box.urdf: box: found no limb that can follow a person" in result.stderr


def test_a_pipe_is_refused_and_not_waited_for(run, tmp_path):
    os.mkfifo(tmp_path / "pipe.urdf")
    refused(run("map", "pipe.urdf"), UNUSABLE, "pipe.urdf: not a regular file")


@pytest.mark.parametrize("human", ["human66", "human48"])
def test_a_human_is_mapped_onto_itself(human, run):
    told = json.loads(run("map", human, "--json").stdout)
    links = {s["segment"]: s["link"] for s in told["segments"]}
    assert len(links) >= 14 and all(segment == link for segment, link in links.items())
    assert run("map", human, "-o", "human.toml").returncode == GOOD
    assert run("check", "human.toml").stdout.startswith("Good: ")


def test_a_map_of_a_model_table_works_from_any_folder(run, project, tmp_path):
    (tmp_path / "robots").mkdir()
    (tmp_path / "robots/mine.toml").write_text((project / "models/robots/tee7.toml").read_text())
    assert run("map", "robots/mine.toml", "-o", "robots/map.toml").returncode == GOOD
    assert 'model = "mine.toml"' in (tmp_path / "robots/map.toml").read_text()
    assert run("check", "robots/map.toml").stdout.startswith("Good: ")


def test_a_missing_model_is_named_with_its_map(run, legs, tmp_path):
    assert run("map", legs, "-o", "legs.toml").returncode == GOOD
    text = (tmp_path / "legs.toml").read_text()
    (tmp_path / "legs.toml").write_text(re.sub('model = ".*?"', 'model = "unitre_g1"', text))
    refused(run("check", "legs.toml"), UNUSABLE, "legs.toml: its `model`", "unitre_g1", "did you mean 'unitree_g1'")


def test_sides_that_are_changed_over_are_noted(run, legs, tmp_path):
    assert run("map", legs, "-o", "legs.toml").returncode == GOOD
    text = (tmp_path / "legs.toml").read_text()
    other = {"Left": "Right", "Right": "Left"}
    (tmp_path / "crossed.toml").write_text(re.sub("^(Left|Right)", lambda side: other[side[0]], text, flags=re.M))
    assert "remark  left and right are swapped" in run("check", "crossed.toml").stdout
    assert "are swapped" not in run("check", "legs.toml").stdout


def test_a_file_that_is_not_a_robot_map_is_named_as_what_it_is(run, legs, tmp_path):
    assert run("synthesize", "walk", "--duration", 1, "-o", "walk.bvh").returncode == GOOD
    assert run("inspect", "walk.bvh", "-o", "rig.toml").returncode == GOOD
    refused(run("check", "rig.toml"), UNUSABLE, "rig.toml: not a robot map", "--rig")
    assert run("map", legs, "-o", "legs.toml").returncode == GOOD
    refused(run("map", "legs.toml"), USAGE, "'legs.toml' is a robot map", "--robot")


def test_units_that_a_urdf_does_not_have_are_noted(run, legs):
    text = legs.read_text()
    assert "note" not in run("map", legs).stderr
    legs.write_text(text.replace('lower="-0.1" upper="2"', 'lower="-5" upper="165"'))
    assert re.search("looks like degrees.*p3.*q3", run("map", legs).stderr)
    legs.write_text(text.replace("0 0 -0.4", "0 0 -400"))
    assert "looks like millimetres" in run("map", legs).stderr


def test_limits_that_no_pose_can_meet_are_refused(run, legs):
    mimic = '<mimic joint="p3" offset="10"/></joint><joint name="q4"'
    legs.write_text(legs.read_text().replace('</joint>\n  <joint name="q4"', mimic))
    refused(run("map", legs), UNUSABLE, "legs.urdf", "'mimic q3': must be 10", "no pose can meet it")


def test_a_public_robot_is_mapped_whole(run, data_file):
    told = json.loads(run("map", data_file(G1), "--json").stdout)
    links = {s["segment"]: s["link"] for s in told["segments"]}
    assert len(links) == 14 and links["RightForeArm"] == "right_wrist_roll_link" and links["T8"] == "torso_link"


def tetrahedron(folder):
    folder.mkdir()
    (folder / "foot.obj").write_text("v 0 -0.03 -0.05\nv 0.2 0 -0.05\nv 0 0.03 -0.05\nv 0 0 0\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
    return folder


def with_feet(legs):
    foot = '<collision><geometry><mesh filename="package://legs/meshes/foot.obj"/></geometry></collision>'
    legs.write_text(re.sub(r'<link name="([pq]d)"/>', rf'<link name="\1">{foot}</link>', legs.read_text()))


def test_shapes_are_fitted_and_their_meshes_searched_in_package_dirs(run, legs, tmp_path):
    with_feet(legs)
    without = run("map", legs)
    assert without.returncode == GOOD
    assert "1 mesh file is missing (package://legs/meshes/foot.obj)" in without.stderr and "--package-dir DIR" in without.stderr
    assert "the sole of 'qd' and 'pd' is a guess" in without.stdout and "shapes of links are unknown" in without.stdout
    refused = run("map", legs, "--package-dir", tmp_path / "nowhere")
    assert refused.returncode == USAGE and "nowhere' does not exist" in refused.stderr
    result = run("map", legs, "--package-dir", tetrahedron(tmp_path / "far"), "--json")
    assert result.returncode == GOOD, result.stderr
    told = json.loads(result.stdout)
    shapes = {shape["link"]: shape for shape in told["shapes"]}
    assert set(shapes) == {"pd", "qd"} and not any("missing" in note or "guess" in note for note in told["notes"])
    assert 1 <= len(shapes["pd"]["capsules"]) <= 4 and len(shapes["pd"]["capsules"][0]) == 7
    assert 0 < shapes["pd"]["gap_mean_mm"] < shapes["pd"]["outside_max_mm"] < 15
    table = run("map", legs, "--package-dir", tmp_path / "far").stdout
    assert re.search(r"pd +[1-4] +[0-9.]+ +[0-9.]+\n", table)


def test_a_map_may_say_the_shapes_of_links(run, legs):
    assert run("map", legs, "-o", "legs.toml").returncode == GOOD
    path = legs.parent.parent / "legs.toml"
    text = path.read_text()
    path.write_text(text + "[shapes]\npd = [[0, 0, 0, 0.1, 0, 0, 0.03]]\nqd = []\n")
    assert run("check", "legs.toml").returncode == GOOD
    path.write_text(text + "[shapes]\nfoot = []\n")
    assert "shapes: no link 'foot'" in run("check", "legs.toml").stdout
    path.write_text(text + "[shapes]\npd = [[0, 0, 0, 0.1, 0, 0, 0]]\n")
    refused(run("check", "legs.toml"), UNUSABLE, "the radius, the last of the seven numbers, must be > 0")


def test_a_shipped_robot_has_the_shapes_of_its_table(run):
    told = json.loads(run("map", "unitree_g1", "--json").stdout)
    assert len(told["shapes"]) == 33 and told["shapes"][0]["outside_max_mm"] is None
    assert "capsules: as its table has them" in run("map", "unitree_g1").stdout
