"""Data sets: many recordings onto one robot, on all cores or a cluster, with an index and a page."""

import contextlib
import fcntl
import glob
import hashlib
import inspect
import json
import os
import pathlib
import shutil
import socket
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Optional, Union

from panto import _core
from panto._arguments import check_kinds, named
from panto._batch_clip import JOINED, OF_OPEN, OF_SAVE, Clip, Job, hash_of, robot_of_job, read_row, report_path, row_path, up_to_date, write_row
from panto._batch_index import rows_of, write_index
from panto._batch_workers import cost_of, run_here, run_on_ray, units_of
from panto._jobs import person_words, retarget, robot_words
from panto._layouts import LAYOUTS, check_layout, write_manifest
from panto._lerobot import join_data_set
from panto._models import Robot, robot_of
from panto._paths import Path, text
from panto._progress import Progress, watched
from panto._recordings import open as open_recording
from panto._results import Motion

#: extensions of recordings that a folder is searched for
RECORDINGS = (".bvh", ".glb", ".gltf", ".vrm", ".vrma", ".mvnx", ".trc", ".npz", ".csv", ".sto", ".mot")
_NO_OPTIONS = ("recording", "robot", "to", "to_rig", "own", "update", "report", "progress")


class Batch:
    """What a data set has become."""

    def __init__(self, out: pathlib.Path, counts: "Counter[str]", kept: int, problems: list[str], reasons: Sequence[str] = ()):
        self.out = out  #: its folder
        self.done = counts["done"]  #: clips of this run that have a motion
        self.failed = counts["failed"]  #: clips of this run without one: see the index, column `reason`
        self.kept = kept  #: clips of `done` and `failed` that were up to date and not done again
        self.problems = problems  #: rows that could not be written, one sentence each
        self.reasons = list(reasons)  #: why clips of this run failed, each reason once, in the words of the first such clip

    @property
    def index(self) -> pathlib.Path:
        """The table of all clips, a row each: `pandas.read_parquet(batch.index)`."""
        return self.out / "index.parquet"

    @property
    def page(self) -> pathlib.Path:
        """The page of the data set: distributions, and the clips, worst first."""
        return self.out / "index.html"

    def __repr__(self) -> str:
        return f"<panto.Batch {str(self.out)!r}: {self.done} done, {self.failed} failed, {self.kept} of them up to date before>"


@named
def batch(
    inputs: Union[Path, Sequence[Path]],
    robot: Union[Robot, Path],
    out: Path,
    *,
    layout: Optional[str] = None,
    fps: Optional[float] = None,
    workers: Optional[int] = None,
    shard: Optional[tuple[int, int]] = None,
    ray: Union[None, bool, str] = None,
    reports: Union[int, str] = 50,
    progress: Progress = None,
    **options: Any,
) -> Batch:
    """Retargets many recordings onto a robot, and writes motions, an index and a page to the folder `out`.

    inputs: files, folders (searched for recordings) and glob patterns ("clips/**/*.bvh").
    layout, fps: of the motions, as for `Motion.save`; None: Panto's .npz. "lerobot": one data set of all clips.
    workers: processes; None: one a core. shard: (i, N): only every clip of the i-th of N parts, i from 1; run each
    anywhere that sees the same files. ray: True or an address: on a Ray cluster whose nodes see the same files.
    reports: number of pages for the worst clips, or "all" or "none". options: those of `retarget`, of `open`
    `clean` and `ground`, of `Motion.save` `lead_in`, `lead_out` and `loop`.
    A clip that fails is a row with its reason. Run it again to go on: what is up to date (content, options, version)
    is kept. Raises ConfigError for wrong options, ImportError without pyarrow.
    """
    import pyarrow  # noqa: F401: missing? then say so now, not after hours

    job = _job(robot, pathlib.Path(text(out)), layout, fps, reports, options)
    clips = find_clips([inputs] if isinstance(inputs, (str, os.PathLike)) else inputs, job.out)
    if shard is not None:
        clips = _part(clips, *shard)
    cores = len(os.sched_getaffinity(0)) if workers is None else workers
    if cores < 1:
        raise _core.ConfigError(f"batch: {cores} workers; give 1 or more")
    _prepare(job)
    counts: Counter[str] = Counter()
    failed: dict[str, dict[str, Any]] = {}
    unwritten: dict[str, dict[str, Any]] = {}
    todo = []

    def count(name: str, row: dict[str, Any]) -> None:
        counts[row["status"]] += 1
        if row["status"] == "failed":
            failed[name] = row

    for clip in clips:
        row = read_row(job.out, clip.name)
        if row is not None and up_to_date(job, clip, row):
            count(clip.name, row)
        else:
            row_path(job.out, clip.name).unlink(missing_ok=True)
            todo.append(clip)
    kept = len(clips) - len(todo)
    with watched(progress, "batch") as told:

        def done(name: str, row: Optional[dict[str, Any]]) -> None:
            assert row is not None
            count(name, row)
            if not row_path(job.out, name).is_file():
                unwritten[name] = row
            if told is not None:
                told(counts.total(), len(clips))

        if told is not None:
            told(kept, len(clips))
        _run(job, todo, cores, ray, done)
    problems = _write_late(job, unwritten)
    _finish(job, clips, cores, ray, reports, problems)
    # in the clips' order, whichever worker was the first to end
    reasons = _distinct_reasons(failed[clip.name] for clip in clips if clip.name in failed)
    return Batch(pathlib.Path(job.out), counts, kept, problems, reasons)


