"""Inertial tracking of a chain with a dense extended Kalman filter, Joseph form. [Miezal 2013, sections 3 and 4]

State: (q, q', q'') of every joint, then a gyroscope bias per sensor. Sensors are taken one after the other; the model is
linearised once per sample, and again where a sample surprises (iterated filter). Balls (three hinges x, y, z through one point) keep a reference rotation: their angles are
errors about it and return to zero after every sample, so that no pose is singular.
"""

from dataclasses import dataclass, field

import numpy as np

from . import imu_chain, so3
from .imu_chain import GRAVITY

DEGREE = np.pi / 180.0


# Process models: (F, Q) of one joint's (q, q', q'') over a time T.


@dataclass(frozen=True)
class WhiteIncrements:
    """(A) The paper's (5): constant acceleration, white increments per sample."""

    sigma: float  # [rad/s^2 per sample]

    def over(self, T):
        G = np.array([T * T / 2.0, T, 1.0])
        return np.array([[1.0, T, T * T / 2.0], [0.0, 1.0, T], [0.0, 0.0, 1.0]]), self.sigma**2 * np.outer(G, G)


class _WhiteJerk:
    """q''' = -k0 q - k1 q' - k2 q'' + white noise of a spectral density; both follow exactly from T."""

    def over(self, T):
        A = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [-x for x in self.pull()]])
        # Van Loan 1978: exp([[-A, S], [0, A^T]] T) holds F^T and F^-1 Q
        M = np.zeros((6, 6))
        M[:3, :3], M[3:, 3:], M[2, 5] = -A, A.T, self.density()
        E = _exponential(M * T)
        F = E[3:, 3:].T
        Q = F @ E[:3, 3:]
        return F, (Q + Q.T) / 2.0


@dataclass(frozen=True)
class WhiteJerk(_WhiteJerk):
    """(B) Continuous white jerk: free of the sample rate."""

    spectral_density: float  # [rad^2/s^5]

    def pull(self):
        return 0.0, 0.0, 0.0

    def density(self):
        return self.spectral_density


@dataclass(frozen=True)
class Singer(_WhiteJerk):
    """(C) The acceleration forgets itself. [Singer 1970]"""

    rms: float  # of the acceleration [rad/s^2]
    tau: float  # [s]

    def pull(self):
        return 0.0, 0.0, 1.0 / self.tau

    def density(self):
        return 2.0 * self.rms**2 / self.tau


@dataclass(frozen=True)
class Tethered(_WhiteJerk):
    """(D) A body that is carried about stays near: position, velocity and acceleration are all bounded, with the triple
    pole -bandwidth. Then var q = 3 S / 16 b^5, var q' = S / 16 b^3, var q'' = 3 S / 16 b, so rms q = rms q'' / b^2.
    What matters: the acceleration has no mean, so that gravity is what remains on average.
    """

    rms: float  # of the acceleration [m/s^2]
    bandwidth: float  # [rad/s]

    def pull(self):
        b = self.bandwidth
        return b**3, 3.0 * b * b, 3.0 * b

    def density(self):
        return 16.0 * self.bandwidth * self.rms**2 / 3.0


def _exponential(M):
    """Matrix exponential: Taylor's series of M / 2^k, squared k times."""
    k = max(0, int(np.ceil(np.log2(max(np.abs(M).sum(axis=1).max(), 1e-300)))) + 3)
    term = result = np.eye(len(M))
    M = M / 2.0**k
    for n in range(1, 16):
        term = term @ M / n
        result = result + term
    for _ in range(k):
        result = result @ result
    return result


# Balls: the map that moves the reference so that the angles become zero.


def ball(q):
    """R_x(q0) R_y(q1) R_z(q2)."""
    (cx, cy, cz), (sx, sy, sz) = np.cos(q), np.sin(q)
    return np.array([
        [cy * cz, -cy * sz, sy],
        [cx * sz + sx * sy * cz, cx * cz - sx * sy * sz, -sx * cy],
        [sx * sz - cx * sy * cz, sx * cz + cx * sy * sz, cx * cy],
    ])  # fmt: skip


def rates_of_ball(q):
    """E with w = E q', both in the child's axes, for R = R_x(q0) R_y(q1) R_z(q2)."""
    c, s = np.cos(q), np.sin(q)
    return np.array([[c[1] * c[2], s[2], 0.0], [-c[1] * s[2], c[2], 0.0], [s[1], 0.0, 1.0]])


