"""Waiting for a child: its output, its end, the clock and a cancel, all in one place."""

from __future__ import annotations

import os
import select
import threading
import time
from collections.abc import Callable
from typing import Literal

from ...core.cancel import CancelToken
from .child import GRACE_S, Child

End = Literal["ended", "timed_out", "cancelled"]

CHUNK = 65_536
# Without a descriptor for the end of a process (not Linux), look this often. Seconds.
_LOOK_EVERY_S = 0.02
# How long what is still in the pipe may take to arrive once the command itself has ended. Seconds.
_AFTERWARDS_S = 0.05
# poll() takes no more than an int of milliseconds; whoever waits longer waits again. Seconds.
_LONGEST_WAIT_S = 3600.0


class Alarm:
    """A descriptor that becomes readable when it is rung, from any thread."""

    def __init__(self) -> None:
        self.fd, self._bell = os.pipe()
        self._lock = threading.Lock()

    def ring(self) -> None:
        """Rung after it was closed, it does nothing: the number may be somebody else's file by then."""
        with self._lock:
            if self._bell >= 0:
                os.write(self._bell, b"!")

    def close(self) -> None:
        with self._lock:
            os.close(self.fd)
            os.close(self._bell)
            self._bell = -1


class Follower:
    """Hands a child's output to *hear*, and ends the child when its time is up. One thread's own."""

    def __init__(self, child: Child, hear: Callable[[bytes], None]) -> None:
        self._child, self._hear = child, hear
        self._poll = select.poll()
        self._poll.register(child.pipe, select.POLLIN)
        self.open = True
        self._watching = child.exit_fd >= 0
        if self._watching:
            self._poll.register(child.exit_fd, select.POLLIN)

    def follow(self, timeout_s: float, cancel: CancelToken | None = None) -> End:
        """Read until the child ends by itself or is ended; then what it had still printed."""
        alarm = Alarm()
        forget = cancel.on_cancel(alarm.ring) if cancel else None
        try:
            end = self.until_exit(time.monotonic() + timeout_s, alarm)
        finally:
            if forget:
                forget()
            self._drop(alarm)
        if end != "ended":
            self.stop()
        self.read_for(_AFTERWARDS_S)
        return end

    def until_exit(self, deadline: float | None, alarm: Alarm) -> End:
        """Wait for the end of the child itself, whatever it leaves behind. *deadline* is monotonic."""
        self._poll.register(alarm.fd, select.POLLIN)
        while self._child.poll() is None:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return "timed_out"
            if alarm.fd in self._step(left):
                return "cancelled"
        return "ended"

    def stop(self) -> None:
        """Ask the whole group to end, hear its last words, then end all of its tree for certain."""
        self._child.terminate()
        deadline = time.monotonic() + GRACE_S
        while self._child.group_alive() and (left := deadline - time.monotonic()) > 0:
            self._step(min(left, _LOOK_EVERY_S))
            if self._child.poll() is not None:  # also takes it off the list of its group
                self._look_away()
        self._child.kill()

    def read_for(self, seconds: float) -> None:
        """Read what is there, until the pipe closes or the time is up."""
        self._look_away()
        deadline = time.monotonic() + seconds
        while self.open and (left := deadline - time.monotonic()) > 0:
            self._step(left)

    def until_closed(self, alarm: Alarm) -> None:
        """Read on until nobody holds the pipe any more, or *alarm* rings."""
        self._look_away()
        self._poll.register(alarm.fd, select.POLLIN)
        while self.open and alarm.fd not in self._step(None):
            continue

    def _step(self, seconds: float | None) -> set[int]:
        """Wait for one thing to happen and read what arrived; the descriptors that are ready."""
        if not self._watching and self._child.poll() is None:
            seconds = _LOOK_EVERY_S if seconds is None else min(seconds, _LOOK_EVERY_S)
        wait_ms = None if seconds is None else min(seconds, _LONGEST_WAIT_S) * 1000 + 0.5
        ready = {fd for fd, _ in self._poll.poll(wait_ms)}
        if self._child.pipe in ready and self.open:
            self._read()
        return ready

    def _read(self) -> None:
        try:
            chunk = os.read(self._child.pipe, CHUNK)
        except BlockingIOError:
            return
        if chunk:
            self._hear(chunk)
        else:
            self.open = False
            self._poll.unregister(self._child.pipe)

    def _look_away(self) -> None:
        """The child has ended: its descriptor would be ready for ever and make us spin."""
        if self._watching:
            self._poll.unregister(self._child.exit_fd)
            self._watching = False

    def _drop(self, alarm: Alarm) -> None:
        self._poll.unregister(alarm.fd)
        alarm.close()
