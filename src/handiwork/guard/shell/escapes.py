"""Backslash escapes as `$'...'`, `echo -e` and `printf` read them."""

from __future__ import annotations

import re

_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|0?([0-7]{1,3})|c(.)|(.))", re.DOTALL
)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "", "b": "", "f": "\f", "v": "\v", "e": "", "E": ""}


def decode_escapes(text: str) -> str:
    """The text with its escapes replaced; what isn't an escape stays as it is."""
    return _ESCAPE.sub(_decoded, text) if "\\" in text else text


def _decoded(match: re.Match[str]) -> str:
    two, four, eight, octal, control, letter = match.groups()
    if code := two or four or eight:
        return _character(int(code, 16))
    if octal:
        return _character(int(octal, 8) & 0xFF)
    if control:
        return _character(ord(control) & 0x1F)
    if letter in _LETTERS:
        return _LETTERS[letter]
    return letter if letter in "\\'\"?" else "\\" + letter


def _character(code: int) -> str:
    """Characters that would pass for marks, and those that no text can hold, are left out."""
    return chr(code) if 0 < code < 0xD800 or 0xE100 <= code < 0x110000 else ""
