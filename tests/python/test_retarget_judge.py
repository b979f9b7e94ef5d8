"""The judge of benchmarks/retarget on motions with known right values, and its readers. MuJoCo comes from .venv-robot."""
import os
import pathlib
import pickle
import sys

import numpy as np
import pytest

PROJECT = pathlib.Path(__file__).resolve().parents[2]
RATE, FRAMES = 30, 90
LEG, ANKLE, HIPS = 0.86, 0.08, 0.94  # m


@pytest.fixture(scope="module")
def bench():
    """Function from a name to a module of benchmarks/retarget."""
    folder = str(PROJECT / "benchmarks" / "retarget")
    names = ("motions", "person", "robot", "figures", "pictures", "mink_peer", "run", "common")
    sys.path.insert(0, folder)
    try:
        yield lambda name: __import__(name)
    finally:
        sys.path.remove(folder)
        for name in names:
            sys.modules.pop(name, None)


@pytest.fixture(scope="module")
def judge(bench):
    """The modules that need MuJoCo; skips aloud, or fails in CI, where it is missing."""
    found = sorted((PROJECT / ".venv-robot" / "lib").glob("python*/site-packages"))
    sys.path.extend(map(str, found))
    if bench("robot").mujoco is None:
        why = "no MuJoCo in .venv-robot; `tools/setup.sh test` installs it"
        (pytest.fail if os.environ.get("CI", "false") not in ("", "false") else pytest.skip)(why)
    return bench


# --- a person and a robot of the same size -----------------------------------------------------------------------------

# joint: parent, place in the parent [cm, y up, facing z]
JOINTS = {
    "Hips": (None, (0, 0, 0)), "LeftUpLeg": ("Hips", (10, 0, 0)), "LeftLeg": ("LeftUpLeg", (0, -43, 0)), "LeftFoot": ("LeftLeg", (0, -43, 0)),
    "LeftToe": ("LeftFoot", (0, -6, 12)), "RightUpLeg": ("Hips", (-10, 0, 0)), "RightLeg": ("RightUpLeg", (0, -43, 0)),
    "RightFoot": ("RightLeg", (0, -43, 0)), "RightToe": ("RightFoot", (0, -6, 12)), "Spine2": ("Hips", (0, 30, 0)), "Head": ("Spine2", (0, 30, 0)),
    "LeftArm": ("Spine2", (18, 15, 0)), "LeftForeArm": ("LeftArm", (0, -28, 0)), "LeftHand": ("LeftForeArm", (0, -25, 0)),
    "RightArm": ("Spine2", (-18, 15, 0)), "RightForeArm": ("RightArm", (0, -28, 0)), "RightHand": ("RightForeArm", (0, -25, 0)),
}  # fmt: skip


def bvh(path, scale=1.0, hips=lambda t: (0.0, 94.0, 0.0), turns=None):
    """Writes a clip of three seconds; `turns`: joint to degrees about z, y, x."""
    order, lines = [], ["HIERARCHY"]

    def joint(name):
        parent, offset = JOINTS[name]
        order.append(name)
        places = "Xposition Yposition Zposition " if parent is None else ""
        lines.extend([f"{'ROOT' if parent is None else 'JOINT'} {name}", "{", "OFFSET " + " ".join(str(scale * x) for x in offset)])
        lines.append(f"CHANNELS {6 if parent is None else 3} {places}Zrotation Yrotation Xrotation")
        children = [other for other, (above, _) in JOINTS.items() if above == name]
        for child in children:
            joint(child)
        if not children:
            lines.extend(["End Site", "{", "OFFSET 0 0 1", "}"])
        lines.append("}")

    joint("Hips")
    lines += ["MOTION", f"Frames: {FRAMES}", f"Frame Time: {1 / RATE:.8f}"]
    for i in range(FRAMES):
        row = [scale * x for x in hips(i / RATE)]
        for name in order:
            row += (turns or {}).get(name, (0, 0, 0))
        lines.append(" ".join(map(str, row)))
    path.write_text("\n".join(lines))
    return path


