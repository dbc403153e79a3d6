"""A clock that stands still until it is moved."""

from __future__ import annotations


class FakeClock:
    """Use it wherever a `Clock` goes. Seconds; `monotonic` and `wall` move together."""

    def __init__(self, start: float = 1_000_000.0) -> None:
        self._now = start

    def monotonic(self) -> float:
        return self._now

    def wall(self) -> float:
        return self._now

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self._now += seconds
