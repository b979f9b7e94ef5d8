"""The page of a data set: what became of the clips, distributions of figures, clips worst first. One file, no scripts of others."""

import heapq
import html
import math
import os
import pathlib
import random
from collections import Counter
from typing import Any, Optional
from urllib.parse import quote

#: column, words, unit, limit above which a clip is usable with care; None: not judged by it
FIGURES: tuple[tuple[str, str, str, Optional[float]], ...] = (
    ("worst_of_limit", "nearest figure to its limit", "of the limit", 1.0),
    ("followable_mean_deg", "error where the robot can follow, mean", "deg", None),
    ("limb_direction_p95_deg", "directions of limbs, 95 %", "deg", None),
    ("foot_skate_p95_mm_s", "feet slide in stance, 95 %", "mm/s", None),
    ("foot_penetration_max_mm", "soles under the floor, deepest", "mm", None),
    ("on_limit_share", "frames on a limit", "share", None),
    ("overlap_share", "frames with overlapping bodies", "share", None),
    ("duration_s", "length", "s", None),
)
_MOST_ROWS = 1000  # that a browser scrolls well
_SAMPLE = 20_000  # values that a histogram rests on
_STYLE = """
body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem;color:#222;background:#fff}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(17rem,1fr));gap:1rem}
figure{margin:0;border:1px solid #ddd;border-radius:6px;padding:.6rem}figcaption{font-size:.85rem}svg{width:100%;height:6rem}
table{border-collapse:collapse;width:100%;font-size:.85rem}td,th{padding:.25rem .5rem;border-bottom:1px solid #eee;text-align:left;vertical-align:top}
td.n{text-align:right;font-variant-numeric:tabular-nums}.good{color:#176b2c}.usable_with_care{color:#8a5a00}.unreliable,.failed{color:#a3122a}
@media(prefers-color-scheme:dark){body{background:#16181c;color:#ddd}figure{border-color:#444}td,th{border-color:#333}a{color:#8ab4f8}
.good{color:#7bd88f}.usable_with_care{color:#e5b567}.unreliable,.failed{color:#ff7b8a}}
"""
_WORDS = {"good": "good", "usable_with_care": "usable with care", "unreliable": "not usable", "failed": "failed"}


class Page:
    """Takes rows one by one and keeps what the page shows: the worst clips, a sample of each figure."""

    def __init__(self) -> None:
        self._grades: Counter[str] = Counter()
        self._worst: list[tuple[float, int, dict[str, Any]]] = []
        self._values: dict[str, list[float]] = {column: [] for column, *_ in FIGURES}
        self._seen: Counter[str] = Counter()
        self._count = 0
        self._seconds = self._length = 0.0
        self._robots: Counter[str] = Counter()
        self._random = random.Random(1)  # the sample of large data sets is the same each time

    def add(self, row: dict[str, Any]) -> None:
        """Takes a row."""
        from panto._batch import badness

        self._count += 1
        self._grades[row.get("grade") or "failed"] += 1
        self._robots[row.get("robot") or "?"] += 1
        self._seconds += row.get("seconds") or 0.0
        self._length += row.get("duration_s") or 0.0
        keep = {key: row.get(key) for key in ("clip", "grade", "verdict", "reason", "report", "source", "worst_figure", *self._values)}
        entry = (badness(row), -self._count, keep)
        (heapq.heappush if len(self._worst) < _MOST_ROWS else heapq.heappushpop)(self._worst, entry)
        for column, values in self._values.items():
            value = row.get(column)
            if not isinstance(value, (int, float)) or not math.isfinite(value):
                continue
            self._seen[column] += 1
            if len(values) < _SAMPLE:
                values.append(value)
            elif (at := self._random.randrange(self._seen[column])) < _SAMPLE:
                values[at] = value

    def write(self, path: pathlib.Path) -> None:
        """Writes the page; it appears complete or not at all."""
        part = path.with_name(f".{path.name}.part")
        try:
            part.write_text(self._text(), encoding="utf-8")
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise

    def _text(self) -> str:
        grades = ", ".join(f'<b class="{grade}">{self._grades[grade]} {words}</b>' for grade, words in _WORDS.items() if self._grades[grade])
        robots = html.escape(", ".join(sorted(self._robots)))
        head = (
            f"<h1>{self._count} clips on {robots}</h1><p>{grades or 'no clips'}. {_span(self._length)} of motion, "
            f'{_span(self._seconds)} of computing. All figures: <a href="index.parquet">index.parquet</a>.</p>'
        )
        grid = "".join(self._histogram(*figure) for figure in FIGURES)
        shown = [row for _, _, row in sorted(self._worst, key=lambda entry: (-entry[0], -entry[1]))]
        more = f" The other {self._count - len(shown)} are in the index." if self._count > len(shown) else ""
        columns = [figure for figure in FIGURES if figure[0] != "worst_of_limit"][:5]
        heads = "".join(f"<th>{html.escape(words)} [{html.escape(unit)}]</th>" for _, words, unit, _ in columns)
        body = "".join(_line(row, [column for column, *_ in columns]) for row in shown)
        return (
            f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{self._count} clips on {robots}</title><style>{_STYLE}</style>'
            f'{head}<h2>Distributions</h2><div class="grid">{grid}</div><h2>Clips, worst first</h2>'
            f"<p>A clip with a page opens it.{more}</p><table><tr><th>clip</th><th>verdict</th>{heads}</tr>{body}</table></html>\n"
        )

    def _histogram(self, column: str, words: str, unit: str, limit: Optional[float]) -> str:
        values = sorted(self._values[column])
        if not values:
            return ""
        at = [values[min(int(share * len(values)), len(values) - 1)] for share in (0.5, 0.95)]
        low, high = min(0.0, values[0]), values[min(int(0.99 * len(values)), len(values) - 1)]  # the last 1 % would flatten the rest
        width = (high - low) / 30 or 1.0
        bins = Counter(min(int((value - low) / width), 30) for value in values)
        most = max(bins.values())
        bars = "".join(f'<rect x="{10 * i + 1}" y="{60 - 58 * n / most:.1f}" width="8" height="{58 * n / most:.1f}"/>' for i, n in sorted(bins.items()))
        line = "" if limit is None or not low < limit < high else f'<path d="M{10 * (limit - low) / width:.1f} 0V60" stroke="#a3122a"/>'
        return (
            f"<figure><figcaption>{html.escape(words)} [{html.escape(unit)}]</figcaption>"
            f'<svg viewBox="0 0 311 62" preserveAspectRatio="none" fill="#4a7fb5" role="img" aria-label="histogram">{bars}{line}</svg>'
            f"<figcaption>{low:.3g} to {high:.3g}; half below {at[0]:.3g}, 95 % below {at[1]:.3g}, largest {values[-1]:.3g}</figcaption></figure>"
        )


def _line(row: dict[str, Any], columns: list[str]) -> str:
    name = html.escape(row["clip"])
    if row["report"]:
        name = f'<a href="{html.escape(quote(row["report"]))}">{name}</a>'
    source = row["source"] or ""
    words = (row["verdict"] or row["reason"] or "").replace(source, os.path.basename(source))  # a page is shared
    numbers = "".join(f'<td class="n">{"" if row[column] is None else format(row[column], ".3g")}</td>' for column in columns)
    return f'<tr><td>{name}</td><td class="{row["grade"] or "failed"}">{html.escape(words)}</td>{numbers}</tr>'


def _span(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 120 else f"{seconds / 60:.1f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