def urdf():
    """A robot with the person's proportions, x forward, and boxes for feet."""
    links, joints = ['<link name="pelvis"/>'], []

    def hinge(name, parent, xyz, child, shape=""):
        links.append(f'<link name="{child}">{shape}</link>')
        joints.append(
            f'<joint name="{name}" type="revolute"><origin xyz="{xyz}"/><parent link="{parent}"/><child link="{child}"/><axis xyz="0 1 0"/>'
            '<limit lower="-1.5" upper="1.5" velocity="6" effort="1"/></joint>'
        )

    box = '<collision><origin xyz="0.04 0 -0.07"/><geometry><box size="0.2 0.1 0.02"/></geometry></collision>'
    for side, y in (("left", 1), ("right", -1)):
        hinge(f"{side}_hip", "pelvis", f"0 {0.1 * y} 0", f"{side}_thigh")
        hinge(f"{side}_knee", f"{side}_thigh", "0 0 -0.43", f"{side}_shank")
        hinge(f"{side}_ankle", f"{side}_shank", "0 0 -0.43", f"{side}_foot", box)
        hinge(f"{side}_shoulder", "pelvis", f"0 {0.18 * y} 0.45", f"{side}_upper")
        hinge(f"{side}_elbow", f"{side}_upper", "0 0 -0.28", f"{side}_fore")
        hinge(f"{side}_wrist", f"{side}_fore", "0 0 -0.25", f"{side}_hand")
    mass = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    text = "".join(links + joints).replace("</link>", f"{mass}</link>").replace('"pelvis"/>', f'"pelvis">{mass}</link>', 1)
    return f'<robot name="biped">{text}</robot>'


TABLE = {"title": "Biped", "base": "pelvis", "foot": "{s}_foot"} | {
    joint: "{s}_" + joint for joint in ("hip", "knee", "ankle", "shoulder", "elbow", "wrist")
}


@pytest.fixture(scope="module")
def biped(judge, tmp_path_factory):
    path = tmp_path_factory.mktemp("biped") / "biped.urdf"
    path.write_text(urdf())
    return judge("robot").from_urdf("biped", TABLE, path)


@pytest.fixture(scope="module")
def person(bench, tmp_path_factory):
    return bench("person").read(bvh(tmp_path_factory.mktemp("person") / "still.bvh"))


@pytest.fixture
def figures_of(judge, biped, person):
    """Figures of a motion made by a function from time and an empty pose (place, quaternion, angles) to itself, changed."""

    def of(change=lambda t, place, q, angles: None, who=None, **more):
        motion = judge("motions").Motion(RATE, np.tile([0, 0, HIPS], (FRAMES, 1)), np.tile([1.0, 0, 0, 0], (FRAMES, 1)), np.zeros((FRAMES, 12)), **more)
        for i in range(FRAMES):
            change(i / RATE, motion.place[i], motion.quaternion[i], motion.angles[i])
        return judge("figures").judge(biped, motion, judge("robot").follow(biped, motion), who or person)

    return of


# --- the person ----------------------------------------------------------------------------------------------------------


def test_a_clip_becomes_a_person_in_metres_with_z_up(person):
    assert person.rate == pytest.approx(RATE) and person.leg == pytest.approx(LEG)
    assert person.at["hips"][0] == pytest.approx([0, 0, HIPS])
    assert person.at["left_toe"][0] == pytest.approx([0.10, -0.12, 0.02]), "z forwards in the file is -y here"


def test_turns_compose_from_the_root_in_the_order_of_the_channels(bench, tmp_path):
    turned = bench("person").read(bvh(tmp_path / "turned.bvh", turns={"Hips": (0, 90, 0), "LeftUpLeg": (0, 0, -90)}))
    # facing z, the thigh turns forwards; the root then turns z to x
    assert turned.at["left_knee"][0] - turned.at["left_hip"][0] == pytest.approx([0.43, 0, 0], abs=1e-9)


def test_the_unit_is_the_one_that_makes_a_leg(bench, tmp_path):
    assert bench("person").read(bvh(tmp_path / "metres.bvh", scale=0.01)).leg == pytest.approx(LEG)
    with pytest.raises(bench("motions").Unusable, match="a leg of 8.6e"):
        bench("person").read(bvh(tmp_path / "giant.bvh", scale=1e7))


def test_unknown_names_and_broken_files_are_refused_with_the_reason(bench, tmp_path):
    clip = bvh(tmp_path / "dog.bvh")
    clip.write_text(clip.read_text().replace("LeftUpLeg", "Paw"))
    with pytest.raises(bench("motions").Unusable, match="knows the joint names of LAFAN1"):
        bench("person").read(clip)
    (tmp_path / "empty.bvh").write_text("")
    with pytest.raises(bench("motions").Unusable, match="not a BVH clip"):
        bench("person").read(tmp_path / "empty.bvh")


