"""Entries as rows: numbered, and each with a checksum of its own, so that damage shows and the rest can be saved.

A row's key is the number of its session and the number in it, which keeps a session together on the
disk and finds it without a second index.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any, NamedTuple
from zlib import crc32

from handiwork.core.types import Entry, EntryKind

SEQ_BITS = 32
_SEQ_MASK = (1 << SEQ_BITS) - 1


class Row(NamedTuple):
    """One row of the table `entries`."""

    key: int
    kind: EntryKind
    at: int
    call: str
    crc: int
    body: str

    @property
    def number(self) -> int:
        """The session's number."""
        return self.key >> SEQ_BITS

    @property
    def seq(self) -> int:
        """The entry's number in its session."""
        return self.key & _SEQ_MASK


def key_of(number: int, seq: int) -> int:
    """The key of entry *seq* of session *number*."""
    return number << SEQ_BITS | seq


def keys_of(number: int) -> tuple[int, int]:
    """The first and the last key that entries of the session can have."""
    return key_of(number, 0), key_of(number, _SEQ_MASK)


def make_row(key: int, kind: EntryKind, call: str, body: str, at: int = 0) -> Row:
    """The row of an entry of this moment, or of *at* milliseconds since 1970."""
    at = at or time.time_ns() // 1_000_000
    try:
        crc = checksum(key, kind, at, call, body)
    except UnicodeEncodeError:  # half a surrogate pair, as broken streams make them: JSON can spell it
        call, body = _escaped(call), json.dumps(json.loads(body))
        crc = checksum(key, kind, at, call, body)
    return Row(key, kind, at, call, crc, body)


def checksum(key: int, kind: str, at: int, call: str, body: str) -> int:
    """What is stored beside a row to know it by."""
    return crc32(f"{key} {kind} {at} {call} {body}".encode())


def _escaped(text: str) -> str:
    return text.encode("ascii", "backslashreplace").decode()


def is_whole(values: Sequence[Any]) -> bool:
    """Whether the six values of a row are what was written."""
    kinds = (int, str, int, str, int, str)
    if len(values) != len(kinds) or not all(isinstance(v, k) for v, k in zip(values, kinds, strict=True)):
        return False
    key, kind, at, call, crc, body = values
    return bool(checksum(key, kind, at, call, body) == crc)


def entry_of(row: Row) -> Entry:
    """The entry in a row; one that is damaged reads as lost."""
    if not is_whole(row):
        return Entry(row.seq, "lost", row.at if isinstance(row.at, int) else 0, "", {"was": str(row.kind)})
    return Entry(row.seq, row.kind, row.at, row.call, json.loads(row.body))
