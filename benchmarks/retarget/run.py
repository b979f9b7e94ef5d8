#!/usr/bin/env python3
"""Judges retargeted motions by MuJoCo on the makers' models, side by side. `./dev bench-retarget` calls it.

Usage: run.py [CLIP.bvh | FOLDER ...] [options]

  --robots LIST     of robots.toml (default g1,h1,icub); the first is the one that other tools are compared on
  --motions FOLDER  motions of other tools: TOOL_CLIP.csv, .pkl or .npz, as unitree_dance1_subject2.csv
                    (default: the folder of the clip)
  --meshes FOLDER   files that the robots' URDFs name, at any depth; may be repeated (the G1's are those of the wheel
                    of meshes.txt, in build/retarget)
  --frames N        judge the first N frames of every clip
  --no-mink         leave mink out, which takes most of the time
  --keep            take mink's motions of an earlier run, with their times, from --out
  --no-pictures     draw nothing
  --out FOLDER      motions, pictures, all figures (default out/retarget)

Without clips: those of PANTO_TEST_DATA that CLIPS lists; then docs/results/robots.md gets the table, docs/results/robots
all figures and the pictures of clip 005_02. Exit code 1: nothing could be judged; 2: usage.
"""

import argparse
import pathlib
import resource
import subprocess
import sys
import time
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
sys.path.insert(0, str(PROJECT / "experiments"))

import figures
import mink_peer
import motions
import numpy as np
import person as human
import pictures
import robot as robots
from common import Missed, Page, command, data_folder, number
from motions import Unusable

CLIPS = ["lafan1/dance1_subject2", "lafan1/fallAndGetUp1_subject1", *(f"bvh/cmu/{clip}" for clip in ("007_01", "002_03", "002_04", "005_02"))]
SHOWN = "005_02"  # CMU's terms let its picture into the repository
WHEEL_FOLDER = "asset_zoo/robots/unitree_g1/xmls/assets/"
TOOLS = {"unitree": "Unitree", "gmr": "GMR"}
PANTO = {"Panto": [], "Panto,hold": ["--feet", "hold"]}
MINK = "mink"
SPEED = "frames/s"
# columns of the page: heading, and the figures in a cell
COLUMNS = [
    ("limbs [°]", ["limb directions off, mean [deg]", "limb directions off, p95 [deg]"]),
    ("thigh/shank/arm/forearm/foot [°]", [f"{limb} off, mean [deg]" for limb in (*figures.LIMBS, "foot")]),
    ("skate [mm/s]", ["skate in stance, median [mm/s]", "skate in stance, p95 [mm/s]"]),
    ("dashes [%]", ["pelvis > 1 m/s faster than the person's [% of frames]"]),
    ("pelvis [m/s²]", ["pelvis acceleration, p99 [m/s²]"]),
    ("tilt [°]", ["base tilt off, median [deg]", "base tilt off, p95 [deg]"]),
    ("sole/body under [%]", ["soles > 5 mm under the floor [% of frames]", "any part > 10 mm under the floor [% of frames]"]),
    ("floating [mm]", ["soles above the floor in stance, median [mm]", "soles above the floor in stance, p95 [mm]"]),
    ("collapses", ["limbs > 60° off for 0.5 s [times]"]),
    ("limits [%]", ["position limits broken [% of frames]", "speed limits broken [% of frames]"]),
    ("joints [rad/s²]", ["joint acceleration, rms [rad/s²]"]),
    ("overlap [%]", ["links > 10 mm in each other [% of frames]"]),
    ("rates [%]", ["joint rates off their positions' derivative [%]", "base velocity off its derivative [%]"]),
    (SPEED, [SPEED]),
]


def say(text):
    print(f"bench-retarget: {text}", file=sys.stderr, flush=True)


def find_meshes(given):
    """Folders with meshes: the given ones, then the G1's from its wheel. Robots without meshes have empty rows, which is said."""
    folder = PROJECT / "build" / "retarget" / "meshes"
    if (folder / "pelvis.STL").is_file():
        return [*given, folder]
    work = folder.parent
    work.mkdir(parents=True, exist_ok=True)
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes",
           "--only-binary", ":all:", "-r", HERE / "meshes.txt", "-d", work]  # fmt: skip
    result = subprocess.run(list(map(str, pip)), capture_output=True, text=True)
    wheels = sorted(work.glob("mjlab-*.whl"))
    if result.returncode != 0 or not wheels:
        say(f"no meshes of the G1: {result.stderr.strip()[-300:]}\n  give their folder with --meshes; without them bodies under the floor and overlaps stay empty")
        return given
    with zipfile.ZipFile(wheels[-1]) as wheel:
        folder.mkdir(exist_ok=True)
        for name in wheel.namelist():
            if WHEEL_FOLDER in name and name.endswith(".STL"):
                (folder / pathlib.PurePosixPath(name).name).write_bytes(wheel.read(name))
    return [*given, folder]


