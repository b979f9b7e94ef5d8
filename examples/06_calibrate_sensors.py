"""How do sensors sit on a person? Found from an N-pose and a T-pose, 3 s each.     06_calibrate_sensors.py [READINGS]"""

import pathlib
import sys

import panto

DATA = pathlib.Path(__file__).parent / "data"


def main(readings=DATA / "poses_imu.csv", output=None):
    calibration = panto.calibrate(readings, model="human48", poses=("npose", "tpose"))
    print(calibration)
    print(calibration.verdict.sentence)
    if output:
        calibration.save(output)  # for panto.track_sensors, as the calibration itself
    return 0 if calibration.good else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
