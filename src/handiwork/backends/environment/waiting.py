"""Waiting for a background process: for its end, for a text that it prints, for a port that opens."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal

from ...core.cancel import CancelToken
from ...core.types import Command, Environment, Process

Reached = Literal["end", "text", "port", "nothing"]

_STEP_S, _PROBE_EVERY_S = 0.05, 0.15
# What an ended process has printed may still be on its way to us.
_LAST_WORDS_S = 0.5
_PAGE = 65_536


@dataclass(slots=True)
class Printed:
    """Looks for *text* in what a process prints from *offset* on."""

    process: Process
    text: str
    offset: int
    _before: str = ""

    def found(self) -> bool:
        """Whether it has come by now."""
        while True:
            piece, after = self.process.output(self.offset, _PAGE)
            if after == self.offset:
                return False
            seen, self.offset = self._before + piece, after
            if self.text in seen:
                return True
            self._before = seen[max(len(seen) - len(self.text) + 1, 0) :]


def is_open(port: int, environment: Environment) -> bool:
    """Whether something listens on *port* there, seen from inside: a sandbox may have a network of its own."""
    probe = Command(f"exec 3<>/dev/tcp/localhost/{port}", cwd="/", timeout_s=2)
    return environment.run(probe).exit_code == 0


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is waited for, beside the end of the process: a text (from an offset of the output on), a port."""

    text: str = ""
    offset: int = 0
    port: int = 0


def wait_for(
    process: Process, wanted: Wanted, seconds: float, *, environment: Environment, cancel: CancelToken | None
) -> Reached:
    """Wait until one of them has come; "nothing" when the time was up or the wait was cancelled."""
    deadline, probe_at = time.monotonic() + seconds, 0.0
    printed = Printed(process, wanted.text, wanted.offset)
    step = _STEP_S if wanted.text or wanted.port else 4 * _STEP_S
    while True:
        ended = process.poll() is not None and process.wait(_LAST_WORDS_S) is not None
        if wanted.text and printed.found():
            return "text"
        if wanted.port and time.monotonic() >= probe_at:
            if is_open(wanted.port, environment):
                return "port"
            probe_at = time.monotonic() + _PROBE_EVERY_S
        if ended:
            return "end"
        left = deadline - time.monotonic()
        if left <= 0 or (cancel is not None and cancel.is_set()):
            return "nothing"
        process.wait(min(left, step))
