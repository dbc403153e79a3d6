"""Encodings older than Unicode, which no file says it is in: a guess that never loses a byte."""

from __future__ import annotations

import codecs
import importlib
from importlib.util import find_spec

_SAMPLE_BYTES = 256 << 10
# With fewer foreign bytes than these, statistics call Western text anything.
_FEWEST_FOREIGN = 8
_WESTERN = ("iso8859-1", "cp1252", "ascii", "utf-8")
_ASCII = bytes(range(0x80))
# Characters that Windows has where Latin-1 has controls.
_WINDOWS = bytes(range(0x80, 0xA0))


def guess_codec(data: bytes) -> str:
    """The codec of *data*, which isn't UTF-8: it decodes every byte of it, and back to the same bytes.

    A detector is asked where the extra `documents` is installed. Else it is taken for western text.
    """
    foreign = len(data.translate(None, _ASCII))
    codec = _detected(data) if foreign >= _FEWEST_FOREIGN and find_spec("cchardet") else ""
    if codec and _is_lossless(data, codec):
        return codec
    windows = len(data.translate(None, _WINDOWS)) < len(data)
    return "cp1252" if windows and _is_lossless(data, "cp1252") else "latin-1"


def _detected(data: bytes) -> str:
    """What the statistics say; empty for western text, which is told apart more surely by its bytes."""
    start = max(0, len(data) - len(data.lstrip(_ASCII)) - 64)  # plain letters say nothing
    said = importlib.import_module("cchardet").detect(data[start : start + _SAMPLE_BYTES])["encoding"]
    try:
        codec = codecs.lookup(said or "").name
    except LookupError:
        return ""
    return "" if codec in _WESTERN else codec


def _is_lossless(data: bytes, codec: str) -> bool:
    try:
        return data.decode(codec).encode(codec) == data
    except UnicodeError:
        return False
