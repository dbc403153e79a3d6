"""What a model is told of servers between its turns: which went, why, and which came back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .states import USABLE, StateName

if TYPE_CHECKING:
    from .host import Host

_GONE: frozenset[StateName] = frozenset({"failed", "needs_reauth", "incompatible"})


class News:
    """Tells each change once. A server that just works is no news."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._gone: set[str] = set()

    def notices(self) -> list[str]:
        """What happened since this was last asked, a line each."""
        states = {name: self._host.state(name) for name in self._host.servers}
        gone = {name for name, state in states.items() if state.name in _GONE}
        lines = [
            f"the tools of the MCP server {name!r} are unavailable because it is {states[name].name}: "
            f"{states[name].reason}"
            for name in sorted(gone - self._gone)
        ]
        back = {name for name in self._gone - gone if states[name].name in USABLE}
        lines += [f"the tools of the MCP server {name!r} can be used again" for name in sorted(back)]
        lines += [
            f"the resource {uri} of the MCP server {name!r} has changed" for name, uri in self._host.take_updates()
        ]
        self._gone = (self._gone | gone) - back
        return lines

    def end_turn(self) -> None:
        """Servers live longer than turns."""
