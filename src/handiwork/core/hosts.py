"""Which hosts a list allows, and which addresses may be behind a name."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from .errors import UsageError

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
_WEB = (80, 443)
_NAME = re.compile(r"(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_]([a-z0-9_-]{0,62}))*")
_ENTRY = re.compile(r"(?P<host>\[[^\]]+\]|[^:]+)(:(?P<port>\d{1,5}))?")
# Addresses that carry another one inside: the inner one decides.
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


@dataclass(frozen=True, slots=True)
class HostRule:
    """A name, the names under it (`*.`), or an address; with a port, else the two of the web."""

    host: str
    below: bool = False
    port: int | None = None

    def allows(self, host: str, port: int) -> bool:
        """Whether a connection to *host*, as `plain_host` gives it, is meant."""
        if port != self.port if self.port is not None else port not in _WEB:
            return False
        return host.endswith("." + self.host) if self.below else host == self.host


@dataclass(frozen=True, slots=True)
class AllowList:
    """The hosts that may be reached."""

    rules: tuple[HostRule, ...]

    def allows(self, host: str, port: int) -> bool:
        """Whether some rule allows the connection."""
        return any(rule.allows(host, port) for rule in self.rules)

    def names(self, host: str, port: int) -> bool:
        """Whether *host* itself is listed with this port, and not only what stands above it."""
        return any(rule.allows(host, port) and not rule.below for rule in self.rules)

    def takes_private(self, host: str) -> bool:
        """Whether *host* may be of this machine or net: only what was listed as such, by address or as localhost."""
        listed = any(rule.host == host and not rule.below for rule in self.rules)
        return listed and (host == "localhost" or address_of(host) is not None)


NOWHERE = AllowList(())


def allow_list(entries: Iterable[str], key: str = "sandbox.network") -> AllowList:
    """The list that *entries* write down: `pypi.org`, `*.pypi.org`, `10.0.0.5:5432`, `[::1]:80`.

    Raises `UsageError` naming the entry that can't be read and *key*, the setting that it stands in.
    """
    return AllowList(tuple(_rule(entry, key) for entry in entries))


def _rule(entry: str, key: str) -> HostRule:
    found = _ENTRY.fullmatch(entry.strip())
    below = bool(found) and entry.strip().startswith("*.")
    host = plain_host(found["host"].removeprefix("*.")) if found else ""
    port = int(found["port"]) if found and found["port"] else None
    if not host or (port is not None and not 0 < port < 65_536) or (below and address_of(host)):
        raise UsageError(f"{key}: {entry!r} is no host", "write such as pypi.org, *.pypi.org, or HOST:PORT")
    return HostRule(host, below, port)


def plain_host(host: str) -> str:
    """*host* in the one form that is compared; empty for what is neither a name nor an address."""
    host = host.strip("[]").lower().rstrip(".")
    if (address := address_of(host)) is not None:
        return str(address)
    return host if _NAME.fullmatch(host) and not host.rpartition(".")[2].isdigit() else ""


def address_of(host: str) -> Address | None:
    """The address that *host* spells, if it spells one."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def is_public(address: Address) -> bool:
    """Whether an address is on the internet: not of this machine, its networks, or a cloud's metadata."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo or (None,))[0]
        if inner is None and address in _NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
        if inner is not None:
            return is_public(inner)
    return address.is_global and not address.is_multicast
