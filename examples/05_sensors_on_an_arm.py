"""What do two inertial sensors on an arm say about its joints, and how sure is that?     05_sensors_on_an_arm.py [READINGS MODEL SENSORS]"""

import pathlib
import sys

import numpy as np

import panto

DATA = pathlib.Path(__file__).parent / "data"


def main(readings=DATA / "arm_imu.csv", model=DATA / "arm.toml", setup=DATA / "arm_sensors.toml"):
    sensors, arm = panto.open_sensors(readings), panto.Model(model)
    result = panto.track_sensors(sensors, setup, model=arm, deviations=True)
    print(f"{len(result.motion)} samples; at the end, {result.motion.times[-1]:.2f} s:")
    for joint, angle, deviation in zip(arm.joint_names, np.degrees(result.motion.joint_positions[-1]), np.degrees(result.deviation[-1])):
        print(f"  {joint:20s} {angle:6.1f} +- {deviation:.1f} degrees")
    print(result.verdict.sentence)

    live = panto.InertialTracker(setup, sensors.names, model=arm)  # the same, one sample at a time
    answers = [live.joint_positions.copy() for row in zip(*sensors.readings()) if live.step(*row)]
    print(f"{len(answers)} live samples, other bits: {np.count_nonzero(np.array(answers) != result.motion.joint_positions)}")
    return 1 if result.verdict.grade == "unreliable" else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
