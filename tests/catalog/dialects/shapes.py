"""Random schemas with values to try on them, and an adapted schema as `jsonschema` understands it."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from handiwork.catalog.dialects.keywords import MANY, NAMED, ONE

NAMES = ("type", "properties", "$ref", "nullable", "default", "enum", "items", "a", "b")
names = st.sampled_from(NAMES)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 12) | st.sampled_from([0.5, 2.0, "", "a", "ab1", "2024-01-01"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)
arguments = st.dictionaries(names, values, max_size=4)


def optional(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=fields)


def both(base: dict[str, Any], more: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return more.map(lambda fields: {**base, **fields})


counts = st.integers(0, 3)
bounds = st.sampled_from([0, 5, 0.5, 5.5])
leaves = st.one_of(
    st.booleans(),
    st.just({}),
    st.just({"description": "any", "default": {"$ref": "#/nowhere", "type": "dict", "nullable": True}}),
    both(
        {"type": "string"},
        optional(
            minLength=counts,
            maxLength=counts,
            pattern=st.sampled_from(["^a", "b", "^[a-c]+$", "^(a|b)1?$", "^a|b$"]),
            format=st.sampled_from(["date", "uri"]),
        ),
    ),
    both({"type": "integer"}, optional(minimum=bounds, exclusiveMaximum=bounds, multipleOf=st.just(2))),
    both(
        {"minLength": 1, "minItems": 1},
        st.lists(st.sampled_from(["string", "number", "null", "array", "object"]), min_size=1, unique=True).map(
            lambda kinds: {"type": kinds}
        ),
    ),
    st.lists(values, min_size=1, max_size=3).map(lambda listed: {"enum": listed}),
    values.map(lambda value: {"const": value}),
    st.sampled_from(["#", "#/$defs/A", "#/$defs/B"]).map(lambda ref: {"$ref": ref, "description": "a reference"}),
)


def objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return both(
        {"type": "object"},
        optional(
            properties=st.dictionaries(names, inner, max_size=3),
            required=st.lists(st.sampled_from(("a", "type")), max_size=2, unique=True),
            additionalProperties=inner,
            patternProperties=st.fixed_dictionaries({"^[at]": inner}),
            propertyNames=st.just({"pattern": "^[a-z]"}),
            minProperties=counts,
            dependentRequired=st.just({"a": ["b"]}),
            dependentSchemas=st.fixed_dictionaries({"a": inner}),
        ),
    )


def nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    some = st.lists(inner, min_size=1, max_size=3)
    extra = st.sampled_from([{}, {"type": "object"}, {"minLength": 2}, {"type": ["string", "object", "null"]}])
    unions = st.builds(lambda key, members, base: {**base, key: members}, st.sampled_from(UNIONS), some, extra)
    arrays = both({"type": "array"}, optional(items=inner, prefixItems=some, maxItems=counts, contains=inner))
    negative = st.one_of(
        inner.map(lambda s: {"not": s}),
        st.fixed_dictionaries({"if": inner, "then": inner}, optional={"else": inner}),
    )
    return st.one_of(objects(inner), unions, arrays, negative)


UNIONS = ("anyOf", "oneOf", "allOf")
schemas = st.recursive(leaves, nested, max_leaves=8)
roots = st.builds(lambda root, a, b: {**root, "$defs": {"A": a, "B": b}}, objects(schemas), schemas, schemas)


def is_legal(schema: Any, value: Any) -> bool | None:
    """Whether *schema* accepts *value*; None where a schema that means itself can't be asked."""
    try:
        return bool(Draft202012Validator(schema).is_valid(value))
    except BaseException as error:
        if "Recursion" in str(error) or isinstance(error, RecursionError):
            return None
        raise


def as_json_schema(schema: Any) -> Any:
    """Gemini's `nullable` as JSON Schema says it."""
    if not isinstance(schema, dict):
        return schema
    plain = {
        key: {n: as_json_schema(s) for n, s in value.items()}
        if key == "properties"
        else [as_json_schema(s) for s in value]
        if key == "anyOf"
        else as_json_schema(value)
        if key == "items"
        else value
        for key, value in schema.items()
        if key != "nullable"
    }
    return {"anyOf": [plain, {"type": "null"}]} if schema.get("nullable") else plain


def keywords_of(schema: Any) -> set[str]:
    """Every keyword in an adapted schema; names of properties and data aren't keywords."""
    if not isinstance(schema, dict):
        return set()
    inner = [schema[k] for k in ONE if k in schema]
    inner += [s for k in MANY for s in schema.get(k, ())]
    inner += [s for k in (*NAMED, "$defs") for s in schema.get(k, {}).values()]
    return set(schema).union(*map(keywords_of, inner))


def filled(schema: dict[str, Any], value: Any, root: dict[str, Any], unlisted: list[str]) -> Any:
    """*value* as a strict dialect wants it: null for every property that isn't given.

    Names that the schema doesn't list are told in *unlisted*: an open object becomes a closed one.
    """
    if "$ref" in schema:
        return filled(root["$defs"][schema["$ref"].rpartition("/")[2]], value, root, unlisted)
    for member in schema.get("anyOf", ()):
        candidate = filled(member, value, root, unlisted)
        if is_legal({**member, "$defs": root.get("$defs", {})}, candidate):
            return candidate
    if isinstance(value, list) and "items" in schema:
        return [filled(schema["items"], v, root, unlisted) for v in value]
    if not isinstance(value, dict) or "properties" not in schema:
        return value
    properties = schema["properties"]
    unlisted += value.keys() - properties.keys()
    given = {n: filled(properties[n], v, root, unlisted) if n in properties else v for n, v in value.items()}
    return {**dict.fromkeys(properties), **given}


TREE: dict[str, Any] = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "properties": {"root": {"$ref": "#/definitions/Node"}},
    "definitions": {
        "Node": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "kids": {"type": "array", "items": {"$ref": "#/definitions/Node"}},
            },
            "required": ["name"],
        }
    },
}
