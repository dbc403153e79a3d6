"""The tools by toolset: what an agent here sees, and what keeps the others away."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from ....catalog.checkpoints import BUDGET, SUPPLIED, Stop, first_no
from ....catalog.supply import View
from ....core.loading import Late
from ....core.types import Schema, ToolEntry
from ...bindings import BY_OUR_AGENT
from ...house import House
from ..selection import PRESET
from .configuration import is_toolset
from .finding import Finding

dialects = Late("handiwork.catalog.dialects.definitions")
cost = Late("handiwork.catalog.cost")
embeddings = Late("handiwork.backends.embeddings.extra")
GROUP = "tools"
_MOST_NAMES = 12


def look(house: House) -> Iterator[Finding]:
    """Toolsets that are enabled; of those that aren't, nothing is asked for."""
    enabled, disabled = (
        [name for name in names if is_toolset(house, name)]
        for names in (house.config.toolsets, house.config.disabled_toolsets)
    )
    view = house.supply.view(enabled or (PRESET,), disabled)
    stops = _stops(view)
    visible = sum(stop is None for stop in stops.values())
    yield Finding(GROUP, "visible", "ok", f"{visible} of {len(house.registry.entries())} tools")
    yield from _cost(house, view.definitions)
    yield from _search(house)
    yield from _by_toolset(view.entries, stops)
    yield from _unsayable(view.definitions)


def _stops(view: View) -> dict[str, Stop | None]:
    facts = replace(view.facts, bound=BY_OUR_AGENT)
    return {entry.name: first_no(SUPPLIED, facts, entry) for entry in view.entries}


def _by_toolset(entries: tuple[ToolEntry, ...], stops: dict[str, Stop | None]) -> Iterator[Finding]:
    toolsets: defaultdict[str, list[str]] = defaultdict(list)
    for entry in entries:
        toolsets[entry.toolset].append(entry.name)
    for toolset, names in sorted(toolsets.items()):
        there = [name for name in names if stops[name] is None]
        if there:
            more = f" and {len(there) - _MOST_NAMES} more" if len(there) > _MOST_NAMES else ""
            yield Finding(GROUP, toolset, "ok", ", ".join(there[:_MOST_NAMES]) + more)
        waiting = [name for name in names if (stop := stops[name]) and stop.at is BUDGET]
        if waiting and toolset != "tool_search":
            yield Finding(GROUP, toolset, "ok", f"{len(waiting)} tools wait behind tool_search")
        for name in names:
            stop = stops[name]
            if stop and stop.at is not BUDGET:
                fix = stop.no.fix or f"handiwork why {name}"
                yield Finding(GROUP, name, "warning", stop.no.reason, fix)


def _unsayable(definitions: list[Schema]) -> Iterator[Finding]:
    """Tools whose schemas some API doesn't take, so that its models never see them."""
    for dialect in dialects.DIALECTS:
        for name, reason in dialects.Definer().of(definitions, dialect).quarantined.items():
            fix = "correct its schema where it is defined"
            yield Finding(GROUP, name, "warning", f"can't be offered to {dialect} models: {reason}", fix)


def _cost(house: House, definitions: list[Schema]) -> Iterator[Finding]:
    context = house.config.context_tokens
    if not context:
        return
    tokens = sum(cost.estimate(cost.definition_text(d["function"])) for d in definitions)
    said = f"about {tokens:,} tokens, {tokens / context:.0%} of the context of {context:,}"
    if tokens * 10 > context:
        fix = (
            "disable a toolset (`handiwork tools definitions --cost` shows the dear ones), or lower tools_budget_tokens"
        )
        yield Finding(GROUP, "cost", "warning", said, fix)
    else:
        yield Finding(GROUP, "cost", "ok", said)


def _search(house: House) -> Iterator[Finding]:
    if not house.config.tool_search_embeddings:
        return
    if reason := embeddings.missing():
        yield Finding(GROUP, "search", "warning", reason, embeddings.FIX)
    else:
        languages = ", across languages" if embeddings.knows_languages() else ""
        yield Finding(GROUP, "search", "ok", f"by words and by meaning{languages}")
