"""Schemas in words: what a parameter expects, and what a right call looks like."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from .trace import shown

Resolve = Callable[[str], Any]

_NAMES = {
    "integer": "an integer", "number": "a number", "boolean": "true or false", "string": "a string",
    "null": "null", "array": "a list", "object": "an object",
}  # fmt: skip
_PLACEHOLDERS: dict[str, Any] = {
    "integer": 1, "number": 1.5, "boolean": True, "string": "...", "null": None, "array": [], "object": {},
}  # fmt: skip
_LONGEST_EXAMPLE = 400


def types_of(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """The JSON types a schema names, in its order; also under the names that Python or Gemini use."""
    named = schema.get("type")
    names = named if isinstance(named, (list, tuple)) else (named,)
    found = [_TYPE_NAMES[n.lower()] for n in names if isinstance(n, str) and n.lower() in _TYPE_NAMES]
    if not found and named is None:
        inferred = "object" if "properties" in schema else "array" if "items" in schema else ""
        found = [inferred] if inferred else []
    if found and schema.get("nullable") is True and "null" not in found:
        found.append("null")
    return tuple(dict.fromkeys(found))


_TYPE_NAMES = {name: name for name in _NAMES} | {
    "int": "integer", "long": "integer", "float": "number", "double": "number", "bool": "boolean",
    "str": "string", "list": "array", "tuple": "array", "dict": "object", "none": "null",
}  # fmt: skip


def describe(schema: Any, resolve: Resolve, depth: int = 0) -> str:
    """What a value must be, as `an integer from 1 to 10` or `one of "a", "b"`."""
    if not isinstance(schema, Mapping) or depth > 3:
        return "a value"
    if isinstance(schema.get("$ref"), str):
        return describe(resolve(schema["$ref"]), resolve, depth + 1)
    if "enum" in schema or "const" in schema:
        return _choices(schema)
    branches = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
    types = types_of(schema)
    if not types and isinstance(branches, list):
        return " or ".join(dict.fromkeys(describe(b, resolve, depth + 1) for b in branches[:6]))
    return " or ".join(_typed(kind, schema, resolve, depth) for kind in types) or "a value"


def _choices(schema: Mapping[str, Any]) -> str:
    choices = schema["enum"] if isinstance(schema.get("enum"), (list, tuple)) else [schema.get("const")]
    if len(choices) == 1:
        return shown(choices[0])
    return f"one of {', '.join(map(shown, choices[:20]))}{', …' if len(choices) > 20 else ''}"


def _typed(kind: str, schema: Mapping[str, Any], resolve: Resolve, depth: int) -> str:
    words = _NAMES[kind]
    if kind in ("integer", "number"):
        low, high = schema.get("minimum"), schema.get("maximum")
        if low is not None and high is not None:
            return f"{words} from {low} to {high}"
        return words + (f" of at least {low}" if low is not None else f" of at most {high}" if high is not None else "")
    if kind == "array" and isinstance(schema.get("items"), Mapping):
        return f"a list, each member {describe(schema['items'], resolve, depth + 1)}"
    if kind == "object" and isinstance(schema.get("properties"), Mapping) and depth:
        return f"an object with {', '.join(list(map(str, schema['properties']))[:8]) or 'no members'}"
    return words


def example_call(schema: Mapping[str, Any], resolve: Resolve, *, given: Mapping[str, Any], wanted: set[str]) -> str:
    """One line of JSON: the required and the *wanted* arguments, and the right values that were given."""
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return "{}"
    required = schema.get("required")
    named = [n for n in required if isinstance(n, str)] if isinstance(required, (list, tuple)) else []
    needed = {*wanted, *given, *named}
    names = [n for n in properties if n in needed]
    call = {n: _kept(given[n]) if n in given else example(properties[n], resolve) for n in names}
    text = json.dumps(call, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST_EXAMPLE else text[:_LONGEST_EXAMPLE] + "…"


def _kept(value: Any) -> Any:
    return value if not isinstance(value, str) or len(value) <= 40 else value[:40] + "…"


def example(schema: Any, resolve: Resolve, depth: int = 0) -> Any:
    """A value of the right shape: an example, a default, a choice, or a placeholder."""
    if not isinstance(schema, Mapping) or depth > 4:
        return "..."
    for keyword in ("const", "default"):
        if schema.get(keyword) is not None:
            return schema[keyword]
    for keyword in ("examples", "enum"):
        if isinstance(schema.get(keyword), (list, tuple)) and schema[keyword]:
            return schema[keyword][0]
    if isinstance(schema.get("$ref"), str):
        return example(resolve(schema["$ref"]), resolve, depth + 1)
    return _example_by_type(schema, resolve, depth)


def _example_by_type(schema: Mapping[str, Any], resolve: Resolve, depth: int) -> Any:
    types = types_of(schema)
    if not types:
        branches = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
        return example(branches[0], resolve, depth + 1) if isinstance(branches, list) and branches else "..."
    if types[0] == "array":
        return [example(schema["items"], resolve, depth + 1)] if "items" in schema else []
    if types[0] == "object":
        return _example_object(schema, resolve, depth)
    if types[0] in ("integer", "number"):
        return next((schema[k] for k in ("minimum", "maximum") if k in schema), _PLACEHOLDERS[types[0]])
    return _PLACEHOLDERS[types[0]]


def _example_object(schema: Mapping[str, Any], resolve: Resolve, depth: int) -> dict[str, Any]:
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, Mapping) or not isinstance(required, (list, tuple)):
        return {}
    return {n: example(properties[n], resolve, depth + 1) for n in required if isinstance(n, str) and n in properties}
