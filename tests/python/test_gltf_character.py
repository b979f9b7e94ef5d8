"""panto retarget --to CHARACTER.glb -o OUT.glb: the character's own file moves, judged by a reader of glTF of our own in NumPy."""

import base64
import json
import struct

import numpy as np
import pytest
from bvh_oracle import Clip
from command import GOOD, USAGE, refused
from gltf_oracle import Animated, write_glb
from test_gltf import bone_of, first_frames

DANCE = "lafan1/dance1_subject2.bvh"
ROKOKO = "bvh/field/rokoko_jesse_dance.bvh"
# floats of 24 bits in metres, and six decimals of degrees in the BVH beside it
NEAR = 2e-5


@pytest.fixture
def take(data_file, tmp_path):
    return first_frames(data_file(DANCE), tmp_path / "take.bvh", 90)


def moved(run, *words):
    result = run("retarget", "take.bvh", *words)
    assert result.returncode == GOOD, result.stderr
    return result


def chunks(path):
    data = path.read_bytes()
    (size,) = struct.unpack("<I", data[12:16])
    return json.loads(data[20 : 20 + size]), data[28 + size :]


@pytest.mark.parametrize("of, unit", [(DANCE, 0.01), (ROKOKO, 0.01)])
def test_joints_of_the_glb_go_where_those_of_the_bvh_go(run, tmp_path, data_file, take, of, unit):
    character = first_frames(data_file(of), tmp_path / "character.bvh", 5)
    write_glb(character, tmp_path / "character.glb", seed=11, unit=unit)
    moved(run, "--to", "character.glb", "-o", "out.glb")
    moved(run, "--to", "character.glb", "-o", "out.bvh")
    glb, bvh = Animated(tmp_path / "out.glb"), Clip(tmp_path / "out.bvh")
    rate = round(bvh.rate, 3)
    np.testing.assert_allclose(glb.times, np.arange(len(bvh.p)) / rate, atol=1e-6)
    still = Animated(tmp_path / "character.glb")
    for j, name in enumerate(bvh.joints):
        assert np.abs(glb.p[name] - bvh.p[:, j]).max() < NEAR, name
    # a bone's own axes turn as its joint does: R_node(t) = R_joint(t) R_node(rest)
    rest = rest_of(tmp_path / "character.glb", still)
    for j, name in enumerate(bvh.joints):
        assert np.abs(glb.R[name] - bvh.R[:, j] @ rest[name]).max() < NEAR, name


def rest_of(path, animated):
    """Turns of all nodes without any animation."""
    document = {**animated.document, "animations": [{"channels": [], "samplers": []}]}
    bare = path.with_name("bare.gltf")
    bare.write_text(json.dumps(document))
    return {name: R[0] for name, R in Animated(bare).R.items()}


def test_all_else_in_the_file_stays_as_it_was(run, tmp_path, data_file, take):
    character = first_frames(data_file(DANCE), tmp_path / "character.bvh", 5)
    write_glb(character, tmp_path / "character.glb", seed=12, extensions={"KEPT_by_all": {"here": [1.5, "x"]}})
    moved(run, "--to", "character.glb", "-o", "out.glb")
    (before, bytes_before), (after, bytes_after) = chunks(tmp_path / "character.glb"), chunks(tmp_path / "out.glb")
    assert bytes_after.startswith(bytes_before), "meshes and pictures lie where they lay"
    assert [a["name"] for a in after["animations"]] == ["Panto", "take"]
    assert after["animations"][1] == before["animations"][0]
    for key in before.keys() - {"animations", "accessors", "bufferViews", "buffers"}:
        assert after[key] == before[key], key
    for key in ("accessors", "bufferViews"):
        assert after[key][: len(before[key])] == before[key]


def test_the_written_file_is_read_back_as_the_motion_that_was_written(run, tmp_path, data_file, take):
    write_glb(first_frames(data_file(DANCE), tmp_path / "character.bvh", 5), tmp_path / "character.glb", seed=13)
    moved(run, "--to", "character.glb", "-o", "out.glb", "--fps", "60")
    moved(run, "--to", "character.glb", "-o", "out.bvh", "--fps", "60")
    tables = []
    for name in ("out.glb", "out.bvh"):
        result = run("convert", name, f"{name}.csv", "--as", "keypoints")
        assert result.returncode == GOOD, result.stderr
        tables.append(np.genfromtxt([l for l in (tmp_path / f"{name}.csv").read_text().splitlines() if l[:1] != "#"][1:], delimiter=","))
    assert tables[0].shape == tables[1].shape and len(tables[0]) == 179, "90 frames of 30 Hz at 60"
    assert np.nanmax(np.abs(tables[0] - tables[1])) < NEAR


