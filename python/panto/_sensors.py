"""Raw inertial sensors."""

import os
from collections.abc import Sequence
from typing import NamedTuple, Optional, Union

import numpy as np

from panto import _core
from panto._arguments import NotPickled, check_once, named
from panto._models import Model
from panto._paths import Path, text
from panto._progress import Progress, watched
from panto._recordings import Opened, Recording
from panto._results import SensorResult, Verdict

Span = tuple[float, float]


class Readings(NamedTuple):
    """Readings of all sensors as arrays; nan where a sensor lacks or missed a quantity."""

    times: np.ndarray  #: (T,) [s]
    gyro: np.ndarray  #: (T, S, 3) angular rates in the sensor [rad/s]
    acc: np.ndarray  #: (T, S, 3) specific forces in the sensor [m/s^2]
    mag: np.ndarray  #: (T, S, 3) magnetic fields in the sensor, in the file's unit


class Sensors(Opened):
    """A recording of raw sensors in memory."""

    _core: "_core.SensorClip"

    @property
    def names(self) -> list[str]:
        """Names of the sensors, in the order of `readings()`."""
        return self._core.sensors

    def readings(self) -> Readings:
        """Returns all readings."""
        return Readings(*self._core.readings())

    def __repr__(self) -> str:
        return f"<panto.Sensors {os.path.basename(self._core.name)!r}: {self.format}, {len(self.names)} at {self.rate_hz:g} Hz>"


@named
def open_sensors(path: Path) -> Sensors:
    """Opens a recording of raw sensors, a file or a folder of one file a sensor, by its content."""
    return Sensors(_core.open_imu(text(path)))


def _clip(sensors: Union[Sensors, Path]) -> Sensors:
    return sensors if isinstance(sensors, Sensors) else open_sensors(sensors)


class Calibration(NotPickled):
    """Where sensors sit, as it was found."""

    _instead = "save it, and pass the path on"

    def __init__(self, core: "_core.CalibrateResult"):
        self._core = core
        self.verdict = Verdict(core.verdict)

    @property
    def good(self) -> bool:
        """Whether no pose or motion needs repeating."""
        return self._core.good

    @property
    def notes(self) -> list[str]:
        """What there is to know, one sentence each."""
        return self._core.notes

    def save(self, path: Path) -> None:
        """Writes the file of sensors that `track_sensors` takes (.toml)."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._core.sensors.text())

    def __str__(self) -> str:
        return self._core.text() + self._core.advice()

    def __repr__(self) -> str:
        return f"<panto.Calibration: {self.verdict.sentence}>"


def _setup(setup: Union[Calibration, Path, None], clip: Sensors, model: Model) -> "_core.SensorSetup":
    if setup is None:
        return _core.mounts_by_name(clip._core, model._core)
    return setup._core.sensors if isinstance(setup, Calibration) else _core.read_sensors(text(setup))


@named
def calibrate(
    sensors: Union[Sensors, Path],
    setup: Optional[Path] = None,
    *,
    model: Union[Model, str] = "human66",
    poses: Union[str, Sequence[str]] = ("npose",),
    walk: Optional[Span] = None,
    hinges: Sequence[tuple[str, Span]] = (),
    motions: Sequence[Span] = (),
    trusted: str = "",
    progress: Progress = None,
) -> Calibration:
    """Finds how sensors sit on their segments.

    setup: the file of sensors with rough mountings; None: every sensor sits on the link of its name.
    poses: "npose", "tpose", "chair", in the order held. walk, hinges, motions: spans [s] of a walk straight ahead, of
    single joints, of any motion. trusted: a sensor whose mounting is right about the vertical.
    """
    clip, human = _clip(sensors), model if isinstance(model, Model) else Model(model)
    with watched(progress, "calibrate") as told:
        return Calibration(
            _core.calibrate(
                clip._core, human._core, _setup(setup, clip, human), [poses] if isinstance(poses, str) else list(poses), walk, list(hinges), list(motions), trusted, told
            )
        )


@named
def track_sensors(
    sensors: Union[Sensors, Path],
    setup: Union[Calibration, Path, None] = None,
    *,
    model: Union[Model, str] = "human66",
    smooth: bool = False,
    deviations: bool = False,
    refine: bool = False,
    settle: float = 0.5,
    height: float = 1.75,
    progress: Progress = None,
) -> SensorResult:
    """Tracks raw sensors with any model.

    setup: a calibration or a file of sensors. smooth: every sample from the whole recording. deviations: standard
    deviations of the joints too, also in files of the motion. refine: also sensor positions and segment lengths. height: of the person [m].
    """
    clip, body = _clip(sensors), model if isinstance(model, Model) else Model(model, height=height)
    with watched(progress, "track") as told:
        return SensorResult(
            _core.track_sensors(
                clip._core, body._core, _setup(setup, clip, body), smooth, deviations, refine, settle, height, told
            )
        )


@named
def sensed_person(
    sensors: Union[Sensors, Path], setup: Union[Calibration, Path, None] = None, *, model: str = "human48", height: float = 1.75
) -> Recording:
    """Returns the person who wears the sensors as a recording, for `retarget`. model: "human48", the command's, or "human66"."""
    clip, human = _clip(sensors), Model(model, height=height)
    return Recording(_core.person_of(clip._core, human._core, _setup(setup, clip, human), height))


