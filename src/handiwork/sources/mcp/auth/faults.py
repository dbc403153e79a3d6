"""Why a server can't be logged in to; each says what a person can do."""

from __future__ import annotations

from ..faults import ServerError


class NeedsLoginError(ServerError):
    """A person must log in, and none is here."""

    def __init__(self, server: str, why: str) -> None:
        super().__init__(why, f"handiwork mcp login {server}")


class UnapprovedError(NeedsLoginError):
    """The login would lead to a place that nobody has agreed to."""


class AwayError(ServerError):
    """The login service is away: nobody has to log in again for that."""
