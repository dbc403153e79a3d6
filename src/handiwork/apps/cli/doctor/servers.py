"""The MCP servers as they were last: nothing is started for this look."""

from __future__ import annotations

from collections.abc import Iterator

from ...house import House
from .finding import Finding

GROUP = "MCP servers"
_FINE = ("connected", "idle", "disabled")


def look(house: House) -> Iterator[Finding]:
    """Each server that is configured, in its last state; those that wait for trust are told beside what else does."""
    host = house.servers.host
    if host is None:
        return
    for name in host.servers:
        last = host.last_state(name)
        if last.name != "held":
            said = f"{last.name}{f': {last.reason}' if last.reason else ''}"
            fix = "" if last.name in _FINE else last.fix or f"handiwork mcp test {name}"
            yield Finding(GROUP, name, "warning" if fix else "ok", said, fix)
