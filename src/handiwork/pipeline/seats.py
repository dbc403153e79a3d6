"""How many calls of one tool run at once: threads and coroutines wait in one line for a seat.

A call has its seat while its handler runs. One that is made inside another call of the same tool sits inside that
one's seat, where there is one place: nobody waits for itself, and no more of them work at once than may. Where all
who could make room wait, round about, for the call that asks, it is told so: waiting would never end.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ..core.errors import HandiworkError
from ..core.loading import Late
from ..core.types import Ready, ToolEntry

asyncio = Late("asyncio")


class NoSeatError(HandiworkError):
    """A call didn't get its turn, and wasn't run."""


class _Gate:
    """The seats of one name, and who waits for one, in order."""

    __slots__ = ("most", "name", "seats", "waiting")

    def __init__(self, name: str, most: int) -> None:
        self.name, self.most = name, most
        self.seats: set[Seat] = set()
        self.waiting: deque[Seat] = deque()


class Seat:
    """The place of one call: taken, or (while `is_taken` is False) waited for. `around` are those it is made inside."""

    __slots__ = ("_inner", "around", "gate", "is_taken", "ready", "wake")

    def __init__(self, gate: _Gate, ready: Ready, around: tuple[Seat, ...], wake: Callable[[], None]) -> None:
        self.gate, self.ready, self.around, self.wake = gate, ready, around, wake
        self.is_taken = False
        self._inner: _Gate | None = None

    def inside(self) -> _Gate:
        """The one seat for calls that are made inside this one."""
        if self._inner is None:
            self._inner = _Gate(self.gate.name, 1)
        return self._inner


class Seats:
    """The gates of all tools that have a limit; *named* has those that a person set, by tool or toolset.

    A toolset's limit is for all its tools together.
    """

    def __init__(self, named: Mapping[str, int] | None = None) -> None:
        self._named = dict(named or {})
        self._lock = threading.Lock()
        self._gates: dict[str, _Gate] = {}
        self._taken: dict[int, Seat] = {}  # by the id() of calls that are under way
        self._waiting: set[Seat] = set()

    def limit(self, entry: ToolEntry) -> tuple[str, int] | None:
        """The name under which calls of *entry* are counted, and how many may run at once."""
        for name in (entry.name, entry.toolset) if self._named else ():
            if name in self._named:
                return name, self._named[name]
        most = entry.traits.most_at_once
        return None if most is None else (entry.name, most)

    def take(self, ready: Ready) -> Seat | None:
        """Wait in this thread for a seat; None where none is needed. Raises `NoSeatError`."""
        limit = self.limit(ready.entry)
        if limit is None:
            return None
        woken = threading.Event()
        seat = self._ask(ready, limit, woken.set)
        if not seat.is_taken:
            forget = _on_cancel(ready, woken.set)
            woken.wait(_seconds_left(ready))
            forget()
        return self._settled(seat)

    async def atake(self, ready: Ready) -> Seat | None:
        """The same from a coroutine, whose loop stays free."""
        limit = self.limit(ready.entry)
        if limit is None:
            return None
        loop = asyncio.get_running_loop()
        woken = asyncio.Event()
        wake = _waker(loop, woken)
        seat = self._ask(ready, limit, wake)
        if not seat.is_taken:
            forget = _on_cancel(ready, wake)
            try:
                with suppress(TimeoutError):
                    await asyncio.wait_for(woken.wait(), _seconds_left(ready))
            except BaseException:
                self.leave(seat)
                raise
            finally:
                forget()
        return self._settled(seat)

    def leave(self, seat: Seat) -> None:
        """Give the seat, or the place in the line, to whoever waits next."""
        with self._lock:
            if not seat.is_taken:
                self._waiting.discard(seat)
                if seat in seat.gate.waiting:
                    seat.gate.waiting.remove(seat)
                return
            seat.is_taken = False
            seat.gate.seats.discard(seat)
            self._taken.pop(id(seat.ready), None)
            self._admit(seat.gate)

    def _ask(self, ready: Ready, limit: tuple[str, int], wake: Callable[[], None]) -> Seat:
        name, most = limit
        with self._lock:
            around = tuple(self._around(ready))
            gate = self._gate(name, most, around)
            seat = Seat(gate, ready, around, wake)
            gate.waiting.append(seat)
            self._waiting.add(seat)
            self._admit(gate)
            if around and not seat.is_taken and self._waits_for_ever(seat):
                gate.waiting.remove(seat)
                self._waiting.discard(seat)
                raise NoSeatError(
                    f"not run: the calls of {name} that run (at most {gate.most} at once) wait for this one to end",
                    "make its calls one after the other",
                )
        return seat

    def _gate(self, name: str, most: int, around: Sequence[Seat]) -> _Gate:
        """Where to wait: at the innermost seat of that name that the call is made inside, else at the tool's gate."""
        outer = next((seat for seat in around if seat.gate.name == name), None)
        if outer:
            return outer.inside()
        gate = self._gates.setdefault(name, _Gate(name, most))
        gate.most = most
        return gate

    def _around(self, ready: Ready) -> list[Seat]:
        found, outer = [], ready.call.scope.around
        while outer is not None:
            if seat := self._taken.get(id(outer)):
                found.append(seat)
            outer = outer.call.scope.around
        return found

    def _admit(self, gate: _Gate) -> None:
        """Seat those who come next. Only with the lock."""
        while gate.waiting and len(gate.seats) < gate.most:
            seat = gate.waiting.popleft()
            self._waiting.discard(seat)
            seat.is_taken = True
            gate.seats.add(seat)
            self._taken[id(seat.ready)] = seat
            seat.wake()

    def _waits_for_ever(self, asking: Seat) -> bool:
        """Whether every seat that could become free belongs to a call that waits, round about, for this one."""
        stuck = set(self._waiting)
        while True:
            blocked = {outer for seat in stuck for outer in seat.around}
            free = {seat for seat in stuck if not seat.gate.seats <= blocked}
            if not free:
                return asking in stuck
            stuck -= free

    def _settled(self, seat: Seat) -> Seat:
        """The seat, if the call may run. Raises `NoSeatError` where it was cancelled, or its time is up."""
        cancel = seat.ready.call.scope.cancel
        is_cancelled = cancel is not None and cancel.is_set()
        if seat.is_taken and not is_cancelled:
            return seat
        self.leave(seat)
        why = "it was cancelled" if is_cancelled else "its time was up"
        raise NoSeatError(
            f"not run: {why} while it waited for its turn (at most {seat.gate.most} calls of {seat.gate.name} at once)"
        )


def _seconds_left(ready: Ready) -> float | None:
    deadline = ready.call.scope.deadline
    return None if deadline is None else max(0.0, deadline - time.monotonic())


def _on_cancel(ready: Ready, wake: Callable[[], None]) -> Callable[[], None]:
    cancel = ready.call.scope.cancel
    return cancel.on_cancel(wake) if cancel else _nothing


def _nothing() -> None:
    """Nobody can cancel it."""


def _waker(loop: Any, woken: Any) -> Callable[[], None]:
    """Sets an event of *loop* from whatever thread."""

    def wake() -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(woken.set)

    return wake
