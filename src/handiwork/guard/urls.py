"""Whether a URL may be fetched: the web, and never this machine, its network or a cloud's metadata."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import TypeAlias
from urllib.parse import unquote, urlsplit

from handiwork.core.hosts import NOWHERE, AllowList

from .places import names
from .verdict import UrlVerdict

Resolver: TypeAlias = Callable[[str], Iterable[str]]

_CONTROL = re.compile(r"[\x00-\x20\x7f\\<>\"^`{|}]")
_BARE = re.compile(r"(?:[A-Za-z0-9-]+\.)+[A-Za-z0-9-]+(?::\d+)?(?:[/?#]|\Z)")
_SHAPE = re.compile(r"https?://[^/?#]", re.IGNORECASE)
_HOST = re.compile(r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*")
_NUMBER = re.compile(r"0x[0-9a-f]*|\d+")
_EMBEDDED = re.compile(r"(?<![0-9])(\d{1,3})[.-](\d{1,3})[.-](\d{1,3})[.-](\d{1,3})(?![0-9])")
_DNS_OF_ADDRESSES = (
    "nip.io",
    "sslip.io",
    "xip.io",
    "traefik.me",
    "localtest.me",
    "lvh.me",
    "vcap.me",
    "lacolhost.com",
)
_INNER_NAMES = names(
    "localhost localdomain internal local intranet lan home corp private svc cluster.local home.arpa"
    " in-addr.arpa ip6.arpa localhost6 ip6-localhost ip6-loopback test invalid onion broadcasthost"
    " kubernetes"
)
_INNER_HOSTS = names("metadata instance-data host.docker.internal gateway.docker.internal kubernetes.default")
_BARRED_NETS = tuple(
    map(
        ip_network,
        names(
            "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24"
            " 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24"
            " 224.0.0.0/3 168.63.129.16/32 ::/8 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32"
            " 2002::/16 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8"
        ),
    )
)
_BARRED_PORTS = frozenset(
    map(
        int,
        names(
            "0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113"
            " 115 117 119 123 135 137 139 143 161 179 389 427 445 465 512 513 514 515 526 530 531 532 540 548"
            " 554 556 563 587 601 636 989 990 993 995 1719 1720 1723 2049 2375 2376 2379 3306 3389 3659 4045"
            " 5060 5061 5432 6000 6379 6566 6697 9200 10080 11211 27017"
        ),
    )
)


def judge_url(url: str, resolve: Resolver | None = None, *, listed: AllowList = NOWHERE) -> UrlVerdict:
    """Say whether *url* may be fetched; anything doubtful is forbidden.

    *resolve* gives the addresses of a host name, and every one of them is judged. Without it only the
    text is; whoever connects must judge the address that is connected to with `barred_address`. Hosts that
    the person *listed* may be on this machine or its network.
    """
    if _BARE.match(url):  # as people write it, and as browsers and many tools read it
        url = f"https://{url}"
    if _CONTROL.search(url) or not _SHAPE.match(url):
        return UrlVerdict("forbid", ["only plain http:// and https:// addresses may be fetched"])
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        return UrlVerdict("forbid", [f"the address can't be read: {error}"])
    if "@" in parts.netloc:
        return UrlVerdict("forbid", ["the address holds a user name or password"])
    host, why = read_host(parts.hostname or "")
    if not why and listed.names(host, port or (443 if parts.scheme.lower() == "https" else 80)):
        return UrlVerdict("allow", [], host)
    if port in _BARRED_PORTS:
        return UrlVerdict("forbid", [f"port {port} isn't a port of web servers"])
    why = why or _why_inner(host) or (_why_resolved(host, resolve) if resolve else "")
    return UrlVerdict("forbid" if why else "allow", [why] if why else [], host)


def read_host(written: str) -> tuple[str, str]:
    """The host in plain lower-case ASCII, and why it can't be read (empty if it can)."""
    if ":" in written:
        return written.lower(), ""
    folded = unicodedata.normalize("NFKC", unquote(written)).lower()
    folded = re.sub("[\u3002\uff0e\uff61]", ".", folded).removesuffix(".")
    if any(unicodedata.category(c) in ("Cf", "Cc", "Zs", "Co", "Cn") for c in folded):
        return folded, "the host holds invisible characters"
    try:
        host = folded if folded.isascii() else folded.encode("idna").decode("ascii")
    except UnicodeError:
        return folded, "the host isn't a valid name"
    return host, "" if _HOST.fullmatch(host) and len(host) <= 253 else "the host isn't a valid name"


def _why_inner(host: str) -> str:
    """Why the host is inside (this machine, its network, a cloud's metadata), by its text alone."""
    if (address := as_address(host)) is not None:
        return barred_address(address)
    if _NUMBER.fullmatch(host.rpartition(".")[2]):
        return "the host is a number, but no address"
    if "." not in host or host in _INNER_HOSTS or any(host.endswith("." + n) for n in _INNER_NAMES):
        return f"{host} is a name of the inner network"
    if host.endswith(_DNS_OF_ADDRESSES):
        return f"{host} is a name that stands for an address"
    return _why_embedded(host)


def _why_embedded(host: str) -> str:
    """Names such as `10-0-0-1.example` that some name servers turn into the address in them."""
    for match in _EMBEDDED.finditer(host):
        address = as_address(".".join(match.groups()))
        if address is not None and barred_address(address):
            return f"{host} holds the address {address}"
    return ""


def as_address(host: str) -> IPv4Address | IPv6Address | None:
    """The address that a host is, in any spelling that clients accept (short, octal, hex, decimal)."""
    if ":" in host:
        try:
            return ip_address(host.partition("%")[0])
        except ValueError:
            return IPv4Address(0)
    pieces = host.split(".")
    if len(pieces) > 4 or not all(_NUMBER.fullmatch(p) for p in pieces):
        return None
    return _from_numbers([_number(p) for p in pieces])


def _number(text: str) -> int:
    if text.startswith("0x"):
        return int(text[2:] or "0", 16)
    octal = len(text) > 1 and text[0] == "0" and not set(text) & {"8", "9"}
    return int(text, 8 if octal else 10)


def _from_numbers(numbers: list[int]) -> IPv4Address:
    """Numbers that overflow count as the address 0.0.0.0, which is barred."""
    *front, last = numbers
    if any(n > 255 for n in front) or last >= 256 ** (5 - len(numbers)):
        return IPv4Address(0)
    value = last
    for place, number in enumerate(front):
        value += number << (8 * (3 - place))
    return IPv4Address(value)


def barred_address(address: IPv4Address | IPv6Address | str) -> str:
    """Why nothing may connect to this address; empty where it is a public one."""
    try:
        known = ip_address(address)
    except ValueError:
        return f"{address} isn't an address"
    if not known.is_global or any(known in net for net in _BARRED_NETS):
        return f"{known} is this machine, its network or a reserved address"
    return ""


def _why_resolved(host: str, resolve: Resolver) -> str:
    addresses = [str(as_address(host))] if as_address(host) is not None else list(resolve(host))
    if not addresses:
        return f"{host} has no address"
    return next((f"{host} leads to {a}: {why}" for a in addresses if (why := barred_address(a))), "")
