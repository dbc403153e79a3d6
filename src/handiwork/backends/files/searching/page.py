"""One page of what a search finds, in a fixed order, while all of it is counted."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import TypeAlias

from .matching import Row

Key = tuple[int, int, str]

_MAX_ORDERS = 8
_MAX_REMEMBERED = 20_000


@dataclass(frozen=True, slots=True)
class FileHits:
    """The hits of one file. `path` is relative to the place searched; `rank` is better the smaller it is."""

    path: str
    mtime_ns: int
    count: int = 1
    rows: tuple[Row, ...] = ()
    rank: int = 0


@dataclass(frozen=True, slots=True)
class Slice:
    """The hits of a file that are on the page: from `first` (from 0) on, up to `end`."""

    found: FileHits
    first: int
    end: int


@dataclass(frozen=True, slots=True)
class Order:
    """Best rank first, then newest first. Files of an earlier page keep the places they had then."""

    places: dict[str, int] = field(default_factory=dict)

    def key(self, path: str, mtime_ns: int, rank: int = 0) -> Key:
        place = self.places.get(path)
        return (rank, -mtime_ns, path) if place is None else (-1, place, path)


class Orders:
    """The orders of the latest searches, so that a file that changes between two pages stays in its place."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._orders: OrderedDict[Hashable, Order] = OrderedDict()

    def of(self, search: Hashable) -> Order:
        with self._lock:
            return self._orders.get(search, Order())

    def remember(self, search: Hashable, paths: list[str]) -> None:
        """Keep the order of *paths*, unless they are very many: then later pages are sorted anew."""
        with self._lock:
            self._orders.pop(search, None)
            if len(paths) <= _MAX_REMEMBERED:
                self._orders[search] = Order({path: place for place, path in enumerate(paths)})
            while len(self._orders) > _MAX_ORDERS:
                self._orders.popitem(last=False)


# Says of a path, relative to the place searched, why its contents aren't shown; "" of all others.
Closed: TypeAlias = Callable[[str], str]


def _nothing(_path: str) -> str:
    return ""


class Page:
    """The units (hits, or files) from *offset* on, at most *limit*. Counts all, keeps no more than it may show.

    Files that are *closed*, by their paths, are left out as if they held nothing, and named in `left_out`.
    """

    def __init__(
        self, order: Order, *, offset: int, limit: int, by_file: bool = False, closed: Closed = _nothing
    ) -> None:
        self._order, self._first, self._end, self._by_file = order, offset, offset + limit, by_file
        self._closed = closed
        self.left_out: list[str] = []
        self._kept: list[tuple[Key, FileHits]] = []
        self._kept_units = 0
        self._keys: list[Key] = []
        self.hits = self.files = 0

    @property
    def total(self) -> int:
        return self.files if self._by_file else self.hits

    def room(self, path: str, mtime_ns: int) -> int:
        """How many hits of this file may come to be shown."""
        if self._by_file:
            return 0
        full = self._kept_units >= self._end and self._order.key(path, mtime_ns) > self._kept[-1][0]
        return 0 if full else self._end

    def add(self, found: FileHits) -> None:
        if self._closed(found.path):
            self.left_out.append(found.path)
            return
        key = self._order.key(found.path, found.mtime_ns, found.rank)
        self.hits += found.count
        self.files += 1
        if len(self._keys) <= _MAX_REMEMBERED:
            self._keys.append(key)
        place = bisect_left(self._kept, key, key=lambda kept: kept[0])
        if place == len(self._kept) and self._kept_units >= self._end:
            return
        self._kept.insert(place, (key, found))
        self._kept_units += self._units(found)
        while self._kept and self._kept_units - (last := self._units(self._kept[-1][1])) >= self._end:
            self._kept.pop()
            self._kept_units -= last

    def _units(self, found: FileHits) -> int:
        return 1 if self._by_file else found.count

    def slices(self) -> list[Slice]:
        """What the page shows, in order."""
        out, before = [], 0
        for _, found in self._kept:
            units = self._units(found)
            first, end = max(self._first - before, 0), min(self._end - before, units)
            if first < end:
                out.append(Slice(found, first, end))
            before += units
        return out

    def paths(self) -> list[str]:
        """All files in order; no more than are remembered, and one."""
        return [path for *_, path in sorted(self._keys)]
