"""The Python package: the same jobs as the command, the same bits, arrays of the stated shapes, refusals in words."""

import os
import pathlib
import pickle
import re
import signal
import socket
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from package import PACKAGE, panto

DATA = pathlib.Path(__file__).resolve().parents[2] / "examples" / "data"
WALK = DATA / "walk.bvh"


@pytest.fixture(scope="module")
def walk():
    return panto.open(WALK)


@pytest.fixture(scope="module")
def on_g1(walk):
    return panto.retarget(walk, "g1")


def test_a_motion_has_the_bits_of_the_command(run, tmp_path, on_g1):
    assert run("retarget", WALK, "--robot", "g1", "-o", "command.npz").returncode == 0
    on_g1.motion.save(tmp_path / "package.npz")
    command, package = np.load(tmp_path / "command.npz"), np.load(tmp_path / "package.npz")
    assert command.files == package.files
    for name in command.files:
        assert np.array_equal(command[name], package[name], equal_nan=command[name].dtype.kind == "f"), name


def test_a_tracked_person_has_the_bits_of_the_command(run, tmp_path, walk):
    assert run("track", WALK, "--model", "human48", "-o", "command.csv").returncode == 0
    panto.track(walk, "human48").motion.save(tmp_path / "package.csv")
    assert (tmp_path / "package.csv").read_bytes() == (tmp_path / "command.csv").read_bytes()


def test_arrays_are_views_of_the_stated_shapes(on_g1):
    motion = on_g1.motion
    frames, joints = len(motion), len(motion.joint_names)
    assert (frames, joints) == (150, 29)
    for array, columns in [
        (motion.base_position, 3), (motion.base_quaternion, 4), (motion.base_velocity, 3), (motion.base_angular_velocity, 3),
        (motion.joint_positions, joints), (motion.joint_velocities, joints),
    ]:
        assert array.shape == (frames, columns) and array.dtype == np.float64
        assert not array.flags.writeable and not array.flags.owndata
    assert np.shares_memory(motion.joint_positions, motion.joint_positions), "no copy"
    kept = panto.retarget(WALK, "g1").motion.joint_positions  # outlives its motion
    assert np.array_equal(kept, motion.joint_positions)


def test_velocities_are_the_derivatives_of_the_arrays(on_g1):
    motion = on_g1.motion
    dt = motion.times[2:] - motion.times[:-2]
    slope = (motion.joint_positions[2:] - motion.joint_positions[:-2]) / dt[:, None]
    assert np.abs(slope - motion.joint_velocities[1:-1]).max() < 1e-9
    assert np.all(np.abs(np.linalg.norm(motion.base_quaternion, axis=1) - 1) < 1e-12)
    assert np.all(np.sum(motion.base_quaternion[1:] * motion.base_quaternion[:-1], axis=1) > 0), "no jump of sign"


def test_links_are_where_the_base_and_the_joints_put_them(on_g1):
    places, turns = on_g1.motion.link_poses(["pelvis", "left_ankle_roll_link"])
    assert places.shape == (150, 2, 3) and turns.shape == (150, 2, 4)
    assert np.allclose(places[:, 0], on_g1.motion.base_position, atol=1e-12)
    heel, ball = on_g1.motion.contacts["left_ankle_roll_link"]
    standing = heel & ball
    assert standing.any() and np.all(places[standing, 1, 2] < 0.06), "an ankle 3.5 cm over its sole"
    assert np.array_equal(on_g1.motion.link_poses("pelvis")[0], places[:, :1]), "one name is no list of letters"
    with pytest.raises(panto.ModelError, match="left_ankle_roll_link"):
        on_g1.motion.link_poses(["left_ankle_rol_link"])


