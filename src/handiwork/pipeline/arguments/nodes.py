"""A compiled schema: nodes that each take a value and give the right one, or `WRONG` with a problem noted.

A value that is legal comes back as the same object. `kinds` are the JSON types a node can accept; `plain`
are Python types whose every value is legal, so that a look at the type is enough.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, Protocol

from .constraints import Check, same
from .conversion import CONVERTERS, KINDS, Turned, kind_of, means_nothing, reading_as
from .trace import WRONG, At, Trace, shown

ALL_KINDS = frozenset(("string", "integer", "number", "boolean", "null", "array", "object"))
_NO_TYPES: frozenset[type] = frozenset()
_TAKEN_OUT = "taken out of a list of one"
_MAX_DEPTH = 60
_MAX_STEPS = 200_000


class Node(Protocol):
    """One compiled schema."""

    @property
    def kinds(self) -> frozenset[str]: ...

    @property
    def plain(self) -> frozenset[type]: ...

    def fix(self, value: Any, at: At, trace: Trace) -> Any: ...


class Shape(Protocol):
    """What a container asks of its members."""

    def fix(self, value: Any, at: At, trace: Trace) -> Any: ...


class AnyNode:
    """Accepts everything."""

    kinds = ALL_KINDS
    plain: frozenset[type] = frozenset((str, int, bool, list, dict, type(None)))

    def fix(self, value: Any, at: At, trace: Trace) -> Any:
        if isinstance(value, float) and not isfinite(value):
            return trace.wrong(at, f"{value} is not a JSON number")
        return value


class NeverNode:
    """Accepts nothing: the schema `false`."""

    kinds: frozenset[str] = frozenset()
    plain = _NO_TYPES

    def fix(self, value: Any, at: At, trace: Trace) -> Any:
        return trace.wrong(at, f"this argument isn't allowed, got {shown(value)}")


_PYTHON_TYPES: dict[str, type] = {"string": str, "integer": int, "number": int, "boolean": bool, "null": type(None)}


class TypedNode:
    """A type or several, with limits and, for containers, a shape."""

    def __init__(
        self,
        types: tuple[str, ...],
        *,
        checks: Mapping[str, tuple[Check, ...]],
        shapes: Mapping[str, Shape],
        says: Callable[[], str],
    ) -> None:
        self.types = types
        self.checks = checks
        self.shapes = shapes
        self.says = says
        self.kinds = frozenset(types) | ({"integer"} if "number" in types else set()) if types else ALL_KINDS
        self.plain = frozenset(_PYTHON_TYPES[t] for t in types if t in _PYTHON_TYPES and t not in checks)
        self.bare = not checks and not shapes
        self.convert = CONVERTERS[types[0]] if len(types) == 1 else reading_as(types)

    def fix(self, value: Any, at: At, trace: Trace) -> Any:
        kind = KINDS.get(type(value)) or kind_of(value)
        if kind not in self.kinds:
            value = self._turn(value, at, trace)
            if value is WRONG or self.bare:
                return value
            kind = kind_of(value)
        elif kind == "number" and not isfinite(value):
            return trace.wrong(at, f"{value} is not a JSON number")
        shape = self.shapes.get(kind)
        if shape is not None:
            value = shape.fix(value, at, trace)
            if value is WRONG:
                return WRONG
        return self._checked(kind, value, at, trace) if self.checks else value

    def _checked(self, kind: str, value: Any, at: At, trace: Trace) -> Any:
        for check in self.checks.get(kind, ()):
            if missed := check(value):
                return trace.wrong(at, f"expected {missed}, got {shown(value)}")
        return value

    def _turn(self, value: Any, at: At, trace: Trace) -> Any:
        turned = self.convert(value, trace) or (self._only_member(value, trace) if type(value) is list else None)
        if turned is None:
            return trace.wrong(at, f"expected {self.says()}, got {shown(value)}")
        # 5.0 is a legal integer in JSON Schema, so writing it as 5 changes nothing that counts.
        fixed, how, _ = turned
        trace.turned(at, value, (fixed, how, 0) if type(value) is float and fixed == value else turned)
        return fixed

    def _only_member(self, value: list[Any], trace: Trace) -> Turned | None:
        """The one member of a list where no list is allowed; null in a list is no value.

        Where text is wanted, only a text: of another member the list may be meant, as JSON.
        """
        member = value[0] if len(value) == 1 else None
        kind = kind_of(member)
        if kind in ("null", "array", "?"):
            return None
        if kind in self.kinds:
            return member, _TAKEN_OUT, 4
        turned = None if "string" in self.kinds else self.convert(member, trace)
        return None if turned is None else (turned[0], f"{turned[1]}, {_TAKEN_OUT}", turned[2] + 4)


_ANY_SEPARATORS = re.compile(r"[-_\s]+")
_SEPARATORS = re.compile(r"(?<=[^\W\d_]|[,;:)\]])[-_\s]+(?=[\w(\[\"'%])")


def _spelling(value: Any) -> str | None:
    """How a scalar is written, without its outer space; None for anything else."""
    if isinstance(value, bool) or value is None:
        return str(value).lower().replace("none", "null")
    if isinstance(value, str):
        return value.strip() if len(value) < 1000 else None
    return str(value) if isinstance(value, (int, float)) else None


def _folded(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'`":
        text = text[1:-1].strip()
    return _SEPARATORS.sub("", text).casefold()


def _spaced(text: str) -> str:
    """One separator is as good as another, but not as good as none: 1-5 is 1 5, not 15."""
    return _ANY_SEPARATORS.sub(" ", text).casefold()


class ChoiceNode:
    """`enum` and `const`: one of the listed values, also if its case, space or quoting is off."""

    plain = _NO_TYPES

    def __init__(self, choices: list[Any], *, says: Callable[[], str]) -> None:
        self.choices = choices
        self.says = says
        self.kinds = frozenset(map(kind_of, choices))
        self.texts = frozenset(c for c in choices if isinstance(c, str))

    def fix(self, value: Any, at: At, trace: Trace) -> Any:
        if isinstance(value, str):
            if value in self.texts:
                return value
        elif any(same(value, choice) for choice in self.choices):
            return value
        elif type(value) is list and len(value) == 1 and type(value[0]) is not list and "array" not in self.kinds:
            return self._fix_only_member(value[0], at, trace)
        meant = self._meant(value)
        if len(meant) != 1:
            return trace.wrong(at, f"expected {self.says()}, got {shown(value)}")
        trace.repaired(at, f"{shown(value, 40)} -> {shown(meant[0], 40)} (the choice it spells)")
        return meant[0]

    def _fix_only_member(self, member: Any, at: At, trace: Trace) -> Any:
        fixed = self.fix(member, at, trace)
        if fixed is not WRONG:
            trace.repaired(at, _TAKEN_OUT, 4)
        return fixed

    def _meant(self, value: Any) -> list[Any]:
        """The choices that *value* may spell: exactly, or if there is none, loosely."""
        text = _spelling(value)
        if not text:
            return []
        if None in self.choices and means_nothing(value):
            return [None]
        for fold in (str, _folded, _spaced):
            meant = [c for c in self.choices if (s := _spelling(c)) is not None and fold(s) == fold(text)]
            if meant:
                return meant
        return []


class RefNode:
    """A reference, resolved when first used, so that schemas may refer to themselves."""

    def __init__(self, find: Callable[[], Node]) -> None:
        self._find = find
        self._node: Node | None = None

    @property
    def node(self) -> Node:
        """The node that is referred to."""
        if self._node is None:
            self._node = self._find()
        return self._node

    @property
    def kinds(self) -> frozenset[str]:
        return ALL_KINDS if self._node is None or isinstance(self._node, RefNode) else self._node.kinds

    plain = _NO_TYPES

    def fix(self, value: Any, at: At, trace: Trace) -> Any:
        trace.steps += 1
        if trace.depth > _MAX_DEPTH or trace.steps > _MAX_STEPS:
            return trace.wrong(at, "nested too deeply")
        trace.depth += 1
        fixed = self.node.fix(value, at, trace)
        trace.depth -= 1
        return fixed
