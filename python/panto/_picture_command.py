"""`panto picture`: the words of the command line become arguments of `panto.picture` and `panto.film`."""

import argparse
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from panto import _core
from panto._paths import printable


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _core.ConfigError(f"`panto picture`: {message} (`panto picture --help` lists all options)")


def _size(words: str) -> tuple[int, int]:
    width, cross, height = words.lower().partition("x")
    if not (cross and width.isdigit() and height.isdigit()):
        raise argparse.ArgumentTypeError(f"'{words}' is not WIDTHxHEIGHT, as 1280x720")
    return int(width), int(height)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="panto picture",
        description="Draw a report page's replay: a PNG, or a film (WebM, GIF). Needs Chromium or Chrome, without a window.",
        epilog="Examples:\n  panto picture dance.html --at 4.8 -o dance.png\n  panto picture dance.html --from 3 --to 6 -o dance.webm\n"
        "  panto picture dance.html --size 480x300 --no-verdict -o dance.gif",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("page", metavar="PAGE", help="what --report wrote")
    add("-o", "--out", required=True, metavar="FILE", help="ends in .png, .webm or .gif")
    add("--at", type=float, metavar="S", help="instant of a PNG (default: the first frame)")
    add("--from", dest="start", type=float, metavar="S", help="where a film begins (default: the first frame)")
    add("--to", dest="stop", type=float, metavar="S", help="where it ends (default: the last frame)")
    add("--fps", type=float, metavar="Hz", help="of a film (default 30, of a GIF 12.5)")
    add("--speed", type=float, metavar="N", help="of a film (default 1)")
    add("--view", metavar="VIEW", help="corner, front, side or top")
    add("--zoom", type=float, metavar="N", help="how much nearer (default 1)")
    add("--size", type=_size, metavar="WxH", help="pixels")
    add("--show", type=lambda words: words.split(","), metavar="WHAT,...", help="trails, balance, uncertainty")
    add("--theme", metavar="THEME", help="light or dark")
    add("--no-verdict", dest="verdict", action="store_false", default=None, help="leave out title and verdict")
    add("--browser", metavar="PROGRAM", help="Chromium or Chrome (default: $PANTO_BROWSER, else the installed one)")
    add("--timeout", type=float, metavar="S", help="for all of it (default 120, of a film 1200)")
    return parser


def run(words: Sequence[str]) -> int:
    """Runs the command; returns its exit code: 0, 2: wrong usage, 3: nothing could be made of the page."""
    import panto

    try:
        given: dict[str, Any] = {key: value for key, value in vars(_parser().parse_args(words)).items() if value is not None}
        page, out = given.pop("page"), given.pop("out")
        still = out.lower().endswith(".png")
        wrong = [name for name in (("start", "stop", "fps", "speed") if still else ("at",)) if name in given]
        if wrong:
            option = {"start": "from", "stop": "to"}.get(wrong[0], wrong[0])
            raise _core.ConfigError(f"`panto picture`: --{option} does not apply to {'a PNG' if still else 'a film'}")
        if not still and not out.lower().endswith((".webm", ".gif")):
            raise _core.ConfigError(f"`panto picture`: '{out}' must end in .png, .webm or .gif")
        written = panto.picture(page, out, **given) if still else panto.film(page, out, **given)
    except _core.ConfigError as error:
        print(f"panto: {printable(error)}", file=sys.stderr)
        return 2
    except _core.Error as error:
        print(f"panto: {printable(error)}", file=sys.stderr)
        return 3
    print(f"wrote {printable(written)}")
    return 0
