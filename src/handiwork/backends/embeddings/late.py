"""The embedder that a house is given: nothing of it is loaded before the first search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from handiwork.core.loading import Late

if TYPE_CHECKING:
    from .static import StaticEmbedder

static = Late("handiwork.backends.embeddings.static")


class LateEmbedder:
    """An `Embedder` whose table is read when it is first used; *folder* keeps the vectors of texts, "" for nowhere."""

    def __init__(self, folder: str = "") -> None:
        self._folder = folder
        self._real: StaticEmbedder | None = None

    def compare_with(self, texts: Sequence[str]) -> Callable[[str], Sequence[float]]:
        """See `Embedder`. Raises `HandiworkError` where the table can't be read."""
        self._real = self._real or static.StaticEmbedder(self._folder)
        return self._real.compare_with(texts)
