"""Paths as the library takes them."""

import os
from typing import Union

Path = Union[str, "os.PathLike[str]"]


def printable(words: object) -> str:
    """Returns text of users and files as a terminal may have it: what it would obey, or not show as it is, is escaped."""
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in str(words))


def text(path: Path) -> str:
    """Returns the text of a path. Raises ValueError for one with a NUL, at which the system would cut it."""
    name = os.fsdecode(path)
    if "\0" in name:
        raise ValueError(f"path {name!r}: has a NUL character")
    return name
