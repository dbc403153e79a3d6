"""Whoever can log in: shown where to go, and comes back with what the page said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from mcp.shared.auth import AuthorizationCodeResult


class Person(Protocol):
    """`redirect_uri` is where the page sends the browser in the end."""

    redirect_uri: str

    async def approves(self, origin: str, /) -> bool:
        """Whether a server may have its logins made at *origin*, which isn't its own."""
        ...

    async def visits(self, url: str, /) -> AuthorizationCodeResult:
        """Open *url*, log in there, and bring back the code."""
        ...
