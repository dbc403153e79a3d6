"""Whether a text holds a passage of another one, word for word but for case, width and blanks."""

from __future__ import annotations

from collections.abc import Iterator

LENGTH = 40
_STEP = 8


class Overlaps:
    """Passages of at least `LENGTH` folded characters, by their hashes: 8 bytes for each word that was added."""

    def __init__(self) -> None:
        self._windows: dict[int, int] = {}

    def add(self, folded: str, number: int) -> None:
        """Take in a text under a number of the caller's."""
        for at in _starts(folded, _STEP):
            self._windows.setdefault(hash(folded[at : at + LENGTH]), number)

    def of(self, folded: str) -> int | None:
        """The number of a text with which *folded* has a passage in common."""
        windows = (hash(folded[at : at + LENGTH]) for at in _starts(folded, 1))
        return next((self._windows[window] for window in windows if window in self._windows), None)


def _starts(folded: str, step: int) -> Iterator[int]:
    """Where a passage may begin: at each word, and in a long one at every *step* characters."""
    last = len(folded) - LENGTH
    at = 0
    while 0 <= at <= last:
        yield at
        blank = folded.find(" ", at, at + LENGTH)
        at = blank + 1 if blank >= 0 else at + step
