"""The peer: mink solves every frame for the Unitree G1 with published task weights (mink_weights.toml says whose).

The scales are for LAFAN1's skeleton: persons of another size are brought to its legs and its floor first.
"""

import pathlib
import tomllib

import numpy as np
from motions import Motion, Unusable
from person import SIDES, Person
from robot import joint_address, mujoco

try:
    import mink
except ImportError:
    mink = None

LAFAN_LEG, LAFAN_TOE = 0.859, 0.012  # of its skeleton, and how low its toes are in most steps [m]
HERE = pathlib.Path(__file__).resolve().parent


def like_lafan(person):
    """The person with the legs and on the floor of LAFAN1's, which the weights' scales are for."""
    size = LAFAN_LEG / person.leg
    at = {joint: size * x for joint, x in person.at.items()}
    drop = np.percentile(np.minimum(at["left_toe"][:, 2], at["right_toe"][:, 2]), 10) - LAFAN_TOE
    return Person(person.rate, {joint: x - [0, 0, drop] for joint, x in at.items()}, person.turned, LAFAN_LEG, person.family)


def tasks_of(table):
    for task in table["task"]:
        for side in SIDES if "{s}" in task["link"] else ("",):
            yield {key: value.format(s=side) if isinstance(value, str) else value for key, value in task.items()}


def quaternion(R):
    q = np.zeros(4)
    mujoco.mju_mat2Quat(q, R.ravel())
    return q


def rotation(q):
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, np.array(q, float) / np.linalg.norm(q))
    return R.reshape(3, 3)


def solve(configuration, tasks, table, limits):
    """GMR's loop: steps until the error falls by less than `progress`."""

    def error():
        return np.linalg.norm(np.concatenate([task.compute_error(configuration) for task in tasks]))

    dt, before = configuration.model.opt.timestep, error()
    for _ in range(table["iterations"] + 1):
        velocity = mink.solve_ik(configuration, tasks, dt, "daqp", table["damping"], limits=limits)
        configuration.integrate_inplace(velocity, dt)
        after = error()
        if before - after <= table["progress"]:
            return
        before = after


def retarget(robot, person):
    """The motion that mink gives."""
    if mink is None:
        raise Unusable("mink is missing; `tools/setup.sh experiments` installs it")
    table = tomllib.loads((HERE / "mink_weights.toml").read_text(encoding="utf-8"))
    if person.family not in table["turns"]:
        raise Unusable(f"mink_weights.toml does not say how the axes of a {person.family} skeleton lie in its segments")
    configuration, limits = mink.Configuration(robot.model), [mink.ConfigurationLimit(robot.model)]
    if abs(person.leg - LAFAN_LEG) > 0.01:
        person = like_lafan(person)
    turns = {joint: rotation(q) for joint, q in table["turns"][person.family].items()}
    ratio, wanted, stages = table["height"] / table["height_assumed"], [], ([], [])
    root = person.at["hips"]
    for task in tasks_of(table):
        source = task.get("turned", task["joint"])
        places = ratio * (table["task"][0]["scale"] * root + task["scale"] * (person.at[task["joint"]] - root))
        wanted.append((places, person.turned[source] @ turns[source.split("_")[-1]]))
        for stage, key in zip(stages, ("first", "second")):
            place, attitude = task[key]
            stage.append(mink.FrameTask(task["link"], "body", position_cost=place, orientation_cost=attitude, lm_damping=table["lm_damping"]))
    q = np.zeros((len(person), robot.model.nq))
    for i in range(len(person)):
        for k, (places, attitudes) in enumerate(wanted):
            goal = mink.SE3.from_rotation_and_translation(mink.SO3(quaternion(attitudes[i])), places[i])
            for stage in stages:
                stage[k].set_target(goal)
        for stage in stages:
            solve(configuration, stage, table, limits)
        q[i] = configuration.q
    angles = np.stack([q[:, joint_address(robot.model, name)] for name in robot.order], axis=1)
    return Motion(person.rate, q[:, :3], q[:, 3:7], angles, robot.order)
