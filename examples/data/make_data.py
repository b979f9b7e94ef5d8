#!/usr/bin/env python3
"""Makes the recordings of this folder that the examples read, by the command itself: no recording of a real person.

    python3 examples/data/make_data.py PANTO     PANTO: the built command

wave.bvh: two waves of the right hand. arm_imu.csv: two sensors on the arm of arm.toml, which ends with the shoulder flexed by
30 and the elbow by 90 degrees. poses_imu.csv: two sensors on a person who holds an N-pose and a T-pose; they are turned
about their segments' long axes, by 25 degrees on the upper arm and by -40 on the forearm. (walk.bvh is `panto synthesize
walk`; homemade.urdf, arm.toml and arm_sensors.toml were written by hand.)
"""
import math
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BASE = ["time_s", "base_x_m", "base_y_m", "base_z_m", "base_qw", "base_qx", "base_qy", "base_qz"]
# turned by 25 and -40 degrees about y, along which arms point in the T-pose
TURNED = """kind = "sensors"
version = 1
sensors = [
  { name = "RightUpperArm", link = "RightUpperArm", position = [0, -0.15, 0], euler_xyz_deg = [0, 25, 0] },
  { name = "RightForeArm", link = "RightForeArm", position = [0, -0.15, 0], euler_xyz_deg = [0, -40, 0] },
]
"""


def rounded(path, digits):
    """Writes a file of this folder with so many digits after the point, which keeps it small."""

    def short(number):
        text = f"{float(number[0]):.{digits}f}".rstrip("0").rstrip(".")
        return "0" if text == "-0" else text

    (HERE / path.name).write_text(re.sub(r"-?\d+\.\d+(?:e-?\d+)?", short, path.read_text(encoding="utf-8")), encoding="utf-8")


def smooth(x):
    """From 0 to 1 with x, without a jump of the acceleration."""
    x = min(1.0, max(0.0, x))
    return x**3 * (10 - 15 * x + 6 * x * x)


def table(path, joints, rate, seconds, row):
    """Writes joint angles; `row` returns the seven numbers of the base and the angles at a time."""
    lines = [",".join(BASE + joints)]
    lines += [",".join(map(repr, [k / rate, *row(k / rate)])) for k in range(int(seconds * rate))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def arm(t):
    moving = smooth((t - 0.5) / 1.0) * smooth((5.5 - t) / 1.0)
    swing = [moving * math.radians(reach) * math.sin(2 * math.pi * f * t) for reach, f in ((30, 0.6), (20, 0.9), (25, 0.7), (30, 0.8), (35, 0.5))]
    end = [smooth((t - 0.5) / 4.5) * math.radians(angle) for angle in (30, 0, 0, 90, 0)]
    return [0, 0, 0, 1, 0, 0, 0, *(a + b for a, b in zip(swing, end))]


def main(panto):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def run(*arguments):
            subprocess.run([panto, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)

        run("synthesize", "wave", "--rate", 20, "--duration", 12, "-o", folder / "wave.bvh")
        rounded(folder / "wave.bvh", 2)

        joints = [f"{joint}_rad" for joint in re.findall(r'name = "(\w+)", type', (HERE / "arm.toml").read_text(encoding="utf-8"))]
        table(folder / "arm.csv", joints, 50, 6, arm)
        run("synthesize", folder / "arm.csv", "--model", HERE / "arm.toml", "--sensors", HERE / "arm_sensors.toml",
            "--imu", folder / "arm_imu.csv", "--fault", "noise", "--fault", "gyro_bias")
        rounded(folder / "arm_imu.csv", 4)

        poses = []
        for pose in ("npose", "tpose"):
            run("synthesize", pose, "--model", "human48", "--duration", 0.1, "-o", folder / f"{pose}.csv")
            lines = (folder / f"{pose}.csv").read_text(encoding="utf-8").splitlines()
            poses.append([float(cell) for cell in lines[1].split(",")[1:]])
        joints = lines[0].split(",")[8:]
        table(folder / "poses.csv", joints, 40, 9, lambda t: [a + smooth((t - 3.5) / 2) * (b - a) for a, b in zip(*poses)])
        (folder / "turned.toml").write_text(TURNED, encoding="utf-8")
        run("synthesize", folder / "poses.csv", "--model", "human48", "--sensors", folder / "turned.toml",
            "--imu", folder / "poses_imu.csv", "--fault", "noise", "--fault", "gyro_bias")
        rounded(folder / "poses_imu.csv", 4)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(str(pathlib.Path(sys.argv[1]).resolve()))