def find_clips(words, data):
    if not words:
        found = [path for path in (data / f"{clip}.bvh" for clip in CLIPS) if path.is_file()] if data else []
    else:
        paths = [pathlib.Path(word) for word in words]
        missing = [str(path) for path in paths if not path.exists()]
        if missing:
            raise Unusable(f"no such clip or folder: {', '.join(missing)}")
        found = [clip for path in paths for clip in (sorted(path.glob("*.bvh")) if path.is_dir() else [path])]
    if not found:
        raise Unusable("no clips; give .bvh files or a folder, or set PANTO_TEST_DATA to the folder of recordings")
    return found


def rig_of_sibling(clip, out):
    """A rig map of a clip beside it with the same skeleton, for a clip in which the person never stands long enough."""
    head = clip.read_text(encoding="utf-8", errors="replace").count("JOINT")
    for other in sorted(clip.parent.glob("*.bvh")):
        if other != clip and other.read_text(encoding="utf-8", errors="replace").count("JOINT") == head:
            rig = out / f"{clip.stem}_rig.toml"
            if subprocess.run([command(), "inspect", other, "-o", rig], capture_output=True).returncode == 0:
                return rig
    return None


def processor_seconds():
    """Time that finished children took on all cores: what others do on this machine does not count."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


RIGS = {}  # clip: the rig map that it needs


def run_panto(clip, name, options, target, out):
    """Retargets, and returns the seconds of one core from file to file; the best of three."""
    seconds = []
    while len(seconds) < 3:
        rig = ["--rig", RIGS[clip]] if clip in RIGS else []
        words = [command(), "retarget", clip, "--robot", name, *options, *rig, "-o", target]
        begin = processor_seconds()
        result = subprocess.run(list(map(str, words)), capture_output=True, text=True)
        seconds.append(processor_seconds() - begin)
        if result.returncode in (0, 1):
            continue
        reason = (result.stderr.strip().splitlines() or ["no message"])[-1]
        if clip in RIGS or (found := rig_of_sibling(clip, out)) is None:
            raise Unusable(f"panto ended with {result.returncode}: {reason}")
        say(f"{clip.name}: {reason}\n  using the rig map of a clip beside it")
        RIGS[clip] = found
        seconds.clear()
    return min(seconds)


def run_mink(robot, clip, frames, target, keep):
    """Solves a clip; returns the seconds from file to file."""
    if keep and target.is_file():
        earlier = np.load(target)
        if len(earlier["qpos"]) == frames and "seconds" in earlier:
            return float(earlier["seconds"])
    begin = time.process_time()
    person = human.read(clip)
    motion = mink_peer.retarget(robot, human.cut(person, frames))
    result = {"qpos": robots.positions(robot, motion), "fps": person.rate}
    np.savez(target, **result)
    seconds = time.process_time() - begin
    np.savez(target, **result, seconds=seconds)
    return seconds


def others(clip, folder):
    """Motions of other tools for this clip: (title, path)."""
    for path in sorted((folder or clip.parent).glob(f"*_{clip.stem}.*")):
        if path.suffix in (".csv", ".pkl", ".npz"):
            tool = path.name[: -len(f"_{clip.stem}{path.suffix}")]
            yield TOOLS.get(tool, tool), path


def motions_of(robot, clip, person, arguments, compared):
    """Makes or finds the motions of one clip on one robot: (tool, path, frames per second or NaN)."""
    name = robot.table.get("panto") or robot.urdf
    for tool, options in PANTO.items() if compared else [("Panto", [])]:
        target = arguments.out / f"{clip.stem}_{robot.key}_{tool.replace(',', '_')}.npz"
        yield tool, target, lambda target=target, options=options: len(person) / run_panto(clip, name, options, target, arguments.out)
    if not compared:
        return
    for tool, path in others(clip, arguments.motions):
        yield tool, path, lambda: float("nan")
    if not arguments.no_mink and robot.key == "g1":
        target, frames = arguments.out / f"{clip.stem}_{robot.key}_mink.npz", min(len(person), arguments.frames or len(person))
        yield MINK, target, lambda: frames / run_mink(robot, clip, frames, target, arguments.keep)


def judge_clip(robot, clip, person, arguments, compared):
    """Rows of figures and tracks of one clip on one robot."""
    rows, tracks = [], []
    for tool, path, make in motions_of(robot, clip, person, arguments, compared):
        try:
            speed = make()
            motion = motions.read(path, person.rate)
            if abs(motion.rate / person.rate - 1) > 0.02:
                raise Unusable(f"{path}: {motion.rate:g} frames/s, the clip has {person.rate:g}")
            track = robots.follow(robot, motion)
            found = figures.judge(robot, motion, track, human.cut(person, arguments.frames or len(person)))
        except Unusable as problem:
            say(f"{clip.stem}, {robot.table['title']}, {tool}: {problem}")
            continue
        say(f"{clip.stem}, {robot.table['title']}, {tool}: limbs {found['limb directions off, mean [deg]']:.1f} deg off")
        rows.append({"robot": robot.table["title"], "clip": clip.stem, "tool": tool, **found, SPEED: speed})
        tracks.append((tool, robot, track))
    return rows, tracks


def draw(clip, person, tracks, path, title):
    frames = np.linspace(0.08, 0.92, 6) * min(len(person), *(len(track.qpos) for *_, track in tracks))
    frames = [int(frame) for frame in frames]
    rows = [("person", pictures.person_row(person, frames))]
    for label, robot, track in tracks:
        rows.append((label.replace(",", ",\n"), pictures.robot_row(robot, track, person, frames)))
    pictures.sheet(rows, [frame / person.rate for frame in frames], path, title)


def cell(row, names):
    values = [row.get(name, float("nan")) for name in names]
    if all(value is None or np.isnan(value) for value in values):
        return "-"
    return "/".join("-" if np.isnan(value) else number(0.0 if abs(value) < 5e-3 else value) for value in values)


def markdown(rows):
    """One table; cells without spaces keep the page's text short."""
    head = ["robot", "clip", "tool", *(title for title, _ in COLUMNS)]
    lines = ["|".join(["", *cells, ""]) for cells in (head, ["---"] * len(head))]
    for row in rows:
        cells = [row["robot"], row["clip"].split("_subject")[0], row["tool"], *(cell(row, names) for _, names in COLUMNS)]
        lines.append("|".join(["", *cells, ""]))
    return "\n".join(lines)


