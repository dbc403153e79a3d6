"""The walk through a schema: each node flattened, taken through the steps, and its schemas after it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...core.types import Schema
from ...core.wire import copy_json
from . import arrays, kinds, objects, unions, values
from .flattening import Flattening, Place
from .keywords import GROUPS, NAMED, ONE, UNIONS, in_order, is_plain
from .notes import Adapted, Notes, Tell, UnsayableSchemaError
from .references import Target, name_of
from .table import Dialect

_DEEPEST = 48
_MOST_NODES = 20_000
_EXACT = (("not",), *GROUPS)
_EXACT_KEYS = frozenset(key for group in _EXACT for key in group)

Step = Callable[[Schema, Dialect, Tell], Schema]

# In this order; each takes a flat node whose schemas are as they were written.
STEPS: tuple[Step, ...] = (
    unions.set_alone,
    kinds.say_type,
    kinds.only_relevant,
    kinds.split_types,
    values.const_as_enum,
    values.string_enum,
    values.known_format,
    values.plain_pattern,
    values.few_repeats,
    values.whole_bounds,
    arrays.no_items,
    arrays.one_item_schema,
    arrays.say_items,
    objects.drop_forbidden,
    objects.open_patterns,
    objects.require_listed,
    objects.tell_if_free,
    values.known_keywords,
)


class Adapting:
    """One document on its way into one dialect."""

    def __init__(self, document: object, dialect: Dialect) -> None:
        self._document, self._dialect = document, dialect
        self._notes = Notes()
        self._flattening = Flattening(document, dialect, self._notes)
        self._names: dict[str, str] = {}
        self._waiting: list[Target] = []
        self._nodes = self._properties = 0
        self.is_settled = True  # no union, no reference: adapting the result again can't find more to do

    def run(self) -> Adapted:
        """The whole schema. Raises `UnsayableSchemaError` where it can't be an object of parameters."""
        root = self._finish(self._root(), Place())
        _refuse_if_empty(root)
        root.setdefault("properties", {})
        defs: Schema = {}
        while self._waiting:
            target = self._waiting.pop(0)
            defs[self._names[target.pointer]] = self._schema(target.raw, Place(target.pointer.removeprefix("#")))
        if defs:
            root["$defs"] = defs
        return Adapted(in_order(root), self._notes.all())

    # ------------------------------------------------------------------------------------- the root

    def _root(self) -> Schema:
        tell = self._notes.at("")
        root = self._object(self._document, Place())
        _refuse_if_empty(root)
        for key in ("enum", "const"):
            if root.pop(key, None) is not None:
                tell("widened", f"{key!r} can't be said at the root")
        root = {**root, "type": ["object"], "properties": root.get("properties", {})}
        if self._dialect.closed and not root["properties"]:
            root.setdefault("additionalProperties", False)  # a tool without parameters takes none
        return objects.sayable_names(root, self._dialect, tell)

    def _object(self, raw: object, place: Place) -> Schema:
        """The flat node of *raw*, and where it is a union, one object of all its members."""
        flat = self._flattening.flat(raw, place, alone=False)
        node = flat.node
        for key in UNIONS:
            if members := node.pop(key, None):
                inner = place.through(flat.via)
                parts = [self._object(m, inner.down(key, i)) for i, m in enumerate(members[:_DEEPEST])]
                node = unions.bring_in(node, parts, self._notes.at(place.path))
        return node

    # ------------------------------------------------------------------------------------ each node

    def _schema(self, raw: object, place: Place) -> Schema:
        self._nodes += 1
        if self._dialect.anything and raw == self._dialect.anything:
            return self._anything(place)
        if place.depth > _DEEPEST or self._nodes > _MOST_NODES:
            self._notes.at(place.path)("widened", "too deep or too much: cut here")
            return self._anything(place)
        flat = self._flattening.flat(raw, place)
        if flat.link:
            return self._linked(flat.link, flat.node)
        return self._finish(flat.node, place.through(flat.via))

    def _finish(self, node: Schema, place: Place) -> Schema:
        """The adapted form of a flat node."""
        dialect, tell = self._dialect, self._notes.at(place.path)
        for step in STEPS:
            node = step(node, dialect, tell)
        if dialect.levels and place.level >= dialect.levels and "object" in node.get("type", ()):
            tell("narrowed", f"objects nest at most {dialect.levels} deep here")
            return copy_json(dialect.at_the_end)  # type: ignore[no-any-return]
        out = self._with_schemas(node, place)
        out = objects.close(out, dialect)
        if not out.get("required", True) and not dialect.closed:
            del out["required"]
        out = unions.settle(kinds.write_type(out, dialect), dialect)
        if is_plain(out):
            out = unions.notes_inside({**out, **self._anything(place)}, dialect)
        self.is_settled = self.is_settled and not any(u in out for u in UNIONS)
        return in_order(out)

    def _anything(self, place: Place) -> Schema:
        """How the dialect says "any value" at a place."""
        dialect = self._dialect
        if "anyOf" in dialect.anything:
            self._notes.at(place.path)("narrowed", "any value: lists in lists can be said only two deep")
        if dialect.levels and place.level >= dialect.levels:
            return copy_json(dialect.at_the_end)  # type: ignore[no-any-return]
        said = dialect.any_property if place.is_property and dialect.any_property else dialect.anything
        return copy_json(said)  # type: ignore[no-any-return]

    def _linked(self, target: Target, notes: Schema) -> Schema:
        """A reference that stays one; its target is adapted later."""
        if target.pointer not in self._names:
            self._names[target.pointer] = name_of(target.pointer, dict.fromkeys(self._names.values()))
            self._waiting.append(target)
        self.is_settled = False
        self._notes.losses += 1  # what it points to may yet be widened: not to be used where that narrows
        link = {"$ref": f"#/$defs/{self._names[target.pointer]}"}
        notes = {k: v for k, v in notes.items() if k in self._dialect.keywords}
        if notes and self._dialect.lone_links:
            return in_order({**notes, "anyOf": [link]})
        return in_order({**notes, **link})

    # ------------------------------------------------------------------------------ the schemas in it

    def _with_schemas(self, node: Schema, place: Place) -> Schema:
        out: Schema = {}
        for key, value in node.items():
            if key == "oneOf":
                self._one_of(out, value, place)
            elif key not in _EXACT_KEYS:
                out[key] = self._inner(key, value, place)
        for group in _EXACT:
            if group[0] in node:
                self._exactly(out, {k: node[k] for k in group if k in node}, place)
        return out

    def _inner(self, key: str, value: Any, place: Place) -> Any:
        """The adapted value of a keyword."""
        if key in NAMED:
            self._count(value)
            return {name: self._schema(inner, place.down(key, name)) for name, inner in value.items()}
        if key in ("anyOf", "prefixItems"):
            return [self._schema(inner, place.down(key, i)) for i, inner in enumerate(value)]
        if key == "additionalProperties" and (isinstance(value, bool) or self._dialect.closed):
            return value
        return self._schema(value, place.down(key)) if key in ONE else value

    def _count(self, named: Mapping[str, Any]) -> None:
        self._properties += len(named)
        if self._dialect.most_properties and self._properties > self._dialect.most_properties:
            why = f"more than {self._dialect.most_properties} properties, which {self._dialect.name} refuses"
            raise UnsayableSchemaError("", why)

    def _one_of(self, out: Schema, members: list[Any], place: Place) -> None:
        """Exactly one, if each member could be said exactly; else any: a wider member fits more often."""
        before = self._notes.losses
        adapted = [self._schema(member, place.down("oneOf", i)) for i, member in enumerate(members)]
        if "oneOf" in self._dialect.keywords and self._notes.losses == before:
            out["oneOf"] = adapted
            return
        self._notes.at(place.path)("widened", "'oneOf' is 'anyOf' here: more than one may fit")
        if "anyOf" not in out:
            out["anyOf"] = adapted

    def _exactly(self, out: Schema, group: Schema, place: Place) -> None:
        """Keywords under which a wider schema would mean a narrower whole: exactly, or not at all."""
        before = self._notes.losses
        made = {k: self._inner(k, v, place) for k, v in group.items()}
        if self._notes.losses == before:
            out |= made
        else:
            self._notes.at(place.path)("widened", f"{next(iter(group))!r} can't be said exactly and is left out")


def _refuse_if_empty(root: Schema) -> None:
    """A root that accepts no object has no parameters to give."""
    if root.get("not", False) in ({}, True) or "object" not in root.get("type", ("object",)):
        raise UnsayableSchemaError("", "parameters must be an object, and this schema takes none")
