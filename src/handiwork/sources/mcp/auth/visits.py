"""Where a login may lead: to the server itself, and to places that the person agreed to.

A server names the places that its login is made at. Fetched unseen, that would let it have us ask anything
that can be reached from this machine.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from ....guard.urls import as_address, read_host
from ..asking.links import is_loopback
from .faults import UnapprovedError
from .person import Person

_PORTS = {"https": 443, "http": 80}


class Visits:
    """The places of one server's logins. `approved` are the origins beside its own, and grows."""

    def __init__(self, server: str, url: str, approved: list[str], person: Person | None) -> None:
        self._server, self._own, self._person = server, url, person
        self.approved = approved
        self._refused: set[str] = set()  # who said no isn't asked again

    async def check(self, url: str) -> None:
        """Raises `UnapprovedError` for a place that a login must not lead to."""
        if problem := _barred(url, self._own):
            raise UnapprovedError(self._server, f"its login leads to {url}: {problem}")
        origin = origin_of(url)
        if _is_own(url, self._own) or origin in self.approved:
            return
        if self._person is None or origin in self._refused or not await self._person.approves(origin):
            self._refused.add(origin)
            raise UnapprovedError(self._server, f"its login is made at {origin}, and nobody has agreed to that")
        self.approved.append(origin)


def origin_of(url: str) -> str:
    """Scheme, host and port."""
    parts = urlsplit(url)
    port = parts.port or _PORTS.get(parts.scheme, 0)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{parts.scheme}://{host}" + ("" if port == _PORTS.get(parts.scheme) else f":{port}")


def _barred(url: str, own: str) -> str:
    """What no yes of a person makes good."""
    host, problem = read_host(urlsplit(url).hostname or "")
    address = as_address(host)
    if problem or not host:
        return problem or "it has no host"
    if address is not None and (address.is_link_local or address.is_unspecified or address.is_multicast):
        return f"{host} is no place of a login"
    if is_loopback(host) and not is_loopback(urlsplit(own).hostname or ""):
        return "it is this machine, and the server isn't"
    if urlsplit(url).scheme != "https" and not is_loopback(host):
        return "it isn't https"
    return ""


def _is_own(url: str, own: str) -> bool:
    """The same host; with a bare address or on this machine, the same port, too."""
    there, here = urlsplit(url), urlsplit(own)
    if there.hostname != here.hostname:
        return False
    shared = is_loopback(here.hostname or "") or as_address(here.hostname or "") is not None
    return not shared or there.port == here.port
