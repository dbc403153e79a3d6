"""A tool as a server defines it: read, cleaned for a model's eyes, and refused by itself where it can't work."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...core.loading import Late
from ...core.types import Schema
from .names import tool_name

fencing = Late("handiwork.guard.fencing")
_MOST_DESCRIPTION = 8_000
_MOST_BYTES = 262_144
_MOST_DEPTH = 100
# What is invisible, what turns the reading order, and letters that only hide text (tags, variation selectors).
_HIDDEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff9-\ufffb\U000e0000-\U000e007f\U000e0100-\U000e01ef\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
)
_PINNED = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")


@dataclass(frozen=True, slots=True)
class Definition:
    """One tool of a server: `tool` is what the server calls it, `name` what it is called here.

    `description` and `parameters` are as a model may read them; `raw` is as the server sent it. `notes`
    say what was amiss. `is_verb` marks what isn't a tool of the server's, but ours for its resources and prompts.
    """

    tool: str
    name: str
    description: str
    parameters: Schema
    raw: Mapping[str, Any]
    output_schema: Schema | None = None
    annotations: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    is_verb: bool = False

    @property
    def digest(self) -> str:
        """The hash of everything that a person agreed to."""
        return hashlib.sha256(canonical(self.raw).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Refused:
    """A tool that isn't offered, and why."""

    tool: str
    reason: str


def canonical(raw: Mapping[str, Any]) -> str:
    """The part of a definition that a model acts on, as text that is the same for the same meaning."""
    said = {key: raw[key] for key in _PINNED if raw.get(key) is not None}
    return json.dumps(said, sort_keys=True, ensure_ascii=True, separators=(",", ":"))


def fault_of(raw: Any) -> Refused | None:
    """Why a definition can't be used, None where it can."""
    if not isinstance(raw, Mapping):
        return Refused("?", f"it is no object but {type(raw).__name__}")
    tool = raw.get("name")
    if not isinstance(tool, str) or not tool:
        return Refused(str(tool or "?"), "it has no name")
    if problem := _problem_with_schema(raw.get("inputSchema")) or _problem_with_execution(raw.get("execution")):
        return Refused(tool, problem)
    if _depth_of(raw) > _MOST_DEPTH:
        return Refused(tool, f"its definition is nested more than {_MOST_DEPTH} deep")
    if len(json.dumps(raw)) > _MOST_BYTES:
        return Refused(tool, f"its definition is longer than {_MOST_BYTES // 1024} KiB")
    return None


def _depth_of(value: Any) -> int:
    """How deep *value* is nested; counted in layers, since a deep one would break whatever calls itself."""
    layer, depth = [value], 0
    while layer:
        depth += 1
        layer = [inner for outer in layer for inner in _inside(outer)]
    return depth


def _inside(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _problem_with_execution(execution: Any) -> str:
    """The SDK has no tasks of 2025; the protocol has dropped them since."""
    only_as_task = isinstance(execution, Mapping) and execution.get("taskSupport") == "required"
    return "it only runs as a task, which isn't supported here" if only_as_task else ""


def _problem_with_schema(schema: Any) -> str:
    if not isinstance(schema, Mapping):
        return f"its inputSchema is {'missing' if schema is None else 'no object'}"
    if schema.get("type", "object") != "object":
        return f"its inputSchema must be of type object, not {schema['type']!r}"
    properties = schema.get("properties", {})
    return "" if isinstance(properties, Mapping) else "the properties of its inputSchema are no object"


def read_definition(server: str, raw: Mapping[str, Any]) -> Definition:
    """The definition of a tool that has no fault."""
    tool = raw["name"]
    notes: list[str] = []
    annotations = raw.get("annotations")
    return Definition(
        tool=tool,
        name=tool_name(server, tool),
        description=_described(server, raw, notes),
        parameters=_visible({"type": "object", **raw["inputSchema"]}, notes),
        raw=raw,
        output_schema=_output_schema(raw.get("outputSchema"), notes),
        annotations=annotations if isinstance(annotations, Mapping) else {},
        notes=tuple(dict.fromkeys(notes)),
    )


def _described(server: str, raw: Mapping[str, Any], notes: list[str]) -> str:
    said = str(raw.get("description") or raw.get("title") or "")
    if not tool_name(server, raw["name"]).endswith(f"__{raw['name']}"):
        said = f"{said}\n(The MCP server {server!r} calls it {raw['name']!r}.)".lstrip()
    text = _clean(said, notes)
    notes += [f"its description {risk}" for risk in fencing.risks(text)]
    text = fencing.neutralise(text)
    if len(text) > _MOST_DESCRIPTION:
        notes.append(f"its description is {len(text):,} characters long and was cut")
        text = f"{text[:_MOST_DESCRIPTION]} ..."
    return text or f"The tool {raw['name']!r} of the MCP server {server!r}; it doesn't say what it does."


def _clean(text: str, notes: list[str]) -> str:
    plain = _HIDDEN.sub("", text)
    if plain != text:
        notes.append("its texts held invisible characters, which were taken out")
    return plain


def _visible(schema: Any, notes: list[str], key: str = "") -> Any:
    """A schema with its texts cleaned; names and values that are sent back stay as they are."""
    if isinstance(schema, Mapping):
        return {k: v if k in _DATA else _visible(v, notes, k) for k, v in schema.items()}
    if isinstance(schema, list):
        return [_visible(item, notes, key) for item in schema]
    if isinstance(schema, str) and key in _TEXTS:
        text = _clean(schema, notes)
        notes += [f"a description in its schema {risk}" for risk in fencing.risks(text)]
        return fencing.neutralise(text)
    return schema


_TEXTS = frozenset({"description", "title", "$comment"})
_DATA = frozenset({"default", "const", "enum", "examples", "required", "pattern"})


def _output_schema(schema: Any, notes: list[str]) -> Schema | None:
    """What its structured results are checked against; nothing where that would need the network."""
    if schema is None:
        return None
    if not isinstance(schema, Mapping):
        notes.append("its outputSchema is no object, so its results aren't checked")
        return None
    if any(not ref.startswith("#") for ref in _references(schema)):
        notes.append("its outputSchema refers to other documents, so its results aren't checked")
        return None
    return dict(schema)


def _references(schema: Any) -> list[str]:
    if isinstance(schema, Mapping):
        own = [schema["$ref"]] if isinstance(schema.get("$ref"), str) else []
        return own + [ref for value in schema.values() for ref in _references(value)]
    return [ref for item in schema for ref in _references(item)] if isinstance(schema, list) else []
