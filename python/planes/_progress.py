"""How far a search is, as a bar or to a function."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

#: `True` for a bar on stderr, or what is called with the stage and its share done, `None` where unknown.
Progress: TypeAlias = "bool | Callable[[str, float | None], object]"

_WIDTH = 20


class _Bar:
    """One line on stderr, written again and again."""

    def __init__(self) -> None:
        self._shown = ""

    def __call__(self, stage: str, fraction: float | None) -> None:
        line = stage
        if fraction is not None:
            filled = round(_WIDTH * fraction)
            line += f" [{'#' * filled}{'.' * (_WIDTH - filled)}] {100 * fraction:.0f} %"
        if line != self._shown:
            self._write(line)

    def clear(self) -> None:
        self._write("")

    def _write(self, line: str) -> None:
        # Blanks cover what was longer.
        gap = " " * (len(self._shown) - len(line))
        sys.stderr.write(f"\r{line}{gap}" if line else f"\r{' ' * len(self._shown)}\r")
        sys.stderr.flush()
        self._shown = line


@contextmanager
def told(progress: Progress) -> Iterator[Callable[[str, float | None], object] | None]:
    """What is called while a search works; a bar goes when it ends."""
    if callable(progress):
        yield progress
    elif progress is True:
        bar = _Bar()
        try:
            yield bar
        finally:
            bar.clear()
    elif progress is False or progress is None:
        yield None
    else:
        raise TypeError(f"`progress` must be True, False or a function, not {progress!r}")
