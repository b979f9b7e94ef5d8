"""Judges a robot's motion beside the person's: plain arrays in, one figure per row of the table out.

Nothing here knows which tool made the motion. The first half second is left out: tools may start from a pose of their own.
"""

import dataclasses

import numpy as np
import person as human
from robot import geometry_points, link_index, mujoco, sole

SKIP = 0.5  # s
LIMBS = {"thigh": ("hip", "knee"), "shank": ("knee", "ankle"), "upper arm": ("shoulder", "elbow"), "forearm": ("elbow", "wrist")}
COLLAPSED, COLLAPSE_LASTS = 60.0, 0.5  # deg, s
DASH = 1.0  # m/s faster than the person
UNDER_SOLE, UNDER_BODY = 0.005, 0.010  # m
TOUCH, OVERLAP = 0.002, 0.010  # m: shapes that touch in the neutral pose are not counted; deeper counts
COLLISION_RATE = 15.0  # Hz


def unit(v):
    return v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-12)


def angle(a, b):
    """Angle between directions [deg]."""
    return np.degrees(np.arctan2(np.linalg.norm(np.cross(a, b), axis=-1), (a * b).sum(-1)))


def percentile(x, p):
    return float(np.percentile(x, p)) if len(x) else float("nan")


def heading(robot_at, person_at):
    """The turn about z that lays the person's line of hips on the robot's, over the whole clip: tools choose their own north."""
    r, p = (d["left_hip"] - d["right_hip"] for d in (robot_at, person_at))
    z = (r[:, 0] + 1j * r[:, 1]) * (p[:, 0] - 1j * p[:, 1])
    yaw = np.angle(z.sum())
    yaw += np.median(np.angle(z * np.exp(-1j * yaw)))
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def turn(person, Y):
    return dataclasses.replace(person, at={k: v @ Y.T for k, v in person.at.items()}, turned={k: Y @ R for k, R in person.turned.items()})


def mean_axis(turned, directions, chosen):
    """The direction in a segment's own axes: the mean over the chosen frames, back in the world in every frame."""
    local = np.einsum("nji,nj->ni", turned, unit(directions))
    return np.einsum("nij,j->ni", turned, unit(local[chosen].mean(0) if chosen.any() else local.mean(0)))


def level(v):
    return v * [1, 1, 0]


def limb_errors(robot, track, person, contact):
    """Angle between a limb and the person's, by limb and side (n,) [deg]."""
    errors = {}
    for side in human.SIDES:
        for limb, (a, b) in LIMBS.items():
            a, b = f"{side}_{a}", f"{side}_{b}"
            if a in track.at and b in track.at:
                errors[limb, side] = angle(track.at[b] - track.at[a], person.at[b] - person.at[a])
        # the person's sole is level in the flattest fifth of its stance, or of the clip where it has none: this calibrates the foot's forward axis
        ahead = unit(person.at[f"{side}_toe"] - person.at[f"{side}_ankle"])
        on = contact[side, "ball"] | contact[side, "heel"]
        on = on if on.any() else ~on
        slope = np.abs(ahead[:, 2])
        flat = on & (slope <= np.percentile(slope[on], 20))
        forward = mean_axis(person.turned[f"{side}_ankle"], level(ahead), flat)
        foot = track.turned[:, link_index(robot.model, robot.named("foot", side))]
        errors["foot", side] = angle(foot[:, :, 0], forward)
    return errors


def joint_figures(robot, track, rate, start):
    """Limits and accelerations of joints."""
    model, position, speed, used = robot.model, [], [], []
    for j in range(model.njnt):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, j)
        if name not in robot.order:
            continue
        q = track.qpos[:, model.jnt_qposadr[j]]
        used.append(q)
        if model.jnt_limited[j]:
            low, high = model.jnt_range[j]
            position.append((q < low - 1e-3) | (q > high + 1e-3))
        speed.append(np.abs(np.diff(q)) * rate > 1.001 * robot.fastest.get(name, np.inf))
    acceleration = np.diff(np.array(used), 2, axis=1) * rate**2
    return {
        "position limits broken [% of frames]": 100 * np.any(position, axis=0)[start:].mean() if position else float("nan"),
        "speed limits broken [% of frames]": 100 * np.any(speed, axis=0)[start:].mean(),
        "joint acceleration, rms [rad/s²]": float(np.sqrt((acceleration[:, start:] ** 2).mean())),
    }


