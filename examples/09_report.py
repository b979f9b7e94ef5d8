"""Is the result good? In words, as figures for programs, and as a page with a replay for people.     09_report.py [RECORDING [PAGE.html]]"""

import json
import pathlib
import sys

import panto

DATA = pathlib.Path(__file__).parent / "data"


def main(path=DATA / "walk.bvh", page=None):
    result = panto.track(path)
    print(result.verdict)
    print(json.dumps(result.figures))
    checked = panto.check(result, "angle_p99_deg>2,limit_violations>0")
    print(f"{len(checked.checks) - len(checked.failed)} of {len(checked.checks)} checks passed")
    if page:
        result.report(page)
        print("wrote", page)
    return 0 if result.verdict.good and checked else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
