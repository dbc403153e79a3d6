"""Notices a coroutine that holds its loop, names it, and tells whoever can move it away."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable

log = logging.getLogger(__name__)

BLOCKED_AFTER_S = 0.25
_TICK_S = 0.1


class Watchdog:
    """Watches one loop from a daemon thread, which runs only while the loop has work.

    *on_blocked* is called with the name of the task that held the loop for more than 0.25 s.
    Costs about ten wake-ups a second while tools run, none when they don't.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, *, busy: Callable[[], bool], on_blocked: Callable[[str], None]
    ) -> None:
        self._loop, self._busy, self._on_blocked = loop, busy, on_blocked
        self._work = threading.Event()
        self._heard = True
        self._asked_at = 0.0
        threading.Thread(target=self._watch, name="handiwork-watchdog", daemon=True).start()

    def attend(self) -> None:
        """There is work to watch."""
        if not self._work.is_set():
            self._work.set()

    def _watch(self) -> None:
        while self._work.wait():
            self._work.clear()
            self._ask()
            while not self._heard:
                time.sleep(_TICK_S)
                if not self._heard and time.monotonic() - self._asked_at > BLOCKED_AFTER_S:
                    self._name_culprit()
                    self._asked_at = float("inf")  # once a stall
            time.sleep(_TICK_S)
            if self._busy():
                self._work.set()

    def _ask(self) -> None:
        self._heard, self._asked_at = False, time.monotonic()
        self._loop.call_soon_threadsafe(self._hear)

    def _hear(self) -> None:
        self._heard = True

    def _name_culprit(self) -> None:
        task = asyncio.current_task(self._loop)
        if task is None:
            return
        name = task.get_name()
        log.warning(
            "async tool %r blocked its loop for more than %.0f ms; from its next call it has a loop of its own "
            "(make it await, or register it as a sync tool)",
            name,
            BLOCKED_AFTER_S * 1000,
        )
        self._on_blocked(name)
