"""One step of dynamical inverse kinematics, densely: theory 1.4 - 1.7, decisions 3 - 5.

A sample maps a link's name to what was measured of it: R [3 x 3], p [m], w [rad/s], v [m/s], each only where valid.
"""

from dataclasses import dataclass, field

import numpy as np

from . import bounded_least_squares, so3

# local damping (decision 3)
DETERMINED, UNDETERMINED, REST_RATE = 1e-6, 1e-4, 1.0
SINGULAR, SINGULAR_BELOW, REGULAR_ABOVE = 1e-2, 0.05, 0.3
MAX_EXTRAPOLATION = 0.05  # [s]


@dataclass
class State:
    """Where the model is: stamp [ns], base pose, joints."""

    t_ns: int
    p_WB: np.ndarray
    R_WB: np.ndarray
    s: np.ndarray


@dataclass
class Compound:
    """Up to three revolute joints in series through one point: one anatomical joint."""

    joints: list
    spherical: bool = False  # three, neighbours perpendicular
    ball: bool = False  # spherical, and no joint has a limit

    @property
    def child(self):
        return self.joints[-1].child


@dataclass
class Answer:
    """The velocities of one step."""

    v_WB: np.ndarray
    w_WB: np.ndarray
    twist: dict = field(default_factory=dict)  # angular velocity of every link
    rate: dict = field(default_factory=dict)  # by joint; balls have none
    bounds: dict = field(default_factory=dict)  # of the rates
    held: set = field(default_factory=set)  # joints at a bound


def orientation_residual(R_target, R):
    """vee(sk(R_target R^T)), world axes; beyond 150 degrees it keeps the length sin(150 deg)."""
    E = R_target @ R.T
    r = so3.vee(E - E.T) / 2.0
    if (np.trace(E) - 1.0) / 2.0 > np.cos(np.radians(150.0)):
        return r
    axis = so3.log(E)
    return 0.5 * axis / np.linalg.norm(axis)


def triple_damping(det):
    """0 where the axes are well apart, rising by a C1 cubic to 1e-2 where they nearly share a plane."""
    x = np.clip((REGULAR_ABOVE - abs(det)) / (REGULAR_ABOVE - SINGULAR_BELOW), 0.0, 1.0)
    return SINGULAR * x * x * (3.0 - 2.0 * x)


