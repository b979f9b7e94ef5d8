"""What calls say of objects that do not fit: which argument has a wrong type, and what cannot be pickled."""

import collections.abc
import functools
import inspect
import os
import typing
from collections.abc import Callable
from typing import Any, TypeVar, Union

from panto import _core

F = TypeVar("F", bound=Callable[..., Any])


def _fits(value: Any, kind: Any) -> bool:
    origin = typing.get_origin(kind)
    if kind is Any:
        return True
    if origin is Union:
        return any(_fits(value, one) for one in typing.get_args(kind))
    if kind is type(None):
        return value is None
    if kind is float:
        return isinstance(value, (int, float)) or hasattr(value, "__float__") and not isinstance(value, str)
    if kind is int:
        return isinstance(value, int) or hasattr(value, "__index__")
    if kind is bool:
        return isinstance(value, bool)
    if origin is collections.abc.Callable:
        return callable(value)
    if origin is collections.abc.Sequence:
        if isinstance(value, collections.abc.Iterator):
            return True  # looking at it would empty it
        if isinstance(value, (str, bytes, os.PathLike)) or not isinstance(value, collections.abc.Iterable):
            return False  # one string is no sequence of letters
        return all(_fits(one, typing.get_args(kind)[0]) for one in value)
    if origin is tuple:
        kinds = typing.get_args(kind)
        return hasattr(value, "__getitem__") and hasattr(value, "__len__") and len(value) == len(kinds) and all(map(_fits, value, kinds))
    return isinstance(value, origin or kind) if isinstance(origin or kind, type) else True


_WORDS = {
    float: "a number", int: "a whole number", bool: "True or False", str: "a string (str)", bytes: "bytes", type(None): "None", os.PathLike: "a path",
    collections.abc.Callable: "a function",
}


def _words(kind: Any) -> str:
    kinds = typing.get_args(kind) if typing.get_origin(kind) is Union else (kind,)
    parts: list[str] = []
    for one in kinds:
        origin = typing.get_origin(one) or one
        if origin is collections.abc.Sequence:
            word = "a sequence, each " + _words(typing.get_args(one)[0])
        elif origin is tuple:
            word = f"{len(typing.get_args(one))} values"
        else:
            word = _WORDS.get(origin) or f"a panto.{getattr(origin, '__name__', origin)}"
        parts += [word] if word not in parts else []
    return " or ".join(parts)


@functools.lru_cache(maxsize=None)
def _kinds(function: Callable[..., Any]) -> tuple[inspect.Signature, dict[str, Any]]:
    """Returns the signature of a function, and the types of its arguments."""
    import panto

    function = inspect.unwrap(function)
    return inspect.signature(function), typing.get_type_hints(function, {"os": os, **vars(panto), **function.__globals__})


def check_kinds(function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
    """Raises TypeError that names the first argument of a wrong type, what it must be and what it is."""
    signature, kinds = _kinds(function)
    try:
        given = signature.bind_partial(*arguments, **options).arguments
    except TypeError:  # unknown or doubled: the call says so
        return
    place = function.__qualname__.removesuffix(".__init__").rpartition(".<locals>.")[2]
    for name, value in given.items():
        if name in kinds and not _fits(value, kinds[name]):
            raise TypeError(f"{place}: {name} must be {_words(kinds[name])}, not {value!r:.60}")


def named(function: F) -> F:
    """Decorates a function so that it refuses arguments of a wrong type by their name."""

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        check_kinds(function, arguments, options)
        return function(*arguments, **options)

    return typing.cast(F, call)


def check_once(place: str, names: list[str]) -> None:
    """Raises ConfigError, from `place`, for names that are there twice."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise _core.ConfigError(f"{place} has {', '.join(map(repr, twice))} more than once")


class NotPickled:
    """An object of the library, which stays in its process. `_instead`: what to pass on."""

    _instead = ""

    def __reduce__(self) -> Any:
        raise TypeError(f"a panto.{type(self).__name__} cannot be pickled; {self._instead}")
