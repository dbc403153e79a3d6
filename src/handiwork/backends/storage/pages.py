"""Rows read from the pages of a database file by themselves, whatever has become of the rest of it.

The format is that of https://www.sqlite.org/fileformat2.html. Every page that looks like a leaf of a
table is read; a row counts only if its checksum holds, so what merely looks like one does no harm.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .rows import Row, is_whole

Value = int | float | str | bytes | None
_LEAF = 0x0D
_SIZES = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 7: 8, 8: 0, 9: 0}
_PAGE_SIZES = (4096, 1024, 2048, 8192, 16384, 32768, 512)
_MAGIC = b"SQLite format 3\0"
_FRAME = 24  # bytes before each page in a write-ahead log


@dataclass(frozen=True, slots=True)
class Pages:
    """The pages of a file, number 1 first, those of its write-ahead log laid over them."""

    size: int
    data: bytes
    newer: Mapping[int, bytes]

    def __getitem__(self, number: int) -> bytes:
        return self.newer.get(number) or self.data[(number - 1) * self.size : number * self.size]

    def __len__(self) -> int:
        return max(len(self.data) // self.size, max(self.newer, default=0))


def rows_in(path: str) -> Iterator[Row]:
    """Every whole row of `entries` that the file or its log holds; the same one may come twice."""
    data, log = _bytes_of(path), _bytes_of(f"{path}-wal")
    size = int.from_bytes(data[16:18])
    if data.startswith(_MAGIC) and size in _PAGE_SIZES:
        return _whole_rows(Pages(size, data, _frames(log, size)))
    # The head is damaged: the right size of a page is the one by which something can be read.
    tried = [list(_whole_rows(Pages(size, data, _frames(log, size)))) for size in _PAGE_SIZES]
    best = max(tried, key=len)
    return iter(best)


def _whole_rows(pages: Pages) -> Iterator[Row]:
    for number in range(1, len(pages) + 1):
        for key, values in _cells(pages, number):
            if len(values) == 6 and is_whole((key, *values[1:])):
                yield Row(key, *values[1:])  # type: ignore[arg-type]


def _bytes_of(path: str) -> bytes:
    if not os.path.isfile(path):
        return b""
    with open(path, "rb") as file:
        return file.read()


def _frames(log: bytes, size: int) -> dict[int, bytes]:
    """The pages in a log by number, up to its last commit; those of an earlier round have another salt."""
    salt = log[16:24] if _head_is_whole(log) else log[40:48]  # else that of the first frame
    committed: dict[int, bytes] = {}
    begun: dict[int, bytes] = {}
    for frame in _cut(log, size):
        if frame[8:16] != salt:
            continue
        begun[int.from_bytes(frame[:4])] = frame[_FRAME:]
        if any(frame[4:8]):  # the last one of a transaction
            committed |= begun
            begun = {}
    return committed


def _cut(log: bytes, size: int) -> list[bytes]:
    return [log[at : at + _FRAME + size] for at in range(32, len(log) - _FRAME - size + 1, _FRAME + size)]


def _head_is_whole(log: bytes) -> bool:
    return struct.pack(">2I", *_log_sums(log[:24], (0, 0), _order(log))) == log[24:32]


def _order(log: bytes) -> str:
    """The order of bytes in which a log is summed up."""
    return ">" if log[3:4] == b"\x83" else "<"


def log_is_whole(path: str) -> bool:
    """Whether SQLite will take everything that the write-ahead log of *path* holds.

    It stops at the first frame that isn't what was written. That is right for the last one, at which
    a process may have died, and silent loss before it.
    """
    log = _bytes_of(f"{path}-wal")
    size = int.from_bytes(log[8:12])
    if len(log) <= 32:
        return True
    if size not in _PAGE_SIZES or not _head_is_whole(log):
        return False
    frames = _cut(log, size)
    sums = struct.unpack(">2I", log[24:32])
    for at, frame in enumerate(frames):
        sums = _log_sums(frame[:8] + frame[_FRAME:], sums, _order(log))
        if frame[8:16] != log[16:24] or struct.pack(">2I", *sums) != frame[16:24]:
            return all(later[8:16] != log[16:24] for later in frames[at + 1 :])
    return True


def _log_sums(data: bytes, sums: tuple[int, int], order: str) -> tuple[int, int]:
    """The two running sums over *data*, by which a frame is known."""
    first, second = sums
    words = iter(struct.unpack(f"{order}{len(data) // 4}I", data))
    for even, odd in zip(words, words, strict=True):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second


def _cells(pages: Pages, number: int) -> Iterator[tuple[int, list[Value]]]:
    """Key and values of every record on a page that can be read."""
    page = pages[number]
    start = 100 if number == 1 else 0
    if len(page) < pages.size or page[start] != _LEAF:
        return
    count = int.from_bytes(page[start + 3 : start + 5])
    for at in range(start + 8, min(start + 8 + 2 * count, pages.size - 1), 2):
        cell = int.from_bytes(page[at : at + 2])
        try:
            yield _cell(pages, page, cell)
        except (IndexError, ValueError, KeyError, struct.error):  # this cell is damaged; the next may be whole
            continue


def _cell(pages: Pages, page: bytes, at: int) -> tuple[int, list[Value]]:
    length, at = _varint(page, at)
    key, at = _varint(page, at)
    return key, _values(_payload(pages, page, at, length))


def _payload(pages: Pages, page: bytes, at: int, length: int) -> bytes:
    """The bytes of a record: what lies on its page, and what follows on others."""
    most = pages.size - 35
    if length <= most:
        return page[at : at + length]
    least = (pages.size - 12) * 32 // 255 - 23
    local = least + (length - least) % (pages.size - 4)
    local = local if local <= most else least
    parts, have = [page[at : at + local]], local
    following = int.from_bytes(page[at + local : at + local + 4])
    while have < length:
        if not 0 < following <= len(pages):
            raise ValueError("the chain is broken")
        rest = pages[following]
        parts.append(rest[4 : 4 + min(pages.size - 4, length - have)])
        have += pages.size - 4
        following = int.from_bytes(rest[:4])
    return b"".join(parts)


def _values(record: bytes) -> list[Value]:
    end, at = _varint(record, 0)
    types = []
    while at < end:
        kind, at = _varint(record, at)
        types.append(kind)
    values = []
    for kind in types:
        size = _SIZES[kind] if kind < 12 else (kind - 12) // 2
        values.append(_value(kind, record[at : at + size]))
        at += size
    return values


def _value(kind: int, raw: bytes) -> Value:
    if kind >= 12:
        return raw.decode() if kind % 2 else raw
    match kind:
        case 0:
            return None
        case 7:
            number: float = struct.unpack(">d", raw)[0]
            return number
        case 8 | 9:
            return kind - 8
    return int.from_bytes(raw, signed=True)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of one to nine bytes, and where the next thing begins."""
    value = 0
    for n in range(8):
        byte = data[at + n]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + n + 1
    return value << 8 | data[at + 8], at + 9
