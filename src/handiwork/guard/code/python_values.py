"""What expressions of Python text are worth, as far as that can be seen: texts, lists, and names of things."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..shell.marks import UNKNOWN, veiled

MOST_VALUE = 50_000


@dataclass(frozen=True, slots=True)
class Name:
    """A dotted name, such as `os.system`; `of` is the text that it was called on or made with."""

    dotted: str
    of: Any = None


# A known value is a str, bytes, int, list or dict of values, or a Name; None is unknown.
Value: TypeAlias = Any


def text_of(value: Value) -> str:
    """A value as a text; unknown where it isn't one."""
    if isinstance(value, str):
        return value[:MOST_VALUE]
    if isinstance(value, bytes):
        return value[:MOST_VALUE].decode("utf-8", "surrogateescape")
    if isinstance(value, Name) and isinstance(value.of, str):
        return value.of
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return veiled(*texts_in(value))


def texts_in(value: Value) -> list[str]:
    """Every text that a value holds."""
    if isinstance(value, (str, bytes)):
        return [text_of(value)]
    if isinstance(value, Name):
        return texts_in(value.of)
    if isinstance(value, dict):
        return [text for item in value.values() for text in texts_in(item)]
    return [text for item in value for text in texts_in(item)] if isinstance(value, list) else []


def method(base: Value, name: str, args: list[Value]) -> Value:
    """What a method of a text or list gives."""
    if isinstance(base, bytes) and name in ("decode", "hex"):
        return base.decode("utf-8", "surrogateescape") if name == "decode" else base.hex()
    if not isinstance(base, str):
        return None
    texts = [text_of(a) for a in args]
    if name == "join":
        return base.join(text_of(a) for a in args[0]) if args and isinstance(args[0], list) else UNKNOWN
    if name == "replace" and len(texts) > 1:
        return base.replace(texts[0], texts[1])[:MOST_VALUE]
    if name in ("split", "format", "encode"):
        return _remade(base, name, texts)
    simple = {"strip": base.strip, "lower": base.lower, "upper": base.upper, "rstrip": base.rstrip, "title": base.title}
    return simple[name]() if name in simple and not args else veiled(base)


def _remade(base: str, name: str, texts: list[str]) -> Value:
    if name == "split":
        return base.split(texts[0] if texts and texts[0] else None)
    return _formatted(base, texts) if name == "format" else base.encode("utf-8", "surrogateescape")


def _formatted(template: str, texts: list[str]) -> str:
    for place, text in enumerate(texts):
        template = template.replace("{}", text, 1).replace("{" + str(place) + "}", text)
    return template[:MOST_VALUE]


def decoded(dotted: str, args: list[Value]) -> Value:
    """What the usual decoding functions give; None for any other."""
    text = text_of(args[0]) if args else ""
    last = dotted.rpartition(".")[2]
    try:
        if last in ("b64decode", "urlsafe_b64decode", "decodebytes", "a2b_base64", "standard_b64decode"):
            return base64.b64decode(text + "==")
        if last in ("fromhex", "unhexlify", "a2b_hex"):
            return bytes.fromhex(text)
        if last == "b32decode":
            return base64.b32decode(text)
        if dotted == "codecs.decode" and len(args) > 1 and "rot" in text_of(args[1]):
            return text.translate(_ROT13)
    except (binascii.Error, ValueError):
        return UNKNOWN
    return None


_LOWER = "abcdefghijklmnopqrstuvwxyz"
_ROT13 = str.maketrans(_LOWER + _LOWER.upper(), _LOWER[13:] + _LOWER[:13] + _LOWER[13:].upper() + _LOWER[:13].upper())
