"""B-2 and B-3: an arm through its three singular poses [Tee et al., Fig. 5 to 7, Eq. (30)].

Synthetic: the arm tee7 for 630 s at 80 Hz, elbow, wrist and the hand's orientation measured. PANTO_ARM_PROBE names the
program built from tests/support/arm_probe.cpp; without it the dev build makes it.
"""

import numpy as np
from common import BLACK, BLUE, GREEN, ORANGE, RED, ask, main, new_figure, number, probe, table
from gestures import PAGE

RATE, SECONDS, SEEDS = 80, 630, 20
EVERY = 20  # frames that a row of the figures stands for
METHODS = {
    "paper": ("modular, the paper's law", BLUE),
    "drift-free": ("modular, without drift (default)", ORANGE),
    "jacobian-printed": ("Jacobian, damped as the paper's", RED),
    "jacobian-tuned": ("Jacobian, tuned", GREEN),
}
JOINTS = ("shoulder pan $q_1$", "shoulder tilt $q_2$", "elbow pan $q_3$", "elbow tilt $q_4$", "wrist yaw $q_5$", "wrist pitch $q_6$", "wrist roll $q_7$")
# module: its tilt, the values at which it is singular [deg], the name of its regularisation
MODULES = (("shoulder", 1, (-90.0,), "$\\epsilon_{p1}$"), ("elbow", 3, (0.0,), "$\\epsilon_{p2}$"), ("wrist", 5, (-90.0, 90.0), "$\\epsilon_{s1}$"))
CALM = 10.0  # [s] away from singular poses, after which nothing of an error may be left


def follow(method, first, last, every, *more):
    words = ("follow", method, "singular_arm", SECONDS, first, last, every, *more)
    return [{key: np.array(value) for key, value in run.items()} for run in ask(probe("arm"), *words)["runs"]]


def measure(quick, _):
    data = {"clean": {method: follow(method, 0, 0, EVERY)[0] for method in METHODS}, "shape": {}}
    for law in ("paper", "drift-free"):
        data["shape"][law] = ask(probe("arm"), "regulariser", law, 1)
        data[law] = [float(run["largest_deg"]) for run in follow(law, 1, 3 if quick else SEEDS, RATE)]
    return data


def calm_error(run, outer):
    """Largest error where all modules have been away from their singular poses for a while [deg]."""
    near = run["s"].min(axis=0) <= outer
    since = np.arange(near.size) - np.maximum.accumulate(np.where(near, np.arange(near.size), 0))
    away = since > CALM * RATE / EVERY
    return run["error_deg"].max(axis=0)[away].max(), away.mean()


def check(data, checks):
    largest = {method: float(run["largest_deg"]) for method, run in data["clean"].items()}
    name = {method: title for method, (title, _) in METHODS.items()}
    checks.below(largest["paper"], 13.5, f"{name['paper']}: largest error", "deg")
    checks.above(largest["jacobian-printed"], 33.0, f"{name['jacobian-printed']}: largest error", "deg")
    checks.below(largest["jacobian-printed"], 39.0, f"{name['jacobian-printed']}: largest error", "deg")
    checks.below(largest["jacobian-tuned"], 5.0, f"{name['jacobian-tuned']}: largest error", "deg")
    checks.below(largest["drift-free"], 2.0, f"{name['drift-free']}: largest error", "deg")
    noisy = data["drift-free"]
    checks.below(max(noisy), 6.0, f"{name['drift-free']}, 1 mm noise: largest error, worst of {len(noisy)} seeds", "deg")
    for law in ("paper", "drift-free"):
        error, _ = calm_error(data["clean"][law], data["shape"][law]["beta_2"])
        checks.below(error, 0.05, f"{name[law]}: largest error {CALM:g} s after all singular poses", "deg")
    run, shape = data["clean"]["paper"], data["shape"]["paper"]
    reach, core = (np.degrees(np.arcsin(np.sqrt(shape[beta]))) for beta in ("beta_2", "beta_1"))
    for i, (module, tilt, singular, _) in enumerate(MODULES):
        away = np.min([np.abs(run["truth_deg"][tilt] - angle) for angle in singular], axis=0)
        active = run["epsilon"][i] > 0.0
        checks.below(away[active].max(), reach + 1e-9, f"B-3, {module}: regularised up to so far from its singular pose", "deg")
        checks.above(run["epsilon"][i][away < core].min(), shape["epsilon_0"], f"B-3, {module}: least epsilon nearer than {core:.1f} deg")
        checks.below(active.mean(), 0.5, f"B-3, {module}: share of the time")


