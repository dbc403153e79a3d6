"""How a child begins: its descriptors are made, a keeper is asked, and the answer is read."""

from __future__ import annotations

import errno
import os
import socket
import termios
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ....core.errors import FolderError, HandiworkError, UsageError
from .confinement import Confinement
from .spawner import SPAWNER, Keeper
from .spawning.order import START, Order


@dataclass(frozen=True, slots=True)
class Program:
    """What to start, and what it is connected to.

    `keyboard` makes its standard input a pipe, `terminal` (rows, columns) makes a terminal of input and
    output, `state` gives it descriptor 9 to write to, `errors` keeps its standard error apart from its
    output, `detached` is a file for the output of a program that may outlive us, `confinement` is what
    it may touch.
    """

    argv: Sequence[str]
    cwd: str
    env: Mapping[str, str]
    keyboard: bool = False
    terminal: tuple[int, int] | None = None
    state: bool = False
    errors: bool = False
    detached: str = ""
    confinement: Confinement | None = None

    def order(self) -> Order:
        """The same for a keeper. Raises `UsageError` for a text that no system takes."""
        if any("\0" in text for text in (*self.argv, *self.env, *self.env.values(), self.cwd)):
            raise UsageError("a command and its variables can't hold NUL", "write a script file and run that")
        return Order(
            argv=[os.fsencode(word) for word in self.argv],
            env={os.fsencode(name): os.fsencode(value) for name, value in self.env.items()},
            cwd=os.fsencode(self.cwd),
            has_input=self.keyboard and self.terminal is None,
            has_state=self.state,
            has_errors=self.errors,
            terminal=self.terminal is not None,
            detached=bool(self.detached),
            confinement=self.confinement.plain() if self.confinement else None,
        )


@dataclass(slots=True)
class Ends:
    """The two ends of each connection: ours by name, the child's in the order that `Order` says."""

    exit_fd: int = -1
    gone_fd: int = -1
    pipe: int = -1
    stdin: int = -1
    state_fd: int = -1
    errors: int = -1
    theirs: list[int] = field(default_factory=list)

    def connect(self, program: Program) -> None:
        """Make all of them; what was made until a failure is there to be closed."""
        self.exit_fd = self._hears()
        self.gone_fd = self._hears()
        if program.terminal is not None:
            self._open_terminal(*program.terminal)
        elif program.detached:
            self.theirs.append(os.open(program.detached, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
        else:
            self.pipe = self._hears()
            os.set_blocking(self.pipe, False)
        if program.keyboard and program.terminal is None:
            theirs, self.stdin = os.pipe()
            self.theirs.append(theirs)
        if program.state:
            self.state_fd = os.memfd_create("state")
            self.theirs.append(os.dup(self.state_fd))
        if program.errors:
            self.errors = self._hears()
            os.set_blocking(self.errors, False)

    def _hears(self) -> int:
        ours, theirs = os.pipe()
        self.theirs.append(theirs)
        return ours

    def _open_terminal(self, rows: int, columns: int) -> None:
        self.pipe, theirs = os.openpty()
        self.stdin = self.pipe
        self.theirs.append(theirs)
        termios.tcsetwinsize(self.pipe, (rows, columns))
        os.set_blocking(self.pipe, False)

    def close_theirs(self) -> None:
        """They have been handed on."""
        while self.theirs:
            os.close(self.theirs.pop())

    def close(self) -> None:
        """Close all of them."""
        self.close_theirs()
        for descriptor in {self.exit_fd, self.gone_fd, self.pipe, self.stdin, self.state_fd, self.errors} - {-1}:
            os.close(descriptor)


@dataclass(frozen=True, slots=True)
class Beginning:
    """A program that runs: its keeper, and our ends."""

    pid: int
    keeper_pid: int
    keeper: Keeper
    ends: Ends


def begin(program: Program) -> Beginning:
    """Start it. Raises `UsageError` for what can't be started, with what to do."""
    order, ends = program.order(), Ends()
    try:
        ends.connect(program)
        keeper = SPAWNER.borrow(detached=bool(program.detached))
        try:
            pids = _ask(keeper, order, ends, program)
        except UsageError:
            SPAWNER.give_back(keeper)  # nothing was started
            raise
        except BaseException:
            keeper.part()  # whatever was started is ended
            raise
    except BaseException:
        ends.close()
        raise
    return Beginning(*pids, keeper, ends)


def _ask(keeper: Keeper, order: Order, ends: Ends, program: Program) -> tuple[int, int]:
    try:
        socket.send_fds(keeper.socket, [bytes([START])], ends.theirs)
        keeper.socket.sendall(order.pack())
        ends.close_theirs()
        answer = _line(keeper.socket)
    except OSError as error:
        raise HandiworkError(
            f"the process that starts commands is gone or stopped ({error}); whether this one began is unknown",
            "see whether it did, then run it again",
        ) from error
    kind, _, rest = answer.partition(" ")
    if kind == "pid":
        pid, keeper_pid = map(int, rest.split())
        return pid, keeper_pid
    step, number, text = rest.split(" ", 2)
    raise _refusal(step, int(number), text, program)


def _line(keeper: socket.socket) -> str:
    line = bytearray()
    while not line.endswith(b"\n"):
        piece = keeper.recv(4096)
        if not piece:
            raise ConnectionResetError(errno.ECONNRESET, "it ended")
        line += piece
    return line.decode("utf-8", "replace").rstrip("\n")


def _refusal(step: str, number: int, text: str, program: Program) -> HandiworkError:
    if step == "fork":
        return HandiworkError(f"no process can be started: {text}", "end some, or raise the limit (ulimit -u)")
    if step == "confine":
        return HandiworkError(f"the command can't be confined: {text}", "run it in a sandbox that this system has")
    if step == "cwd":
        missing = number in (errno.ENOENT, errno.ENOTDIR)
        what = f"there is no directory {program.cwd}" if missing else f"{program.cwd} can't be entered: {text}"
        return FolderError(what, "give an existing directory as cwd")
    return _no_program(program, number, text)


def _no_program(program: Program, number: int, text: str) -> UsageError:
    name = repr(program.argv[0])
    if number == errno.ENOENT:
        return UsageError(f"there is no program {name}", "install it, or give its whole path")
    if number == errno.E2BIG:
        return UsageError(
            f"the arguments and variables of {name} are more than the system takes",
            "write them to a file, and let the program read that",
        )
    if number == errno.EACCES and program.confinement and program.confinement.files:
        return UsageError(
            f"{name} can't be started: {text}", "see that it is executable, and its folder and /lib among `execute`"
        )
    return UsageError(f"{name} can't be started: {text}", "see that it is an executable program for this machine")
