"""The embedder that a house is given: nothing of it is loaded before the first search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

from handiwork.core.loading import Late

if TYPE_CHECKING:
    from .static import StaticEmbedder

FIX = "pip install 'handiwork[embeddings]'"
static = Late("handiwork.backends.embeddings.static")
_PACKAGES = ("wordllama", "numpy", "safetensors", "tokenizers")


def missing() -> str:
    """Why there are no embeddings here, or ""; `FIX` is the command that mends it. Imports nothing."""
    absent = [name for name in _PACKAGES if find_spec(name) is None]
    return f"the tool search works by words alone: not installed: {', '.join(absent)}" if absent else ""


class LateEmbedder:
    """An `Embedder` whose table is read when it is first used; *folder* keeps the vectors of texts, "" for nowhere."""

    def __init__(self, folder: str = "") -> None:
        self._folder = folder
        self._real: StaticEmbedder | None = None

    def compare_with(self, texts: Sequence[str]) -> Callable[[str], Sequence[float]]:
        """See `Embedder`. Raises `HandiworkError` where the table can't be read."""
        self._real = self._real or static.StaticEmbedder(self._folder)
        return self._real.compare_with(texts)
