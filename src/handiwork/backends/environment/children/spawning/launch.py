"""From a keeper to the program: its directory, confinement, session, descriptors and terminal."""

from __future__ import annotations

import errno
import os
import signal
from typing import TYPE_CHECKING, Any, NamedTuple

from .confine import OPEN, NoFenceError, prepare
from .order import STATE_FD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .order import Order

# Python ignores these, and a program would inherit that.
_IGNORED = (signal.SIGPIPE, signal.SIGXFSZ)


class Descriptors(NamedTuple):
    """Those of one program, see `Order`; -1 where there is none."""

    output: int
    input: int
    state: int
    errors: int


class Failed(NamedTuple):
    """Why a program didn't start: at which step, and the number and text of the system's error."""

    step: str
    errno: int
    text: str

    def pack(self) -> bytes:
        """One line for the host."""
        return f"{self.step} {self.errno} {self.text}".encode("utf-8", "replace")


def failed(step: str, error: BaseException) -> Failed:
    """The same of an exception."""
    if isinstance(error, OSError):
        return Failed(step, error.errno or 0, error.strerror or str(error))
    return Failed(step, 0, str(error))


def launch(order: Order, descriptors: Descriptors) -> int | Failed:
    """Start the program; its process id once it runs, or why it doesn't."""
    step = "confine"
    try:
        screen = os.ttyname(descriptors.output) if order.terminal else ""
        fence = prepare(order.confinement, screen) if order.confinement is not None else OPEN
        step = "cwd"
        os.chdir(order.cwd)  # a program starts in the directory of its parent
        step = "exec"
        return fence.start(lambda: _first_that_starts(order, _actions(order, descriptors, screen)))
    except NoFenceError as error:
        return failed("confine", error)
    except (OSError, ValueError) as error:
        return failed(step, error)
    except RuntimeError as error:
        return failed("fork", error)  # there can be no more threads
    finally:
        os.chdir("/")


def _first_that_starts(order: Order, actions: list[Any]) -> int:
    """Look for the program along its path, as a shell does: one that may not be run is told at the end.

    `posix_spawn` doesn't copy our memory, which costs Python more than all the rest.
    """
    error: OSError = FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    for path in _candidates(order):
        try:
            return os.posix_spawn(path, order.argv, order.env, file_actions=actions, setsid=True, setsigdef=_IGNORED)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except PermissionError as refused:
            error = refused
    raise error


def _candidates(order: Order) -> Iterator[bytes]:
    name = order.argv[0]
    if b"/" in name:
        yield name
        return
    for folder in order.env.get(b"PATH", os.defpath.encode()).split(b":"):
        yield os.path.join(folder, name)


def _actions(order: Order, descriptors: Descriptors, screen: str) -> list[Any]:
    output = descriptors.output
    copies = [(output, 1), (descriptors.errors, 2)]
    if not screen:
        copies.append((descriptors.input, 0))
    if order.has_state:
        copies.append((descriptors.state, STATE_FD))
    actions: list[Any] = [(os.POSIX_SPAWN_DUP2, *pair) for pair in copies]
    if screen:
        # The leader of a session that has no terminal gets the first one that it opens.
        actions.append((os.POSIX_SPAWN_OPEN, 0, screen, os.O_RDWR, 0))
    return actions
