"""What is in this robot's motion of another program, is it good, and how do I use it?     11_motion_of_another_program.py [MOTION]"""

import pathlib
import sys
import tempfile

import panto

DATA = pathlib.Path(__file__).parent / "data"


def main(path=None):
    with tempfile.TemporaryDirectory() as folder:
        if path is None:  # makes one, as GMR writes it
            path = pathlib.Path(folder, "walk.pkl")
            panto.retarget(DATA / "walk.bvh", "unitree_g1").motion.save(path, layout="gmr")
        read = panto.open_motion(path)  # nothing in a pickle runs
        print(read)
        for fact in read.told:
            print(f"{fact.what:12s} {fact.value:28s} {fact.certainty:8s} {fact.reason}")
        print(read.judge().verdict.sentence)
        read.motion.save(pathlib.Path(folder, "motion.npz"), layout="mjlab")
        other = panto.retarget(read.person(), "unitree_h1")  # onto another robot
        print(f"unitree_h1: {len(other.motion)} frames")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
