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


class RefusedError(Exception):
    """A web service answered with a status that is an error; `why` is what the SDK made of it."""

    def __init__(self, status: int, why: BaseException) -> None:
        super().__init__(f"it answers with HTTP status {status}: {_words(why)}")
        self.status = status


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
    found = (fault for cause in causes_of(error) if (fault := _known(cause)))
    return next(found, Fault("failed", _words(error)))


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
        return Fault("needs_reauth" if name in _LOGINS else "failed", said, error.hint)
    if "nsupported protocol version" in said or "mutually supported" in said or getattr(error, "code", 0) == -32022:
        return Fault("incompatible", f"no version of the protocol in common: {said}", "update the server or Handiwork")
    status = error.status if isinstance(error, RefusedError) else 0
    if name.startswith("OAuth") or status in _LOGIN:
        return Fault("needs_reauth", said or "it wants a login", "give it a valid token in `headers`, or log in")
    if status:
        return Fault("failed", said, "see that its URL is right, and that the service is up")
    if name in ("ConnectError", "ConnectTimeout"):
        return Fault("failed", f"it can't be reached: {said or name}", "see that it runs, and that its URL is right")
    return None


def _words(error: BaseException) -> str:
    first = next(causes_of(error))
    return str(first).strip() or type(first).__name__


_LOGIN = (401, 403)
_LOGINS = ("NeedsLoginError", "UnapprovedError")
