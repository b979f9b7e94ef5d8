"""Progress of jobs: a function of the caller's, or tqdm's bar."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Optional, Union

Progress = Union[None, bool, Callable[[int, Optional[int]], object]]


@contextlib.contextmanager
def watched(progress: Progress, what: str) -> Iterator[Optional[Callable[[int, Optional[int]], object]]]:
    """Yields what a job calls with the frames done and their number (None: unknown), of all its passes so far.

    None: a bar on a terminal where tqdm is installed; True: a bar, or ImportError; False: nothing.
    """
    if callable(progress):
        yield progress
        return
    if progress is None and sys.stderr is not None and sys.stderr.isatty():
        with contextlib.suppress(ImportError):
            import tqdm  # noqa: F401

            progress = True
    if not progress:
        yield None
        return
    from tqdm import tqdm as bar_of

    with bar_of(desc=what, unit=" frames", leave=False) as bar:

        def show(done: int, of: Optional[int]) -> None:
            bar.total = of
            bar.update(done - bar.n)

        yield show
