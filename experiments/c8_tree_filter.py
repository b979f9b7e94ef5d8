"""C-8: is a filter whose covariance is a tree as good as the exact one, and how much cheaper would it be? Synthetic.

Motions are drawn from the filter's own process, and sensors' noise is what the filter is told: what is measured is the
projection alone. `python/reference/tree_filter.py` does on a dense covariance what a recursion of linear cost does.
"""

import sys
from dataclasses import dataclass, replace

import numpy as np
from common import BLACK, BLUE, GREEN, ORANGE, PROJECT, RED, Page, main, new_figure, table

sys.path.insert(0, str(PROJECT / "python"))
from reference import so3  # noqa: E402
from reference.chain_ekf import Options, Tethered  # noqa: E402
from reference.imu_chain import Chain, Dof, Imu  # noqa: E402
from reference.tree_filter import Body, TreeFilter  # noqa: E402

PAGE = Page("inertial.md")
RUNS, SECONDS = 30, 3.0
START = 0.1  # [s] that are left out of all means: the first samples are linearised where the start is wrong
RULE = 0.1  # how far NEES may be from the exact filter's, part of it
X, Y, Z = np.eye(3)
# hinges stay within 0.4 rad rms of rest: three in series, without balls, must not come near 90 deg
HINGE, SLIDE = Tethered(10.0, 5.0), Tethered(6.0, 4.0)
# as tests/support/drawn_arm.hpp
OPTIONS = Options(gyro=0.01, acc=0.05, mag=0.02, bias=0.009, bias_walk=5e-5, start=(np.radians(5.0), 0.1, 1.0))
DIP = np.radians(65.0)
ELBOW, KNEE = so3.about(Y, np.radians(-70.0)), so3.about(Y, np.radians(30.0))  # at rest
FIELD = np.array([0.0, np.cos(DIP), -np.sin(DIP)])


