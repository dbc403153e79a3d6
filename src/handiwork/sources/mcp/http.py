"""The transports of servers that are web services: streamable HTTP, and SSE for old ones."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import httpx2
from mcp.client.auth import OAuthFlowError, OAuthRegistrationError, OAuthTokenError
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage

from ...core.errors import HandiworkError
from .correspondence import Correspondence
from .framing import MOST_BYTES
from .settings import MOST_TIMEOUT_S, ServerSettings

# A connection that is made takes less; an answer may take as long as the longest call.
_REACH_S = 10.0
_LISTEN_S = MOST_TIMEOUT_S + 60
# With these an old server, which has another endpoint to post to, refuses what a new one takes.
TRIES_SSE = frozenset({400, 404, 405, 406, 415})


@dataclass(slots=True)
class Trace:
    """What a web service last answered with, whether it couldn't even be reached, and why it wasn't logged in to."""

    status: int = 0
    unreachable: bool = False
    fault: Exception | None = None

    def take_fault(self) -> Exception | None:
        """The fault, once."""
        fault, self.fault = self.fault, None
        return fault


class _TracingClient(httpx2.AsyncClient):
    """Keeps what the SDK doesn't tell: it says of every refusal only that there was one."""

    trace: Trace

    async def send(self, request: httpx2.Request, **how: Any) -> httpx2.Response:
        try:
            response = await super().send(request, **how)
        except (httpx2.ConnectError, httpx2.ConnectTimeout):
            self.trace.unreachable = True
            raise
        except (OAuthFlowError, OAuthTokenError, OAuthRegistrationError, HandiworkError) as fault:
            # Raised through the SDK it would end the connection, and nobody would hear why.
            self.trace.fault = fault
            response = httpx2.Response(401, request=request)
        self.trace.unreachable = False
        if response.headers.get("content-type", "").startswith("application/json"):
            response.stream = _Capped(response.stream)
        if request.method == "POST" or response.status_code in (401, 403):
            self.trace.status = response.status_code
        return response


class _Capped(httpx2.AsyncByteStream):
    """A body of at most 16 MiB: the SDK bounds events, but not whole answers."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for piece in self._inner:
            size += len(piece)
            if size > MOST_BYTES:
                raise httpx2.StreamError(f"the answer has more than the {MOST_BYTES:,} bytes that it may have")
            yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()


def _client(settings: ServerSettings, trace: Trace, auth: Any) -> _TracingClient:
    limits = httpx2.Timeout(_REACH_S, read=_LISTEN_S)
    headers = {
        "Accept-Encoding": "identity",
        **settings.headers,
    }  # what is packed can't be bounded before it is unpacked
    client = _TracingClient(headers=headers, timeout=limits, auth=auth)
    client.trace = trace
    return client


@asynccontextmanager
async def over_http(
    settings: ServerSettings, letters: Correspondence, trace: Trace, auth: Any = None
) -> AsyncIterator[Any]:
    """The streams that the SDK's session talks through. Redirects stay inside the server's origin."""
    async with (
        _client(settings, trace, auth) as client,
        streamable_http_client(settings.url, http_client=client, max_sse_event_size=MOST_BYTES) as (reads, writes),
    ):
        yield MendedReads(reads, letters), NotedWrites(writes, letters)


@asynccontextmanager
async def over_sse(
    settings: ServerSettings, letters: Correspondence, trace: Trace, auth: Any = None
) -> AsyncIterator[Any]:
    """The same for a server of 2024, with one endpoint to listen to and one to post to."""

    def client(headers: Any = None, timeout: Any = None, auth: Any = auth) -> httpx2.AsyncClient:  # noqa: ARG001
        return _client(settings, trace, auth)

    async with sse_client(settings.url, httpx_client_factory=client) as (reads, writes):
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
