"""What arrives at an address, one sample at a time."""

import math
from typing import Any, Optional

import numpy as np

from panto import _core
from panto._arguments import NotPickled, named
from panto._core import ConfigError


class LiveStream(NotPickled):
    """Listens to a live stream of a person or of raw sensors. One object per stream and thread.

        with panto.LiveStream("mvn://") as stream:
            stream.begin()
            live = panto.LiveRetargeter("g1", stream.names, height=stream.height or 1.75)
            while stream.read(timeout=2.0):
                if live.step(stream.t, stream.orientations, stream.positions):
                    send(live.joint_positions)

    address: as of `panto live --in`, but headsets: mvn://, vmc://, bvh+udp:// (persons), imu://, slimevr:// (raw sensors),
    each with HOST:PORT behind it if others than usual; ?character=N follows one of several. Without a host, this computer
    alone can send. Raises ConfigError for another address, Error when the port is taken.
    """

    _instead = "make one in every process"

    @named
    def __init__(self, address: str):
        self._stream: Any = _core.listen(address)
        self.address = address

    @property
    def _core(self) -> Any:
        if self._stream is None:
            raise ConfigError(f"this stream is closed: {self.address}")
        return self._stream

    @named
    def begin(self, timeout: Optional[float] = None, *, person: bool = True) -> None:
        """Waits for the first samples: until names and rate are known, and with `person` for 1.2 s more until the person's
        size is, if the stream tells it.

        timeout [s]; None: for ever. Raises Error when no three samples came in time.
        """
        seconds = _seconds("begin", timeout)
        if seconds == 0.0:
            raise ConfigError("begin: timeout is 0; give None or the seconds to wait")
        self._core.begin(self.address, seconds or 0.0, not person or self.sensors)

    @named
    def read(self, timeout: Optional[float] = None, *, newest: bool = True) -> bool:
        """Waits for the next sample, and takes it.

        timeout [s]; None: for ever; 0: what is there. newest: samples that a newer one has overtaken are passed over and
        counted; False: each in turn. Returns False when none came in time; then nothing changes.
        """
        return self._core.read(_seconds("read", timeout), newest)

    @property
    def names(self) -> "list[str]":
        """Of the samples' segments or sensors, in their order; complete from the first sample on."""
        return self._core.names

    @property
    def t(self) -> float:
        """Stamp of the sample [s], by the sender's clock where it has one; 0 for the first, and always later."""
        return self._core.t

    @property
    def orientations(self) -> np.ndarray:
        """(S, 4) w x y z of the segments, or of sensors that fuse themselves: a view that the next sample changes; nan: not
        measured. World: z up."""
        return self._core.orientations

    @property
    def positions(self) -> np.ndarray:
        """(S, 3) of the segments' origins [m]: a view, as `orientations`; (0, 0) of raw sensors."""
        return self._core.positions

    @property
    def gyro(self) -> np.ndarray:
        """(S, 3) [rad/s] of raw sensors in their own axes: a view, as `orientations`; (0, 0) of a person."""
        return self._core.gyro

    @property
    def acc(self) -> np.ndarray:
        """(S, 3) [m/s^2], as `gyro`: at rest 9.81 upward."""
        return self._core.acc

    @property
    def mag(self) -> np.ndarray:
        """(S, 3) magnetic field, as `gyro`, in the sender's unit."""
        return self._core.mag

    @property
    def cut(self) -> bool:
        """The sender restarted before this sample: positions may jump. `reset` what follows."""
        return self._core.cut

    @property
    def sensors(self) -> bool:
        """Raw sensors, for `InertialTracker`; else a person, for `LiveRetargeter`."""
        return self._core.sensors

    @property
    def rate(self) -> float:
        """Samples per second by the sender's clock [Hz]; 0 before `begin`."""
        return self._core.rate

    @property
    def height(self) -> Optional[float]:
        """Of the person [m]; None: the stream has not told it."""
        return self._core.height

    @property
    def notes(self) -> "list[str]":
        """What was decided or is doubtful, a sentence each."""
        return self._core.notes

    @property
    def counts(self) -> "dict[str, int]":
        """samples; lost, that the sender numbered and that did not arrive; overtaken, by a newer one; and datagrams: late,
        refused, foreign (of another sender)."""
        return self._core.counts

    @property
    def port(self) -> int:
        """At which it listens."""
        return self._core.port

    def close(self) -> None:
        """Frees the port."""
        self._stream = None

    def __enter__(self) -> "LiveStream":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _seconds(what: str, timeout: Optional[float]) -> Optional[float]:
    if timeout is None or timeout == math.inf:
        return None
    if not 0.0 <= timeout <= 1e6:
        raise ConfigError(f"{what}: timeout is {timeout}; give None or 0 to 1e6 seconds")
    return float(timeout)
