#!/usr/bin/env python3
"""Draws the rooms of the source and which includes which: docs/figures/rooms.svg.

    draw_rooms.py             writes the figure
    draw_rooms.py --check     exits 1 if the committed figure does not match the sources

Needs Python's standard library only. The same sources give the same bytes.
"""
import collections
import pathlib
import re
import sys

PROJECT = pathlib.Path(__file__).resolve().parents[1]
FIGURE = PROJECT / "docs" / "figures" / "rooms.svg"

# room: (row from the top, centre [px], description)
ROOMS = {
    "apps": (0, 500, "the command"),
    "report": (1, 500, "words, JSON, the page"),
    "api": (2, 420, "the jobs as functions"),
    "bridge": (1, 850, "other programs' networks"),
    "live": (2, 850, "sockets and threads"),
    "stream": (3, 850, "datagrams as samples"),
    "retarget": (3, 300, "whole clips onto robots"),
    "io": (3, 560, "bytes to values and back"),
    "tracking": (4, 720, "one sample at a time"),
    "recording": (5, 490, "what was recorded"),
    "synthesis": (5, 95, "motions of known truth"),
    "keypoints": (6, 95, "points and markers"),
    "robot": (6, 290, "a robot understood"),
    "evaluation": (6, 490, "how good was it"),
    "inertial": (6, 700, "filters of raw sensors"),
    "ik": (6, 900, "the methods"),
    "rig": (7, 95, "a skeleton understood"),
    "motion": (7, 340, "States over time"),
    "targets": (7, 600, "a sample in model terms"),
    "tree_qp": (7, 900, "least squares on a tree"),
    "sample": (8, 390, "one instant, measured"),
    "model": (8, 610, "links, joints, State"),
    "math": (9, 500, "rotations, lanes"),
    "base": (10, 500, "errors, time, text"),
}
FOUNDATION = ("sample", "model", "math", "base")  # nearly all include these
OUTSIDE = ("apps", "report", "api", "live", "bridge", "io")
WIDTH, ROW, BOX_W, BOX_H, TOP = 1000, 84, 170, 42, 20
ARROWS = ((20, 5.0), (10, 3.4), (4, 2.2), (1, 1.2))  # at least so many #include lines: so thick [px]


def includes(project):
    """Counts the #include lines from one room to another: {(from, to): count}."""
    count = collections.Counter()
    for path in sorted([*project.glob("src/panto/*/*.?pp"), *project.glob("apps/*/*.?pp")]):
        room = "apps" if path.relative_to(project).parts[0] == "apps" else path.parent.name
        for other in re.findall(r'^\s*#\s*include\s*"panto/(\w+)/', path.read_text(encoding="utf-8"), re.MULTILINE):
            if other != room:
                count[room, other] += 1
    missing = sorted({room for pair in count for room in pair} - set(ROOMS))
    if missing:
        sys.exit(f"tools/draw_rooms.py: ROOMS lacks {', '.join(missing)}: add a place in the figure")
    return count


def is_detour(pair, count):
    """Returns whether other includes already lead from the first room to the second."""
    reached, ahead = set(), [b for a, b in count if a == pair[0] and b != pair[1]]
    while ahead:
        room = ahead.pop()
        if room not in reached:
            reached.add(room)
            ahead += [b for a, b in count if a == room]
    return pair[1] in reached


def width(count):
    return next(pixels for least, pixels in ARROWS if count >= least)


def corner(room):
    row, x, _ = ROOMS[room]
    return x - BOX_W // 2, TOP + row * ROW


def ports(pairs):
    """Returns where each arrow leaves and enters [px along the box], in the order of the rooms at its other end."""
    places = collections.defaultdict(dict)
    for room in ROOMS:
        for mine, other in ((0, 1), (1, 0)):
            met = sorted((pair for pair in pairs if pair[mine] == room), key=lambda pair: (ROOMS[pair[other]][1], pair))
            for i, pair in enumerate(met):
                places[pair][mine] = corner(room)[0] + BOX_W * (i + 1) / (len(met) + 1)
    return places


def arrow(pair, count, place, group):
    """Returns one arrow from the bottom of a box to the top of another."""
    start, end = place[0], place[1]
    above, below = corner(pair[0])[1] + BOX_H, corner(pair[1])[1] - 5
    middle = (above + below) / 2
    return (
        f'<path class="{group}" stroke-width="{width(count)}" '
        f'd="M{start:.0f} {above}C{start:.0f} {middle:.0f} {end:.0f} {middle:.0f} {end:.0f} {below}"/>'
    )


def draw(count):
    height = TOP + 11 * ROW - 20
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" text-anchor="middle">',
        "<title>The rooms of Panto and who includes whom</title>",
        "<!-- made by tools/draw_rooms.py from the #include lines -->",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="4" refY="4" markerUnits="userSpaceOnUse" markerWidth="11" markerHeight="11" '
        'orient="auto"><path d="M0 0L8 4L0 8z" style="fill:#2f5f8f"/></marker></defs>',
        "<style>path{fill:none}.pale{stroke:#c9d1da}.main{stroke:#2f5f8f;marker-end:url(#tip)}"
        ".name{font-size:15px;font-weight:600;fill:#1d2b3a}.what{font-size:11px;fill:#4c5b6b}.note{font-size:12px;fill:#4c5b6b}</style>",
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
    ]
    detours = {pair for pair in count if is_detour(pair, count)}
    shown = [pair for pair in sorted(count) if pair not in detours or pair[1] not in FOUNDATION]
    place = ports(shown)
    for group, drawn in (("pale", detours), ("main", set(count) - detours)):
        lines += [arrow(pair, count[pair], place[pair], group) for pair in shown if pair in drawn]
    for room, (_, centre, what) in ROOMS.items():
        x, y = corner(room)
        colour = "#e9eef3" if room in FOUNDATION else "#fff4dd" if room in OUTSIDE else "#e3f0e6"
        lines += [
            f'<rect x="{x}" y="{y}" width="{BOX_W}" height="{BOX_H}" rx="7" fill="{colour}" stroke="#8796a5"/>',
            f'<text class="name" x="{centre}" y="{y + 18}">{room}</text><text class="what" x="{centre}" y="{y + 34}">{what}</text>',
        ]
    legend = (
        "Arrows lead from a room to one that it includes;",
        "the thicker, the more #include lines.",
        "Pale: blue arrows lead there as well.",
        "Nearly all rooms include the grey ones:",
        "no pale arrows into those.",
    )
    lines += [f'<text class="note" text-anchor="start" x="14" y="{TOP + 14 + 17 * i}">{text}</text>' for i, text in enumerate(legend)]
    return "\n".join([*lines, "</svg>", ""])


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    drawn = draw(includes(PROJECT))
    if not sys.argv[1:]:
        FIGURE.write_text(drawn, encoding="utf-8")
        print(f"wrote {FIGURE.relative_to(PROJECT)}")
    elif not FIGURE.is_file() or FIGURE.read_text(encoding="utf-8") != drawn:
        sys.exit("docs/figures/rooms.svg: does not match the includes of the sources: run tools/draw_rooms.py")
    else:
        print("rooms: the figure matches the includes of the sources")
