"""From what somebody registers to a `ToolEntry`: checked, normalised and frozen, or rejected."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any, get_args

from ..core.types import EnvNames, Requires, Schema, ToolEntry, Touch, Traits
from ..core.wire import FrozenDict, freeze

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_MENTION = re.compile(r"\b[A-Za-z][a-z0-9]*(?:_[A-Za-z0-9]+)+\b|`([A-Za-z][\w-]*)(?:\(\))?`")
_TOUCHES: tuple[str, ...] = get_args(Touch)
_NOTHING: frozenset[str] = frozenset()


class RejectionError(ValueError):
    """A registration that would fail later; the text says what is wrong with it."""


def build_entry(
    *,
    name: str,
    toolset: str,
    schema: Schema,
    handler: Callable[..., Any],
    requires_env: Iterable[str | Iterable[str]] | None,
    description: str,
    max_result_size_chars: int | None,
    is_async: bool,
    output_schema: Schema | None,
    examples: Iterable[Any],
    traits: Traits | Mapping[str, Any],
    requires: Requires | Mapping[str, Any] | None,
    search_hint: str,
    **rest: Any,
) -> ToolEntry:
    """A frozen entry from the keywords of `register`. Raises `RejectionError`."""
    _check_name(name, toolset)
    if not callable(handler):
        raise RejectionError(f"handler must be callable, got {type(handler).__name__}")
    if max_result_size_chars is not None and max_result_size_chars <= 0:
        raise RejectionError("max_result_size_chars must be a positive number of characters")
    if not isinstance(search_hint, str):
        raise RejectionError(f"search_hint must be text, got {type(search_hint).__name__}")
    function = _function_schema(name, schema, description)
    return ToolEntry(
        name=name,
        toolset=toolset,
        schema=function,
        handler=handler,
        requires_env=_env_names(requires_env),
        is_async=bool(is_async),
        description=function["description"],
        max_result_size_chars=max_result_size_chars,
        output_schema=freeze(output_schema) if output_schema else None,
        examples=tuple(examples),
        traits=_read_traits(traits, function["parameters"]),
        requires=Requires(**requires) if isinstance(requires, Mapping) else requires,
        search_hint=search_hint,
        **rest,
    )


def _read_traits(given: Traits | Mapping[str, Any], parameters: Mapping[str, Any]) -> Traits:
    """The traits; what they say of arguments must be something that the guard will look at."""
    if isinstance(given, Traits):
        traits = given
    elif unknown := set(given) - {field.name for field in fields(Traits)}:
        raise RejectionError(f"unknown traits: {', '.join(sorted(map(str, unknown)))}")
    else:
        traits = Traits(**given)
    if traits.most_at_once is not None and traits.most_at_once < 1:
        raise RejectionError(f"most_at_once is 1 or more, not {traits.most_at_once}")
    properties = parameters.get("properties")
    for argument, touch in traits.touches.items():
        if touch not in _TOUCHES:
            raise RejectionError(f"touches: {argument!r} is one of {', '.join(_TOUCHES)}, not {touch!r}")
        if properties and argument not in properties:
            raise RejectionError(f"touches: there is no parameter {argument!r}")
    return traits


def _check_name(name: object, toolset: object) -> None:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise RejectionError("a tool's name is 1 to 64 letters, digits, _ and -")
    if not isinstance(toolset, str) or not toolset.strip():
        raise RejectionError("a toolset must be named")


def _function_schema(name: str, schema: Any, description: str) -> Schema:
    """The function schema with its name, description and parameters put right, deep-frozen."""
    if not isinstance(schema, Mapping):
        raise RejectionError(f"schema must be an object, got {type(schema).__name__}")
    if isinstance(schema.get("function"), Mapping):
        schema = schema["function"]
    if schema.get("name", name) != name:
        raise RejectionError(f"schema is named {schema['name']!r}")
    parameters: Any = schema.get("parameters")
    if parameters is None:
        parameters = {"type": "object", "properties": {}}
    _check_parameters(parameters)
    text = schema.get("description") or description or ""
    frozen: Schema = freeze(
        {**schema, "name": name, "description": str(text), "parameters": {"type": "object", **parameters}}
    )
    return frozen


def _check_parameters(parameters: Any) -> None:
    if not isinstance(parameters, Mapping):
        raise RejectionError(f"parameters must be a JSON Schema object, got {type(parameters).__name__}")
    if parameters.get("type", "object") != "object":
        raise RejectionError(f"parameters must be of type object, not {parameters['type']!r}")
    properties = parameters.get("properties", {})
    if not isinstance(properties, Mapping):
        raise RejectionError("parameters.properties must be an object")
    for key, prop in properties.items():
        if type(prop) is not dict and not isinstance(
            prop, (Mapping, bool)
        ):  # the first is quick, and all but always so
            raise RejectionError(f"parameter {key!r} must be a schema, got {type(prop).__name__}")
    required = parameters.get("required", [])
    if not isinstance(required, (list, tuple)) or not all(isinstance(r, str) for r in required):
        raise RejectionError("parameters.required must be a list of names")


def _env_names(names: Iterable[str | Iterable[str]] | None) -> EnvNames:
    if isinstance(names, str):
        return (names,)
    return tuple(n if isinstance(n, str) else tuple(n) for n in names or ())


def mentioned_names(entry: ToolEntry) -> frozenset[str]:
    """Words in the descriptions that could be the names of other tools: with an underscore, or in backticks."""
    text = "\n".join(_texts(entry.schema))
    if "_" not in text and "`" not in text:
        return _NOTHING
    found = {m.group(1) or m.group(0) for m in _MENTION.finditer(text)}
    return frozenset(found - {entry.name})


def _texts(schema: Mapping[str, Any]) -> Iterator[str]:
    """Every description in a schema, parameters included."""
    text = schema.get("description")
    if isinstance(text, str):
        yield text
    for key in ("parameters", "items"):
        if isinstance(inner := schema.get(key), Mapping):
            yield from _texts(inner)
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        for prop in properties.values():
            if type(prop) is FrozenDict or isinstance(prop, Mapping):
                yield from _texts(prop)
