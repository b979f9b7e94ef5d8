"""How does a robot that ships with Panto repeat a clip, without its feet sliding?     02_retarget_to_a_robot.py [RECORDING [ROBOT [OUTPUT]]]"""

import pathlib
import sys

import panto

DATA = pathlib.Path(__file__).parent / "data"


def main(path=DATA / "walk.bvh", name="unitree_g1", output=None):
    result = panto.retarget(path, name, feet="plant")  # the default; "soft" and "off" are the others
    figures = result.figures
    print(f"{name}: {len(result.motion)} frames, {len(result.motion.joint_names)} joints")
    print(f"stance feet slide at {figures['foot_skate_median_mm_s']:.2f} mm/s (median)")
    print(f"joints outside their limits: {figures['limit_violations']}, too fast: {figures['velocity_violations']}")
    print(result.verdict)
    if output:
        result.motion.save(output)
    return 0 if result.verdict.good else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
