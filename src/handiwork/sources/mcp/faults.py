"""What can go wrong with a server, and what each failure of the SDK's means to a person."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...core.errors import HandiworkError
from .states import StateName


class ServerError(HandiworkError):
    """A server that can't be used now, with its reason and what to do."""


class LostError(Exception):
    """The connection ended under a request: whether the server did what was asked isn't known.

    `sent` False says that it can't have heard of it.
    """

    def __init__(self, reason: str, *, sent: bool = True) -> None:
        super().__init__(reason)
        self.sent = sent


class LateError(Exception):
    """The server gave no answer in time; it was told to stop."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a server couldn't be connected, and the state that leaves it in."""

    state: StateName
    reason: str
    fix: str = ""


def fault_of(error: BaseException) -> Fault:
    """What *error*, raised by a connection, means."""
    causes = list(causes_of(error))
    return next((fault for cause in causes if (fault := _known(cause))), Fault("failed", _words(causes[0])))


def causes_of(error: BaseException) -> Iterator[BaseException]:
    """The errors inside of groups, the first one first, and what each was raised from."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from causes_of(inner)
        return
    yield error
    if error.__cause__ is not None:
        yield from causes_of(error.__cause__)


def _known(error: BaseException) -> Fault | None:
    name, said = type(error).__name__, str(error)
    if isinstance(error, HandiworkError):
        return Fault("failed", said, error.hint)
    if "nsupported protocol version" in said or "mutually supported" in said or getattr(error, "code", 0) == -32022:
        return Fault("incompatible", f"no version of the protocol in common: {said}", "update the server or Handiwork")
    if name.startswith("OAuth") or "401" in said or "Unauthorized" in said:
        return Fault("needs_reauth", said or "it wants a login", "give it a valid token in `headers`, or log in")
    if name in ("ConnectError", "ConnectTimeout"):
        return Fault("failed", f"it can't be reached: {said or name}", "see that it runs, and that its URL is right")
    return None


def _words(error: BaseException) -> str:
    said = str(error).strip()
    return said or type(error).__name__
