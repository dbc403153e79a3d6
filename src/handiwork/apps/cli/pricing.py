"""What the shown tools cost in tokens, by tool and toolset."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ...catalog.cost import counter, definition_text
from ...core.types import Schema
from ..house import House
from .output import Output, columns
from .selection import Names

_BAR = 24


def show_costs(house: House, selection: tuple[Names, Names], out: Output) -> None:
    """Print tokens by tool and toolset, the dearest toolset first, and the total."""
    view = house.supply.view(*selection)
    document = costs(house, view.definitions, list(view.deferred.values()))
    out.show(document, _lines(document, house, out))


def costs(house: House, shown: list[Schema], deferred: list[Schema]) -> dict[str, Any]:
    """Tokens of the *shown* definitions by tool, by toolset and in all, and of the *deferred* ones in all."""
    count, counted_by = counter()
    tools = [
        {"name": function["name"], "toolset": _toolset(house, function), "tokens": count(definition_text(function))}
        for function in (d["function"] for d in shown)
    ]
    toolsets: Counter[str] = Counter()
    for tool in tools:
        toolsets[str(tool["toolset"])] += int(tool["tokens"])
    return {
        "tools": tools,
        "toolsets": dict(toolsets.most_common()),
        "total": toolsets.total(),
        "budget": house.supply.budget,
        "deferred": {"tools": len(deferred), "tokens": sum(count(definition_text(d["function"])) for d in deferred)},
        "counted_by": counted_by,
    }


def _toolset(house: House, function: Schema) -> str:
    entry = house.registry.get(function["name"])
    return entry.toolset if entry else "?"


def _lines(document: dict[str, Any], house: House, out: Output) -> list[str]:
    most = max(document["toolsets"].values(), default=1)
    rows = [["TOOL", "TOKENS", ""]]
    for toolset, tokens in document["toolsets"].items():
        rows.append([toolset, f"{tokens:>6,}", "█" * max(1, round(_BAR * tokens / most))])
        members = sorted((t for t in document["tools"] if t["toolset"] == toolset), key=lambda t: -t["tokens"])
        rows += [[f"  {t['name']}", f"{t['tokens']:>6,}", ""] for t in members]
    rows.append(["total", f"{document['total']:>6,}", _about(document, house)])
    lines = columns(rows)
    return [out.paint(lines[0], "bold"), *lines[1:-1], out.paint(lines[-1], "bold"), *_deferred(document)]


def _about(document: dict[str, Any], house: House) -> str:
    context = house.config.context_tokens
    share = f"{document['total'] / context:.1%} of the context of {context:,}, " if context else ""
    return share + ("estimated" if document["counted_by"] == "estimate" else f"counted by {document['counted_by']}")


def _deferred(document: dict[str, Any]) -> list[str]:
    behind = document["deferred"]
    if not behind["tools"]:
        return []
    tokens, budget = behind["tokens"], document["budget"]
    return [f"{behind['tools']} tools of {tokens:,} tokens wait behind tool_search (budget {budget:,})"]
