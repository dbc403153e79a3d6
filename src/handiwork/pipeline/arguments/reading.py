"""From the text a model wrote to a value: strict JSON first, then what models write instead.

`read_object` reads the arguments of a call: it looks through code fences, prose, tags and double
encoding. `read_value` reads the text of one parameter and takes the whole text or nothing. Both raise
`Unreadable`; a text that ends too early is never read as something shorter. Linear in the text's size.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NoReturn

from .lenient import LenientReader
from .strings import HALF, Unreadable

_FENCE = re.compile(r"\s*(`{3,}|~{3,})[ \t]*[\w+-]*[ \t]*\r?\n?(.*)", re.DOTALL)
_OBJECT_START = re.compile(r"[{]\s*(?:[}\"'“”„‘«]|[^\W\d][\w$-]*\s*[:：]|\\[\"n]|//|/\*|#)")
_LEFTOVER = re.compile(r"[\s}\])`;~]*")
_MORE_MEMBERS = re.compile(r"[\"'“”]\s*[:：]|^\s*[,，:：\"'“”]")
_HALF_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_LIST_START = re.compile(r"\[\s*[\[{\"'\]\d-]")
_HALF = re.compile("[\ud800-\udfff]")
_MAX_LAYERS = 4
_MAX_REPEATS = 50


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        _refuse_doubled(pairs, found)
    return found


def _refuse_doubled(pairs: list[tuple[str, Any]], found: dict[str, Any]) -> None:
    for key, value in pairs:
        if found[key] != value:
            raise Unreadable(f"the key {key[:60]!r} stands twice with different values")


def _refuse_constant(name: str) -> NoReturn:
    raise Unreadable(f"{name} is not a JSON number")


_strict = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_refuse_constant)
_scan: Callable[[str, int], tuple[Any, int]] = _strict.scan_once  # type: ignore[attr-defined]
_with_line_breaks = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_refuse_constant, strict=False)


def read_object(text: str, notes: list[str]) -> Any:
    """The one value in *text*, usually a dict; what was mended is appended to *notes*."""
    value: Any = text
    for layer in range(_MAX_LAYERS):
        value = _read(value.strip("\ufeff\u200b\0 \t\r\n"), notes, whole=False)
        if not isinstance(value, str):
            return value
        if layer == 0:
            notes.append("arguments: JSON written inside a JSON string, decoded")
    raise Unreadable("it is text inside text, and no object")


def strict_object(text: str) -> Any:
    """The object, where the text is exactly one in strict JSON, as it nearly always is; else None."""
    if text[:1] != "{":
        return None
    try:
        value, end = _scan(text, 0)
    except (ValueError, StopIteration, RecursionError):
        return None
    return _whole_characters(text, value) if end == len(text) else None


def read_value(text: str, notes: list[str]) -> Any:
    """The value that the whole of *text* spells, inside a fence or not."""
    value = _read(text.strip(), notes, whole=True)
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        value = _read(value.strip(), notes, whole=True)
    return value


def _read(text: str, notes: list[str], *, whole: bool) -> Any:
    try:
        return _whole_characters(text, _strict.decode(text))
    except RecursionError:
        raise Unreadable("it is nested too deeply") from None
    except json.JSONDecodeError as error:
        if error.msg.startswith("Invalid control"):
            return _read_with_line_breaks(text, notes, whole=whole)
        return _read_loosely(text, notes, whole=whole, begins_strictly=error.msg == "Extra data")
    except ValueError:
        raise Unreadable("a number is too long") from None


def _read_with_line_breaks(text: str, notes: list[str], *, whole: bool) -> Any:
    try:
        value = _whole_characters(text, _with_line_breaks.decode(text))
    except json.JSONDecodeError:
        return _read_loosely(text, notes, whole=whole, begins_strictly=True)
    except (RecursionError, ValueError):
        raise Unreadable("it is nested too deeply, or a number is too long") from None
    notes.append("arguments: raw line breaks or tabs in a string, kept")
    return value


def _whole_characters(text: str, value: Any) -> Any:
    """Half a character (a lone surrogate) can't be stored or sent by anyone: refuse it here."""
    escaped = "\\u" in text and _HALF_ESCAPE.search(text)
    if (escaped and _HALF.search(json.dumps(value, ensure_ascii=False))) or (not text.isascii() and _HALF.search(text)):
        raise Unreadable(HALF)
    return value