def _slopes_of_ball(q, u):
    """M = d(E u)/dq; and of k = M u, its derivatives by q and by u (E' q' = k where u = q')."""
    c, s = np.cos(q), np.sin(q)
    x, y, _ = rates_of_ball(q) @ u
    by_1 = np.array([-s[1] * c[2], s[1] * s[2], c[1]]) * u[0]
    by_2 = np.array([y, -x, 0.0])
    M = np.column_stack([np.zeros(3), by_1, by_2])
    by_12 = np.array([s[1] * s[2], s[1] * c[2], 0.0]) * u[0]
    k_q = np.column_stack([
        np.zeros(3),
        np.array([-c[1] * c[2], c[1] * s[2], -s[1]]) * u[0] * u[1] + by_12 * u[2],
        by_12 * u[1] + np.array([-x, -y, 0.0]) * u[2],
    ])  # fmt: skip
    k_u = M + np.column_stack([
        np.array([-s[1] * c[2], s[1] * s[2], c[1]]) * u[1] + np.array([-c[1] * s[2], -c[1] * c[2], 0.0]) * u[2],
        np.array([c[2], -s[2], 0.0]) * u[2],
        np.zeros(3),
    ])  # fmt: skip
    return M, k_q, k_u


def _slopes_at_zero(u):
    """The same at q = 0."""
    x, y, z = u
    M = np.array([[0.0, 0.0, y], [0.0, 0.0, -x], [0.0, x, 0.0]])
    k_q = np.array([[0.0, -x * y, -x * z], [0.0, 0.0, -y * z], [0.0, 0.0, 0.0]])
    return M, k_q, M + np.array([[0.0, z, 0.0], [-z, 0.0, 0.0], [y, 0.0, 0.0]])


def seen_from_the_child(q, q1, q2):
    """Derivatives (9 x 9) of the turn, the angular velocity and the angular acceleration, all in the child's axes, by
    (q, q', q''): w = E q', alpha = E q'' + M(q, q') q'."""
    E = rates_of_ball(q)
    M, k_q, k_u = _slopes_of_ball(q, q1)
    J = np.zeros((9, 9))
    J[0:3, 0:3] = J[3:6, 3:6] = J[6:9, 6:9] = E
    J[3:6, 0:3], J[6:9, 0:3], J[6:9, 3:6] = M, _slopes_of_ball(q, q2)[0] + k_q, k_u
    return J


def rebase_ball(q, q1, q2):
    """Rates of the same motion about the new reference, where the angles are zero, and the Jacobian (9 x 9, ordered
    q, q', q'') of the new coordinates by the old ones."""
    E = rates_of_ball(q)
    M, k_q, k_u = _slopes_of_ball(q, q1)
    w, alpha = E @ q1, E @ q2 + M @ q1
    M0, k0_q, k0_u = _slopes_at_zero(w)
    q2_new = alpha - M0 @ w
    J = np.zeros((9, 9))
    # the new angles p start at zero; q'_new = E(p)^-1 w, q''_new = E(p)^-1 (alpha - k(p, q'_new))
    J[0:3, 0:3] = J[3:6, 3:6] = J[6:9, 6:9] = E
    J[3:6, 0:3] = M - M0 @ E
    J[6:9, 0:3] = _slopes_of_ball(q, q2)[0] + k_q - (_slopes_at_zero(q2_new)[0] + k0_q) @ E - k0_u @ J[3:6, 0:3]
    J[6:9, 3:6] = k_u - k0_u @ E
    return w, q2_new, J


# The filter.


