"""Messages out of a stream of bytes: one a line, in time that grows with their length and no faster."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

MOST_BYTES = 16 * 1024 * 1024
_MOST_QUOTED = 200
_ENDS = 512
_ID = re.compile(rb'"id"\s*:\s*(\d{1,18}|"[^"\\]{1,200}")')


@dataclass(frozen=True, slots=True)
class TooLong:
    """A message that was longer than the cap and was thrown away; `id` is its request's, where that was seen."""

    size: int
    id: int | str | None


@dataclass(frozen=True, slots=True)
class Garbage:
    """A line that is no message."""

    text: str


class Lines:
    """Cuts what is fed at line feeds. A line beyond *most* bytes is counted, not kept."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._pieces: list[bytes] = []
        self._size = 0
        self._head = b""
        self._tail = b""

    def feed(self, data: bytes) -> Iterator[bytes | TooLong]:
        """The lines that end in *data*, without their line feeds."""
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            self._add(data[start:end])
            yield self._take()
            start = end + 1
        self._add(data[start:])

    def _add(self, piece: bytes) -> None:
        if not piece:
            return
        self._size += len(piece)
        if len(self._head) < _ENDS:
            self._head += piece[: _ENDS - len(self._head)]
        if self._size <= self._most:
            self._pieces.append(piece)
        else:
            self._pieces.clear()
            self._tail = (self._tail + piece[-_ENDS:])[-_ENDS:]

    def _take(self) -> bytes | TooLong:
        fits = self._size <= self._most
        taken = b"".join(self._pieces) if fits else TooLong(self._size, _id_in(self._head, self._tail))
        self._pieces, self._size, self._head, self._tail = [], 0, b"", b""
        return taken


def _id_in(head: bytes, tail: bytes) -> int | str | None:
    """The id in what is left of a message: most write it first, some last."""
    found = [*_ID.findall(head)[:1], *_ID.findall(tail)[-1:]]
    if not found:
        return None
    return int(found[0]) if found[0].isdigit() else str(found[0].strip(b'"'), "utf-8", "replace")


def read_messages(line: bytes) -> Iterator[dict[str, Any] | Garbage]:
    """The messages on one line: a batch is several. Bytes that are no UTF-8 are replaced."""
    text = line.decode("utf-8", "replace").strip()
    if not text:
        return
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        yield Garbage(text[:_MOST_QUOTED])
        return
    for message in value if isinstance(value, list) else (value,):
        if isinstance(message, dict) and ("method" in message or "id" in message):
            yield message
        else:
            yield Garbage(text[:_MOST_QUOTED])
