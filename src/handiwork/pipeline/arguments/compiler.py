"""From a JSON Schema to nodes: each keyword is read once, so that a call only runs what its tool needs.

Local references are compiled when they are first used. A keyword that makes no sense is ignored: a bad
schema must not make its tool uncallable.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any
from urllib.parse import unquote

from .combinations import AllNode, ConditionalNode, DependentNode, NotNode, UnionNode
from .constraints import checks_of, same
from .conversion import kind_of
from .nodes import AnyNode, ChoiceNode, NeverNode, Node, RefNode, Shape, TypedNode
from .shapes import ArrayShape, Contains, Members, ObjectShape
from .wording import describe, types_of

_ANNOTATIONS = frozenset(("type", "description", "title", "default", "examples", "format", "deprecated", "$comment"))
_ANY = AnyNode()
_NEVER = NeverNode()
_MAX_NESTING = 40
_COMBINING = ("$ref", "anyOf", "oneOf", "allOf", "not", "if", "dependentSchemas")
_OBJECT_KEYS = frozenset(("properties", "required", "additionalProperties", "patternProperties", "propertyNames"))
_ARRAY_KEYS = frozenset(("items", "prefixItems", "contains", "additionalItems"))


class Compiler:
    """Compiles the schemas of one tool; `root` is what `#` refers to."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self.root = root
        self._refs: dict[str, RefNode] = {}
        self._nesting = 0

    def compile(self, schema: Any) -> Node:
        """The node of a schema."""
        if schema is False:
            return _NEVER
        if not isinstance(schema, Mapping) or not schema or self._nesting > _MAX_NESTING:
            return _ANY
        if schema.keys() <= _ANNOTATIONS and isinstance(schema.get("type"), str):
            return _bare(schema["type"])
        self._nesting += 1
        parts = self._parts(schema)
        self._nesting -= 1
        if len(parts) == 1:
            return parts[0]
        return AllNode(tuple(parts)) if parts else _ANY

    def resolve(self, pointer: str) -> Any:
        """The schema that a local reference points to; True (anything goes) if there is none."""
        found: Any = self.root
        seen = 0
        for step in unquote(pointer).removeprefix("#").split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            if isinstance(found, (list, tuple)) and key.isdigit() and int(key) < len(found):
                found = found[int(key)]
            elif isinstance(found, Mapping) and key in found:
                found = found[key]
            else:
                return True
            seen += 1
        return found if seen or pointer in ("#", "#/") else True

    def listing(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """The schema that lists the properties: *schema*, or the one it refers to."""
        if "properties" not in schema and isinstance(schema.get("$ref"), str):
            target = self.resolve(schema["$ref"])
            return target if isinstance(target, Mapping) else schema
        return schema

    # ----------------------------------------------------------------------------------------- parts

    def _parts(self, schema: Mapping[str, Any]) -> list[Node]:
        base = self._base(schema)
        parts = [base] if base else []
        for keyword in _COMBINING:
            if keyword in schema:
                parts += self._combined(keyword, schema)
        return parts

    def _combined(self, keyword: str, schema: Mapping[str, Any]) -> list[Node]:
        given = schema[keyword]
        if keyword == "$ref":
            return [self._ref(given)] if isinstance(given, str) else []
        if keyword in ("anyOf", "oneOf", "allOf"):
            return self._branches(keyword, given, schema) if isinstance(given, (list, tuple)) and given else []
        if keyword == "not":
            return [NotNode(self.compile(given), says=partial(describe, given, self.resolve))]
        if keyword == "dependentSchemas":
            named = given.items() if isinstance(given, Mapping) else ()
            return [DependentNode({name: self.compile(inner) for name, inner in named})]
        then, otherwise = (self.compile(schema.get(k, True)) for k in ("then", "else"))
        return [ConditionalNode(self.compile(given), then, otherwise)]

    def _branches(self, keyword: str, given: Any, schema: Mapping[str, Any]) -> list[Node]:
        if keyword == "allOf":
            return sorted((self.compile(b) for b in given), key=lambda node: isinstance(node, NotNode))
        nullable = [{"type": "null"}] if schema.get("nullable") is True else []
        branches = [*given, *nullable]
        nodes = tuple(map(self.compile, branches))
        if len(nodes) == 1:
            return [nodes[0]]
        rivals = tuple(map(self._required, branches)) if keyword == "oneOf" else ()
        return [UnionNode(nodes, says=partial(describe, {"anyOf": branches}, self.resolve), rivals=rivals)]

    def _required(self, schema: Any) -> frozenset[str]:
        if isinstance(schema, Mapping) and isinstance(schema.get("$ref"), str):
            schema = self.resolve(schema["$ref"])
        return frozenset(names_of(schema.get("required"))) if isinstance(schema, Mapping) else frozenset()

    def _ref(self, pointer: str) -> RefNode:
        if pointer not in self._refs:
            self._refs[pointer] = RefNode(partial(self._follow, pointer))
        return self._refs[pointer]

    def _follow(self, pointer: str) -> Node:
        """Compile what a reference points to; a reference that only leads to itself accepts anything."""
        seen: set[str] = set()
        schema = self.resolve(pointer)
        while isinstance(schema, Mapping) and set(schema) == {"$ref"} and isinstance(schema["$ref"], str):
            if schema["$ref"] in seen:
                return _ANY
            seen.add(schema["$ref"])
            schema = self.resolve(schema["$ref"])
        return self.compile(schema)

    # ------------------------------------------------------------------------------------------ base

    def _base(self, schema: Mapping[str, Any]) -> Node | None:
        """The node of the keywords that speak of the value itself."""
        types = types_of(schema)
        says = partial(describe, schema, self.resolve)
        if "const" in schema or (isinstance(schema.get("enum"), (list, tuple)) and schema["enum"]):
            return _choice(schema, types, says)
        checks = checks_of(schema)
        shapes: dict[str, Shape] = {}
        if not types or "object" in types:
            shapes |= self._object(schema)
        if not types or "array" in types:
            shapes |= self._array(schema)
        if not (types or checks or shapes):
            return None
        return TypedNode(types, checks=checks, shapes=shapes, says=says)

    def _object(self, schema: Mapping[str, Any]) -> dict[str, Shape]:
        if _OBJECT_KEYS.isdisjoint(schema):
            return {}
        listed = schema.get("properties")
        properties = {n: p for n, p in listed.items() if isinstance(n, str)} if isinstance(listed, Mapping) else {}
        children = {name: self.compile(inner) for name, inner in properties.items()}
        others = schema.get("additionalProperties")
        patterns = schema.get("patternProperties")
        names = schema.get("propertyNames")
        members = Members(
            children=children,
            required=frozenset(names_of(schema.get("required"))),
            defaults={n: p["default"] for n, p in properties.items() if isinstance(p, Mapping) and "default" in p},
            patterns=tuple(self._patterns(patterns)) if isinstance(patterns, Mapping) else (),
            others=None if others is None or others is True else self.compile(others),
            names=None if names is None else self.compile(names),
            renames=_renames(others, patterns),
            says=lambda name: describe(properties.get(name, True), self.resolve, 1),
        )
        return {"object": ObjectShape(members)}

    def _patterns(self, patterns: Mapping[str, Any]) -> list[tuple[re.Pattern[str], Node]]:
        found = []
        for pattern, inner in patterns.items():
            try:
                found.append((re.compile(pattern), self.compile(inner)))
            except (re.error, TypeError):
                continue
        return found

    def _array(self, schema: Mapping[str, Any]) -> dict[str, Shape]:
        if _ARRAY_KEYS.isdisjoint(schema):
            return {}
        items, first = schema.get("items", True), schema.get("prefixItems", ())
        if isinstance(items, (list, tuple)):
            items, first = schema.get("additionalItems", True), items
        contains = None
        if "contains" in schema:
            least = _count(schema.get("minContains"), 1)
            most = _count(schema.get("maxContains"), float("inf"))
            contains = Contains(self.compile(schema["contains"]), least, most)
        nodes = tuple(map(self.compile, first)) if isinstance(first, (list, tuple)) else ()
        return {"array": ArrayShape(self.compile(items), first=nodes, contains=contains)}


@lru_cache(maxsize=64)
def _bare(name: str) -> Node:
    """The node of a type without further conditions: one for all tools."""
    schema = {"type": name}
    types = types_of(schema)
    return TypedNode(types, checks={}, shapes={}, says=partial(describe, schema, _unresolved)) if types else _ANY


def _unresolved(_: str) -> Any:
    return True


def _count(given: Any, otherwise: float) -> float:
    return given if isinstance(given, (int, float)) else otherwise


def names_of(required: Any) -> list[str]:
    """The names in a list of names; nothing else counts."""
    return [n for n in required if isinstance(n, str)] if isinstance(required, (list, tuple)) else []


def _renames(others: Any, patterns: Any) -> str:
    """Where names are data (a map), a name is what it is; where they are listed, it may be misspelt."""
    if isinstance(others, Mapping) and others:
        return "never"
    return "missing" if others is True or others == {} or patterns else "always"


def _choice(schema: Mapping[str, Any], types: tuple[str, ...], says: Callable[[], str]) -> Node:
    """The listed values that the type allows too; all of them if author and type contradict each other."""
    listed = schema["enum"] if isinstance(schema.get("enum"), (list, tuple)) and schema["enum"] else [schema["const"]]
    allowed = {*types, "integer"} if "number" in types else set(types)
    choices = [c for c in listed if not allowed or kind_of(c) in allowed] or list(listed)
    if "const" in schema:
        choices = [c for c in choices if same(c, schema["const"])]
    if schema.get("nullable") is True and None not in choices:
        choices.append(None)
    return ChoiceNode(choices, says=says) if choices else _NEVER
