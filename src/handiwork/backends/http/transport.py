"""The way to the network for clients of the library httpx: every request is judged, redirects as well."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import unquote

import httpcore
import httpx

from ...core.types import Doorkeeper
from .pinned import PinnedBackend, Resolver, resolved
from .proxies import proxy_for

_MOST_CONNECTIONS, _MOST_KEPT, _KEPT_S = 32, 8, 15.0


class GuardedTransport(httpx.AsyncBaseTransport):
    """Asks *doorkeeper* about each request's URL, and about the addresses that are connected to.

    What is refused leaves as `httpx.ConnectError`. Behind a proxy it is the proxy who resolves a name: what it
    leads to here is judged, and where it leads nowhere here, its text alone is.
    """

    def __init__(self, doorkeeper: Doorkeeper, resolve: Resolver = resolved) -> None:
        self._doorkeeper = doorkeeper
        self._backend = PinnedBackend(doorkeeper, resolve)
        self._tls = httpx.create_ssl_context()
        self._pools: dict[str, httpcore.AsyncConnectionPool] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """One exchange; the body comes as it is read."""
        if why := self._doorkeeper.why_not(str(request.url)):
            raise httpx.ConnectError(f"not allowed: {why}", request=request)
        url = request.url
        asked = httpcore.Request(
            request.method,
            httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        with _in_words_of_httpx(request):
            pool = await self._pool(url)
            reply = await pool.handle_async_request(asked)
        return httpx.Response(
            reply.status, headers=reply.headers, stream=_Body(reply, request), extensions=reply.extensions
        )

    async def aclose(self) -> None:
        """Closes the connections that are kept."""
        pools, self._pools = self._pools, {}
        for pool in pools.values():
            await pool.aclose()

    async def _pool(self, url: httpx.URL) -> httpcore.AsyncConnectionPool:
        host, port = url.host, url.port or (443 if url.scheme == "https" else 80)
        proxy = proxy_for(url.scheme, host, port)
        if proxy:
            await self._judge_as_seen_from_here(host, port)
        if proxy not in self._pools:
            self._pools[proxy] = self._opened(proxy)
        return self._pools[proxy]

    async def _judge_as_seen_from_here(self, host: str, port: int) -> None:
        try:
            await self._backend.addresses(host, port)
        except httpcore.ConnectError as error:
            if not isinstance(error.__cause__, OSError):  # a name that only the proxy knows is its business
                raise

    def _opened(self, proxy: str) -> httpcore.AsyncConnectionPool:
        limits: dict[str, Any] = {
            "ssl_context": self._tls,
            "max_connections": _MOST_CONNECTIONS,
            "max_keepalive_connections": _MOST_KEPT,
            "keepalive_expiry": _KEPT_S,
        }
        if not proxy:
            return httpcore.AsyncConnectionPool(network_backend=self._backend, **limits)
        return httpcore.AsyncConnectionPool(proxy=_proxy(proxy), **limits)


class _Body(httpx.AsyncByteStream):
    """The body of a reply, piece by piece."""

    def __init__(self, reply: httpcore.Response, request: httpx.Request) -> None:
        self._reply, self._request = reply, request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _in_words_of_httpx(self._request):
            async for part in self._reply.aiter_stream():
                yield part

    async def aclose(self) -> None:
        with _in_words_of_httpx(self._request):
            await self._reply.aclose()


def _proxy(url: str) -> httpcore.Proxy:
    parts = httpx.URL(url)
    if parts.scheme not in ("http", "https"):
        raise httpcore.UnsupportedProtocol(f"the proxy {parts.scheme}://{parts.host} isn't one for HTTP")
    login = (unquote(parts.username), unquote(parts.password)) if parts.username else None
    return httpcore.Proxy(str(parts.copy_with(username=None, password=None)), auth=login)


@contextmanager
def _in_words_of_httpx(request: httpx.Request) -> Iterator[None]:
    """Both libraries call their errors by the same names."""
    try:
        yield
    except (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError) as error:
        kind = getattr(httpx, type(error).__name__, httpx.TransportError)
        raise kind(str(error) or type(error).__name__, request=request) from error
    except httpcore.UnsupportedProtocol as error:
        raise httpx.UnsupportedProtocol(str(error), request=request) from error
