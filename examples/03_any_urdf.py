"""Does Panto understand my robot, which it has never seen?     03_any_urdf.py [URDF [RECORDING]]"""

import pathlib
import sys

import panto

DATA = pathlib.Path(__file__).parent / "data"


def main(urdf=DATA / "homemade.urdf", path=DATA / "walk.bvh"):
    robot = panto.Robot(urdf)  # finds arms, legs, sides, forward and soles from the tree and the shapes
    print(f"{robot.name}: {robot.dof} joints, {robot.base} base")
    for note in robot.notes:
        print("note:", note)
    for joint, lower, upper in zip(robot.joint_names, robot.lower, robot.upper):
        print(f"{joint:20s} {lower:6.2f} to {upper:6.2f} rad")
    result = panto.retarget(path, robot)
    print(result.verdict)
    return 0 if result.verdict.good else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
