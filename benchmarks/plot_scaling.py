#!/usr/bin/env python3
"""Draws the cost of a step against the number of joints and fits a line to it.

Usage: plot_scaling.py TABLE.csv FIGURE.svg      (TABLE is what scaling_benchmark prints; `./dev bench scaling plot` does both)
"""
import csv
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as pyplot  # noqa: E402

# Okabe and Ito's colours, which the colour-blind tell apart
COLOURS = {"chain of hinges": "#0072b2", "tree of hinges": "#56b4e9", "chain of triples": "#d55e00", "tree of triples": "#e69f00"}


def line_through(x, y):
    """Slope, intercept and R^2 of least squares."""
    n = len(x)
    mean_x, mean_y = sum(x) / n, sum(y) / n
    slope = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / sum((a - mean_x) ** 2 for a in x)
    intercept = mean_y - slope * mean_x
    left = sum((b - intercept - slope * a) ** 2 for a, b in zip(x, y))
    return slope, intercept, 1.0 - left / sum((b - mean_y) ** 2 for b in y)


def main(table, figure):
    rows = list(csv.DictReader(open(table, newline="", encoding="utf-8")))
    pyplot.rcParams.update({"svg.hashsalt": "panto", "svg.fonttype": "none", "font.size": 9, "legend.frameon": False, "axes.grid": True, "grid.color": "#e4e4e4"})
    _, (straight, logarithmic) = pyplot.subplots(1, 2, figsize=(9.2, 4.0), layout="constrained")
    for shape, colour in COLOURS.items():
        mine = [row for row in rows if row["shape"] == shape]
        joints = [int(row["joints"]) for row in mine]
        step, dense = ([float(row[key]) for row in mine] for key in ("panto_p50_us", "dense_p50_us"))
        slope, intercept, r2 = line_through(joints, step)
        print(f"{shape}: {1e3 * slope:.1f} ns a joint + {intercept:.2f} µs, R² {r2:.5f}")
        straight.plot(joints, [intercept + slope * n for n in joints], color=colour, linewidth=0.8)
        straight.plot(joints, step, "o", markersize=3.5, color=colour, label=f"{shape}: {1e3 * slope:.0f} ns a joint, R² {r2:.4f}")
        logarithmic.loglog(joints, step, "o-", markersize=3, linewidth=0.8, color=colour, label=f"Panto, {shape}")
        logarithmic.loglog(joints, dense, "s--", markersize=3, linewidth=0.8, color=colour, label=f"dense LLT, {shape}")
    straight.set(xlabel="joints", ylabel="median of one step [µs]", title="Panto's complete step and the fitted lines", xlim=0, ylim=0)
    logarithmic.set(xlabel="joints", ylabel="median of one step [µs]", title="beside a textbook step: normal matrix and dense LLT")
    straight.legend(fontsize=8)
    logarithmic.legend(fontsize=7)
    pyplot.savefig(figure, metadata={"Date": None})


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