def test_limits_hold_and_the_verdict_says_so(on_g1):
    robot = panto.Robot("g1")
    assert robot.dof == 29 and robot.base == "floating"
    assert np.all(on_g1.motion.joint_positions >= robot.lower - 1e-9) and np.all(on_g1.motion.joint_positions <= robot.upper + 1e-9)
    assert on_g1.verdict.good and str(on_g1.verdict).startswith("Good: ")
    assert on_g1.figures["limit_violations"] == 0
    assert "29 joints" in repr(on_g1)


def test_bytes_are_read_as_the_file(walk):
    by_bytes = panto.open(WALK.read_bytes(), name="walk.bvh").samples()
    by_file = walk.samples()
    assert by_file.positions.shape == (150, 23, 3) and by_file.problem == ""
    for a, b in zip(by_file[:3], by_bytes[:3]):
        assert np.array_equal(a, b, equal_nan=True)


@pytest.mark.parametrize(
    "job, error, words",
    [
        (lambda: panto.open("missing.bvh"), panto.FormatError, "missing.bvh"),
        (lambda: panto.open(b"no clip", name="x.bvh"), panto.FormatError, "x.bvh"),
        (lambda: panto.open(b"no clip"), TypeError, "name='take.bvh'"),
        (lambda: panto.open(WALK, clean="hard"), panto.ConfigError, "strong"),
        (lambda: panto.Robot("g2"), panto.ConfigError, "did you mean"),
        (lambda: panto.Robot("g1", base="flying"), panto.ConfigError, "float"),
        (lambda: panto.retarget(WALK, "g1", feet="planted"), panto.ConfigError, "plant"),
        (lambda: panto.retarget(WALK, "g1", limits="hard"), panto.ConfigError, "brake"),
        (lambda: panto.retarget(WALK, "g1", settle=-1.0), panto.ConfigError, "settle"),
        (lambda: panto.retarget(WALK, "g1", height=9.0), panto.Error, "height"),
        (lambda: panto.track(WALK, "g1"), panto.Error, "link"),
        (lambda: panto.open_sensors(WALK), panto.FormatError, "walk.bvh"),
        (lambda: panto.open("walk\0.bvh"), ValueError, "NUL"),
        (lambda: panto.open(WALK, height=-5.0), panto.Error, "height"),
        (lambda: panto.track(WALK, mass=-1.0), panto.Error, "mass"),
        (lambda: panto.retarget(WALK, "g1", limits="x"), panto.ConfigError, "scale"),
        (lambda: panto.JointRow("r", {"left_knee_joint": "a"}), TypeError, "joints"),
    ],
)
def test_what_cannot_be_done_is_refused_in_words(job, error, words):
    with pytest.raises(error, match=words):
        job()


def test_a_file_that_cannot_hold_the_motion_is_refused_and_not_left_behind(tmp_path, on_g1):
    with pytest.raises(panto.ConfigError, match="xyz"):
        on_g1.motion.save(tmp_path / "m.xyz")
    with pytest.raises(panto.Error):
        on_g1.motion.save(tmp_path / "nowhere" / "m.npz")
    assert list(tmp_path.iterdir()) == []


def test_own_targets_move_a_hand_and_hold_a_row(walk):
    own = panto.OwnTargets()
    own.relatives.append(panto.RelativeTarget("torso_link", "right_wrist_yaw_link", [0.25, -0.1, 0.1], position_weight=1e5))
    own.rows.append(panto.JointRow("knees", {"left_knee_joint": 1.0, "right_knee_joint": 1.0}, upper=1.2))
    seen = []

    def update(t, now):
        seen.append(t)
        now.relatives[0].place = [0.25 + 0.03 * np.cos(3 * t), -0.1 + 0.03 * np.sin(3 * t), 0.1]

    motion = panto.retarget(walk, "g1", own=own, update=update).motion
    knees = motion.joint_positions[:, [motion.joint_names.index(f"{side}_knee_joint") for side in ("left", "right")]]
    assert knees.sum(axis=1).max() < 1.2 + 1e-9, "the row is exact"
    places, turns = motion.link_poses(["torso_link", "right_wrist_yaw_link"])
    torso, hand = places[:, 0], places[:, 1]
    w, v = turns[:, 0, :1], turns[:, 0, 1:]
    place = np.stack([0.25 + 0.03 * np.cos(3 * motion.times), -0.1 + 0.03 * np.sin(3 * motion.times), 0.1 + 0 * motion.times], 1)
    world = torso + place + 2 * np.cross(v, np.cross(v, place) + w * place)
    assert np.linalg.norm(hand - world, axis=1)[motion.times > 1.0].max() < 0.01, "as example 08 in C++"
    assert len(seen) >= 150


