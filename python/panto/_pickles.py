"""Arrays in pickles and joblib files of other programs. Nothing in them runs: what they may build is the closed list here.

The arrays go to the library as the bytes of an NPZ, which it reads as any other (docs/formats/robot_motion.md).
"""

import bz2
import io
import lzma
import math
import os
import pathlib
import pickle
import re
import zipfile
import zlib
from collections.abc import Callable
from typing import Any, Optional, Union

import numpy as np

from panto import _core, _foreign
from panto._paths import Path, text

LARGEST = 1 << 30  # bytes of a file, also unpacked
_ENDINGS = (".pkl", ".pickle", ".joblib")
_TYPE = re.compile(r"[<>=|]?([biuf](?:1|2|4|8)|\?|[US]\d{1,5}|O8?)")
_MEMBER = re.compile(r"[\w.-]{1,100}")


class _Refusal(Exception):
    """Why a pickle is not read."""


class _Type:
    """A dtype as it is pickled."""

    def __init__(self, code: object, *_: object):
        found = _TYPE.fullmatch(code) if isinstance(code, str) else None
        if not found:
            raise _Refusal(f"holds an array of type {code!r}, which is neither numbers nor texts")
        self.code = found[1]
        self.order = "|" if code[0] == found[1][0] else code[0]  # type: ignore[index]

    def build(self, state: Any) -> None:
        order, parts = state[1], state[2:5]
        if order not in ("<", ">", "=", "|") or any(part is not None for part in parts):
            raise _Refusal("holds a structured array")
        self.order = order

    def dtype(self) -> "np.dtype[Any]":
        if self.code[0] == "O":
            raise _Refusal("holds an array of Python objects")
        return np.dtype(self.order.replace("|", "=") + self.code if self.code != "?" else "?")


def _shaped(kind: _Type, shape: Any, content: Any, order: str) -> Any:
    if not isinstance(shape, tuple) or len(shape) > 8 or not all(isinstance(n, int) and n >= 0 for n in shape):
        raise _Refusal("holds an array without a shape")
    if kind.code[0] == "O":  # a list, as of names; one dict is what numpy.save makes of it
        if not isinstance(content, list) or len(content) != math.prod(shape):
            raise _Refusal("holds an array of Python objects")
        return content[0] if shape == () else content
    raw = content.encode("latin1") if isinstance(content, str) else bytes(content)
    if len(raw) != math.prod(shape) * kind.dtype().itemsize:
        raise _Refusal(f"holds an array of shape {shape} in {len(raw)} bytes")
    return np.frombuffer(raw, kind.dtype()).reshape(shape, order="F" if order == "F" else "C")


class _Array:
    """An array as it is pickled."""

    def __init__(self, *_: object):
        self.value: Any = np.empty(0)

    def build(self, state: Any) -> None:
        _, shape, kind, fortran, content = state
        if not isinstance(kind, _Type):
            raise _Refusal("holds an array without a type")
        self.value = _shaped(kind, shape, content, "F" if fortran else "C")


class _Stored:
    """An array as joblib stores it: its bytes follow in the file."""

    def build(self, state: Any) -> None:
        self.kind, self.shape, self.order = state["dtype"], state["shape"], state["order"]
        self.aligned = state.get("numpy_array_alignment_bytes") is not None

    def read(self, file: io.BytesIO) -> Any:
        if not isinstance(self.kind, _Type) or not isinstance(self.shape, tuple):
            raise _Refusal("holds an array without a type")
        if self.aligned:
            file.read(int.from_bytes(file.read(1), "little"))
        size = math.prod(self.shape) * self.kind.dtype().itemsize
        if size > len(file.getbuffer()) - file.tell():
            raise _Refusal(f"ends inside an array of {size} bytes")
        return _shaped(self.kind, self.shape, file.read(size), self.order)


def _from_buffer(content: Any, kind: Any, shape: Any, order: Any) -> Any:
    return _shaped(kind, shape, content, order)


def _scalar(kind: Any, content: Any) -> Any:
    return _shaped(kind, (), content, "C").item()


def _encoded(words: Any, encoding: Any) -> bytes:
    if encoding not in ("latin1", "latin-1"):
        raise _Refusal(f"holds bytes encoded as {encoding!r}")
    return str(words).encode("latin1")


class _Kind:
    """Stands for numpy.ndarray."""


