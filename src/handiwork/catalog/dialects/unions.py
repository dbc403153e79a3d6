"""`anyOf` and `oneOf`: set alone, brought into the root, and tidied."""

from __future__ import annotations

from typing import Any

from ...core.types import Schema
from ...core.wire import dumps
from .keywords import UNIONS, in_order, split_annotations
from .notes import Tell
from .table import Dialect


def set_alone(node: Schema, dialect: Dialect, tell: Tell) -> Schema:
    """Where nothing may stand beside a union, what stands there goes into each of its members."""
    key = next((u for u in UNIONS if u in node), None)
    if key is None or not dialect.lone_unions:
        return node
    if key == "oneOf":
        tell("widened", "'oneOf' is 'anyOf' here: more than one may fit")
    notes, rest = split_annotations({k: v for k, v in node.items() if k != key})
    members = node[key]
    return {**notes, "anyOf": [{"allOf": [member, rest]} for member in members] if rest else members}


def settle(out: Schema, dialect: Dialect) -> Schema:
    """A union, its members adapted: unions in it opened, doubles gone, null as the dialect says it."""
    if "anyOf" not in out:
        return out
    members = _distinct([inner for member in out["anyOf"] for inner in _opened(member)])
    if dialect.nullable:
        members = _with_flag(members)
    out = {**out, "anyOf": members}
    return _of_one(out, dialect) if len(members) == 1 else notes_inside(out, dialect)


def _with_flag(members: list[Schema]) -> list[Schema]:
    """Null as a flag of the other members, if any of them hasn't it yet."""
    kept = [m for m in members if m != {"type": "null"}]
    if len(kept) == len(members) or not kept or any(m.get("nullable") for m in kept):
        return kept or members
    return [in_order({**m, "nullable": True}) for m in kept]


def _opened(member: Schema) -> list[Schema]:
    """The members of a union that is nothing but a union."""
    return member["anyOf"] if set(member) == {"anyOf"} else [member]


def _distinct(members: list[Schema]) -> list[Schema]:
    return list({dumps(m): m for m in members}.values())


def _of_one(out: Schema, dialect: Dialect) -> Schema:
    """A union of one is that one, if what stands beside it can stand beside that."""
    member = out["anyOf"][0]
    rest = {k: v for k, v in out.items() if k != "anyOf"}
    notes, said = split_annotations(rest)
    if said or ("$ref" in member and notes and dialect.lone_links):
        return out
    return {**member, **notes}


def notes_inside(out: Schema, dialect: Dialect) -> Schema:
    """Where not even a description may stand beside a union, the first member takes it."""
    if not dialect.nullable or "anyOf" not in out:
        return out
    first, *others = out["anyOf"]
    texts = {k: v for k, v in out.items() if k in ("title", "description")}
    return {"anyOf": [in_order({**texts, **first}), *others]}


# ------------------------------------------------------------------------------------------ the root


def bring_in(base: Schema, members: list[Schema], tell: Tell) -> Schema:
    """The root object of a union of objects: all their properties, of which those are required that all require.

    *members* are read nodes. A property that only some of them name is taken to mean the same in all.
    """
    members = [m for m in members if "object" in m.get("type", ("object",)) and m.get("not") != {}]
    if not members:
        return base
    tell("widened", "the union at the root is one object with the properties of all its members")
    properties = dict(base.get("properties", {}))
    for name in dict.fromkeys(name for m in members for name in m.get("properties", {})):
        schemas = [m["properties"][name] for m in members if name in m.get("properties", {})]
        if len(schemas) < len(members) and name not in properties:
            tell("mended", f"the property {name!r} is read as the same in every member of the union")
        properties[name] = _joined(properties.get(name), schemas, len(schemas) < len(members))
    always = set.intersection(*({*m.get("required", ())} for m in members))
    required = dict.fromkeys([*base.get("required", ()), *sorted(always)])
    out = {**base, "properties": properties, "required": list(required)}
    if "additionalProperties" not in base and all(m.get("additionalProperties") is False for m in members):
        out["additionalProperties"] = False
    return out


def _joined(own: Any, others: list[Any], is_optional: bool) -> Any:
    """The schema of one property: what the root says of it, and what any member says."""
    union = others[0] if len({dumps(o) for o in others}) == 1 else {"anyOf": others}
    if own is None:
        return union
    return own if is_optional else {"allOf": [own, union]}
