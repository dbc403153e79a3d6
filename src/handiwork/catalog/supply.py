"""What the model is shown: selected, gated, adjusted to the moment, and frozen."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ..core.clock import SYSTEM_CLOCK, Clock
from ..core.handler import describe_exception
from ..core.loading import Late
from ..core.types import Schema, ToolEntry
from ..core.wire import FrozenDict, FrozenList, copy_json, freeze
from .checkpoints import BUDGET, GATES, SWITCHES, Facts, Names, first_no
from .gate import DATA_TTL_S, Closed
from .presets import ALL, SEARCH
from .store import ToolRegistry
from .toolsets import Toolsets

cost = Late("handiwork.catalog.cost")
deferral = Late("handiwork.catalog.deferral")
logging = Late("logging")
_MOST_VIEWS = 64
Denial = Callable[[ToolEntry], "Closed | None"]


def no_denial() -> Denial | None:
    """No rule keeps tools back."""
    return None


@dataclass(frozen=True, slots=True)
class View:
    """One answer to "which tools?": good for its generation, until a gate's time-to-live runs out.

    `entries` are selected, `facts` say what stops some of them. `names` are the tools that may be called.
    `definitions` are shown; `deferred` are those of the rest, by name, which stand behind the tool search.
    """

    generation: int
    entries: tuple[ToolEntry, ...]
    facts: Facts
    good_until: float
    overrides: Mapping[str, Schema]
    dynamic: tuple[ToolEntry, ...]
    definitions: FrozenList
    names: frozenset[str]
    deferred: Mapping[str, FrozenDict]

    @property
    def closed(self) -> Mapping[str, Closed]:
        """Why the gate of a tool is closed, by its name."""
        return self.facts.closed


class Supply:
    """Definitions by selection, cached by generation and gate answers.

    The same list object is returned until something changes; it is frozen, so nobody can spoil it.
    With a *budget* in tokens, tools beyond it are deferred where the selection has the tool search. *denial*
    gives what says of a tool why rules keep it from everybody here, where there are such rules.
    """

    def __init__(
        self,
        registry: ToolRegistry,
        toolsets: Toolsets,
        clock: Clock = SYSTEM_CLOCK,
        *,
        budget: int | None = None,
        denial: Callable[[], Denial | None] = no_denial,
    ) -> None:
        self.registry, self.toolsets, self._clock, self.budget = registry, toolsets, clock, budget
        self._denial = denial
        self._prices: Any = None
        self._views: dict[tuple[Names | None, Names], View] = {}

    def definitions(self, enabled: Iterable[str] | None, disabled: Iterable[str] | None = None) -> FrozenList:
        """OpenAI tool definitions in name order. *enabled* None means every toolset."""
        return self.view(enabled, disabled).definitions

    def view(self, enabled: Iterable[str] | None, disabled: Iterable[str] | None = None) -> View:
        """The selection with its gates and definitions. Raises `UnknownNameError` for unknown toolsets."""
        key = (None if enabled is None else as_names(enabled), as_names(disabled) if disabled else ())
        view = self._views.get(key)
        if view is None or view.generation != self.registry.generation:
            return self._keep(key, self._build(*key))
        if self._clock.monotonic() >= view.good_until or (view.dynamic and _overrides(view.dynamic) != view.overrides):
            return self._keep(key, self._refresh(view))
        return view

    def selected(self, enabled: Names | None, disabled: Names) -> frozenset[str]:
        """Names of the registered tools that the two switches leave, gates aside."""
        facts = self._switches(enabled, disabled)
        return facts.chosen - facts.taken

    def _switches(self, enabled: Names | None, disabled: Names) -> Facts:
        chosen = self.toolsets.expand((ALL,) if enabled is None else enabled).tools
        taken = self.toolsets.expand(disabled).tools if disabled else frozenset()
        culprits = partial(_culprits, self.toolsets, disabled)
        return Facts(enabled, disabled, chosen, taken, budget=self.budget, culprits=culprits)

    def _build(self, enabled: Names | None, disabled: Names) -> View:
        generation, facts = self.registry.generation, self._switches(enabled, disabled)
        # Only these can pass; to ask for all others as well would take ten times as long.
        chosen = (e for n in sorted(facts.chosen) if (e := self.registry.get(n)))
        entries = tuple(e for e in chosen if first_no(SWITCHES, facts, e) is None)
        dynamic = tuple(e for e in entries if e.dynamic_schema_overrides)
        return self._finish(generation, entries, dynamic, facts)

    def _refresh(self, view: View) -> View:
        """Ask the gates again; when nothing changed, the old definitions go on."""
        return self._finish(view.generation, view.entries, view.dynamic, view.facts, view)

    def _finish(
        self,
        generation: int,
        entries: tuple[ToolEntry, ...],
        dynamic: tuple[ToolEntry, ...],
        facts: Facts,
        before: View | None = None,
    ) -> View:
        denied, closed, good_until = self._held_back(entries)
        overrides = _overrides(dynamic)
        if before and (facts.denied, facts.closed, before.overrides) == (denied, closed, overrides):
            return replace(before, good_until=good_until)
        facts = replace(facts, denied=denied, closed=closed, waiting=frozenset())
        usable = [e for e in entries if first_no(GATES, facts, e) is None]
        full_price = 0 if self.budget is None else self._price(e for e in usable if e.toolset != SEARCH)
        facts = replace(facts, waiting=self._left_out(usable, full_price), full_price=full_price)
        shown = frozenset(e.name for e in usable if first_no((BUDGET,), facts, e) is None)
        names = shown | facts.waiting
        made = self._define([e for e in usable if e.name in names], names, overrides)
        definitions = FrozenList([d for name, d in made.items() if name in shown])
        deferred = FrozenDict({name: made[name] for name in facts.waiting})
        return View(generation, entries, facts, good_until, overrides, dynamic, definitions, names, deferred)

    def _held_back(self, entries: tuple[ToolEntry, ...]) -> tuple[dict[str, Closed], dict[str, Closed], float]:
        """What rules and gates hold back, and until when (monotonic) that holds. No check of a denied tool is asked."""
        denial = self._denial()
        denied = {e.name: no for e in entries if (no := denial(e))} if denial else {}
        closed, good_until = self.registry.gate.survey(e for e in entries if e.name not in denied)
        if self._denial is not no_denial:
            good_until = min(good_until, self._clock.monotonic() + DATA_TTL_S)
        return denied, closed, good_until

    def _define(
        self, usable: list[ToolEntry], names: frozenset[str], overrides: Mapping[str, Schema]
    ) -> dict[str, FrozenDict]:
        absent = frozenset(n for n in self.registry.names() if n not in names)
        return {e.name: self._definition(e, overrides.get(e.name), absent) for e in usable}

    def _left_out(self, usable: list[ToolEntry], full_price: int) -> frozenset[str]:
        """The names that the budget leaves out; none where nothing could find them again."""
        search = [e for e in usable if e.toolset == SEARCH]
        if self.budget is None or full_price <= self.budget or not search:
            return frozenset()
        others = [e for e in usable if e.toolset != SEARCH]
        names: frozenset[str] = deferral.left_out(
            others, lambda entry: self._price((entry,)), self.budget - self._price(search)
        )
        return names

    def _price(self, entries: Iterable[ToolEntry]) -> int:
        """What tools would cost, estimated, so that the same ones are deferred on every machine."""
        if self._prices is None:
            self._prices = cost.Prices()
        return sum(self._prices.of(entry.schema) for entry in entries)

    def _definition(self, entry: ToolEntry, override: Schema | None, absent: frozenset[str]) -> FrozenDict:
        function = freeze({**entry.schema, **override}) if override else entry.schema
        gone = self.registry.mentions(entry.name) & absent
        if gone:
            function = freeze(without_mentions(function, gone))
        return FrozenDict({"type": "function", "function": function})

    def _keep(self, key: tuple[Names | None, Names], view: View) -> View:
        if len(self._views) >= _MOST_VIEWS:
            self._views.pop(next(iter(self._views)), None)
        self._views[key] = view
        return view


def as_names(names: Iterable[str]) -> Names:
    """A selection as a tuple; a single name is taken as a list of one."""
    return (names,) if isinstance(names, str) else tuple(names)


def _culprits(toolsets: Toolsets, disabled: Names, entry: ToolEntry) -> Names:
    """Which of the disabled toolsets take a tool away."""
    return tuple(name for name in disabled if entry.name in toolsets.expand((name,)).tools)


def _overrides(dynamic: tuple[ToolEntry, ...]) -> dict[str, Schema]:
    return {e.name: _override_of(e) for e in dynamic}


def _override_of(entry: ToolEntry) -> Schema:
    """What a tool would change of its schema now. One that fails keeps its schema, and the others their place."""
    override = entry.dynamic_schema_overrides
    try:
        return dict(override() or {}) if override else {}
    except Exception as error:  # noqa: BLE001 - the tool's own code
        said = describe_exception(error)
        logging.getLogger(__name__).warning("dynamic_schema_overrides of %s failed: %s", entry.name, said)
        return {}


# A sentence ends at . ! or ? before white space, or at the end of a line.
_SENTENCE = re.compile(r"[^\n]*?(?:[.!?](?=\s|$)|$)[^\S\n]*|\n+", re.MULTILINE)


def without_mentions(schema: Schema, gone: frozenset[str]) -> Schema:
    """The schema without the sentences that name a tool that isn't there."""
    plain: Schema = copy_json(schema)
    _drop_in(plain, re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, sorted(gone)))})(?![\w-])"))
    return plain


def _drop_in(schema: dict[str, Any], mention: re.Pattern[str]) -> None:
    text = schema.get("description")
    if isinstance(text, str):
        schema["description"] = _drop_sentences(text, mention)
    for inner in (schema.get("parameters"), schema.get("items"), *_properties(schema)):
        if isinstance(inner, dict):
            _drop_in(inner, mention)


def _properties(schema: dict[str, Any]) -> Iterable[Any]:
    properties = schema.get("properties")
    return properties.values() if isinstance(properties, dict) else ()


def _drop_sentences(text: str, mention: re.Pattern[str]) -> str:
    if not mention.search(text):
        return text
    kept = "".join(s for s in _SENTENCE.findall(text) if not mention.search(s)).strip()
    return kept or mention.sub("another tool", text)  # a tool is never left without a description
