"""B-6: elbows that bend farther than the robot's can [Tee et al., Fig. 12].

Synthetic, 80 Hz: elbows to 135, 110 and 95 deg; the robot's stop at 80. Scaled, clipped, and without limits.
"""

import numpy as np
from common import BLACK, BLUE, RED, main, new_figure, number
from gestures import PAGE, make_gesture, retarget

STOP = 80.0  # [deg]
ELBOWS = {"right_elbow": 1.0, "left_elbow": -1.0}


def measure(quick, folder):
    take = make_gesture("overflex", folder)
    _, free = retarget(take, "--solver", "modular", "--limits", "none", folder=folder)
    _, clipped = retarget(take, "--solver", "modular", "--limits", "exact", folder=folder)
    card, scaled = retarget(take, "--solver", "modular", "--limits", "scale", folder=folder)
    recorded = np.array(card["scaling"]["recorded_s"])
    runs = {"card": card, "t": recorded}
    for joint, sign in ELBOWS.items():

        def at(states):
            return np.interp(recorded, states["time_s"], sign * np.degrees(states[f"{joint}_rad"]))

        runs[joint] = {"free": at(free), "clipped": at(clipped), "scaled": sign * np.degrees(scaled[f"{joint}_rad"])}
    return runs


def check(runs, checks):
    for joint in ELBOWS:
        elbow = runs[joint]
        checks.above(elbow["free"].max(), 90.0, f"{joint}: the person's bends to", "deg")
        checks.below(abs(elbow["scaled"].max() - STOP), 5e-4, f"{joint}: largest angle off 80.000 deg by", "deg")
        checks.above(np.corrcoef(elbow["free"], elbow["scaled"])[0, 1], 0.95, f"{joint}: correlation with the person's")
        steps = np.abs(np.diff(elbow["scaled"])) - np.abs(np.diff(elbow["free"]))
        checks.below(steps.max(), 0.01, f"{joint}: a step longer than the person's by at most", "deg")
    checks.below(runs["card"]["limit_violations"], 0, "all 17 joints, all frames: beyond a limit")


def publish(runs, checks):
    figure, (angle, rate) = new_figure(1, 2, figsize=(9.6, 3.2))
    elbow, t = runs["right_elbow"], runs["t"]
    for kind, name, colour, style in (("free", "the person's", BLACK, {"lw": 3.0, "alpha": 0.25}), ("clipped", "clipped", RED, {"lw": 1.0, "ls": "--"}), ("scaled", "scaled", BLUE, {"lw": 1.6})):  # fmt: skip
        angle.plot(t, elbow[kind], color=colour, label=name, **style)
        rate.plot(t, np.gradient(elbow[kind], t), color=colour, **style)
    angle.axhline(STOP, color="#888888", lw=0.9, ls=":")
    angle.set(xlabel="recorded time [s]", ylabel="right elbow [deg]", title="dotted: the robot's limit of 80 deg", xlim=(t[0], t[-1]))
    rate.set(xlabel="recorded time [s]", ylabel="its rate [deg/s]", xlim=(t[0], t[-1]))
    angle.legend(loc="upper right")
    figure.suptitle("Synthetic: elbows to 135, 110 and 95 deg, on a robot whose elbows stop at 80", fontsize=10)
    PAGE.save(figure, "b6_elbow_limit.svg")
    rows = []
    for joint in ELBOWS:
        e = runs[joint]
        rows.append((joint, f"{e['free'].max():.1f}", f"{e['scaled'].max():.3f}", f"{np.corrcoef(e['free'], e['scaled'])[0, 1]:.3f}", f"{np.corrcoef(e['free'], e['clipped'])[0, 1]:.3f}", f"{100 * np.mean(e['clipped'] > STOP - 0.01):.0f}", f"{100 * np.mean(e['scaled'] > STOP - 0.01):.0f}"))  # fmt: skip
    header = ("joint", "the person's, largest [deg]", "scaled, largest [deg]", "scaled: correlation", "clipped: correlation", "clipped: time on the limit [%]", "scaled [%]")
    stretch = number(runs["card"]["scaling"]["stretch"])
    PAGE.write_block("B-6", f"![The elbow before and after](gestures/b6_elbow_limit.svg)\n\n{PAGE.excerpt('b6_elbows.csv', header, rows, range(len(header)), lambda row: row[0] == 'right_elbow')}\n\nTimes as long: {stretch}.\n\n{checks.brief(PAGE, 'b6_checks.csv')}")


if __name__ == "__main__":
    main("B-6", measure, check, publish)
