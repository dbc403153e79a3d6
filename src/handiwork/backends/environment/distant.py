"""Commands at the other end of a connection, which must not outlive it."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import select
import subprocess
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from ...core.cancel import CancelToken
from ...core.errors import HandiworkError, UsageError
from ...core.types import Command, Process, Ran
from ..files.shell import ShellFiles
from .child import Child, Nursery
from .distant_scripts import NOT_BEGUN, OUTPOST, REFUSED, frame
from .launch import Launch
from .shell import ShellEnvironment
from .surroundings import child_environment

_NAME = "HANDIWORK_RUN"
# A variable that isn't one would be read as a command over there.
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_CONNECT_S = 30.0
_END_S = 8.0
_FILE_S = 60.0
_BEAT_S = 30.0
_LOST, _ENDED = 255, 137


class Line(Protocol):
    """How a shell text gets to the other side: a program to start here."""

    def outpost(self, script: str, /) -> Launch: ...

    def command(self, script: str, /, *, terminal: bool) -> Launch: ...


class Outpost:
    """A shell on the other side that ends commands when it is told to, or when we are gone."""

    def __init__(self, line: Line) -> None:
        self._line, self._nursery = line, Nursery()
        self._lock = threading.Lock()
        self._child: Child | None = None
        self._folder, self._heard = "", b""
        self._over = threading.Event()

    def folder(self) -> str:
        """The folder of this connection over there; it is made anew where the connection was lost."""
        with self._lock:
            if self._child is None or self._child.poll() is not None:
                self._open()
            return self._folder

    def end(self, name: str) -> None:
        """End a command, or all of them ("*"), and wait until that is done."""
        with self._lock:
            if self._child is not None and self._child.poll() is None:
                self._say(f"{name}\n".encode())
                self._hear(f"ended {name}".encode(), _END_S)

    def close(self) -> None:
        """End all that was started over there."""
        self.end("*")
        self._over.set()
        self._nursery.close()

    def _open(self) -> None:
        launch = self._line.outpost(OUTPOST)
        self._heard = b""
        self._child = self._nursery.start(launch.argv, cwd=launch.cwd, env=launch.env, keyboard=True)
        line = self._hear(b"/", _CONNECT_S)
        if line is None:
            said = self._heard.decode("utf-8", "replace").strip()
            self._child.kill()
            raise HandiworkError(f"no connection: {said or 'no answer'}", "try the same with the program itself")
        self._folder = line.decode()
        threading.Thread(target=self._beat, args=(self._child,), name="outpost", daemon=True).start()

    def _beat(self, child: Child) -> None:
        """Tell the other side that we are there."""
        while not self._over.wait(_BEAT_S) and child.poll() is None:
            with self._lock:
                self._say(b"\n")

    def _say(self, words: bytes) -> None:
        if self._child is not None and self._child.stdin >= 0:
            with contextlib.suppress(BrokenPipeError):  # it is gone, and ends all by itself
                os.write(self._child.stdin, words)

    def _hear(self, beginning: bytes, seconds: float) -> bytes | None:
        """The next line that begins so; None where none comes. What else was said is kept."""
        deadline = time.monotonic() + seconds
        while (found := self._line_with(beginning)) is None and self._child is not None:
            ready = select.poll()
            ready.register(self._child.pipe, select.POLLIN)
            if not ready.poll(max(deadline - time.monotonic(), 0) * 1000):
                return None
            piece = os.read(self._child.pipe, 65_536)
            if not piece:
                return self._line_with(beginning)
            self._heard += piece
        return found

    def _line_with(self, beginning: bytes) -> bytes | None:
        lines = self._heard.split(b"\n")
        for number, line in enumerate(lines[:-1]):
            if line.startswith(beginning):
                self._heard = b"\n".join(lines[number + 1 :])
                return line.rstrip(b"\r")
        return None


class DistantLauncher:
    """Puts each command into its frame and sends that along *line*."""

    def __init__(self, line: Line, outpost: Outpost) -> None:
        self._line, self._outpost = line, outpost

    def launch(self, command: Command, /) -> Launch:
        """The program that carries the command over. Raises `UsageError` for a variable that isn't one."""
        if wrong := next((name for name in command.env if not _VARIABLE.fullmatch(name)), None):
            raise UsageError(f"{wrong!r} can't be the name of a variable", "use letters, digits and _")
        env = {**child_environment({}, base={}), **command.env}
        settings = {"D": self._outpost.folder(), "N": command.env[_NAME], "C": command.cwd}
        text = command.text if command.terminal else f"exec 9>&2 2>&1\n{command.text}"
        launch = self._line.command(frame(text, settings, env, terminal=command.terminal), terminal=command.terminal)
        return replace(launch, state="descriptor" if command.terminal else "stderr")


