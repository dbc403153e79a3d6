"""Vectors from the table that WordLlama ships: one of 256 numbers for each word piece, and a text is their mean.

Only its two data files are read. Importing the package itself takes over a second, and it looks for its
tokenizer in places where its wheel doesn't put it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from handiwork.core.errors import HandiworkError

from .extra import FIX
from .vectors import Remembered, comparing

NAME = "wordllama-l2-supercat-256"
SIZE = 256
_WEIGHTS = "weights/l2_supercat_256.safetensors"
_PIECES = "tokenizers/l2_supercat_tokenizer_config.json"
_MOST_CHARS, _MOST_PIECES = 2_000, 256


class StaticEmbedder:
    """Texts as vectors of length 1; those of the texts to compare with are kept in *folder*, "" for nowhere."""

    def __init__(self, folder: str = "") -> None:
        self._pieces, self._table = _read_table()
        self._remembered = Remembered(os.path.join(folder, f"{NAME}.npz") if folder else "", SIZE)

    def embed(self, texts: Sequence[str]) -> Any:
        """A float32 array with a row for each text: of length 1, or 0 for a text without a word."""
        rows: Any = np.zeros((len(texts), SIZE), np.float32)
        for row, text in zip(rows, texts, strict=True):
            ids = self._pieces.encode(text[:_MOST_CHARS], add_special_tokens=False).ids[:_MOST_PIECES]
            if ids:
                row[:] = self._table[ids].mean(axis=0, dtype=np.float32)
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)

    def compare_with(self, texts: Sequence[str]) -> Callable[[str], Sequence[float]]:
        """What tells the cosine of a query to each of *texts*."""
        return comparing(self._remembered.of(texts, self.embed), self.embed)


def _read_table() -> tuple[Any, Any]:
    """The tokenizer and the float16 table. Raises `HandiworkError` where a file is absent or damaged."""
    try:
        spec = find_spec("wordllama")
        (folder,) = (spec and spec.submodule_search_locations) or ("",)
        pieces = Tokenizer.from_file(os.path.join(folder, _PIECES))
        (table,) = load_file(os.path.join(folder, _WEIGHTS)).values()
    except Exception as error:
        raise HandiworkError(f"the table of embeddings can't be read: {error}", f"{FIX} --force-reinstall") from error
    pieces.no_padding()
    return pieces, table
