"""`handiwork mcp login` and `logout`: a person's login to a server that is a web service."""

from __future__ import annotations

import os
from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING

from ...catalog.store import ToolRegistry
from ...core.errors import HandiworkError, UsageError
from ...core.loading import Late
from ..house import House
from .asking import is_attended, read_line
from .output import Output, printable
from .parsing import Parser

if TYPE_CHECKING:
    from ...sources.mcp.host import Host
    from ...sources.mcp.settings import ServerSettings

looking = Late("handiwork.apps.cli.mcp")
hosts = Late("handiwork.sources.mcp.host")
logins = Late("handiwork.sources.mcp.auth.keeping")
browsers = Late("handiwork.apps.browser_login")
# So long a person may take; the loop of the servers gives nobody more.
_LOGIN_S = 290.0


def configure_login(parser: Parser) -> None:
    """Flags of `login`."""
    parser.add_argument("name")
    parser.add_argument("--no-browser", action="store_true", help="only show the address; paste what it leads to")


def log_in(house: House, said: Namespace, out: Output) -> int:
    """Connect to a server as somebody who can log in, and keep the login."""
    settings = _web_service(house, said.name)
    if not is_attended() and not said.no_browser:
        raise UsageError("nobody is here to log in", "log in at a terminal, or with --no-browser")
    person = browsers.BrowserLogin(lambda line: out.note(printable(line)), _ask, pastes=said.no_browser)
    host: Host = hosts.Host(
        ToolRegistry(), [replace(settings, connect_timeout=_LOGIN_S, held="")], home=house.home, person=person
    )
    try:
        host.check([said.name], _LOGIN_S)
        state, tools = host.state(said.name), len(host.offering.shelf(said.name).offered)
    finally:
        host.close()
        person.close()
    if state.name not in ("connected", "degraded"):
        raise HandiworkError(f"{said.name} is {state.name}: {state.reason}", state.fix)
    out.show({"server": said.name, "state": state.name, "tools": tools}, [f"{said.name}: logged in, {tools} tools"])
    return 0


def log_out(house: House, said: Namespace, out: Output) -> int:
    """Forget a server's login."""
    settings = _web_service(house, said.name)
    file = logins.LoginFile(logins.folder_of(house.home), settings.url)
    was_in = file.forget()
    out.show({"server": said.name, "was_logged_in": was_in}, [f"{said.name}: logged out"])
    return 0


def _web_service(house: House, name: str) -> ServerSettings:
    host = looking.host_of(house)
    settings: ServerSettings = host.servers[looking.known_server(host, name)]
    if settings.kind == "stdio":
        raise UsageError(f"{name} is a program on this machine", "what it needs goes into `env`")
    if settings.held:
        raise UsageError(settings.held, "handiwork mcp trust")
    return settings.filled(os.environ)


def _ask(question: str) -> str:
    try:
        return read_line(question)
    except EOFError:
        return ""
