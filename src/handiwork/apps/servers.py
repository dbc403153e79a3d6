"""The MCP servers of a house, if it has any: begun, waited for, and heard of by whoever uses tools."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..core.loading import Late
from ..core.types import Background
from ..guard.workspace import find_workspace

if TYPE_CHECKING:
    from ..sources.mcp.host import Host
    from .house import House

mcp_news = Late("handiwork.sources.mcp.news")
mcp_servers = Late("handiwork.apps.mcp_servers")
PROJECT_FILE = ".mcp.json"


def project_file() -> str:
    """The file of the project here that names servers, whether or not it is there."""
    return os.path.join(find_workspace(os.getcwd()), PROJECT_FILE)


class Servers:
    """Stands for the servers. Without any, all of this does nothing and loads nothing."""

    def __init__(self) -> None:
        self.host: Host | None = None

    def open(self, house: House) -> None:
        """Know the servers of *house*, of its configuration and of the project here; none is started."""
        if house.config.mcp_servers or os.path.exists(project_file()):
            self.host = mcp_servers.open_host(house)

    def begin(self) -> None:
        """Connect to them in the background: whoever will use their tools asks for it."""
        if self.host is not None:
            self.host.begin()

    def may_have(self, name: str) -> bool:
        """Whether *name* could be a tool of a server."""
        return self.host is not None and bool(self.host.server_of(name))

    def await_tool(self, name: str) -> None:
        """Where *name* could be a tool of a server, wait until that is known."""
        if self.host is not None:
            self.host.await_tool(name)

    def settle(self) -> None:
        """Wait a moment for what servers have just said of their tools."""
        if self.host is not None:
            self.host.settle()

    def news(self) -> tuple[Background, ...]:
        """What goes on with them, for one agent."""
        return () if self.host is None else (mcp_news.News(self.host),)

    def close(self) -> None:
        """End them."""
        if self.host is not None:
            self.host.close()