def test_a_renamed_target_is_refused_and_one_with_invalid_numbers_is_named(walk):
    own = panto.OwnTargets()
    own.positions.append(panto.PositionTarget("right_wrist_yaw_link", [0.3, -0.2, float("nan")]))
    assert any("right_wrist_yaw_link' has invalid numbers" in note for note in panto.retarget(walk, "g1", own=own).notes)

    def renames(t, now):
        now.positions[0] = panto.PositionTarget("left_wrist_yaw_link", [0.3, -0.2, 1.0])

    with pytest.raises(panto.ConfigError, match="renamed"):
        panto.retarget(walk, "g1", own=own, update=renames)


def test_a_live_retargeter_names_segments_given_twice_and_explains_step():
    with pytest.raises(panto.ConfigError, match="'Pelvis' more than once"):
        panto.LiveRetargeter("g1", ["Pelvis", "Pelvis"])
    assert "orientations (S, 4)" in panto.LiveRetargeter.step.__doc__


def test_an_error_in_update_or_progress_ends_the_job_with_that_error(walk):
    own = panto.OwnTargets()
    own.positions.append(panto.PositionTarget("right_wrist_yaw_link", [0.3, -0.2, 1.0]))

    def fails(*_):
        raise RuntimeError("told to stop")

    with pytest.raises(RuntimeError, match="told to stop"):
        panto.retarget(walk, "g1", own=own, update=fails)
    with pytest.raises(RuntimeError, match="told to stop"):
        panto.track(walk, progress=fails)
    assert panto.track(walk).verdict.good, "the recording can be read again"


def test_progress_never_goes_back_and_ends_where_all_is_done(walk):
    for job in (lambda told: panto.track(walk, progress=told), lambda told: panto.retarget(walk, "g1", progress=told)):
        told = []
        job(lambda done, of: told.append((done, of)))
        assert told == sorted(told) and all(done <= of for done, of in told), told
        assert told[-1][0] == told[-1][1] >= 150


