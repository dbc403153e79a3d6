"""Commands in a shell, in the foreground and the background, wherever a launcher has them run."""

from __future__ import annotations

import itertools
import tempfile
import time
import weakref
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from ...core.cancel import CancelToken
from ...core.errors import UsageError
from ...core.types import Command, Files, Process, Ran
from ..files.local import LocalFiles
from .background import BackgroundProcess
from .child import Child, Nursery
from .detached import DetachedProcess
from .follow import End, Follower
from .handover import handed_on, telling
from .launch import Launch, Launcher
from .output import Output

MAX_BACKGROUND = 256
TERMINAL = (40, 120)
# One argument of a program can't be longer on Linux. Bytes.
_MAX_COMMAND_BYTES = 131_000
_KILLED = 137
# A program whose standard error is the way of the state (see `Launch`).
_STDERR_TELLS = ("/bin/sh", "-c", 'exec "$@" 2>&9', "sh")


class ShellEnvironment:
    """Runs shell commands where *launcher* says (core.types `Environment`), each in a session of its own.

    Output that was cut is kept in *results* (else in a folder that goes with the environment). Nothing
    started here outlives `close()`, the object, or the interpreter. *files* are those of the place where
    commands run; this machine's where that isn't given.
    """

    def __init__(self, launcher: Launcher, results: Path | str | None = None, *, files: Files | None = None) -> None:
        self._nursery, self._launcher = Nursery(), launcher
        self.files = files or LocalFiles()
        self._own_results: list[tempfile.TemporaryDirectory[str]] = []
        self._given_results = Path(results) if results else None
        self._number = itertools.count(1)
        self._background: set[Child] = set()
        self.close: Callable[[], object] = weakref.finalize(self, _close, self._nursery, self._own_results)

    def run(self, command: Command, /, cancel: CancelToken | None = None) -> Ran:
        """Run to the end, the timeout or the cancel; what was printed until then is kept.

        Raises `UsageError` for a directory that isn't there and a text that no system takes.
        """
        if cancel is not None and cancel.is_set():
            return Ran("", _KILLED, 0.0, cancelled=True)
        started = time.perf_counter()
        child = self._start(self._launch(replace(command, text=telling(command.text))), command, keyboard=False)
        output = Output(4 * command.max_output_chars, self._results, "output")
        end = self._follow(child, output, command.timeout_s, cancel)
        state, beside = handed_on(child.state, command)
        process = self._keep(child, command) if end == "ended" and child.alive() else None
        if process is None:
            beside += _named(child.survivors())
            self._nursery.forget(child)
        output.feed(beside)
        text, path = output.finish(command.max_output_chars)
        return Ran(
            text,
            code if (code := child.poll()) is not None else _KILLED,
            (time.perf_counter() - started) * 1000,
            timed_out=end == "timed_out",
            cancelled=end == "cancelled",
            path=path,
            process=process,
            state=state,
        )

    def _follow(self, child: Child, output: Output, timeout_s: float, cancel: CancelToken | None) -> End:
        """Hear the child to its end; whatever breaks off the waiting ends the child."""
        try:
            return Follower(child, output.feed).follow(timeout_s, cancel)
        except BaseException:
            child.kill()
            output.drop()
            self._nursery.forget(child)
            raise

    def spawn(self, command: Command, /) -> Process:
        """Start and answer at once; the command has no time limit and, unless it is detached, a keyboard."""
        if len(self._background) >= MAX_BACKGROUND:
            raise UsageError(f"{MAX_BACKGROUND} background processes are running", "kill some of them first")
        launch = self._launch(command)
        if command.detached:
            return self._detach(launch, command)
        return self._listen(self._start(launch, command, keyboard=True), command, leftover=False)

    def _launch(self, command: Command) -> Launch:
        """How the command is started. One that also tells its state is a little longer than it was written."""
        if len(command.text.encode("utf-8", "surrogatepass")) > _MAX_COMMAND_BYTES or "\0" in command.text:
            raise UsageError(
                f"a command must be at most {_MAX_COMMAND_BYTES:,} bytes without NUL",
                "write a script file and run that",
            )
        return self._launcher.launch(command)

    def _start(self, launch: Launch, command: Command, *, keyboard: bool) -> Child:
        """With a keyboard it is left alone; without, it has an end at which it tells its state."""
        tells = not keyboard
        child = self._nursery.start(
            (*_STDERR_TELLS, *launch.argv) if tells and launch.state == "stderr" else launch.argv,
            cwd=launch.cwd,
            env=launch.env,
            keyboard=keyboard,
            state=tells,
            terminal=TERMINAL if command.terminal else None,
            confinement=launch.confinement,
        )
        if not keyboard:
            child.close_stdin()  # of a terminal: whoever reads from it shall come to an end
        return child

    def _detach(self, launch: Launch, command: Command) -> DetachedProcess:
        name = f"bg{next(self._number)}"
        path = Path(tempfile.mkdtemp(prefix="handiwork-detached-")) / "output.txt"  # lasting, as it does
        child = self._nursery.start(
            launch.argv, cwd=launch.cwd, env=launch.env, detached=str(path), confinement=launch.confinement
        )
        return DetachedProcess(name, command.text, child, path)

    def _keep(self, child: Child, command: Command) -> BackgroundProcess | None:
        """Go on listening to what a command left running; beyond a number of those, end it."""
        if len(self._background) < MAX_BACKGROUND:
            return self._listen(child, command, leftover=True)
        child.kill()
        return None

    def _listen(self, child: Child, command: Command, *, leftover: bool) -> BackgroundProcess:
        self._background.add(child)
        name = f"bg{next(self._number)}"
        return BackgroundProcess(name, command.text, child, self._forget, leftover=leftover)

    def _forget(self, child: Child) -> None:
        self._background.discard(child)
        self._nursery.forget(child)

    @cached_property
    def _results(self) -> Path:
        """The folder for output that was cut; our own is made when it is first needed."""
        if self._given_results is not None:
            return self._given_results
        self._own_results.append(tempfile.TemporaryDirectory(prefix="handiwork-"))
        return Path(self._own_results[0].name)


def _named(survivors: list[str]) -> bytes:
    """What could not be ended, for the end of the output."""
    return f"\n[could not be ended and still runs: {', '.join(survivors)}]\n".encode() if survivors else b""


def _close(nursery: Nursery, own_results: list[tempfile.TemporaryDirectory[str]]) -> None:
    nursery.close()
    for folder in own_results:
        folder.cleanup()
