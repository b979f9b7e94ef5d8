"""Recordings of people, and what a file holds."""

import json
import os
import pathlib
from typing import Any, NamedTuple, Optional, Sequence, Union

import numpy as np

from panto import _core
from panto._arguments import NotPickled, named
from panto._models import Robot, robot_word
from panto._foreign import arrays_of
from panto._paths import Path, text
from panto._pickles import input_of


class Samples(NamedTuple):
    """The samples of a recording as arrays; nan where a segment was not measured."""

    times: np.ndarray  #: (T,) [s]
    positions: np.ndarray  #: (T, S, 3) origins of the segments in the world [m]
    orientations: np.ndarray  #: (T, S, 4) of the segments in the world, w x y z
    problem: str  #: why reading ended early; empty: it did not


class Opened(NotPickled):
    """What all opened files tell."""

    _instead = "pass its path on, and open it there"

    _core: Union["_core.Recording", "_core.SensorClip"]

    def __init__(self, core: Any):
        self._core = core

    @property
    def format(self) -> str:
        """The format as it was recognised, "bvh (xsens)"."""
        return self._core.format

    @property
    def rate_hz(self) -> float:
        """Nominal rate [Hz]; 0: unknown."""
        return self._core.rate_hz

    @property
    def notes(self) -> list[str]:
        """Repairs and decisions of the reader, one sentence each."""
        return self._core.notes


class Recording(Opened):
    """A recording of a person's segments. Jobs read it from its beginning; one job at a time."""

    _core: "_core.Recording"

    @property
    def path(self) -> str:
        """The file, or the name that was given for bytes."""
        return self._core.path

    @property
    def frames(self) -> Optional[int]:
        """Number of samples; None where only reading tells."""
        return self._core.frames

    @property
    def up(self) -> str:
        """The file's axis that is up, "y"; empty: not known."""
        return self._core.up

    @property
    def height(self) -> Optional[float]:
        """Height of the person [m]; None: the file does not tell."""
        return self._core.height

    @property
    def segment_names(self) -> list[str]:
        """Names of the segments, in the order of `samples()`."""
        return self._core.segment_names

    def samples(self) -> Samples:
        """Reads all samples. World axes: z up, x forward, y left. Raises FormatError where there are none."""
        return Samples(*self._core.samples())

    def __repr__(self) -> str:
        frames = "?" if self.frames is None else self.frames
        return f"<panto.Recording {os.path.basename(self.path)!r}: {self.format}, {frames} frames at {self.rate_hz:g} Hz>"


@named
def open(  # noqa: A001: as in the command
    source: Union[Path, bytes],
    *,
    name: Optional[str] = None,
    rig: Optional[Path] = None,
    person: Optional[str] = None,
    take: Optional[str] = None,
    height: Optional[float] = None,
    clean: str = "light",
    ground: bool = False,
    body: Optional[Path] = None,
    robot: Union[None, Path, Robot] = None,
    hints: str = "",
) -> Recording:
    """Opens a recording: .bvh, .glb, .vrm, .mvnx, .trc, .npz, .npy, .csv, .json, .sto, .mot, arrays in pickles, told by its content; .c3d
    with ezc3d and .pt of GVHMR with torch, where these are installed.

    source: a path (of a folder of .json, too), or the bytes of a file; then `name` gives its extension, as in "take.bvh".
    rig: a rig map, as `panto inspect -o` writes it. person: which of several people, or motions, of the file.
    take: which animation of a glTF file, by name or number from 1; None: the first that turns joints.
    height: of the person [m], for files without sizes. clean: "off", "light" or "strong", of points.
    ground: puts the soles on the floor z = 0. body: the person's model file of SMPL, SMPL-H or SMPL-X (.npz), which gives
    a motion of these models its exact lengths.
    Of a robot's motion: the person whom it shows; robot, hints: as for `open_motion`.
    Raises FormatError that names line or byte, ConfigError and ModelError for a rig map that does not fit.
    """
    tall = 0.0 if height is None else height
    label, content, one = input_of(source, name, person, "open")
    own = "" if body is None else text(body)
    words = (tall, clean, ground, own, take or "", robot_word(robot), hints)
    return Recording(_core.open_recording(label, content, "" if rig is None else text(rig), one, *words))


class Stature(NamedTuple):
    """What the standing feet of a person's clips show."""

    height: float  #: [m]
    deviation: float  #: standard deviation [m]
    stances: int  #: that were used


@named
def stature(clips: Sequence[Path]) -> Optional[Stature]:
    """Finds the stature of one person from clips of SMPL, SMPL-H or SMPL-X together (AMASS: all of a subject).

    Returns None where the feet do not show it (docs/formats/body_model.md). Give the height to `open` and `retarget`.
    Raises FormatError for a file that cannot be read.
    """
    contents = []
    for clip in clips:
        path = text(clip)
        try:
            contents.append((path, arrays_of(path) or pathlib.Path(path).read_bytes()))
        except OSError as error:
            raise _core.FormatError(f"{path}: cannot be read: {error.strerror}") from None
    found = _core.stature(contents)
    return None if found is None else Stature(*found)


class Inspection(dict[str, Any]):
    """What a file holds, as `panto inspect --json` prints it (docs/formats/inspect_json.md), and its verdict."""

    def __init__(self, facts: dict[str, Any], verdict: "_core.Verdict"):
        super().__init__(facts)
        self.verdict = verdict

    def __repr__(self) -> str:
        return f"<panto.Inspection: {self.verdict.sentence}>"


@named
def inspect(
    source: Union[Path, bytes],
    *,
    name: Optional[str] = None,
    rig: Optional[Path] = None,
    person: Optional[str] = None,
    take: Optional[str] = None,
    robot: Union[None, Path, Robot] = None,
    hints: str = "",
) -> Inspection:
    """Inspects a file or bytes: content, interpretation, findings. Of a robot's motion: how it was understood ("told"), and
    whether it is good; robot, hints: as for `open_motion`. Raises FormatError when it cannot be read at all.
    """
    label, content, one = input_of(source, name, person, "inspect")
    facts, verdict = _core.inspect(label, content, "" if rig is None else text(rig), one, take or "", robot_word(robot), hints)
    return Inspection(json.loads(facts), verdict)
