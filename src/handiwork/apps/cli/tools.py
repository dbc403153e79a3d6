"""`handiwork tools`: what there is, what it looks like, and running one by hand."""

from __future__ import annotations

import json
from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...core.errors import UnknownNameError, UsageError
from ...core.loading import Late
from ...core.types import ToolCall, ToolEntry, ToolResult
from ...core.wire import copy_json, dumps
from ..config_file import set_value
from ..house import House, default
from .asking import approver_of
from .output import Output, columns
from .parsing import Parser, add_selection, add_verbs
from .selection import PRESET, configured, folder_of, selection_of
from .signals import Signals

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
        "call": _call,
        "enable": _enable,
        "disable": _disable,
        "definitions": _definitions,
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
    rows = [_row(house, e, chosen, view) for e in entries if shown is None or e.name in shown]
    out.show({"tools": rows, "visible": len(view.definitions)}, _lines(rows, out))
    return 0


def _row(house: House, entry: ToolEntry, chosen: frozenset[str], view: View) -> dict[str, Any]:
    closed = house.registry.gate.closed(entry)
    enabled = entry.name in chosen
    absent = closed or (house.supply.absence(view, entry) if enabled else None)
    reason, fix = ("", "") if absent is None else (absent.reason, absent.fix or f"handiwork why {entry.name}")
    if not enabled:
        reason, fix = f"toolset {entry.toolset} is not enabled", f"handiwork tools enable {entry.toolset}"
    return {
        "name": entry.name,
        "toolset": entry.toolset,
        "enabled": enabled,
        "available": closed is None and (not enabled or entry.name in view.names),
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


def _entry(house: House, name: str) -> ToolEntry:
    entry = house.registry.get(name)
    if entry is None:
        raise UnknownNameError("tool", name, house.registry.names(), "see `handiwork tools list`")
    return entry


def _show(house: House, said: Namespace, out: Output) -> int:
    entry = _entry(house, said.name)
    traits = entry.traits
    document = {
        "name": entry.name,
        "toolset": entry.toolset,
        "origin": entry.origin,
        "emoji": entry.emoji,
        "search_hint": entry.search_hint,
        "effect": traits.resolved_effect(),
        "max_result_size_chars": house.pipeline.limits.of(entry.max_result_size_chars),
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
    chosen = [_entry(house, said.name)] if said.name else house.registry.entries()
    found: int = checking.show_problems(chosen, house.registry.entries(), out)
    return int(found > 0)


# -------------------------------------------------------------------------------------------- calling

_EXIT_BY = {"resolve": 2, "repair": 2, "approval": 5, "guard": 5, "pre_tool_call": 5}


def _call(house: House, said: Namespace, out: Output) -> int:
    entry = _entry(house, said.name)
    signals = Signals(house.close)
    scope = house.scope(cwd=folder_of(said), approver=approver_of(said, out), platform="cli")
    scope = replace(scope, cancel=signals.cancel, call=None, acall=None)  # bound anew, with the cancel in it
    with signals.heard():
        result = house.pipeline.run(ToolCall(entry.name, _arguments(said.arguments), "call_1", scope))
    signals.check()
    _tell_result(result, out)
    return exit_code_of(result)


def _tell_result(result: ToolResult, out: Output) -> None:
    if out.json:
        out.document(_result_document(result))
    if result.status == "refused":
        report = json.loads(result.content)
        out.tell(report["error"], report.get("hint", ""))
    elif not out.json:
        out.answer(result.content)


def _arguments(words: list[str]) -> Any:
    """One JSON object, or `k=v` pairs whose values are read by the schema."""
    if len(words) == 1 and (words[0].lstrip()[:1] in ("{", "[", '"') or "=" not in words[0]):
        return _json_object(words[0])
    pairs = [word.partition("=") for word in words]
    for word, (key, sign, _) in zip(words, pairs, strict=True):
        if not sign or not key:
            raise UsageError(f"not a pair: {word!r}", "write k=v, or one JSON object in quotes")
    keys = [key for key, _, _ in pairs]
    if twice := next((key for key in keys if keys.count(key) > 1), None):
        raise UsageError(f"{twice} is given twice", "several values are one JSON object: '{\"k\": [1, 2]}'")
    return {key: value for key, _, value in pairs}


def _json_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise UsageError(
            f"the arguments are not JSON: {error}", 'write one JSON object in quotes, as \'{"path": "a"}\''
        ) from error
    if not isinstance(value, dict):
        raise UsageError(f"the arguments must be one JSON object, got {type(value).__name__}", "or write k=v pairs")
    return value


def _result_document(result: ToolResult) -> dict[str, Any]:
    content = _parsed(result.content)
    report = content if result.is_error and isinstance(content, dict) else {}
    failure = {"error": report.get("error", content), "hint": report.get("hint"), "exit_code": exit_code_of(result)}
    return {
        **(failure if result.is_error else {}),
        "name": result.call.name,
        "content": content,
        "is_error": result.is_error,
        "status": result.status,
        "by": result.by or None,
        "duration_ms": round(result.duration_ms, 3),
    }


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def exit_code_of(result: ToolResult) -> int:
    """0 fine, 1 the tool failed, 2 wrong arguments, 5 denied."""
    if result.status == "refused":
        return _EXIT_BY.get(result.by, 1)
    return int(result.is_error)


# ------------------------------------------------------------------------------------------ switching


def _enable(house: House, said: Namespace, out: Output) -> int:
    name = _known(house, said.toolset)
    for key in ("toolsets", "disabled_toolsets"):
        configured(house, key)
    disabled = _without(house, house.config.disabled_toolsets, name)
    enabled = house.config.toolsets
    covered = set(house.toolsets.resolve(name)) <= house.supply.selected(enabled or (PRESET,), ())
    if not covered:
        enabled = (*(enabled or (PRESET,)), name)
    return _store(house, out, f"{name} is enabled", toolsets=enabled, disabled_toolsets=disabled)


def _disable(house: House, said: Namespace, out: Output) -> int:
    name = _known(house, said.toolset)
    enabled = tuple(t for t in house.config.toolsets if house.toolsets.canonical(t) != name)
    disabled = tuple(dict.fromkeys((*house.config.disabled_toolsets, name)))
    return _store(house, out, f"{name} is disabled", toolsets=enabled, disabled_toolsets=disabled)


def _without(house: House, names: tuple[str, ...], name: str) -> tuple[str, ...]:
    """*names* so that nothing of the toolset *name* is under them: a group is split where it holds more."""
    freed = set(house.toolsets.resolve(name))
    left: list[str] = []
    for other in names:
        tools = house.toolsets.expand((other,)).tools
        if tools & freed:
            toolsets = {entry.toolset for entry in house.registry.entries() if entry.name in tools - freed}
            left += sorted(t for t in toolsets if not freed.intersection(house.registry.members(t)))
        elif house.toolsets.canonical(other) != name:
            left.append(other)
    return tuple(dict.fromkeys(left))


def _known(house: House, name: str) -> str:
    house.toolsets.resolve(name)
    return house.toolsets.canonical(name)


def _store(house: House, out: Output, said: str, **changes: tuple[str, ...]) -> int:
    path = ""
    for key, value in changes.items():
        if value != getattr(house.config, key):
            path = set_value(house.home, key, list(value))
    message = f"{said} ({path})" if path else f"{said} (as it was)"
    out.show({"message": said, "file": path or None, **changes}, [message])
    return 0
