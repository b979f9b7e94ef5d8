"""What are the joint angles of the person in a clip?     01_track_a_clip.py [RECORDING [ANGLES]]"""

import pathlib
import sys

import numpy as np

import panto

DATA = pathlib.Path(__file__).parent / "data"


def main(path=DATA / "walk.bvh", output=None):
    result = panto.track(path)
    motion = result.motion
    knee = np.degrees(motion.joint_positions[:, motion.joint_names.index("jRightKnee_roty")])
    print(f"{len(motion)} frames at {motion.rate_hz:.0f} Hz, {len(motion.joint_names)} joint angles each")
    print(f"right knee: {knee.min():.1f} to {knee.max():.1f} degrees")
    print(f"99 % of the orientations are within {result.figures['angle_p99_deg']:.4f} degrees of the clip's")
    print(result.verdict.sentence)
    if output:
        motion.save(output)
    return 0 if result.verdict.good else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