def _distinct_reasons(rows: Iterable[dict[str, Any]]) -> list[str]:
    """Returns each reason once, paths of clips aside, in the words of the first such row."""
    reasons: dict[str, str] = {}
    for row in rows:
        reasons.setdefault(row["reason"].replace(row["source"], ""), row["reason"])
    return list(reasons.values())


def index(out: Path) -> Batch:
    """Writes index and page of a data set again from its rows, after shards were merged."""
    folder = pathlib.Path(text(out))
    if not (folder / "rows").is_dir():
        raise _core.ConfigError(f"'{folder}' holds no data set: it has no folder 'rows'")
    with _locked(folder):
        counts = write_index(folder)
        with contextlib.suppress(OSError, ValueError, TypeError):  # of a data set without that file
            _join(Job(str(folder.absolute()), **json.loads((folder / "batch.json").read_bytes())), folder)
    return Batch(folder, counts, counts.total(), [])


def _job(
    robot: Union[Robot, Path], out: pathlib.Path, layout: Optional[str], fps: Optional[float], reports: Union[int, str], options: dict[str, Any]
) -> Job:
    defaults = {name: each.default for name, each in inspect.signature(retarget).parameters.items() if name not in _NO_OPTIONS}
    valid = [*defaults, *OF_OPEN, *OF_SAVE]
    for name in options:
        if name not in valid:
            raise TypeError(f"batch: unknown option '{name}'; options of `retarget` are {', '.join(valid)}")
    of_open, of_save = ({name: options[name] for name in names if name in options} for names in (OF_OPEN, OF_SAVE))
    of_retarget = {name: value for name, value in options.items() if name not in (*OF_OPEN, *OF_SAVE)}
    takers: list[tuple[Callable[..., Any], dict[str, Any]]] = [(retarget, of_retarget), (open_recording, of_open), (Motion.save, of_save)]
    for function, given in takers:
        check_kinds(function, (), given)
    used = {**defaults, **of_retarget}
    _core.check_words(person_words(**used), robot_words(**used))
    _core.check_cleaning(options.get("clean", "off"))
    _core.check_leads(*(options.get(name, 0.0) for name in OF_SAVE[:2]), bool(options.get("loop")))
    check_layout(layout, fps)
    if layout == "any4hdmi" or layout in JOINED:  # all clips of their data sets have one rate
        fps = fps or (LAYOUTS[layout].rate_hz if layout in LAYOUTS else 50.0)
    for name, asked in (("fps", fps is not None), *((name, bool(value)) for name, value in of_save.items())):
        if asked and layout is None:
            raise _core.ConfigError(f"batch: {name} needs a layout; Panto's own files keep the rate and the frames of the recording")
    if not (isinstance(reports, int) and reports >= 0 or reports in ("all", "none")):
        raise _core.ConfigError(f"batch: reports is {reports!r}; give a number, 'all' or 'none'")
    opened = robot_of(robot)
    name, base, folders, height = opened._words
    if os.path.exists(name):
        name = os.path.abspath(name)  # workers are elsewhere
    words = [name, base, [os.path.abspath(folder) for folder in folders], height]
    content = hash_of(name) if os.path.isfile(name) else ""
    facts = [_core.version, words, content, layout, fps, dict(sorted(options.items()))]
    key = hashlib.sha256(json.dumps(facts).encode()).hexdigest()
    return Job(os.path.abspath(out), words, opened.name, layout, fps, options, key, "all" if reports == "all" else "")


def find_clips(inputs: Sequence[Path], out: str) -> list[Clip]:
    """Returns the recordings of files, folders and patterns, by name. Raises ConfigError where there are none."""
    found: dict[str, str] = {}  # path in the data set -> path of the file
    for given in inputs:
        for name, path in _files_of(text(given)):
            if os.path.abspath(path).startswith(os.path.join(out, "")):
                continue  # what an earlier run wrote
            other = found.setdefault(name, path)
            if os.path.abspath(other) != os.path.abspath(path):
                raise _core.ConfigError(f"batch: '{other}' and '{path}' would both be '{name}'; give a folder that holds both")
    if not found:
        raise _core.ConfigError(f"batch: no recordings in {', '.join(map(repr, map(text, inputs)))}")
    stems = Counter(os.path.splitext(name)[0] for name in found)
    clips = []
    for name, path in sorted(found.items()):
        stem, extension = os.path.splitext(name)
        try:
            size = os.stat(path).st_size
        except OSError:
            size = -1  # its row will say why
        clips.append(Clip(stem if stems[stem] == 1 else f"{stem}_{extension[1:]}", os.path.abspath(path), size))
    return clips


