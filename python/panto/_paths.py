"""Paths as the library takes them."""

import os
from typing import Union

Path = Union[str, "os.PathLike[str]"]


def text(path: Path) -> str:
    """Returns the text of a path. Raises ValueError for one with a NUL, at which the system would cut it."""
    name = os.fsdecode(path)
    if "\0" in name:
        raise ValueError(f"path {name!r}: has a NUL character")
    return name