def test_a_person_at_rest_is_in_stance_and_a_raised_foot_is_not(bench, tmp_path):
    module = bench("person")
    resting = module.stance(module.read(bvh(tmp_path / "still.bvh")))
    assert all(on.all() for on in resting.values())
    walking = module.stance(module.read(bvh(tmp_path / "fast.bvh", hips=lambda t: (100 * t, 94, 0))))
    assert not any(on.any() for on in walking.values()), "1 m/s is no stance"


def test_a_foot_held_up_through_the_clip_is_not_in_stance(bench, tmp_path):
    module = bench("person")
    # the left knee bent by 60 degrees: the left foot hangs 0.2 m above the right one, still
    on = module.stance(module.read(bvh(tmp_path / "stork.bvh", turns={"LeftLeg": (0, 0, 60)})))
    assert on["right", "ball"].all() and on["right", "heel"].all()
    assert not on["left", "ball"].any() and not on["left", "heel"].any()


# --- the figures ----------------------------------------------------------------------------------------------------------


def test_the_same_pose_is_perfect_though_the_robot_faces_another_way(figures_of):
    found = figures_of()
    for name in ("limb directions off, mean [deg]", "foot off, mean [deg]", "skate in stance, p95 [mm/s]", "base tilt off, p95 [deg]",
                 "soles above the floor in stance, p95 [mm]", "joint acceleration, rms [rad/s²]"):  # fmt: skip
        assert found[name] == pytest.approx(0, abs=1e-5), name
    assert "any part > 10 mm under the floor [% of frames]" in found, "all its shapes are boxes"
    assert "joint rates off their positions' derivative [%]" not in found, "the motion has none"


def test_a_slid_foot_has_the_speed_of_its_slide(figures_of):
    def slide(t, place, q, angles):
        place[0] += 0.1 * t

    found = figures_of(slide)
    assert found["skate in stance, median [mm/s]"] == pytest.approx(100), "the base carries both feet at 0.1 m/s"


def test_a_dash_of_the_base_counts_its_frames(figures_of):
    def dash(t, place, q, angles):
        place[0] += 3.0 * np.clip(t - 1.0, 0, 0.25)

    # 3 m/s for a quarter of a second: 7.5 of the 74 steps after the first half second; the half step is at 1.5 m/s
    assert figures_of(dash)["pelvis > 1 m/s faster than the person's [% of frames]"] == pytest.approx(100 * 8 / 74, abs=0.1)


def test_a_buried_sole_is_under_the_floor(figures_of):
    def sink(t, place, q, angles):
        place[2] -= 0.008 if t > 1.98 else 0.0

    found = figures_of(sink)
    assert found["soles > 5 mm under the floor [% of frames]"] == pytest.approx(100 * 30 / 75, abs=0.1), "the last of 2.5 s"
    assert found["any part > 10 mm under the floor [% of frames]"] == 0, "8 mm are less than 10"


def test_a_floating_sole_has_its_height(figures_of):
    def rise(t, place, q, angles):
        place[2] += 0.02

    assert figures_of(rise)["soles above the floor in stance, median [mm]"] == pytest.approx(20)


def test_a_turned_limb_is_off_by_its_angle(figures_of):
    def bend(t, place, q, angles):
        angles[0], angles[2] = np.radians(-20), np.radians(20)  # left hip, left ankle: thigh and shank lean, the sole stays level

    found = figures_of(bend)
    assert found["thigh off, mean [deg]"] == pytest.approx(10), "20 degrees on one side"
    assert found["shank off, mean [deg]"] == pytest.approx(10)
    assert found["limb directions off, mean [deg]"] == pytest.approx(5), "two of eight limbs"
    assert found["foot off, mean [deg]"] == pytest.approx(0, abs=1e-5) and found["upper arm off, mean [deg]"] == pytest.approx(0, abs=1e-5)


def test_a_limb_that_collapses_is_one_event_and_a_short_one_none(figures_of):
    def collapse(t, place, q, angles):
        angles[3] = np.radians(70) if 1.0 <= t < 1.7 or 2.0 <= t < 2.3 else 0.0  # left shoulder; its forearm follows

    assert figures_of(collapse)["limbs > 60° off for 0.5 s [times]"] == 2, "upper arm and forearm once each; 0.3 s is too short"


