"""What a request and the tools mean, beside the words they share: a second opinion on the ranks."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from heapq import nlargest

from ..core.types import Embedder, ToolEntry

# Chosen with both halves of the questions in bench/search.py in sight; docs/search.md tells both.
_SHARE = 0.4
_LEAST = 0.1
_LEAST_ALONE = 0.3  # where no word is shared, a faint likeness is chance
_MOST_NEAR, _MOST_CHARS = 50, 2_000


class Meaning:
    """The tools of one moment as an embedder sees them."""

    def __init__(self, entries: Iterable[ToolEntry], embedder: Embedder) -> None:
        entries = list(entries)
        self._names = [e.name for e in entries]
        self._numbers = {name: number for number, name in enumerate(self._names)}
        self._compare = embedder.compare_with([_text(e) for e in entries])

    def blend(
        self, by_words: Mapping[str, float], request: str, within: Container[str] | None = None
    ) -> dict[str, float]:
        """The scores *by_words*, none of which is below 0, and the likeness of meaning, each as a share of its best.

        Told for the tools of *by_words* and for those that are nearest in meaning.
        """
        likeness = self._compare(request[:_MOST_CHARS])
        near = self._near(likeness, _LEAST if by_words else _LEAST_ALONE, within)
        near.update((n, c) for n in by_words if (c := likeness[self._numbers[n]]) >= _LEAST)
        scores = _shares(near, _SHARE)
        for name, share in _shares(by_words, 1 - _SHARE).items():
            scores[name] = scores.get(name, 0.0) + share
        return scores

    def _near(self, likeness: Sequence[float], least: float, within: Container[str] | None) -> dict[str, float]:
        pairs: Iterator[tuple[float, str]] = zip(likeness, self._names, strict=True)
        if within is not None:
            pairs = ((c, name) for c, name in pairs if name in within)
        return {name: c for c, name in nlargest(_MOST_NEAR, pairs) if c >= least}


def _shares(scores: Mapping[str, float], share: float) -> dict[str, float]:
    best = max(scores.values(), default=0.0) or 1.0
    return {name: share * score / best for name, score in scores.items()}


def _text(entry: ToolEntry) -> str:
    """What a tool says of itself, the likes of a sentence."""
    properties = entry.parameters.get("properties") or {}
    toolset = entry.toolset.removeprefix("mcp-")
    name = entry.name.replace("_", " ").replace("-", " ")
    return f"{name} ({toolset}): {entry.description} {entry.search_hint} {', '.join(properties)}"[:_MOST_CHARS]
