"""C-10: two sensors that were swapped: which pairs `panto track` names, and what it says of suits worn as they should be.

Synthetic: seventeen sensors with all faults on a person who walks; each pair of neighbours on the body and of left and right is changed
over in two ways: *names*, each measures under the other's name; *calibrated*, each sat on the other's segment already when the pose
was held, and has a turn that fits there. Real: qmt's sixteen sensors (full_body.py), swapped by name in the calibrated file, or
in the nominal one before `panto calibrate` sees it; looked for in twenty seconds of standing and walking.
"""

import json
import pathlib
import re
import subprocess
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from c9_walks import HANG, START
from common import PROJECT, Missed, Page, command, data_folder, main, panto
from full_body import FIRST, STANDING_AGAIN, WALK, put_nominal, put_recording, quaternion, span

PAGE = Page("inertial.md")
SEEDS, WORN_SEEDS, SECONDS = 2, 12, 20.0  # [s]
AT_ONCE = 2  # commands
ENDS = 114.0  # [s] of qmt's session: standing, sitting, the first walk,
BEGINS = STANDING_AGAIN[0]  # from where changes are looked for: standing as at first, and the walk
ARM, LEG, SIDES = ("Shoulder", "UpperArm", "ForeArm", "Hand"), ("UpperLeg", "LowerLeg", "Foot"), ("Right", "Left")
OTHER_MOTIONS = ("fast_walk", "run", "conduct", "gesture", "npose", "wave")
KINDS = ("named", "named with another", "another named", "not named")


def neighbours(arm, trunk):
    """Pairs of links: left and right, along each limb, along the trunk and from it to the limbs."""
    pairs = [("Right" + part, "Left" + part) for part in (*arm, *LEG)]
    for side in SIDES:
        limbs = [(side + a, side + b) for limb in (arm, LEG) for a, b in zip(limb, limb[1:])]
        pairs += [*limbs, (trunk[-2], side + arm[0]), (trunk[0], side + LEG[0])]
    return pairs + list(zip(trunk, trunk[1:]))


def hangs(link):
    """Where a link of the synthetic walk points to at the start, in axes of the world."""
    arm = any(part in link for part in ARM[1:])
    angle = np.radians(HANG if link.startswith("Right") else -HANG) if arm else 0.0
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def exchange_names(text, one, other):
    """The file of sensors with two sensors swapped: their names, and the biases that are known of them."""
    rows = {name: re.search(rf'"{name}", link.*', text).group() for name in (one, other)}
    biases = {name: re.search(r"gyro_bias = \[.*?\]", row) for name, row in rows.items()}
    for name, instead in ((one, other), (other, one)):
        row = rows[name].replace(f'"{name}", link', f'"{instead}", link')
        if biases[name] and biases[instead]:
            row = row.replace(biases[name].group(), biases[instead].group())
        text = text.replace(rows[name], row)
    return text


def exchange_calibrated(text, one, other):
    """The shipped file, whose sensors have the axes of their links and their names, as a pose would calibrate it with two swapped."""
    text = exchange_names(text, one, other)
    for name, worn, said in ((one, one, other), (other, other, one)):
        wxyz = [round(float(q), 9) for q in quaternion(hangs(said).T @ hangs(worn))]
        text = text.replace(f'"{name}", link = "{said}"', f'"{name}", link = "{said}", wxyz = {wxyz}')
    return text


def asked(folder, text, imu="imu.csv"):
    """What is said of a file of sensors: the pairs, as sets of names."""
    with tempfile.TemporaryDirectory(dir=folder) as own:
        (pathlib.Path(own) / "asked.toml").write_text(text, encoding="utf-8")
        card = json.loads(panto("track", f"../{imu}", "--model", "human48", "--sensors", "asked.toml", "--json", folder=own))
    return [{pair["one"], pair["other"]} for pair in card["swapped_sensors"]]


def kind(found, pair):
    if set(pair) in found:
        return KINDS[0] if len(found) == 1 else KINDS[1]
    return KINDS[2] if found else KINDS[3]


def synthesize(folder, suit, motion, seed):
    (folder / "suit.toml").write_text(suit, encoding="utf-8")
    panto("synthesize", motion, "--model", "human48", "--rate", "100", "--duration", SECONDS, "--seed", seed, "--sensors", "suit.toml",
          "--imu", "imu.csv", "--fault", "all", folder=folder)  # fmt: skip


def walks(folder, quick):
    """Ways by pair, of each seed; and how many walks there were that nothing was wrong with, and were accused."""
    suit = (PROJECT / "models/chains/human_sensors.toml").read_text(encoding="utf-8") + START
    pairs = neighbours(ARM, ("Pelvis", "T8", "Head"))
    ways = {}
    accused = []
    for seed in range(1, 1 + (2 if quick else WORN_SEEDS)):
        synthesize(folder, suit, "walk", seed)
        if found := asked(folder, suit):
            accused.append((f"walk {seed}", found))
        if seed > (1 if quick else SEEDS):
            continue
        tasks = {}
        for one, other in pairs[:4] if quick else pairs:
            tasks["names", one, other] = exchange_names(suit, one, other)
            if not np.allclose(hangs(one), hangs(other)):
                tasks["calibrated", one, other] = exchange_calibrated(suit, one, other)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for key, found in zip(tasks, pool.map(lambda text: asked(folder, text), tasks.values())):
                ways.setdefault(key, []).append(kind(found, key[1:]))
    return ways, accused


