"""What the experiments share: the command, its tables, checks, figures and the page of results.

    ./dev experiments [PREFIX]                        builds the command and runs them
    python experiments/a1_convergence.py [--quick]    one of them; --quick: smaller, checks alone, nothing is written

PANTO_COMMAND names the command (default: the release build), PANTO_TEST_DATA the folder of real recordings.
"""

import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

PROJECT = pathlib.Path(__file__).resolve().parents[1]
RESULTS = PROJECT / "docs" / "results"

# Okabe and Ito's colours, which the colour-blind tell apart
BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, RED, PINK = (
    "#000000", "#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7",
)  # fmt: skip


class Missed(Exception):
    """An experiment cannot be made at all; its text says why."""


def command():
    """Path of the built command."""
    path = pathlib.Path(os.environ.get("PANTO_COMMAND") or PROJECT / "build/release/apps/panto/panto")
    if not path.is_file():
        raise Missed(f"no command at {path}; `./dev experiments` builds it, PANTO_COMMAND names another")
    return path.resolve()


def panto(*arguments, folder):
    """Runs the command in `folder` and returns what it prints."""
    words = [str(command()), *map(str, arguments)]
    result = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    if result.returncode != 0:
        raise Missed(f"`panto {' '.join(map(str, arguments))}` ended with {result.returncode}: {result.stderr.strip()}")
    return result.stdout


def synthesize(motion, *options, folder, name=None):
    """A synthetic recording in `folder`; returns its file name."""
    name = name or f"{motion}.mvnx"
    panto("synthesize", motion, *options, "-o", name, folder=folder)
    return name


def track(recording, *options, folder):
    """Tracks and returns the report card and the table of frames."""
    table = pathlib.Path(folder) / "frames.csv"
    card = json.loads(panto("track", recording, *options, "--frames", table.name, "--json", folder=folder))
    return card, read_table(table)


def read_table(path):
    """Columns of a table by name: arrays of numbers, NaN where a cell is empty, or of words."""
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    return {name: column([row[i] for row in rows]) for i, name in enumerate(header)}


def column(cells):
    try:
        return np.array([float(cell) if cell else np.nan for cell in cells])
    except ValueError:
        return np.array(cells)


def probe(name):
    """Path of a program of tests/support, panto_NAME_probe; the dev build makes it where PANTO_NAME_PROBE names none."""
    if named := os.environ.get(f"PANTO_{name.upper()}_PROBE"):
        return pathlib.Path(named)
    target = f"panto_{name}_probe"
    for words in (["--preset", "dev"], ["--build", "build/dev", "--target", target]):
        if subprocess.run(["cmake", *words], cwd=PROJECT, stdout=subprocess.DEVNULL).returncode != 0:
            raise Missed(f"the program {target} cannot be built; PANTO_{name.upper()}_PROBE names one")
    return PROJECT / "build/dev/tests" / target


def ask(program, *arguments):
    """What such a program prints, as JSON."""
    result = subprocess.run([str(program), *map(str, arguments)], capture_output=True, text=True)
    if result.returncode != 0:
        raise Missed(f"{program.name} ended with {result.returncode}: {result.stderr.strip()}")
    return json.loads(result.stdout)


def data_folder(relative):
    """A folder of the real recordings, or None, which is said aloud."""
    path = pathlib.Path(os.environ.get("PANTO_TEST_DATA") or PROJECT.parent / "shared" / "data") / relative
    if path.is_dir():
        return path
    print(f"SKIPPED: no real recordings at {path}; PANTO_TEST_DATA names their folder", file=sys.stderr)
    return None


class Checks:
    """What must be reached, beside what was found."""

    def __init__(self):
        self.lines = []  # (holds, what, found, bound)
        self.known = set()  # of those lines that may miss

    def below(self, value, bound, what, unit=""):
        self.lines.append((bool(value <= bound), what, with_unit(value, unit), f"at most {with_unit(bound, unit)}"))

    def above(self, value, bound, what, unit=""):
        self.lines.append((bool(value >= bound), what, with_unit(value, unit), f"at least {with_unit(bound, unit)}"))

    def known_miss(self, value, bound, no_worse, what, unit=""):
        """Asked for and, as the page explains, not reached: the table says no; beyond `no_worse` the run fails."""
        self.below(value, bound, what, unit)
        self.below(value, no_worse, f"{what}, no worse than when last measured", unit)
        self.known.add(len(self.lines) - 2)

    def missed(self):
        """What is missed without being known to be."""
        return [sentence for k, (holds, sentence) in enumerate(self.sentences()) if not holds and k not in self.known]

    def sentences(self):
        return [(holds, f"{what}: {found}, must be {bound}") for holds, what, found, bound in self.lines]

    def brief(self, page, name, *shown, misses=True):
        """Writes all lines beside `page`, as CSV; returns a sentence, with those `shown` by how they begin, and what was missed."""
        rows = [(what, found, bound, "yes" if holds else "no") for holds, what, found, bound in self.lines]
        link = page.write_cells(name, ("what", "found", "must be", "reached"), rows)
        # a known miss has a second line, "no worse than when last measured": the list alone holds it
        asked = [row for k, row in enumerate(rows) if k - 1 not in self.known]
        met = sum(reached == "yes" for *_, reached in asked)
        lines = [f"{'All' if met == len(asked) else f'{met} of'} {len(asked)} bounds are met ({link})."]
        for what, found, bound, reached in asked:
            if (misses and reached == "no") or what.startswith(shown):
                lines.append(f"- {what}: {found} ({bound})" + (": **missed**" if reached == "no" else ""))
        return "\n".join([lines[0], "", *lines[1:]]).strip()