def _files_of(given: str) -> Iterator[tuple[str, str]]:
    """Yields paths in the data set and paths of files."""
    if os.path.isdir(given):
        for folder, below, files in os.walk(given, followlinks=True):
            below.sort()
            for file in sorted(files):
                if file.lower().endswith(RECORDINGS):
                    path = os.path.join(folder, file)
                    yield os.path.relpath(path, given), path
    elif os.path.lexists(given) or not glob.has_magic(given):
        if not os.path.lexists(given):
            raise _core.ConfigError(f"batch: no file or folder '{given}'")
        yield os.path.basename(given), given
    else:
        root = given
        while glob.has_magic(root):  # the folder before the first wildcard
            root = os.path.dirname(root)
        for path in sorted(glob.glob(given, recursive=True)):
            if os.path.isfile(path):
                yield os.path.relpath(path, root or "."), path


def _part(clips: list[Clip], number: int, of: int) -> list[Clip]:
    """Returns the clips of one part: each clip goes to the part that has least so far, the largest first."""
    if not 1 <= number <= of:
        raise _core.ConfigError(f"batch: shard {number}/{of}; give 1/{of} to {of}/{of}")
    load = [0] * of
    mine = []
    for clip in sorted(clips, key=lambda clip: (-clip.size, clip.name)):
        part = min(range(of), key=load.__getitem__)
        load[part] += cost_of(clip)
        if part == number - 1:
            mine.append(clip)
    return sorted(mine)


def _prepare(job: Job) -> None:
    """Makes the folder, and removes unfinished files of processes of this machine that are gone."""
    work = pathlib.Path(job.out, ".work")
    try:
        work.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _core.Error(f"output '{job.out}': cannot be made: {error.strerror}") from None
    about = job._asdict()
    del about["out"]
    part = work / f"batch.json.{socket.gethostname()}.{os.getpid()}"
    with contextlib.suppress(OSError):  # a full disk shows in the rows
        part.write_text(json.dumps(about, indent=1), encoding="utf-8")
        part.replace(os.path.join(job.out, "batch.json"))
    for folder in work.iterdir():
        host, _, pid = folder.name.rpartition(".")
        if host == socket.gethostname() and pid.isdigit() and not os.path.exists(f"/proc/{pid}"):
            shutil.rmtree(folder, ignore_errors=True)


def _run(job: Job, clips: Sequence[Clip], cores: int, ray: Union[None, bool, str], done: Any, report: bool = False) -> None:
    if not clips:
        return
    if ray:
        run_on_ray(job, units_of(clips, 16), ray if isinstance(ray, str) else None, done, report)
    else:
        run_here(job, units_of(clips, cores), cores, done, report)


def _write_late(job: Job, rows: dict[str, dict[str, Any]]) -> list[str]:
    problems = []
    for name, row in rows.items():
        try:
            write_row(job.out, row)
        except OSError as error:
            problems.append(f"{name}: its row cannot be written: {error.strerror}; it was: {row['reason'] or row['status']}")
    return problems


def _finish(job: Job, clips: list[Clip], cores: int, ray: Union[None, bool, str], reports: Union[int, str], problems: list[str]) -> None:
    folder = pathlib.Path(job.out)
    try:
        if isinstance(reports, int) and reports:
            _run(job, _worst(job, clips, reports), cores, ray, lambda name, row: None, report=True)
        with _locked(folder):
            write_index(folder)
            _join(job, folder)
    except OSError as error:
        problems.append(f"'{folder}': the index cannot be written: {error.strerror or error}")
    with contextlib.suppress(OSError):
        (folder / ".work").rmdir()


def _join(job: Job, folder: pathlib.Path) -> None:
    """Writes what makes one data set of all motions, for programs that have data sets. Of all shards' clips."""
    if job.layout != "any4hdmi" and job.layout not in JOINED:
        return
    rows = (row for row in rows_of(folder) if row["status"] == "done" and row["options"] == job.key)
    motions = [(row["clip"], row["motion"]) for row in rows]
    fps = job.fps or 0.0
    if job.layout in JOINED:
        join_data_set(folder, job.model, fps, motions)
    elif motions:
        write_manifest(folder, job.model, job.robot[0], robot_of_job(job).joint_names, fps, len(motions))


def _worst(job: Job, clips: list[Clip], count: int) -> list[Clip]:
    """Returns the clips with the worst motions that have no page yet."""
    rows = ((clip, read_row(job.out, clip.name)) for clip in clips)
    ranked = [(-badness(row), clip) for clip, row in rows if row is not None and row["status"] == "done"]
    worst = [clip for _, clip in sorted(ranked)[:count]]
    return [clip for clip in worst if not report_path(job.out, clip.name).is_file()]


def badness(row: dict[str, Any]) -> float:
    """Returns how far up a row belongs, worst first: failed, not usable, usable with care, good."""
    grade = {"good": 0, "usable_with_care": 1, "unreliable": 2}.get(row.get("grade") or "", 3)
    return 1000.0 * grade + min(row.get("worst_of_limit") or 0.0, 999.0)


@contextlib.contextmanager
def _locked(folder: pathlib.Path) -> Iterator[None]:
    """Holds the index against other shards: the last that writes it has seen all rows."""
    with open(folder / ".lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