def base_figures(robot, track, person, contact, scale, start):
    """How the pelvis moves and tilts, beside the person's."""
    rate = person.rate
    base = track.place[:, link_index(robot.model, robot.table["base"])]
    speeds = [np.linalg.norm(np.diff(x, axis=0), axis=1) * rate for x in (base, scale * person.at["hips"])]
    acceleration = np.linalg.norm(np.diff(base, 2, axis=0), axis=1) * rate**2
    # the pelvis' own upward axis: vertical on average while the person is upright on both feet
    trunk = person.at["left_shoulder"] + person.at["right_shoulder"] - person.at["left_hip"] - person.at["right_hip"]
    standing = contact["left", "ball"] & contact["right", "ball"] & (angle(trunk, np.array([0, 0, 1.0])) < 20)
    up = mean_axis(person.turned["hips"], np.tile([0.0, 0, 1], (len(person), 1)), standing)
    tilt = angle(track.turned[:, link_index(robot.model, robot.table["base"])][:, :, 2], up)[start:]
    return {
        "pelvis > 1 m/s faster than the person's [% of frames]": 100 * float((speeds[0] - speeds[1] > DASH)[start:].mean()),
        "pelvis acceleration, p99 [m/s²]": percentile(acceleration[start:], 99),
        "base tilt off, median [deg]": percentile(tilt, 50),
        "base tilt off, p95 [deg]": percentile(tilt, 95),
    }


def sole_figures(robot, track, person, contact, start):
    """Skate, floating and penetration of soles; stance is the person's."""
    skate, above, under = [], [], []
    for side in human.SIDES:
        corners = sole(robot, side)
        if corners is None:
            return {}
        link = link_index(robot.model, robot.named("foot", side))
        points = track.place[:, link, None] + np.einsum("nij,kj->nki", track.turned[:, link], corners)
        middle = np.median(corners[:, 0])
        for part, chosen in (("ball", corners[:, 0] >= middle), ("heel", corners[:, 0] <= middle)):
            end = points[:, chosen].mean(1)
            on = contact[side, part]
            moving = np.linalg.norm(np.diff(end[:, :2], axis=0), axis=1) * person.rate
            skate.append(moving[(on[1:] & on[:-1])[: len(moving)] & (np.arange(len(moving)) >= start)])
            above.append(end[on & (np.arange(len(on)) >= start), 2])
        under.append(points[start:, :, 2].min(1))
    skate, above = np.concatenate(skate), np.concatenate(above)
    return {
        "skate in stance, median [mm/s]": 1e3 * percentile(skate, 50),
        "skate in stance, p95 [mm/s]": 1e3 * percentile(skate, 95),
        "soles > 5 mm under the floor [% of frames]": 100 * float((np.min(under, axis=0) < -UNDER_SOLE).mean()),
        "soles above the floor in stance, median [mm]": 1e3 * percentile(above, 50),
        "soles above the floor in stance, p95 [mm]": 1e3 * percentile(above, 95),
    }


def lowest(robot, track):
    """Height of the lowest point of all shapes, those for the eye included, (n,)."""
    worst = np.full(len(track.qpos), np.inf)
    for g in range(robot.model.ngeom):
        points, radius = geometry_points(robot.model, g)
        link = robot.model.geom_bodyid[g]
        heights = track.place[:, link, None, 2] + track.turned[:, link, 2] @ points.T
        worst = np.minimum(worst, heights.min(1) - radius)
    return worst


