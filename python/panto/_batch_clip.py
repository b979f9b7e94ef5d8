"""One clip of a data set: from its file to a motion and a row. Worker processes run `main`."""

import contextlib
import hashlib
import json
import os
import pathlib
import shutil
import socket
import sys
import time
from collections.abc import Iterator
from typing import Any, NamedTuple, Optional

from panto import _core

#: layouts whose files a data set joins at its end: what is kept of each clip until then
JOINED = {"lerobot": "mujoco"}
#: keyword arguments of `panto.open` among the options
OF_OPEN = ("clean", "ground")
#: keyword arguments of `Motion.save` among them
OF_SAVE = ("lead_in", "lead_out", "loop")


class Clip(NamedTuple):
    """A recording of a data set."""

    name: str  #: in the data set, "dance/walk"
    path: str  #: where it is
    size: int  #: [bytes]; -1: not known


class Job(NamedTuple):
    """What is done with every clip: plain values, for other processes."""

    out: str  #: folder of the data set
    robot: list[Any]  #: name, base, package_dirs, height: arguments of `panto.Robot`
    model: str  #: name of the robot's model
    layout: Optional[str]
    fps: Optional[float]
    options: dict[str, Any]  #: keyword arguments of `panto.retarget`, of `panto.open` and of `Motion.save`
    key: str  #: hash of all above but the folder, and of Panto's version
    reports: str  #: "all": a page for each clip


def row_path(out: str, name: str) -> pathlib.Path:
    """Returns the file of a clip's row."""
    return pathlib.Path(out, "rows", name + ".json")


def report_path(out: str, name: str) -> pathlib.Path:
    """Returns the file of a clip's page."""
    return pathlib.Path(out, "reports", name + ".html")


def extension(layout: Optional[str]) -> str:
    """Returns the extension of the motions: "" for a layout that is a folder."""
    from panto._layouts import extension_of

    return ".npz" if layout is None else extension_of(JOINED.get(layout, layout))


def hash_of(path: str) -> str:
    """Returns the SHA-256 of a file, in hexadecimal digits."""
    total = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            total.update(block)
    return total.hexdigest()


def read_row(out: str, name: str) -> Optional[dict[str, Any]]:
    """Returns the row of a clip; None: there is none that can be read."""
    try:
        row = json.loads(row_path(out, name).read_bytes())
        return row if isinstance(row, dict) else None
    except (OSError, ValueError):
        return None


def up_to_date(job: Job, clip: Clip, row: Optional[dict[str, Any]]) -> bool:
    """Whether a row is what this job would make of the clip as it is now. Same size and time: same content."""
    if row is None or row.get("options") != job.key or row.get("source") != os.path.abspath(clip.path) or not row.get("final"):
        return False
    if row["status"] == "done":
        motion = pathlib.Path(job.out, row["motion"])
        if not motion.exists() or motion.is_file() and motion.stat().st_size != row["motion_bytes"]:
            return False
    try:
        now = os.stat(clip.path)
        if now.st_size == row["source_bytes"] and now.st_mtime_ns == row["source_mtime_ns"]:
            return True
        return bool(hash_of(clip.path) == row["source_sha256"])
    except OSError:
        return False


def write_row(out: str, row: dict[str, Any]) -> None:
    """Writes a row; it appears complete or not at all."""
    path = row_path(out, row["clip"])
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{socket.gethostname()}.{os.getpid()}")
    try:
        part.write_text(json.dumps(row, indent=1), encoding="ascii")
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def failed_row(job: Job, clip: Clip, error: str, reason: str, final: bool = False) -> dict[str, Any]:
    """Returns the row of a clip that failed. final: the same file would fail again."""
    row: dict[str, Any] = {"clip": clip.name, "status": "failed", "error": error, "reason": reason, "final": final}
    return {**row, "source": os.path.abspath(clip.path), "options": job.key, "robot": job.model, "layout": job.layout or "panto"}


def robot_of_job(job: Job) -> Any:
    """Opens the robot."""
    import panto

    name, base, folders, height = job.robot
    return panto.Robot(name, base=base, package_dirs=folders, height=height)