def test_a_tilted_base_is_off_by_its_tilt(figures_of):
    def lean(t, place, q, angles):
        q[:] = [np.cos(np.radians(6)), 0, np.sin(np.radians(6)), 0]

    assert figures_of(lean)["base tilt off, median [deg]"] == pytest.approx(12)


def test_limits_are_broken_where_they_are_passed(figures_of):
    def far(t, place, q, angles):
        angles[4] = 1.502 if t > 1.98 else 1.498  # left elbow, up to 1.5
        angles[10] = 0.25 if t > 1.98 else 0.0  # right elbow: 7.5 rad/s in one step, 6 allowed

    found = figures_of(far)
    assert found["position limits broken [% of frames]"] == pytest.approx(100 * 30 / 75, abs=0.1)
    assert found["speed limits broken [% of frames]"] == pytest.approx(100 / 74, abs=0.1)


def test_velocities_are_compared_with_their_positions(figures_of):
    def swing(t, place, q, angles):
        place[0], angles[3] = 0.1 * t, 0.5 * t

    rates = np.zeros((FRAMES, 12))
    rates[:, 3] = 0.55
    found = figures_of(swing, rates=rates, velocity=np.tile([0.1, 0, 0], (FRAMES, 1)))
    assert found["joint rates off their positions' derivative [%]"] == pytest.approx(10)
    assert found["base velocity off its derivative [%]"] == pytest.approx(0, abs=1e-6)


def test_feet_in_each_other_overlap_unless_they_touch_in_the_neutral_pose(judge, tmp_path):
    # hips 0.06 m apart, feet 0.1 m wide: 40 mm in each other where they are side by side
    (tmp_path / "narrow.urdf").write_text(urdf().replace("0 0.1 0", "0 0.03 0").replace("0 -0.1 0", "0 -0.03 0"))
    robot = judge("robot")
    motion = judge("motions").Motion(RATE, np.tile([0, 0, HIPS], (9, 1)), np.tile([1.0, 0, 0, 0], (9, 1)), np.zeros((9, 12)))
    for neutral, share in (({"left_hip": 0.8}, 100), ({}, 0)):
        narrow = robot.from_urdf("narrow", TABLE | {"apart": neutral}, tmp_path / "narrow.urdf")
        assert judge("figures").self_collisions(narrow, robot.follow(narrow, motion), RATE, 0) == share


# --- the readers ------------------------------------------------------------------------------------------------------------


def rows(count=4):
    place = np.arange(3 * count, dtype=float).reshape(count, 3)
    return place, np.tile([0.5, 0.5, -0.5, 0.5], (count, 1)), np.linspace(0, 1, 29 * count).reshape(count, 29)


def test_every_layout_gives_the_same_motion(bench, tmp_path):
    place, wxyz, angles = rows()
    xyzw = wxyz[:, [1, 2, 3, 0]]
    np.savetxt(tmp_path / "a.csv", np.hstack([place, xyzw, angles]), delimiter=",")
    with open(tmp_path / "b.pkl", "wb") as file:
        pickle.dump({"fps": 50, "root_pos": place, "root_rot": xyzw, "dof_pos": angles, "local_body_pos": None, "link_body_list": None}, file)
    np.savez(tmp_path / "c.npz", qpos=np.hstack([place, wxyz, angles]), fps=np.array([50.0]))
    names = [f"j{k}" for k in range(29)]
    np.savez(tmp_path / "d.npz", base_position=place, base_quaternion_wxyz=wxyz, joint_position=angles, joint_names=names, rate_hz=50.0,
             joint_velocity=angles, base_linear_velocity=place)  # fmt: skip
    read = bench("motions").read
    for name, rate in (("a.csv", 30), ("b.pkl", 50), ("c.npz", 50), ("d.npz", 50)):
        motion = read(tmp_path / name)
        assert motion.rate == rate and np.allclose(motion.place, place) and np.allclose(motion.quaternion, wxyz), name
        assert np.allclose(motion.angles, angles), name
    assert read(tmp_path / "d.npz").joints == names and read(tmp_path / "a.csv").joints is None


def test_a_pickle_with_code_is_refused_unread(bench, tmp_path):
    class Harm:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "harm"),)

    (tmp_path / "harm.pkl").write_bytes(pickle.dumps({"root_pos": Harm()}))
    with pytest.raises(bench("motions").Unusable, match="only arrays and numbers"):
        bench("motions").read(tmp_path / "harm.pkl")
    assert not (tmp_path / "harm").exists()


