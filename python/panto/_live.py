"""One sample of a person at a time onto a robot."""

from collections.abc import Iterator, Sequence
from typing import Optional, Union

import numpy as np

from panto import _core
from panto._arguments import NotPickled, check_once, named
from panto._models import Robot, robot_of
from panto._paths import Path


class LiveRetargeter(NotPickled):
    """Retargets one sample at a time. One object per person and thread.

        live = panto.LiveRetargeter("g1", recording.segment_names)
        if live.step(t, orientations, positions):
            send(live.joint_positions)

    segments: names of the samples' segments in their order; None: all of a human. height: of the person [m].
    feet: "plant", "soft" or "off". look_ahead: 0 to 0.3 [s]: planted feet know as much of what comes, and the output
    is that late. floor: its height [m]; None: found on the way. avoid: limbs keep out of the body.
    """

    _instead = "make one in every process"

    @named
    def __init__(
        self,
        robot: Union[Robot, Path],
        segments: Optional[Sequence[str]] = None,
        *,
        height: float = 1.75,
        feet: str = "plant",
        look_ahead: float = 0.1,
        floor: Optional[float] = None,
        avoid: bool = True,
    ):
        self.robot = robot_of(robot)
        self.segments = _core.human_segment_names() if segments is None else list(segments)
        check_once("LiveRetargeter: segments", self.segments)
        core = _core.live(self.robot._core, self.segments, height, feet, look_ahead, floor, avoid)
        self._core = core
        setattr(self, "step", core.step)  # the same, without the way through Python

    def step(self, t: float, orientations: np.ndarray, positions: Optional[np.ndarray] = None) -> bool:
        """Advances to a sample of the person.

        t [s]; orientations (S, 4), w x y z; positions (S, 3) [m]; nan: not measured. World: z up. Returns False for no
        state yet, or a sample that cannot be used (`status`); then nothing changes. Raises TypeError for other shapes.
        """
        return self._core.step(t, orientations, positions)

    @property
    def t(self) -> float:
        """Stamp of the state [s]: that of its sample, `look_ahead` ago."""
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
    def base_pose(self) -> np.ndarray:
        """(7,) x y z [m], qw qx qy qz of the base in the world: a view that the next step changes."""
        return self._core.base_pose

    def drain(self) -> Iterator[float]:
        """Yields the stamps of the states that still wait at the end of a stream, each current when it is yielded."""
        while self._core.drain():
            yield self.t

    def reset(self) -> None:
        """Forgets the past and what was not drained; the next sample counts as the first."""
        self._core.reset()
