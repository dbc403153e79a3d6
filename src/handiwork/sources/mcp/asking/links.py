"""A page that a server wants the person to open: looked at, never fetched."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from ....guard.urls import as_address, read_host

_ODD = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class Link:
    """A URL as a person must see it: whole, with the domain that it leads to, and what is odd about it."""

    url: str
    domain: str
    warnings: tuple[str, ...] = ()

    def words(self) -> str:
        """What the person decides on."""
        warned = "".join(f"; careful: {warning}" for warning in self.warnings)
        return f"a page of {self.domain}: {self.url}{warned}"


def read_link(url: str) -> Link:
    """The link, fit to be shown. Raises `ValueError` with why it may not even be shown as one."""
    if _ODD.search(url):
        raise ValueError("the URL holds invisible characters")
    try:
        parts = urlsplit(url)
        host, problem = read_host(parts.hostname or "")
    except ValueError as error:
        raise ValueError(f"the URL can't be read: {error}") from None
    if not host or problem:
        raise ValueError(problem or "the URL has no host")
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(host)):
        raise ValueError(f"only https is opened, not {parts.scheme or 'nothing'}")
    if "@" in parts.netloc:
        raise ValueError(f"the URL hides its host behind a name ({parts.netloc})")
    return Link(url, host, tuple(_oddities(parts.hostname or "", host)))


def is_loopback(host: str) -> bool:
    """Whether a host is this machine."""
    return host in _LOOPBACK


def _oddities(written: str, host: str) -> list[str]:
    found = []
    if "xn--" in host or not written.isascii():
        found.append(f"its name is written in foreign letters ({_decoded(host)}) and may only look like another one")
    if as_address(host) is not None and not is_loopback(host):
        found.append("it is a bare address")
    return found


def _decoded(host: str) -> str:
    try:
        return host.encode("ascii").decode("idna")
    except UnicodeError:
        return host
