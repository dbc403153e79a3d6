"""Whole tool definitions, in the envelope that each API wants around a schema."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...core.errors import UnknownNameError
from ...core.types import Schema, ToolEntry
from ...core.wire import copy_json
from . import adapt, adapt_schema
from .notes import UnsayableSchemaError
from .table import DIALECTS

ENVELOPES = (*DIALECTS, "mcp")


@dataclass(frozen=True, slots=True)
class Defined:
    """Definitions in a dialect, and the tools that had to stay behind, each with the reason."""

    definitions: list[Schema]
    quarantined: Mapping[str, str] = field(default_factory=dict)


def define(functions: Iterable[Mapping[str, Any]], dialect: str, entries: Sequence[ToolEntry] = ()) -> Defined:
    """The definitions of *functions* (name, description, parameters) for an API.

    *entries* add what only some APIs take: output schemas and examples. A tool whose schema can't be said
    is left out, logged, and named in `quarantined`. Raises `UnknownNameError` for an unknown dialect.
    """
    if dialect not in ENVELOPES:
        raise UnknownNameError("dialect", dialect, ENVELOPES, f"known: {', '.join(ENVELOPES)}")
    by_name = {entry.name: entry for entry in entries}
    made: list[Schema] = []
    refused: dict[str, str] = {}
    for function in functions:
        try:
            made.append(_MAKERS.get(dialect, _openai)(function, dialect, by_name.get(function["name"])))
        except UnsayableSchemaError as no:
            refused[function["name"]] = str(no)
            logging.getLogger(__name__).warning(
                "tool %s is not offered: its schema can't be said in %s: %s", function["name"], dialect, no
            )
    return Defined(made, refused)


def _openai(function: Mapping[str, Any], dialect: str, _: ToolEntry | None) -> Schema:
    return {"type": "function", "function": _named(function, "parameters", adapt_schema(_given(function), dialect))}


def _strict(function: Mapping[str, Any], dialect: str, entry: ToolEntry | None) -> Schema:
    """Strict, unless that would take legal values away: such a tool goes out as before."""
    adapted = adapt(_given(function), dialect)
    if adapted.narrowed:
        return _openai(function, "openai", entry)
    return {"type": "function", "function": {**_named(function, "parameters", adapted.schema), "strict": True}}


def _anthropic(function: Mapping[str, Any], dialect: str, entry: ToolEntry | None) -> Schema:
    made = _named(function, "input_schema", adapt_schema(_given(function), dialect))
    examples = [copy_json(e) for e in entry.examples if isinstance(e, Mapping)] if entry else []
    return {**made, "input_examples": examples} if examples else made


def _gemini(function: Mapping[str, Any], dialect: str, entry: ToolEntry | None) -> Schema:
    parameters = adapt_schema(_given(function), dialect)
    made = _named(function, "parameters", parameters)
    if not parameters["properties"]:
        del made["parameters"]  # an object without properties is refused by older models
    if entry and entry.output_schema and _is_object(entry.output_schema):
        made["response"] = adapt_schema(entry.output_schema, dialect)
    return made


def _mcp(function: Mapping[str, Any], _: str, entry: ToolEntry | None) -> Schema:
    """As the author wrote it: MCP takes any JSON Schema of an object."""
    made = _named(function, "inputSchema", copy_json(_given(function)))
    if entry and entry.output_schema and _is_object(entry.output_schema):
        made["outputSchema"] = copy_json(entry.output_schema)
    return made


def _given(function: Mapping[str, Any]) -> Any:
    return function.get("parameters")


def _named(function: Mapping[str, Any], key: str, parameters: Schema) -> Schema:
    return {"name": function["name"], "description": function.get("description", ""), key: parameters}


def _is_object(schema: Mapping[str, Any]) -> bool:
    return schema.get("type") == "object"


_MAKERS: dict[str, Callable[[Mapping[str, Any], str, ToolEntry | None], Schema]] = {
    "openai-strict": _strict,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "mcp": _mcp,
}
