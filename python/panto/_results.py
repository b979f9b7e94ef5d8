"""Motions and verdicts: what jobs return."""

import json
import pathlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union

import numpy as np

from panto import _core
from panto._arguments import NotPickled, named
from panto._layouts import LAYOUTS, check_layout, rate_of, save_layout
from panto._paths import Path, text

if TYPE_CHECKING:
    import pandas


class Motion(NotPickled):
    """States of one model over time. Arrays are read-only views; T frames, J joints."""

    _instead = "pass its arrays on, or `motion.to_bytes('motion.npz')`, which is read as its file"

    notes: list[str] = []  #: what a lead or a loop became, one sentence each
    loops = False  #: whether the last frame is the first

    def __init__(self, core: "_core.Motion"):
        self._core = core

    @property
    def model_name(self) -> str:
        """The model that moves."""
        return self._core.model_name

    @property
    def joint_names(self) -> list[str]:
        """Names of the joints, in the order of the arrays."""
        return self._core.joint_names

    @property
    def link_names(self) -> list[str]:
        """Names of the model's links."""
        return self._core.link_names

    @property
    def rate_hz(self) -> float:
        """Nominal rate [Hz]; `times` decide."""
        return self._core.rate_hz

    @property
    def times(self) -> np.ndarray:
        """(T,) stamps [s]."""
        return self._core.times

    @property
    def base_position(self) -> np.ndarray:
        """(T, 3) origin of the base in the world [m]."""
        return self._core.base_position

    @property
    def base_quaternion(self) -> np.ndarray:
        """(T, 4) orientation of the base in the world, w x y z, without jumps of sign."""
        return self._core.base_quaternion

    @property
    def joint_positions(self) -> np.ndarray:
        """(T, J) [rad] or [m]."""
        return self._core.joint_positions

    @property
    def base_velocity(self) -> np.ndarray:
        """(T, 3) velocity of the base's origin in world axes [m/s]."""
        return self._core.base_velocity

    @property
    def base_angular_velocity(self) -> np.ndarray:
        """(T, 3) in world axes [rad/s]."""
        return self._core.base_angular_velocity

    @property
    def joint_velocities(self) -> np.ndarray:
        """(T, J) [rad/s] or [m/s]."""
        return self._core.joint_velocities

    @property
    def contacts(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """By link of a foot: heel and ball on the floor, (T,) of bool each; empty: unknown."""
        return {link: (np.array(heel, bool), np.array(ball, bool)) for link, (heel, ball) in self._core.contacts().items()}

    @named
    def link_poses(self, names: Union[None, str, Sequence[str]] = None) -> tuple[np.ndarray, np.ndarray]:
        """Returns (T, L, 3) origins [m] and (T, L, 4) orientations, w x y z, of links in the world; None: of all.

        Raises ModelError for a link that the model lacks.
        """
        wanted = self.link_names if names is None else [names] if isinstance(names, str) else list(names)
        return self._core.link_poses(wanted)

    @named
    def led(self, *, lead_in: float = 0.0, lead_out: float = 0.0, loop: bool = False, fps: Optional[float] = None) -> "Motion":
        """Returns a robot's motion that begins or ends at rest, or loops, at `fps` [Hz] (None: its own rate).

        lead_in, lead_out: ways [s] from standing to the first frame, and from the last to standing. loop: the end turns
        into the beginning. `notes` of the new motion say what became longer. Raises ConfigError for a motion of no robot.
        """
        check_layout(None, fps)
        core, notes = _core.led(self._core, fps or 0.0, lead_in, lead_out, loop)
        motion = Motion(core)
        motion.notes = notes
        motion.loops = loop
        return motion

    @named
    def save(
        self,
        path: Path,
        *,
        layout: Optional[str] = None,
        fps: Optional[float] = None,
        angles: str = "model",
        lead_in: float = 0.0,
        lead_out: float = 0.0,
        loop: bool = False,
    ) -> None:
        """Writes the motion, by extension: .csv, .mot, .sto, .npz; of a human .bvh, .mvnx too. A character's: .bvh (its own
        hierarchy), or .glb, .gltf, .vrm, .vrma (a copy of its own file, animated), at `fps`, None: the recording's.

        layout: for another program, one of `panto.layouts()`; fps: of its frames, 1 to 1000; None: as its reader expects.
        angles: "isb" writes tables of a human in ISB axes; "gait2392", "rajagopal" or "hamner" the coordinates of that model of
        OpenSim (.mot, .sto). lead_in, lead_out, loop: as for `led`. Raises ConfigError for a format
        that cannot hold the model.
        """
        check_layout(layout, fps)
        if lead_in or lead_out or loop:
            rate = fps or (rate_of(layout) if layout else 0.0) or None
            self.led(lead_in=lead_in, lead_out=lead_out, loop=loop, fps=rate).save(path, layout=layout, fps=fps if layout else None, angles=angles)
            return
        if layout in LAYOUTS:
            save_layout(self, pathlib.Path(text(path)), layout, fps)
            return
        lost = self._core.save(text(path), angles, layout or "", 0.0 if fps is None else fps)
        if lost:
            raise _core.Error(f"{text(path)}: {lost} of {len(self)} frames do not fit the format and were left out")

    @named
    def to_bytes(self, name: str, *, layout: Optional[str] = None, fps: Optional[float] = None, angles: str = "model") -> bytes:
        """Returns the bytes of that file; the extension of `name` gives the format."""
        check_layout(layout, fps)
        if layout in LAYOUTS:
            raise _core.ConfigError(f"to_bytes: the layout {layout} is written by `save` alone")
        return self._core.bytes(name, angles, layout or "", 0.0 if fps is None else fps)

    def to_pandas(self) -> "pandas.DataFrame":
        """Returns a table: index time [s], columns of the base (x y z qw qx qy qz), then joints [rad] or [m]."""
        import pandas

        columns = ["x", "y", "z", "qw", "qx", "qy", "qz", *self.joint_names]
        rows = np.hstack([self.base_position, self.base_quaternion, self.joint_positions])
        return pandas.DataFrame(rows, index=pandas.Index(self.times, name="time"), columns=columns)

    def __len__(self) -> int:
        return len(self.times)

    def __repr__(self) -> str:
        return f"<panto.Motion of {self.model_name!r}: {len(self)} frames at {self.rate_hz:g} Hz, {len(self.joint_names)} joints>"


class Figure(NamedTuple):
    """A figure that a verdict rests on."""

    name: str  #: "feet slide in stance, 95 %"
    value: Optional[float]  #: None: not known
    unit: str
    limit: Optional[float]  #: above it the verdict is not good; None: there is none
    detail: str  #: whose it is, "left_ankle_roll_joint"; may be empty


class Verdict(NotPickled):
    """A result in one sentence, and the figures that it rests on."""

    _instead = "pass its sentence and figures on"

    def __init__(self, core: "_core.Verdict"):
        self._core = core

    @property
    def grade(self) -> str:
        """ "good", "usable_with_care" or "unreliable"."""
        return self._core.grade

    @property
    def sentence(self) -> str:
        """ "Good: ...", "Usable, but ...", "Not usable: ..."."""
        return self._core.sentence

    @property
    def figures(self) -> list[Figure]:
        """All figures that were judged, those that matter most first."""
        return [Figure(*figure) for figure in self._core.figures]

    @property
    def good(self) -> bool:
        """Whether nothing is wrong that can be seen."""
        return self.grade == "good"

    def __str__(self) -> str:
        return f"{self.sentence}\n{self._core.figures_text()}".rstrip()

    def __repr__(self) -> str:
        return f"<panto.Verdict {self.grade}: {self.sentence}>"


class Result(NotPickled):
    """What a job yields: a motion, its verdict, all figures, notes."""

    _instead = "pass `result.figures`, `str(result.verdict)` and arrays of `result.motion` on; panto.batch does many clips on all cores"

    def __init__(self, core: "_core.JobResult", write_page: Optional[Callable[[str], object]] = None):
        self._core = core
        self._write_page = write_page
        self.motion = Motion(core.motion)
        self.verdict = Verdict(core.verdict)

    @property
    def figures(self) -> dict[str, Any]:
        """All figures, as the command's --json prints them; None: not known."""
        figures: dict[str, Any] = json.loads(self._core.json)
        return figures

    @property
    def notes(self) -> list[str]:
        """What there is to know about the recording and the job, one sentence each."""
        return self._core.notes

    @property
    def damage(self) -> Optional[str]:
        """Where and why reading stopped early; None: it did not."""
        return self._core.damage

    @named
    def report(self, path: Path) -> None:
        """Writes one HTML page with verdict, curves and a 3-D replay. Runs the job once more: same input, same bits.

        Raises Error where this build has no page, or for a job without one (gestures, sensors).
        """
        if self._write_page is None:
            raise _core.Error("this job writes no page; use `panto imitate --report` or `panto track --sensors --report`")
        self._write_page(text(path))

    def __repr__(self) -> str:
        return f"<panto.{type(self).__name__}: {self.verdict.sentence}\n {self.motion!r}>"


class SensorResult(Result):
    """What tracking raw sensors yields."""

    _core: "_core.SensorResult"

    @property
    def deviation(self) -> Optional[np.ndarray]:
        """(T, J) standard deviations of the joints [rad] or [m]; None: not asked for."""
        deviation = self._core.deviation
        return deviation if len(deviation) else None
