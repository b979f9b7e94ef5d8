"""How does a robot that is weaker than a person imitate gestures, slower where it must, but whole?     07_imitate_gestures.py [RECORDING [ROBOT]]"""

import pathlib
import sys

import panto

DATA = pathlib.Path(__file__).parent / "data"


def main(path=DATA / "wave.bvh", robot="olivia17"):
    gestures = panto.imitate(path, robot)
    for number, gesture in enumerate(gestures, 1):
        times = gesture.motion.times
        print(f"gesture {number} of {len(gestures)}: {len(gesture.motion)} frames, {times[-1] - times[0]:.2f} s, {gesture.figures['velocity_violations']} of them too fast")
        print(f"  {gesture.verdict.sentence}")
    return 0 if all(gesture.verdict.good for gesture in gestures) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
