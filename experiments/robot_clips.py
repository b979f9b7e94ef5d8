"""The table of docs/results/robots.md on clips by our own figures. Prints it.

    PANTO_COMMAND=build/dev/apps/panto/panto .venv-experiments/bin/python experiments/robot_clips.py
"""

import json
import statistics
import sys
import tempfile

from common import data_folder, panto

CLIPS = [f"bvh/cmu/{name}.bvh" for name in ("002_01", "002_03", "002_04", "005_02", "007_01", "007_04", "131_01", "131_02", "scaled_131_01")]
CLIPS.append("mvnx/blender-mvnx-io_test_mocap.mvnx")
ROBOTS = {"icub": None, "unitree_g1": None, "talos": "talos/talos_reduced.urdf", "h1": "unitree/h1.urdf", "simple_humanoid": "talos/simple_humanoid.urdf"}
VIOLATIONS = ("limit_violations", "velocity_violations", "row_violations")


def main():
    data = data_folder("")
    if data is None:
        sys.exit("the tables are of real clips")
    with tempfile.TemporaryDirectory() as folder:

        def card(clip, robot, *options):
            return json.loads(panto("retarget", data / clip, "--robot", robot, *options, "--json", folder=folder))

        for name, file in ROBOTS.items():
            cards = [card(clip, data / "models" / file if file else name) for clip in CLIPS]

            def of(key):
                return [card[key] for card in cards if card[key] is not None]

            cells = [f"{statistics.mean(of('followable_mean_deg')):.1f}", f"{max(of('followable_p99_deg')):.0f}",
                     f"{max(of('collapsed_longest_s')):.2f}", f"{sum(sum(of(key)) for key in VIOLATIONS)}",
                     f"{statistics.median(of('foot_skate_median_mm_s')):.0f}", f"{max(of('foot_penetration_max_mm')):.1f}",
                     f"{100 * statistics.mean(of('on_limit_share')):.0f}", f"{100 * statistics.mean(of('overlap_share')):.1f}"]  # fmt: skip
            print("| " + " | ".join([name, *cells]) + " |")


if __name__ == "__main__":
    main()