def others(folder):
    """Other motions, with start and sensors as they are."""
    suit = (PROJECT / "models/chains/human_sensors.toml").read_text(encoding="utf-8") + START
    accused = []
    for motion in OTHER_MOTIONS:
        for seed in (1, 2, 3):
            synthesize(folder, suit, motion, seed)
            if found := asked(folder, suit):
                accused.append((f"{motion} {seed}", found))
    return accused


def calibrated(folder, nominal):
    """qmt's file of sensors; ends with 1 where a sensor is to be repeated, which is no concern here."""
    words = ["calibrate", "../qmt.csv", "--model", "human48", "--pose", "npose", "--sensors", "nominal.toml", "-o", "subject.toml", "--walk", span(WALK)]
    with tempfile.TemporaryDirectory(dir=folder) as own:
        own = pathlib.Path(own)
        (own / "nominal.toml").write_text(nominal, encoding="utf-8")
        result = subprocess.run([str(command()), *words], cwd=own, capture_output=True, text=True)
        if result.returncode not in (0, 1):
            raise Missed(f"`panto calibrate` ended with {result.returncode}: {result.stderr.strip()}")
        return (own / "subject.toml").read_text(encoding="utf-8")


def real(folder):
    """The same of qmt's recording; None where it is not there."""
    source = data_folder("inertial/qmt_fullbody")
    if source is None:
        return None
    put_recording(source, folder / "qmt.csv", ENDS)
    put_nominal(folder / "nominal.toml")
    nominal = (folder / "nominal.toml").read_text(encoding="utf-8")
    worn = calibrated(folder, nominal)
    header, *rows = (folder / "qmt.csv").read_text(encoding="utf-8").splitlines()
    walk = [row for row in rows if float(row.partition(",")[0]) >= BEGINS - FIRST]
    (folder / "walk.csv").write_text("\n".join([header, *walk]) + "\n", encoding="utf-8")
    names = {sensor["link"]: sensor["name"] for sensor in tomllib.loads(worn)["sensors"]}
    pairs = [(one, other) for one, other in neighbours(ARM[1:], ("Pelvis", "L3", "T8", "Head")) if not one.startswith("Left") and other != "LeftUpperLeg"]
    tasks = [(way, one, other) for one, other in pairs for way in ("names", "calibrated")]

    def ask(task):
        way, *links = task
        pair = [names[link] for link in links]
        text = exchange_names(worn, *pair) if way == "names" else calibrated(folder, exchange_names(nominal, *pair))
        return [kind(asked(folder, text, "walk.csv"), pair)]

    with ThreadPoolExecutor(AT_ONCE) as pool:
        ways = dict(zip(tasks, pool.map(ask, tasks)))
    return ways, [(name, found) for name in ("qmt.csv", "walk.csv") if (found := asked(folder, worn, name))]


def measure(quick, folder):
    folder = pathlib.Path(folder)
    ways, accused = walks(folder, quick)
    return {"ways": ways, "accused": accused + ([] if quick else others(folder)), "real": None if quick else real(folder)}


def counts(ways):
    """How many of each kind."""
    said = [kind for kinds in ways.values() for kind in kinds]
    return {kind: said.count(kind) for kind in KINDS}


def check(data, checks):
    checks.below(len(data["accused"]), 0, "synthetic: recordings of a suit worn as it should be, of which two sensors are said to be swapped")
    found = counts(data["ways"])
    total = sum(found.values())
    checks.above(found["named"] / total, 0.95, "walks: of all changes, the pair is named and no other")
    checks.below(found["another named"] / total, 0.01, "walks: another pair is named instead")
    if data["real"]:
        ways, accused = data["real"]
        checks.below(len(accused), 0, "real: recordings of a suit worn as it should be, of which two sensors are said to be swapped")
        found = counts(ways)
        checks.below(found["another named"] / sum(found.values()), 0.05, "real: another pair is named instead")


def shown(ways, one, other):
    """The kinds of one pair, shortly."""
    cells = []
    for way in ("names", "calibrated"):
        kinds = ways.get((way, one, other), [])
        cells.append(", ".join(f"{kinds.count(kind)} {kind}" for kind in KINDS if kind in kinds) or "as by name")
    return cells


def publish(data, checks):
    blocks = [checks.brief(PAGE, "c10_checks.csv")]
    for name, ways, what in (("c10_walks.csv", data["ways"], f"walks, {SEEDS} seeds"), ("c10_qmt.csv", data["real"] and data["real"][0], "qmt's recording")):
        if not ways:
            continue
        pairs = list(dict.fromkeys(key[1:] for key in ways))
        rows = [[f"{one}, {other}", *shown(ways, one, other)] for one, other in pairs]
        found = counts(ways)
        link = PAGE.write_cells(name, [f"swapped ({what})", "names", "calibrated"], rows)
        blocks.append(f"Of {sum(found.values())} swaps ({what}, {link}): " + ", ".join(f"{number} {kind}" for kind, number in found.items()) + ".")
    if data["accused"]:
        blocks.append("Reported as swapped though worn correctly: " + "; ".join(f"{what}: {found}" for what, found in data["accused"]))
    PAGE.write_block("C-10 swapped", "\n\n".join(blocks))


if __name__ == "__main__":
    main("C-10", measure, check, publish)
