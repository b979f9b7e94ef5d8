"""How does Panto work where there is no file, as behind a web service?     10_bytes_without_files.py [BVH]"""

import pathlib
import sys

import panto

DATA = pathlib.Path(__file__).parent / "data"


def main(path=DATA / "walk.bvh"):
    received = pathlib.Path(path).read_bytes()  # stands for an upload; the names below only give the format
    motion = panto.retarget(panto.open(received, name="upload.bvh"), "unitree_g1").motion
    csv, npz = motion.to_bytes("answer.csv"), motion.to_bytes("answer.npz")
    print(f"{len(received)} bytes in; out: {len(csv)} bytes of .csv, {len(npz)} of .npz")
    print(f"{len(csv.splitlines())} lines for {len(motion)} frames of {len(motion.joint_names)} joints")
    try:
        panto.open(b"HIERARCHY\nROOT Hips\n{\n  OFSET 0 0 0\n", name="upload.bvh")
    except panto.FormatError as error:  # what is wrong with an upload, and where
        print("refused:", error)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