@dataclass
class Options:
    """Noise of one sample, standard deviations per axis; model errors as in section 1.5 of the filter's page."""

    gyro: float = 0.002  # [rad/s]
    acc: float = 0.07  # [m/s^2]
    mag: float = 0.02  # of the reference field's norm [-]
    mounting: float = 3.0 * DEGREE  # delta: constant rotation of sensor against segment [rad]
    wobble: float = 0.002  # eps: sensor against bone [m]
    memory: float = 0.03  # for which both stay [s]
    gyro_scale: float = 0.0  # part of the rate that the gyroscope gets wrong: scale, axes, its own lag [-]
    bias: float = 0.5 * DEGREE  # of the gyroscope at the start [rad/s]
    bias_walk: float = 5e-5  # [rad/s / sqrt(s)]
    huber: float = 2.0  # a block of three innovations counts fully up to so many standard deviations
    surprise: float = 16.27  # normalised innovation squared of a block beyond which the sample is linearised anew,
    iterations: int = 4  # at most so often
    start: tuple = (5.0 * DEGREE, 0.1, 1.0)  # standard deviations of (q, q', q'') at the start
    heading: float = 5.0 * DEGREE  # error of the field's heading from place to place [rad]
    heading_memory: float = 2.0  # [s] for which that error stays: samples within it tell nothing new
    bend: float = 0.0  # ... and where the model differs from its linearisation by so many standard deviations; 0: anyhow
    heading_interval: float = 0.0  # [s] in which a sensor's heading is used once, every sensor's at another time; 0: always
    fresh_heading: bool = False  # a heading that comes long after the last one counts fully, as in C++
    far: float = np.inf  # a sample that moves the pose by more [rad, m] or a rate by 100 times that is linearised anew
    field_norm: float = 0.1  # gates: part of the reference norm,
    field_dip: float = 10.0 * DEGREE  # and dip [rad];
    field_settles: float = 0.5  # both must hold for so long [s]
    rest_gyro: float = 2.0 * DEGREE  # rest: deviations from the own mean stay below this [rad/s]
    rest_acc: float = 0.5  # and this [m/s^2]
    rest_time: float = 1.5  # for so long [s]
    rest_rate: float = 0.02 * DEGREE  # how still rest is [rad/s]; 0: no updates at rest
    rest_speed: float = 0.01  # [m/s]


@dataclass
class Field:
    """The reference field at the place: norm, and dip below the horizon [rad]; heading 0 is +y (east is +x)."""

    norm: float
    dip: float

    @property
    def m_G(self):
        return np.array([0.0, np.cos(self.dip), -np.sin(self.dip)])


@dataclass
class Health:
    """What the last sample said about itself."""

    nis: dict = field(default_factory=dict)  # sensor -> (gyro, acc) normalised innovation squared; 3 is expected
    heading_used: dict = field(default_factory=dict)
    at_rest: bool = False


