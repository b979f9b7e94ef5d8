"""Raw sensors for the examples of the documents."""

import pathlib
import random
import re

CHAINS = pathlib.Path(__file__).resolve().parents[2] / "models" / "chains"


def put_still_sensors(folder, sensors_name):
    """arm.toml, imu.csv and a file of sensors: the shipped arm and five sensors on it that lie still for a second."""
    (folder / "arm.toml").write_text((CHAINS / "right_arm.toml").read_text(encoding="utf-8"), encoding="utf-8")
    sensors = (CHAINS / "right_arm_sensors.toml").read_text(encoding="utf-8")
    (folder / sensors_name).write_text(sensors, encoding="utf-8")
    names = re.findall(r'\{ name = "(\w+)"', sensors)
    columns = [f"{name}.{what}" for name in names for what in ("gyro_x_rad_s", "gyro_y_rad_s", "gyro_z_rad_s", "acc_x_m_s2", "acc_y_m_s2", "acc_z_m_s2")]
    rows, noise = [",".join(["time_s", *columns])], random.Random(1)
    for k in range(100):
        cells = [repr(noise.gauss(mean, 0.002)) for _ in names for mean in (0.0, 0.0, 0.0, 0.0, 0.0, 9.81)]
        rows.append(",".join([repr(k / 100), *cells]))
    (folder / "imu.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")


def put_held_poses(folder):
    """poses.csv: two sensors on an arm that hangs, is held out and hangs again, 3 s each; nominal.toml: where they sit."""
    names, noise = ("RightUpperArm", "RightForeArm"), random.Random(2)
    columns = [f"{name}.{what}" for name in names for what in ("gyro_x_rad_s", "gyro_y_rad_s", "gyro_z_rad_s", "acc_x_m_s2", "acc_y_m_s2", "acc_z_m_s2")]
    rows = [",".join(["time_s", *columns])]
    for k in range(1100):
        hangs, moving = k // 400 != 1, k % 400 >= 300
        means = (0.0, 0.0, 0.0, 2.0 if moving and k % 2 else 0.0, 9.81 if hangs else 0.0, 0.0 if hangs else 9.81)
        rows.append(",".join([repr(k / 100), *(repr(noise.gauss(mean, 0.002)) for _ in names for mean in means)]))
    (folder / "poses.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    sensors = ", ".join(f'{{ name = "{name}", link = "{name}" }}' for name in names)
    (folder / "nominal.toml").write_text(f'kind = "sensors"\nversion = 1\nsensors = [{sensors}]\n', encoding="utf-8")
