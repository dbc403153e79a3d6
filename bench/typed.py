"""A Python function from a JSON Schema: how a person writes a tool for libraries that read signatures."""

from __future__ import annotations

import importlib
import keyword
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, Literal, Optional, Union

_SCALARS: Mapping[str, Any] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "null": None,
    "array": list,
    "object": dict,
}
_LIMITS = {
    "minimum": "ge", "maximum": "le", "exclusiveMinimum": "gt", "exclusiveMaximum": "lt", "pattern": "pattern",
    "minLength": "min_length", "maxLength": "max_length", "minItems": "min_length", "maxItems": "max_length",
}  # fmt: skip


class InexpressibleError(Exception):
    """The schema asks for something that a Python signature has no words for."""


def function_of(schema: Mapping[str, Any], receive: Callable[[dict[str, Any]], str]) -> Callable[..., str]:
    """A function `probe` with one typed parameter a property; it gives what it got to *receive*.

    What may be left out is None by default, and None isn't passed on.
    """
    properties = schema.get("properties", {})
    if not all(name.isidentifier() and not keyword.iskeyword(name) for name in properties):
        raise InexpressibleError("a property is no Python name")
    needed = set(schema.get("required", ()))
    names = sorted(properties, key=lambda name: name not in needed)
    types = {f"T_{name}": annotation(properties[name], schema) for name in names}
    parameters = ", ".join(
        f"{n}: T_{n}" if n in needed else f"{n}: Optional[T_{n}] = {properties[n].get('default')!r}" for n in names
    )
    given = ", ".join(f"{n!r}: {n}" for n in names)
    space: dict[str, Any] = {**types, "Optional": Optional, "receive": lambda args: receive(_given(args))}
    source = f"def probe({parameters}) -> str:\n    '''Probe.'''\n    return receive({{{given}}})"
    exec(compile(source, "<probe>", "exec", dont_inherit=True), space)
    function: Callable[..., str] = space["probe"]
    return function


def annotation(schema: Any, root: Mapping[str, Any]) -> Any:
    """The Python type of a schema, with its limits where pydantic can say them."""
    if not isinstance(schema, Mapping):
        return Any
    if "$ref" in schema:
        return annotation(_resolved(schema["$ref"], root), root)
    if "const" in schema or "enum" in schema:
        return Literal[tuple(schema.get("enum", [schema.get("const")]))]
    branches = schema.get("anyOf") or schema.get("oneOf")
    if len(schema.get("allOf", ())) == 1:
        return annotation(schema["allOf"][0], root)
    if branches:
        return _either(annotation(branch, root) for branch in branches)
    types = schema.get("type")
    if isinstance(types, list):
        return _either(annotation({**schema, "type": kind}, root) for kind in types)
    found = _typed(str(types), schema, root)
    return _either((found, None)) if schema.get("nullable") else found


def _either(types: Iterable[Any]) -> Any:
    """A union of types that are known at run time only."""
    return Union[tuple(types)]  # noqa: UP007


def _typed(kind: str, schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    base = _SCALARS.get(kind, Any)
    if kind == "array" and "items" in schema:
        base = list[annotation(schema["items"], root)]  # type: ignore[misc]
    elif kind == "object" and schema.get("properties"):
        base = _model(schema, root)
    limits = {_LIMITS[key]: value for key, value in schema.items() if key in _LIMITS}
    return Annotated[base, importlib.import_module("pydantic").Field(**limits)] if limits else base


def _model(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    pydantic = importlib.import_module("pydantic")
    needed = set(schema.get("required", ()))
    fields: dict[str, Any] = {
        name: (annotation(inner, root), ...) if name in needed else (_either((annotation(inner, root), None)), None)
        for name, inner in schema["properties"].items()
    }
    extra = "forbid" if schema.get("additionalProperties") is False else "allow"
    return pydantic.create_model("Part", __config__=pydantic.ConfigDict(extra=extra), **fields)


def _resolved(pointer: str, root: Any) -> Any:
    for step in pointer.removeprefix("#/").split("/"):
        root = root[step]
    return root


def _given(args: Mapping[str, Any]) -> dict[str, Any]:
    return {name: plain(value) for name, value in args.items() if value is not None}


def plain(value: Any) -> Any:
    """A value as JSON has it: models as the fields that were given."""
    if hasattr(value, "model_dump"):
        return value.model_dump(exclude_unset=True)
    if isinstance(value, Mapping):
        return {key: plain(member) for key, member in value.items()}
    return [plain(member) for member in value] if isinstance(value, (list, tuple)) else value