def test_ctrl_c_ends_a_job_at_once():
    job = (
        "import sys; sys.path.insert(0, sys.argv[1]); import panto\n"
        "clip = panto.open(sys.argv[2]); print('ready', flush=True)\n"
        "while True: panto.retarget(clip, 'g1')\n"
    )
    process = subprocess.Popen([sys.executable, "-c", job, PACKAGE, WALK], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == b"ready\n"
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert b"KeyboardInterrupt" in errors and process.returncode != 0


def test_other_threads_run_while_a_job_runs():
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    other = threading.Thread(target=count)
    other.start()
    for _ in range(5):
        panto.retarget(WALK, "g1")
    done.set()
    other.join()
    assert counted[0] > 5, "with the lock held it would count once a job at most"


def test_one_recording_is_refused_to_a_second_job_at_a_time(walk):
    problems = []

    def second(done, of):
        if not problems:
            with pytest.raises(panto.ConfigError, match="another job") as caught:
                walk.samples()
            problems.append(str(caught.value))

    panto.track(walk, progress=second)
    assert problems


def test_live_gives_the_same_robot_sample_by_sample(walk):
    samples = walk.samples()
    live = panto.LiveRetargeter("g1", walk.segment_names, look_ahead=0.1)
    states = []
    for t, turns, places in zip(samples.times, samples.orientations, samples.positions):
        if live.step(t, turns, places):
            states.append((live.t, live.joint_positions.copy(), live.base_pose.copy()))
    states += [(t, live.joint_positions.copy(), live.base_pose.copy()) for t in live.drain()]
    assert len(states) == 150 and np.all(np.diff([t for t, *_ in states]) > 0)
    robot = live.robot
    assert all(np.all(s >= robot.lower - 1e-9) and np.all(s <= robot.upper + 1e-9) for _, s, _ in states)
    assert all(abs(np.linalg.norm(base[3:]) - 1) < 1e-12 for *_, base in states)
    before = live.joint_positions.copy()
    assert not live.step(samples.times[-1] + 0.05, np.full((23, 4), np.nan), np.full((23, 3), np.nan))
    assert np.array_equal(before, live.joint_positions), "what cannot be used changes nothing"
    with pytest.raises(panto.ConfigError, match="23"):
        live.step(9.0, np.zeros((22, 4)), np.zeros((22, 3)))
    with pytest.raises(TypeError):
        live.step(9.0, np.zeros((23, 3)), np.zeros((23, 3)))


def test_sensors_on_an_arm_are_tracked_with_deviations():
    sensors = panto.open_sensors(DATA / "arm_imu.csv")
    readings = sensors.readings()
    assert readings.gyro.shape == (len(readings.times), len(sensors.names), 3)
    result = panto.track_sensors(sensors, DATA / "arm_sensors.toml", model=panto.Model(DATA / "arm.toml"), deviations=True)
    assert result.deviation.shape == result.motion.joint_positions.shape
    assert np.all(result.deviation > 0)
    assert panto.track_sensors(sensors, DATA / "arm_sensors.toml", model=panto.Model(DATA / "arm.toml")).deviation is None


def test_gestures_come_one_by_one_as_the_command_writes_them(run, tmp_path, walk):
    assert run("imitate", WALK, "--robot", "g1", "-o", "gesture.npz").returncode == 0
    (gesture,) = panto.imitate(walk, "g1")
    gesture.motion.save(tmp_path / "package.npz")
    written = np.load(next(path for path in tmp_path.glob("gesture*.npz")))
    assert np.array_equal(np.load(tmp_path / "package.npz")["joint_position"], written["joint_position"])


def test_an_inspection_is_what_the_command_prints(run):
    import json

    printed = json.loads(run("inspect", WALK, "--json").stdout)
    found = panto.inspect(WALK)
    for volatile in ("path", "file"):
        printed.pop(volatile, None), found.pop(volatile, None)
    assert found == printed and found.verdict.grade == "good"


def test_the_package_is_typed_and_documented():
    folder = pathlib.Path(panto.__file__).parent
    assert (folder / "py.typed").is_file() and "class Motion" in (folder / "_core.pyi").read_text()
    bare = [name for name in panto.__all__ if not name.startswith("_") and not getattr(panto, name).__doc__]
    assert set(bare) <= {"Error", "ConfigError", "FormatError", "ModelError", "PositionTarget", "OrientationTarget",
                         "DirectionTarget", "RelativeTarget", "JointRow"}  # their constructors have it


def test_a_layout_has_the_bytes_of_the_command(run, tmp_path, on_g1):
    for layout, name in (("mjlab", "m.npz"), ("unitree", "u.csv")):
        assert run("retarget", WALK, "--robot", "g1", "--for", layout, "-o", name).returncode == 0
        assert on_g1.motion.to_bytes(name, layout=layout) == (tmp_path / name).read_bytes()
    with pytest.raises(panto.ConfigError, match="did you mean 'mjlab'"):
        on_g1.motion.save(tmp_path / "x.npz", layout="mjlb")
    assert set(panto.layouts()) >= {"unitree", "beyondmimic", "mjlab", "holosoma", "gmr", "twist2", "mimickit", "mujoco"}


def test_pickles_hold_what_their_readers_ask_for(tmp_path, on_g1):
    motion = on_g1.motion
    motion.save(tmp_path / "gmr.pkl", layout="gmr")
    data = pickle.loads((tmp_path / "gmr.pkl").read_bytes())  # TWIST2: torch.tensor of each array, names of bodies
    assert data["fps"] == 30.0 and np.allclose(data["root_pos"], motion.base_position, atol=1e-6)
    assert np.allclose(np.abs(np.sum(data["root_rot"][:, [3, 0, 1, 2]] * motion.base_quaternion, axis=1)), 1, atol=1e-6), "x y z w"
    assert np.allclose(data["dof_pos"], motion.joint_positions, atol=1e-6)
    local = data["local_body_pos"]
    assert local.shape == (150, 30, 3) and local.dtype == np.float32 and np.all(local[:, 0] == 0)
    places, turns = motion.link_poses(data["link_body_list"])
    w, v = turns[:, :1, :1], turns[:, :1, 1:]  # the root's turn brings them back
    back = local + 2 * np.cross(v, np.cross(v, local) + w * local) + places[:, :1]
    assert np.allclose(back, places, atol=1e-5)
    motion.save(tmp_path / "mimickit.pkl", layout="mimickit", fps=60)
    clip = pickle.loads((tmp_path / "mimickit.pkl").read_bytes())
    frames = np.array(clip["frames"])
    assert clip["loop_mode"] == 0 and clip["fps"] == 60 and frames.shape == (299, 35)
    angle = 2 * np.arccos(np.abs(motion.base_quaternion[0, 0]))
    assert np.linalg.norm(frames[0, 3:6]) == pytest.approx(angle, abs=1e-6)
    with pytest.raises(panto.ConfigError, match=".pkl"):
        motion.save(tmp_path / "gmr.npz", layout="gmr")
    other = tmp_path / "twice.pkl.part"  # of another run
    other.write_text("x")
    with pytest.raises(panto.Error, match="exists"):
        motion.save(tmp_path / "twice.pkl", layout="gmr")
    assert other.read_text() == "x"
    for rate in (-5.0, float("nan"), 1e9):
        with pytest.raises(panto.ConfigError, match="frames per second"):
            motion.save(tmp_path / "fast.pkl", layout="gmr", fps=rate)


def test_the_page_of_the_package_runs_as_it_is_written(tmp_path, monkeypatch):
    import re
    import shutil

    page = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md").read_text(encoding="utf-8")
    shutil.copy(WALK, tmp_path / "dance.bvh")
    for name in ("arm.toml", "arm_imu.csv", "arm_sensors.toml"):
        shutil.copy(DATA / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    code = "\n".join(re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))
    names = {}
    if "pandas" not in sys.modules:
        code = code.replace("table = motion.to_pandas()", "")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert code.count('LiveStream("mvn://")') == 1
    code = code.replace('"mvn://"', f'"mvn://:{port}"')
    with subprocess.Popen([os.environ["PANTO_COMMAND"], "replay", WALK, "--out", f"mvn://:{port}", "--loop", "--seconds", "10"], stdout=subprocess.DEVNULL) as suit:
        try:
            exec(compile(code, "docs/python.md", "exec"), names)
        finally:
            suit.kill()
    assert (tmp_path / "dance.html").stat().st_size > 100_000 and (tmp_path / "motion.npz").is_file()
    assert names["angles"].deviation is not None and len(names["stirred"].motion) == 150
    assert names["stirred"].verdict.good, names["stirred"].verdict


def test_what_cannot_be_pickled_says_what_to_pass_on(on_g1, walk):
    for one, words in [(on_g1, "figures"), (on_g1.motion, "to_bytes"), (on_g1.verdict, "sentence"), (walk, "path"), (panto.LiveRetargeter("g1"), "process")]:
        with pytest.raises(TypeError, match=f"a panto.{type(one).__name__} cannot be pickled; .*{words}"):
            pickle.dumps(one)
    assert pickle.loads(pickle.dumps(panto.Robot("g1"))).joint_names == panto.Robot("g1").joint_names


def test_sensors_sample_by_sample_have_the_bits_of_the_whole_recording():
    clip, arm = panto.open_sensors(DATA / "arm_imu.csv"), panto.Model(DATA / "arm.toml")
    whole = panto.track_sensors(clip, DATA / "arm_sensors.toml", model=arm, deviations=True)
    live = panto.InertialTracker(DATA / "arm_sensors.toml", clip.names, model=arm)
    for _ in range(2):
        states = [(live.t, live.joint_positions.copy(), live.joint_velocities.copy(), live.deviation.copy()) for row in zip(*clip.readings()) if live.step(*row)]
        for column, expected in zip(zip(*states), (whole.motion.times, whole.motion.joint_positions, whole.motion.joint_velocities, whole.deviation)):
            assert np.array_equal(np.array(column), expected)
        live.reset()


def test_a_live_tracker_of_sensors_says_what_does_not_fit_and_stays_as_it_was():
    clip, setup = panto.open_sensors(DATA / "arm_imu.csv"), DATA / "arm_sensors.toml"
    rows, arm = list(zip(*clip.readings())), panto.Model(DATA / "arm.toml")
    live, count = panto.InertialTracker(setup, clip.names, model=arm), len(clip.names)
    for row in rows[:50]:
        assert live.step(*row)
    before = (live.t, *(getattr(live, name).tobytes() for name in ("joint_positions", "joint_velocities", "deviation", "base_pose")))
    t, gyro, acc, mag = rows[50]
    for arguments, words in [
        ((t, gyro[:1], acc), f"1 row; give {count} of each"),
        ((t, gyro, acc, mag, np.zeros((count + 1, 4))), f"{count + 1} rows; give {count}"),
        ((np.nan, gyro, acc), "t is nan s"),
        ((1e300, gyro, acc), "t is 1e"),
    ]:
        with pytest.raises(panto.ConfigError, match=words):
            live.step(*arguments)
    for arguments in [(t, gyro.T, acc), (t, "still", acc), (None, gyro, acc)]:
        with pytest.raises(TypeError):
            live.step(*arguments)
    for arguments, status in [((rows[10][0], gyro, acc), "newer|advancing"), ((t, np.full_like(gyro, np.nan), np.full_like(acc, np.inf)), "target")]:
        assert not live.step(*arguments)
        assert re.search(status, live.status), live.status
    assert before == (live.t, *(getattr(live, name).tobytes() for name in ("joint_positions", "joint_velocities", "deviation", "base_pose")))
    assert live.step(*rows[50])
    with pytest.raises(panto.ConfigError, match="'uper'|uper"):
        panto.InertialTracker(setup, ["uper", *clip.names[1:]], model=arm)
    with pytest.raises(panto.ConfigError, match="more than once"):
        panto.InertialTracker(setup, [clip.names[0], *clip.names], model=arm)
    with pytest.raises(TypeError, match="process"):
        pickle.dumps(live)


def test_a_motion_begins_and_ends_at_rest_or_loops(on_g1, tmp_path):
    motion, robot = on_g1.motion, panto.Robot("g1")
    led = motion.led(lead_in=1.0, lead_out=0.5)
    own = slice(30, 30 + len(motion))  # 30 Hz
    assert len(led) == len(motion) + 45 and np.array_equal(led.joint_positions[own], motion.joint_positions)
    assert np.abs(led.joint_positions[[0, -1]] - robot.rest).max() < 1e-12 and not led.joint_velocities[[0, -1]].any()
    assert np.all(led.joint_positions >= robot.lower) and np.all(led.joint_positions <= robot.upper)
    motion.save(tmp_path / "m.npz", layout="mjlab", lead_in=1.0)
    motion.save(tmp_path / "plain.npz", layout="mjlab")
    saved, plain = np.load(tmp_path / "m.npz"), np.load(tmp_path / "plain.npz")
    assert saved["fps"][0] == 50 and np.array_equal(saved["joint_pos"][50:], plain["joint_pos"])
    slope = (saved["joint_pos"][2:] - saved["joint_pos"][:-2]) * 25.0
    assert np.abs(slope - saved["joint_vel"][1:-1]).max() < 2e-3, "numbers of 4 bytes"
    for call, words in [(lambda: motion.led(lead_in=1.0, loop=True), "loop"), (lambda: motion.led(lead_in=99.0), "60"), (lambda: panto.track(WALK).motion.led(lead_in=1.0), "robot")]:
        with pytest.raises(panto.ConfigError, match=words):
            call()


def test_a_loop_is_one_for_mimickits_reader(on_g1, tmp_path):
    on_g1.motion.save(tmp_path / "loop.pkl", layout="mimickit", loop=True)
    content = pickle.loads((tmp_path / "loop.pkl").read_bytes())
    frames = np.array(content["frames"])
    assert content["loop_mode"] == 1, "LoopMode.WRAP"
    assert np.abs(frames[0, 2:] - frames[-1, 2:]).max() < 1e-6, "it goes on from the last frame in the first"
    moved = frames[-1, :3] - frames[0, :3]  # its reader adds this to every round
    assert np.hypot(*moved[:2]) > 1.0 and abs(moved[2]) < 1e-6
    own, seam = np.diff(on_g1.motion.joint_positions, 2, axis=0), (frames[1] - frames[0] - frames[-1] + frames[-2])[6:]
    assert np.abs(seam).max() < 1.2 * np.abs(own).max(), "a knee of this walk is at its limit then, at 10 rad/s"
    assert any("every round moves on" in note for note in on_g1.motion.led(loop=True).notes)


def test_the_command_writes_the_same_leads_and_loops(run, tmp_path, on_g1):
    words = ["--lead-in", "1", "--lead-out", "0.5"]
    assert run("retarget", WALK, "--robot", "g1", "--for", "mujoco", *words, "-o", "command.npz").returncode == 0
    on_g1.motion.save(tmp_path / "package.npz", layout="mujoco", lead_in=1.0, lead_out=0.5)
    assert (tmp_path / "command.npz").read_bytes() == (tmp_path / "package.npz").read_bytes()
    on_g1.motion.save(tmp_path / "motion.npz", layout="mujoco")
    done = run("convert", "motion.npz", "looped.csv", "--for", "unitree", "--loop")
    assert done.returncode == 0 and "every round moves on" in done.stderr
    for refused, words in [
        (["--lead-in", "1", "-o", "x.npz"], "--for"),
        (["--for", "mujoco", "--loop", "--lead-in", "1", "-o", "x.npz"], "--loop"),
        (["--for", "mujoco", "--lead-in", "61", "-o", "x.npz"], "60"),
    ]:
        done = run("retarget", WALK, "--robot", "g1", *refused)
        assert done.returncode == 2 and words in done.stderr and not (tmp_path / "x.npz").exists(), done.stderr


def test_progress_is_told_in_every_pass_and_its_exception_ends_the_job_there(walk):
    told = []
    panto.retarget(walk, "g1", progress=lambda done, of: told.append(done))
    assert told[-1] >= 4 * 150, "solved, planted, cleared, judged"
    for after in range(0, len(told), max(1, len(told) // 8)):
        calls = []

        def stops(done, of):
            calls.append(done)
            if len(calls) > after:
                raise RuntimeError("enough")

        with pytest.raises(RuntimeError, match="enough"):
            panto.retarget(walk, "g1", progress=stops)
        assert len(calls) == after + 1, "nothing goes on after it"