class DistantRunner:
    """Runs the small scripts by which files over there are read and written, byte for byte."""

    def __init__(self, line: Line, outpost: Outpost) -> None:
        self._line, self._outpost = line, outpost

    def __call__(self, script: str, stdin: bytes = b"", /) -> tuple[int, bytes, bytes]:
        """Exit code, output and errors. Raises `UsageError` where the place can't be reached in time."""
        self._outpost.folder()
        launch = self._line.command(script, terminal=False)
        try:
            done = subprocess.run(
                launch.argv, input=stdin, capture_output=True, env=launch.env, cwd="/", timeout=_FILE_S, check=False
            )
        except subprocess.TimeoutExpired as late:
            raise UsageError(f"no answer within {_FILE_S:g} s", "look at the connection, then try again") from late
        if done.returncode == _LOST:
            raise UsageError(f"the connection was lost: {done.stderr.decode('utf-8', 'replace').strip()}")
        return done.returncode, done.stdout, done.stderr


class DistantEnvironment(ShellEnvironment):
    """Runs commands at the other end of *line* (core.types `Environment`); paths are those of that *place*.

    What is ended here, or loses its connection, is ended there, too.
    """

    def __init__(self, line: Line, place: str, results: Path | str | None = None) -> None:
        self._outpost = Outpost(line)
        files = ShellFiles(DistantRunner(line, self._outpost), place)
        super().__init__(DistantLauncher(line, self._outpost), results, files=files)
        self._numbers = itertools.count(1)
        self.close = weakref.finalize(self, in_order, self._outpost.close, self.close)

    def run(self, command: Command, /, cancel: CancelToken | None = None) -> Ran:
        """Run to the end, the timeout or the cancel. Raises `UsageError` for a directory that isn't there."""
        with self._named(command) as (name, named):
            ran = super().run(named, cancel)
            if ran.timed_out or ran.cancelled or ran.exit_code == _LOST:
                self._outpost.end(name)
        if ran.timed_out or ran.cancelled:
            ran = replace(ran, exit_code=_ENDED)  # what the client ended with says nothing of the command
        if ran.exit_code == NOT_BEGUN and ran.output.startswith(REFUSED):
            raise UsageError(ran.output.removeprefix(REFUSED).strip(), "give an existing directory as cwd")
        return ran

    def spawn(self, command: Command, /) -> DistantProcess:
        """Start and answer at once; the command has a keyboard and no time limit."""
        if command.detached:
            raise UsageError("over a connection nothing is started that outlives it", "use nohup and setsid there")
        with self._named(command) as (name, named):
            return DistantProcess(super().spawn(named), lambda: self._outpost.end(name))

    @contextlib.contextmanager
    def _named(self, command: Command) -> Iterator[tuple[str, Command]]:
        name = f"r{next(self._numbers)}"
        try:
            yield name, replace(command, env={**command.env, _NAME: name})
        except BaseException:
            self._outpost.end(name)
            raise


class DistantProcess:
    """A command that goes on over there (core.types `Process`)."""

    def __init__(self, process: Process, end: Callable[[], None]) -> None:
        self._process, self._end = process, end
        self.id, self.command, self.note = process.id, process.command, process.note

    def poll(self) -> int | None:
        return self._process.poll()

    def output(self, offset: int = 0, limit: int = 20_000) -> tuple[str, int]:
        """Text from *offset* on, and the offset to go on at."""
        return self._process.output(offset, limit)

    def listen(self, hear: Callable[[bytes], None], /) -> None:
        """Have *hear* called with what is kept, and with all that comes."""
        self._process.listen(hear)

    def write(self, text: str) -> None:
        """Type *text* into it."""
        self._process.write(text)

    def wait(self, timeout_s: float) -> int | None:
        """Its exit code once it has ended; None after *timeout_s*."""
        return self._process.wait(timeout_s)

    def signal(self, number: int) -> None:
        """Any signal ends it: no other gets over there."""
        self._end()
        self._process.signal(number)

    def kill(self) -> int | None:
        """End it and everything it started, over there first."""
        self._end()
        return self._process.kill()


def in_order(*closings: Callable[[], object]) -> None:
    """Close one thing after the other."""
    for close in closings:
        close()