def test_an_animation_is_chosen_by_name_or_number_by_the_command_and_by_python(run, tmp_path, data_file, take):
    from package import panto

    write_glb(first_frames(data_file(DANCE), tmp_path / "character.bvh", 20), tmp_path / "character.glb", seed=14)
    moved(run, "--to", "character.glb", "-o", "out.glb")  # its animations: Panto, 90 frames; take, 20
    frames = {}
    for words in ((), ("--take", "Panto"), ("--take", "1"), ("--take", "take"), ("--take", "2")):
        result = run("inspect", "out.glb", *words, "--json")
        assert result.returncode == GOOD, result.stderr
        frames[words] = json.loads(result.stdout)["frames"]
    assert list(frames.values()) == [90, 90, 90, 20, 20]
    assert panto.open(tmp_path / "out.glb", take="take").frames == panto.inspect(tmp_path / "out.glb", take="2")["frames"] == 20
    refused(run("track", "out.glb", "--take", "Pento", "-o", "x.csv"), USAGE, "did you mean 'Panto'?")
    refused(run("track", "take.bvh", "--take", "1", "-o", "x.csv"), USAGE, "only a glTF file (.glb, .gltf) can hold several animations")


def test_a_vrm_stays_a_vrm(run, tmp_path, data_file, take):
    clip = first_frames(data_file(DANCE), tmp_path / "character.bvh", 5)
    nameless = {name: f"b{j}" for j, name in enumerate(clip.joints)}
    bones = {bone_of(name): {"node": j} for j, name in enumerate(clip.joints)}
    extension = {"VRMC_vrm": {"specVersion": "1.0", "humanoid": {"humanBones": bones}}}
    write_glb(clip, tmp_path / "character.vrm", seed=14, rename=nameless, extensions=extension)
    moved(run, "--to", "character.vrm", "-o", "out.vrm")
    document, _ = chunks(tmp_path / "out.vrm")
    assert document["extensions"] == extension
    moved(run, "--to", "character.vrm", "-o", "out.bvh")
    glb, bvh = Animated(tmp_path / "out.vrm"), Clip(tmp_path / "out.bvh")
    foot = bvh.joints.index("leftFoot")
    own = nameless["LeftFoot"]
    assert np.abs(glb.p[own] - bvh.p[:, foot]).max() < NEAR


@pytest.mark.parametrize("version", ["VRMC_vrm", "VRM"])
def test_a_vrm_animation_is_a_skeleton_with_bones_of_vrm_1_that_faces_z(run, tmp_path, data_file, take, version):
    clip = first_frames(data_file(DANCE), tmp_path / "character.bvh", 5)
    nameless = {name: f"b{j}" for j, name in enumerate(clip.joints)}
    places = {bone_of(name): {"node": j} for j, name in enumerate(clip.joints)}
    bones = [{"bone": bone, **place} for bone, place in places.items()] if version == "VRM" else places
    extension = {version: {"specVersion": "1.0", "humanoid": {"humanBones": bones}}}
    write_glb(clip, tmp_path / "character.vrm", seed=14, rename=nameless, extensions=extension)
    moved(run, "--to", "character.vrm", "-o", "out.vrma")
    moved(run, "--to", "character.vrm", "-o", "out.bvh")
    document, _ = chunks(tmp_path / "out.vrma")
    assert document["extensionsUsed"] == ["VRMC_vrm_animation"] and list(document["extensions"]) == ["VRMC_vrm_animation"]
    described = document["extensions"]["VRMC_vrm_animation"]
    assert described == {"specVersion": "1.0", "humanoid": {"humanBones": places}}, "the dancer has no thumbs, which alone are called otherwise"
    assert not {"meshes", "skins", "materials", "images"} & set(document) and len(document["animations"]) == 1
    keyed = {(channel["target"]["node"], channel["target"]["path"]) for channel in document["animations"][0]["channels"]}
    assert {node for node, path in keyed if path == "translation"} == {places["hips"]["node"]}
    # VRM 0.x faces -z: its animation turns half way round
    turn = np.diag([-1.0, 1.0, -1.0]) if version == "VRM" else np.eye(3)
    vrma, bvh = Animated(tmp_path / "out.vrma"), Clip(tmp_path / "out.bvh")
    for j, name in enumerate(clip.joints):
        p = bvh.p[:, bvh.joints.index(bone_of(name))]
        assert np.abs(vrma.p[nameless[name]] - p @ turn).max() < NEAR, name
    assert run("inspect", "out.vrma").returncode == GOOD


