"""Robots' motions in anybody's layout, and checks of results."""

import json
import pathlib
from typing import NamedTuple, Optional, Union

from panto import _core
from panto._arguments import NotPickled, named
from panto._jobs import track
from panto._models import Robot, robot_word
from panto._paths import Path, text
from panto._pickles import input_of
from panto._recordings import Recording
from panto._recordings import open as open_recording
from panto._results import Motion, Result, Verdict


class Told(NamedTuple):
    """One answer to how a file is meant."""

    what: str  #: "turns"
    value: str  #: "quaternions x y z w"
    certainty: str  #: "given", "sure", "likely", "assumed" or "open"
    departs: bool  #: the layout, or the file itself, says otherwise
    reason: str  #: one clause


class RobotMotion(NotPickled):
    """A robot's motion, and how its file was understood."""

    _instead = "pass its path on, and open it there"

    def __init__(self, core: "_core.RobotMotion", path: str):
        self._core = core
        self.path = path

    @property
    def layout(self) -> str:
        """The program whose layout it is, "mjlab"."""
        return self._core.layout

    @property
    def robot_name(self) -> str:
        """The robot, as given or told."""
        return self._core.robot_name

    @property
    def told(self) -> list[Told]:
        """What was told of the file: robot, orders, units, up axis, rate, each with its reason."""
        return [Told(*fact) for fact in self._core.facts()]

    @property
    def notes(self) -> list[str]:
        """What contradicts the layout, and questions that stay open, one sentence each."""
        return self._core.notes

    @property
    def settled(self) -> bool:
        """Whether no question is open."""
        return not self._core.open

    @property
    def verdict(self) -> Verdict:
        """How well the file is understood."""
        return Verdict(self._core.verdict)

    @property
    def motion(self) -> Motion:
        """The motion. Raises ConfigError while a question is open, with the hints that settle it."""
        self._core.check_settled()
        return Motion(self._core.motion)

    @named
    def judge(self, *, settle: float = 0.0) -> Result:
        """Judges the motion by itself: limits, speeds, feet, floor, overlaps. settle: start [s] that is left out."""
        return Result(self._core.judge(settle))

    def person(self) -> Recording:
        """Returns the person whom the motion shows, for `retarget`. Raises ConfigError while a question is open."""
        return Recording(self._core.person(self.path))

    def __repr__(self) -> str:
        return f"<panto.RobotMotion {pathlib.PurePath(self.path).name!r}: {self._core.head}>"


@named
def open_motion(
    source: Union[Path, bytes],
    *,
    name: Optional[str] = None,
    robot: Union[None, Path, Robot] = None,
    hints: str = "",
    person: Optional[str] = None,
) -> RobotMotion:
    """Opens a robot's motion in anybody's layout: tables, NPZ, .npy, pickles (of GMR, TWIST2, MimicKit, PHC).

    source: a path, or the bytes of a file called `name`. robot: whose motion it is; None: told from the file.
    hints: what the file does not tell, as "isaac-order,xyzw,degrees,cm,y-up,50hz", or a layout that it keeps.
    person: which motion of a pickle of several. Pickles run nothing here. Raises FormatError, ConfigError.
    """
    label, content, _ = input_of(source, name, person, "open_motion")
    return RobotMotion(_core.open_motion(label, content, robot_word(robot), hints), label)


class CheckedFigure(NamedTuple):
    """A threshold, and what became of it."""

    key: str  #: "angle_p99_deg"
    comparison: str  #: it fails where the figure is so to the limit
    limit: str
    value: Union[None, float, str]  #: None: not known
    outcome: str  #: "passed", "failed" or "absent"
    failed: bool


class Check(NotPickled):
    """The figures of a result held against thresholds. True where none failed."""

    _instead = "pass its checks on"

    def __init__(self, verdict: "_core.Verdict", checks: list[CheckedFigure]):
        self.verdict = Verdict(verdict)
        self.checks = checks

    @property
    def failed(self) -> list[CheckedFigure]:
        """The thresholds that do not hold."""
        return [check for check in self.checks if check.failed]

    def __bool__(self) -> bool:
        return not self.failed

    def __repr__(self) -> str:
        return f"<panto.Check: {self.verdict.sentence}>"


@named
def check(
    source: Union[Result, RobotMotion, Recording, Path],
    fail_on: Optional[str] = None,
    *,
    absent: str = "fail",
    robot: Union[None, Path, Robot] = None,
    hints: str = "",
    person: Optional[str] = None,
) -> Check:
    """Holds a result against thresholds, as `panto check` does.

    source: a result; a robot's motion or its file; a recording or its file, which is tracked first; a report (.json).
    fail_on: "angle_p99_deg>2,limit_violations>0"; None: the command's defaults. absent: unknown figures "fail" or "pass".
    robot, hints, person: as for `open_motion`. Raises ConfigError for a figure that is not there.
    """
    if absent not in ("fail", "pass"):
        raise _core.ConfigError(f"check: absent is 'fail' or 'pass', not {absent!r}")
    name = "the result"
    if isinstance(source, Result):
        figures = source._core.json
    elif isinstance(source, Recording):
        name, figures = source.path, track(source)._core.json
    elif isinstance(source, RobotMotion):
        source._core.check_settled()
        name, figures = source.path, source.judge()._core.json
    elif pathlib.PurePath(name := text(source)).suffix == ".json":
        try:
            figures = pathlib.Path(name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise _core.FormatError(f"{name}: cannot be read: {error}") from None
    else:
        label, content, _ = input_of(source, None, person, "check")
        if _core.is_robot_motion(label, content):
            return check(open_motion(source, robot=robot, hints=hints, person=person), fail_on, absent=absent)
        figures = track(open_recording(source, person=person, robot=robot, hints=hints))._core.json
    verdict, checks = _core.check(figures, name, fail_on, absent == "pass")
    return Check(verdict, [CheckedFigure(*one) for one in checks])
