"""Makes docs/gallery: pictures of results and the page that shows them.

    PYTHONPATH=build/dev/python python tools/make_gallery.py PANTO      PANTO: the built command; needs Chromium

Clips of CMU are read from PANTO_TEST_DATA; without it their pictures stay as they are.
"""

import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile

import panto

PROJECT = pathlib.Path(__file__).resolve().parents[1]
GALLERY = PROJECT / "docs" / "gallery"
SENSORS = PROJECT / "models" / "chains" / "human_sensors.toml"
CMU = "CMU Graphics Lab Motion Capture Database (mocap.cs.cmu.edu, created with funding from NSF EIA-0196217)"
OWN = "synthetic"


@dataclasses.dataclass
class Entry:
    """A picture: `clip` is a file of the project or of PANTO_TEST_DATA, or the motion that `panto synthesize` makes."""

    name: str
    says: str
    clip: str
    task: str  # words between `panto` and the clip, and behind it
    options: tuple[str, ...]
    at: float = 0.0
    source: str = OWN
    show: tuple[str, ...] = ()
    zoom: float = 1.0
    film: tuple[float, float] | None = None


ENTRIES = [
    Entry("dance", "A Unitree G1 repeats a modern dance, within its limits, its feet planted", "bvh/cmu/005_02.bvh", "retarget", ("--robot", "g1"), source=CMU, film=(3.4, 6.4), zoom=1.15),
    Entry("dance_human", "The same dance in the joint angles of a person, human48, limits kept; trails of hands, feet and head", "bvh/cmu/005_02.bvh", "track", ("--model", "human48"), 4.3, CMU, ("trails",), 1.1),
    Entry("walk", "A walk, human66: centre of mass over the support polygon", "walk.bvh", "track", ("--model", "human66"), 1.27, show=("balance",), zoom=1.05),
    Entry("run", "A run on a Unitree H1", "run", "retarget", ("--robot", "h1"), 1.55, zoom=1.2),
    Entry("jump", "A jump on TALOS", "bvh/cmu/002_04.bvh", "retarget", ("--robot", "talos"), 1.2, CMU, zoom=0.9),
    Entry("spin", "Dance steps on a Booster T1", "bvh/cmu/131_01.bvh", "retarget", ("--robot", "booster_t1"), 2.0, CMU, zoom=1.2),
    Entry("reach", "Reaching on an iCub", "reach", "retarget", ("--robot", "icub"), 2.0, zoom=1.2),
    Entry("sensors", "Joint angles from seventeen raw inertial sensors with faults, and how surely each limb is known", "sensors", "track", ("--model", "human48", "--sensors", str(SENSORS)), 2.2, show=("uncertainty",), zoom=1.2),
    Entry("gesture", "A waving gesture, scaled into the range and speed of a weaker robot", "wave.bvh", "imitate", ("--robot", "olivia17"), 2.5, zoom=1.05),
]  # fmt: skip


def run(*words: object) -> None:
    done = subprocess.run([*map(str, words)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stderr}")


def recording(command: str, entry: Entry, folder: pathlib.Path) -> pathlib.Path | None:
    """Returns the clip's file; None where the data is not there."""
    if entry.source == CMU:
        root = os.environ.get("PANTO_TEST_DATA")
        path = pathlib.Path(root, entry.clip) if root else None
        return path if path and path.exists() else None
    if entry.clip.endswith(".bvh"):
        return PROJECT / "examples" / "data" / entry.clip
    if entry.clip == "sensors":
        made = folder / "sensors.csv"
        run(command, "synthesize", "walk", "--model", "human48", "--rate", "100", "--duration", "4", "--seed", "3", "--sensors", SENSORS, "--fault", "all", "--imu", made)
        return made
    made = folder / f"{entry.clip}.bvh"
    run(command, "synthesize", entry.clip, "--rate", "60", "-o", made)
    return made


def draw(command: str, entry: Entry) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        clip = recording(command, entry, folder)
        if clip is None:
            print(f"{entry.name}: no {entry.clip} in PANTO_TEST_DATA; its picture stays")
            return
        page = folder / "page.html"
        run(command, entry.task, clip, *entry.options, "--report", page)
        if not page.exists():  # `imitate` numbers the pages of several gestures
            page = folder / "page_1.html"
        if entry.film:
            start, stop = entry.film
            made = panto.film(page, GALLERY / f"{entry.name}.gif", start=start, stop=stop, size=(480, 300), zoom=entry.zoom)
        else:
            made = panto.picture(page, GALLERY / f"{entry.name}.png", at=entry.at, size=(640, 440), zoom=entry.zoom, show=entry.show)
        print(f"{made.relative_to(PROJECT)}: {made.stat().st_size} bytes")


def command_of(entry: Entry) -> str:
    clip = {"sensors": "sensors.csv", "run": "run.bvh", "reach": "reach.bvh"}.get(entry.clip, pathlib.Path(entry.clip).name)
    options = " ".join(pathlib.Path(word).name if "/" in word else word for word in entry.options)
    return f"panto {entry.task} {clip} {options}"


def page() -> str:
    lines = ["# Gallery", "", "Results as their [report pages](../formats/report_page.md) draw them; `tools/make_gallery.py` makes all of it. The person", "who was recorded is orange, over the model or beside it.", ""]
    for entry in ENTRIES:
        picture = f"{entry.name}.{'gif' if entry.film else 'png'}"
        lines += [f"## {entry.says}", "", f"![{entry.says}]({picture})", "", f"`{command_of(entry)}`", ""]
    credited = ", ".join(f"`{pathlib.Path(clip).name}`" for clip in sorted({entry.clip for entry in ENTRIES if entry.source == CMU}))
    lines += ["## Recordings", "", f"{credited}:", f"{CMU}.", "All others are made by `panto synthesize`; no person was recorded.", ""]
    return "\n".join(lines)


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    GALLERY.mkdir(exist_ok=True)
    wanted = sys.argv[2:]
    for entry in ENTRIES:
        if not wanted or entry.name in wanted:
            draw(sys.argv[1], entry)
    (GALLERY / "README.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
