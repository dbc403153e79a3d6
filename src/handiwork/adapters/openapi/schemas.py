"""Schemas of OpenAPI as JSON Schema: what they refer to goes along, what only OpenAPI 3.0 says is said anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...core.types import Schema
from .document import Document

_NOT_SCHEMA = frozenset({"discriminator", "xml", "externalDocs", "readOnly", "writeOnly", "deprecated", "nullable"})


class Schemas:
    """Translates the schemas of one tool; `definitions` collects those that they refer to, by their names."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._names: dict[str, str] = {}
        self.definitions: dict[str, Schema] = {}

    def of(self, schema: Any) -> Any:
        """The JSON Schema of an OpenAPI one."""
        if not isinstance(schema, Mapping):
            return schema if isinstance(schema, bool) else {}
        if isinstance(reference := schema.get("$ref"), str):
            rest = {key: value for key, value in schema.items() if key == "description"}
            return {"$ref": f"#/$defs/{self._define(reference)}", **rest}
        made = {key: self._part(key, value) for key, value in schema.items() if key not in _NOT_SCHEMA}
        if isinstance(made.get("properties"), Mapping):
            _drop(made, self._unwritten(schema))
        if "example" in made:
            made["examples"] = [made.pop("example")]
        return _nullable(_bounded(made)) if schema.get("nullable") else _bounded(made)

    def _define(self, reference: str) -> str:
        """The name under which the definitions hold what is referred to: made once, also where it holds itself."""
        if reference not in self._names:
            name = reference.rpartition("/")[2]
            while name in self._names.values():
                name += "_"
            self._names[reference] = name
            self.definitions[name] = self.of(self._document.follow({"$ref": reference}))
        return self._names[reference]

    def _part(self, key: str, value: Any) -> Any:
        if key in ("items", "not", "additionalProperties", "contains", "propertyNames"):
            return self.of(value)
        if key in ("allOf", "anyOf", "oneOf", "prefixItems") and isinstance(value, list):
            return [self.of(item) for item in value]
        if key in ("properties", "patternProperties") and isinstance(value, Mapping):
            return {name: self.of(item) for name, item in value.items()}
        return value

    def _unwritten(self, schema: Mapping[str, Any]) -> list[str]:
        """Properties that only come back: who writes leaves them out."""
        found = schema["properties"].items()
        return [name for name, said in found if isinstance(said, Mapping) and said.get("readOnly")]


def _drop(made: Schema, names: list[str]) -> None:
    for name in names:
        made["properties"].pop(name, None)
    if "required" in made:
        made["required"] = [name for name in made["required"] if name not in names]


def _bounded(made: Schema) -> Schema:
    """Exclusive bounds as numbers: in 3.0 they are true or false beside the bound."""
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if isinstance(said := made.get(exclusive), bool):
            del made[exclusive]
            if said and bound in made:
                made[exclusive] = made.pop(bound)
    return made


def _nullable(made: Schema) -> Schema:
    kind = made.get("type")
    if isinstance(kind, str):
        allowed = {"enum": [*made["enum"], None]} if "enum" in made and None not in made["enum"] else {}
        return {**made, "type": [kind, "null"], **allowed}
    return {"anyOf": [made, {"type": "null"}]} if kind is None and made else made