class Worker:
    """Holds the robot, and a folder of its own for unfinished files."""

    def __init__(self, job: Job):
        self.job = job
        self.robot = robot_of_job(job)
        self.work = pathlib.Path(job.out, ".work", f"{socket.gethostname()}.{os.getpid()}")
        for_open = {key: job.options[key] for key in OF_OPEN if key in job.options}
        self._open = {**for_open, "height": job.options.get("height")}
        self._save = {key: job.options[key] for key in OF_SAVE if key in job.options}
        self._retarget = {key: value for key, value in job.options.items() if key not in (*OF_OPEN, *OF_SAVE)}

    def close(self) -> None:
        """Removes the folder of unfinished files."""
        shutil.rmtree(self.work, ignore_errors=True)

    def clip(self, clip: Clip) -> dict[str, Any]:
        """Does one clip, unless its row is up to date; returns its row, which then is on the disk if it can be."""
        old = read_row(self.job.out, clip.name)
        if old is not None and up_to_date(self.job, clip, old):
            return old
        begin = time.perf_counter()
        facts: dict[str, Any] = {}
        try:
            row = self._done(clip, facts)
        except Exception as error:  # whatever is wrong with one clip, the others go on
            kind = type(error).__name__
            row = {**failed_row(self.job, clip, kind, str(error) or kind, _lasts(error)), **facts}
        row["seconds"] = round(time.perf_counter() - begin, 4)
        with contextlib.suppress(OSError):  # a full disk: the caller has the row, and tries again
            write_row(self.job.out, row)
        return row

    def _done(self, clip: Clip, facts: dict[str, Any]) -> dict[str, Any]:
        import panto

        stat = os.stat(clip.path)
        facts.update(source_bytes=stat.st_size, source_mtime_ns=stat.st_mtime_ns, source_sha256=hash_of(clip.path))
        recording = panto.open(clip.path, **self._open)
        facts.update(format=recording.format, source_rate_hz=recording.rate_hz)
        page = self.work / "page.html" if self.job.reports == "all" else None
        self.work.mkdir(parents=True, exist_ok=True)
        result = panto.retarget(recording, self.robot, progress=False, report=page, **self._retarget)
        motion = f"motions/{clip.name}{extension(self.job.layout)}"
        kept = self.work / ("motion" + extension(self.job.layout))
        _remove(kept)
        layout = JOINED.get(self.job.layout or "", self.job.layout)
        result.motion.save(kept, layout=layout, fps=self.job.fps, **self._save)
        size = kept.stat().st_size if kept.is_file() else sum(file.stat().st_size for file in kept.rglob("*"))
        _place(kept, pathlib.Path(self.job.out, motion))
        report_path(self.job.out, clip.name).unlink(missing_ok=True)  # of another content or other options
        if page is not None:
            _place(page, report_path(self.job.out, clip.name))
        row: dict[str, Any] = {"clip": clip.name, "status": "done", "error": None, "reason": None, "final": True}
        row.update(motion=motion, motion_bytes=size, source=os.path.abspath(clip.path), options=self.job.key)
        row.update(robot=self.job.model, layout=self.job.layout or "panto", **facts, **_judged(result))
        return row

    def report(self, clip: Clip) -> None:
        """Writes the page of a clip that is done."""
        import panto

        self.work.mkdir(parents=True, exist_ok=True)
        page = self.work / "page.html"
        panto.retarget(panto.open(clip.path, **self._open), self.robot, progress=False, report=page, **self._retarget)
        _place(page, report_path(self.job.out, clip.name))


def _lasts(error: Exception) -> bool:
    """Whether the same file would fail again: not if it could not be read, or the disk was full."""
    return isinstance(error, (_core.FormatError, _core.ModelError, _core.ConfigError)) and getattr(error, "errno", None) is None


def _judged(result: Any) -> dict[str, Any]:
    """The columns of a result: verdict, the figure nearest to its limit, all figures."""
    worst, ratio = None, 0.0
    for name, value, _, limit, detail in result.verdict.figures:
        if value is None or limit is None or value <= 0.0:
            continue
        share = min(value / limit, 999.0) if limit > 0.0 else 999.0  # a limit of 0: it should not occur at all
        if share > ratio:
            worst, ratio = name + (f" ({detail})" if detail else ""), share
    figures = result.figures
    verdict = figures.pop("verdict", {})
    return {
        "grade": result.verdict.grade,
        "verdict": verdict.get("text", result.verdict.sentence),
        "worst_figure": worst,
        "worst_of_limit": ratio,
        "notes": result.notes,
        "damage": result.damage,
        "figures": figures,
    }


def _remove(path: pathlib.Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _place(made: pathlib.Path, path: pathlib.Path) -> None:
    """Moves a finished file or folder to its place; a file replaces the old one at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        shutil.rmtree(path)
    os.replace(made, path)


def _units() -> Iterator[dict[str, Any]]:
    for line in sys.stdin:
        yield json.loads(line)


def main() -> None:
    """Does units from standard input, one line of JSON each, and answers with one line a clip."""
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)  # what others print is no answer
    worker = Worker(Job(**json.loads(sys.stdin.readline())))
    try:
        for unit in _units():
            for given in unit["clips"]:
                clip = Clip(*given)
                if unit["report"]:
                    with contextlib.suppress(_core.Error, OSError):
                        worker.report(clip)
                    answer: Any = None
                else:
                    answer = worker.clip(clip)
                print(json.dumps([clip.name, answer]), file=answers, flush=True)
    finally:
        worker.close()