def draw_joints(data):
    figure, panels = new_figure(4, 2, figsize=(9.6, 8.2), sharex=True)
    truth = data["clean"]["paper"]
    for i, (axes, title) in enumerate(zip(panels.flat, JOINTS)):
        axes.plot(truth["time_s"], truth["truth_deg"][i], color=BLACK, lw=3.0, alpha=0.25, label="truth")
        for method in ("jacobian-printed", "paper", "drift-free"):
            title_of, colour = METHODS[method]
            axes.plot(truth["time_s"], data["clean"][method]["q_deg"][i], color=colour, lw=1.0, label=title_of)
        axes.set(title=title, ylabel="deg", xlim=(0, SECONDS))
    handles, labels = panels[0][0].get_legend_handles_labels()
    panels.flat[-1].legend(handles, labels, loc="center")
    panels.flat[-1].axis("off")
    panels[3][0].set_xlabel("time [s]")
    panels[2][1].tick_params(labelbottom=True)
    panels[2][1].set_xlabel("time [s]")
    figure.suptitle("Synthetic: the arm tee7 through its singular poses, Eq. (30)", fontsize=10)
    PAGE.save(figure, "b2_joints.svg")


def draw_errors(data):
    figure, (errors, epsilon) = new_figure(2, 1, figsize=(9.6, 5.6), sharex=True, height_ratios=(1.6, 1))
    for method, (title, colour) in METHODS.items():
        run = data["clean"][method]
        errors.semilogy(run["time_s"], np.maximum(run["error_deg"].max(axis=0), 1e-6), color=colour, lw=1.2, label=f"{title}: {float(run['largest_deg']):.3g} deg at most")
    errors.set(ylabel="largest error of a joint [deg]", ylim=(1e-5, 600), title="B-2: errors")
    errors.legend(loc="upper center", ncols=2)
    run = data["clean"]["paper"]
    for i, ((module, _, _, name), colour) in enumerate(zip(MODULES, (BLUE, ORANGE, GREEN))):
        epsilon.plot(run["time_s"], run["epsilon"][i], color=colour, lw=1.4, label=f"{name}, {module}")
    epsilon.set(ylabel="$\\epsilon$ [-]", xlabel="time [s]", xlim=(0, SECONDS), title="B-3: regularisation of the paper's law", ylim=(0, 2.9))
    epsilon.legend(loc="upper center", ncols=3)
    PAGE.save(figure, "b2_errors.svg")


def publish(data, checks):
    draw_joints(data)
    draw_errors(data)
    rows = []
    for method, (title, _) in METHODS.items():
        run = data["clean"][method]
        noisy = data.get(method)
        away = number(calm_error(run, data["shape"][method]["beta_2"])[0]) if method in data["shape"] else ""
        rows.append((title, number(float(run["largest_deg"])), away, f"{np.median(noisy):.2f}, {max(noisy):.2f}" if noisy else ""))
    header = ("method", "largest error, clean [deg]", "away from singular poses [deg]", f"in 1 mm noise, median and worst of {len(data['paper'])} seeds [deg]")
    clean = data["clean"]
    PAGE.write_table(
        "b2_errors.csv", ["time_s", *(f"error_deg_{method}" for method in METHODS), *(f"epsilon_{module}" for module, *_ in MODULES)],
        zip(clean["paper"]["time_s"][1::2], *(run["error_deg"].max(axis=0)[1::2] for run in clean.values()), *(e[1::2] for e in clean["paper"]["epsilon"])),
    )  # fmt: skip
    figures = "![Errors and regularisation over time](gestures/b2_errors.svg)\n\n![Joints over time](gestures/b2_joints.svg)"
    PAGE.write_block("B-2", f"{figures}\n\n{table(header, rows)}\n\n{checks.brief(PAGE, 'b2_checks.csv')}")


if __name__ == "__main__":
    main("B-2", measure, check, publish)
