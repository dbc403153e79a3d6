"""From a fork to the program: session, terminal, descriptors, confinement, directory, exec."""

from __future__ import annotations

import fcntl
import os
import signal
import termios
from typing import TYPE_CHECKING, NamedTuple

from .confine import confine
from .order import STATE_FD

if TYPE_CHECKING:
    from .order import Order


class Failure(NamedTuple):
    """Why a program didn't start: at which step, and the number and text of the system's error."""

    step: str
    errno: int
    text: str

    def pack(self) -> bytes:
        """One line for the host."""
        return f"{self.step} {self.errno} {self.text}".encode("utf-8", "replace")


class Descriptors(NamedTuple):
    """Those of one program, see `Order`; -1 where there is none."""

    output: int
    input: int
    state: int


def launch(order: Order, descriptors: Descriptors) -> int | Failure:
    """Start the program; its process id once it runs, or why it doesn't."""
    told, tell = os.pipe()
    try:
        pid = os.fork()
    except OSError as error:
        os.close(told)
        os.close(tell)
        return Failure("fork", error.errno or 0, os.strerror(error.errno or 0))
    if pid == 0:
        _become(order, descriptors, tell)
    os.close(tell)
    line = os.read(told, 65_536)  # the end of it is told by exec, which closes the pipe
    os.close(told)
    if not line:
        return pid
    os.waitpid(pid, 0)
    step, number, text = line.decode("utf-8", "replace").split(" ", 2)
    return Failure(step, int(number), text)


def _become(order: Order, descriptors: Descriptors, tell: int) -> None:
    """Never returns: whatever goes wrong is told through *tell*."""
    step = "session"
    try:
        _own_session(order, descriptors)
        _take_descriptors(order, descriptors)
        step = "cwd"
        os.chdir(order.cwd)
        if order.confinement is not None:
            step = "confine"
            confine(order.confinement)
        step = "exec"
        os.execvpe(order.argv[0], order.argv, order.env)
    except OSError as error:
        os.write(tell, Failure(step, error.errno or 0, error.strerror or str(error)).pack())
    except BaseException as error:  # noqa: BLE001 - a fork must never go on as if it were the keeper
        os.write(tell, Failure(step, 0, repr(error)).pack())
    finally:
        os._exit(127)


def _own_session(order: Order, descriptors: Descriptors) -> None:
    os.setsid()
    if order.terminal:
        fcntl.ioctl(descriptors.output, termios.TIOCSCTTY, 0)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores these, and exec would keep that
        signal.signal(number, signal.SIG_DFL)


def _take_descriptors(order: Order, descriptors: Descriptors) -> None:
    os.dup2(descriptors.output if order.terminal else descriptors.input, 0)
    os.dup2(descriptors.output, 1)
    os.dup2(descriptors.output, 2)
    if order.has_state:
        os.dup2(descriptors.state, STATE_FD)
