"""Time, as something that can be handed in and faked."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """`monotonic` is for durations and time-to-live, in seconds; `wall` is seconds since 1970."""

    def monotonic(self) -> float: ...

    def wall(self) -> float: ...


class SystemClock:
    """The machine's own clocks."""

    monotonic = staticmethod(time.monotonic)
    wall = staticmethod(time.time)


SYSTEM_CLOCK = SystemClock()
