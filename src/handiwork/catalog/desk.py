"""The desk where deferred tools are found, looked at and called: what stands behind the tool search."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from ..core.errors import UnknownNameError
from ..core.finding import TOOL_SEARCH
from ..core.loading import Late
from ..core.types import Args, Handler, Schema, Scope
from ..core.wire import copy_json
from .supply import Supply, View

if TYPE_CHECKING:
    from .search import Finder

search = Late("handiwork.catalog.search")
_MOST_CHARS = 240
_HOW_TO_CALL = "tool_describe shows a tool's arguments, tool_call runs it."
_NOW_SHOWN = "From now on these are among your tools: call them by their names."
_NOTHING = "Nothing fits. Say in other words what the tool should do."


class Desk:
    """The handlers of the three tools for one selection, and what they have found.

    With *keeps*, what is found joins the definitions, and what was ever shown stays among them. While *loads*
    says that the model's provider loads what is found by itself, nothing joins: all that waits goes out as
    `waiting`, found or not. *finder* gives what searches, which several desks may share.
    """

    def __init__(
        self,
        supply: Supply,
        enabled: Iterable[str] | None = None,
        disabled: Iterable[str] | None = None,
        *,
        keeps: bool = False,
        loads: Callable[[], bool] = bool,
        finder: Callable[[], Finder] | None = None,
    ) -> None:
        self._supply, self._enabled, self._disabled, self._keeps = supply, enabled, disabled, keeps
        self._loads, self._finder = loads, finder or cache(lambda: search.Finder(supply.registry))
        self._shown: dict[str, None] = {}  # in the order in which they came
        self._found: dict[str, None] = {}

    def handlers(self) -> Mapping[str, Handler]:
        """The handlers to bind, by the names of their tools."""
        handlers: dict[str, Any] = {TOOL_SEARCH: self.search, "tool_describe": self.describe, "tool_call": self.call}
        return handlers

    def open(self, names: Iterable[str]) -> None:
        """Show *names* from now on, deferred or not."""
        self._shown.update(dict.fromkeys(names))

    def remember(self, names: Iterable[str]) -> None:
        """Take *names*, in their order, for found: an earlier process of this session found them."""
        self._found.update(dict.fromkeys(names))

    def definitions(self) -> list[Schema]:
        """The definitions of the moment: those shown, then the deferred ones that were shown or found before, in
        the order in which they were.
        """
        view = self._view()
        self.open(d["function"]["name"] for d in view.definitions)
        again = (view.deferred[name] for name in self._open() if name in view.deferred)
        detour = self._own() - {TOOL_SEARCH} if self._loads() else ()
        return [*(d for d in view.definitions if d["function"]["name"] not in detour), *again]

    def waiting(self) -> list[Schema]:
        """The definitions that the provider is to keep until they are found, where it does that; in name order."""
        if not self._loads():
            return []
        return [d for name, d in sorted(self._view().deferred.items()) if name not in self._shown]

    def found(self) -> tuple[str, ...]:
        """The names that searches have found, in that order."""
        return tuple(self._found)

    def deferred(self) -> frozenset[str]:
        """The names that may be called although they aren't shown."""
        return frozenset(self._view().deferred.keys() - self._open().keys())

    # ------------------------------------------------------------------------------------- handlers

    def search(self, args: Args, *, scope: Scope) -> dict[str, Any]:
        """The tools that fit `query`, the best first, at most `limit`."""
        waiting = self._granted(scope) - (self._shown.keys() | self._found.keys() if self._keeps else self._own())
        hits = self._finder().index.search(args["query"], args.get("limit", 5), waiting)
        if self._keeps:
            self.remember(hit.name for hit in hits)
        note = (_NOW_SHOWN if self._keeps else _HOW_TO_CALL) if hits else _NOTHING
        return {"tools": [self._row(hit.name) for hit in hits], "note": note}

    def describe(self, args: Args, *, scope: Scope) -> Schema:
        """The whole schema of one tool. Raises `UnknownNameError` with near names."""
        name, view = self._known(args["name"], scope), self._view()
        functions = (d["function"] for d in (*view.deferred.values(), *view.definitions))
        schema: Schema = copy_json(next(f for f in functions if f["name"] == name))
        return schema

    async def call(self, args: Args, *, scope: Scope) -> str:
        """What the tool gives, called under its own name and with everything that holds for this scope."""
        name = self._known(args["name"], scope)
        if scope.acall is None:
            raise RuntimeError("tool_call needs a scope that is bound to a pipeline")
        return await scope.acall(name, args.get("arguments", {}))

    # ------------------------------------------------------------------------------------- looking

    def _open(self) -> dict[str, None]:
        """What is shown of the tools that wait, or would wait: found ones, too, unless the provider loads them."""
        return self._shown if self._loads() else self._shown | self._found

    def _view(self) -> View:
        return self._supply.view(self._enabled, self._disabled)

    def _granted(self, scope: Scope) -> frozenset[str]:
        names = self._view().names
        return names if scope.supplied is None else names & scope.supplied

    def _own(self) -> set[str]:
        return set(self.handlers())

    def _known(self, name: str, scope: Scope) -> str:
        names = self._granted(scope) - self._own()
        if name not in names:
            raise UnknownNameError("tool", name, names, "find its name with tool_search")
        return name

    def _row(self, name: str) -> dict[str, str]:
        entry = self._supply.registry.get(name)
        text = " ".join(entry.description.split()) if entry else ""
        return {"name": name, "description": text if len(text) <= _MOST_CHARS else text[:_MOST_CHARS] + "..."}