class ChainEkf:
    """`processes`: one per joint. `balls`: first joints of spherical triples. `magnetic`: "off", "heading", "vector"."""

    def __init__(self, chain, processes, options=None, balls=(), reference=None, magnetic="off", site=None):
        self.chain, self.processes, self.options = chain, list(processes), options or Options()
        self.balls = {first: np.eye(3) for first in balls} | (reference or {})
        self.magnetic, self.site = magnetic, site
        n, imus = chain.size, len(chain.imus)
        self.x = np.zeros(3 * n + 3 * imus)
        self.P = np.diag(np.concatenate([np.tile(np.square(self.options.start), n), np.full(3 * imus, self.options.bias**2)]))
        self.good_field = [0.0] * imus
        self.rows, self.only_looking = [], False  # innovations, slopes, noise of the last update
        self.heading_age = [1e6] * imus  # since the heading was last used [s]
        self.rests = [Rest(self.options) for _ in chain.imus]
        self.health = Health()
        self.t = None
        self.free = self._free_turn()
        self.leads = [self._led_by(j) for j in range(n)]

    # the ball that everything turns with, and whether three sliders come before it: no inertial sensor shows its heading
    def _free_turn(self):
        slides = self.chain.slides
        first = 3 if slides[:3].sum() == 3 else 0
        everything = all(set(range(first + 3)) <= set(self.chain.path(imu.body)) for imu in self.chain.imus)
        return first if first in self.balls and everything and self.chain.imus else None

    # the sensor whose gyroscope leads a hinge: the nearest one after it
    def _led_by(self, j):
        paths = [self.chain.path(imu.body) for imu in self.chain.imus]
        after = [k for k, path in enumerate(paths) if j in path and not self.chain.slides[j]]
        return min(after, key=lambda k: len(paths[k]), default=None)

    @property
    def q(self):
        """(3 x n): q, q', q''."""
        return self.x[: 3 * self.chain.size].reshape(-1, 3).T

    def bias(self, k):
        return self.x[3 * (self.chain.size + k) :][:3]

    def step(self, t, samples):
        """One instant [s]; samples: per sensor (gyro, acc, mag or None), None for a sensor that is missing."""
        T = None if self.t is None else t - self.t
        if T:
            self._predict(T, samples)
        self.t, T = t, T or 0.0
        self.heading_age = [age + T for age in self.heading_age]
        self.chain.move(*self.q, turned=self.balls)
        good = [s is not None and s[2] is not None and self._field_is_good(k, s[2], T) for k, s in enumerate(samples)]
        resting = [s is not None and self.rests[k].update(s[0], s[1], T) for k, s in enumerate(samples)]
        x, P = self.x, self.P
        for _ in range(self.options.iterations):
            around = self.x
            self.x, self.P, self.health = x, self._carried(P, x, around), Health(at_rest=bool(samples) and all(resting))
            self.rows = []
            self._update_all(samples, good, around, T)
            surprise = max((block for blocks in self.health.nis.values() for block in blocks), default=0.0)
            far = np.abs(self.x - around)[: 3 * self.chain.size].reshape(-1, 3)
            far = max(far[:, 0].max(), far[:, 1].max() / 100.0) > self.options.far
            if (surprise < self.options.surprise and not far) or np.abs(self.x - around).max() < 1e-9:
                break
            if self._left_out(samples, good, around, T) < self.options.bend:
                break
        self.heading_age = [0.0 if self.health.heading_used.get(k) else age for k, age in enumerate(self.heading_age)]
        self.P = self._carried(self.P, around, self.x)
        self._rebase()

    def _left_out(self, samples, good, around, T):
        """By how many standard deviations of a row's noise the model at x differs from its linearisation at `around`."""
        if self.options.bend <= 0.0:
            return np.inf
        expected = [nu - H @ (self.x - around) for nu, H, _ in self.rows]
        health, self.health, self.rows, self.only_looking = self.health, Health(), [], True
        self._update_all(samples, good, self.x, T)
        self.health, self.only_looking = health, False
        if len(self.rows) != len(expected):
            return np.inf
        return max((np.abs((nu - e) / np.sqrt(R)).max() for (nu, _, R), e in zip(self.rows, expected)), default=0.0)

    def orientation(self, body, ahead=0.0):
        """R of a body in G, as it was at the last sample, or `ahead` [s] of it: what a sensor's own low-pass filter takes."""
        q, q1, q2 = self.q
        self.chain.move(q + q1 * ahead + q2 * ahead**2 / 2.0, q1, q2, turned=self.balls)
        return self.chain.frames[body].R

    # all sensors, one after the other, by the model linearised at `around`
    def _update_all(self, samples, good, around, T):
        n = self.chain.size
        self.chain.move(*around[: 3 * n].reshape(-1, 3).T, turned=self.balls)
        linear = self._linearised(around)
        for k, sample in enumerate(samples):
            if sample is not None:
                self._update_imu(k, sample, *linear[k], around, T, good[k])
        if self.health.at_rest and self.options.rest_rate > 0.0:
            self._update_rest()

    # x <- F x, P <- F P F^T + Q, block by block
    def _predict(self, T, samples):
        F, Q = np.eye(len(self.x)), np.zeros_like(self.P)
        for j, process in enumerate(self.processes):
            block = slice(3 * j, 3 * j + 3)
            F[block, block], Q[block, block] = _cached(process, T)
        biases = np.arange(3 * self.chain.size, len(self.x))
        Q[biases, biases] = self.options.bias_walk**2 * T
        # a wrong scale stays wrong for about a radian: white noise of the spectral density 2 s^2 |w| in every angle
        for j, k in enumerate(self.leads):
            if k is not None and samples[k] is not None:
                Q[3 * j, 3 * j] += 2.0 * self.options.gyro_scale**2 * np.linalg.norm(samples[k][0]) * T
        self.x = F @ self.x
        self.P = F @ self.P @ F.T + Q

    def _linearised(self, around):
        m_G = self.site.m_G if self.site else np.zeros(3)
        rows = []
        for k, imu in enumerate(self.chain.imus):
            y, H_chain = self.chain.feel(imu, m_G)
            H = np.zeros((9, len(self.x)))
            H[:, : H_chain.shape[1]] = H_chain
            H[0:3, 3 * (self.chain.size + k) :][:, :3] = np.eye(3)
            y[0:3] += around[3 * (self.chain.size + k) :][:3]
            frame = self.chain.frames[imu.body]
            rows.append((y, H, frame.w, frame.alpha))
        return rows

    # variances of a sample, with what the model does not know  [docs/algorithms/chain_ekf.md]
    def _noise(self, f, w, alpha, T):
        o = self.options
        rate, off = np.linalg.norm(w), np.linalg.norm(f) - np.linalg.norm(GRAVITY)
        lasts = 1.0 + 2.0 * o.memory / T if T > 0.0 else 1.0
        gyro = o.gyro**2 + lasts * (o.mounting * rate) ** 2
        wobble = o.wobble * np.linalg.norm(alpha) + o.mounting * abs(off)
        acc = o.acc**2 + lasts * ((o.mounting * 9.81) ** 2 + wobble**2)
        return gyro, acc, o.mag**2 + lasts * o.mounting**2

    def _update_imu(self, k, sample, y, H, w, alpha, around, T, field_is_good):
        gyro, acc, mag = sample
        r_gyro, r_acc, r_mag = self._noise(acc, w, alpha, T)
        # innovation of the linearised model at the state reached so far
        used = slice(0, 6)
        nu = np.concatenate([gyro, acc]) - y[:6]
        R = np.repeat([r_gyro, r_acc], 3)
        if field_is_good and self.magnetic == "vector":
            used = slice(0, 9)
            nu, R = np.append(nu, mag / self.site.norm - y[6:9]), np.append(R, [r_mag] * 3)
        self.rows.append((nu, H[used], R))
        self.health.nis[k] = self._update(H[used], nu - H[used] @ (self.x - around), R)
        if field_is_good and self.magnetic == "heading" and self._heading_is_due(k, T):
            self._update_heading(k, mag, around, T)

    # time is cut into intervals, at other instants for every sensor: did one of them end since the last sample?
    def _heading_is_due(self, k, T):
        interval = self.options.heading_interval
        if interval <= T:
            return True
        nanoseconds, shift = round(interval * 1e9), round(interval * 1e9) * k // len(self.chain.imus)
        return (round(self.t * 1e9) + shift) % nanoseconds < round(T * 1e9)

    # x and P by measurements nu = H dx + noise; robust weights by blocks of three
    def _update(self, H, nu, R):
        if self.only_looking:
            return []
        S = H @ self.P @ H.T + np.diag(R)
        nis = []
        R = R.copy()
        for block in (slice(i, i + 3) for i in range(0, len(nu), 3)):
            nis.append(nu[block] @ np.linalg.solve(S[block, block], nu[block]))
            R[block] *= max(1.0, np.sqrt(nis[-1]) / self.options.huber)
        S = H @ self.P @ H.T + np.diag(R)
        K = np.linalg.solve(S, H @ self.P).T
        self.x = self.x + K @ nu
        A = np.eye(len(self.x)) - K @ H
        self.P = A @ self.P @ A.T + (K * R) @ K.T
        self.P = (self.P + self.P.T) / 2.0
        return nis

    # norm and dip of the field are those of the place, and have been for a while  [docs/algorithms/chain_ekf.md]
    def _field_is_good(self, k, mag, T):
        if self.site is None:
            return False
        frame, imu, o = self.chain.frames[self.chain.imus[k].body], self.chain.imus[k], self.options
        m = frame.R @ imu.R_BI @ mag
        norm = np.linalg.norm(m)
        dip = np.arcsin(np.clip(-m[2] / norm, -1.0, 1.0)) if norm > 0.0 else 0.0
        good = abs(norm / self.site.norm - 1.0) < o.field_norm and abs(dip - self.site.dip) < o.field_dip
        self.good_field[k] = self.good_field[k] + T if good else 0.0
        return self.good_field[k] > o.field_settles

    def _update_heading(self, k, mag, around, T):
        heading, H_chain, level = self.chain.heading(self.chain.imus[k], mag / self.site.norm)
        if level < 0.2:
            return
        H = np.zeros((1, len(self.x)))
        H[0, : len(H_chain)] = H_chain
        nu = np.angle(np.exp(1j * (np.pi / 2.0 - heading)))
        o = self.options
        sigma = np.arctan(o.mag / np.cos(self.site.dip))
        T = self.heading_age[k] if o.fresh_heading else T
        R = np.array([sigma**2 + (o.mounting + o.heading) ** 2 * (1.0 + (2.0 * o.heading_memory / T if T > 0.0 else 0.0))])
        self.rows.append((np.array([nu]), H, R))
        innovation = np.array([nu]) - H @ (self.x - around)
        if o.fresh_heading:  # one that says much is weighed as the others are
            R = R * max(1.0, abs(nu) / np.sqrt((H @ self.P @ H.T)[0, 0] + R[0]) / o.huber)
        self._update(H, innovation, R)
        self.health.heading_used[k] = True

    # a body that lies still does not turn and does not move: all joints on the way have no rate
    def _update_rest(self):
        n = self.chain.size
        H = np.zeros((n, len(self.x)))
        H[np.arange(n), 3 * np.arange(n) + 1] = 1.0
        sigma = np.where(self.chain.slides, self.options.rest_speed, self.options.rest_rate)
        self._update(H, -H @ self.x, sigma**2)

    # A covariance that was found about the state x, as it is about y. It keeps what it says of every ball's turn and of
    # its w and alpha, and of a turn of everything about the vertical: that one turns sliders, their rates and
    # accelerations along, and no inertial sensor shows it at x or at y. [Barrau & Bonnabel 2017]
    def _carried(self, P, x, y):
        G = np.eye(len(x))
        heading = np.zeros(len(x))  # of everything, by the angles of the free ball at x
        for first, reference in self.balls.items():
            block = np.arange(3 * first, 3 * first + 9).reshape(3, 3).T.ravel()  # by (order, joint)
            of, to = seen_from_the_child(*x[block].reshape(3, 3)), seen_from_the_child(*y[block].reshape(3, 3))
            if first == self.free:
                R, R_y = ball(x[block[:3]]), ball(y[block[:3]])
                joint = self.chain.frames[first - 1].R if first else self.chain.R_GW
                heading[block[:3]] = (joint @ self.chain.dofs[first].R_PJ @ reference @ R @ of[:3, :3])[2]
                of[:3] = R_y.T @ R @ of[:3]
            G[np.ix_(block, block)] = np.linalg.solve(to, of)
        if self.free == 3:
            axes = self.chain.axis[0, :3].T
            spin = axes.T @ so3.hat(np.array([0.0, 0.0, 1.0])) @ axes
            for order in range(3):
                sliders = [order, 3 + order, 6 + order]
                G[sliders] += np.outer(spin @ (y - x)[sliders], heading)
        return G @ P @ G.T

    def _rebase(self):
        for first in self.balls:
            block = np.arange(3 * first, 3 * first + 9)
            q, q1, q2 = self.x[block].reshape(3, 3).T
            R = self.balls[first] @ ball(q)
            self.balls[first] = R @ (3.0 * np.eye(3) - R.T @ R) / 2.0  # one step to the nearest rotation
            w, q2_new, J = rebase_ball(q, q1, q2)
            # from (joint, order) to (order, joint) and back
            swap = np.arange(9).reshape(3, 3).T.ravel()
            G = J[np.ix_(swap, swap)]
            self.x[block] = np.column_stack([np.zeros(3), w, q2_new]).ravel()
            self.P[block] = G @ self.P[block]
            self.P[:, block] = self.P[:, block] @ G.T