def test_thumbs_of_vrm_0_get_their_names_of_vrm_1_and_eyes_no_keys(run, tmp_path, data_file, take):
    clip = first_frames(data_file(DANCE), tmp_path / "character.bvh", 5)
    write_glb(clip, tmp_path / "character.vrm", seed=14)
    document, binary = chunks(tmp_path / "character.vrm")
    bones = [{"bone": bone_of(name), "node": j} for j, name in enumerate(clip.joints)]
    for parent, name in ((clip.joints.index("LeftHand"), "leftThumbProximal"), (clip.joints.index("Head"), "leftEye")):
        bones.append({"bone": name, "node": len(document["nodes"])})
        document["nodes"][parent].setdefault("children", []).append(len(document["nodes"]))
        document["nodes"].append({"name": name, "translation": [3.0, 0.0, 2.0]})
    document["extensions"] = {"VRM": {"humanoid": {"humanBones": bones}}}
    document["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(binary).decode()
    (tmp_path / "old.gltf").write_text(json.dumps(document))
    moved(run, "--to", "old.gltf", "-o", "out.vrma")
    document, _ = chunks(tmp_path / "out.vrma")
    named = document["extensions"]["VRMC_vrm_animation"]["humanoid"]["humanBones"]
    assert "leftThumbMetacarpal" in named and "leftThumbProximal" not in named and "leftEye" not in named
    eye = next(n for n, node in enumerate(document["nodes"]) if node.get("name") == "leftEye")
    assert eye not in {channel["target"]["node"] for channel in document["animations"][0]["channels"]}


def as_text(path, out, beside=None):
    """The container as .gltf, its bytes inside, or in the file `beside`."""
    document, binary = chunks(path)
    if beside is None:
        document["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(binary).decode()
    else:
        beside.write_bytes(binary)
        document["buffers"][0]["uri"] = beside.name
    out.write_text(json.dumps(document))


def test_text_and_files_beside_it_stay_text(run, tmp_path, data_file, take):
    write_glb(first_frames(data_file(DANCE), tmp_path / "character.bvh", 5), tmp_path / "character.glb", seed=15)
    as_text(tmp_path / "character.glb", tmp_path / "character.gltf")
    moved(run, "--to", "character.glb", "-o", "out.glb")
    moved(run, "--to", "character.gltf", "-o", "out.gltf")
    one, other = Animated(tmp_path / "out.glb"), Animated(tmp_path / "out.gltf")
    for name, p in one.p.items():
        assert np.array_equal(p, other.p[name])
    as_text(tmp_path / "character.glb", tmp_path / "beside.gltf", tmp_path / "beside.bin")
    moved(run, "--to", "beside.gltf", "-o", "out2.gltf")
    (tmp_path / "elsewhere").mkdir()
    result = run("retarget", "take.bvh", "--to", "beside.gltf", "-o", "elsewhere/out.gltf")
    assert result.returncode == USAGE
    assert "names files beside it" in result.stderr and "export the character as one .glb" in result.stderr


def test_matrices_of_joints_become_what_can_be_animated(run, tmp_path, data_file, take):
    write_glb(first_frames(data_file(DANCE), tmp_path / "character.bvh", 5), tmp_path / "character.glb", seed=16)
    document, binary = chunks(tmp_path / "character.glb")
    del document["animations"]
    for node in document["nodes"]:
        if "rotation" not in node:
            continue
        x, y, z, w = node.pop("rotation")
        R = [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
             [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
             [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]  # fmt: skip
        M = np.eye(4)
        M[:3, :3], M[:3, 3] = R, node.pop("translation")
        node["matrix"] = M.T.ravel().tolist()
    document["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(binary).decode()
    (tmp_path / "matrices.gltf").write_text(json.dumps(document))
    # without frames the character stands as its nodes do, which is LAFAN's rest pose: the family tells the rest
    moved(run, "--to", "matrices.gltf", "-o", "out.gltf")
    moved(run, "--to", "matrices.gltf", "-o", "out.bvh")
    gltf, bvh = Animated(tmp_path / "out.gltf"), Clip(tmp_path / "out.bvh")
    for j, name in enumerate(bvh.joints):
        assert np.abs(gltf.p[name] - bvh.p[:, j]).max() < NEAR, name


@pytest.mark.parametrize(
    "to, out, words",
    [
        ("take.bvh", "out.glb", "is a BVH, without meshes; write its motion as .bvh, or give a .glb to move"),
        ("character.glb", "out.gltf", "name it .glb, or .bvh for the joints alone"),
        ("character.glb", "out.vrm", "name it .glb, or .bvh for the joints alone"),
        ("character.glb", "out.vrma", "a VRM animation needs a character whose bones VRM names (.vrm)"),
    ],
)
def test_what_cannot_be_written_is_refused_before_the_work(run, tmp_path, data_file, take, to, out, words):
    write_glb(first_frames(data_file(DANCE), tmp_path / "character.bvh", 5), tmp_path / "character.glb", seed=17)
    result = run("retarget", "take.bvh", "--to", to, "-o", out)
    assert result.returncode == USAGE and words in result.stderr, result.stderr
    assert not (tmp_path / out).exists()


def test_a_robot_is_not_written_as_a_character(run, tmp_path, take):
    result = run("retarget", "take.bvh", "--robot", "g1", "-o", "out.glb")
    assert result.returncode == USAGE and "unknown extension '.glb'" in result.stderr
