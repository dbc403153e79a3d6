"""Which tools wait behind the search when all of them together would cost too much.

What asks to be deferred goes first. Then whole toolsets go, since half of one misleads; the core stays,
whatever it costs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from ..core.types import ToolEntry
from .presets import BASELINE, CORE

Price = Callable[[ToolEntry], int]


def left_out(entries: Iterable[ToolEntry], price: Price, budget: int) -> frozenset[str]:
    """The names to leave out so that the rest costs at most *budget* tokens, if the core allows it."""
    entries = list(entries)
    prices = {e.name: price(e) for e in entries}
    out: set[str] = set()
    total = sum(prices.values())
    for group in _dispensable(entries, prices):
        if total <= budget:
            break
        out.update(group)
        total -= sum(map(prices.__getitem__, group))
    return frozenset(out)


def _dispensable(entries: list[ToolEntry], prices: dict[str, int]) -> Iterator[list[str]]:
    """Groups of names in the order in which they go: what asks for it, then toolsets, the least usual first."""
    yield [e.name for e in entries if e.defer]
    toolsets: defaultdict[str, list[str]] = defaultdict(list)
    for entry in entries:
        if entry.toolset not in CORE and not entry.defer:
            toolsets[entry.toolset].append(entry.name)
    ranks = {name: -place for place, name in enumerate(BASELINE, start=1)}
    lowest = -len(BASELINE) - 1
    costs = {name: sum(map(prices.__getitem__, members)) for name, members in toolsets.items()}
    for name in sorted(toolsets, key=lambda n: (ranks.get(n, lowest), -costs[n], n)):
        yield toolsets[name]