def touching(robot, q, depth):
    """Pairs of links whose shapes are deeper than `depth` in each other, by the depth."""
    model, data = robot.model, mujoco.MjData(robot.model)
    data.qpos[:] = q
    data.qpos[2] += 10
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_collision(model, data)
    pairs = zip(model.geom_bodyid[data.contact.geom1], model.geom_bodyid[data.contact.geom2], data.contact.dist)
    return {(min(a, b), max(a, b)): -d for a, b, d in pairs if -d > depth}


def near(model, a, b, joints=3):
    """Whether a link is at most so many joints above the other: such shapes meet by design."""
    for low, high in ((a, b), (b, a)):
        for _ in range(joints):
            low = model.body_parentid[low]
            if low == high:
                return True
    return False


def self_collisions(robot, track, rate, start):
    """Share of frames with links deeper than 10 mm in each other, by the maker's shapes for collisions [%]."""
    neutral = np.zeros(robot.model.nq)
    neutral[3] = 1
    for joint, value in robot.table.get("apart", {}).items():
        neutral[robot.model.joint(joint).qposadr[0]] = value
    ignored = set(touching(robot, neutral, 0.0))
    frames = range(start, len(track.qpos), max(1, round(rate / COLLISION_RATE)))
    hits = [any(p not in ignored and not near(robot.model, *p) for p in touching(robot, track.qpos[i], OVERLAP)) for i in frames]
    return 100 * float(np.mean(hits))


def velocity_figures(motion, start):
    """Published velocities against central differences of published positions, as a share of their rms."""

    def off(x, v):
        d = (x[2:] - x[:-2]) * motion.rate / 2
        return float(np.sqrt(((v[1:-1] - d)[start:] ** 2).mean() / max((d[start:] ** 2).mean(), 1e-12)))

    if motion.rates is None:
        return {}
    return {
        "joint rates off their positions' derivative [%]": 100 * off(motion.angles, motion.rates),
        "base velocity off its derivative [%]": 100 * off(motion.place, motion.velocity),
    }


def judge(robot, motion, track, person):
    """All figures of one motion, by the row's name."""
    frames = min(len(person), len(motion))
    person, contact = human.cut(person, frames), {k: v[:frames] for k, v in human.stance(person).items()}
    track.qpos, track.place, track.turned = track.qpos[:frames], track.place[:frames], track.turned[:frames]
    track.at = {k: v[:frames] for k, v in track.at.items()}
    person = turn(person, heading(track.at, person.at))
    rate, start = person.rate, min(round(SKIP * person.rate), frames // 4)
    errors = limb_errors(robot, track, person, contact)
    every = np.concatenate([e[start:] for (limb, _), e in errors.items() if limb != "foot"])
    result = {"limb directions off, mean [deg]": float(every.mean()), "limb directions off, p95 [deg]": percentile(every, 95)}
    for limb in (*LIMBS, "foot"):
        both = [e[start:] for (name, _), e in errors.items() if name == limb]
        result[f"{limb} off, mean [deg]"] = float(np.concatenate(both).mean()) if both else float("nan")
    fallen = [human.long_runs(e[start:] > COLLAPSED, round(COLLAPSE_LASTS * rate)) for (limb, _), e in errors.items() if limb != "foot"]
    leg = np.median(sum(np.linalg.norm(track.at[f"left_{a}"] - track.at[f"left_{b}"], axis=1) for a, b in (("hip", "knee"), ("knee", "ankle"))))
    result |= sole_figures(robot, track, person, contact, start)
    result |= base_figures(robot, track, person, contact, leg / person.leg, start)
    if robot.meshes:
        result["any part > 10 mm under the floor [% of frames]"] = 100 * float((lowest(robot, track)[start:] < -UNDER_BODY).mean())
        result["links > 10 mm in each other [% of frames]"] = self_collisions(robot, track, rate, start)
    result["limbs > 60° off for 0.5 s [times]"] = sum(int((np.diff(f.astype(int), prepend=0) == 1).sum()) for f in fallen)
    result |= joint_figures(robot, track, rate, start)
    return result | velocity_figures(motion, start)
