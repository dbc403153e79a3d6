"""The tools of all servers, as they stand in the registry: offered, held, or refused, each with its reason."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from ...catalog.gate import Closed
from ...catalog.store import ToolRegistry
from ...core.errors import near_names
from ...core.types import Handler
from .definitions import Definition, Refused
from .knowledge import Knowledge, Known
from .names import tool_name
from .pins import Pins
from .registering import is_wanted, register
from .settings import ServerSettings
from .states import State

_WORD = re.compile(r"[A-Za-z][\w-]{4,}")
_TO_AGREE = "handiwork mcp pin {0}"


@dataclass(frozen=True, slots=True)
class Shelf:
    """The tools of one server, by their names here.

    `held` are those that changed since a person agreed, `excluded` those that the configuration leaves out.
    """

    offered: Mapping[str, Definition] = field(default_factory=dict)
    held: Mapping[str, Definition] = field(default_factory=dict)
    excluded: Mapping[str, Definition] = field(default_factory=dict)
    refused: tuple[Refused, ...] = ()
    notes: tuple[str, ...] = ()

    def all_tools(self) -> tuple[Definition, ...]:
        """Those that can be used once a person agrees to what is held."""
        return (*self.offered.values(), *self.held.values())


EMPTY = Shelf()


class Offering:
    """Puts what servers list into the registry. *make_handler* gives what runs a tool."""

    def __init__(
        self,
        registry: ToolRegistry,
        *,
        pins: Pins,
        knowledge: Knowledge,
        make_handler: Callable[[ServerSettings, Definition], Handler],
    ) -> None:
        self.pins, self.knowledge = pins, knowledge
        self._registry, self._make_handler = registry, make_handler
        self._shelves: dict[str, Shelf] = {}
        self._lock = threading.Lock()

    def shelf(self, server: str) -> Shelf:
        """The tools of a server, as far as they are known."""
        return self._shelves.get(server, EMPTY)

    def recall(self, settings: ServerSettings) -> Known | None:
        """Offer what is remembered of a server that wasn't asked yet."""
        known = self.knowledge.recall(settings.name, settings.identity)
        if known is not None and settings.enabled and not settings.held:
            held = frozenset(definition.tool for definition in known.held)
            self._put(settings, (*known.tools, *known.held), known.refused, held=held)
        return known

    def apply(self, settings: ServerSettings, tools: Iterable[Definition], refused: Iterable[Refused]) -> str:
        """Offer what a server lists now; what is amiss with it, in words."""
        with self._lock:
            listed = tuple(tools)
            changes = self.pins.compare(settings.identity, _theirs(listed))
            held = frozenset(changes.changed)
            notes = [f"{new!r} is new and the same as {old!r}, which is gone" for new, old in changes.renamed.items()]
            self._put(settings, listed, tuple(refused), held=held, notes=tuple(notes))
            return _amiss(settings.name, self._shelves[settings.name], changes.damaged)

    def agree(self, settings: ServerSettings) -> Shelf:
        """Take a server's tools as they are now; its shelf with nothing held."""
        with self._lock:
            shelf = self._shelves[settings.name]
            self.pins.agree(settings.identity, _theirs(shelf.all_tools()))
            self._put(settings, shelf.all_tools(), shelf.refused)
            return self._shelves[settings.name]

    def remember(self, settings: ServerSettings, state: State, *, speaks: str, about: str) -> None:
        """Keep what is known of a server for the next start."""
        shelf = self.shelf(settings.name)
        offered, held = (*shelf.offered.values(), *shelf.excluded.values()), tuple(shelf.held.values())
        known = Known(settings.identity, state, offered, held, shelf.refused, speaks, about)
        self.knowledge.keep(settings.name, known)

    def remember_failure(self, settings: ServerSettings, state: State) -> None:
        """Keep that a server failed, beside what is known of its tools: whoever asks later starts none."""
        known = self.knowledge.recall(settings.name, settings.identity) or Known(settings.identity, state)
        self.knowledge.keep(settings.name, replace(known, state=state))

    def renamed(self, server: str, tool: str) -> str:
        """What a tool that a server calls *tool* is called here; "" where it has none."""
        return next((name for name, d in self.shelf(server).offered.items() if d.tool == tool), "")

    def reason(self, server: str, name: str) -> Closed | None:
        """Why a tool that a server has isn't offered."""
        shelf = self.shelf(server)
        if name in shelf.held:
            said = f"the MCP server {server!r} has changed what it says of {shelf.held[name].tool!r}"
            return Closed(f"{said}; it is held until you agree", _TO_AGREE.format(server), "trusted")
        if name in shelf.excluded:
            said = f"`tools` of the MCP server {server!r} in the configuration leaves {shelf.excluded[name].tool!r} out"
            return Closed(said, f"correct include or exclude in mcp_servers.{server}.tools in config.yaml", "trusted")
        for refused in shelf.refused:
            if tool_name(server, refused.tool) == name:
                said = f"the MCP server {server!r} offers it, but {refused.reason}"
                return Closed(said, "tell whoever maintains the server", "registered")
        return None

    def near(self, server: str, name: str) -> list[str]:
        """The server's tools that *name* was perhaps meant to be."""
        front = len(tool_name(server, "x")) - 1  # it is the same for all of them, so it says nothing
        by_end = {offered[front:]: offered for offered in self.shelf(server).offered}
        return [by_end[end] for end in near_names(name[front:], by_end)]

    def _put(
        self,
        settings: ServerSettings,
        tools: tuple[Definition, ...],
        refused: tuple[Refused, ...],
        *,
        held: frozenset[str] = frozenset(),
        notes: tuple[str, ...] = (),
    ) -> None:
        wanted = {d.name: d for d in tools if is_wanted(settings, d.tool)}
        shelf = Shelf(
            offered={name: d for name, d in wanted.items() if d.tool not in held},
            held={name: d for name, d in wanted.items() if d.tool in held},
            excluded={d.name: d for d in tools if d.name not in wanted},
            refused=refused,
            notes=(*notes, *self._shadows(settings.name, _theirs(tools))),
        )
        no = register(self._registry, settings, shelf.offered, lambda d: self._make_handler(settings, d))
        self._shelves[settings.name] = replace(
            shelf,
            offered={name: d for name, d in shelf.offered.items() if name not in no},
            refused=(*refused, *(Refused(shelf.offered[name].tool, why) for name, why in no.items())),
        )

    def _shadows(self, server: str, tools: list[Definition]) -> list[str]:
        """Where a server speaks of another one's tools, or has one of the same name."""
        others = {d.tool: o for o, shelf in self._shelves.items() if o != server for d in _theirs(shelf.all_tools())}
        notes = [f"{d.tool!r} is also a tool of {others[d.tool]!r}; both stay apart" for d in tools if d.tool in others]
        for d in tools:
            named = {w for w in _WORD.findall(d.description) if w in others and ("_" in w or "-" in w)}
            notes += [f"{d.tool!r} speaks of {word!r}, a tool of {others[word]!r}" for word in sorted(named)]
        return notes


def _theirs(tools: Iterable[Definition]) -> list[Definition]:
    """What a server says itself; our own words about its resources need nobody's agreement."""
    return [definition for definition in tools if not definition.is_verb]


def _amiss(server: str, shelf: Shelf, damaged: str) -> str:
    said = [f"{damaged}; all its tools are held ({_TO_AGREE.format(server)})"] if damaged else []
    if shelf.held and not damaged:
        tools = ", ".join(repr(d.tool) for d in shelf.held.values())
        said.append(f"changed since you agreed, and held: {tools} ({_TO_AGREE.format(server)})")
    if shelf.refused:
        said.append("can't be used: " + "; ".join(f"{r.tool!r}: {r.reason}" for r in shelf.refused[:3]))
    return "; ".join(said)
