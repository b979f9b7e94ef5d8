"""The filter whose covariance is a tree: what the projection keeps, where it drops nothing; nothing else differs."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "python"))
from reference import chain_ekf, imu_chain, so3, tree_filter  # noqa: E402
from reference.tree_filter import Body, TreeFilter  # noqa: E402

SITE = chain_ekf.Field(1.0, np.radians(65.0))
# sensors' noise alone, one linearisation a sample: what both filters have
OPTIONS = chain_ekf.Options(
    gyro=0.01, acc=0.05, mag=0.02, mounting=0.0, wobble=0.0, bias=0.01, huber=1e9, rest_rate=0.0, iterations=1,
    start=(0.05, 0.1, 1.0),
)  # fmt: skip
HINGE, SLIDE = chain_ekf.Tethered(10.0, 5.0), chain_ekf.Tethered(6.0, 4.0)
T = 0.01
KINDS = ("apart", "motion", "motion, sensor", "motion, sensor, base", "joints", "motion, joints", "limbs")


def unit(v):
    return v / np.linalg.norm(v)


def tree(random, plan, slides=0):
    """plan: (parent, hinges, limb) per body; hinges about axes across each other, a sensor on every body."""
    dofs, imus, bodies = [], [], []
    for b, (parent, hinges, limb) in enumerate(plan):
        last, numbers = bodies[parent].dofs[-1] if parent >= 0 else -1, []
        frame = so3.exp(random.uniform(-1.0, 1.0, 3))
        kinds = [True] * (slides if b == 0 else 0) + [False] * hinges
        for k, slide in enumerate(kinds):
            p = random.uniform(-0.4, 0.4, 3) if k == 0 else np.zeros(3)
            dofs.append(imu_chain.Dof(last, np.eye(3)[k % 3], frame if k == 0 else np.eye(3), p, slide))
            last = len(dofs) - 1
            numbers.append(last)
        imus.append(imu_chain.Imu(last, so3.exp(random.uniform(-1.0, 1.0, 3)), random.uniform(-0.1, 0.1, 3)))
        bodies.append(Body(numbers, parent, [b], limb))
    return imu_chain.Chain(dofs, imus), bodies


PERSON = [(-1, 3, ""), (0, 2, ""), (1, 3, "arm"), (2, 2, "arm"), (0, 3, "leg"), (4, 1, "leg"), (1, 2, "other arm")]


def processes(chain):
    return [SLIDE if slides else HINGE for slides in chain.slides]


def somewhere(random, chain):
    """A motion: three hinges in series stay away from 90 deg."""
    return [random.uniform(-reach, reach, chain.size) for reach in (0.5, 2.0, 10.0)]


def covariance(random, size):
    """Symmetric, positive definite, everything correlated, standard deviations from 0.01 to 1."""
    A = random.normal(size=(size, 2 * size))
    scale = 10.0 ** random.uniform(-2.0, 0.0, size)
    P = scale[:, None] * (A @ A.T / (2 * size)) * scale
    return (P + P.T) / 2.0


def cliques(kind, chain, bodies):
    rows = [tree_filter.separator(kind, chain, bodies, b) for b in range(len(bodies))]
    return [(tree_filter.own(chain, body), z) for body, z in zip(bodies, rows)]


def samples_along(random, chain, steps):
    """Samples (steps x 9 per sensor) of a motion at constant accelerations; what it is does not matter here."""
    q, q1, q2 = somewhere(random, chain)
    q1, q2 = q1 * 0.3, q2 * 0.1
    for k in range(steps):
        t = k * T
        chain.move(q * 0.1 + q1 * t + q2 * t * t / 2.0, q1 + q2 * t, q2)
        felt = np.array([chain.feel(imu, SITE.m_G)[0] for imu in chain.imus])
        yield felt + random.normal(size=felt.shape) * np.repeat([0.01, 0.05, 0.02], 3)


@pytest.mark.parametrize("slides", [0, 3])
def test_a_sensor_depends_on_what_comes_before_its_body_by_twelve_numbers_alone(slides):
    random = np.random.default_rng(slides)
    chain, bodies = tree(random, PERSON, slides)
    chain.move(*somewhere(random, chain))
    size = 3 * chain.size + 3 * len(chain.imus)
    for b, body in enumerate(bodies):
        if body.parent < 0:
            continue
        _, H = chain.feel(chain.imus[body.imus[0]], SITE.m_G)
        H[:, tree_filter.own(chain, body)[: 3 * len(body.dofs)]] = 0.0
        s = tree_filter.motion_rows(chain, bodies, b, size)[:, : 3 * chain.size]
        left = H - np.linalg.lstsq(s.T, H.T, rcond=1e-12)[0].T @ s
        assert np.abs(H).max() > 1.0 and np.abs(left).max() < 1e-10 * np.abs(H).max(), b


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_clique_knows_is_kept_and_nothing_is_claimed_beyond(kind):
    random = np.random.default_rng(KINDS.index(kind))
    chain, bodies = tree(random, PERSON, 3)
    chain.move(*somewhere(random, chain))
    P = covariance(random, 3 * chain.size + 3 * len(chain.imus))
    out = tree_filter.projected(P, cliques(kind, chain, bodies))
    assert np.array_equal(out, out.T)
    for index, rows in cliques(kind, chain, bodies):
        both = np.vstack([np.eye(len(P))[index], rows])
        before, after = both @ P @ both.T, both @ out @ both.T
        size = np.sqrt(np.diag(before))
        assert np.abs((after - before) / np.outer(size, size)).max() < 1e-10
    # of all with these cliques it is the one of the largest entropy: the determinant never falls
    white = np.linalg.cholesky(P)
    relative = np.linalg.solve(white, np.linalg.solve(white, out).T)
    values = np.linalg.eigvalsh((relative + relative.T) / 2.0)
    assert values.min() > 0.0 and np.log(values).sum() > 0.1
    # and tr(P projected^-1) = size: the tree nearest to P by Kullback and Leibler
    assert abs(np.trace(np.linalg.solve(out, P)) - len(P)) < 1e-6
    again = tree_filter.projected(out, cliques(kind, chain, bodies))
    assert np.abs((again - out) / np.sqrt(np.outer(np.diag(P), np.diag(P)))).max() < 1e-10


def test_without_projection_it_is_the_reference_filter():
    """All rows at once against one sensor after the other."""
    random = np.random.default_rng(7)
    chain, bodies = tree(random, PERSON)
    ours = TreeFilter(chain, bodies, processes(chain), OPTIONS, "exact", SITE.m_G)
    ours.ITERATIONS = 1
    theirs = chain_ekf.ChainEkf(chain, processes(chain), OPTIONS, magnetic="vector", site=SITE)
    theirs.good_field = [1.0] * len(chain.imus)
    for k, felt in enumerate(samples_along(random, chain, 10)):
        theirs.step(k * T, [np.split(y, 3) for y in felt])
        ours.step(T, felt.ravel()) if k else ours.update(felt.ravel())
    assert np.abs(ours.x - theirs.x).max() < 1e-9 * np.abs(theirs.x).max()
    size = np.sqrt(np.diag(theirs.P))
    assert np.abs((ours.P - theirs.P) / np.outer(size, size)).max() < 1e-9


def one_body(random):
    return tree(random, [(-1, 3, "")], 3)


def two_bodies(random):
    """Three hinges before: s says all of (q, q', q''), and the first sensor's bias is all that is left."""
    return tree(random, [(-1, 3, ""), (0, 2, "")])


# "apart" and "motion" alone drop something of two bodies
@pytest.mark.parametrize("make, kinds", [(one_body, KINDS), (two_bodies, KINDS[2:])])
def test_where_every_clique_holds_everything_it_is_the_exact_filter(make, kinds):
    chain, bodies = make(np.random.default_rng(3))
    felt = [y.ravel() for y in samples_along(np.random.default_rng(4), chain, 15)]
    exact = TreeFilter(chain, bodies, processes(chain), OPTIONS, "exact", SITE.m_G)
    for y in felt:
        exact.step(T, y)
    for kind in kinds:
        ours = TreeFilter(chain, bodies, processes(chain), OPTIONS, kind, SITE.m_G)
        for y in felt:
            ours.step(T, y)
        size = np.sqrt(np.diag(exact.P))
        assert np.abs((ours.P - exact.P) / np.outer(size, size)).max() < 1e-10, kind
        assert np.abs((ours.x - exact.x) / size).max() < 1e-9, kind  # P of the last bits, times gains


def test_the_twelve_numbers_alone_forget_the_bias_before():
    """The same two bodies with S2's own separator: the first difference is what "motion, sensor" adds."""
    chain, bodies = two_bodies(np.random.default_rng(3))
    filters = [TreeFilter(chain, bodies, processes(chain), OPTIONS, kind, SITE.m_G) for kind in ("exact", "motion")]
    for y in samples_along(np.random.default_rng(4), chain, 15):
        for each in filters:
            each.step(T, y.ravel())
    size = np.sqrt(np.diag(filters[0].P))
    off = np.abs((filters[1].P - filters[0].P) / np.outer(size, size))
    assert off.max() > 0.01, "correlations of the bias before with the joints behind"


@pytest.mark.parametrize("kind", ["motion", "motion, sensor", "motion, sensor, base", "motion, joints"])
def test_the_tree_survives_a_sample(kind):
    """Every sensor is a function of its own clique, so the update of a tree is a tree: only time drops something."""
    random = np.random.default_rng(9)
    chain, bodies = tree(random, PERSON, 3)
    ours = TreeFilter(chain, bodies, processes(chain), OPTIONS, kind, SITE.m_G)
    for y in samples_along(random, chain, 5):
        ours.step(T, y.ravel())
    ours.linearise(ours.around)
    size = np.sqrt(np.diag(ours.P))
    # the separator's least certain directions are of 1e-5 of the others: that much of the last bits' room is gone
    assert np.abs((ours.project(ours.P) - ours.P) / np.outer(size, size)).max() < 1e-8
    ours.predict(T)
    ours.linearise(ours.x)
    size = np.sqrt(np.diag(ours.P))
    assert np.abs((ours.project(ours.P) - ours.P) / np.outer(size, size)).max() > 1e-6, "and time does drop something"


@pytest.mark.parametrize("kind", ["motion", "motion, sensor"])
def test_a_recursion_over_cliques_knows_the_same(kind):
    """What is done on a dense covariance can be done at a cost that grows with the number of bodies alone."""
    random = np.random.default_rng(11)
    chain, bodies = tree(random, PERSON, 3)
    dense = TreeFilter(chain, bodies, processes(chain), OPTIONS, kind, SITE.m_G)
    dense.ITERATIONS = 1
    linear = tree_filter.Cliques(dense)
    for y in samples_along(random, chain, 8):
        linear.step(T, y.ravel())
        dense.step(T, y.ravel())
        for b, body in enumerate(bodies):
            index = tree_filter.own(chain, body)
            size = np.sqrt(np.diag(dense.P)[index])
            assert np.abs((linear.covariance(b) - dense.P[np.ix_(index, index)]) / np.outer(size, size)).max() < 1e-10
            assert np.abs((linear.x[index] - dense.x[index]) / size).max() < 1e-9  # gains times the last bits
