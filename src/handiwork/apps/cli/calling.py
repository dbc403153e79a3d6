"""`handiwork tools call`: a tool run by hand, through the whole pipeline."""

from __future__ import annotations

import json
from argparse import Namespace
from dataclasses import replace
from typing import Any

from ...core.errors import UsageError
from ...core.types import ToolCall, ToolResult
from ..house import House
from ..rule_keeping import RuleKeeper
from ..tracing import traced
from .approving import approver_of
from .output import Output
from .selection import folder_of, registered
from .signals import Signals

_EXIT_BY = {"resolve": 2, "repair": 2, "approval": 5, "guard": 5, "pre_tool_call": 5}


def call(house: House, said: Namespace, out: Output) -> int:
    """Run the tool that was named; the exit code says how the call ended."""
    if house.registry.get(said.name) is None:
        house.servers.await_tool(said.name)
    entry = registered(house, said.name)
    signals = Signals(house.close)
    approver = approver_of(said, out, seconds=house.config.approval_seconds, keeper=RuleKeeper(house))
    scope = house.scope(cwd=folder_of(said), approver=approver, platform="cli")
    scope = replace(scope, cancel=signals.cancel, call=None, acall=None)  # bound anew, with the cancel in it
    with signals.heard(), traced(house, out.note):
        result = house.pipeline.run(ToolCall(entry.name, arguments_of(said.arguments), "call_1", scope))
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


def arguments_of(words: list[str]) -> Any:
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
    content = parsed(result.content)
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


def parsed(text: str) -> Any:
    """The JSON that a text is, or the text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def exit_code_of(result: ToolResult) -> int:
    """0 fine, 1 the tool failed, 2 wrong arguments, 5 denied."""
    if result.status == "refused":
        return _EXIT_BY.get(result.by, 1)
    return int(result.is_error)