class Builder:
    """Bodies one after the other: slides and hinges at a point of the body before, and a sensor."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)  # of the mounts
        self.dofs, self.imus, self.bodies, self.by_name = [], [], [], {}

    def body(self, name, parent, axes, at, rest=None, slides="", limb=""):
        before = self.by_name.get(parent, -1)
        last = self.bodies[before].dofs[-1] if before >= 0 else -1
        numbers = []
        for k, axis in enumerate([*slides, *axes]):
            R = rest if rest is not None and k == len(slides) else np.eye(3)
            p = np.array(at) if k == 0 else np.zeros(3)
            self.dofs.append(Dof(last, {"x": X, "y": Y, "z": Z}[axis], R, p, k < len(slides), f"{name}_{k}"))
            last = len(self.dofs) - 1
            numbers.append(last)
        turn, place = self.random.uniform(-1.5, 1.5, 3), self.random.uniform(-0.12, 0.12, 3)
        self.imus.append(Imu(last, so3.exp(turn), place, name))
        self.by_name[name] = len(self.bodies)
        self.bodies.append(Body(numbers, before, [len(self.imus) - 1], limb, name))

    def done(self):
        return Chain(self.dofs, self.imus), self.bodies


def arm():
    """As models/chains/right_arm.toml: 12 hinges, five sensors, its lengths; the elbow is bent by 70 deg at rest."""
    b = Builder(1)
    b.body("thorax", "", "xyz", [0, 0, 0])
    b.body("clavicle", "thorax", "zx", [0.0, -0.02, 0.45])
    b.body("upper_arm", "clavicle", "xyz", [0.0, -0.16, 0.0])
    b.body("forearm", "upper_arm", "yz", [0, 0, -0.30], ELBOW)
    b.body("hand", "forearm", "yx", [0, 0, -0.26])
    return b.done()


def person(floats=True):
    """A floating pelvis, a thorax, arms of 5 and legs of 6 hinges: 31 joints, a sensor on each of 12 bodies."""
    b = Builder(2)
    b.body("pelvis", "", "xyz", [0, 0, 1.0], slides="xyz" if floats else "")
    b.body("thorax", "pelvis", "xyz", [0, 0, 0.1])
    for side, sign in (("left", 1), ("right", -1)):
        limb = f"{side}_arm"
        b.body(f"{side}_upper_arm", "thorax", "xyz", [0, sign * 0.18, 0.45], limb=limb)
        b.body(f"{side}_forearm", f"{side}_upper_arm", "yz", [0, 0, -0.30], ELBOW, limb=limb)
        limb = f"{side}_leg"
        b.body(f"{side}_thigh", "pelvis", "xyz", [0, sign * 0.09, -0.05], limb=limb)
        b.body(f"{side}_shank", f"{side}_thigh", "y", [0, 0, -0.42], KNEE, limb=limb)
        b.body(f"{side}_foot", f"{side}_shank", "yx", [0, 0, -0.42], limb=limb)
    return b.done()


# what is kept between bodies: `tree_filter.separator`
IN_PLACE = ("motion", "motion, sensor", "joints", "motion, joints")
FLOATING = (*IN_PLACE, "motion, sensor, base", "limbs")


@dataclass(frozen=True)
class Case:
    """A body, what its sensors measure, and how long."""

    make: object
    field: bool = True
    noise: float = 1.0  # of the sensors, times that of OPTIONS; the filter is told
    turns: float = 0.0  # constant turns of the sensors, standard deviation [rad]
    T: float = 0.01  # [s]
    seconds: float = SECONDS
    runs: int = RUNS
    kinds: tuple = IN_PLACE  # beside the exact filter

    @property
    def m_G(self):
        return FIELD if self.field else None

    @property
    def options(self):
        o = OPTIONS
        return replace(o, gyro=o.gyro * self.noise, acc=o.acc * self.noise, mag=o.mag * self.noise)


CASES = {
    "arm": Case(arm, kinds=(*IN_PLACE, "apart")),
    "arm, no magnetometers": Case(arm, field=False),
    "arm, sensors turned by 0.5°": Case(arm, turns=np.radians(0.5)),
    "arm, 10 s": Case(arm, seconds=10.0, runs=10, kinds=("motion", "motion, sensor")),
    "person, pelvis in place": Case(
        lambda: person(False), T=0.02, kinds=("motion", "motion, sensor", "motion, joints", "limbs")
    ),
    "person": Case(person, T=0.02, kinds=FLOATING),
    "person, five times the noise": Case(
        person, noise=5.0, T=0.02, kinds=("motion", "motion, sensor", "motion, sensor, base", "limbs")
    ),
    "person, no magnetometers": Case(person, field=False, T=0.02, kinds=FLOATING),
}


# what the rule is asked of; where it is known to be missed: beyond what it would be a surprise
RULED = [
    ("arm", "motion", 3.0),
    ("arm", "motion, sensor", None),
    ("arm, no magnetometers", "motion, sensor", 0.8),
    ("person, pelvis in place", "motion, sensor", None),
    ("person", "motion", 3.5),
    ("person", "motion, sensor", 0.5),
    ("person", "motion, sensor, base", 0.25),
    ("person", "limbs", None),
]


def processes(chain):
    return [SLIDE if slides else HINGE for slides in chain.slides]


def drawn(chain, case, seed):
    """One run: states (steps x states), samples (steps x rows), and where the filter begins (states)."""
    random = np.random.default_rng(seed)
    F, root, x = [], [], []
    for process in processes(chain):
        over, Q = process.over(case.T)
        P = np.zeros((3, 3))
        for _ in range(800):  # eight seconds at least: until it forgot where it began
            P = over @ P @ over.T + Q
        # variances of q and of q'' lie far apart: scaled before the root is taken
        scale = np.sqrt(np.diag(Q))
        F.append(over)
        root.append(scale[:, None] * np.linalg.cholesky(Q / np.outer(scale, scale)))
        x.append(np.linalg.cholesky(P) @ random.normal(size=3))
    F, root, x = np.array(F), np.array(root), np.array(x)
    imus, rows = len(chain.imus), 9 if case.field else 6
    bias = random.normal(size=(imus, 3)) * OPTIONS.bias
    turn = random.normal(size=(imus, 3)) * case.turns
    first = np.zeros(3 * chain.size + (6 if case.turns else 3) * imus)
    first[: 3 * chain.size] = x.ravel() + random.normal(size=3 * chain.size) * np.tile(OPTIONS.start, chain.size)
    back = [so3.exp(t).T for t in turn]
    o = case.options
    sigma = np.repeat([o.gyro, o.acc, o.mag], 3)[:rows]
    states, samples = [], []
    for _ in range(round(case.seconds / case.T)):
        x = np.einsum("jab,jb->ja", F, x) + np.einsum("jab,jb->ja", root, random.normal(size=x.shape))
        bias = bias + OPTIONS.bias_walk * np.sqrt(case.T) * random.normal(size=bias.shape)
        chain.move(*x.T)
        felt = np.array([chain.feel(imu, FIELD)[0].reshape(3, 3) @ R.T for imu, R in zip(chain.imus, back)])
        felt[:, 0] += bias
        felt = felt.reshape(imus, 9)[:, :rows]
        samples.append((felt + sigma * random.normal(size=felt.shape)).ravel())
        states.append(np.concatenate([x.ravel(), bias.ravel(), turn.ravel() if case.turns else []]))
    return np.array(states), np.array(samples), first


# columns of what is found per sample
NEES, NEES_ANGLES, NIS, SQUARE = range(4)


def follow(chain, bodies, kind, case, run):
    """Per sample: NEES of all states, of joint angles, NIS, per degree of freedom; hinges' mean square [rad^2]."""
    states, samples, first = run
    ekf = TreeFilter(chain, bodies, processes(chain), case.options, kind, case.m_G, case.turns)
    ekf.x = first.copy()
    angles, hinges = 3 * np.arange(chain.size), 3 * np.flatnonzero(~chain.slides)
    found = np.empty((len(states), 4))
    for k, (truth, sample) in enumerate(zip(states, samples)):
        nis = ekf.step(case.T, sample)
        off = truth - ekf.x
        nees = off @ np.linalg.solve(ekf.P, off) / len(off)
        of_angles = off[angles] @ np.linalg.solve(ekf.P[np.ix_(angles, angles)], off[angles]) / len(angles)
        found[k] = nees, of_angles, nis, np.mean(off[hinges] ** 2)
    return found


