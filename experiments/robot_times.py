"""The table "Time" of docs/results/robots.md: one step of the Unitree G1 on a real clip of 120 Hz, by what it follows.

    ./dev bench --scene free --repeats 1                   # builds
    PANTO_COMMAND=build/release/apps/panto/panto .venv-experiments/bin/python experiments/robot_times.py [RUNS]
"""

import json
import pathlib
import re
import statistics
import sys
import tempfile

from common import data_folder, panto


def orientations_alone(folder):
    """The proposed map without the places of hands and feet: the pelvis' remains, as in the paper."""
    path = pathlib.Path(folder) / "orientations.toml"
    panto("map", "unitree_g1", "-o", path, folder=folder)
    lines = []
    for line in path.read_text().splitlines():
        lines.append(line if line.startswith("Pelvis") else re.sub(r", position = true", "", line))
    path.write_text("\n".join(lines).replace("hands = true", "hands = false") + "\n")
    return path


def times(clip, robot, feet, folder, runs):
    cards = []
    for _ in range(runs):
        text = panto("retarget", clip, "--robot", robot, "--feet", feet, "--json", "-o", "out.csv", folder=folder)
        cards.append(json.loads(text))
    middle = {key: statistics.median(card[key] for card in cards) for key in ("step_p50_us", "step_p99_us")}
    return middle, max(card["step_p50_us"] for card in cards), cards[0]


def main():
    data = data_folder("bvh/cmu")
    if data is None:
        return
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    print("| follows | p50 µs | its largest | p99 µs | angle ° | steps at a bound % | state hash |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        rows = (
            ("orientations, the pelvis' place", orientations_alone(folder), "off"),
            ("besides the places of the hands", "unitree_g1", "off"),
            ("besides those of held feet", "unitree_g1", "hold"),
        )
        for name, robot, feet in rows:
            middle, largest, card = times(data / "131_01.bvh", robot, feet, folder, runs)
            print(
                f"| {name} | {middle['step_p50_us']:.2f} | {largest:.2f} | {middle['step_p99_us']:.1f} | {card['angle_mean_deg']:.2f} "
                f"| {100 * card['saturated_share']:.0f} | {card['state_hash']} |"
            )


if __name__ == "__main__":
    main()