_F_Q = {}


def _cached(process, T):
    """(F, Q) of equal processes over equal times, to a nanosecond, are made once."""
    key = (process, round(T * 1e9))
    if key not in _F_Q:
        if len(_F_Q) > 10000:
            _F_Q.clear()
        _F_Q[key] = process.over(T)
    return _F_Q[key]


class Rest:
    """Whether a sensor lies still: it stays near its own slow mean for a while. [Laidig & Seel 2023, section 3.4]"""

    def __init__(self, options):
        self.options, self.mean, self.still = options, None, 0.0

    def update(self, gyro, acc, T):
        now = np.concatenate([gyro, acc])
        if self.mean is None:
            self.mean = now
        self.mean = self.mean + (now - self.mean) * min(1.0, T / (0.5 + T))
        off = np.abs(now - self.mean)
        quiet = off[:3].max() < self.options.rest_gyro and off[3:].max() < self.options.rest_acc
        self.still = self.still + T if quiet else 0.0
        return self.still > self.options.rest_time


def stand(acc, mag=None):
    """R_GI of a sensor at rest: gravity up, the field's level part toward +y, else +x to where x points."""
    up = acc / np.linalg.norm(acc)
    if mag is not None:
        east = np.cross(mag, up)
    else:
        east = np.array([1.0, 0.0, 0.0]) - up[0] * up
        east = east if np.linalg.norm(east) > 0.1 else np.array([0.0, 1.0, 0.0]) - up[1] * up
    east = east / np.linalg.norm(east)
    return np.array([east, np.cross(up, east), up])


def carried_imu(name="imu"):
    """One sensor on a ball joint of three hinges, the ball on three sliders along x, y, z."""
    sliders = [imu_chain.Dof(i - 1, axis, slides=True, name=f"{name}_{axis_name}") for i, (axis, axis_name) in enumerate(zip(np.eye(3), "xyz"))]
    return imu_chain.Chain([*sliders, *imu_chain.dofs_of_ball(2, 3, name=f"{name}_turn")], [imu_chain.Imu(5, name=name)])
