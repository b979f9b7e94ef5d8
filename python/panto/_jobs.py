"""Jobs on whole recordings."""

from collections.abc import Callable
from typing import Any, Optional, Union

from panto import _core
from panto._arguments import named
from panto._models import Robot, robot_of
from panto._paths import Path, text
from panto._progress import Progress, watched
from panto._recordings import Recording
from panto._recordings import open as open_recording
from panto._results import Result


def _recording(recording: Union[Recording, Path], height: Optional[float]) -> Recording:
    return recording if isinstance(recording, Recording) else open_recording(recording, height=height)


def person_words(
    *,
    solver: str,
    two_way: bool,
    settle: float,
    height: Optional[float],
    mass: Optional[float],
    page: str = "",
    **_: Any,
) -> "_core.PersonWords":
    """Returns the words of a job about the person; takes any options of `retarget`."""
    return _core.PersonWords(solver, two_way, settle, height, mass, page)


def robot_words(
    *,
    feet: Optional[str],
    collisions: str,
    limits: str,
    relative: Optional[str],
    smooth: bool,
    cutoff_hz: Optional[float],
    max_acceleration: Optional[float],
    **_: Any,
) -> "_core.RobotWords":
    """Returns the words of a job about the robot; takes any options of `retarget`."""
    return _core.RobotWords(feet or "", collisions, limits, relative or "", smooth, cutoff_hz, max_acceleration)


@named
def track(
    recording: Union[Recording, Path],
    model: str = "human66",
    *,
    solver: str = "dynamical",
    two_way: bool = True,
    settle: float = 0.5,
    height: Optional[float] = None,
    mass: Optional[float] = None,
    own: Optional["_core.OwnTargets"] = None,
    update: Optional[Callable[[float, "_core.OwnTargets"], object]] = None,
    progress: Progress = None,
) -> Result:
    """Tracks a recording with a model of a human of the person's size.

    model: "human66", "human48" (clinical limits), or a model whose links have the names of the segments.
    solver: "dynamical", "instantaneous", "pairwise", "damped-jacobian" or "modular".
    two_way: also backwards where forwards alone gets stuck at limits.
    settle: start [s] that the statistics leave out. height [m], mass [kg]: of the person; None: the recording's.
    own: targets and joint rows of your own; update(t, own): sets their values before every sample, t [s].
    progress: called with the frames done and their number, of all passes so far: both only grow, and the last call has
    them equal. None: tqdm's bar on a terminal.
    Raises FormatError, ModelError, ConfigError with what is wrong, where, and what to do.
    """
    source = _recording(recording, height)

    def run(page: str, watch: Progress) -> "_core.JobResult":
        words = _core.PersonWords(solver, two_way, settle, height, mass, page)
        with watched(watch, "track") as told:
            return _core.track(source._core, text(model), words, own, update, told)

    return Result(run("", progress), lambda page: run(page, False))


@named
def retarget(
    recording: Union[Recording, Path],
    robot: Union[Robot, Path, None] = None,
    *,
    to: Optional[Path] = None,
    to_rig: Optional[Path] = None,
    feet: Optional[str] = None,
    collisions: str = "avoid",
    limits: str = "brake",
    relative: Optional[str] = None,
    smooth: bool = False,
    cutoff_hz: Optional[float] = None,
    max_acceleration: Optional[float] = None,
    solver: str = "dynamical",
    two_way: bool = True,
    settle: float = 0.5,
    height: Optional[float] = None,
    mass: Optional[float] = None,
    own: Optional["_core.OwnTargets"] = None,
    update: Optional[Callable[[float, "_core.OwnTargets"], object]] = None,
    report: Optional[Path] = None,
    progress: Progress = None,
) -> Result:
    """Retargets a recording onto a robot, within the robot's limits, or onto a character.

    to: instead of `robot`: a character, any humanoid skeleton as .bvh, .glb or .vrm; `result.motion.save("out.bvh")`
    then writes its own hierarchy, `save("out.glb")` its own file with the motion. to_rig: a map of its joints, as
    `panto inspect -o rig.toml` writes it; None: found. Feet are "plant" or "off";
    `collisions` and `limits` have no effect.
    feet: "plant" (planned with the base, no slide in stance), "soft" (the person's positions), "off" or "hold". None:
    "plant", but "off" with the solver "modular", which follows directions.
    collisions: "avoid" (limbs are moved out of the body), "report" or "off".
    limits: "brake", "exact", "tanh", "none", or "scale" (range and time of the whole motion).
    relative: keeps touches of "hands", "body", "hands,body" or "off"; None: as the robot's map says.
    smooth: within all limits, with the low-pass `cutoff_hz` (None: 8) and `max_acceleration` (None: 200 rad/s^2).
    With limits "scale", `max_acceleration` holds too (None: no limit).
    report: also writes the page with verdict, curves and a 3-D replay there.
    The others: as for `track`.
    """
    if (robot is None) == (to is None):
        raise _core.ConfigError("retarget: give either `robot` (a name, URDF, MJCF or map) or `to` (a character: .bvh, .glb, .vrm)")
    if to_rig is not None and to is None:
        raise _core.ConfigError("retarget: `to_rig` maps the joints of a character; give `to`")
    source = _recording(recording, height)
    target = robot_of(robot)._core if to is None else _core.open_character(text(to), source._core, "" if to_rig is None else text(to_rig))

    def run(page: str, watch: Progress) -> "_core.JobResult":
        person = _core.PersonWords(solver, two_way, settle, height, mass, page)
        words = _core.RobotWords(feet or "", collisions, limits, relative or "", smooth, cutoff_hz, max_acceleration)
        with watched(watch, "retarget") as told:
            return _core.retarget(source._core, target, person, words, own, update, told)

    return Result(run("" if report is None else text(report), progress), lambda page: run(page, False))


@named
def imitate(
    recording: Union[Recording, Path],
    robot: Union[Robot, Path],
    *,
    height: Optional[float] = None,
    mass: Optional[float] = None,
    progress: Progress = None,
) -> list[Result]:
    """Brings single gestures onto a robot, each scaled into its range and speed. Empty: nothing moved."""
    source = _recording(recording, height)
    words = _core.PersonWords("modular", True, 0.0, height, mass, "")
    with watched(progress, "imitate") as told:
        return [Result(one) for one in _core.imitate(source._core, robot_of(robot)._core, words, told)]
