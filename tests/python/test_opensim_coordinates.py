"""Coordinates of OpenSim's models of muscles: columns and signs against OpenSim's own inverse kinematics of the same walk."""
import numpy as np
import pytest
from command import GOOD, USAGE, refused

GAIT = """pelvis_tilt pelvis_list pelvis_rotation pelvis_tx pelvis_ty pelvis_tz hip_flexion_r hip_adduction_r hip_rotation_r
knee_angle_r ankle_angle_r subtalar_angle_r mtp_angle_r hip_flexion_l hip_adduction_l hip_rotation_l knee_angle_l
ankle_angle_l subtalar_angle_l mtp_angle_l lumbar_extension lumbar_bending lumbar_rotation""".split()
ARMS = [f"{name}_{side}" for side in "rl" for name in ("arm_flex", "arm_add", "arm_rot", "elbow_flex", "pro_sup", "wrist_flex", "wrist_dev")]


def columns(path):
    lines = path.read_text().splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("endheader"))
    names = lines[head + 1].split()
    return dict(zip(names, np.array([[float(word) for word in line.split()] for line in lines[head + 2 :] if line.strip()]).T, strict=True))


def test_a_walk_gets_the_coordinates_that_opensim_finds(run, data_file, tmp_path):
    trc, ik = data_file("opensim/Gait2392_Simbody_subject01_walk1.trc"), data_file("opensim/Gait2392_Simbody_subject01_walk1_ik.mot")
    assert run("track", trc, "--model", "human66", "--angles", "gait2392", "-o", "gait.mot").returncode == GOOD
    ours, theirs = columns(tmp_path / "gait.mot"), columns(ik)
    assert list(ours) == ["time", *GAIT], "gait2392's coordinates in its order"
    shared = theirs["time"] <= ours["time"][-1]
    assert shared.sum() > 100
    for name, offset, rest in [
        # zeros of a scaled model are those of its subject; what moves must agree [deg]
        ("pelvis_list", 3, 1), ("pelvis_rotation", 3, 1), ("hip_flexion_r", 5, 2.5), ("hip_flexion_l", 5, 2.5), ("hip_adduction_r", 4, 1.5),
        ("hip_adduction_l", 4, 1.5), ("knee_angle_r", 4, 2.5), ("knee_angle_l", 4, 2.5), ("ankle_angle_r", 5, 3), ("ankle_angle_l", 5, 3),
        ("lumbar_bending", 3, 1.5), ("lumbar_rotation", 3, 1.5),
    ]:  # fmt: skip
        a, b = np.interp(theirs["time"][shared], ours["time"], ours[name]), theirs[name][shared]
        error = a - b
        assert abs(error.mean()) < offset and error.std() < rest, (name, error.mean(), error.std())
        assert np.corrcoef(a, b)[0, 1] > 0.9, name
    for name in ("pelvis_tx", "pelvis_ty", "pelvis_tz"):
        assert np.abs(np.interp(theirs["time"][shared], ours["time"], ours[name]) - theirs[name][shared]).max() < 0.02, "[m]"


def test_for_opensim_is_rajagopals_body_whose_knees_bend_the_other_way(run, project, tmp_path):
    walk = project / "examples/data/walk.bvh"
    for word, file in (("opensim", "a.mot"), ("rajagopal", "b.sto"), ("hamner", "c.mot")):
        assert run("track", walk, "--for", word, "-o", file).returncode == GOOD
    body, same, hamner = (columns(tmp_path / file) for file in ("a.mot", "b.sto", "c.mot"))
    assert list(body) == list(hamner) == ["time", *GAIT, *ARMS]
    assert all(np.array_equal(body[name], same[name]) for name in body)
    assert 40 < body["knee_angle_r"].max() < 80 and body["knee_angle_r"].min() > -5, "flexion is positive"
    # about an axis that is 4 deg oblique
    assert np.allclose(body["knee_angle_r"], -hamner["knee_angle_r"], atol=2)
    # arms that hang beside the body, palms to the thighs
    assert np.abs(body["arm_add_r"]).max() < 30 and np.abs(body["pro_sup_r"] - 90).max() < 40


def test_a_hand_that_is_turned_alone_turns_the_forearm(run, data_file, tmp_path):
    # LAFAN1's forearms do not twist, its hands do
    assert run("track", data_file("bvh/cmu/005_02.bvh"), "--for", "hamner", "-o", "dance.mot").returncode == GOOD
    dance = columns(tmp_path / "dance.mot")
    for side in "rl":
        for name in (f"arm_flex_{side}", f"arm_rot_{side}", f"pro_sup_{side}", f"wrist_flex_{side}"):
            assert np.abs(dance[name]).max() <= 360, name
        assert np.ptp(dance[f"pro_sup_{side}"]) > 40, "the turn of the hand"
        assert np.abs(dance[f"wrist_dev_{side}"]).max() < 90


@pytest.mark.parametrize(("words", "says"), [
    (("track", "WALK", "--angles", "gait2392", "-o", "a.csv"), ("--angles gait2392 has no effect", ".mot or .sto")),
    (("track", "WALK", "--angles", "gait2392", "-o", "a.mot", "-o", "a.csv"), ("a.csv", "go into a .mot or .sto")),
    (("track", "WALK", "--angles", "gait2391", "-o", "a.mot"), ("'gait2391'", "did you mean 'gait2392'?")),
])  # fmt: skip
def test_wrong_words_are_refused(run, project, tmp_path, words, says):
    refused(run(*[project / "examples/data/walk.bvh" if word == "WALK" else word for word in words]), USAGE, *says)
    assert not list(tmp_path.glob("a.*"))
