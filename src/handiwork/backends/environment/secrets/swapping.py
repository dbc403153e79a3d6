"""Texts exchanged for others of the same length, in headers and in bodies that come in pieces."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from binascii import Error
from collections.abc import Iterable, Mapping
from urllib.parse import quote

Headers = list[tuple[bytes, bytes]]
_BASIC = re.compile(rb"\s*basic\s+([A-Za-z0-9+/]+={0,2})\s*", re.IGNORECASE)


class Swap:
    """Exchanges each key of *table* for its value, also where pieces cut through it; both are equally long."""

    def __init__(self, table: Mapping[bytes, bytes]) -> None:
        self._table = dict(table)
        self._pattern = re.compile(b"|".join(map(re.escape, sorted(table, key=len, reverse=True))) or rb"(?!)")
        self._longest = max(map(len, table), default=1)
        self._held = b""

    def whole(self, data: bytes) -> bytes:
        """A text that is whole."""
        return self._pattern.sub(lambda found: self._table[found[0]], data)

    def feed(self, data: bytes) -> bytes:
        """The next piece of a longer text: what can be told already. Less than one key is held back."""
        data = self.whole(self._held + data)
        keep = self._begun(data)
        self._held = data[len(data) - keep :]
        return data[: len(data) - keep]

    def finish(self) -> bytes:
        """What was held back."""
        held, self._held = self._held, b""
        return held

    def _begun(self, data: bytes) -> int:
        """How many bytes at the end may be the beginning of a key."""
        for size in range(min(self._longest - 1, len(data)), 0, -1):
            end = data[-size:]
            if any(key.startswith(end) for key in self._table):
                return size
        return 0


def swapped_headers(headers: Iterable[tuple[bytes, bytes]], swap: Swap) -> tuple[Headers, dict[bytes, bytes]]:
    """The headers with their texts exchanged; and which encoded logins that changed, new by old."""
    changed: dict[bytes, bytes] = {}
    return [(name, _swapped_value(value, swap, changed)) for name, value in headers], changed


def _swapped_value(value: bytes, swap: Swap, changed: dict[bytes, bytes]) -> bytes:
    login = _BASIC.fullmatch(value)
    if login is None:
        return swap.whole(value)
    try:
        old = b64decode(login[1], validate=True)
    except Error:  # not a login after all
        return swap.whole(value)
    new = swap.whole(old)
    if new == old:
        return value
    changed[login[1]] = b64encode(new)
    return value.replace(login[1], changed[login[1]])


def swapped_query(target: bytes, table: Mapping[bytes, bytes]) -> bytes:
    """The target of a request with the texts in its query exchanged, encoded as a query wants it."""
    path, mark, query = target.partition(b"?")
    return path + mark + Swap({old: quote(new, safe="").encode() for old, new in table.items()}).whole(query)
