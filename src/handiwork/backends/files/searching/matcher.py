"""Our side of the process in which the plain search matches patterns.

Python's `re` can't be interrupted, holds the interpreter while it runs, and takes for ever on patterns
without nested repeats, too (three `.*` on one long line do), so that no rule about patterns would be a
limit. A process can be ended: it costs some 40 ms a search, and some microseconds a file.
"""

from __future__ import annotations

import json
import os
import re
import select
import sys
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from ....core.errors import HandiworkError
from ...environment.children.child import Child, Nursery
from ...environment.surroundings import child_environment
from .hits import show_path
from .matching import Row
from .page import FileHits
from .patterns import bad_pattern, for_certain, for_python
from .query import End, Needle, Watch
from .trees import TreeFile

# How long one file may take. Seconds.
FILE_SECONDS = 2.0
_START_SECONDS = 20.0
_MAX_HANGS = 3
_WAIT_S = 0.1
_CHUNK = 1 << 16
_PROGRAM = Path(__file__).with_name("matching.py")


@dataclass(frozen=True, slots=True)
class Asked:
    """A file that was read to be matched, and how many of its hits may come to be shown."""

    file: TreeFile
    data: bytes
    room: int


class Matcher:
    """Matches batches of files within `file_seconds` each. One thread's own; a context."""

    def __init__(self, needle: Needle, watch: Watch, file_seconds: float) -> None:
        self._job = json.dumps(_job(needle)).encode() + b"\n"
        self._pattern = needle.pattern
        self._watch, self._file_seconds = watch, file_seconds
        self._nursery = Nursery()
        self._child: Child | None = None
        self._heard = bytearray()
        self.notes: list[str] = []
        self.gave_up: End | None = None

    def __enter__(self) -> Self:
        try:
            self._start()
        except HandiworkError:
            self._stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def answers(self, batch: list[Asked]) -> Iterator[tuple[Asked, FileHits | None]]:
        """The hits of each file, None for a binary one. A file that takes too long is noted and left out."""
        waiting = deque(batch)
        self._ask(waiting)
        while waiting and self._child:
            line = self._line(self._file_seconds)
            if line is not None:
                asked = waiting.popleft()
                yield asked, _hits(asked.file, json.loads(line))
            elif self._watch.over():
                return
            else:
                self._give_up_on(waiting.popleft().file)
                self._ask(waiting)

    def _ask(self, batch: deque[Asked]) -> None:
        if not batch or self._child is None:
            return
        header = json.dumps([(len(asked.data), asked.room) for asked in batch]).encode() + b"\n"
        self._write(b"".join((header, *(asked.data for asked in batch))))

    def _give_up_on(self, file: TreeFile) -> None:
        self._stop()
        self.notes.append(f"{show_path(file.path) or 'the file'} was left out: the pattern takes too long on it")
        if len(self.notes) >= _MAX_HANGS:
            self.gave_up = "hung"
        else:
            self._start()

    def _start(self) -> None:
        argv = [sys.executable, "-I", "-S", str(_PROGRAM)]
        self._child = self._nursery.start(argv, cwd="/", env=child_environment({}), keyboard=True)
        self._heard.clear()
        self._write(self._job)
        line = self._line(_START_SECONDS)
        if line is None and self._watch.over():
            self._stop()
            return
        if line is None:
            raise HandiworkError("the process that matches patterns doesn't answer", "try again")
        if problem := json.loads(line):
            raise bad_pattern(self._pattern, problem["error"])

    def _stop(self) -> None:
        if self._child is not None:
            self._child.close_stdin()
            self._child.kill()
            self._nursery.forget(self._child)
            self._child = None

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest and self._child:
            try:
                rest = rest[os.write(self._child.stdin, rest) :]
            except BrokenPipeError:  # it has died; whoever waits for its answer will see
                return

    def _line(self, seconds: float) -> bytes | None:
        """The next line that the process says; None when there comes none in time."""
        deadline = time.monotonic() + seconds
        while (end := self._heard.find(b"\n")) < 0:
            if time.monotonic() > deadline or self._watch.over() or not self._hear():
                return None
        line = bytes(self._heard[:end])
        del self._heard[: end + 1]
        return line

    def _hear(self) -> bool:
        """Wait a little for more; False when nothing will come any more."""
        assert self._child is not None
        poll = select.poll()
        poll.register(self._child.pipe, select.POLLIN)
        if not poll.poll(_WAIT_S * 1000):
            return True
        chunk = os.read(self._child.pipe, _CHUNK)
        self._heard += chunk
        return bool(chunk)


def _hits(file: TreeFile, answer: Any) -> FileHits | None:
    if answer is None:
        return None
    count, rows = answer
    return FileHits(file.path, file.mtime_ns, count, tuple(Row(*row) for row in rows))


def _job(needle: Needle) -> dict[str, Any]:
    return {
        "pattern": for_python(needle.pattern, literal=needle.literal),
        "flags": int(re.IGNORECASE) if needle.ignore_case else 0,
        "needs": for_certain(needle.pattern, literal=needle.literal) if not needle.ignore_case else "",
        "multiline": needle.multiline,
        "context": needle.context,
    }
