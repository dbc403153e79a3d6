"""Whole tool definitions, in the envelope that each API wants around a schema."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...core.errors import UnknownNameError
from ...core.loading import Late
from ...core.types import Schema, ToolEntry
from ...core.wire import copy_json, freeze
from . import adapt, adapt_schema
from .notes import UnsayableSchemaError
from .table import DIALECTS

logging = Late("logging")

ENVELOPES = (*DIALECTS, "mcp")
IsLegal = Callable[[ToolEntry, Mapping[str, Any]], bool]


@dataclass(frozen=True, slots=True)
class Defined:
    """Definitions in a dialect, and the tools that had to stay behind, each with the reason."""

    definitions: list[Schema]
    quarantined: Mapping[str, str] = field(default_factory=dict)


class Definer:
    """Definitions in each dialect, each made once as long as it is the same. They come frozen."""

    def __init__(self, is_legal: IsLegal | None = None) -> None:
        self._is_legal = is_legal
        self._made: dict[tuple[str, str], tuple[Any, Schema | str]] = {}

    def of(self, definitions: Iterable[Mapping[str, Any]], dialect: str, entries: Iterable[ToolEntry] = ()) -> Defined:
        """OpenAI *definitions* as an API wants them.

        *entries* add what only some APIs take: output schemas, and those examples that `is_legal` lets pass
        (an API refuses the whole request for a wrong one). A tool whose schema can't be said is left out,
        logged, and named in `quarantined`. Raises `UnknownNameError` for an unknown dialect.
        """
        if dialect not in ENVELOPES:
            raise UnknownNameError("dialect", dialect, ENVELOPES, f"known: {', '.join(ENVELOPES)}")
        by_name = {entry.name: entry for entry in entries}
        made = {d["function"]["name"]: self._one(d, dialect, by_name) for d in definitions}
        shown = [m for m in made.values() if not isinstance(m, str)]
        return Defined(shown, {name: m for name, m in made.items() if isinstance(m, str)})

    def _one(self, definition: Mapping[str, Any], dialect: str, entries: Mapping[str, ToolEntry]) -> Schema | str:
        """One definition, or the reason why there is none."""
        function = definition["function"]
        key = dialect, function["name"]
        known = self._made.get(key)
        if known is None or known[0] is not definition:
            extras = _Extras(entries.get(function["name"]), self._is_legal)
            known = self._made[key] = definition, _make(function, dialect, extras)
        return known[1]


def kept_back(definition: Schema) -> Schema:
    """A definition that the provider is to load only when a tool search finds it: of Anthropic's API."""
    return {**definition, "defer_loading": True}


def _make(function: Mapping[str, Any], dialect: str, extras: _Extras) -> Schema | str:
    try:
        made: Schema = freeze(_MAKERS.get(dialect, _openai)(function, dialect, extras))
    except UnsayableSchemaError as no:
        reason = f"{dialect} can't say its schema: {no}"
        logging.getLogger(__name__).warning("tool %s is not offered: %s", function["name"], reason)
        return reason
    return made


@dataclass(frozen=True, slots=True)
class _Extras:
    """What a registered tool has beside its function schema."""

    entry: ToolEntry | None
    is_legal: IsLegal | None

    @property
    def output(self) -> Schema | None:
        """The schema of results, where it is one of an object: no API takes another."""
        schema = self.entry.output_schema if self.entry else None
        return schema if schema and schema.get("type") == "object" else None

    @property
    def examples(self) -> list[Schema]:
        """Arguments that show how the tool is called."""
        if self.entry is None or self.is_legal is None:
            return []
        shown = [e for e in self.entry.examples if isinstance(e, Mapping)]
        return [copy_json(e) for e in shown if self.is_legal(self.entry, e)]


def _openai(function: Mapping[str, Any], dialect: str, _: _Extras) -> Schema:
    return {"type": "function", "function": _named(function, "parameters", adapt_schema(_given(function), dialect))}


def _strict(function: Mapping[str, Any], dialect: str, more: _Extras) -> Schema:
    """Strict, unless that would take legal values away: such a tool goes out as before."""
    adapted = adapt(_given(function), dialect)
    if adapted.narrowed:
        return _openai(function, "openai", more)
    return {"type": "function", "function": {**_named(function, "parameters", adapted.schema), "strict": True}}


def _anthropic(function: Mapping[str, Any], dialect: str, more: _Extras) -> Schema:
    made = _named(function, "input_schema", adapt_schema(_given(function), dialect))
    return {**made, "input_examples": examples} if (examples := more.examples) else made


def _gemini(function: Mapping[str, Any], dialect: str, more: _Extras) -> Schema:
    parameters = adapt_schema(_given(function), dialect)
    made = _named(function, "parameters", parameters)
    if not parameters["properties"]:
        del made["parameters"]  # an object without properties is refused by older models
    if more.output:
        made["response"] = adapt_schema(more.output, dialect)
    return made


def _mcp(function: Mapping[str, Any], _: str, more: _Extras) -> Schema:
    """As the author wrote it: MCP takes any JSON Schema of an object."""
    made = _named(function, "inputSchema", copy_json(_given(function)))
    if more.output:
        made["outputSchema"] = copy_json(more.output)
    return made


def _given(function: Mapping[str, Any]) -> Any:
    return function.get("parameters")


def _named(function: Mapping[str, Any], key: str, parameters: Schema) -> Schema:
    return {"name": function["name"], "description": function.get("description", ""), key: parameters}


_MAKERS: dict[str, Callable[[Mapping[str, Any], str, _Extras], Schema]] = {
    "openai-strict": _strict,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "mcp": _mcp,
}
