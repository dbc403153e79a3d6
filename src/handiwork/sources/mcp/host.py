"""All servers of a house: what is known of them without asking, and the way to those that are asked."""

from __future__ import annotations

import importlib.util
import os
import threading
import time
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from ...catalog.gate import Closed
from ...catalog.store import ToolRegistry
from ...core.loading import Late
from . import names
from .calling import make_handler
from .knowledge import Knowledge, Known
from .logbook import Logbook
from .offering import Offering
from .pins import Pins
from .registering import announce
from .settings import CONNECT_TIMEOUT_S, ServerSettings
from .states import USABLE, State

if TYPE_CHECKING:
    from .auth.person import Person
    from .supervisor import Supervisor

bridge = Late("handiwork.sources.mcp.loop")
supervisors = Late("handiwork.sources.mcp.supervisor")
children = Late("handiwork.backends.environment.children.child")
ways = Late("handiwork.sources.mcp.auth.ways")
eras = Late("handiwork.sources.mcp.eras")
asyncio = Late("asyncio")
EXTRA = "pip install 'handiwork[mcp]'"
_CLOSE_S = 4.0
SETTLE_S = 2.0


class Host:
    """The servers that are configured. Nothing is started or imported for them before `begin` or a call.

    *home* is the folder of their logs and of what is remembered of them; "" keeps nothing. *person* is whoever
    logs in to servers, None where nobody is there.
    """

    def __init__(
        self,
        registry: ToolRegistry,
        servers: Iterable[ServerSettings],
        *,
        home: str = "",
        person: Person | None = None,
    ) -> None:
        self.home, self._person = home, person
        self.servers = {server.name: server for server in servers}
        self.problem = "" if importlib.util.find_spec("mcp") else "the MCP client isn't installed"
        self.offering = Offering(
            registry,
            pins=Pins(self._file("pins.json")),
            knowledge=Knowledge(self._file("known")),
            make_handler=partial(make_handler, self.supervisor),
        )
        for name in self.servers:
            announce(registry, name)
        self._lock = threading.Lock()
        self._supervisors: dict[str, Supervisor] = {}
        self._nursery: Any = None
        self._eras: Any = None
        self._begun = False
        self.known: dict[str, Known] = {}
        if not self.problem:
            self.known = {n: known for n, s in self.servers.items() if (known := self.offering.recall(s))}

    def _file(self, name: str) -> str:
        return os.path.join(self.home, "mcp", name) if self.home else ""

    # --------------------------------------------------------------------------------------- living

    def begin(self) -> None:
        """Connect to all servers that may be started, in the background: this returns at once."""
        chosen = [name for name in self.servers if self._may_start(name)]
        if chosen and not self._begun:
            self._begun = True
            threading.Thread(target=self._begin, args=(chosen,), name="handiwork-mcp-start", daemon=True).start()

    def _begin(self, chosen: list[str]) -> None:
        begun = [self.supervisor(name) for name in chosen]  # here: what that loads would hold up the loop
        bridge.mcp_bridge.run(_begin_all(begun))

    def _may_start(self, name: str) -> bool:
        settings = self.servers[name]
        return not self.problem and settings.enabled and not settings.held

    def supervisor(self, name: str) -> Supervisor:
        """Whoever looks after a server, made when it is first needed: the first one loads much."""
        with self._lock:
            if name not in self._supervisors:
                self._supervisors[name] = self._new_supervisor(self.servers[name])
            return self._supervisors[name]

    def _new_supervisor(self, settings: ServerSettings) -> Supervisor:
        if self._nursery is None:
            self._nursery, self._eras = children.Nursery(), eras.Eras(self._file("eras.json"))
        made: Supervisor = supervisors.Supervisor(
            settings,
            nursery=self._nursery,
            log=Logbook(self.log_path(settings.name)),
            eras=self._eras,
            log_in=lambda filled: ways.login_of(filled, self.home, self._person),
            variables=os.environ,
            offering=self.offering,
        )
        return made

    def log_path(self, name: str) -> str:
        """The file of what a server writes on standard error."""
        return self._file(os.path.join("logs", f"{names.server_part(name)}.log"))

    def close(self) -> None:
        """Close all connections and end all programs."""
        with self._lock:
            running = list(self._supervisors.values())
        if running:
            bridge.mcp_bridge.run(_end_all(running), timeout_s=_CLOSE_S)
        if self._nursery is not None:
            self._nursery.close()

    # -------------------------------------------------------------------------------------- knowing

    def state(self, name: str) -> State:
        """The state of a server now; `idle` for one that nobody asked anything yet."""
        settings = self.servers[name]
        if not settings.enabled:
            fix = f"take `enabled: false` out of mcp_servers.{name} in {settings.source}"
            return State("disabled", "switched off in the configuration", fix=fix)
        if settings.held:
            return State("held", settings.held, fix="handiwork mcp trust")
        if self.problem:
            return State("failed", self.problem, fix=EXTRA)
        running = self._supervisors.get(name)
        return running.state if running else State("idle", "not asked for yet")

    def server_of(self, name: str) -> str:
        """The server that a tool of that name would belong to, "" for none."""
        return next((n for n in self.servers if name.startswith(f"mcp__{names.server_part(n)}__")), "")

    def missed(self, name: str) -> Closed | None:
        """Why a tool of that name isn't there, where it would be one of a server here."""
        server = self.server_of(name)
        if not server:
            return self._renamed(name)
        return self.offering.reason(server, name) or self._missing(server, name)

    def _renamed(self, tool: str) -> Closed | None:
        """Where *tool* is what a server calls one of its tools: what it is called here."""
        found = {server: here for server in self.servers if (here := self.offering.renamed(server, tool))}
        if not found:
            return None
        said = " and ".join(f"{here} (of the MCP server {server!r})" for server, here in found.items())
        first = next(iter(found.values()))
        return Closed(f"a server calls a tool so; here it is {said}", f"handiwork why {first}", "found", first)

    def last_state(self, server: str) -> State:
        """The state now; that of the last time, where nobody has asked the server since."""
        state, known = self.state(server), self.known.get(server)
        return known.state if state.name == "idle" and known else state

    def _missing(self, server: str, name: str) -> Closed:
        state = self.last_state(server)
        if state.name in USABLE:
            near = self.offering.near(server, name)
            meant = f"did you mean {' or '.join(near)}?" if near else f"see `handiwork mcp tools {server}`"
            is_now = self.state(server).name in USABLE
            had = "has no such tool" if is_now else "had no such tool when it was last connected"
            return Closed(f"the MCP server {server!r} {had}", meant, "found")
        reason = f": {state.reason}" if state.reason else ""
        fix = state.fix or f"handiwork mcp test {server}"
        at = "trusted" if state.name in ("held", "disabled") else "loaded"
        return Closed(f"the MCP server {server!r} is {state.name}{reason}", fix, at)

    def take_updates(self) -> list[tuple[str, str]]:
        """Server and URI of each watched resource that changed since this was last asked."""
        taken: list[tuple[str, str]] = []
        for name, supervisor in self._supervisors.copy().items():
            while supervisor.updated:
                taken.append((name, supervisor.updated.popitem()[0]))
        return taken

    def await_tool(self, name: str, timeout_s: float = CONNECT_TIMEOUT_S) -> None:
        """Wait until it is known whether a server has the tool of that name."""
        self.check([server] if (server := self.server_of(name)) else [], timeout_s)

    def settle(self, timeout_s: float = SETTLE_S) -> None:
        """Wait, but not long, until what connected servers have said of their tools is in force."""
        due = [s for s in self._supervisors.copy().values() if s.is_changing()]
        if due:
            bridge.mcp_bridge.run(_settle_all(due, timeout_s), timeout_s=timeout_s + 1)

    def check(self, chosen: Iterable[str], timeout_s: float = CONNECT_TIMEOUT_S) -> None:
        """Connect to servers and wait until each is connected or has failed."""
        asked = [self.supervisor(name) for name in chosen if self._may_start(name)]
        if asked:
            bridge.mcp_bridge.run(_until_known(asked, timeout_s), timeout_s=timeout_s + 1)

    def agree(self, name: str) -> None:
        """Take the tools of a connected server as they are now."""
        bridge.mcp_bridge.run(self.supervisor(name).agree())


async def _begin_all(begun: list[Supervisor]) -> None:
    for supervisor in begun:
        supervisor.begin()


async def _until_known(asked: list[Supervisor], timeout_s: float) -> None:
    deadline = time.monotonic() + timeout_s
    await asyncio.gather(*(supervisor.usable(deadline) for supervisor in asked), return_exceptions=True)


async def _settle_all(due: list[Supervisor], timeout_s: float) -> None:
    await asyncio.wait([asyncio.ensure_future(s.settle()) for s in due], timeout=timeout_s)


async def _end_all(running: list[Supervisor]) -> None:
    await asyncio.gather(*(supervisor.end() for supervisor in running), return_exceptions=True)
