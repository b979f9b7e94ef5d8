"""Arguments of the Python package: those without effect or of a wrong type are refused, those of the command mean the same."""

import json
import pathlib

import numpy as np
import pytest
from still_sensors import put_held_poses

from package import panto

DATA = pathlib.Path(__file__).resolve().parents[2] / "examples" / "data"
WALK = DATA / "walk.bvh"


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: panto.retarget(WALK, "g1", settle="long"), "retarget: settle must be a number, not 'long'"),
        (lambda: panto.retarget(WALK, 3), "retarget: robot must be a panto.Robot or a string (str) or a path or None, not 3"),
        (lambda: panto.retarget(WALK, "g1", feet=True), "retarget: feet must be a string (str) or None, not True"),
        (lambda: panto.retarget(WALK, "g1", smooth="yes"), "retarget: smooth must be True or False, not 'yes'"),
        (lambda: panto.track(WALK, own=3), "track: own must be a panto.OwnTargets or None, not 3"),
        (lambda: panto.open(3), "open: source must be a string (str) or a path or bytes, not 3"),
        (lambda: panto.open(WALK, height="tall"), "open: height must be a number or None, not 'tall'"),
        (lambda: panto.Robot("g1", height="tall"), "Robot: height must be a number, not 'tall'"),
        (lambda: panto.calibrate(DATA / "arm_imu.csv", DATA / "arm_sensors.toml", model=panto.Model(DATA / "arm.toml"), hinges=[("elbow", 3.0)]), "calibrate: hinges must be a sequence, each 2 values, not"),
        (lambda: panto.track(WALK).motion.save("x.csv", layout="unitree", fps="fast"), "Motion.save: fps must be a number or None, not 'fast'"),
        (lambda: panto.open(WALK, height="1.8"), "open: height must be a number or None, not '1.8'"),
        (lambda: panto.Robot("g1", package_dirs="/tmp"), "Robot: package_dirs must be a sequence, each a string (str) or a path, not '/tmp'"),
        (lambda: panto.stature("walk.npz"), "stature: clips must be a sequence, each a string (str) or a path, not 'walk.npz'"),
        (lambda: panto.track(WALK, progress=3), "track: progress must be None or True or False or a function, not 3"),
        (lambda: panto.picture("walk.html", "walk.png", at="1 s"), "picture: at must be a number or None, not '1 s'"),
        (lambda: panto.film("walk.html", "walk.gif", fps="10"), "film: fps must be a number or None, not '10'"),
        (lambda: panto.LiveRetargeter("g1", look_ahead="far"), "LiveRetargeter: look_ahead must be a number, not 'far'"),
    ],
)
def test_an_argument_of_a_wrong_type_is_named(call, words):
    with pytest.raises(TypeError) as refused:
        call()
    assert str(refused.value).startswith(words), refused.value


def test_errors_of_the_callers_own_functions_stay_as_they_are():
    def update(t, own):
        raise TypeError("mine")

    with pytest.raises(TypeError, match="^mine$"):
        panto.track(WALK, own=panto.OwnTargets(), update=update)


def test_generators_of_paths_are_read_once(tmp_path):
    assert panto.stature(path for path in ()) is None
    with pytest.raises(panto.FormatError, match="missing.npz: cannot be read"):
        panto.stature(tmp_path / name for name in ["missing.npz"])


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: panto.retarget(WALK, "g1", cutoff_hz=8.0), "`cutoff_hz` needs `smooth`"),
        (lambda: panto.retarget(WALK, "g1", max_acceleration=1.0), "`max_acceleration` needs `smooth`"),
        (lambda: panto.retarget(WALK, "g1", smooth=True, limits="scale"), "exclude each other"),
        (lambda: panto.retarget(WALK, "g1", report="page.txt"), "must end in .html"),
    ],
)
def test_options_without_effect_are_refused(call, words):
    with pytest.raises(panto.ConfigError, match=words):
        call()


def test_an_acceleration_limits_a_motion_that_is_scaled():
    free, slow = (panto.retarget(WALK, "g1", limits="scale", max_acceleration=a).motion for a in (None, 20.0))
    assert slow.times[-1] > free.times[-1]


def test_rates_that_no_program_reads_are_refused(tmp_path):
    motion = panto.retarget(WALK, "g1").motion
    for fps in (0, 0.1, 5000, float("nan")):
        for call in (lambda: motion.save(tmp_path / "m.npz", layout="mjlab", fps=fps), lambda: motion.to_bytes("m.npz", layout="mjlab", fps=fps), lambda: motion.led(fps=fps)):
            with pytest.raises(panto.ConfigError, match="must be 1 to 1000 frames per second"):
                call()
    with pytest.raises(panto.ConfigError) as refused:
        motion.save(tmp_path / "m.npz", layout="foo")
    assert all(name in str(refused.value) for name in panto.layouts()) and not list(tmp_path.iterdir())


