"""The transports of servers that are web services: streamable HTTP, and SSE for old ones."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any

import httpx2
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.message import SessionMessage

from .correspondence import Correspondence
from .framing import MOST_BYTES
from .settings import ServerSettings

# A connection that is made takes less; an answer may take as long as the call may.
_REACH_S = 10.0


@asynccontextmanager
async def over_http(settings: ServerSettings, letters: Correspondence, auth: Any = None) -> AsyncIterator[Any]:
    """The streams that the SDK's session talks through. Redirects stay inside the server's origin."""
    limits = httpx2.Timeout(_REACH_S, read=settings.timeout)
    async with (
        create_mcp_http_client(headers=dict(settings.headers), timeout=limits, auth=auth) as client,
        streamable_http_client(settings.url, http_client=client, max_sse_event_size=MOST_BYTES) as (reads, writes),
    ):
        yield MendedReads(reads, letters), NotedWrites(writes, letters)


@asynccontextmanager
async def over_sse(settings: ServerSettings, letters: Correspondence, auth: Any = None) -> AsyncIterator[Any]:
    """The same for a server of 2024, with one endpoint to listen to and one to post to."""
    async with sse_client(
        settings.url, headers=dict(settings.headers), timeout=_REACH_S, sse_read_timeout=settings.timeout, auth=auth
    ) as (reads, writes):
        yield MendedReads(reads, letters), NotedWrites(writes, letters)


class _Wrapped:
    """A stream of the SDK's, with its end."""

    def __init__(self, inner: Any, letters: Correspondence) -> None:
        self._inner, self._letters = inner, letters

    @property
    def last_context(self) -> Any:
        """The context that the last message was sent in."""
        return getattr(self._inner, "last_context", None)

    async def aclose(self) -> None:
        await self._inner.aclose()

    def close(self) -> None:
        self._inner.close()

    async def __aenter__(self) -> Any:
        await self._inner.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        ended: bool | None = await self._inner.__aexit__(kind, error, trace)
        return ended


class MendedReads(_Wrapped):
    """What comes from a server, set right."""

    async def receive(self) -> SessionMessage | Exception:
        while True:
            item = await self._inner.receive()
            if isinstance(item, Exception):
                return item
            message = self._letters.mended(item.message)
            if message is not None:
                return SessionMessage(message, item.metadata)

    def __aiter__(self) -> MendedReads:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        while True:
            item = await self._inner.__anext__()
            if isinstance(item, Exception):
                return item
            message = self._letters.mended(item.message)
            if message is not None:
                return SessionMessage(message, item.metadata)


class NotedWrites(_Wrapped):
    """What goes to a server, remembered."""

    async def send(self, item: SessionMessage, /) -> None:
        self._letters.sent(item.message)
        await self._inner.send(item)
