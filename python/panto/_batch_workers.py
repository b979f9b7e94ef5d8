"""Who does the clips of a data set: processes of this machine, or a Ray cluster."""

import json
import os
import pathlib
import selectors
import shutil
import signal
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Optional

from panto import _core
from panto._batch_clip import Clip, Job, Worker, failed_row, read_row, up_to_date

#: a clip that ends its worker so often is at fault itself, and not what else ends workers
STRIKES = 3
Done = Callable[[str, Optional[dict[str, Any]]], object]  # name and row of a clip


def cost_of(clip: Clip) -> int:
    """Returns what a clip costs, in bytes of a recording; opening a file costs as much as parsing 20 kB."""
    return max(clip.size, 0) + 20_000


def units_of(clips: Iterable[Clip], workers: int) -> list[list[Clip]]:
    """Returns clips in units of similar size, the largest first: a long clip last would leave the others idle."""
    ordered = sorted(clips, key=lambda clip: (-clip.size, clip.name))
    total = sum(map(cost_of, ordered))
    most = min(total / (16 * max(workers, 1)), 32e6)
    units: list[list[Clip]] = []
    room = 0.0
    for clip in ordered:
        cost = cost_of(clip)
        if not units or cost > room or len(units[-1]) >= 200:
            units.append([])
            room = most
        units[-1].append(clip)
        room -= cost
    return units


def _environment() -> dict[str, str]:
    """This package is the one that workers import; NumPy's libraries start no threads of their own in them."""
    folder = str(pathlib.Path(__file__).parent.parent)
    paths = [folder, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {"PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def _how(code: int) -> str:
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


class _Process:
    """A worker in a process of its own, that ends with its input."""

    def __init__(self, job: Job):
        command = [sys.executable, "-c", "from panto._batch_clip import main; main()"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, **_environment()}, start_new_session=True
        )
        self.unit: deque[Clip] = deque()
        self._text = b""
        self.send(job._asdict())

    def send(self, line: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(line).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # it died: its output ends

    def answers(self) -> Optional[list[Any]]:
        """Returns what came; None: the worker has ended."""
        assert self.process.stdout is not None
        text = os.read(self.process.stdout.fileno(), 1 << 20)
        if not text:
            return None
        *lines, self._text = (self._text + text).split(b"\n")
        return [json.loads(line) for line in lines]

    def end(self) -> int:
        for pipe in (self.process.stdin, self.process.stdout):
            try:
                if pipe is not None:
                    pipe.close()
            except BrokenPipeError:
                pass
        try:
            return self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


def run_here(job: Job, units: Sequence[list[Clip]], workers: int, done: Done, report: bool = False) -> None:
    """Does units in processes of this machine. A clip whose worker dies is tried again, last and alone."""
    waiting, started = deque(units), False
    strikes: dict[str, int] = {}
    with selectors.DefaultSelector() as selector:
        running: set[_Process] = set()

        def begin() -> None:
            worker = _Process(job)
            running.add(worker)
            assert worker.process.stdout is not None
            selector.register(worker.process.stdout, selectors.EVENT_READ, worker)
            give(worker)

        def give(worker: _Process) -> None:
            if waiting:
                worker.unit = deque(waiting.popleft())
                worker.send({"clips": list(worker.unit), "report": report})

        def bury(worker: _Process) -> None:
            assert worker.process.stdout is not None
            selector.unregister(worker.process.stdout)
            running.remove(worker)
            pid, code = worker.process.pid, worker.end()
            shutil.rmtree(pathlib.Path(job.out, ".work", f"{socket.gethostname()}.{pid}"), ignore_errors=True)
            if not worker.unit:
                return
            if not started:
                raise _core.Error(f"batch: a worker did not start ({_how(code)}); see its message above")
            clip = worker.unit.popleft()
            strikes[clip.name] = strikes.get(clip.name, 0) + 1
            if strikes[clip.name] < STRIKES:
                waiting.append([clip])
            else:
                done(clip.name, None if report else failed_row(job, clip, "WorkerDied", f"its worker died {STRIKES} times ({_how(code)})"))
            if worker.unit:
                waiting.appendleft(list(worker.unit))
            if waiting:
                begin()

        try:
            for _ in range(min(workers, len(waiting))):
                begin()
            while any(worker.unit for worker in running):
                for key, _ in selector.select():
                    worker = key.data
                    answers = worker.answers()
                    if answers is None:
                        bury(worker)
                        continue
                    for name, row in answers:
                        started = True
                        worker.unit.popleft()
                        done(name, row)
                    if not worker.unit:
                        give(worker)
        except BaseException:
            for worker in running:
                worker.process.terminate()
            raise
        finally:
            for worker in running:
                worker.end()
                shutil.rmtree(pathlib.Path(job.out, ".work", f"{socket.gethostname()}.{worker.process.pid}"), ignore_errors=True)


_workers: dict[str, Worker] = {}  # of a process of Ray's, which does many units


def _unit_of_ray(job: Job, clips: list[Clip], report: bool) -> list[tuple[str, Optional[dict[str, Any]]]]:
    identity = json.dumps(job._asdict(), sort_keys=True)
    if identity not in _workers:
        _workers.clear()
        _workers[identity] = Worker(job)
    worker = _workers[identity]
    if report:
        for clip in clips:
            worker.report(clip)
        return [(clip.name, None) for clip in clips]
    return [(clip.name, worker.clip(clip)) for clip in clips]


def run_on_ray(job: Job, units: Sequence[list[Clip]], address: Optional[str], done: Done, report: bool = False) -> None:
    """Does units on a Ray cluster whose nodes see the same files. A unit whose worker dies goes on with its next clip."""
    import ray

    if not ray.is_initialized():
        ray.init(address=address, log_to_driver=False, runtime_env={"env_vars": _environment()})
    task = ray.remote(num_cpus=1, max_retries=0)(_unit_of_ray)
    waiting = deque(units)
    strikes: dict[str, int] = {}
    flying: dict[Any, list[Clip]] = {}
    try:
        while waiting or flying:
            cpus = max(1, int(ray.cluster_resources().get("CPU", 1)))
            while waiting and len(flying) < 2 * cpus:
                unit = waiting.popleft()
                flying[task.remote(job, unit, report)] = unit
            for reference in ray.wait(list(flying), timeout=10)[0]:
                unit = flying.pop(reference)
                try:
                    for name, row in ray.get(reference):
                        done(name, row)
                except ray.exceptions.RayTaskError:
                    raise  # a fault of ours, or no robot
                except ray.exceptions.RayError as error:  # the worker, or its node
                    rest = unit if report else [clip for clip in unit if not _told(job, clip, done)]
                    if not rest:
                        continue
                    clip = rest.pop(0)
                    strikes[clip.name] = strikes.get(clip.name, 0) + 1
                    if strikes[clip.name] < STRIKES:
                        waiting.append([clip])
                    else:
                        reason = f"its worker died {STRIKES} times ({type(error).__name__})"
                        done(clip.name, None if report else failed_row(job, clip, "WorkerDied", reason))
                    if rest:
                        waiting.append(rest)
    finally:
        for reference in flying:
            ray.cancel(reference, force=True)


def _told(job: Job, clip: Clip, done: Done) -> bool:
    """Whether a clip of a unit that was lost has its row already; then it is done."""
    row = read_row(job.out, clip.name)
    if row is None or not (up_to_date(job, clip, row) or row.get("options") == job.key and row["status"] == "failed"):
        return False
    done(clip.name, row)
    return True
