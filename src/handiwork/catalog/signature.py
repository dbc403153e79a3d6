"""Read a function's hints and docstring into a JSON Schema.

Plain types are read here; pydantic is asked only for types that aren't plain (models, dataclasses,
dates), and then also turns the model's JSON into them.
"""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from ..core.loading import Late
from ..core.types import Schema, Scope

pydantic = Late("pydantic")
Convert = Callable[[Any], Any]

_PLAIN: dict[Any, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    list: {"type": "array"},
    dict: {"type": "object"},
    Any: {},
    inspect.Parameter.empty: {},
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: its schema, and how the model's JSON becomes what the function wants."""

    name: str
    schema: Schema
    required: bool
    convert: Convert | None = None


@dataclass(frozen=True, slots=True)
class Signature:
    """What a function takes from the model, and where it wants its `Scope`."""

    parameters: tuple[Parameter, ...]
    scope_name: str = ""

    @property
    def schema(self) -> Schema:
        return {
            "type": "object",
            "properties": {p.name: p.schema for p in self.parameters},
            "required": [p.name for p in self.parameters if p.required],
            "additionalProperties": False,
        }


def read_signature(fn: Callable[..., Any]) -> Signature:
    """The parameters of *fn* as schemas. Raises `TypeError` naming the parameter that can't be one."""
    hints = get_type_hints(fn, include_extras=True)
    described = _parameter_texts(inspect.getdoc(fn) or "", [*inspect.signature(fn).parameters])
    parameters: list[Parameter] = []
    scope_name = ""
    for name, parameter in inspect.signature(fn).parameters.items():
        hint = hints.get(name, inspect.Parameter.empty)
        if _is_scope(hint):
            scope_name = name
        elif parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            raise TypeError(f"{_place(fn)}: parameter {name!r} must be one that can be passed by name")
        else:
            parameters.append(_read_parameter(fn, parameter, hint, described.get(name, "")))
    return Signature(tuple(parameters), scope_name)


def _read_parameter(fn: Callable[..., Any], parameter: inspect.Parameter, hint: Any, text: str) -> Parameter:
    try:
        schema, convert = _schema_of(hint)
    except Exception as error:
        raise TypeError(f"{_place(fn)}: can't make a schema of parameter {parameter.name!r}: {error}") from error
    schema = dict(schema)
    if text and "description" not in schema:
        schema["description"] = text
    required = parameter.default is parameter.empty
    if not required and isinstance(parameter.default, (str, int, float, bool, list, dict)):
        schema["default"] = parameter.default
    return Parameter(parameter.name, schema, required, convert)


def _place(fn: Callable[..., Any]) -> str:
    code = fn.__code__
    return f"{code.co_filename}:{code.co_firstlineno}: {fn.__name__}()"


def _is_scope(hint: Any) -> bool:
    return hint is Scope or Scope in get_args(hint)


def _schema_of(hint: Any) -> tuple[Schema, Convert | None]:
    """Schema and converter of a hint; the converter is None where JSON is what the function wants."""
    plain = _plain_schema(hint)
    if plain is not None:
        return plain, None
    try:
        adapter = pydantic.TypeAdapter(hint)
    except ImportError as error:
        raise TypeError("this type needs pydantic (pip install pydantic)") from error
    return adapter.json_schema(), adapter.validate_python


def _plain_schema(hint: Any) -> Schema | None:
    """The schema of a plain type, or None where pydantic must be asked."""
    if hint in (inspect.Parameter.empty, Any) or (isinstance(hint, type) and hint in _PLAIN):
        return dict(_PLAIN[hint])
    read = _GENERIC.get(get_origin(hint))
    return read(*get_args(hint)) if read else None


def _annotated(hint: Any, *notes: Any) -> Schema | None:
    schema = _plain_schema(hint)
    text = next((n for n in notes if isinstance(n, str)), "")
    if schema is None or any(not isinstance(n, str) for n in notes):
        return None
    return {**schema, "description": text} if text else schema


def _enum(*values: Any) -> Schema:
    kinds = {type(v) for v in values}
    kind = _PLAIN.get(kinds.pop()) if len(kinds) == 1 else None
    return {**(kind or {}), "enum": list(values)}


def _union(*options: Any) -> Schema | None:
    schemas = [_plain_schema(o) for o in options]
    if any(s is None for s in schemas):
        return None
    if all(s is not None and set(s) == {"type"} for s in schemas):
        return {"type": [s["type"] for s in schemas if s]}
    return {"anyOf": schemas}


def _list(item: Any) -> Schema | None:
    items = _plain_schema(item)
    return items if items is None else {"type": "array", "items": items}


def _dict(_: Any, value: Any) -> Schema | None:
    values = _plain_schema(value)
    return values if values is None else {"type": "object", "additionalProperties": values}


# What isn't here (tuples, sets, dates, models) JSON doesn't give: pydantic describes and converts it.
_GENERIC: dict[Any, Callable[..., Schema | None]] = {
    Annotated: _annotated,
    Literal: _enum,
    Union: _union,
    types.UnionType: _union,
    list: _list,
    Sequence: _list,
    dict: _dict,
    Mapping: _dict,
}


# ------------------------------------------------------------------------------------------ docstrings

_SECTION = re.compile(r"^(Args|Arguments|Parameters|Params)\s*:\s*$", re.MULTILINE)
_ANY_SECTION = re.compile(r"^[A-Z]\w+\s*:\s*$", re.MULTILINE)


def summary_of(fn: Callable[..., Any]) -> str:
    """The docstring without the part that describes parameters."""
    doc = inspect.getdoc(fn) or ""
    names = [*inspect.signature(fn).parameters]
    text = _SECTION.split(doc)[0]
    for pattern in _inline_patterns(names):
        text = pattern.split(text)[0]
    return text.strip()


def _parameter_texts(doc: str, names: list[str]) -> dict[str, str]:
    """What a docstring says of each parameter: Google's Args section, Sphinx's `:param`, or `name: text`."""
    section = _SECTION.search(doc)
    if section:
        body = _ANY_SECTION.split(doc[section.end() :])[0]
        return _google_texts(body, names)
    found: dict[str, str] = {}
    for pattern in _inline_patterns(names):
        marks = [*pattern.finditer(doc)]
        ends = [*(m.start() for m in marks), len(doc)][1:]
        found |= {m.group(1): " ".join(doc[m.end() : end].split()) for m, end in zip(marks, ends, strict=False)}
    return {k: v for k, v in found.items() if v}


def _inline_patterns(names: list[str]) -> list[re.Pattern[str]]:
    if not names:
        return []
    known = "|".join(map(re.escape, names))
    return [re.compile(rf":param (?:\w+ )?({known}):"), re.compile(rf"(?:^|\n|  )\s*({known}):\s")]


def _google_texts(body: str, names: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    current = ""
    for line in body.splitlines():
        start = re.match(r"\s*\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)", line)
        if start and start.group(1) in names:
            current, text = start.group(1), start.group(2)
            found[current] = text.strip()
        elif current and line.strip():
            found[current] = f"{found[current]} {line.strip()}".strip()
    return found