# ------------------------------------------------------------------------------------------ loosely


def _read_loosely(text: str, notes: list[str], *, whole: bool, begins_strictly: bool) -> Any:
    """The value in a text that isn't strict JSON as a whole; its beginning may be."""
    inside = _unfenced(text)
    if inside is not None:
        notes.append("arguments: taken out of a code fence")
        return _read(inside, notes, whole=whole)
    if text.startswith('{\\"') and (bare := _unescaped(text)) is not None:
        notes.append("arguments: every quote was escaped, decoded")
        return bare
    at_once = whole or text[:1] in ('"', "'") or _LIST_START.match(text)
    start = 0 if at_once else _object_start(text)
    reader = LenientReader(text, start)
    first = _next_value(text, reader) if start or begins_strictly else reader.read()
    value = _last_of(text, reader, first, whole=whole)
    if start:
        reader.faults.add("text around it")
    faults = ", ".join(sorted(reader.faults))
    notes.append(f"arguments: not strict JSON ({faults or 'unusual spelling'}), read as what it says")
    return _whole_characters(text, value)


def _next_value(text: str, reader: LenientReader) -> Any:
    """The value at the reader's place: by the fast strict reader if that can, which it mostly can."""
    try:
        value, reader.pos = _strict.raw_decode(text, reader.pos)
    except (ValueError, RecursionError):
        return reader.read()
    return value


def _unfenced(text: str) -> str | None:
    """The inside of the code fence that the text consists of, or None."""
    found = _FENCE.match(text)
    if not found or _FENCE.match(found[2]):
        return None
    return found[2].rstrip().removesuffix(found[1]).strip()


def _unescaped(text: str) -> Any:
    """`{\\"a\\": 1}`: an encoded string that lost its outer quotes; None if it isn't exactly that."""
    try:
        return _strict.decode(_strict.decode(f'"{text}"'))
    except (ValueError, TypeError, Unreadable):
        return None


def _object_start(text: str) -> int:
    """Where the first thing that looks like an object begins, with nothing but prose before it."""
    found = _OBJECT_START.search(text)
    if not found:
        if text.startswith("{"):
            return 0
        raise Unreadable("it holds no JSON object")
    if _MORE_MEMBERS.search(text[: found.start()]):
        raise Unreadable("there are values outside of the object")
    return found.start()


def _last_of(text: str, reader: LenientReader, value: Any, *, whole: bool) -> Any:
    """Look at what follows the first value: leftover closers, prose, the same object again."""
    for _ in range(_MAX_REPEATS):
        found = _LEFTOVER.match(text, reader.pos)
        end = found.end() if found else reader.pos
        if end >= len(text):
            if text[reader.pos : end].strip():
                reader.faults.add("closing brackets or marks too many")
            return value
        again = _OBJECT_START.search(text, end)
        between = text[end : again.start() if again else len(text)]
        if whole or _MORE_MEMBERS.search(between) or "{" in between:
            raise Unreadable("something follows the end of the object: is a bracket closed too early?")
        if between.strip():
            reader.faults.add("text around it")
        if not again:
            return value
        reader.pos = again.start()
        value = _same_or_only(value, _next_value(text, reader))
        reader.faults.add("the object written more than once")
    raise Unreadable("it holds too many objects; write one call with one object")


def _same_or_only(first: Any, second: Any) -> Any:
    """Glued pieces of a stream: an empty object before the real one, or the same object twice."""
    if first in ({}, second):
        return second
    raise Unreadable("it holds two different objects; write one call with one object")