def parse(words):
    parser = argparse.ArgumentParser(usage=__doc__.split("Usage: ")[1])
    parser.add_argument("clips", nargs="*")
    parser.add_argument("--robots", default="g1,h1,icub")
    parser.add_argument("--motions", type=pathlib.Path)
    parser.add_argument("--meshes", type=pathlib.Path, action="append", default=[])
    parser.add_argument("--frames", type=int)
    parser.add_argument("--no-mink", action="store_true")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--no-pictures", action="store_true")
    parser.add_argument("--out", type=pathlib.Path, default=PROJECT / "out" / "retarget")
    return parser.parse_args(words)


def publish(rows, columns, out):
    """Writes the table and all figures into the results."""
    page = Page("robots.md")
    page.write_table("retarget.csv", columns, [[row.get(name, "") for name in columns] for row in rows])
    page.write_block("retarget", markdown(rows))
    for sheet in out.glob(f"{SHOWN}_*.jpg"):
        (page.folder / sheet.name).write_bytes(sheet.read_bytes())


def main(words):
    arguments = parse(words)
    arguments.out.mkdir(parents=True, exist_ok=True)
    data = data_folder("")
    clips, meshes = find_clips(arguments.clips, data), find_meshes(arguments.meshes)
    if data is None:
        raise Unusable("the robots' models are below PANTO_TEST_DATA/models; set PANTO_TEST_DATA")
    models = [robots.load(key, data / "models", tuple(meshes)) for key in arguments.robots.split(",")]
    rows, drawing = [], not arguments.no_pictures
    for clip in clips:
        try:
            person = human.read(clip)
        except Unusable as problem:
            say(str(problem))
            continue
        several = []
        for k, robot in enumerate(models):
            judged, tracks = judge_clip(robot, clip, person, arguments, compared=k == 0)
            rows += judged
            several += [(robot.table["title"], *track[1:]) for track in tracks[:1]]
            try:
                if drawing and k == 0 and tracks:
                    draw(clip, person, tracks, arguments.out / f"{clip.stem}_{robot.key}.jpg", f"{clip.stem} onto the {robot.table['title']}")
                if drawing and k == len(models) - 1 and len(several) > 1:
                    draw(clip, person, several, arguments.out / f"{clip.stem}_robots.jpg", f"{clip.stem} onto {len(several)} robots by Panto")
            except Unusable as problem:
                say(str(problem))
                drawing = False
    if not rows:
        raise Unusable("no motion could be judged, see above")
    rows.sort(key=lambda row: [robot.table["title"] for robot in models].index(row["robot"]))  # stable: clips stay in order
    columns = list(dict.fromkeys(name for row in rows for name in row))
    print(markdown(rows))
    if not arguments.clips and not arguments.frames:
        publish(rows, columns, arguments.out)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (Unusable, Missed) as problem:
        sys.exit(f"bench-retarget: {problem}")