def measure(quick, _):
    """case -> kind -> (runs x samples x 4)."""
    data = {}
    for name, case in CASES.items():
        if quick and name not in ("arm", "person"):
            continue
        if quick:
            case = replace(case, seconds=0.4, runs=2)
        chain, bodies = case.make()
        runs = [drawn(chain, case, seed) for seed in range(1, case.runs + 1)]
        kinds = ("exact", *case.kinds)
        data[name] = {kind: np.array([follow(chain, bodies, kind, case, run) for run in runs]) for kind in kinds}
    return data


def settled(found, case):
    """Without the first START seconds."""
    return found[:, round(START / case.T) :]


def ratio(data, name, kind, what=NEES):
    """Mean over runs and samples as part of the exact filter's on the same runs, and its standard error (jackknife)."""
    ours, exact = (settled(data[name][which], CASES[name])[:, :, what].mean(axis=1) for which in (kind, "exact"))
    n = len(ours)
    without = (ours.sum() - ours) / (exact.sum() - exact)
    return ours.sum() / exact.sum(), np.sqrt((n - 1) / n * np.sum((without - without.mean()) ** 2))


def check(data, checks):
    quick = len(data) < len(CASES)
    exact = settled(data["arm"]["exact"], CASES["arm"])[:, :, NEES].mean()
    # two runs of 0.4 s have 100 degrees of freedom: 3.3 standard deviations are 0.45
    checks.above(exact, 0.5 if quick else 0.9, "arm: NEES of the exact filter")
    checks.below(exact, 1.5 if quick else 1.1, "arm: NEES of the exact filter")
    parts = [ratio(data, "arm", kind)[0] for kind in ("motion, sensor", "motion", "apart")]
    checks.above(parts[1] / parts[0], 1.0, "arm: NEES with S2's twelve numbers, part of that with sensors' states too")
    checks.above(parts[2] / parts[1], 1.0, "arm: NEES with nothing between bodies, part of that with twelve numbers")
    if quick:
        return
    for name, kind, no_worse in RULED:
        part = ratio(data, name, kind)[0]
        what = f"{name}, {kind}: NEES as part of the exact filter's, off 1 by"
        if no_worse is None:
            checks.below(abs(part - 1.0), RULE, what)
        else:
            checks.known_miss(abs(part - 1.0), RULE, no_worse, what)


# What a sample costs: human48 with a suit of 17 sensors.

