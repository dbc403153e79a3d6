"""The embedder that a house is given: nothing of it is loaded before the first search."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from handiwork.core.loading import Late
from handiwork.core.types import Embedder

static = Late("handiwork.backends.embeddings.static")
sentences = Late("handiwork.backends.embeddings.sentences")


class LateEmbedder:
    """An `Embedder` that is opened when it is first used; *folder* keeps the vectors of texts, "" for nowhere.

    *languages* is whether what is asked in one language should find what is said in another, which takes longer.
    """

    def __init__(self, folder: str = "", *, languages: bool = False) -> None:
        self._folder, self._languages = folder, languages
        self._real: Embedder | None = None

    def compare_with(self, texts: Sequence[str]) -> Callable[[str], Sequence[float]]:
        """See `Embedder`. Raises `HandiworkError` where its data can't be read."""
        self._real = self._real or self._open()
        return self._real.compare_with(texts)

    def _open(self) -> Embedder:
        opened: Embedder = (sentences.SentenceEmbedder if self._languages else static.StaticEmbedder)(self._folder)
        return opened
