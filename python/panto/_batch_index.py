"""The index of a data set: its rows, one JSON file a clip, become one Parquet table and one page."""

import contextlib
import json
import pathlib
from collections import Counter
from collections.abc import Iterator
from typing import Any

from panto._batch_page import Page

_ROWS_AT_ONCE = 1000
#: first columns, in this order
_FIRST = (
    "clip", "status", "grade", "verdict", "worst_figure", "worst_of_limit", "error", "reason", "motion", "report", "source",
    "format", "frames", "duration_s", "rate_hz", "seconds", "robot", "layout",
)  # fmt: skip
_INNER = ("final", "source_mtime_ns")


def rows_of(folder: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Yields the rows by clip as flat columns; what is no number or text is JSON."""
    for path in sorted((folder / "rows").rglob("[!.]*.json")):
        try:
            row = json.loads(path.read_bytes())
        except (OSError, ValueError):
            continue  # a disk that was full: no row, so the clip is done again
        flat = {key: value for key, value in row.items() if key not in ("figures", *_INNER)}
        for key, value in row.get("figures", {}).items():
            if key == "status_counts":
                flat.update({f"frames_{name}": count for name, count in value.items()})
            else:
                flat[key] = value
        report = f"reports/{row['clip']}.html"
        flat["report"] = report if (folder / report).is_file() else None
        yield {key: json.dumps(value) if isinstance(value, (list, dict)) else value for key, value in flat.items()}


def _types(folder: pathlib.Path) -> dict[str, Any]:
    """The type of every column: text, whole or other numbers, truth; numbers where no row knows better."""
    import pyarrow

    kinds: dict[str, set[type]] = {name: set() for name in _FIRST}
    for row in rows_of(folder):
        for name, value in row.items():
            kinds.setdefault(name, set())
            if value is not None:
                kinds[name].add(type(value))
    types = {}
    for name, seen in kinds.items():
        if str in seen or not seen and name in _FIRST:
            types[name] = pyarrow.string()
        elif seen == {bool}:
            types[name] = pyarrow.bool_()
        else:
            types[name] = pyarrow.int64() if seen == {int} else pyarrow.float64()
    return types


def _as(kind: Any, value: Any) -> Any:
    import pyarrow

    if value is None:
        return None
    return str(value) if kind == pyarrow.string() else float(value) if kind == pyarrow.float64() else value


def write_index(folder: pathlib.Path) -> "Counter[str]":
    """Writes index.parquet and index.html from the rows, a thousand in memory at a time; returns how many there are."""
    import pyarrow
    import pyarrow.parquet

    types = _types(folder)
    schema = pyarrow.schema(list(types.items()))
    page = Page()
    counts: Counter[str] = Counter()
    part = folder / ".index.parquet.part"
    try:
        with pyarrow.parquet.ParquetWriter(part, schema) as writer:
            held: list[dict[str, Any]] = []

            def flush() -> None:
                writer.write_table(pyarrow.Table.from_pylist(held, schema=schema))
                held.clear()

            for row in rows_of(folder):
                counts[row["status"]] += 1
                page.add(row)
                held.append({name: _as(kind, row.get(name)) for name, kind in types.items()})
                if len(held) >= _ROWS_AT_ONCE:
                    flush()
            flush()
        part.replace(folder / "index.parquet")
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
    page.write(folder / "index.html")
    return counts