# body: (joints, sensors, body before)
HUMAN48 = {
    "pelvis": (6, 1, None), "L5": (2, 0, "pelvis"), "L3": (2, 0, "L5"), "T12": (2, 0, "L3"), "T8": (3, 1, "T12"),
    "neck": (3, 0, "T8"), "head": (2, 1, "neck"),
}  # fmt: skip
for _side in ("right ", "left "):
    HUMAN48 |= {
        _side + "shoulder": (1, 1, "T8"), _side + "upper arm": (3, 1, _side + "shoulder"),
        _side + "forearm": (2, 1, _side + "upper arm"), _side + "hand": (2, 1, _side + "forearm"),
        _side + "upper leg": (3, 1, "pelvis"), _side + "lower leg": (2, 1, _side + "upper leg"),
        _side + "foot": (3, 1, _side + "lower leg"), _side + "toe": (1, 0, _side + "foot"),
    }  # fmt: skip
ARM = ("shoulder", "upper arm", "forearm", "hand")
EXACT_FLOPS = 13.9e6  # docs/algorithms/chain_ekf.md, cost: 7.4 + 3.0 + 2.4 + 1.1
SENSOR = 6  # states: bias and turn
ROWS = 106 / 17  # of a sensor and sample: six, and a heading now and then


def separator_size(kind, body):
    """Numbers in z, on human48."""
    before = HUMAN48[body][2]
    if before is None:
        return 0
    joints, sensors, root = HUMAN48[before]
    base = 3 * HUMAN48["pelvis"][0] + SENSOR
    sizes = {"motion": 12, "motion, sensor": 12 + SENSOR * sensors}
    sizes["motion, joints"] = sizes["motion, sensor"] + 3 * joints
    # behind the base itself, s is a function of the base's states
    sizes["motion, sensor, base"] = base if root is None else sizes["motion, sensor"] + base
    return sizes[kind]


def clique_flops(n, m, rows, joints, separators):
    """Products and sums of `tree_filter.Cliques` for a body of n states and m numbers in z, what is symmetric by half.

    rows: of its sensors. separators: sizes of z of the bodies behind it. W is 1 but for a lever (18 products a column)
    and its own joints (27 a joint); 0 joints: z is picked from xi.
    """
    pairs = 4 * n * (n + m) + n * m * m  # F on both sides, A D
    pairs += m**3 / 6 + n * m * m + n * n * m / 2  # Cholesky of Z, A, S
    pairs += rows * (n + min(m, 12)) ** 2 / 2  # what its sensors tell
    pairs += n**3 / 2 + n * n * m + n * m * m / 2  # information of (xi | z)
    pairs += n**3 / 6 + n * n * m / 2 + n * m * m / 2  # xi eliminated
    pairs += n**3 / 3 + n * n * m + n * m * m  # A, S, covariance of (z, xi) again
    move = 18 + 27 * joints if joints else 0
    pairs += sum(4 * move * (m + n) + 3 * move * c for c in separators)  # Z, D, messages up, Z down
    return 2 * pairs


def human48_flops(kind):
    """Of a sample, and the size of the largest clique."""
    sizes = {body: (3 * of[0] + SENSOR * of[1], separator_size(kind, body)) for body, of in HUMAN48.items()}
    flops = 0.0
    for body, (joints, sensors, _) in HUMAN48.items():
        behind = [sizes[other][1] for other, (_, _, before) in HUMAN48.items() if before == body]
        flops += clique_flops(*sizes[body], ROWS * sensors, joints, behind)
    return flops, max(map(sum, sizes.values()))


def limbs_flops():
    """The same recursion with the whole trunk as one body and every limb as another."""
    states, sensors = {}, {}
    for body, (joints, imus, _) in HUMAN48.items():
        side, _, part = body.partition(" ")
        limb = f"{side} arm" if part in ARM else f"{side} leg" if part else "trunk"
        states[limb] = states.get(limb, 0) + 3 * joints + SENSOR * imus
        sensors[limb] = sensors.get(limb, 0) + imus
    trunk = states["trunk"]
    behind = {limb: 0 if limb == "trunk" else trunk for limb in states}
    flops = sum(clique_flops(states[limb], behind[limb], ROWS * sensors[limb], 0, []) for limb in states)
    return flops, max(states[limb] + behind[limb] for limb in states)


