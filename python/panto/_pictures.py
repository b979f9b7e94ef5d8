"""Pictures and films of report pages, drawn by the page itself in a browser without a window."""

import base64
import json
import os
import pathlib
from collections.abc import Sequence
from typing import Any, Literal, Optional

from panto import _core
from panto._arguments import named
from panto._browser import Browser, find
from panto._paths import Path, text

View = Literal["corner", "front", "side", "top"]
Theme = Literal["light", "dark"]

_MARK = b'id="panto-run"'


@named
def picture(
    page: Path, path: Path, *, at: Optional[float] = None, view: Optional[View] = None, size: Optional[tuple[int, int]] = None,
    zoom: float = 1.0, show: Sequence[str] = (), theme: Theme = "light", verdict: bool = True, browser: Optional[str] = None,
    timeout: float = 120.0,
) -> pathlib.Path:  # fmt: skip
    """Writes a PNG of a report page's replay at `at` [s] (default: the first frame), with the verdict under it.

    `show`: any of trails, balance, uncertainty. `browser`: Chromium or Chrome, else $PANTO_BROWSER, else the one that is installed. `timeout` [s] is for all of it.
    """
    return _draw("picture", page, path, {"at": at}, view, size, zoom, show, theme, verdict, browser, timeout)


@named
def film(
    page: Path, path: Path, *, start: Optional[float] = None, stop: Optional[float] = None, fps: Optional[float] = None, speed: float = 1.0,
    view: Optional[View] = None, size: Optional[tuple[int, int]] = None, zoom: float = 1.0, show: Sequence[str] = (), theme: Theme = "light",
    verdict: bool = True, browser: Optional[str] = None, timeout: float = 1200.0,
) -> pathlib.Path:  # fmt: skip
    """Writes a film of a report page's replay from `start` to `stop` [s]: a WebM, or a GIF where `path` ends in .gif.

    `fps`: default 30, of a GIF 12.5. `speed`: seconds of the run by second of the film. Otherwise as `picture`.
    """
    kind = pathlib.Path(text(path)).suffix.lower().lstrip(".")
    if kind not in ("webm", "gif"):
        raise _core.ConfigError(f"'{path}': a film ends in .webm or .gif")
    asked = {"kind": kind, "from": start, "to": stop, "rate": fps, "speed": speed}
    return _draw("film", page, path, asked, view, size, zoom, show, theme, verdict, browser, timeout)


def _draw(
    what: str, page: Path, path: Path, asked: dict[str, Any], view: Optional[str], size: Optional[tuple[int, int]], zoom: float,
    show: Sequence[str], theme: str, verdict: bool, browser: Optional[str], timeout: float,
) -> pathlib.Path:  # fmt: skip
    source, out = pathlib.Path(text(page)), pathlib.Path(text(path))
    try:
        if _MARK not in source.read_bytes():
            raise _core.FormatError(f"{source}: no report page of Panto; `--report {source.stem}.html` of panto track, retarget or imitate writes one")
    except OSError as error:
        raise _core.Error(f"{source}: cannot be read: {error.strerror}") from None
    if view not in (None, "corner", "front", "side", "top"):
        raise _core.ConfigError(f"unknown view '{view}'; choose corner, front, side or top")
    if theme not in ("light", "dark"):
        raise _core.ConfigError(f"unknown theme '{theme}'; choose light or dark")
    options = {**asked, "view": view, "zoom": zoom, "show": list(show), "verdict": verdict}
    if size is not None:
        options["width"], options["height"] = size
    given = json.dumps({key: value for key, value in options.items() if value is not None})
    with Browser(find(browser), timeout) as tab:
        tab.ask("Emulation.setDeviceMetricsOverride", width=1280, height=960, deviceScaleFactor=1, mobile=False)
        media = [("prefers-color-scheme", theme), ("prefers-reduced-motion", "reduce")]
        tab.ask("Emulation.setEmulatedMedia", features=[{"name": name, "value": value} for name, value in media])
        tab.ask("Page.navigate", url=source.resolve().as_uri())
        tab.evaluate("new Promise((go) => document.readyState === 'complete' ? go() : window.addEventListener('load', go)).then(() => true)")
        if not tab.evaluate(f"typeof window.panto?.{what} === 'function'"):
            raise _core.Error(f"{source}: the page of an older Panto, or a damaged one; write it again with --report")
        # once drawn, shapes and shaders are there
        tab.evaluate("new Promise((go) => { const wait = () => !panto.scene.available || panto.scene.frames > 1 ? go(true) : setTimeout(wait, 20); wait(); })")
        drawn = base64.b64decode(tab.evaluate(f"panto.{what}({given})"))
    part = out.with_name(out.name + ".part")
    try:
        part.write_bytes(drawn)
        os.replace(part, out)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise _core.Error(f"{out}: cannot be written: {error.strerror}") from None
    return out