_NUMPY = ("numpy.core.", "numpy._core.")
_BUILDERS: dict[tuple[str, str], Any] = {
    ("numpy", "dtype"): _Type,
    ("numpy", "ndarray"): _Kind,
    ("_codecs", "encode"): _encoded,
    ("collections", "OrderedDict"): dict,
    ("joblib.numpy_pickle", "NumpyArrayWrapper"): _Stored,
    **{(f"{core}multiarray", "_reconstruct"): _Array for core in _NUMPY},
    **{(f"{core}multiarray", "scalar"): _scalar for core in _NUMPY},
    **{(f"{core}numeric", "_frombuffer"): _from_buffer for core in _NUMPY},
}
_OPCODES = (
    "PROTO FRAME STOP MARK POP POP_MARK NONE NEWTRUE NEWFALSE INT BININT BININT1 BININT2 LONG LONG1 LONG4 FLOAT BINFLOAT STRING "
    "BINSTRING SHORT_BINSTRING UNICODE BINUNICODE SHORT_BINUNICODE BINUNICODE8 BINBYTES SHORT_BINBYTES BINBYTES8 "
    "EMPTY_TUPLE TUPLE TUPLE1 TUPLE2 TUPLE3 EMPTY_LIST LIST EMPTY_DICT DICT APPEND APPENDS SETITEM SETITEMS GET BINGET LONG_BINGET "
    "PUT BINPUT LONG_BINPUT MEMOIZE GLOBAL STACK_GLOBAL"
).split()


class _Unpickler(pickle._Unpickler):  # type: ignore[name-defined,misc]
    """Builds lists, dicts, numbers, texts and arrays; has no other way to call anything."""

    dispatch: dict[int, Callable[..., None]] = {
        getattr(pickle, code)[0]: pickle._Unpickler.dispatch[getattr(pickle, code)[0]]  # type: ignore[attr-defined]
        for code in _OPCODES
    }

    def __init__(self, file: io.BytesIO):
        super().__init__(file, encoding="latin1")
        self._content = file

    def find_class(self, module: str, name: str) -> Any:
        found = _BUILDERS.get((module, name))
        if found is None:
            raise _Refusal(f"wants to build {module}.{name}, which is code; load it where you trust it and save its arrays with numpy.savez")
        return found

    def _call(self) -> None:
        arguments = self.stack.pop()
        builder = self.stack[-1]
        if not any(builder is one for one in _BUILDERS.values()) or builder is _Kind:
            raise _Refusal("calls something that is not an array")
        self.stack[-1] = builder(*arguments)

    def _build(self) -> None:
        state = self.stack.pop()
        if not isinstance(self.stack[-1], (_Type, _Array, _Stored)):
            raise _Refusal("changes something that is not an array")
        self.stack[-1].build(state)
        if isinstance(self.stack[-1], _Stored):
            self.stack[-1] = self.stack[-1].read(self._content)

    def _bytes(self) -> None:  # as many as there are, whatever is declared
        size = int.from_bytes(self.read(8), "little")
        self.append(self.read(min(size, LARGEST)))

    dispatch[pickle.BYTEARRAY8[0]] = _bytes
    dispatch[pickle.REDUCE[0]] = _call
    dispatch[pickle.NEWOBJ[0]] = _call
    dispatch[pickle.BUILD[0]] = _build


def _unpacked(data: bytes) -> bytes:
    """Undoes joblib's compression."""
    if data[:1] == b"x" or data[:2] == b"\x1f\x8b":
        unpacker: Any = zlib.decompressobj(zlib.MAX_WBITS | 32)
    elif data[:3] == b"BZh":
        unpacker = bz2.BZ2Decompressor()
    elif data[:6] == b"\xfd7zXZ\0" or data[:3] == b"]\0\0":
        unpacker = lzma.LZMADecompressor()
    else:
        return data
    content: bytes = unpacker.decompress(data, LARGEST)
    if not unpacker.eof:
        raise _Refusal("ends inside its compressed content" if len(content) < LARGEST else f"unpacks to more than {LARGEST} bytes")
    return content


