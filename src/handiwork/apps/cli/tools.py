"""`handiwork tools`: what there is and what it looks like; `calling` and `switching` hold the other verbs."""

from __future__ import annotations

import json
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from ...core.loading import Late
from ...core.types import ToolEntry
from ...core.wire import copy_json, dumps
from ..bindings import unbound
from ..house import House, default
from . import calling, plugins, switching
from .output import Output, columns
from .parsing import Parser, add_selection, add_verbs
from .selection import registered, selection_of

if TYPE_CHECKING:
    from ...catalog.supply import View

checking = Late("handiwork.apps.cli.checking")
pricing = Late("handiwork.apps.cli.pricing")

EXAMPLES = """\
  handiwork tools list
  handiwork tools show read_file
  handiwork tools call calculate expression='(1+2)*3'
  handiwork tools call read_file '{"path": "README.md", "limit": 5}'
  handiwork tools disable terminal
  handiwork tools new weather
  handiwork tools definitions --cost
"""


def configure(parser: Parser) -> None:
    """The verbs of `handiwork tools`."""
    add_verbs(
        parser,
        {
            "list": ("the tools, and why one isn't visible", _configure_list),
            "show": ("everything about one tool", lambda p: _positional(p, "name")),
            "call": ("run a tool through the whole pipeline", _configure_call),
            "enable": ("enable a toolset", lambda p: _positional(p, "toolset")),
            "disable": ("disable a toolset", lambda p: _positional(p, "toolset")),
            "definitions": ("what the model is sent, as JSON", _configure_definitions),
            "new": ("write a tool in one file, and its test", plugins.configure_new),
            "check": ("what could be better about a tool, or all", _configure_check),
        },
        EXAMPLES,
    )


def _positional(parser: Parser, name: str) -> None:
    parser.add_argument(name)


def _configure_list(parser: Parser) -> None:
    parser.add_argument("toolset", nargs="?", help="only tools of this toolset")
    add_selection(parser)


def _configure_definitions(parser: Parser) -> None:
    parser.add_argument("--cost", action="store_true", help="what each tool and toolset costs in tokens")
    add_selection(parser)


def _configure_check(parser: Parser) -> None:
    parser.add_argument("name", nargs="?")


def _configure_call(parser: Parser) -> None:
    parser.add_argument("name")
    parser.add_argument("arguments", nargs="*", metavar="JSON | k=v", help="one JSON object, or pairs")
    parser.add_argument("--yes", action="store_true", help="say yes to what would ask")
    parser.add_argument("--deny", action="store_true", help="say no to what would ask, without asking")
    parser.add_argument("--cwd", help="the folder to work in")


def run(said: Namespace, out: Output) -> int:
    """Run one verb."""
    verbs = {
        "list": _list,
        "show": _show,
        "call": calling.call,
        "enable": switching.enable,
        "disable": switching.disable,
        "definitions": _definitions,
        "new": plugins.new_tool,
        "check": _check,
    }
    return verbs[said.verb](default(), said, out)


# ------------------------------------------------------------------------------------------- looking


def _list(house: House, said: Namespace, out: Output) -> int:
    enabled, disabled = selection_of(house, said)
    view = house.supply.view(enabled, disabled)
    chosen = house.supply.selected(enabled, disabled)
    shown = set(house.toolsets.resolve(said.toolset)) if said.toolset else None
    entries = sorted(house.registry.entries(), key=lambda e: (e.toolset, e.name))
    rows = [_row(house, e, chosen, view) for e in entries]
    visible = sum(row["visible"] for row in rows)
    rows = [row for row in rows if shown is None or row["name"] in shown]
    out.show({"tools": rows, "visible": visible}, _lines(rows, out))
    return 0


def _row(house: House, entry: ToolEntry, chosen: frozenset[str], view: View) -> dict[str, Any]:
    closed = house.registry.gate.closed(entry)
    enabled = entry.name in chosen
    absent = closed or unbound(entry) or (house.supply.absence(view, entry) if enabled else None)
    reason, fix = ("", "") if absent is None else (absent.reason, absent.fix or f"handiwork why {entry.name}")
    if not enabled:
        reason, fix = f"toolset {entry.toolset} is not enabled", f"handiwork tools enable {entry.toolset}"
    return {
        "name": entry.name,
        "toolset": entry.toolset,
        "enabled": enabled,
        "available": closed is None and unbound(entry) is None and (not enabled or entry.name in view.names),
        "visible": enabled and absent is None,
        "reason": reason or None,
        "fix": fix or None,
        "origin": entry.origin,
        "description": entry.description.partition("\n")[0],
    }


def _lines(rows: list[dict[str, Any]], out: Output) -> list[str]:
    if not rows:
        return ["no tools"]
    table = [["TOOL", "TOOLSET", "ENABLED", "AVAILABLE", "VISIBLE", ""]]
    for row in rows:
        marks = ["yes" if row[k] else "no" for k in ("enabled", "available", "visible")]
        first = row["description"].partition(". ")[0]
        last = first if row["visible"] else f"{row['reason']}  ({row['fix']})" if row["fix"] else row["reason"]
        table.append([row["name"], row["toolset"], *marks, last])
    lines = columns(table)
    return [out.paint(lines[0], "bold"), *lines[1:]]


def _show(house: House, said: Namespace, out: Output) -> int:
    entry = registered(house, said.name)
    traits = entry.traits
    document = {
        "name": entry.name,
        "toolset": entry.toolset,
        "origin": entry.origin,
        "emoji": entry.emoji,
        "search_hint": entry.search_hint,
        "effect": traits.resolved_effect(),
        "max_result_size_chars": house.pipeline.limits.of(entry),
        "schema": copy_json(entry.schema),
    }
    out.show(document, _description(entry, document))
    return 0


def _description(entry: ToolEntry, document: dict[str, Any]) -> list[str]:
    required = set(entry.parameters.get("required", ()))
    head = [f"{entry.emoji} {entry.name}".strip(), entry.description, ""]
    facts = [f"toolset {entry.toolset} · {entry.origin} · effect {document['effect']}", ""]
    if entry.search_hint:
        facts.insert(1, f"found by: {entry.search_hint}")
    rows = [
        [
            f"  {name}",
            _type_words(prop),
            "required" if name in required else f"default {dumps(prop['default'])}" if "default" in prop else "",
            str(prop.get("description", "")),
        ]
        for name, prop in entry.parameters.get("properties", {}).items()
    ]
    return [*head, *facts, *columns(rows)]


def _type_words(prop: Any) -> str:
    if "enum" in prop:
        return "|".join(map(str, prop["enum"]))
    kind = prop.get("type", "any")
    return kind if isinstance(kind, str) else "|".join(kind)


def _definitions(house: House, said: Namespace, out: Output) -> int:
    if said.cost:
        pricing.show_costs(house, selection_of(house, said), out)
    else:
        out.text(json.dumps(house.supply.definitions(*selection_of(house, said)), ensure_ascii=False, indent=2))
    return 0


def _check(house: House, said: Namespace, out: Output) -> int:
    chosen = [registered(house, said.name)] if said.name else house.registry.entries()
    found: int = checking.show_problems(chosen, house.registry.entries(), out)
    return int(found > 0)
