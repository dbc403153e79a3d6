"""Writes audit lines: in batches, chained, one append a batch."""

from __future__ import annotations

import atexit
import errno
import itertools
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ...core.loading import Late
from ...core.wire import dumps
from . import files
from .chain import Link, chained, split, stamp

logging = Late("logging")
FLUSH_S = 0.1
# What waits for a disk that is full, at most; what is more is counted, and told when there is room again.
_MOST_WAITING = 10_000
_RETRY_S = 1.0
_LOOK_S = 0.1


@dataclass(frozen=True, slots=True)
class Keep:
    """How much is kept: bytes in a file before it is numbered, and numbered files beside the current one."""

    file_bytes: int = 16 << 20
    files: int = 8


class AuditWriter:
    """Appends to the audit in *folder*. *about* gives what the first line of a segment says of its process.

    What is to be written is a body, the members of a JSON object, or something of which *told* makes bodies, a
    whole batch at a time. `problem` says why nothing can be written at the moment; "" when all is well.
    """

    def __init__(
        self,
        folder: str,
        keep: Keep,
        about: Callable[[], dict[str, object]],
        told: Callable[[list[Any]], Iterable[str]] = iter,
    ) -> None:
        self.problem, self._is_said = "", False
        self._folder, self._keep, self._about, self._told = folder, keep, about, told
        self._lock = threading.Lock()
        self._begin()
        _writers.add(self)

    def _begin(self) -> None:
        """As for a process that has written nothing yet."""
        self._process = f"{os.getpid()}-{time.time_ns() // 1000:x}"
        self._segments = itertools.count(1)
        self._segment, self._link = "", Link()
        self._before: dict[str, object] | None = None
        self._file, self._looked, self._failed = -1, 0.0, 0.0
        self._waiting: list[Any] = []
        self._lost = 0
        self._armed = False

    # --------------------------------------------------------------------------------------- for callers

    def add(self, what: Any) -> None:
        """Write it within a tenth of a second."""
        with self._lock:
            self._wait(what)
        if not self._armed:
            self._arm()

    def put(self, what: Any) -> str:
        """Write it, and what waits, before this returns; why it couldn't be, or ""."""
        with self._lock:
            self._wait(what)
            self._flush()
            return self.problem

    def flush(self) -> str:
        """Write what waits; why it couldn't be, or ""."""
        with self._lock:
            if self._waiting or self._lost:
                self._flush()
            return self.problem

    def close(self) -> None:
        """Write what waits, and the line that says that this segment ends here."""
        with self._lock:
            if self._waiting or self._lost:
                self._flush(last=True)
            if self._file >= 0:
                self._leave()

    def start_anew(self) -> None:
        """In a forked child: the parent's lines are the parent's to write."""
        self._lock = threading.Lock()
        if self._file >= 0:
            os.close(self._file)
        self._begin()

    # ------------------------------------------------------------------------------------------- batches

    def _wait(self, what: Any) -> None:
        if len(self._waiting) < _MOST_WAITING:
            self._waiting.append(what)
        else:
            self._lost += 1

    def _arm(self) -> None:
        """Have a thread flush soon. It ends with the batch: an idle process has none."""
        with self._lock:
            if self._armed:
                return
            self._armed = True
        thread = threading.Thread(target=self._flush_soon, name="handiwork-audit", daemon=True)
        thread.start()

    def _flush_soon(self) -> None:
        idle = 0
        while idle < 10:  # a thread for each batch would cost more than one that looks on for a second
            time.sleep(FLUSH_S)
            idle = 0 if self._waiting else idle + 1
            self.flush()
        with self._lock:
            self._armed = False
            if self._waiting:
                self._flush()

    def _flush(self, *, last: bool = False) -> None:
        """Append what waits. What can't be written waits on, and a failure isn't tried again at once."""
        now = time.monotonic()
        if self.problem and now - self._failed < _RETRY_S and not last:
            return
        self._waiting = list(self._told(self._waiting))
        try:
            self._open(now)
            files.lock(self._file)
            try:
                if not self._segment:
                    self._begin_segment()
                self._append([*self._waiting, *self._loss()])
            finally:
                files.unlock(self._file)
            self._waiting, self._lost, self.problem = [], 0, ""
        except OSError as error:
            self._fail(error, now)
        except BaseException:  # an interrupt: nobody knows whether the line is there, so the chain isn't gone on with
            self._segment = ""
            raise

    def _loss(self) -> list[str]:
        return [f'"at":"{stamp()}","event":"lost","lines":{self._lost}'] if self._lost else []

    def _fail(self, error: OSError, now: float) -> None:
        if not self._is_said:
            self._is_said = True
            said = "the audit in %s can't be written: %s; calls go on, what they do is told when it can"
            logging.getLogger("handiwork").warning(said, self._folder, error.strerror or error)
        self.problem, self._failed = error.strerror or str(error), now

    def _append(self, bodies: list[str]) -> None:
        """All of it or nothing: what a full disk cut is taken back."""
        data, link = chained(self._segment, self._link, bodies)
        written = os.write(self._file, data)
        if written < len(data):
            os.ftruncate(self._file, os.fstat(self._file).st_size - written)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._link = link

    # ------------------------------------------------------------------------------------------ segments

    def _open(self, now: float) -> None:
        """The current file. One that is full gets a number; one that has one by now, or is gone, is left."""
        if self._file >= 0 and now - self._looked < _LOOK_S:
            return
        self._looked = now
        if self._file < 0:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            self._file = files.open_to_append(files.current(self._folder))
        if self._is_full() or not self._is_current():
            self._leave(full=True)
            self._file = files.open_to_append(files.current(self._folder))

    def _is_full(self) -> bool:
        return os.fstat(self._file).st_size >= self._keep.file_bytes

    def _is_current(self) -> bool:
        try:
            return os.path.samestat(os.stat(files.current(self._folder)), os.fstat(self._file))
        except FileNotFoundError:
            return False

    def _begin_segment(self) -> None:
        """The first line of a segment: who writes, what the file ended with, and where this process wrote before."""
        tail = files.tail_of(self._file)
        torn = bool(tail) and not tail.endswith(b"\n")
        if torn:
            os.write(self._file, b"\n")
        facts = {"pid": os.getpid(), **self._about(), "saw": self._last_hash(tail), "before": self._before}
        self._segment, self._link = f"{self._process}.{next(self._segments)}", Link()
        try:
            said = dumps(facts | ({"torn": True} if torn else {}))[1:-1]
            self._append([f'"at":"{stamp()}","event":"segment",{said}'])
        except OSError:
            self._segment = ""  # nothing of it is there: the next one tries again
            raise

    def _last_hash(self, tail: bytes) -> str:
        """The hash of the last line there is: of this file, or of the one that was numbered last."""
        kept = files.numbered(self._folder)
        if not tail and kept:
            with open(kept[-1][1], "rb") as file:
                tail = files.tail_of(file.fileno())
        return split(tail.rstrip(b"\n"))[1]

    def _leave(self, *, full: bool = False) -> None:
        """Close the segment and the file; one that is *full* gets a number. Whatever comes next opens another."""
        try:
            files.lock(self._file)
            if self._segment:
                self._append([f'"at":"{stamp()}","event":"closed"'])
            if full and self._is_current():  # else another process was quicker
                files.set_aside(self._folder, self._keep.files)
        except OSError as error:
            self._fail(error, time.monotonic())
        finally:
            files.unlock(self._file)
        if self._segment:
            self._before = {"seg": self._segment, "seq": self._link.seq - 1, "hash": self._link.hash}
        os.close(self._file)
        self._segment, self._file = "", -1


# ------------------------------------------------------------------------------------------ of this process

_writers: weakref.WeakSet[AuditWriter] = weakref.WeakSet()


def _close_all() -> None:
    for writer in tuple(_writers):
        writer.close()


def _start_all_anew() -> None:
    for writer in tuple(_writers):
        writer.start_anew()


atexit.register(_close_all)
os.register_at_fork(after_in_child=_start_all_anew)
