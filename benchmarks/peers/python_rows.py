#!/usr/bin/env python3
"""Libraries that are Python to their users: prints one JSON object.

Usage: python_rows.py DATA WORK SCENE PEER [STEPS]      PEER: pink, mink, placo, quadprog

Each follows the scene's samples in a loop of its own, with the targets set, one solution asked for and the state advanced
as its documentation does it. Their law corrects the whole pose error in one step and knows no feed-forward. The time is
that of the whole call, Python included. `quadprog` is the solver alone, on the quadratic program that the other solvers of
the table are given.
"""
import importlib.metadata
import json
import os
import pathlib
import sys
import time

import numpy
from material import Scene, angle, links, percentiles


class Pink:
    """Pink on Pinocchio, the quadratic programs by DAQP."""

    def __init__(self, scene, work):
        import pink
        import pinocchio

        self.pink, self.pinocchio = pink, pinocchio
        self.model = pinocchio.buildModelFromUrdf(str(scene.urdf), pinocchio.JointModelFreeFlyer())
        data = self.model.createData()
        q = pinocchio.neutral(self.model)
        q[:3] = scene.base_p[0]
        q[3:7] = pinocchio.Quaternion(scene.base_R[0]).coeffs()
        for name, value in zip(scene.joints, scene.s[0]):
            q[self.model.joints[self.model.getJointId(name)].idx_q] = value
        self.configuration = pink.Configuration(self.model, data, q)
        self.tasks = [
            pink.tasks.FrameTask(row["link"], position_cost=numpy.sqrt(row["position_weight"]), orientation_cost=numpy.sqrt(row["orientation_weight"]))
            for row in scene.rows
        ]

    def step(self, R, p, dt):
        for task, R_row, p_row in zip(self.tasks, R, p):
            task.set_target(self.pinocchio.SE3(R_row, p_row))
        velocity = self.pink.solve_ik(self.configuration, self.tasks, dt, solver="daqp", damping=1e-12, safety_break=False)
        self.configuration.integrate_inplace(velocity, dt)

    def rotations(self):
        return numpy.array([self.configuration.get_transform_frame_to_world(task.frame).rotation for task in self.tasks])


class Mink:
    """mink on MuJoCo, the quadratic programs by DAQP."""

    def __init__(self, scene, work):
        import mink
        import mujoco

        self.mink = mink
        file = pathlib.Path(work) / f"{scene.name}.xml"
        file.write_text(mjcf(scene))
        self.model = mujoco.MjModel.from_xml_path(str(file))
        self.configuration = mink.Configuration(self.model)
        q = self.configuration.q.copy()
        q[:3] = scene.base_p[0]
        mujoco.mju_mat2Quat(q[3:7], scene.base_R[0].flatten())
        for name, value in zip(scene.joints, scene.s[0]):
            q[self.model.joint(name).qposadr[0]] = value
        self.configuration.update(q)
        self.links = [row["link"] for row in scene.rows]
        self.tasks = [
            mink.FrameTask(row["link"], "body", position_cost=numpy.sqrt(row["position_weight"]), orientation_cost=numpy.sqrt(row["orientation_weight"]))
            for row in scene.rows
        ]
        self.limits = [mink.ConfigurationLimit(self.model), mink.VelocityLimit(self.model, dict(zip(scene.joints, scene.speed)))]

    def step(self, R, p, dt):
        for task, R_row, p_row in zip(self.tasks, R, p):
            rotation = self.mink.SO3.from_matrix(R_row)
            task.set_target(self.mink.SE3.from_rotation_and_translation(rotation, p_row))
        velocity = self.mink.solve_ik(self.configuration, self.tasks, dt, "daqp", damping=1e-12, limits=self.limits)
        self.configuration.integrate_inplace(velocity, dt)

    def rotations(self):
        return numpy.array([self.configuration.get_transform_frame_to_world(link, "body").as_matrix()[:3, :3] for link in self.links])


class Placo:
    """PlaCo on Pinocchio, the quadratic programs by eiquadprog; its loop is C++ behind one Python call."""

    def __init__(self, scene, work):
        import placo

        self.robot = placo.RobotWrapper(str(scene.urdf), placo.Flags.ignore_collisions)
        self.solver = placo.KinematicsSolver(self.robot)
        self.solver.dt = scene.dt
        self.solver.enable_joint_limits(True)
        self.solver.enable_velocity_limits(True)
        pose = numpy.eye(4)
        pose[:3, :3], pose[:3, 3] = scene.base_R[0], scene.base_p[0]
        self.robot.set_T_world_fbase(pose)
        for name, value, speed in zip(scene.joints, scene.s[0], scene.speed):
            self.robot.set_joint(name, value)
            self.robot.set_velocity_limit(name, speed)
        self.robot.update_kinematics()
        self.links, self.tasks = [row["link"] for row in scene.rows], []
        for row in scene.rows:
            orientation = self.solver.add_orientation_task(row["link"], self.robot.get_T_world_frame(row["link"])[:3, :3])
            orientation.configure(row["link"], "soft", row["orientation_weight"])
            position = None
            if row["position_weight"] > 0.0:
                position = self.solver.add_position_task(row["link"], self.robot.get_T_world_frame(row["link"])[:3, 3])
                position.configure(row["link"] + "_p", "soft", row["position_weight"])
            self.tasks.append((orientation, position))

    def step(self, R, p, dt):
        for (orientation, position), R_row, p_row in zip(self.tasks, R, p):
            orientation.R_world_frame = R_row
            if position is not None:
                position.target_world = p_row
        self.solver.solve(True)
        self.robot.update_kinematics()

    def rotations(self):
        return numpy.array([self.robot.get_T_world_frame(link)[:3, :3] for link in self.links])


