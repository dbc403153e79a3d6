"""Foreign code at start-up, in a thread of its own: what takes too long is left behind, and the start goes on."""

from __future__ import annotations

import io
import os
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from contextvars import copy_context
from types import FrameType
from typing import NamedTuple, Protocol

from ..core.loading import Late

ctypes = Late("ctypes")


class TooLong(NamedTuple):
    """The time that a job had, and where it was when that was over."""

    seconds: float
    frame: FrameType | None


class Job(Protocol):
    """A piece of work: `run` may take for ever; then `settle` is told so, else it is called when that has ended.

    Neither raises. `settle` is called once.
    """

    def run(self) -> None: ...

    def settle(self, too_long: TooLong | None) -> None: ...


def run_timed(jobs: Sequence[Job], seconds: float, *, at_start: bool = False) -> None:
    """Run *jobs* one after another, each for at most so many *seconds*.

    What they print goes to standard error. *at_start*, when nobody else writes, so does what their children print,
    if somebody has put another `sys.stdout` in place: standard output is for results then.

    One thread serves all of them until one hangs. A thread that is left behind is asked to end, but can't be
    made to: what it waits for in C, it waits for, and a lock that it holds it holds.
    """
    left = list(jobs)
    while left:
        stretch = _Stretch(left, seconds, moves_output=at_start and sys.stdout is not sys.__stdout__)
        left = left[stretch.run() :]


class _Stretch:
    """Jobs in one thread, until all are done or one takes too long."""

    def __init__(self, jobs: Sequence[Job], seconds: float, *, moves_output: bool) -> None:
        self._jobs, self._seconds = jobs, seconds
        self._lock, self._ended = threading.Lock(), threading.Event()
        self._at, self._began, self._is_left = 0, time.monotonic(), False
        self._process = os.getpid()
        self._before = _Surroundings(moves_output=moves_output)

    def run(self) -> int:
        """How many jobs were settled."""
        thread = threading.Thread(target=copy_context().run, args=(self._work,), name="handiwork-plugins", daemon=True)
        try:
            self._before.quieten()
            thread.start()
            while not self._ended.wait(self._began + self._seconds - time.monotonic()):
                if self._leave(thread):
                    _ask_to_end(thread)
                    break
            return self._at
        finally:
            self._before.put_back()

    def _leave(self, thread: threading.Thread) -> bool:
        """Leave the thread behind, if the job that it is at has had its time."""
        with self._lock:
            if self._ended.is_set() or time.monotonic() < self._began + self._seconds:
                return False
            self._is_left = True
            self._jobs[self._at].settle(TooLong(self._seconds, sys._current_frames().get(thread.ident or 0)))
            self._at += 1
            return True

    def _work(self) -> None:
        for job in self._jobs:
            job.run()
            if os.getpid() != self._process:
                os._exit(0)  # the child of a fork: the house is its parent's
            with self._lock:
                if self._is_left:
                    return
                self._before.put_back_places()
                job.settle(None)
                self._at, self._began = self._at + 1, time.monotonic()
        self._ended.set()


class _Surroundings:
    """What foreign code may change for the whole process, as it was."""

    def __init__(self, *, moves_output: bool) -> None:
        self._path, self._hook = list(sys.path), sys.excepthook
        self._streams = sys.stdin, sys.stdout
        self._moves_output, self._output = moves_output, -1
        try:
            self._folder = os.getcwd()
        except FileNotFoundError:
            self._folder = ""

    def quieten(self) -> None:
        """Nothing to read, and what is printed goes where it can't be taken for a result."""
        sys.stdin, sys.stdout = io.StringIO(), sys.stderr
        if self._moves_output:
            with suppress(OSError):  # one of the two is closed: nothing to keep apart
                self._output = os.dup(1)
                os.dup2(2, 1)

    def put_back(self) -> None:
        """Everything as it was."""
        self.put_back_places()
        sys.stdin, sys.stdout = self._streams
        if self._output >= 0:
            os.dup2(self._output, 1)
            os.close(self._output)

    def put_back_places(self) -> None:
        """The current folder and where modules are looked for as they were."""
        if sys.path != self._path:
            sys.path[:] = self._path
        sys.excepthook = self._hook
        with suppress(OSError):  # the folder is gone; whoever needs one is told so
            if self._folder and os.getcwd() != self._folder:
                os.chdir(self._folder)


def _ask_to_end(thread: threading.Thread) -> None:
    """Raise `SystemExit` in a thread, at its next step in Python: a loop without end would slow all others."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(SystemExit))