class InertialTracker(NotPickled):
    """Tracks raw sensors one sample at a time, with the bits of `track_sensors`. One object per person and thread.

        live = panto.InertialTracker("suit.toml", ["pelvis", "thigh"])
        if live.step(t, gyro, acc):
            send(live.joint_positions)

    setup: a calibration or a file of sensors. sensors: names of the samples' sensors in their order; those that are not
    mounted are ignored. height: of a human [m]. Raises ConfigError for a sensor of the setup that is missing, and for a
    setup that needs the whole recording.
    """

    _instead = "make one in every process"

    @named
    def __init__(self, setup: Union[Calibration, Path], sensors: Sequence[str], *, model: Union[Model, str] = "human66", height: float = 1.75):
        self.model = model if isinstance(model, Model) else Model(model, height=height)
        self.sensors = list(sensors)
        check_once("InertialTracker: sensors", self.sensors)
        file = setup._core.sensors if isinstance(setup, Calibration) else _core.read_sensors(text(setup))
        core = _core.LiveSensors(self.model._core, file, self.sensors, height)
        self._core = core
        setattr(self, "step", core.step)  # the same, without the way through Python

    def step(
        self, t: float, gyro: np.ndarray, acc: np.ndarray, mag: Optional[np.ndarray] = None, orientations: Optional[np.ndarray] = None
    ) -> bool:
        """Advances to a sample of the sensors, in their own axes.

        t [s]; gyro (S, 3) [rad/s]; acc (S, 3) [m/s^2]; mag (S, 3), in the unit of the setup's field; orientations (S, 4),
        w x y z, of trackers that fuse themselves; nan: not measured. Returns False for a sample that cannot be used
        (`status`); then nothing changes. Raises TypeError for other shapes.
        """
        return self._core.step(t, gyro, acc, mag, orientations)

    @property
    def t(self) -> float:
        """Stamp of the state [s]."""
        return self._core.t

    @property
    def status(self) -> str:
        """How the last step ended."""
        return self._core.status

    @property
    def joint_positions(self) -> np.ndarray:
        """(J,) [rad] or [m]: a view that the next step changes."""
        return self._core.joint_positions

    @property
    def joint_velocities(self) -> np.ndarray:
        """(J,) [rad/s] or [m/s]: a view that the next step changes."""
        return self._core.joint_velocities

    @property
    def deviation(self) -> np.ndarray:
        """(J,) standard deviations of the joints [rad] or [m]: a view that the next step changes."""
        return self._core.deviation

    @property
    def base_pose(self) -> np.ndarray:
        """(7,) x y z [m], qw qx qy qz of the base in the world: a view that the next step changes."""
        return self._core.base_pose

    def reset(self) -> None:
        """Forgets the past; the next sample counts as the first."""
        self._core.reset()