def costs():
    """kind -> (products and sums of a sample, largest clique)."""
    kinds = ("motion", "motion, sensor", "motion, joints", "motion, sensor, base")
    return {kind: human48_flops(kind) for kind in kinds} | {"limbs": limbs_flops()}


def named(kind):
    return {"exact": "everything (exact)", "motion": "motion (S2)", "apart": "nothing"}.get(kind, kind)


def rows_of(data, name):
    case = CASES[name]
    for kind, found in data[name].items():
        late, last = settled(found, case), found[:, -round(0.5 / case.T) :, NEES].mean()
        hinges = np.degrees(np.sqrt(found[:, round(0.5 / case.T) :, SQUARE].mean()))
        part = "{:.2f} ± {:.2f}".format(*ratio(data, name, kind)) if kind != "exact" else ""
        nees, angles, nis = late[:, :, :SQUARE].mean(axis=(0, 1))
        first = [f"{name} ({case.runs} runs)" if kind == "exact" else "", named(kind)]
        yield [*first, f"{nees:.2f}", part, f"{last:.2f}", f"{angles:.2f}", f"{nis:.3f}", f"{hinges:.2f}"]


def draw(data):
    figure, axes = new_figure(1, 3, figsize=(9.0, 3.3), sharey=True)
    colours = {"motion": RED, "motion, sensor": ORANGE, "motion, sensor, base": GREEN, "limbs": BLUE, "exact": BLACK}
    for axis, name in zip(axes, ("arm", "person", "person, no magnetometers")):
        case = CASES[name]
        window = round(0.1 / case.T)
        for kind, colour in colours.items():
            if kind in data[name]:
                nees = data[name][kind][:, :, NEES].mean(axis=0)
                nees = nees[: len(nees) // window * window].reshape(-1, window).mean(axis=1)
                t = (np.arange(len(nees)) + 0.5) * window * case.T
                axis.plot(t, nees, color=colour, label=named(kind), linewidth=1.3)
        axis.set(title=f"{name} (synthetic)", xlabel="time [s]", yscale="log", ylim=(0.7, 9.0))
        axis.set(yticks=[1, 2, 5], yticklabels=["1", "2", "5"])
        axis.minorticks_off()
    axes[0].set_ylabel("NEES per degree of freedom")
    figure.legend(*axes[1].get_legend_handles_labels(), loc="outside lower center", ncols=len(colours))
    PAGE.save(figure, "c8_tree_filter.svg")


def publish(data, checks):
    draw(data)
    header = [
        "case", "kept between bodies", "NEES", "part of the exact filter's", "NEES, last 0.5 s", "NEES, angles alone",
        "NIS", "hinges off by [deg]",
    ]  # fmt: skip
    results = {name: list(rows_of(data, name)) for name in data}
    link = PAGE.write_cells("c8_cases.csv", header, [row for name in data for row in results[name]])
    exact_size = sum(3 * joints + SENSOR * sensors for joints, sensors, _ in HUMAN48.values())
    rows = [[named("exact"), exact_size, f"{EXACT_FLOPS / 1e6:.1f}", "1"]]
    for kind, (flops, size) in costs().items():
        rows.append([named(kind), size, f"{flops / 1e6:.1f}", f"{flops / EXACT_FLOPS:.2f}"])
    # NEES as a part of the exact filter's, where the case has that kind
    parts = {name: {row[1]: row[3] for row in results[name]} for name in ("arm", "person")}
    rows = [[kept, *(parts[name].get(kept, "") for name in parts), *cost] for kept, *cost in rows]
    header = ["kept between bodies", "arm: NEES, part of the exact", "person: the same", "largest matrix", "million operations a sample", "part of the exact"]
    costs_and_parts = table(header, rows)
    figure = "![NEES over time: the exact filter, and what trees of bodies make of it](inertial/c8_tree_filter.svg)"
    bodies = f"Cost: human48 with 17 sensors, biases and turns estimated. All cases and figures: {link}."
    PAGE.write_block("C-8 tree filter", "\n\n".join([figure, costs_and_parts, bodies, checks.brief(PAGE, "c8_checks.csv", misses=False)]))


if __name__ == "__main__":
    main("C-8", measure, check, publish)
