"""`panto batch`: the words of the command line become arguments of `panto.batch`."""

import argparse
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn, Optional, Union

from panto import _core
from panto._paths import printable

if TYPE_CHECKING:
    from panto import Batch


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _core.ConfigError(f"`panto batch`: {message} (`panto batch --help` lists all options)")


def _reports(text: str) -> Union[int, str]:
    if text in ("all", "none"):
        return text
    if text.isdigit():
        return int(text)
    raise argparse.ArgumentTypeError(f"'{text}' must be a number, all or none")


def _shard(text: str) -> tuple[int, int]:
    number, slash, of = text.partition("/")
    if not (slash and number.isdigit() and of.isdigit() and 1 <= int(number) <= int(of)):
        raise argparse.ArgumentTypeError(f"'{text}' is not i/N with i from 1 to N, such as 3/20")
    return int(number), int(of)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="panto batch",
        description="Retarget many recordings onto a robot: motions, an index (Parquet) and a page, in one folder. "
        "Run it again to go on: what is up to date is kept.",
        epilog="Examples:\n  panto batch clips/ --robot g1 -o set\n  panto batch 'clips/**/*.bvh' --robot g1 --for mjlab -o set --shard 3/20\n"
        "  panto batch --index -o set",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("inputs", nargs="*", metavar="IN", help="files, folders, glob patterns")
    add("--robot", metavar="ROBOT", help="as for panto retarget")
    add("-o", "--out", required=True, metavar="FOLDER", help="the data set")
    add("--for", dest="layout", metavar="PROGRAM", help="write motions as this program reads them")
    add("--fps", type=float, metavar="Hz", help="with --for: frames per second")
    add("--lead-in", type=float, metavar="S", help="with --for: begin at rest, standing, this long before the first frame")
    add("--lead-out", type=float, metavar="S", help="with --for: stand at rest this long after the last frame")
    add("--loop", action="store_true", default=None, help="with --for: let the end turn into the beginning")
    add("--workers", type=int, metavar="N", help="processes (default: one a core)")
    add("--shard", type=_shard, metavar="i/N", help="do the i-th of N parts, for arrays of jobs")
    add("--ray", nargs="?", const=True, metavar="ADDRESS", help="on a Ray cluster whose nodes see the same files")
    add("--reports", type=_reports, default=50, metavar="N", help="pages for the N worst clips, all or none (default 50)")
    add("--index", action="store_true", help="only write index and page again, after shards were merged")
    add("--feet", help="plant, soft, off or hold")
    add("--collisions", help="avoid, report or off")
    add("--limits", help="brake, exact, tanh, none or scale")
    add("--relative", metavar="hands,body|off", help="touches that are kept")
    add("--smooth", action="store_true", default=None, help="within all limits")
    add("--solver", help="dynamical, instantaneous, pairwise, damped-jacobian or modular")
    add("--height", type=float, metavar="M", help="of the persons")
    add("--clean", help="off, light or strong, of points")
    add("--ground", action="store_true", default=None, help="put the soles on the floor")
    return parser


def run(words: Sequence[str]) -> int:
    """Runs the command; returns its exit code: 0, 1: a clip failed, 2: wrong usage, 3: nothing could be written."""
    import panto

    try:
        given = vars(_parser().parse_args(words))
        only_index, inputs, robot, out = (given.pop(key) for key in ("index", "inputs", "robot", "out"))
        if only_index:
            result = panto._batch.index(out)
        else:
            if not inputs:
                raise _core.ConfigError("`panto batch`: no recordings given; name files, folders or patterns")
            if robot is None:
                raise _core.ConfigError("`panto batch`: --robot is missing, as in --robot g1")
            fixed = {key: given.pop(key) for key in ("layout", "fps", "workers", "shard", "ray", "reports")}
            result = panto.batch(inputs, robot, out, **fixed, **{key: value for key, value in given.items() if value is not None})
    except (_core.ConfigError, ImportError) as error:
        print(f"panto: {printable(_needs(error))}", file=sys.stderr)
        return 2
    except _core.Error as error:
        print(f"panto: {printable(error)}", file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        print("panto: interrupted; the same command goes on from here", file=sys.stderr)
        return 130
    for problem in [*result.problems, *_all_failed(result)]:
        print(f"panto: {printable(problem)}", file=sys.stderr)
    try:
        print(f"{result.done} done, {result.failed} failed, {result.kept} of them up to date before\n{printable(result.index)}\n{printable(result.page)}", flush=True)
    except BrokenPipeError:  # `| head -1`: who reads has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 3 if result.problems else 1 if result.failed else 0


def _all_failed(result: "Batch") -> list[str]:
    """Returns why nothing was done, if nothing was."""
    if result.done or not result.reasons:
        return []
    others = len(result.reasons) - 1
    more = f" ({others} other reason{'s' * (others > 1)}: column `reason` of the index)" if others else ""
    return [f"no clip could be retargeted: {result.reasons[0]}{more}"]


def _needs(error: Exception) -> str:
    missing: Optional[str] = getattr(error, "name", None)
    return f"batch needs {missing}: pip install {missing}" if isinstance(error, ImportError) and missing else str(error)
