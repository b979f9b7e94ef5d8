"""B-7: what range and time scaling promise, on random profiles and gestures [Tee et al., Eq. (33) to (46)].

PANTO_SCALING_PROBE names the program built from tests/support/scaling_probe.cpp; without it the dev build makes it.
"""

import numpy as np
from common import BLACK, BLUE, ORANGE, RED, ask, main, new_figure, number, probe, table
from gestures import PAGE

PROFILES, GESTURES, PACED = 100000, 100000, 10000
ROUNDING = 1e-12  # [rad]


def measure(quick, _):
    share = 100 if quick else 1
    return ask(probe("scaling"), PROFILES // share, GESTURES // share, PACED // share)


def check(data, checks):
    found = data["range"]
    profiles = f"{found['profiles']} profiles"
    checks.above(found["more_than_two"], found["profiles"] / 50, f"{profiles}: with more than two swings beyond their limits")
    checks.above(found["start_outside"], found["profiles"] / 10, f"{profiles}: that begin outside")
    checks.below(found["beyond_rad"], ROUNDING, f"{profiles}: farthest beyond a limit", "rad")
    checks.below(found["longer_rad"], 1e-14, f"{profiles}: a step longer than before by at most", "rad")
    checks.below(found["reversed_rad"], 1e-14, f"{profiles}: a step turned round by at most", "rad")
    checks.below(found["touched_rad"], 0.0, f"{profiles}: a frame outside the scaled swings changed by at most", "rad")
    found = data["gestures"]
    gestures = f"{found['gestures']} gestures of 17 joints"
    checks.above(found["swings"], found["gestures"], f"{gestures}: swings beyond limits")
    checks.below(found["beyond_rad"], ROUNDING, f"{gestures}: farthest beyond a limit (B-6)", "rad")
    paced = f"{found['paced']} of them slowed down by both laws"
    checks.above(found["slowed"], 0.9 * found["paced"], f"{paced}: that were too fast")
    checks.below(found["paced_beyond_rad"], ROUNDING, f"{paced}: farthest beyond a position limit", "rad")
    checks.below(found["speed_share"], 1.0 + 1e-6, f"{paced}: largest speed, of its limit (stamps are whole nanoseconds)")
    checks.below(found["acceleration_share"], 1.0 + 1e-5, f"{paced}: largest acceleration, of its limit")
    checks.below(found["displacement_rad"], ROUNDING, f"{paced}: displacement changed by", "rad")
    checks.below(found["optimal_slower_s"], 0.0, f"{paced}: time-optimal longer than uniform by", "s")
    uniform = data["theory"]["uniform"]
    checks.below(abs(uniform["scale"] - 0.872), 0.0005, "peaks (2.19, 1.72) under (2.0, 1.5) rad/s: s_v off 0.872 by")
    checks.below(max(uniform["peaks_rad_s"][0] - 2.0, uniform["peaks_rad_s"][1] - 1.5), 0.0, "the same: peak beyond its limit", "rad/s")
    checks.below(uniform["end_off_rad"], ROUNDING, "the same: end off by", "rad")


def draw_profiles(data):
    figure, panels = new_figure(2, 3, figsize=(9.6, 4.8), sharex=True, sharey=True)
    for axes, profile in zip(panels.flat, data["profiles"]):
        t, q = np.arange(len(profile["q"])) / profile["rate_hz"], np.array(profile["q"])
        axes.plot(t, np.clip(q, -1, 1), color=RED, lw=0.9, ls=":", label="clipped")
        axes.plot(t, q, color=BLACK, lw=2.2, alpha=0.25, label="before")
        axes.plot(t, profile["linear"], color=BLUE, lw=1.2, label="scaled, linear (printed)")
        axes.plot(t, profile["smooth"], color=ORANGE, lw=1.2, ls="--", label="scaled, smooth")
        for limit in (-1, 1):
            axes.axhline(limit, color="#888888", lw=0.8, ls="--")
        axes.set(title=profile["name"], xlim=(0, t[-1]))
    for axes in panels[-1]:
        axes.set_xlabel("time [s]")
    for axes in panels[:, 0]:
        axes.set_ylabel("rad")
    panels.flat[0].legend(loc="lower left", fontsize=7)
    PAGE.save(figure, "b7_profiles.svg")


def publish(data, checks):
    draw_profiles(data)
    rows = [(law, f"{found['scale']:.3f}", f"{found['after_s']:.2f}", *(f"{peak:.3f}" for peak in found["peaks_rad_s"])) for law, found in data["theory"].items()]
    text = table(("law", "duration before / after", "after 10 s [s]", "peak of joint 1 [rad/s]", "of joint 2"), rows)
    shortest = number(data["gestures"]["optimal_shortest"])
    text += f"\n\nWith limits of acceleration the time-optimal law takes down to {shortest} of the uniform law's time."
    shown = f"{data['gestures']['gestures']} gestures of 17 joints: farthest"
    PAGE.write_block("B-7", f"![Six profiles before and after](gestures/b7_profiles.svg)\n\n{text}\n\n{checks.brief(PAGE, 'b7_checks.csv', shown)}")


if __name__ == "__main__":
    main("B-7", measure, check, publish)
