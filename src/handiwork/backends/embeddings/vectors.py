"""Vectors that were worked out before, in a file, by what their texts say."""

from __future__ import annotations

import hashlib
import logging
import os
import zipfile
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

_MOST_KEPT = 20_000


def comparing(vectors: Any, embed: Callable[[Sequence[str]], Any]) -> Callable[[str], Sequence[float]]:
    """What tells the cosine of a query, which *embed* makes a vector of, to each row of *vectors*."""

    def compare(query: str) -> Sequence[float]:
        # Not `@`: its threads go on spinning for milliseconds after a product that takes less than one.
        cosines: list[float] = np.einsum("ij,j->i", vectors, embed([query])[0]).tolist()
        return cosines

    return compare


class Remembered:
    """Vectors of *size* numbers, here and in the file at *path*, "" for none; half precision, which no rank notices."""

    def __init__(self, path: str, size: int) -> None:
        self._path, self._size = path, size
        self._known: dict[bytes, Any] = {}

    def of(self, texts: Sequence[str], embed: Callable[[Sequence[str]], Any]) -> Any:
        """A float32 row for each text; *embed* is asked for those only that aren't known."""
        known = self._known or self._read()
        keys = [hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32].encode() for text in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if new:
            known.update(zip(new, embed(list(new.values())).astype(np.float16), strict=True))
            known = {key: known[key] for key in keys} | known  # today's first: the rest may be cut off
            self._write(known)
        self._known = known if len(known) <= _MOST_KEPT else {key: known[key] for key in keys}
        return np.array([known[key] for key in keys], np.float32).reshape(len(keys), self._size)

    def _read(self) -> dict[bytes, Any]:
        """What the file holds; one that is absent, damaged or of another kind holds nothing."""
        if not self._path:
            return {}
        try:
            with np.load(self._path, allow_pickle=False) as file:
                keys, vectors = file["keys"], file["vectors"]
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            logging.getLogger(__name__).debug("no vectors are remembered: %s", error)
            return {}
        if vectors.dtype != np.float16 or vectors.shape != (len(keys), self._size):
            return {}
        return dict(zip(keys.tolist(), vectors, strict=True))

    def _write(self, known: dict[bytes, Any]) -> None:
        """Put the file in place whole, or not at all."""
        if not self._path:
            return
        kept = list(known.items())[:_MOST_KEPT]
        temporary = f"{self._path}.{os.getpid()}"
        try:
            os.makedirs(os.path.dirname(self._path), exist_ok=True)
            with open(temporary, "wb") as file:
                np.savez(file, keys=np.array([key for key, _ in kept]), vectors=np.array([v for _, v in kept]))
            os.replace(temporary, self._path)
        except OSError as error:
            logging.getLogger(__name__).debug("vectors are not remembered: %s", error)  # a read-only home: only slower