def _array(value: Any, room: int) -> Any:
    """Returns numbers or texts as an array of at most `room` elements; None: neither."""
    if isinstance(value, _Array):
        value = value.value
    if isinstance(value, (np.ndarray, bool, int, float, str)):
        array = np.asarray(value)
        return array.astype(np.float32) if array.dtype == np.float16 else array
    if not isinstance(value, (list, tuple)) or not value:
        return None
    if all(isinstance(one, (bool, int, float)) for one in value):
        return np.array(value, float)
    if len(value) > room:
        return None
    rows = [_array(one, room // len(value)) for one in value]
    if any(row is None or row.shape != rows[0].shape or row.dtype.kind != rows[0].dtype.kind for row in rows):
        return None
    if rows[0].size * len(rows) > room:
        raise _Refusal("holds more numbers than bytes")
    return np.array(rows)


def _clip_of(content: Any, person: Optional[str]) -> Any:
    """Returns one clip of a pickle of several."""
    if isinstance(content, _Array):
        content = content.value
    if not isinstance(content, dict):
        raise _Refusal(f"holds a {type(content).__name__}; a motion is a dict of arrays")
    if not content or not all(isinstance(value, dict) for value in content.values()):
        return content
    clips = {str(key): value for key, value in content.items()}
    if person is None and len(clips) == 1:
        return next(iter(clips.values()))
    if person in clips:
        return clips[person]
    names = ", ".join(list(clips)[:10]) + (", ..." if len(clips) > 10 else "")
    raise _core.ConfigError(f"holds {len(clips)} motions{f', none is called {person}' if person else ''}; say which as the person: {names}")


def _packed(data: bytes, person: Optional[str]) -> bytes:
    """Returns the arrays of a pickle as an NPZ."""
    clip = _clip_of(_Unpickler(io.BytesIO(data)).load(), person)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for key, value in clip.items():
            array = _array(value, len(data)) if isinstance(key, str) and _MEMBER.fullmatch(key) else None
            if array is None:
                continue
            with archive.open(f"{key}.npy", "w") as member:
                np.lib.format.write_array(member, array, allow_pickle=False)
        if not archive.namelist():
            raise _Refusal("holds no arrays")
    return packed.getvalue()


def _after_head(data: bytes) -> Optional[bytes]:
    """Returns the pickle in a .npy of Python objects; None: its elements are plain."""
    file = io.BytesIO(data)
    version = np.lib.format.read_magic(file)
    head = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    kind = head(file)[2]
    return data[file.tell() :] if kind.hasobject else None


def is_pickle(head: bytes, name: str) -> bool:
    """Whether a file may be a pickle, a joblib file or a .npy of Python objects, by its beginning and its name."""
    if head[:2] == b"PK":
        return False
    known = head[:1] == b"\x80" and head[1:2] in (b"\2", b"\3", b"\4", b"\5")
    return known or head[:6] == b"\x93NUMPY" or pathlib.PurePath(name).suffix.lower() in _ENDINGS


def archive_of(data: bytes, name: str, person: Optional[str] = None) -> Optional[bytes]:
    """Returns the arrays of what `is_pickle` as the bytes of an NPZ; None: a .npy of plain numbers.

    Raises FormatError for one that is damaged, wants to run code, or holds no dict of arrays; ConfigError where `person` has
    to say which of several motions.
    """
    try:
        inner = _after_head(data) if data[:6] == b"\x93NUMPY" else _unpacked(data)
        return None if inner is None else _packed(inner, person)
    except _core.ConfigError as error:
        raise _core.ConfigError(f"{name}: {error}") from None
    except _Refusal as error:
        raise _core.FormatError(f"{name}: {error}") from None
    except Exception as error:  # a damaged pickle fails anywhere; no code of its own has run
        raise _core.FormatError(f"{name}: a damaged pickle, or no pickle: {error or type(error).__name__}") from None


def _read(path: str) -> bytes:
    """Returns the content of a file that may be a pickle, else its beginning; nothing where the library says what is wrong."""
    if not os.path.isfile(path):
        return b""
    try:
        with open(path, "rb") as file:
            head = file.read(8)
            data = head + (file.read(LARGEST) if is_pickle(head, path) else b"")
    except OSError:
        return b""
    if len(data) > LARGEST:
        raise _core.FormatError(f"{path}: larger than {LARGEST} bytes, the limit")
    return data


def input_of(source: Union[Path, bytes], name: Optional[str], person: Optional[str], job: str) -> tuple[str, Optional[bytes], str]:
    """Returns name, content (None: that of the file) and person as the library takes them, of a path or of bytes with `name`."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        if name is None:
            raise TypeError(f"{job}: bytes need name='take.bvh', whose extension gives the format")
        label = name
        data = content = bytes(source)
    else:
        if name is not None:
            raise TypeError(f"{job}: name is for bytes; a file has its own")
        label = text(source)
        content = _foreign.arrays_of(label)
        data = content or _read(label)
    packed = archive_of(data, label, person) if is_pickle(data, label) and data else None
    return (label, content, person or "") if packed is None else (label, packed, "")
