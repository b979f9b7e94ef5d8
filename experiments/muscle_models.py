"""Coordinates that `panto track --angles` writes for gait2392, Rajagopal's and Hamner's model, against OpenSim itself.

OpenSim moves each model along a smooth path of random coordinates; its bodies' orientations become a table, which Panto
tracks and writes back as coordinates. Needs `pip install opensim` (Python 3.11) and the models of
opensim-org/opensim-models in a folder: PANTO_COMMAND=... python experiments/muscle_models.py FOLDER
"""

import pathlib
import sys
import tempfile

import numpy as np
from common import Missed, panto

MODELS = {"gait2392": "gait2392_thelen2003muscle.osim", "rajagopal": "Rajagopal2016.osim", "hamner": "FullBodyModel_Hamner2010_v2_0.osim"}
BODIES = ["pelvis", "torso"] + [f"{body}_{side}" for side in "rl" for body in ("femur", "tibia", "calcn", "toes", "humerus", "radius", "hand")]
SECONDS, RATE = 6, 100
BOUND, KNEE = 0.05, 0.25  # [deg]; Rajagopal's knee turns about other axes, too


def path_of(low, high, seed, t):
    """A smooth path through the middle half of a range."""
    rng = np.random.default_rng(seed)
    middle, reach = (low + high) / 2, (high - low) / 4
    return middle + reach * np.sin(2 * np.pi * rng.uniform(0.1, 0.3) * t + rng.uniform(0, 6.28))


def moved(opensim, file):
    """The model's coordinates [deg] and bodies' quaternions (w, x, y, z) over time."""
    model = opensim.Model(str(file))
    state = model.initSystem()
    coordinates = [model.getCoordinateSet().get(i) for i in range(model.getCoordinateSet().getSize())]
    found = {model.getBodySet().get(i).getName() for i in range(model.getBodySet().getSize())}
    bodies = [body for body in BODIES if body in found]
    times = np.arange(SECONDS * RATE) / RATE
    values, turns = {}, {body: [] for body in bodies}
    free = [c for c in coordinates if not c.getName().endswith("_beta")]
    for c in free:
        most = 0.6 if c.getMotionType() == 1 else 0.2
        values[c.getName()] = path_of(max(c.getRangeMin(), -most), min(c.getRangeMax(), 2 * most), len(values), times)
    for k in range(len(times)):
        for c in free:
            c.setLocked(state, False)
            c.setValue(state, values[c.getName()][k], False)
        model.assemble(state)  # the kneecap
        model.realizePosition(state)
        for c in free:
            values[c.getName()][k] = c.getValue(state)
        for body in bodies:
            q = model.getBodySet().get(body).getTransformInGround(state).R().convertRotationToQuaternion()
            turns[body].append([q.get(i) for i in range(4)])
    return times, {c.getName(): np.degrees(values[c.getName()]) for c in free if c.getMotionType() == 1}, turns


def write_orientations(path, times, turns):
    lines = ["DataRate=%g" % RATE, "DataType=Quaternion", "version=3", "OpenSimVersion=4.6", "endheader", "time\t" + "\t".join(turns)]
    for k, t in enumerate(times):
        lines.append(f"{t:.6f}\t" + "\t".join(",".join(f"{x:.12f}" for x in turns[body][k]) for body in turns))
    path.write_text("\n".join(lines) + "\n")


def read_mot(path):
    lines = path.read_text().splitlines()
    head = lines.index("endheader")
    table = np.array([[float(word) for word in line.split("\t")] for line in lines[head + 2 :]])
    return dict(zip(lines[head + 1].split("\t"), table.T, strict=True))


def main():
    import opensim

    opensim.Logger.setLevelString("Off")
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(".")
    bad = []
    for word, name in MODELS.items():
        file = next(folder.rglob(name), None)
        if file is None:
            raise Missed(f"{name} is not below {folder}")
        times, truth, turns = moved(opensim, file)
        with tempfile.TemporaryDirectory() as work:
            write_orientations(pathlib.Path(work, "bodies.sto"), times, turns)
            panto("track", "bodies.sto", "--model", "human66", "--angles", word, "-o", "out.mot", folder=work)
            columns = read_mot(pathlib.Path(work, "out.mot"))
        errors = {}
        for column, angles in truth.items():
            # the first second, in which the model comes from rest
            errors[column] = np.abs((columns[column] - angles + 180) % 360 - 180)[RATE:].max()
        worst = sorted(errors, key=errors.get)[-3:][::-1]
        print(f"{word}: {len(errors)} angles, worst " + ", ".join(f"{column} {errors[column]:.4f} deg" for column in worst))
        bad += [column for column, error in errors.items() if error > (KNEE if word == "rajagopal" and column.startswith("knee") else BOUND)]
    if bad:
        raise Missed(f"off by more than {BOUND} deg: {bad}")


if __name__ == "__main__":
    try:
        main()
    except (Missed, ImportError) as problem:
        sys.exit(f"muscle_models: {problem}")
