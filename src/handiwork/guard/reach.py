"""How far fetching reaches: the web, and what of this machine and its network the person listed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address

from handiwork.core.hosts import NOWHERE, AllowList, allow_list

from .urls import barred_address, judge_url, read_host
from .verdict import UrlVerdict


@dataclass(frozen=True, slots=True)
class Reach:
    """What may be fetched (core.types `Doorkeeper`). A name that was listed may lead inside, a pattern doesn't."""

    listed: AllowList = NOWHERE

    def judge(self, url: str, /) -> UrlVerdict:
        """The verdict on *url*, by its text."""
        return judge_url(url, listed=self.listed)

    def why_not(self, url: str, /) -> str:
        """Why *url* may not be fetched, by its text; empty where it may."""
        return "; ".join(self.judge(url).reasons)

    def why_not_address(self, host: str, port: int, address: str, /) -> str:
        """Why *address*, which *host* leads to, may not be connected to; empty where it may."""
        why = barred_address(address)
        plain, _ = read_host(host)
        if why and self.listed.names(plain, port):
            # A name that was listed may move within the network; the clouds' metadata are link-local.
            return why if ip_address(address).is_link_local and plain != address else ""
        return why


def reach(entries: Iterable[str] = ()) -> Reach:
    """The reach with `http.allow` of the configuration. Raises `UsageError` for an entry that can't be read."""
    return Reach(allow_list(entries, "http.allow"))
