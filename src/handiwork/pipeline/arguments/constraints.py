"""The limits of a JSON Schema, each as a check: a value in, the expectation it misses (or None) out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

Check = Callable[[Any], "str | None"]
Maker = Callable[[Any], "Check | None"]


def same(a: Any, b: Any) -> bool:
    """Equality as JSON means it: true is not 1, and 1 is 1.0."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b)


def checks_of(schema: Mapping[str, Any]) -> dict[str, tuple[Check, ...]]:
    """The checks a schema asks for, by the kind of value they are for. Malformed limits are ignored."""
    found: dict[str, list[Check]] = {}
    for keyword in schema.keys() & _MAKERS.keys():
        kinds, maker = _MAKERS[keyword]
        check = maker(schema[keyword])
        for kind in kinds if check else ():
            found.setdefault(kind, []).append(check)  # type: ignore[arg-type]
    for bound, strict in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if schema.get(strict) is True and (check := _MAKERS[strict][1](schema.get(bound))):
            for kind in _NUMBERS:
                found.setdefault(kind, []).append(check)
    return {kind: tuple(checks) for kind, checks in found.items()}


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _bound(words: str, fits: Callable[[Any, Any], bool]) -> Maker:
    def make(limit: Any) -> Check | None:
        if not _is_number(limit):
            return None
        return lambda value: None if fits(value, limit) else f"{words} {limit}"

    return make


def _size(words: str, unit: str, fits: Callable[[int, Any], bool]) -> Maker:
    def make(limit: Any) -> Check | None:
        if not _is_number(limit):
            return None
        units = unit if limit == 1 else unit.replace("property", "propertie") + "s"
        return lambda value: None if fits(len(value), limit) else f"{words} {limit} {units}, not {len(value)}"

    return make


def _multiple(step: Any) -> Check | None:
    if not _is_number(step) or step <= 0:
        return None
    exact = Decimal(str(step))

    def check(value: Any) -> str | None:
        try:
            fits = (
                value % step == 0
                if isinstance(value, int) and isinstance(step, int)
                else (Decimal(str(value)) % exact == 0)
            )
        except InvalidOperation:
            fits = value % step == 0
        return None if fits else f"a multiple of {step}"

    return check


def _pattern(pattern: Any) -> Check | None:
    try:
        search = re.compile(pattern).search
    except (re.error, TypeError, RecursionError, OverflowError):
        return None
    return lambda value: None if search(value) else f"text that matches the pattern {pattern}"


def _unique(wanted: Any) -> Check | None:
    return _all_differ if wanted is True else None


def _all_differ(value: Any) -> str | None:
    seen: set[Any] = set()
    for item in value:
        key = _hashable(item)
        if key in seen:
            return f"members that all differ, but one stands twice: {str(item)[:40]}"
        seen.add(key)
    return None


def _hashable(value: Any) -> Any:
    if isinstance(value, dict):
        return "object", frozenset((k, _hashable(v)) for k, v in value.items())
    if isinstance(value, (list, tuple)):
        return "array", tuple(map(_hashable, value))
    return (type(value) is bool, value) if isinstance(value, _SCALARS) else repr(value)


def _dependencies(needs: Any) -> Check | None:
    if not isinstance(needs, Mapping):
        return None

    def check(value: Any) -> str | None:
        for key, others in needs.items():
            missing = (
                [o for o in others if isinstance(o, str) and o not in value]
                if key in value and isinstance(others, list)
                else []
            )
            if missing:
                return f"{', '.join(map(str, missing))} beside {key}"
        return None

    return check


_SCALARS = (str, int, float, type(None))
_NUMBERS = ("integer", "number")
_MAKERS: dict[str, tuple[tuple[str, ...], Maker]] = {
    "minimum": (_NUMBERS, _bound("a number of at least", lambda v, limit: v >= limit)),
    "maximum": (_NUMBERS, _bound("a number of at most", lambda v, limit: v <= limit)),
    "exclusiveMinimum": (_NUMBERS, _bound("a number greater than", lambda v, limit: v > limit)),
    "exclusiveMaximum": (_NUMBERS, _bound("a number less than", lambda v, limit: v < limit)),
    "multipleOf": (_NUMBERS, _multiple),
    "minLength": (("string",), _size("at least", "character", lambda n, limit: n >= limit)),
    "maxLength": (("string",), _size("at most", "character", lambda n, limit: n <= limit)),
    "pattern": (("string",), _pattern),
    "minItems": (("array",), _size("at least", "item", lambda n, limit: n >= limit)),
    "maxItems": (("array",), _size("at most", "item", lambda n, limit: n <= limit)),
    "uniqueItems": (("array",), _unique),
    "minProperties": (("object",), _size("at least", "property", lambda n, limit: n >= limit)),
    "maxProperties": (("object",), _size("at most", "property", lambda n, limit: n <= limit)),
    "dependentRequired": (("object",), _dependencies),
    "dependencies": (("object",), _dependencies),
}