def test_the_height_of_the_person_reaches_the_reader_of_a_path(run, tmp_path):
    for words, motion in [
        (("track", WALK), lambda: panto.track(WALK, height=1.6).motion),
        (("retarget", WALK, "--robot", "g1"), lambda: panto.retarget(WALK, "g1", height=1.6).motion),
    ]:
        assert run(*words, "--height", "1.6", "-o", "command.npz").returncode == 0
        motion().save(tmp_path / "package.npz")
        assert (tmp_path / "package.npz").read_bytes() == (tmp_path / "command.npz").read_bytes()


def test_a_person_who_wears_sensors_has_the_bits_of_the_command(run, tmp_path):
    put_held_poses(tmp_path)
    assert run("retarget", "poses.csv", "--sensors", "nominal.toml", "--robot", "g1", "-o", "command.npz").returncode == 0
    person = panto.sensed_person(tmp_path / "poses.csv", tmp_path / "nominal.toml")
    panto.retarget(person, "g1").motion.save(tmp_path / "package.npz")
    assert (tmp_path / "package.npz").read_bytes() == (tmp_path / "command.npz").read_bytes()


def test_a_tracked_arm_is_saved_with_its_rate_and_deviations_as_by_the_command(run, tmp_path):
    imu, setup, arm = DATA / "arm_imu.csv", DATA / "arm_sensors.toml", DATA / "arm.toml"
    assert run("track", imu, "--sensors", setup, "--model", arm, "--cov", "-o", "command.npz").returncode == 0
    motion = panto.track_sensors(imu, setup, model=panto.Model(arm), deviations=True).motion
    assert motion.rate_hz == pytest.approx(panto.open_sensors(imu).rate_hz) and motion.rate_hz > 0
    motion.save(tmp_path / "package.npz")
    assert (tmp_path / "package.npz").read_bytes() == (tmp_path / "command.npz").read_bytes()


def test_deviations_do_not_keep_a_person_from_files_without_a_place_for_them(tmp_path):
    put_held_poses(tmp_path)
    motion = panto.track_sensors(tmp_path / "poses.csv", tmp_path / "nominal.toml", deviations=True).motion
    motion.save(tmp_path / "person.bvh")
    assert panto.open(tmp_path / "person.bvh").frames == len(motion)


def test_an_obstacle_of_the_map_is_judged_by_the_command_and_by_python(run, tmp_path):
    assert run("map", "g1", "-o", "walled.toml").returncode == 0
    # a wall along the path, through the trunk: its free side is to the right, z of its frame
    wall = '\n[obstacles]\nwall = { shape = "plane", position = [0, 0, 0], wxyz = [0.70710678, 0.70710678, 0, 0] }\n'
    (tmp_path / "walled.toml").write_text((tmp_path / "walled.toml").read_text() + wall)
    told = run("retarget", WALK, "--robot", "walled.toml", "--collisions", "report", "--json")
    assert told.returncode == 0, told.stderr
    figures = json.loads(told.stdout)
    assert figures["obstacle_share"] > 0.99 and figures["obstacle_max_mm"] > 50.0
    assert figures["obstacle_max_pair"].startswith("wall and ")
    assert "obstacles are judged, not avoided" in told.stderr
    result = panto.retarget(WALK, tmp_path / "walled.toml", collisions="report")
    assert all(result.figures[key] == figures[key] for key in ("obstacle_share", "obstacle_max_mm", "obstacle_max_pair"))
    assert "the body is in an obstacle in " in result.verdict.sentence
    # its file is judged by the same map
    result.motion.save(tmp_path / "walled.npz")
    again = run("inspect", "walled.npz", "--robot", "walled.toml", "--json")
    assert json.loads(again.stdout)["obstacle_share"] > 0.99, again.stderr
    assert run("check", "walled.npz", "--robot", "walled.toml").returncode == 1


def test_a_rate_without_a_layout_is_refused_where_the_file_keeps_its_own(tmp_path):
    motion = panto.retarget(WALK, "g1").motion
    for call in (lambda: motion.save(tmp_path / "m.npz", fps=50), lambda: motion.to_bytes("m.npz", fps=50)):
        with pytest.raises(panto.ConfigError, match="`fps` needs a `layout`"):
            call()
    assert not list(tmp_path.iterdir())
    motion.save(tmp_path / "led.npz", lead_in=1.0, fps=50)
    with np.load(tmp_path / "led.npz") as led:
        np.testing.assert_allclose(np.diff(led["times_s"]), 0.02, atol=1e-6)


def test_feet_that_nobody_chooses_are_those_of_the_command(run, tmp_path):
    for solver in ("dynamical", "modular"):
        assert run("retarget", WALK, "--robot", "g1", "--solver", solver, "-o", "command.npz").returncode == 0
        panto.retarget(WALK, "g1", solver=solver).motion.save(tmp_path / "package.npz")
        assert (tmp_path / "package.npz").read_bytes() == (tmp_path / "command.npz").read_bytes(), solver
