"""Models of humans and robots."""

from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

from panto import _core
from panto._arguments import named
from panto._paths import Path, text


def models() -> list[str]:
    """Returns the names of the models that ship with Panto: humans, then robots."""
    return _core.shipped_models()


class _Kinematic:
    _core: Union["_core.Model", "_core.Robot"]

    @property
    def name(self) -> str:
        """The model's name."""
        return self._core.name

    @property
    def joint_names(self) -> list[str]:
        """Names of the movable joints, in the order of all arrays of joints."""
        return self._core.joint_names

    @property
    def link_names(self) -> list[str]:
        """Names of the links."""
        return self._core.link_names

    @property
    def dof(self) -> int:
        """Number of movable joints."""
        return len(self.joint_names)

    @property
    def base(self) -> str:
        """How the base moves: "floating", "fixed" or "rolling"."""
        return self._core.base

    @property
    def lower(self) -> np.ndarray:
        """(J,) lower limits [rad] or [m]; -inf: none."""
        return self._core.lower

    @property
    def upper(self) -> np.ndarray:
        """(J,) upper limits [rad] or [m]; inf: none."""
        return self._core.upper

    @property
    def velocity_limit(self) -> np.ndarray:
        """(J,) speed limits [rad/s] or [m/s]; inf: none."""
        return self._core.velocity_limit

    @property
    def rest(self) -> np.ndarray:
        """(J,) the pose at rest, inside all limits [rad] or [m]."""
        return self._core.rest

    @property
    def notes(self) -> list[str]:
        """Decisions of the reader, one sentence each."""
        return self._core.notes

    def __repr__(self) -> str:
        return f"<panto.{type(self).__name__} {self.name!r}: {self.dof} joints, {self.base} base>"


class Model(_Kinematic):
    """A kinematic model: a shipped name ("human66", "unitree_g1"), a URDF, an MJCF, a table (.toml).

    height [m] and mass [kg] are those of a human. Raises ConfigError for an unknown name, FormatError for a bad file.
    """

    _core: "_core.Model"

    @named
    def __init__(self, name: Path, *, height: float = 1.75, mass: float = 70.0):
        self._core = _core.open_model(text(name), height, mass)


class Robot(_Kinematic):
    """A robot and how it follows a person: "g1", "h1", "icub" ..., a URDF, an MJCF, a table or a robot map (.toml).

    base: "float", "fixed" or "roll"; None: as the file says. package_dirs: folders where its meshes may be too.
    height: of a human model that a map is for [m]. Raises ModelError where no map can be found.
    """

    _core: "_core.Robot"

    @named
    def __init__(self, name: Path, *, base: Optional[str] = None, package_dirs: Sequence[Path] = (), height: float = 1.75):
        self._words: tuple[str, Optional[str], list[str], float] = (text(name), base, [text(folder) for folder in package_dirs], height)
        self._core = _core.open_robot(*self._words)

    def __reduce__(self) -> tuple[Any, ...]:  # opens it again
        return _reopened, self._words


def _reopened(name: str, base: Optional[str], package_dirs: list[str], height: float) -> Robot:
    return Robot(name, base=base, package_dirs=package_dirs, height=height)


def robot_of(robot: Union[Robot, Path]) -> Robot:
    """Returns the robot, or opens the one of that name."""
    return robot if isinstance(robot, Robot) else Robot(robot)


def robot_word(robot: Union[None, Robot, Path]) -> str:
    """Returns the name or file that a robot is opened by; empty: none."""
    return "" if robot is None else robot._words[0] if isinstance(robot, Robot) else text(robot)
