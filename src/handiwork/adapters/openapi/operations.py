"""The operations of a document: each with the arguments of its tool, and what becomes of them in a request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...core.errors import UsageError
from ...core.types import Schema
from .document import Document
from .schemas import Schemas

METHODS = ("get", "head", "post", "put", "patch", "delete")
_NOT_OURS = frozenset({"accept", "content-type", "authorization"})  # OpenAPI says so of header parameters
_FORM = "application/x-www-form-urlencoded"
_ODD = re.compile(r"[^A-Za-z0-9_-]")


@dataclass(frozen=True, slots=True)
class Place:
    """Where an argument goes: `path`, `query`, `header`, `cookie`, `body` (the whole), or `field` (a part of it).

    `name` is what it is called there; `style` and `explode` say how a list or an object is written.
    """

    where: str
    name: str
    style: str = ""
    explode: bool = False


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation as a tool: `places` says of each argument where it goes, `content` what kind the body is."""

    name: str
    method: str
    path: str
    description: str
    parameters: Schema
    places: Mapping[str, Place]
    content: str
    said: Mapping[str, Any]
    servers: Any


def operations_of(document: Document) -> Iterator[tuple[str, Mapping[str, Any], Mapping[str, Any], str]]:
    """Every operation: its method, what is said of it and of its path, and that path."""
    for path, written in (document.data.get("paths") or {}).items():
        item = document.follow(written)
        for method in METHODS:
            if isinstance(item, Mapping) and isinstance(item.get(method), Mapping):
                yield method, item[method], item, path


def name_of(method: str, said: Mapping[str, Any], path: str) -> str:
    """What an operation is called: its id, else its method and path."""
    return str(said.get("operationId") or _ODD.sub("_", f"{method}{path}").strip("_"))


def read_operation(
    document: Document, method: str, said: Mapping[str, Any], item: Mapping[str, Any], path: str
) -> Operation:
    """One operation as a tool. Raises `UsageError` for one that can't be called from here."""
    if not path.startswith("/"):  # else it would go on with the name of the host
        raise UsageError(f"the path {path!r} doesn't begin with /")
    arguments = _Arguments(Schemas(document))
    own = [document.follow(p) for p in said.get("parameters") or ()]
    known = {(p["in"], p["name"]) for p in own}
    shared = [p for p in map(document.follow, item.get("parameters") or ()) if (p["in"], p["name"]) not in known]
    for parameter in (*shared, *own):
        arguments.add_parameter(parameter)
    for name in re.findall(r"{([^{}]+)}", path):
        if not any(p.where == "path" and p.name == name for p in arguments.places.values()):
            arguments.add(Place("path", name), {"type": "string"}, is_required=True)
    content = arguments.add_body(document, document.follow(said.get("requestBody")))
    texts = [str(text).strip() for text in (said.get("summary"), said.get("description")) if text]
    servers = said.get("servers") or item.get("servers") or document.data.get("servers")
    return Operation(
        name_of(method, said, path), method, path, "\n".join(dict.fromkeys(texts)) or f"{method.upper()} {path}",
        arguments.schema(), arguments.places, content, said, servers,
    )  # fmt: skip


class _Arguments:
    """The arguments of one tool, put together from everywhere; of two with one name the later is named by its place."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        self._properties: dict[str, Any] = {}
        self._required: list[str] = []
        self.places: dict[str, Place] = {}

    def schema(self) -> Schema:
        definitions = {"$defs": self._schemas.definitions} if self._schemas.definitions else {}
        made = {"type": "object", "properties": self._properties, "required": self._required, **definitions}
        return made | {"additionalProperties": False}

    def add(self, place: Place, schema: Any, *, is_required: bool) -> None:
        key = _ODD.sub("_", place.name)[:64] or place.where
        if key in self.places:
            key = f"{key}_{'body' if place.where == 'field' else place.where}"
        while key in self.places:
            key += "_"
        self._properties[key], self.places[key] = schema, place
        if is_required:
            self._required.append(key)

    def add_parameter(self, said: Mapping[str, Any]) -> None:
        where, name = str(said["in"]), str(said["name"])
        if where == "header" and name.lower() in _NOT_OURS:
            return
        media = next(iter(said["content"].values()), {}) if "content" in said else said
        schema = self._schemas.of(media.get("schema") or {"type": "string"})
        if (text := said.get("description")) and isinstance(schema, dict):
            schema = {**schema, "description": str(text)}
        style = str(said.get("style") or ("form" if where in ("query", "cookie") else "simple"))
        style = "json" if "content" in said else style
        place = Place(where, name, style, bool(said.get("explode", style == "form")))
        self.add(place, schema, is_required=bool(said.get("required")) or where == "path")

    def add_body(self, document: Document, body: Any) -> str:
        """The arguments of a body, and which kind of content it is; "" without one."""
        if not isinstance(body, Mapping):
            return ""
        content, media = _chosen(body.get("content") or {})
        schema, is_needed = document.follow(media.get("schema") or {}), bool(body.get("required"))
        if content.startswith("text/") or not _is_flat(schema):
            text = {"description": str(body["description"])} if body.get("description") else {}
            whole = {"type": "string"} if content.startswith("text/") else self._schemas.of(media.get("schema") or {})
            self.add(Place("body", "body"), {**whole, **text}, is_required=is_needed)
            return content
        made = self._schemas.of(schema)
        for name, part in made["properties"].items():
            self.add(Place("field", name), part, is_required=is_needed and name in made.get("required", ()))
        return content


def _chosen(content: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The kind of body that is sent: JSON, a form or text."""
    for kind, media in content.items():
        plain = kind.partition(";")[0].strip().lower()
        if plain == "application/json" or plain.endswith("+json") or plain == "*/*":
            return "application/json" if plain == "*/*" else plain, media or {}
    for kind, media in content.items():
        if kind.lower() == _FORM or kind.lower().startswith("text/"):
            return kind.lower(), media or {}
    raise UsageError(f"its body is {', '.join(content) or 'of no kind'}; JSON, forms and text are sent")


def _is_flat(schema: Any) -> bool:
    """Whether the parts of a body can stand among the other arguments."""
    mixed = ("allOf", "anyOf", "oneOf", "not", "patternProperties", "discriminator")
    is_object = isinstance(schema, Mapping) and schema.get("type", "object") == "object"
    closed = is_object and not any(key in schema for key in mixed) and not schema.get("additionalProperties")
    return bool(closed and schema.get("properties") and not schema.get("nullable"))
