"""Raw inertial sensors through the command: joint angles on a real recording, and every fault that is planted."""

import csv
import json
import sys

import numpy as np
import pytest
from command import GOOD, UNUSABLE, USAGE, card_of, refused

DEGREE = np.pi / 180.0
CHAIN = """kind = "dh chain"
version = 1
name = "carried"
convention = "classical"
base = "fixed"
root = "room"
links = [
  { name = "up", parent = "room", joint = "shift_z", type = "prismatic", alpha_deg = 90 },
  { name = "back", parent = "up", joint = "shift_y", type = "prismatic", alpha_deg = 90, theta_deg = 90 },
  { name = "side", parent = "back", joint = "shift_x", type = "prismatic" },
  { name = "ball_1", parent = "side", joint = "turn_1", alpha_deg = 90 },
  { name = "ball_2", parent = "ball_1", joint = "turn_2", alpha_deg = 90, theta_deg = 90 },
  { name = "hand", parent = "ball_2", joint = "turn_3" },
]
"""
# the setting of experiments/c0_broad_reference.py
SENSORS = """kind = "sensors"
version = 1
sensors = [{{ name = "imu", link = "hand", wxyz = {wxyz} }}]
[world]
field = {field}
[noise]
gyro = 0.002
acc = 0.07
mag = 0.015
mounting_deg = 0
wobble = 0
gyro_scale = 0.005
[motion]
hinges = {{ rms = 200, time = 0.1 }}
slides = {{ rms = 6, time = 0.25 }}
"""
COLUMNS = [f"imu.{what}_{axis}_{unit}" for what, unit in (("gyro", "rad_s"), ("acc", "m_s2"), ("mag", "uT")) for axis in "xyz"]


@pytest.fixture(scope="session")
def reference(project):
    sys.path.insert(0, str(project / "python"))
    from reference import chain_ekf, so3

    return chain_ekf, so3


def dh(theta, d, alpha):
    """Rotation of a classical link; only that matters here."""
    c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    return np.array([[c, -s * ca, s * sa], [s, c * ca, -c * sa], [0.0, sa, ca]])


def hand(turns):
    """R_WL of the chain's last link; turns in rad."""
    R = dh(0, 0, 90 * DEGREE) @ dh(90 * DEGREE, 0, 90 * DEGREE) @ np.eye(3)
    return R @ dh(turns[0], 0, 90 * DEGREE) @ dh(90 * DEGREE + turns[1], 0, 90 * DEGREE) @ dh(turns[2], 0, 0)