def mjcf(scene):
    """The model in MuJoCo's own format: URDF has no free base there."""
    tree = links(scene.urdf)
    children = {}
    for link in tree:
        children.setdefault(link.parent, []).append(link)
    limits = {name: (low, high) for name, low, high in zip(scene.joints, scene.lower, scene.upper)}
    inertia = '<inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/>'

    def body(link):
        low, high = limits[link.name]
        axis = " ".join("1" if i == link.axis else "0" for i in range(3))
        return (
            f'<body name="{link.child}" pos="{" ".join(map(repr, map(float, link.p)))}">'
            f'<joint name="{link.name}" axis="{axis}" limited="true" range="{low} {high}"/>{inertia}'
            + "".join(map(body, children.get(link.child, [])))
            + "</body>"
        )

    (root,) = set(children) - {link.child for link in tree}
    inside = "".join(map(body, children[root]))
    return f'<mujoco><compiler angle="radian"/><worldbody><body name="{root}"><freejoint/>{inertia}{inside}</body></worldbody></mujoco>'


class Quadprog:
    """Goldfarb and Idnani's method on the problem of one step."""

    def __init__(self, scene, work):
        import pinocchio
        import quadprog

        self.solve_qp, self.pinocchio, self.scene = quadprog.solve_qp, pinocchio, scene
        self.model = pinocchio.buildModelFromUrdf(str(scene.urdf), pinocchio.JointModelFreeFlyer())
        self.data = self.model.createData()
        self.frames = [self.model.getFrameId(row["link"]) for row in scene.rows]
        self.order = [self.model.joints[self.model.getJointId(name)].idx_v for name in scene.joints]
        n = self.model.nv
        C = numpy.zeros((n, 2 * (n - 6)))
        C[6:, : n - 6], C[6:, n - 6 :] = numpy.eye(n - 6), -numpy.eye(n - 6)
        self.C = C
        self.q = pinocchio.neutral(self.model)
        self.q[:3] = scene.base_p[0]
        self.q[3:7] = pinocchio.Quaternion(scene.base_R[0]).coeffs()
        for name, value in zip(scene.joints, scene.s[0]):
            self.q[self.model.joints[self.model.getJointId(name)].idx_q] = value

    def program(self, step):
        scene, pin = self.scene, self.pinocchio
        gain = (1.0 - numpy.exp(-scene.gain * scene.dt)) / scene.dt
        pin.computeJointJacobians(self.model, self.data, self.q)
        pin.updateFramePlacements(self.model, self.data)
        J, wanted = [], []
        for j, (frame, row) in enumerate(zip(self.frames, scene.rows)):
            pose = self.data.oMf[frame]
            jacobian = pin.getFrameJacobian(self.model, self.data, frame, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
            r = 0.5 * numpy.cross(pose.rotation.T, scene.R[step - 1, j].T).sum(axis=0)
            J.append(jacobian[3:])
            wanted.append(0.5 * (scene.w[step - 1, j] + scene.w[step, j]) + gain * r)
            if row["position_weight"] > 0.0:
                root = numpy.sqrt(row["position_weight"])
                J.append(root * jacobian[:3])
                wanted.append(root * (0.5 * (scene.v[step - 1, j] + scene.v[step, j]) + gain * (scene.p[step - 1, j] - pose.translation)))
        J, wanted = numpy.vstack(J), numpy.concatenate(wanted)
        s = numpy.empty(len(self.order))
        for i, column in enumerate(self.order):
            s[i] = self.q[column + 1]
        k = numpy.minimum(scene.tanh_gain, 1.0 / (scene.speed * scene.dt))
        upper = scene.speed * numpy.tanh(k * (scene.upper - s))
        lower = -scene.speed * numpy.tanh(k * (s - scene.lower))
        b = numpy.empty(2 * len(s))
        for i, column in enumerate(self.order):
            b[column - 6], b[len(s) + column - 6] = lower[i], -upper[i]
        return J.T @ J, J.T @ wanted, b

    def timed(self, step):
        H, a, b = self.program(step)
        start = time.perf_counter_ns()
        velocity = self.solve_qp(H, a, self.C, b)[0]
        elapsed = time.perf_counter_ns() - start
        self.q = self.pinocchio.integrate(self.model, self.q, self.scene.dt * velocity)
        self.pinocchio.framesForwardKinematics(self.model, self.data, self.q)
        return elapsed

    def rotations(self):
        return numpy.array([self.data.oMf[frame].rotation for frame in self.frames])


PEERS = {"pink": (Pink, "pin-pink"), "mink": (Mink, "mink"), "placo": (Placo, "placo"), "quadprog": (Quadprog, "quadprog")}


def main(data, work, name, kind, steps):
    scene = Scene(data, name)
    pathlib.Path(work).mkdir(parents=True, exist_ok=True)
    try:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    except (AttributeError, OSError):
        pass
    make, package = PEERS[kind]
    peer = make(scene, work)
    times, angles = [], []
    for step in range(1, min(steps, scene.steps)):
        if kind == "quadprog":
            times.append(peer.timed(step))
        else:
            start = time.perf_counter_ns()
            peer.step(scene.R[step], scene.p[step], scene.dt)
            times.append(time.perf_counter_ns() - start)
        if scene.settled(step):
            angles.append(float(angle(scene.R[step], peer.rotations()).mean()))
    p50, p99 = percentiles(times)
    print(json.dumps({
        "kind": kind, "version": importlib.metadata.version(package), "steps": len(times), "p50_us": p50 / 1e3, "p99_us": p99 / 1e3,
        "angle_mean_deg": float(numpy.degrees(numpy.mean(angles))) if angles else None,
    }))


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5]) if len(sys.argv) > 5 else 600)
