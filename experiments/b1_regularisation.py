"""B-1: the regularisation near a singular direction [Tee et al., Fig. 3, Eq. (10)].

PANTO_ARM_PROBE names the program built from tests/support/arm_probe.cpp; without it the dev build makes it.
"""

import numpy as np
from common import BLUE, ORANGE, ask, main, new_figure, number, probe, table
from gestures import PAGE

LAWS = {"paper": ("the paper's law", BLUE), "drift-free": ("the law without drift (default)", ORANGE)}


def measure(quick, _):
    return {law: ask(probe("arm"), "regulariser", law, 600) for law in LAWS}


def check(data, checks):
    for law, (name, _) in LAWS.items():
        shape, (inner, outer) = data[law], data[law]["ends"]
        checks.below(abs(inner["epsilon"] - shape["epsilon_0"]), 1e-12, f"{name}: value at beta_1 off eps_0")
        checks.below(abs(outer["epsilon"]), 1e-12, f"{name}: value at beta_2")
        for end in (inner, outer):
            jump = abs(end["slope_outside"] - end["slope_inside"])
            checks.below(jump, 1e-3 * shape["epsilon_0"], f"{name}: jump of the slope at s = {end['s']:g} (differences of 1e-7)")
        checks.below(np.max(np.diff(shape["epsilon"])), 0.0, f"{name}: largest growth with s")


def publish(data, checks):
    figure, (shape, share) = new_figure(1, 2, figsize=(9.6, 3.0))
    for law, (name, colour) in LAWS.items():
        found = data[law]
        shape.plot(found["s"], found["epsilon"], color=colour, lw=1.6, label=f"{name}: $\\epsilon_0$ = {found['epsilon_0']:g}")
        share.plot(np.degrees(np.arcsin(np.sqrt(found["s"]))), found["confidence"], color=colour, lw=1.6)
        for axes, place in ((shape, lambda s: s), (share, lambda s: np.degrees(np.arcsin(np.sqrt(s))))):
            for beta in ("beta_1", "beta_2"):
                axes.axvline(place(found[beta]), color=colour, lw=0.7, ls=":")
    shape.set(xlabel="s = $x^2 + y^2$ [-]", ylabel="$\\epsilon$(s) [-]", title="regularisation; dotted: $\\beta_1$ and $\\beta_2$", xlim=(0, 0.3))
    share.set(xlabel="angle to the singular direction [deg]", ylabel="s / (s + $\\epsilon$) [-]", title="how far a reading of the first angle counts", xlim=(0, 33))
    shape.legend(loc="upper right")
    PAGE.save(figure, "b1_regularisation.svg")
    rows = [(name, number(data[law]["epsilon_0"]), number(data[law]["beta_1"]), number(data[law]["beta_2"])) for law, (name, _) in LAWS.items()]
    text = table(("law", "eps_0", "beta_1", "beta_2"), rows)
    PAGE.write_block("B-1", f"![Regularisation and its weight](gestures/b1_regularisation.svg)\n\n{text}\n\n{checks.brief(PAGE, 'b1_checks.csv')}")


if __name__ == "__main__":
    main("B-1", measure, check, publish)
