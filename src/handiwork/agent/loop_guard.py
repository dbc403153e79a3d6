"""Stops a model that goes round in circles, and leaves one alone that gets on."""

from __future__ import annotations

from collections import deque

from ..core.types import Ready, Refusal
from ..core.wire import dumps

MOST_REPEATS = 3
LONGEST_CYCLE = 3
_HOPELESS = 3

Signature = tuple[str, str]


class LoopGuard:
    """A step of an agent's scope: refuses a call that repeats without anything having changed.

    The same call for the fourth time in a row, or a cycle of up to three reading calls for the fourth
    time, is refused. Any other call in between is work and resets it. Tools that poll may repeat.
    `hopeless` tells the loop that refusing doesn't help any more.
    """

    def __init__(self) -> None:
        self._calls: deque[Signature] = deque(maxlen=LONGEST_CYCLE * MOST_REPEATS)
        self._readers: set[Signature] = set()
        self._refused_in_a_row = 0

    @property
    def hopeless(self) -> bool:
        return self._refused_in_a_row >= _HOPELESS

    def __call__(self, ready: Ready, /) -> Ready | Refusal:
        if "tool" in ready.entry.traits.touches.values():
            return ready  # the call that it makes comes by here itself
        signature = (ready.entry.name, dumps(ready.args))
        if ready.entry.traits.resolved_effect() == "read":
            self._readers.add(signature)
        period = 0 if ready.entry.traits.polls else self._period_with(signature)
        if not period:
            self._calls.append(signature)
            self._refused_in_a_row = 0
            return ready
        self._refused_in_a_row += 1
        what = "this call" if period == 1 else f"the last {period} calls"
        return Refusal(
            f"{what} ran {MOST_REPEATS} times with the same arguments; nothing new will come of it",
            "loop_guard",
            "use the results you have, change the arguments, or answer",
        )

    def _period_with(self, signature: Signature) -> int:
        """The length of the cycle that *signature* would close for the fourth time, or 0."""
        calls = [*self._calls, signature]
        for period in range(1, LONGEST_CYCLE + 1):
            length = period * MOST_REPEATS
            recent = calls[-length - 1 :]
            repeats = len(recent) == length + 1 and all(
                recent[i] == recent[i + period] for i in range(length + 1 - period)
            )
            if repeats and (period == 1 or self._readers.issuperset(recent)):
                return period
        return 0
