#!/usr/bin/env python3
"""Compares two builds of the command over the shared recordings: the JSON of every job, without times, and exit codes.

Usage: compare_builds.py OLD NEW     Paths of two `panto` programs; recordings come from PANTO_TEST_DATA.
Prints all differences and exits 1 if there is one.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

DATA = pathlib.Path(os.environ.get("PANTO_TEST_DATA", pathlib.Path(__file__).resolve().parents[2] / "shared" / "data"))
TIME = re.compile(r"step_.*_us|scale_ms|solve_ms")  # keys that hold times


def files(pattern, most=None):
    return [str(path) for path in sorted(DATA.glob(pattern))[:most]]


def jobs():
    """Yields the arguments of every command to compare."""
    for path in files("bvh/*/*.bvh") + files("mvnx/*") + files("lafan1/*.bvh") + files("cases/*.bvh") + files("cases/*.trc"):
        yield ["inspect", path]
    for path in files("bvh/cmu/*.bvh") + files("mvnx/*.mvnx") + files("cases/0*.bvh") + files("cases/*.trc"):
        yield ["track", path]
        yield ["check", path]
    for robot in ("unitree_g1", "icub"):
        for path in files("bvh/cmu/*.bvh") + files("mvnx/*.mvnx") + files("cases/0[23]*"):
            yield ["retarget", path, "--robot", robot]
    clip = str(DATA / "bvh/cmu/002_01.bvh")
    for options in (
        "--feet soft", "--feet off", "--smooth", "--limits scale", "--limits scale --turns", "--solver instantaneous",
        "--relative hands,body", "--align none", "--paper",
    ):
        yield ["retarget", clip, "--robot", "unitree_g1", *options.split()]
    for path in files("bvh/cmu/002_0*.bvh"):
        yield ["imitate", path]
    for path in files("models/*/*.urdf"):
        yield ["map", path]
        yield ["retarget", clip, "--robot", path]


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(one) for key, one in value.items() if not TIME.search(key)}
    return [without_times(one) for one in value] if isinstance(value, list) else value


def result(program, job):
    done = subprocess.run([program, *job, "--json"], capture_output=True, text=True, timeout=600)
    try:
        return done.returncode, without_times(json.loads(done.stdout))
    except json.JSONDecodeError:
        return done.returncode, done.stdout


def main(old, new):
    compared = differing = 0
    for job in jobs():
        compared += 1
        before, after = result(old, job), result(new, job)
        if before == after:
            continue
        differing += 1
        print("differs:", " ".join(job), f"(exit codes {before[0]}, {after[0]})")
        if isinstance(before[1], dict) and isinstance(after[1], dict):
            for key in {**before[1], **after[1]}:
                if before[1].get(key) != after[1].get(key):
                    print(f"   {key}: {str(before[1].get(key))[:120]} | {str(after[1].get(key))[:120]}")
    print(f"{compared} jobs compared, {differing} differ")
    return 1 if differing or not compared else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
