"""Data sets of LeRobot, version 3.0: Parquet files and their description, as its own writer lays them out."""

import json
import pathlib
import shutil
from types import TracebackType
from typing import Any, Optional

import numpy as np

from panto import _core

_FILE_BYTES = 100 << 20  # as LeRobot's DEFAULT_DATA_FILE_SIZE_IN_MB
_BASE = ["x", "y", "z", "qw", "qx", "qy", "qz"]
_SCALARS = {"timestamp": "float32", "frame_index": "int64", "episode_index": "int64", "index": "int64", "task_index": "int64"}
_QUANTILES = (0.01, 0.10, 0.50, 0.90, 0.99)


def feature_name(joint: str) -> str:
    """Returns LeRobot's name of a joint's angle: those of its Unitree G1 are "kLeftHipPitch.q"."""
    if not joint.endswith("_joint"):
        return f"{joint}.q"
    return "k" + "".join(word[:1].upper() + word[1:] for word in joint.removesuffix("_joint").split("_")) + ".q"


class Writer:
    """Writes a data set into a new folder, an episode at a time; memory holds one.

    Features: observation.state: joints [rad] or [m]; action: those of the next frame; observation.base: x y z qw qx qy qz.
    """

    def __init__(self, root: pathlib.Path, fps: float, robot: str, joints: list[str]):
        try:
            import pandas  # noqa: F401
            import pyarrow
            import pyarrow.parquet
        except ImportError as error:
            raise _core.ConfigError(f"the layout lerobot needs {error.name}: pip install pandas pyarrow") from None
        if fps != int(fps):
            raise _core.ConfigError(f"the layout lerobot needs a whole number of frames per second, not {fps:g}; give fps")
        self._root, self._fps, self._robot = root, int(fps), robot
        names = [feature_name(joint) for joint in joints]
        self._vectors = {"observation.state": names, "action": names, "observation.base": _BASE}
        columns = [(key, pyarrow.list_(pyarrow.float32(), len(of))) for key, of in self._vectors.items()]
        self._schema = pyarrow.schema([*columns, *((key, getattr(pyarrow, kind)()) for key, kind in _SCALARS.items())])
        self._episodes: list[dict[str, Any]] = []
        self._frames = self._file = 0
        self._writer: Any = None
        self._stats: dict[str, dict[str, np.ndarray]] = {}
        root.mkdir()

    def __enter__(self) -> "Writer":
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        if self._writer is not None:
            self._writer.close()
        if kind is None:
            self._describe()

    def add(self, task: str, qpos: np.ndarray) -> None:
        """Adds an episode: rows of x y z qw qx qy qz, then joints."""
        import pyarrow
        import pyarrow.parquet

        count, number = len(qpos), len(self._episodes)
        joints = qpos[:, 7:].astype(np.float32)
        vectors = {"observation.state": joints, "action": np.vstack([joints[1:], joints[-1:]]), "observation.base": qpos[:, :7].astype(np.float32)}
        frame = np.arange(count)
        scalars = {"timestamp": frame / self._fps, "frame_index": frame, "index": self._frames + frame}
        scalars.update({"episode_index": np.full(count, number), "task_index": np.full(count, number)})
        values = {**vectors, **{key: scalars[key].astype(kind) for key, kind in _SCALARS.items()}}
        arrays = [
            pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(values[key].ravel()), values[key].shape[1]) if values[key].ndim == 2 else pyarrow.array(values[key])
            for key in self._schema.names
        ]
        path = self._root / f"data/chunk-{self._file // 1000:03d}/file-{self._file % 1000:03d}.parquet"
        if self._writer is None:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._writer = pyarrow.parquet.ParquetWriter(path, self._schema)
        self._writer.write_table(pyarrow.Table.from_arrays(arrays, schema=self._schema))
        stats = {key: _stats(value) for key, value in values.items()}
        self._stats = _joined(self._stats, stats)
        row: dict[str, Any] = {"episode_index": number, "tasks": [task], "length": count}
        row.update({"data/chunk_index": self._file // 1000, "data/file_index": self._file % 1000})
        row.update({"dataset_from_index": self._frames, "dataset_to_index": self._frames + count})
        row.update({"meta/episodes/chunk_index": 0, "meta/episodes/file_index": 0})
        row.update({f"stats/{key}/{name}": value.tolist() for key, of in stats.items() for name, value in of.items()})
        self._episodes.append(row)
        self._frames += count
        if path.stat().st_size >= _FILE_BYTES:
            self._writer.close()
            self._writer, self._file = None, self._file + 1

    def _describe(self) -> None:
        import pandas
        import pyarrow
        import pyarrow.parquet

        meta = self._root / "meta"
        (meta / "episodes/chunk-000").mkdir(parents=True)
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(self._episodes), meta / "episodes/chunk-000/file-000.parquet")
        tasks = [row["tasks"][0] for row in self._episodes]
        pandas.DataFrame({"task_index": range(len(tasks))}, index=pandas.Index(tasks, name="task")).to_parquet(meta / "tasks.parquet")
        features: dict[str, Any] = {key: {"dtype": "float32", "shape": [len(of)], "names": of} for key, of in self._vectors.items()}
        features.update({key: {"dtype": kind, "shape": [1], "names": None} for key, kind in _SCALARS.items()})
        info = {
            "codebase_version": "v3.0",
            "robot_type": self._robot,
            "total_episodes": len(tasks),
            "total_frames": self._frames,
            "total_tasks": len(tasks),
            "chunks_size": 1000,
            "data_files_size_in_mb": _FILE_BYTES >> 20,
            "video_files_size_in_mb": 200,
            "fps": self._fps,
            "splits": {"train": f"0:{len(tasks)}"},
            "data_path": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
            "video_path": None,
            "features": features,
        }
        (meta / "info.json").write_text(json.dumps(info, indent=4), encoding="utf-8")
        stats = {key: {name: value.tolist() for name, value in of.items()} for key, of in self._stats.items()}
        (meta / "stats.json").write_text(json.dumps(stats, indent=4), encoding="utf-8")


def _stats(values: np.ndarray) -> dict[str, np.ndarray]:
    columns = values.reshape(len(values), -1).astype(float)
    stats = {"min": columns.min(0), "max": columns.max(0), "mean": columns.mean(0), "std": columns.std(0), "count": np.array([len(columns)])}
    return {**stats, **{f"q{round(100 * q):02d}": np.quantile(columns, q, axis=0) for q in _QUANTILES}}


def _joined(a: dict[str, dict[str, np.ndarray]], b: dict[str, dict[str, np.ndarray]]) -> dict[str, dict[str, np.ndarray]]:
    """Statistics of both together; quantiles are means weighted by frames, as LeRobot's."""
    if not a:
        return b
    both = {}
    for key, x in a.items():
        y = b[key]
        n, m = x["count"], y["count"]
        mean = (n * x["mean"] + m * y["mean"]) / (n + m)
        spread = (n * (x["std"] ** 2 + (x["mean"] - mean) ** 2) + m * (y["std"] ** 2 + (y["mean"] - mean) ** 2)) / (n + m)
        both[key] = {"min": np.minimum(x["min"], y["min"]), "max": np.maximum(x["max"], y["max"]), "mean": mean, "std": np.sqrt(spread), "count": n + m}
        both[key].update({name: (n * x[name] + m * y[name]) / (n + m) for name in x if name.startswith("q")})
    return both


def join_data_set(folder: pathlib.Path, robot: str, fps: float, motions: list[tuple[str, str]]) -> None:
    """Makes the data set `folder`/lerobot of motions with qpos: name and path of each. It appears complete or not at all."""
    part, whole = folder / ".lerobot.part", folder / "lerobot"
    shutil.rmtree(part, ignore_errors=True)
    if motions:
        with np.load(folder / motions[0][1]) as first:
            joints = [str(name) for name in first["joint_names"]]
        with Writer(part, fps, robot, joints) as writer:
            for name, path in motions:
                with np.load(folder / path) as data:
                    writer.add(name, data["qpos"])
    shutil.rmtree(whole, ignore_errors=True)
    if motions:
        part.replace(whole)