def with_unit(value, unit):
    return f"{number(value)} {unit}".rstrip()


def number(value):
    """Three significant digits, as a person writes them."""
    if value is None or not np.isfinite(value):
        return "-"
    if value == 0 or 1e-3 <= abs(value) < 1e5:
        return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def table(header, rows):
    """A table of Markdown."""
    lines = ["| " + " | ".join(map(str, cells)) + " |" for cells in (header, ["---"] * len(header), *rows)]
    return "\n".join(lines)


def new_figure(*grid, **options):
    """A figure that gives the same bytes for the same data."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({
        "svg.hashsalt": "panto", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9,
        "axes.spines.top": False, "axes.spines.right": False, "axes.titlesize": 9.5, "legend.frameon": False,
        "legend.fontsize": 8, "axes.grid": True, "axes.axisbelow": True, "grid.color": "#e4e4e4", "grid.linewidth": 0.6,
    })  # fmt: skip
    return plt.subplots(*grid, layout="constrained", **options)


class Page:
    """A page of results, and the folder beside it that holds its figures and tables."""

    def __init__(self, name, folder=None):
        self.path = RESULTS / name
        self.folder = RESULTS / (folder or self.path.stem)

    def write_table(self, name, header, rows):
        """A table of figures beside the page, as CSV."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.folder / name, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(header)
            writer.writerows([f"{cell:.4g}" if isinstance(cell, float) else cell for cell in row] for row in rows)

    def write_cells(self, name, header, rows):
        """Cells of a table of Markdown beside the page, as CSV; returns a link to them."""
        self.write_table(name, header, [[str(cell).replace("**", "") for cell in row] for row in rows])
        return f"[{name}]({self.folder.name}/{name})"

    def excerpt(self, name, header, rows, columns, pick=lambda row: True):
        """Writes a table beside the page, as CSV; returns some of its columns and rows, and a link to all."""
        rows = list(rows)
        link = self.write_cells(name, header, rows)
        short = table([header[k] for k in columns], [[row[k] for k in columns] for row in rows if pick(row)])
        return f"{short}\n\nFull table: {link}."

    def save(self, figure, name):
        """A figure beside the page."""
        self.folder.mkdir(parents=True, exist_ok=True)
        figure.savefig(self.folder / name, metadata={"Date": None, "Creator": None})

    def write_block(self, name, text):
        """Replaces the text between the marks of `name` on the page."""
        begin, end = f"<!-- {name}: generated -->", f"<!-- {name}: end -->"
        page = self.path.read_text(encoding="utf-8")
        before, found, rest = page.partition(begin)
        _, closed, after = rest.partition(end)
        if not found or not closed:
            raise Missed(f"{self.path} has no marks '{begin}' and '{end}'")
        self.path.write_text(f"{before}{begin}\n\n{text.strip()}\n\n{end}{after}", encoding="utf-8")


PAPER = Page("paper_evaluation.md", "paper")
write_table, save, write_block = PAPER.write_table, PAPER.save, PAPER.write_block


def main(name, measure, check, publish):
    """One experiment: measure(quick, folder) -> data; check(data, checks); publish(data, checks) draws and writes."""
    quick = "--quick" in sys.argv[1:]
    if set(sys.argv[1:]) - {"--quick"}:
        sys.exit(f"usage: {sys.argv[0]} [--quick]")
    checks = Checks()
    try:
        with tempfile.TemporaryDirectory() as folder:
            data = measure(quick, folder)
        check(data, checks)
        if not quick:
            publish(data, checks)
    except Missed as problem:
        sys.exit(f"{name}: {problem}")
    for holds, sentence in checks.sentences():
        print(f"{name} {'ok    ' if holds else 'MISSED'} {sentence}")
    missed = checks.missed()
    if missed:
        sys.exit(f"{name}: {len(missed)} of {len(checks.lines)} not reached: " + "; ".join(missed))
