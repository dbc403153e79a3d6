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
_MOST_IN_PIPE = 1_048_576
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
        self._open, self._waits_for = True, -1

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

    def follow_while(self, may: Callable[[], bool], deadline: float, every_s: float) -> bool:
        """Read until the child ends by itself; False where *deadline* came, or *may* said no, and it was ended."""
        self._wait_for(self._child.exit_fd)
        while self._child.poll() is None:
            left = deadline - time.monotonic()
            if left <= 0 or not may():
                self.stop()
                return False
            self._step(min(left, every_s))
        self.read_for(_AFTERWARDS_S)
        return True

    def until_exit(self, deadline: float | None, alarm: Alarm) -> End:
        """Wait for the end of the child itself, whatever it leaves behind. *deadline* is monotonic."""
        self._wait_for(self._child.exit_fd)
        self._poll.register(alarm.fd, select.POLLIN)
        while self._child.poll() is None:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return "timed_out"
            if alarm.fd in self._step(left):
                return "cancelled"
        return "ended"

    def stop(self) -> None:
        """Ask the whole tree to end, hear its last words, then end all of it for certain."""
        self._child.terminate()
        self.read_for(GRACE_S)
        self._child.kill()

    def read_for(self, seconds: float) -> None:
        """Read until nothing of the tree is left, or the time is up."""
        self._wait_for(self._child.gone_fd)
        deadline = time.monotonic() + seconds
        while self._child.alive():
            left = deadline - time.monotonic()
            if left <= 0:
                return
            self._step(left)
        self._drain()

    def until_gone(self, alarm: Alarm) -> None:
        """Read on until nothing of the tree is left, or *alarm* rings."""
        self._wait_for(self._child.gone_fd)
        self._poll.register(alarm.fd, select.POLLIN)
        while self._child.alive():
            if alarm.fd in self._step(None):
                return
        self._drain()

    def _drain(self) -> None:
        """What is still in the pipe; others than the tree may hold it and write on, and aren't waited for."""
        for _ in range(_MOST_IN_PIPE // CHUNK):
            if not self._open or not self._read():
                return

    def _step(self, seconds: float | None) -> set[int]:
        """Wait for one thing to happen and read what arrived; the descriptors that are ready."""
        wait_ms = None if seconds is None else min(seconds, _LONGEST_WAIT_S) * 1000 + 0.5
        ready = {fd for fd, _ in self._poll.poll(wait_ms)}
        if self._child.pipe in ready and self._open:
            self._read()
        return ready

    def _read(self) -> bool:
        """Hand on what is in the pipe; whether there may be more."""
        try:
            chunk = os.read(self._child.pipe, CHUNK)
        except BlockingIOError:
            return False
        except OSError:  # a terminal that nobody has open any more
            chunk = b""
        if chunk:
            self._hear(chunk)
        else:
            self._open = False
            self._poll.unregister(self._child.pipe)
        return self._open

    def _wait_for(self, descriptor: int) -> None:
        """Watch one end at a time: one that has come would be ready for ever and make us spin."""
        if self._waits_for >= 0:
            self._poll.unregister(self._waits_for)
        self._poll.register(descriptor, select.POLLIN)
        self._waits_for = descriptor

    def _drop(self, alarm: Alarm) -> None:
        self._poll.unregister(alarm.fd)
        alarm.close()
