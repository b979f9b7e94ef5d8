"""How does a robot follow a person live, 100 times a second?"""

import pathlib
import sys
import time

import panto

DATA = pathlib.Path(__file__).parent / "data"


def suit():
    """Yields samples when they are due. Your device goes here; this one replays a walk at 100 Hz."""
    samples = panto.open(DATA / "walk.bvh").samples()
    begin = time.monotonic()
    for i in range(len(samples.times)):
        time.sleep(max(0.0, begin + i / 100.0 - time.monotonic()))
        yield i / 100.0, samples.orientations[i], samples.positions[i]


def main():
    sent = []  # your robot goes here
    live = panto.LiveRetargeter("unitree_g1", panto.open(DATA / "walk.bvh").segment_names)
    for t, orientations, positions in suit():
        if live.step(t, orientations, positions):  # 0.1 s late: `look_ahead`; on failure nothing changes
            sent.append((live.t, live.joint_positions.copy()))
    sent += [(t, live.joint_positions.copy()) for t in live.drain()]
    knee = live.robot.joint_names.index("right_knee_joint")
    for t, joints in sent[::50]:
        print(f"{t:.2f} s: right knee at {joints[knee]:.2f} rad")
    print(f"{len(sent)} of 150 samples sent")
    return 0 if len(sent) == 150 else 1


if __name__ == "__main__":
    sys.exit(main())