@pytest.mark.parametrize("name, text, why", [
    ("header.csv", "time,x\n0,1\n", "could not convert"),
    ("short.csv", "1,2,3\n" * 4, "3 columns"),
    ("turned.csv", ",".join(["2"] * 36) + "\n" + "\n".join([",".join(["2"] * 36)] * 3), "unit quaternions"),
    ("motion.txt", "", "not a motion"),
])  # fmt: skip
def test_unusable_motions_say_what_is_wrong(bench, tmp_path, name, text, why):
    (tmp_path / name).write_text(text)
    with pytest.raises(bench("motions").Unusable, match=why):
        bench("motions").read(tmp_path / name)


def test_a_motion_of_another_robot_is_refused(judge, biped):
    place, wxyz, angles = rows()
    motions = judge("motions")
    with pytest.raises(motions.Unusable, match="29 joints, Biped has 12"):
        judge("robot").positions(biped, motions.Motion(RATE, place, wxyz, angles))
    with pytest.raises(motions.Unusable, match="no joint 'tail'"):
        judge("robot").positions(biped, motions.Motion(RATE, place, wxyz, angles[:, :1], ["tail"]))


def test_a_missing_model_says_where_it_was_looked_for(judge, tmp_path):
    with pytest.raises(judge("motions").Unusable, match="PANTO_TEST_DATA"):
        judge("robot").load("g1", tmp_path)
    with pytest.raises(judge("motions").Unusable, match="unknown robot 'r2d2'; choose one of g1"):
        judge("robot").load("r2d2", tmp_path)


def test_meshes_are_found_below_folders_by_the_end_of_their_paths(bench, tmp_path):
    for side in ("left", "right"):
        (tmp_path / "a" / side).mkdir(parents=True)
        (tmp_path / "a" / side / "foot.stl").write_text(side)
    find = bench("robot").find_file
    for side in ("left", "right"):
        assert find(f"package://robot/{side}/foot.stl", [tmp_path]) == tmp_path / "a" / side / "foot.stl"
    assert find("package://robot/head.stl", [tmp_path]) is None


def test_the_published_weights_name_links_of_the_robot_and_joints_of_the_person(judge, data_file, person):
    table = judge("mink_peer").tomllib.loads((PROJECT / "benchmarks/retarget/mink_weights.toml").read_text())
    g1 = judge("robot").load("g1", data_file("models"))
    for task in judge("mink_peer").tasks_of(table):
        assert judge("robot").link_index(g1.model, task["link"]) > 0 and task["joint"] in person.at
        assert task.get("turned", task["joint"]).split("_")[-1] in table["turns"]["LAFAN1"]


# --- the run ------------------------------------------------------------------------------------------------------------------


def test_motions_of_other_tools_are_found_by_their_names(bench, tmp_path):
    for name in ("walk.bvh", "unitree_walk.csv", "gmr_walk.pkl", "own_walk.npz", "walk.csv", "unitree_walk2.csv", "notes_walk.txt"):
        (tmp_path / name).write_text("")
    found = {tool: path.name for tool, path in bench("run").others(tmp_path / "walk.bvh", None)}
    assert found == {"Unitree": "unitree_walk.csv", "GMR": "gmr_walk.pkl", "own": "own_walk.npz"}


def test_a_row_without_a_figure_has_a_dash_and_rounding_is_zero(bench):
    run = bench("run")
    row = {"robot": "G1", "clip": "walk_subject1", "tool": "Panto", "limb directions off, mean [deg]": 4.94, run.SPEED: float("nan")}
    row |= {"limb directions off, p95 [deg]": 11.0, "pelvis acceleration, p99 [m/s²]": 1e-9}
    cells = run.markdown([row]).splitlines()[-1].split("|")
    assert cells[1:6] == ["G1", "walk", "Panto", "4.94/11", "-"] and cells[8] == "0" and cells[-2] == "-"


def test_missing_clips_say_what_to_give(bench, tmp_path):
    run, unusable = bench("run"), bench("motions").Unusable
    with pytest.raises(unusable, match="set PANTO_TEST_DATA"):
        run.find_clips([], tmp_path)
    with pytest.raises(unusable, match="no such clip or folder: .*gone.bvh"):
        run.find_clips([str(tmp_path / "gone.bvh")], None)
    (tmp_path / "b.bvh").write_text("")
    assert run.find_clips([str(tmp_path)], None) == [tmp_path / "b.bvh"]