def quaternion(R):
    """(w, x, y, z) of a rotation with w well above 0, or found by its largest part."""
    K = np.array(
        [
            [np.trace(R), R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
            [R[2, 1] - R[1, 2], R[0, 0] - R[1, 1] - R[2, 2], R[1, 0] + R[0, 1], R[0, 2] + R[2, 0]],
            [R[0, 2] - R[2, 0], R[1, 0] + R[0, 1], R[1, 1] - R[0, 0] - R[2, 2], R[2, 1] + R[1, 2]],
            [R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[2, 1] + R[1, 2], R[2, 2] - R[0, 0] - R[1, 1]],
        ]
    )
    return np.linalg.eigh(K)[1][:, -1]


class Trial:
    """Trial 21 of BROAD from second 28 on, where the hand lies still, and its optical truth."""

    def __init__(self, path, chain_ekf, seconds):
        table = np.loadtxt(path, delimiter=",", skiprows=1)
        first = np.searchsorted(table[:, 0], seconds[0])
        table = table[first : np.searchsorted(table[:, 0], seconds[1])]
        self.t, self.raw = table[:, 0], table[:, 1:10]
        self.gyro, self.acc, self.mag, self.quaternions, _, self.moving = np.split(table[:, 1:], [3, 6, 9, 13, 16], axis=1)
        rest = slice(0, 286)  # a second
        self.R_GI = chain_ekf.stand(self.acc[rest].mean(axis=0), self.mag[rest].mean(axis=0))
        self.field = self.R_GI @ self.mag[rest].mean(axis=0)
        self.R_LI = hand([0, 0, 0]).T @ self.R_GI  # what is calibrated while it lies still

    def rows(self):
        return [[repr(t), *(repr(x) for x in row)] for t, row in zip(self.t.tolist(), self.raw.tolist())]

    def put(self, folder, rows=None, columns=COLUMNS):
        with open(folder / "imu.csv", "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["time_s", *columns])
            writer.writerows(self.rows() if rows is None else rows)
        (folder / "carried.toml").write_text(CHAIN)
        wxyz, field = quaternion(self.R_LI).tolist(), self.field.tolist()
        (folder / "sensors.toml").write_text(SENSORS.format(wxyz=wxyz, field=field))


TRACK = ("track", "imu.csv", "--model", "carried.toml", "--sensors", "sensors.toml")


@pytest.fixture(scope="session")
def broad(data_file, reference):
    return Trial(data_file("inertial/broad/21_fast_combined_first60s.csv"), reference[0], (28.0, 60.0))


@pytest.fixture(scope="session")
def short(data_file, reference):
    return Trial(data_file("inertial/broad/21_fast_combined_first60s.csv"), reference[0], (33.0, 40.0))


def table_of(path):
    with open(path) as file:
        header, *rows = csv.reader(file)
    return header, np.array(rows, dtype=float)


def angle_between(A, B):
    """[deg], exact for small ones too."""
    return np.degrees(2.0 * np.arcsin(np.linalg.norm(A - B, axis=(-2, -1)) / np.sqrt(8.0)))


def turns_of(path):
    header, rows = table_of(path)
    return rows[:, [header.index(f"turn_{k}_rad") for k in (1, 2, 3)]], rows[:, 0]


def orientations(path, R_LI):
    return np.array([hand(turns) @ R_LI for turns in turns_of(path)[0]])


def inclination_error(trial, R):
    """Root mean square against the capture while the hand moves [deg]."""
    seen = (trial.moving.ravel() > 0) & np.isfinite(trial.quaternions[:, 0])
    w, x, y, z = trial.quaternions[seen].T
    up = np.array([2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]).T  # of the world, in the sensor
    cosine = np.einsum("ij,ij->i", up, R[seen][:, 2, :])
    return np.degrees(np.sqrt(np.mean(np.square(np.arccos(np.clip(cosine, -1, 1))))))


def test_joint_angles_of_a_real_sensor_agree_with_optical_capture(run, broad, tmp_path):
    """docs/results/inertial.md: 1.92 deg of inclination at the samples' own stamps, 2.29 deg in all."""
    broad.put(tmp_path)
    card = card_of(run(*TRACK, "-o", "q.csv", "--cov", "--json"))
    R = orientations(tmp_path / "q.csv", broad.R_LI)
    assert len(R) == len(broad.t) == card["frames"]
    seen = (broad.moving.ravel() > 0) & np.isfinite(broad.quaternions[:, 0])
    assert 1.7 < inclination_error(broad, R) < 2.1

    (sensor,) = card["sensors"]
    assert sensor["name"] == "imu" and sensor["link"] == "hand" and sensor["missing_share"] == 0.0
    # 3 is expected; the noise is cautious (docs/results/inertial.md), so that less is usual
    assert 0.0 < sensor["nis_gyro_mean"] < 3.0 and 0.0 < sensor["nis_acc_mean"] < 3.0
    assert sensor["field_used_share"] > 0.5, "where the field is the place's, it leads the heading within a minute"
    assert card["allocations"] in (0, None)
    header, rows = table_of(tmp_path / "q.csv")
    sigma = np.degrees(rows[:, [header.index(f"turn_{k}_sd_rad") for k in (1, 2, 3)]])
    assert np.all(sigma > 0.0) and np.median(sigma[seen]) < 5.0


def test_a_sensor_with_a_given_lag_is_predicted_to_its_stamps(run, broad, tmp_path):
    """docs/results/inertial.md: this sensor is 4.1 ms late, 1.7 deg at 7 rad/s; asked are 1.7 deg of inclination at the stamps."""
    broad.put(tmp_path)
    text = (tmp_path / "sensors.toml").read_text()
    (tmp_path / "sensors.toml").write_text(text.replace("version = 1\n", "version = 1\nlag = 0.0041\n"))
    assert run(*TRACK, "-o", "q.csv").returncode == GOOD
    assert inclination_error(broad, orientations(tmp_path / "q.csv", broad.R_LI)) < 1.2


def test_the_command_is_the_reference_filter(run, short, reference, tmp_path):
    chain_ekf, _ = reference
    short.put(tmp_path)
    assert run(*TRACK, "-o", "q.csv").returncode == GOOD
    ours = orientations(tmp_path / "q.csv", short.R_LI)
    options = chain_ekf.Options(gyro=0.002, acc=0.07, mag=0.015, mounting=0.0, wobble=0.0, gyro_scale=0.005, rest_rate=0.0, fresh_heading=True, far=0.003)
    options.heading_interval, options.bend = 0.05, 0.03
    options.field_settles = 0.4995  # samples come every 3.5 ms: rounding must not choose which is the first heading
    carried, turning = chain_ekf.Tethered(rms=6.0, bandwidth=4.0), chain_ekf.Singer(rms=200.0, tau=0.1)
    m = short.field
    site = chain_ekf.Field(np.linalg.norm(m), np.arctan2(-m[2], np.hypot(m[0], m[1])))
    ekf = chain_ekf.ChainEkf(chain_ekf.carried_imu(), [carried] * 3 + [turning] * 3, options, [3], {3: short.R_GI}, magnetic="heading", site=site)
    ekf.t = short.t[0] - 0.01  # the tracker begins so long before its first sample
    worst = 0.0
    for k, t in enumerate(short.t):
        ekf.step(t, [(short.gyro[k], short.acc[k], short.mag[k])])
        worst = max(worst, angle_between(ours[k], ekf.balls[3]))
    assert worst < 0.05


def test_a_real_recording_that_is_smoothed_is_nearer_to_optical_capture(run, broad, tmp_path):
    """docs/results/inertial.md: 1.84 deg of inclination filtered, 1.43 smoothed."""
    broad.put(tmp_path)
    assert run(*TRACK, "-o", "filtered.csv", "--cov").returncode == GOOD
    result = run(*TRACK, "-o", "smoothed.csv", "--cov", "--smooth", "--json")
    card = card_of(result)
    assert f"{len(broad.t)} samples smoothed" in result.stderr
    assert card["smoothing"] == {"samples": len(broad.t), "kept": 0, "kept_deviation": 0, "parts": 1}
    assert card["frames"] == len(broad.t) and 0.0 < card["sensors"][0]["nis_gyro_mean"] < 3.0
    errors = {name: inclination_error(broad, orientations(tmp_path / f"{name}.csv", broad.R_LI)) for name in ("filtered", "smoothed")}
    assert errors["smoothed"] < 0.85 * errors["filtered"], errors
    header, filtered = table_of(tmp_path / "filtered.csv")
    _, smoothed = table_of(tmp_path / "smoothed.csv")
    first = header.index("turn_1_sd_rad")
    assert np.all(smoothed[:, first:] > 0.0)
    assert np.median(smoothed[:, first:]) < 0.8 * np.median(filtered[:, first:])
    assert np.allclose(smoothed[-1], filtered[-1], rtol=0, atol=1e-12), "nothing comes after the last sample"


def test_the_same_recording_is_smoothed_to_the_same_bytes(run, short, tmp_path):
    short.put(tmp_path)
    for name in ("a.csv", "b.csv"):
        assert run(*TRACK, "-o", name, "--cov", "--smooth").returncode == GOOD
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    assert run(*TRACK, "-o", "c.csv", "--smooth").returncode == GOOD
    assert np.array_equal(turns_of(tmp_path / "a.csv")[0], turns_of(tmp_path / "c.csv")[0]), "--cov changes no angle"


def test_smoothing_tells_a_heading_before_it_was_seen(run, short, tmp_path):
    short.put(tmp_path)
    assert run(*TRACK, "-o", "q.csv").returncode == GOOD
    clean = orientations(tmp_path / "q.csv", short.R_LI)
    with open(tmp_path / "sensors.toml", "a") as file:
        file.write("[start]\nsigma_deg = 90\njoints_deg = { turn_3 = 120 }\n")
    errors = {}
    for words in ((), ("--smooth",)):
        assert run(*TRACK, "-o", "lost.csv", *words).returncode == GOOD
        errors[words] = angle_between(orientations(tmp_path / "lost.csv", short.R_LI), clean)
    assert errors[()][0] > 90.0, "one sample cannot tell the heading"
    assert errors[("--smooth",)].max() < 3.0


def test_a_run_says_how_surely_joints_are_known(run, short, tmp_path):
    short.put(tmp_path)
    result = run(*TRACK, "-o", "q.csv", "--cov", "--verbose")
    card = card_of(run(*TRACK, "--json"))
    header, rows = table_of(tmp_path / "q.csv")
    sigma = np.degrees([rows[rows[:, 0] >= rows[0, 0] + 0.5][:, header.index(f"turn_{k}_sd_rad")] for k in (1, 2, 3)])
    by_joint = np.sqrt(np.mean(np.square(sigma), axis=1))
    assert card["joint_sd_median_deg"] == pytest.approx(np.median(by_joint), rel=1e-6), "behind the settling time"
    assert card["joint_sd_max_deg"] == pytest.approx(by_joint.max(), rel=1e-6)
    assert card["least_known_joint"] == f"turn_{1 + by_joint.argmax()}"
    assert "expected error, 1 sd" in result.stdout and card["least_known_joint"] in result.stdout
    assert "orientation error" not in result.stdout, "raw sensors have no segments to be compared with"
    assert "readings of the only sensor are off by 0.3" in result.stderr, "so far below what is expected that agreement is no praise"
    assert "accelerometer" in result.stdout, "a table of sensors"
    smooth = card_of(run(*TRACK, "--smooth", "--json"))
    assert smooth["joint_sd_median_deg"] is None, "would take twice as long, and nobody asked"
    assert card_of(run(*TRACK, "--smooth", "--cov", "--json"))["joint_sd_median_deg"] < card["joint_sd_median_deg"]


def test_a_recording_with_gaps_is_smoothed_part_by_part(run, short, tmp_path):
    """Readings that are missing, two seconds of silence; then one sample alone."""
    rows = [[row[0], *([""] * 9)] if 300 <= k < 320 else row for k, row in enumerate(short.rows())]
    rows = [*rows[:700], *rows[1300:]]
    short.put(tmp_path, rows)
    result = run(*TRACK, "-o", "q.csv", "--smooth", "--cov", "--report", "page.html", "--json")
    card = card_of(result)
    assert card["smoothing"]["parts"] == 2 and "in 2 parts" in result.stderr
    assert card["status_counts"]["no_target"] == 20 and card["smoothing"]["kept"] == 0
    table = table_of(tmp_path / "q.csv")[1]
    assert len(table) == len(rows) - 20 and np.isfinite(table).all()
    assert "samples smoothed in 2 parts" in (tmp_path / "page.html").read_text()
    short.put(tmp_path, short.rows()[:1])
    for name, words in (("one.csv", ()), ("same.csv", ("--smooth",))):
        assert run(*TRACK, "-o", name, *words).returncode == GOOD
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "same.csv").read_bytes()


def test_a_start_that_is_not_known_is_found(run, short, tmp_path):
    short.put(tmp_path)
    assert run(*TRACK, "-o", "q.csv").returncode == GOOD
    clean = orientations(tmp_path / "q.csv", short.R_LI)
    with open(tmp_path / "sensors.toml", "a") as file:
        file.write("[start]\nsigma_deg = 90\njoints_deg = { turn_1 = 50, turn_2 = 20, turn_3 = -40 }\n")
    assert run(*TRACK, "-o", "lost.csv").returncode == GOOD
    error = angle_between(orientations(tmp_path / "lost.csv", short.R_LI), clean)
    assert error[0] > 10.0, "one sample cannot tell the heading"
    assert error[short.t > short.t[0] + 5.0].max() < 5.0


def test_every_table_holds_the_same_angles_and_deviations(run, short, tmp_path):
    short.put(tmp_path)
    outputs = [f"q.{kind}" for kind in ("csv", "mot", "sto", "npz")]
    result = run(*TRACK, "--cov", *(word for name in outputs for word in ("-o", name)), "--report", "page.html")
    assert result.returncode == GOOD, result.stderr
    header, rows = table_of(tmp_path / "q.csv")
    first = header.index("turn_1_rad")
    assert header[first - 3 :] == [
        *("shift_z_m", "shift_y_m", "shift_x_m", "turn_1_rad", "turn_2_rad", "turn_3_rad"),
        *("shift_z_sd_m", "shift_y_sd_m", "shift_x_sd_m", "turn_1_sd_rad", "turn_2_sd_rad", "turn_3_sd_rad"),
    ]
    arrays = np.load(tmp_path / "q.npz")
    assert np.array_equal(arrays["joint_position"][:, 3], rows[:, first])
    assert np.array_equal(arrays["joint_deviation"], rows[:, -6:])
    for name in ("q.mot", "q.sto"):
        text = (tmp_path / name).read_text().split("endheader\n")[1].splitlines()
        labels = text[0].split("\t")
        assert labels[-6:] == ["shift_z_sd", "shift_y_sd", "shift_x_sd", "turn_1_sd", "turn_2_sd", "turn_3_sd"]
        values = np.array([line.split("\t") for line in text[1:]], dtype=float)
        assert np.allclose(values[:, labels.index("turn_1_sd")], np.degrees(rows[:, -3]), rtol=1e-12)
        assert np.allclose(values[:, labels.index("shift_x_sd")], rows[:, -4], rtol=1e-12)
    page = (tmp_path / "page.html").read_text()
    assert "turn_2" in page and '"name":"imu","link":"hand"' in page
    refused(run(*TRACK, "--cov", "-o", "q.bvh"), USAGE, "q.bvh", "standard deviations")


def test_a_recording_in_degrees_is_refused_by_name(run, short, tmp_path):
    rows = [[row[0], *(repr(float(x) / DEGREE) for x in row[1:4]), *row[4:]] for row in short.rows()]
    short.put(tmp_path, rows)
    refused(run(*TRACK, "-o", "q.csv"), UNUSABLE, "sensor 'imu'", "degrees per second", "gyro_x_deg_s")
    assert not (tmp_path / "q.csv").exists() and not (tmp_path / "q.csv.part").exists()
    found = run("inspect", "imu.csv")
    assert found.returncode == GOOD and "degrees per second" in " ".join(found.stdout.split())
    # and what to do is right: the same numbers under their own name
    short.put(tmp_path, rows, [name.replace("rad_s", "deg_s") for name in COLUMNS])
    assert run(*TRACK, "-o", "q.csv").returncode == GOOD


def test_accelerations_in_g_are_refused_by_name(run, short, tmp_path):
    rows = [[*row[:4], *(repr(float(x) / 9.80665) for x in row[4:7]), *row[7:]] for row in short.rows()]
    short.put(tmp_path, rows)
    refused(run(*TRACK), UNUSABLE, "sensor 'imu'", "are in g, not m/s^2", "acc_x_g")
    short.put(tmp_path, rows, [name.replace("m_s2", "g") for name in COLUMNS])
    assert run(*TRACK).returncode == GOOD


def two_sensors(short, folder, second):
    """The same sensor twice on the hand; `second` changes the cells of the other's row k."""
    rows = [[*row, *second(k, row[1:7])] for k, row in enumerate(short.rows())]
    short.put(folder, rows, [*COLUMNS, *(name.replace("imu", "twin") for name in COLUMNS[:6])])
    text = (folder / "sensors.toml").read_text()
    line = text[text.index("{") : text.index("}") + 1]
    (folder / "sensors.toml").write_text(text.replace(line, line + ", " + line.replace('"imu"', '"twin"')))


def worst_against(folder, short, clean):
    """Largest difference of two runs' orientations [deg]."""
    return angle_between(orientations(folder / "q.csv", short.R_LI), clean).max()


def test_a_dead_sensor_is_named_and_left_out(run, short, tmp_path):
    short.put(tmp_path)
    assert run(*TRACK, "-o", "q.csv").returncode == GOOD
    clean = orientations(tmp_path / "q.csv", short.R_LI)
    (tmp_path / "q.csv").unlink()
    two_sensors(short, tmp_path, lambda k, cells: ["0"] * 6)
    result = run(*TRACK, "-o", "q.csv", "--json")
    sensors = {sensor["name"]: sensor for sensor in card_of(result)["sensors"]}
    assert "sensor 'twin': its gyroscope is dead" in result.stderr and "sensor 'twin': its accelerometer is dead" in result.stderr
    assert sensors["twin"]["missing_share"] == 1.0 and sensors["twin"]["nis_gyro_mean"] is None
    assert worst_against(tmp_path, short, clean) < 1e-9, "as if it were not there"
    two_sensors(short, tmp_path, lambda k, cells: [""] * 6)
    assert "sensor 'twin' has no measurements" in run(*TRACK).stderr


def test_a_frozen_sensor_is_flagged_and_left_out_while_it_is_frozen(run, short, tmp_path):
    rows = short.rows()
    two_sensors(short, tmp_path, lambda k, cells: cells)
    assert run(*TRACK, "-o", "q.csv").returncode == GOOD
    clean = orientations(tmp_path / "q.csv", short.R_LI)
    (tmp_path / "q.csv").unlink()
    two_sensors(short, tmp_path, lambda k, cells: rows[700][1:7] if 700 <= k < 1300 else cells)  # 2.1 s
    result = run(*TRACK, "-o", "q.csv", "--json")
    sensors = {sensor["name"]: sensor for sensor in card_of(result)["sensors"]}
    assert "sensor 'twin' is frozen 1 time: unchanged values for 2.10 s from 35.45 s on" in result.stderr
    assert sensors["twin"]["frozen_s"] == pytest.approx(2.1, abs=0.01)
    assert sensors["twin"]["missing_share"] == pytest.approx(600 / len(rows), abs=1e-9)
    # reliability F07: less than half a degree more
    assert worst_against(tmp_path, short, clean) < 0.5


def test_a_bad_line_is_named(run, short, tmp_path):
    rows = short.rows()
    for change, words in (
        (lambda bad: bad[100].__setitem__(2, "nan"), ("imu.csv:102:", "'nan'", "missing value empty")),
        (lambda bad: bad[100].__setitem__(0, "12.0"), ("imu.csv:102:", "time does not increase")),
        (lambda bad: bad[100].pop(), ("imu.csv:102:", "9 cells instead of 10")),
        (lambda bad: bad[100].__setitem__(4, "fast"), ("imu.csv:102:", "'imu.acc_x_m_s2'", "not a number")),
    ):
        bad = [list(row) for row in rows]
        change(bad)
        short.put(tmp_path, bad)
        refused(run(*TRACK, "-o", "q.csv"), UNUSABLE, *words)
        refused(run("inspect", "imu.csv"), UNUSABLE, *words)
        assert not list(tmp_path.glob("q.csv*"))
    short.put(tmp_path)
    text = (tmp_path / "imu.csv").read_text()
    (tmp_path / "imu.csv").write_text(text[: len(text) - 40])
    refused(run(*TRACK), UNUSABLE, f"imu.csv:{len(rows) + 1}:", "truncated")


def test_missing_readings_are_bridged_and_counted(run, short, tmp_path):
    rows = [[row[0], *([""] * 9)] if 300 <= k < 320 else row for k, row in enumerate(short.rows())]
    short.put(tmp_path, rows)
    card = card_of(run(*TRACK, "-o", "q.csv", "--json"))
    assert card["status_counts"]["no_target"] == 20
    assert card["sensors"][0]["missing_share"] == pytest.approx(20 / len(rows))
    assert len(table_of(tmp_path / "q.csv")[1]) == len(rows) - 20


def test_words_that_do_not_fit_are_refused(run, short, take, tmp_path):
    short.put(tmp_path)
    refused(run("track", "imu.csv", "--model", "carried.toml"), USAGE, "raw sensors", "--sensors")
    assert run("synthesize", "walk", "--duration", 1, "-o", "walk.bvh").returncode == GOOD
    refused(run("track", "walk.bvh", "--sensors", "sensors.toml"), USAGE, "--sensors applies to raw sensors only")
    refused(run("track", take, "--cov"), USAGE, "--cov applies to raw sensors only")
    refused(run("track", take, "--smooth"), USAGE, "--smooth applies to raw sensors only", "panto retarget --smooth")
    refused(run(*TRACK, "--smooth", "-o", "udp://127.0.0.1:7000"), USAGE, "udp://127.0.0.1:7000", "whole recording")
    refused(run(*TRACK, "--solver", "pairwise"), USAGE, "--solver has no effect: '")
    refused(run(*TRACK, "--height", "1.8"), USAGE, "--height")
    refused(run("retarget", "imu.csv", "--robot", "icub"), USAGE, "raw sensors", "--sensors")
    sensors = (tmp_path / "sensors.toml").read_text()
    (tmp_path / "sensors.toml").write_text(sensors.replace('"hand"', '"hnad"'))
    refused(run(*TRACK), USAGE, "sensor 'imu'", "hnad", "did you mean 'hand'?")
    (tmp_path / "sensors.toml").write_text(sensors.replace('"imu"', '"wrist"'))
    refused(run(*TRACK), USAGE, "no sensor 'wrist' in the recording")
    (tmp_path / "sensors.toml").write_text(sensors.replace("wobble", "wabble"))
    refused(run(*TRACK), UNUSABLE, "sensors.toml:", "'wabble'", "did you mean 'wobble'?")


@pytest.mark.parametrize("motion", ["reach", "conduct", "run"])
def test_quick_arms_and_runners_are_not_taken_for_degrees(motion, run, project, tmp_path):
    suit = (project / "models/chains/human_sensors.toml").read_text()
    (tmp_path / "suit.toml").write_text(suit)
    words = ("--model", "human48", "--rate", 100, "--duration", 10, "--seed", 1, "--sensors", "suit.toml", "--imu", "felt.csv", "--fault", "all")
    assert run("synthesize", motion, *words).returncode == GOOD
    faults = json.loads(run("inspect", "felt.csv", "--json").stdout)["faults"]
    assert not [fault for fault in faults if fault["kind"].endswith("_unit")]


def test_inspect_names_sensors_rate_duration_and_what_is_odd(run, data_file):
    opal = data_file("inertial/opensense/apdm/imuData01.csv")
    found = json.loads(run("inspect", opal, "--json").stdout)
    assert found["format"] == "apdm csv" and found["trackable"] is True
    assert [sensor["name"] for sensor in found["sensors"]] == ["Static", "Upper", "Middle", "Lower"]
    assert found["rate_hz"] == 128 and found["duration_s"] == pytest.approx(1023 / 128, abs=1e-3)
    text = run("inspect", opal, "--verbose").stdout
    assert "128 Hz" in text and "Upper" in text and "magnetometer" in text
    assert max(map(len, text.splitlines()[2:])) <= 80
    walk = run("inspect", data_file("inertial/opensense/example_lowerbody"), "--verbose")
    assert walk.returncode == GOOD and walk.stdout.count("in the median") == 8 and "100 Hz" in walk.stdout


def test_human48_takes_sensors_and_isb_angles(run, data_file, tmp_path):
    """Fifteen sensors of a real walk: every frame is answered."""
    names = {"hip": "Pelvis", "upper_back": "T8", "head": "Head"}
    for side, word in (("left", "Left"), ("right", "Right")):
        links = {"upper_leg": "UpperLeg", "lower_leg": "LowerLeg", "foot": "Foot", "upper_arm": "UpperArm", "forearm": "ForeArm", "hand": "Hand"}
        names |= {f"{name}_{side}": word + link for name, link in links.items()}
    tables = {name: np.loadtxt(data_file(f"inertial/qmt_fullbody/{name}.csv"), delimiter=",", skiprows=1)[:300] for name in names}
    header = ["time_s"] + [f"{name}.{what}_{axis}_{unit}" for name in names for what, unit in (("gyro", "rad_s"), ("acc", "m_s2")) for axis in "xyz"]
    rows = np.column_stack([tables["hip"][:, :1], *(table[:, 1:7] for table in tables.values())])
    (tmp_path / "walk.csv").write_text("\n".join([",".join(header), *(",".join(map(repr, row)) for row in rows.tolist())]) + "\n")
    mounts = ",\n".join(f'  {{ name = "{name}", link = "{link}" }}' for name, link in names.items())
    (tmp_path / "sensors.toml").write_text(f'kind = "sensors"\nversion = 1\nsensors = [\n{mounts}\n]\n[start]\nsigma_deg = 90\n')
    result = run("track", "walk.csv", "--model", "human48", "--sensors", "sensors.toml", "--angles", "isb", "-o", "q.sto", "--json")
    card = card_of(result)
    assert card["frames"] == card["status_counts"]["solved"] == 300
    assert card["allocations"] in (0, None)
    assert len(card["sensors"]) == 15
    assert (tmp_path / "q.sto").read_text().count("\n") > 300
