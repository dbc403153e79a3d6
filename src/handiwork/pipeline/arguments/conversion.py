"""One value of the wrong type, turned into the right one where only one reading is possible.

A converter gets a value and gives (new value, how, cost), or None. Cost orders readings of
one value where a schema allows several types: 1 is what the text spells, more is interpretation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, TypeAlias

from .reading import read_value
from .strings import Unreadable
from .trace import Trace

_INTEGER = re.compile(r"[+-]?[0-9]{1,1000}")
_HEX = re.compile(r"[+-]?0[xX][0-9a-fA-F]{1,100}")
_OCTAL_LIKE = re.compile(r"[+-]?0+[1-7][0-7]+|[+-]?0+[1-7][0-7]*0")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]{1,400}\.?[0-9]{0,400}|\.[0-9]{1,400})(?:[eE][+-]?[0-9]{1,4})?")
_NOTHING = frozenset(("null", "none"))
_EMPTY = frozenset(("", *_NOTHING))


Turned: TypeAlias = tuple[Any, str, int]
_BOOLEANS: dict[str, Turned] = {
    "true": (True, "true written as text", 1),
    "false": (False, "false written as text", 1),
    **dict.fromkeys(("yes", "on", "1"), (True, "a word for true", 3)),
    **dict.fromkeys(("no", "off", "0"), (False, "a word for false", 3)),
}


KINDS: dict[type, str] = {
    str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object",
    type(None): "null",
}  # fmt: skip
_BASES: tuple[tuple[Any, str], ...] = (
    (str, "string"), (int, "integer"), (float, "number"), (list, "array"), (dict, "object"),
)  # fmt: skip


def kind_of(value: Any) -> str:
    """The JSON Schema type of a value; an integral float counts as a number."""
    kind = KINDS.get(type(value))
    if kind:
        return kind
    for base, name in _BASES:
        if isinstance(value, base):
            return name
    return "?"


def means_nothing(value: Any) -> bool:
    """Null, or a text that stands for "left out"."""
    return value is None or (isinstance(value, str) and len(value) < 16 and value.strip().lower() in _EMPTY)


def _scalar_text(text: str) -> str:
    """The text without outer space, and without one pair of quotes around it."""
    text = text.strip()
    if len(text) > 2 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1].strip()
    return text


def to_integer(value: Any, _: Trace) -> Turned | None:
    """A whole number from its text, or from a number with an empty fraction."""
    if isinstance(value, float) and not isinstance(value, bool):
        whole = isfinite(value) and value.is_integer()
        return (int(value), "whole number written with a fraction", 1) if whole else None
    if not isinstance(value, str):
        return None
    if value.isdigit() and value.isascii() and len(value) < 1000 and value[0] != "0":
        return int(value), "number written as text", 1
    text = _scalar_text(value)
    if _INTEGER.fullmatch(text):
        return None if _OCTAL_LIKE.fullmatch(text) else (int(text), "number written as text", 1)
    if _HEX.fullmatch(text):
        return int(text, 16), "hexadecimal number written as text", 1
    return _whole_decimal(text)


def _whole_decimal(text: str) -> Turned | None:
    if not _DECIMAL.fullmatch(text):
        return None
    number = float(text)
    if not isfinite(number) or not number.is_integer() or abs(number) > 2**53:
        return None
    return int(number), "whole number written as text", 1


def to_number(value: Any, trace: Trace) -> Turned | None:
    """A number from its text."""
    if not isinstance(value, str):
        return None
    text = _scalar_text(value)
    if _INTEGER.fullmatch(text) or _HEX.fullmatch(text):
        return to_integer(text, trace)
    if not _DECIMAL.fullmatch(text) or not isfinite(float(text)):
        return None
    return float(text), "number written as text", 1


def to_boolean(value: Any, _: Trace) -> Turned | None:
    """True or false from its text, or from 1 and 0."""
    if isinstance(value, str):
        return _BOOLEANS.get(value) or (_BOOLEANS.get(_scalar_text(value).lower()) if len(value) < 64 else None)
    if type(value) is int and value in (0, 1):
        return value == 1, "1 or 0 for true or false", 3
    return None


def to_null(value: Any, _: Trace) -> Turned | None:
    """None from a text that says so."""
    if isinstance(value, str) and means_nothing(value):
        return None, "null written as text", 1 if value.strip() else 2
    return None


def to_string(value: Any, trace: Trace) -> Turned | None:
    """Text from a number or a boolean, where that is how it was written."""
    if isinstance(value, bool):
        return "true" if value else "false", "text was expected", 1
    if isinstance(value, int) and value.bit_length() < 10_000:
        text = str(value)
    elif isinstance(value, float) and isfinite(value):
        text = repr(value)
    else:
        return None
    # 1.10 is read as 1.1, and +49 as 49: a number stands for its text only if it was written like that.
    known = trace.source is None or text in trace.source.numbers
    return (text, "text was expected", 1) if known else None


def to_object(value: Any, _: Trace) -> Turned | None:
    """An object from its text."""
    if isinstance(value, Mapping):
        return {str(k): v for k, v in value.items()}, "mapping as an object", 1
    found = _structure(value, "{")
    return (found, "object written as text", 1) if isinstance(found, dict) else None


def to_array(value: Any, _: Trace) -> Turned | None:
    """A list from its text, or a list around a bare value. The members are checked afterwards."""
    if isinstance(value, (tuple, set, frozenset)):
        return list(value), "sequence as a list", 1
    if means_nothing(value):
        return None
    found = _structure(value, '[("{')
    if isinstance(found, list):
        return found, "list written as text", 1
    if isinstance(found, dict):
        return [found], "one object written as text, put in a list", 4
    if isinstance(value, str) and (_looks_like_json(value) or _is_quoted(value)):
        return None
    return [value], "one value, put in a list", 4


def _structure(value: Any, openers: str) -> Any:
    """The list or object that a text spells, or None."""
    if not isinstance(value, str):
        return None
    text = value.strip()
    if text[:1] not in (*openers, "`", '"'):
        return None
    try:
        return read_value(text, [])
    except Unreadable:
        return None


_JSON_LIKE = re.compile(r"\s*(?:```|[\[{]\s*(?:[\"'\[{\d\]}]|-\d|true\b|false\b|null\b|$)|[{]\s*\w+\s*:)")


def _looks_like_json(text: str) -> bool:
    """A text that was meant as a structure: if it can't be read it is damaged, not a bare value."""
    return _JSON_LIKE.match(text) is not None


def _is_quoted(text: str) -> bool:
    """`"a"` may be one member a, or one with its quotes; `"a", "b"` may be two."""
    text = text.strip()
    return text[:1] in ('"', "'") and text[-1:] == text[:1]


Converter = Callable[[Any, Trace], "Turned | None"]

CONVERTERS: dict[str, Converter] = {
    "integer": to_integer,
    "number": to_number,
    "boolean": to_boolean,
    "null": to_null,
    "string": to_string,
    "object": to_object,
    "array": to_array,
}


def reading_as(kinds: tuple[str, ...]) -> Converter:
    """A converter to several types: the cheapest reading, or None where there is none, or two equal ones."""
    converters = [CONVERTERS[kind] for kind in kinds]

    def convert(value: Any, trace: Trace) -> Turned | None:
        found = [turned for to_kind in converters if (turned := to_kind(value, trace))]
        if len(found) < 2:
            return found[0] if found else None
        found.sort(key=lambda turned: turned[2])
        best, second = found[0], found[1]
        return None if best[2] == second[2] and best[0] != second[0] else best

    return convert
