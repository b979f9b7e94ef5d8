#!/usr/bin/env python3
"""Writes capsules into a model table, fitted by `panto map` to the shapes of the maker's URDF.

Usage: fit_shapes.py PANTO TABLE.toml MAKER.urdf --package-dir DIR [--visual]

Every link of the table gets the capsules of the URDF's link of that name and of links that the table leaves out and the
URDF fixes to it, rounded to 0.1 mm. --visual: uses the visual shapes although there are others for collisions. PANTO: the
command. Nothing of the meshes but these numbers is kept.
"""
import argparse
import json
import math
import pathlib
import re
import subprocess
import tempfile
import xml.etree.ElementTree as ET


def numbers(text):
    return [float(word) for word in text.split()]


def pose(element):
    """Returns the rotation and the place of an <origin>."""
    origin = element.find("origin")
    x, y, z = numbers(origin.get("xyz", "0 0 0")) if origin is not None else (0, 0, 0)
    r, p, w = numbers(origin.get("rpy", "0 0 0")) if origin is not None else (0, 0, 0)
    (sr, cr), (sp, cp), (sw, cw) = [(math.sin(a), math.cos(a)) for a in (r, p, w)]
    rotation = [
        [cw * cp, cw * sp * sr - sw * cr, cw * sp * cr + sw * sr],
        [sw * cp, sw * sp * sr + cw * cr, sw * sp * cr - cw * sr],
        [-sp, cp * sr, cp * cr],
    ]
    return rotation, [x, y, z]


def joined(a, b):
    """Returns the pose b, given in a, in a's parent."""
    (ra, pa), (rb, pb) = a, b
    rotation = [[sum(ra[i][k] * rb[k][j] for k in range(3)) for j in range(3)] for i in range(3)]
    return rotation, [pa[i] + sum(ra[i][k] * pb[k] for k in range(3)) for i in range(3)]


def rpy(r):
    return math.atan2(r[2][1], r[2][2]), math.asin(max(-1.0, min(1.0, -r[2][0]))), math.atan2(r[1][0], r[0][0])


def merge_fixed(robot, known):
    """Moves the shapes of links that the table leaves out to the links that carry them."""
    links = {link.get("name"): link for link in robot.findall("link")}
    carrier = {j.find("child").get("link"): j for j in robot.findall("joint") if j.get("type") == "fixed"}
    for name, link in links.items():
        place, owner = ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 0, 0]), name
        while owner not in known and owner in carrier:
            place = joined(pose(carrier[owner]), place)
            owner = carrier[owner].find("parent").get("link")
        if owner == name or owner not in known:
            continue
        for shape in [child for child in link if child.tag in ("visual", "collision")]:
            link.remove(shape)
            rotation, at = joined(place, pose(shape))
            for origin in shape.findall("origin"):
                shape.remove(origin)
            text = {"xyz": " ".join(map(repr, at)), "rpy": " ".join(map(repr, rpy(rotation)))}
            shape.insert(0, ET.Element("origin", text))
            links[owner].append(shape)


def main():
    parser = argparse.ArgumentParser()
    for name in ("panto", "table", "urdf"):
        parser.add_argument(name)
    parser.add_argument("--package-dir", required=True)
    parser.add_argument("--visual", action="store_true")
    options = parser.parse_args()
    table = pathlib.Path(options.table)
    text = table.read_text()
    line_of = r'(?m)^  \{ name = "%s", (?=mass|corners|capsules|\})'
    robot = ET.parse(options.urdf).getroot()
    names = [link.get("name") for link in robot.findall("link")]
    merge_fixed(robot, {name for name in names if re.search(line_of % re.escape(name), text)})
    for link in robot.findall("link"):
        for shape in link.findall("collision") if options.visual and link.find("visual") is not None else []:
            link.remove(shape)
    # beside the maker's: some name their meshes from there
    with tempfile.NamedTemporaryFile(suffix=".urdf", dir=pathlib.Path(options.urdf).parent) as file:
        ET.ElementTree(robot).write(file.name)
        command = [options.panto, "map", file.name, "--package-dir", options.package_dir, "--json"]
        shapes = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["shapes"]
    for shape in shapes:
        line = re.search(line_of % re.escape(shape["link"]) + ".*$", text)
        if not line:
            continue
        rows = [", ".join(f"{round(x, 4) + 0.0:.4f}".rstrip("0").rstrip(".") for x in c) for c in shape["capsules"]]
        without = re.sub(r", capsules = \[\[.*?\]\]", "", line[0]).removesuffix(" },")
        new = without + ", capsules = [" + ", ".join(f"[{row}]" for row in rows) + "] },"
        text = text.replace(line[0], new)
        print(f"{shape['link']:<28} {len(rows)} capsules, outside {shape['outside_max_mm']:.1f} mm, gap {shape['gap_mean_mm']:.1f} mm")
    table.write_text(text)


if __name__ == "__main__":
    main()
