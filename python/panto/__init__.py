"""Panto: recordings of people become joint angles of a human model or a humanoid robot, within its limits.

    import panto
    result = panto.retarget(panto.open("dance.bvh"), "g1")
    print(result.verdict)                    # Good: ... / Usable, but ... / Not usable: ...
    result.motion.joint_positions            # (frames, joints) [rad]
    result.motion.save("dance.npz")

World axes: z up, metres, seconds, radians; quaternions are w, x, y, z.
"""

from panto._core import (
    ConfigError,
    DirectionTarget,
    Error,
    FormatError,
    JointRow,
    ModelError,
    OrientationTarget,
    OwnTargets,
    PositionTarget,
    RelativeTarget,
)
from panto._core import version as __version__
from panto._batch import Batch, batch
from panto._jobs import imitate, retarget, track
from panto._layouts import layouts
from panto._live import LiveRetargeter
from panto._models import Model, Robot, models
from panto._motions import Check, RobotMotion, check, open_motion
from panto._pictures import film, picture
from panto._recordings import Recording, Stature, inspect, open, stature
from panto._results import Motion, Result, SensorResult, Verdict
from panto._sensors import Calibration, InertialTracker, Sensors, calibrate, open_sensors, sensed_person, track_sensors
from panto._streams import LiveStream

__all__ = [
    "Batch",
    "Calibration",
    "Check",
    "ConfigError",
    "DirectionTarget",
    "Error",
    "FormatError",
    "InertialTracker",
    "JointRow",
    "LiveRetargeter",
    "LiveStream",
    "Model",
    "ModelError",
    "Motion",
    "OrientationTarget",
    "OwnTargets",
    "PositionTarget",
    "Recording",
    "RelativeTarget",
    "Result",
    "Robot",
    "RobotMotion",
    "SensorResult",
    "Sensors",
    "Stature",
    "Verdict",
    "__version__",
    "batch",
    "calibrate",
    "check",
    "film",
    "imitate",
    "inspect",
    "layouts",
    "models",
    "open",
    "open_motion",
    "open_sensors",
    "picture",
    "retarget",
    "sensed_person",
    "stature",
    "track",
    "track_sensors",
]
