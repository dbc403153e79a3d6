"""Where more of the protocol is put in: logging in, and answers to what a server asks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .connection import Connection
    from .settings import ServerSettings


def _no_keywords(_: ServerSettings, /) -> Mapping[str, Any]:
    return {}


def _no_auth(_: ServerSettings, /) -> Any:
    return None


async def _nothing_more(_: ServerSettings, __: Connection, /) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Seams:
    """All are called on the loop of the servers, with the filled settings of one.

    `client` gives further keywords of the SDK's `Client` (callbacks and what they declare), `auth` an
    `httpx2.Auth` or None, `connected` is awaited when a server's tools are there.
    """

    client: Callable[[ServerSettings], Mapping[str, Any]] = _no_keywords
    auth: Callable[[ServerSettings], Any] = _no_auth
    connected: Callable[[ServerSettings, Connection], Awaitable[None]] = _nothing_more


NO_SEAMS = Seams()
