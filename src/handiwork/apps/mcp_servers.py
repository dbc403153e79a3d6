"""The servers of a house: those of the configuration, and those of a project, once the person agrees."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from ..backends.trust.agreed import AgreedFiles, digest_of
from ..core.errors import UsageError
from ..core.loading import Late
from ..sources.mcp.host import Host
from ..sources.mcp.permissions import ASKING
from ..sources.mcp.settings import ServerSettings, read_servers
from .servers import project_file

if TYPE_CHECKING:
    from .house import House

mcp_files = Late("handiwork.apps.mcp_files")
logging = Late("logging")


def open_host(house: House) -> Host:
    """The host of all servers that this house knows; none of them is started."""
    own = read_servers(house.config.mcp_servers, os.path.join(house.home, "config.yaml"))
    named = {server.name for server in own}
    host = Host(house.registry, (*own, *(s for s in of_project(house.home) if s.name not in named)), home=house.home)
    house.registry.whereabouts.append(host.missed)
    return host


def trusted_files(home: str) -> AgreedFiles:
    """The files of servers that the person agreed to."""
    return AgreedFiles(os.path.join(home, "mcp", "trusted.json"))


def of_project(home: str) -> tuple[ServerSettings, ...]:
    """The servers that the project names: held, unless the person has agreed to the file as it is now."""
    path = project_file()
    if not os.path.isfile(path):
        return ()
    try:
        with open(path, "rb") as file:
            data = file.read()
        found = mcp_files.read_data(path, data, os.path.dirname(path))  # what is agreed to, not what comes after it
    except (OSError, UsageError) as error:  # a project's fault must not keep the person's own tools away
        logging.getLogger(__name__).warning("%s", error)
        return ()
    servers = read_servers(found.servers, path)
    trusted = trusted_files(home)
    held = "" if trusted.holds(path, digest_of(data)) else _why_held(path, changed=trusted.knows(path))
    return tuple(_as_theirs(s, held, os.path.dirname(path)) for s in servers)


def _as_theirs(server: ServerSettings, held: str, folder: str) -> ServerSettings:
    """What only the person can say of a server, a project's file doesn't say."""
    auth = {k: v for k, v in server.auth.items() if k != "origins"} if isinstance(server.auth, dict) else server.auth
    return replace(server, held=held, cwd=server.cwd or folder, auth=auth, trust=False, may=ASKING)


def _why_held(path: str, *, changed: bool) -> str:
    if changed:
        return f"{path} has changed since you agreed to it"
    return f"{path} comes with the project, and you haven't agreed to it"