class Dynamical:
    """The method on one model; `targets` maps a link to its weights and gains."""

    def __init__(self, model, targets, rest):
        self.model, self.targets, self.rest = model, targets, np.array(rest)
        self.compounds = self._find_compounds()
        self.previous = None

    # --- structure

    def _find_compounds(self):
        model, found = self.model, []
        todo = [model.root]
        while todo:
            link = todo.pop()
            for joint in model.below[link]:
                chain = [joint]
                while len(chain) < 3 and self._continues(chain[-1]):
                    chain.append(model.below[chain[-1].child][0])
                todo.append(chain[-1].child)
                if joint.movable:
                    found.append(self._compound(chain))
        return found

    def _continues(self, joint):
        """The next joint turns about the same point, and nothing else hangs or is asked in between."""
        below = self.model.below[joint.child]
        revolute = ("revolute", "continuous")
        return (
            joint.kind in revolute
            and len(below) == 1
            and joint.child not in self.targets
            and below[0].kind in revolute
            and np.linalg.norm(below[0].p) < 1e-9
        )

    def _compound(self, chain):
        model = self.model
        axes = [joint.axis for joint in chain]
        perpendicular = all(abs(axes[i] @ chain[i + 1].R @ axes[i + 1]) < 1e-9 for i in range(len(chain) - 1))
        spherical = len(chain) == 3 and perpendicular
        limits = [limit for j in chain for limit in (-j.lower, j.upper, j.speed)]
        return Compound(chain, spherical, spherical and all(np.isinf(limits)))

    # --- the problem of one step

    def _feed_forward(self, now, before, pose, rate, dt):
        """Mean velocity of the interval: of the rates at both ends if it is short, else of the poses, else the one rate."""
        if rate in now and rate in before and dt <= MAX_EXTRAPOLATION:
            return (now[rate] + before[rate]) / 2.0
        if pose in now and pose in before:
            return so3.log(now["R"] @ before["R"].T) / dt if pose == "R" else (now["p"] - before["p"]) / dt
        return min(1.0, MAX_EXTRAPOLATION / dt) * now[rate] if rate in now else np.zeros(3)

    def wanted(self, link, sample, h, dt):
        """Corrected velocities v* = v + K_eff r of a link: (angular, linear), None where nothing is asked."""
        now, before, asked = sample[link], (self.previous or {}).get(link, {}), self.targets[link]
        angular = linear = None
        if "R" in now and asked["orientation_weight"] > 0.0:
            w = self._feed_forward(now, before, "R", "w", dt)
            # residual of the same interval: against the sample before, or the model moved along to this one
            r = orientation_residual(before["R"], h.R[link]) if "R" in before else orientation_residual(now["R"], so3.exp(w * dt) @ h.R[link])
            angular = w + (1.0 - np.exp(-asked["orientation_gain"] * dt)) / dt * r
        if "p" in now and asked["position_weight"] > 0.0:
            v = self._feed_forward(now, before, "p", "v", dt)
            r = before["p"] - h.p[link] if "p" in before else now["p"] - (h.p[link] + v * dt)
            linear = v + (1.0 - np.exp(-asked["position_gain"] * dt)) / dt * r
        return angular, linear

    def _columns(self, h):
        """Unknowns: (joint or compound, axis in the world, origin); the base's six come first."""
        columns = []
        for compound in self.compounds:
            if compound.ball:
                origin = h.origin[compound.joints[0].name]
                columns += [(compound, axis, origin) for axis in np.eye(3)]
            else:
                columns += [(joint, h.axis[joint.name], h.origin[joint.name]) for joint in compound.joints]
        return columns

    def jacobian(self, link, h, columns):
        """Rows linear, angular, of the link's origin in world axes."""
        on_path = {joint.name for joint in self.model.path(link)}
        J = np.zeros((6, 6 + len(columns)))
        J[:3, :3] = J[3:, 3:6] = np.eye(3)
        J[:3, 3:6] = -so3.hat(h.p[link] - h.p[self.model.root])
        for i, (unknown, axis, origin) in enumerate(columns):
            joint = unknown.joints[-1] if isinstance(unknown, Compound) else unknown
            if joint.name not in on_path:
                continue
            if joint.kind == "prismatic":
                J[:3, 6 + i] = axis
            else:
                J[:3, 6 + i], J[3:, 6 + i] = np.cross(axis, h.p[link] - origin), axis
        return J

    def _damping(self, compound, h, s, oriented):
        """(lambda, reference) of each of a compound's unknowns."""
        dofs = [self.model.dof[joint.name] for joint in compound.joints]
        count = len(dofs)
        if compound.child in oriented:
            if compound.ball:
                return [(0.0, 0.0)] * count
            if compound.spherical:
                axes = np.array([h.axis[joint.name] for joint in compound.joints])
                return [(triple_damping(np.linalg.det(axes)), 0.0)] * count
            return [(DETERMINED, 0.0)] * count
        if compound.ball:
            # towards the rest orientation: log of what is missing, from the parent's axes to the world's
            parent = h.R[compound.joints[0].parent]
            missing = so3.log(self._turn(compound, self.rest) @ self._turn(compound, s).T)
            return [(UNDETERMINED, REST_RATE * value) for value in parent @ missing]
        return [(UNDETERMINED, REST_RATE * (self.rest[dof] - s[dof])) for dof in dofs]

    def _turn(self, compound, s):
        """Orientation of the compound's child in its parent."""
        R = np.eye(3)
        for joint in compound.joints:
            R = R @ joint.R @ so3.about(joint.axis, s[self.model.dof[joint.name]])
        return R

    def _bounds(self, columns, s, dt):
        """Exact law: v <= d/dt; from outside back, not faster than the speed limit."""
        lower, upper = np.full(len(columns), -np.inf), np.full(len(columns), np.inf)
        for i, (unknown, _, _) in enumerate(columns):
            if isinstance(unknown, Compound):
                continue
            value = s[self.model.dof[unknown.name]]
            lower[i] = min(max(-unknown.speed, (unknown.lower - value) / dt), unknown.speed)
            upper[i] = max(min(unknown.speed, (unknown.upper - value) / dt), -unknown.speed)
        return lower, upper

    def velocities(self, state, sample, dt):
        """nu: weighted least squares with damping under bounds."""
        h = self.model.pose(state.p_WB, state.R_WB, state.s)
        columns = self._columns(h)
        A, b, oriented, base_position = [], [], set(), False
        for link in sample:
            angular, linear = self.wanted(link, sample, h, dt)
            J = self.jacobian(link, h, columns)
            if angular is not None:
                root = np.sqrt(self.targets[link]["orientation_weight"])
                A.append(root * J[3:])
                b.append(root * angular)
                oriented.add(link)
            if linear is not None:
                root = np.sqrt(self.targets[link]["position_weight"])
                A.append(root * J[:3])
                b.append(root * linear)
                base_position |= link == self.model.root
        base = [0.0 if base_position else UNDETERMINED] * 3 + [0.0 if self.model.root in oriented else UNDETERMINED] * 3
        damping = [(value, 0.0) for value in base]
        for compound in self.compounds:
            damping += self._damping(compound, h, state.s, oriented)
        roots = np.sqrt([value for value, _ in damping])
        A.append(np.diag(roots))
        b.append(roots * [reference for _, reference in damping])
        lower, upper = self._bounds(columns, state.s, dt)
        free = np.full(6, np.inf)
        nu, held = bounded_least_squares.solve(
            np.vstack(A), np.concatenate(b), np.concatenate([-free, lower]), np.concatenate([free, upper])
        )
        answer = Answer(nu[:3], nu[3:6])
        for link in self.model.links:
            answer.twist[link] = self.jacobian(link, h, columns)[3:] @ nu
        for i, (unknown, _, _) in enumerate(columns):
            if not isinstance(unknown, Compound):
                answer.rate[unknown.name] = nu[6 + i]
                answer.bounds[unknown.name] = (lower[i], upper[i])
                if held[6 + i]:
                    answer.held.add(unknown.name)
        return h, answer

    # --- integration

    def _nearest_angles(self, compound, R, near):
        """Angles of three perpendicular joints that turn the child by R, on the branch nearest to `near`."""
        first, second, third = compound.joints
        a1, a3 = first.axis, third.axis
        # axis 2 at s1 = 0 is v; with u = v x a1 axis 3 is cos(x) a1 + sin(x) u there, x = s2 + zero, and turns with s1
        v = second.R @ second.axis
        u = np.cross(v, a1)
        axis3 = second.R @ third.R @ a3
        zero = np.arctan2(axis3 @ u, axis3 @ a1)
        wanted = first.R.T @ R @ a3
        across = np.cross(a1, u)
        side = np.cross(a3, np.eye(3)[np.argmin(np.abs(a3))])
        side /= np.linalg.norm(side)
        candidates = []
        for sign in (1.0, -1.0):
            s1 = np.arctan2(sign * (wanted @ across), sign * (wanted @ u))
            s2 = np.arctan2(sign * np.hypot(wanted @ across, wanted @ u), wanted @ a1) - zero
            left = (first.R @ so3.about(a1, s1) @ second.R @ so3.about(second.axis, s2) @ third.R).T @ R
            s3 = np.arctan2(so3.vee(left - left.T) @ a3 / 2.0, side @ left @ side)
            angles = np.array([s1, s2, s3])
            candidates.append(angles + 2.0 * np.pi * np.round((near - angles) / (2.0 * np.pi)))
        return min(candidates, key=lambda angles: np.sum((angles - near) ** 2))

    def integrate(self, state, h, answer, dt):
        """The pose after dt: rotations on SO(3), everything else by its rate."""
        model = self.model
        R_WB = so3.polar(so3.exp(answer.w_WB * dt) @ state.R_WB)
        s = state.s.copy()
        turned = {model.root: R_WB}
        for compound in self.compounds:  # proximal first
            dofs = [model.dof[joint.name] for joint in compound.joints]
            angles = None
            if compound.spherical:
                child = so3.exp(answer.twist[compound.child] * dt) @ h.R[compound.child]
                R_PC = turned[compound.joints[0].parent].T @ child
                angles = self._read_back(compound, R_PC, state.s[dofs], answer, dt)
            if angles is None:
                angles = state.s[dofs] + dt * np.array([answer.rate[joint.name] for joint in compound.joints])
                angles = angles.clip(model.lower[dofs], model.upper[dofs])
            s[dofs] = angles
            turned[compound.child] = turned[compound.joints[0].parent] @ self._turn(compound, s)
        return State(0, state.p_WB + answer.v_WB * dt, R_WB, s)

    def _read_back(self, compound, R_PC, before, answer, dt):
        """Angles of a triple that turned as one; None where it has to move by its rates instead.

        That is where a joint is held, where the angles would go further than the bounds of their rates allow (the three
        differ to second order), and near gimbal lock, where the angles of an orientation are arbitrary.
        """
        if compound.ball:
            return self._nearest_angles(compound, R_PC, before)
        names = [joint.name for joint in compound.joints]
        if answer.held.intersection(names):
            return None
        angles = self._nearest_angles(compound, R_PC, before + dt * np.array([answer.rate[name] for name in names]))
        lower, upper = np.array([answer.bounds[name] for name in names]).T
        first, second, third = compound.joints
        axis3 = so3.about(second.axis, angles[1]) @ third.R @ third.axis
        det = np.linalg.det([second.R.T @ first.axis, second.axis, axis3])
        inside = np.all(angles - before <= upper * dt + 1e-9) and np.all(angles - before >= lower * dt - 1e-9)
        dofs = [self.model.dof[name] for name in names]
        inside = inside and np.all(angles >= self.model.lower[dofs]) and np.all(angles <= self.model.upper[dofs])
        return angles if inside and abs(det) >= SINGULAR_BELOW else None

    def step(self, state, t_ns, sample):
        """Advances `state` to `t_ns`; the sample before counts only if it is of the state's own instant."""
        dt = (t_ns - state.t_ns) * 1e-9
        h, answer = self.velocities(state, sample, dt)
        after = self.integrate(state, h, answer, dt)
        after.t_ns = t_ns
        self.previous = sample
        return after, answer
