"""One exchange over HTTP: redirects judged again, nothing that says who asks told to strangers, all of it bounded."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urljoin

import httpx

from ...core.errors import FetchError
from ...core.types import Doorkeeper, HttpReply
from .bodies import UNPACKS, read_body, too_much
from .pinned import Resolver, resolved
from .transport import GuardedTransport

# Seconds, of one step of an exchange; the whole has its own limit.
_PATIENCE = {"connect": 10.0, "pool": 10.0, "read": 20.0, "write": 20.0}
_REDIRECTS = (301, 302, 303, 307, 308)
# What may be told to another origin; everything else may say who asks.
_FOR_STRANGERS = frozenset({"accept", "accept-language", "accept-encoding", "user-agent", "range"})
_OF_BODIES = frozenset({"content-type", "content-encoding", "content-language", "content-length"})


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request on its way through redirects. Header names are lower-case."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None


class GuardedHttp:
    """The one client (core.types `Http`). Connections are kept for a few seconds, per event loop; cookies never."""

    def __init__(self, doorkeeper: Doorkeeper, resolve: Resolver = resolved) -> None:
        self._doorkeeper, self._resolve = doorkeeper, resolve
        self._transports: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, GuardedTransport] = (
            weakref.WeakKeyDictionary()
        )

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        timeout_s: float = 30.0,
        max_bytes: int = 10 << 20,
        redirects: int = 5,
    ) -> HttpReply:
        """One exchange, redirects followed. Raises `FetchError` for what isn't allowed, doesn't answer or is too much.

        A status such as 404 is an answer, not an error.
        """
        given = {name.lower(): value for name, value in (headers or {}).items()}
        asked = _Asked(method.upper(), url, {"user-agent": "handiwork", **given, "accept-encoding": UNPACKS}, body)
        try:
            async with asyncio.timeout(timeout_s):
                return await self._followed(asked, max_bytes, redirects)
        except TimeoutError:
            raise FetchError(f"{url} took longer than {timeout_s:g} s", "give it more time, or try later") from None
        except httpx.InvalidURL as error:
            raise FetchError(f"{url!r} isn't an address: {error}", "give a whole http:// or https:// address") from None
        except httpx.RequestError as error:
            raise FetchError(f"{url} can't be fetched: {error or type(error).__name__}") from error

    async def aclose(self) -> None:
        """Closes the connections that the running loop keeps."""
        transport = self._transports.pop(asyncio.get_running_loop(), None)
        if transport is not None:
            await transport.aclose()

    async def _followed(self, asked: _Asked, most: int, redirects: int) -> HttpReply:
        for _ in range(redirects + 1):
            reply = await self._exchange(asked, most)
            target = reply.headers.get("location", "") if reply.status in _REDIRECTS else ""
            if not target or not redirects:
                return reply
            asked = _redirected(asked, reply.status, target)
        raise FetchError(f"{asked.url}: more than {redirects} redirects", "fetch the address that it should lead to")

    async def _exchange(self, asked: _Asked, most: int) -> HttpReply:
        request = httpx.Request(
            asked.method,
            asked.url,
            headers=asked.headers,
            content=asked.body,
            extensions={"timeout": _PATIENCE},
        )
        response = await self._transport().handle_async_request(request)
        try:
            return await _reply(asked, response, most)
        finally:
            await response.aclose()

    def _transport(self) -> GuardedTransport:
        loop = asyncio.get_running_loop()
        if loop not in self._transports:
            self._transports[loop] = GuardedTransport(self._doorkeeper, self._resolve)
        return self._transports[loop]


async def _reply(asked: _Asked, response: httpx.Response, most: int) -> HttpReply:
    headers = {name.lower(): value for name, value in response.headers.items()}
    if asked.method == "HEAD":
        return HttpReply(response.status_code, headers, b"", asked.url)
    announced = headers.get("content-length", "")
    if announced.isdigit() and int(announced) > most:
        raise too_much(most)
    body = await read_body(response.stream, headers.pop("content-encoding", ""), most)  # type: ignore[arg-type]
    return HttpReply(response.status_code, headers, body, asked.url)


def _redirected(asked: _Asked, status: int, target: str) -> _Asked:
    """The request that a redirect asks for. Raises `FetchError` where following would give something away."""
    url = httpx.URL(urljoin(asked.url, target))
    old = httpx.URL(asked.url)
    if old.scheme == "https" and url.scheme == "http":
        raise FetchError(f"{asked.url} leads from https to {url}", "fetch that yourself, if it may be read by others")
    asked = replace(asked, url=str(url))
    if status == 303 or (status in (301, 302) and asked.method == "POST"):
        method = "HEAD" if asked.method == "HEAD" else "GET"
        asked = replace(asked, method=method, body=None, headers=_without(asked.headers, _OF_BODIES))
    if _origin(url) == _origin(old):
        return asked
    if asked.body is not None:
        raise FetchError(f"a redirect would send the body to another origin, {url.host}", "send it there yourself")
    return replace(asked, headers={name: value for name, value in asked.headers.items() if name in _FOR_STRANGERS})


def _without(headers: Mapping[str, str], names: frozenset[str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name not in names}


def _origin(url: httpx.URL) -> tuple[str, str, int]:
    return url.scheme, url.host, url.port or (443 if url.scheme == "https" else 80)
