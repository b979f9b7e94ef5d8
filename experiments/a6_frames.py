"""A-6: the human's 23 frames in the T-pose, and its 22 pairs of parent and child [Rapetti 2020, Fig. 4 and 6].

Drawn by docs/figures/make_figures.py from what the command says of its model.
"""

import re
import sys

from common import PAPER, PROJECT, command, main, panto, read_table, write_block

SEGMENTS = 23
FIGURES = PROJECT / "docs" / "figures"


def measure(quick, folder):
    """Largest angle of a link against the world when all joints are zero, by model [deg], and what was drawn."""
    turned = {}
    for model in ("human66", "human48"):
        panto("synthesize", "tpose", "--model", model, "--duration", "0.1", "-o", "t.mvnx", folder=folder)
        panto("track", "t.mvnx", "--model", model, "--align", "none", "--frames", "t.csv", folder=folder)
        turned[model] = read_table(f"{folder}/t.csv")["angle_max_deg"][0]
    drawn = {}
    if not quick:
        sys.path.insert(0, str(FIGURES))
        import make_figures

        make_figures.use_style()
        drawn = {"frames": make_figures.draw_frames(str(command())), "pairs": make_figures.draw_pairs(str(command()))}
    return turned, drawn


def check(data, checks):
    turned, drawn = data
    for model, angle in turned.items():
        checks.below(angle, 1e-6, f"{model}: a frame turned against the recording's in the T-pose, all joints at zero", "deg")
    for what, count in (("frames", SEGMENTS), ("pairs", SEGMENTS - 1)):
        if what in drawn:
            checks.above(drawn[what], count, f"{what} in the figure")
            text = (FIGURES / f"human_{what}.svg").read_text(encoding="utf-8")
            checks.above(len(re.findall(r"<text[^>]*>", text)), count, f"names in the figure of the {what}")


def publish(data, checks):
    figures = "![The 23 frames in the T-pose](../figures/human_frames.svg)\n\n![The 22 pairs](../figures/human_pairs.svg)"
    write_block("A-6", f"{figures}\n\n{checks.brief(PAPER, 'a6_checks.csv')}")


if __name__ == "__main__":
    main("A-6", measure, check, publish)
