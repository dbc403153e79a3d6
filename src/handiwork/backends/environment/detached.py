"""A command that outlives us: its output is a file, and any shell can end it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from ...core.errors import UsageError
from .background import whole_characters
from .child import Child
from .plain_text import plain_text


class DetachedProcess:
    """A running command (core.types `Process`) that nobody listens to: what it prints is in *path*."""

    def __init__(self, id: str, command: str, child: Child, path: Path) -> None:
        self.id, self.command, self._child, self._path = id, command, child, path
        self.note = f"it outlives this program; its output is in {path}, and `kill {child.keeper_pid}` ends all of it"

    def poll(self) -> int | None:
        code = self._child.poll()
        if code is not None and not self._child.alive():
            self._child.release()  # nobody else looks after its descriptors
        return code

    def output(self, offset: int = 0, limit: int = 20_000) -> tuple[str, int]:
        """Text from *offset* on, and the offset to go on at."""
        with self._path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            start = max(0, size + offset) if offset < 0 else min(offset, size)
            file.seek(start)
            piece = whole_characters(file.read(limit))
        return plain_text(piece), start + len(piece)

    def listen(self, _hear: Callable[[bytes], None], /) -> None:
        """Refused: its output goes past us."""
        raise UsageError("what is detached can't be watched", "look at its output, or give another lifetime")

    def write(self, text: str) -> None:  # noqa: ARG002
        """Refused: nobody sits at its keyboard."""
        raise UsageError(f"{self.id} reads no input", "give it what it needs in its command")

    def wait(self, timeout_s: float) -> int | None:
        """Its exit code once it has ended; None after *timeout_s*."""
        self._child.wait(timeout_s)
        return self.poll()

    def signal(self, number: int) -> None:
        """Send a signal to it and everything it started."""
        self._child.send_signal(number)

    def kill(self) -> int | None:
        """End it and everything it started."""
        self._child.kill()
        return self.poll()
