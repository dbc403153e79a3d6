"""What a local model has written so far, piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from handiwork.core.types import Usage

from .constrained import AnswerStream

_LONGEST_PERIOD, _TIMES = 64, 6


class Writing:
    """Takes llama.cpp's chunks. *tell* hears what a person may see: all of it, or the answer's text."""

    __slots__ = ("_answer", "_tell", "circling", "cut_off", "error", "text", "usage")

    def __init__(self, tell: Callable[[str], None] | None, answer: AnswerStream | None = None) -> None:
        self.text = ""
        self.usage = Usage()
        self.error = ""
        self.cut_off = self.circling = False
        self._tell, self._answer = tell, answer

    @property
    def is_form_refused(self) -> bool:
        """Whether llama.cpp couldn't make a grammar of the schema."""
        return "grammar" in self.error or "schema" in self.error.lower()

    def take(self, chunk: Mapping[str, Any]) -> bool:
        """One chunk; true means that going on is of no use."""
        if fault := chunk.get("error"):
            self.error = str(fault.get("message", fault)) if isinstance(fault, Mapping) else str(fault)
            return True
        self._count(chunk.get("timings") or {})
        for choice in chunk.get("choices") or ():
            self.cut_off = choice.get("finish_reason") == "length"
            self._write((choice.get("delta") or {}).get("content") or "")
        return self.circling

    def _write(self, piece: str) -> None:
        self.text += piece
        self.circling = self._answer is not None and runs_in_circles(self.text)
        shown = piece if self._answer is None else self._answer.feed(piece)
        if shown and self._tell:
            self._tell(shown)

    def _count(self, timings: Mapping[str, Any]) -> None:
        if timings:
            cached = int(timings.get("cache_n", 0))
            read = cached + int(timings.get("prompt_n", 0))
            self.usage = Usage(read, int(timings.get("predicted_n", 0)), cached_tokens=cached)


def runs_in_circles(text: str) -> bool:
    """Whether *text* ends in the same 4 to 64 characters, not all alike, six times over."""
    tail = text[-_LONGEST_PERIOD * _TIMES :]
    for period in range(4, min(_LONGEST_PERIOD, len(tail) // _TIMES) + 1):
        unit = tail[-period:]
        if tail.endswith(unit * _TIMES) and len(set(unit)) > 1:
            return True
    return False
