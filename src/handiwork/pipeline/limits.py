"""Results stay small enough to read: the whole goes to a file, the model gets both ends and the way on."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..core.loading import Late
from ..core.spills import open_spill
from ..core.types import ToolEntry, ToolResult
from ..core.wire import dumps

fencing = Late("handiwork.guard.fencing")

DEFAULT_MAX_CHARS = 100_000
DEFAULT_TURN_CHARS = 200_000
CHARS_PER_TOKEN = 4
_SHARE_OF_CONTEXT = 0.25
_TURNS_SHARE = 0.5
_ROOMY = 1_000


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a result, and all results of a turn, may be, and where the whole of a longer one is kept.

    All sizes are in characters. `max_chars` holds where a tool has no limit of its own; `named` has
    those that a person set, by the name of a tool or its toolset. With a `context_tokens` a result takes
    at most a quarter of the context, a turn at most half of it. `folder` "" keeps nothing.
    """

    max_chars: int = DEFAULT_MAX_CHARS
    turn_chars: int = DEFAULT_TURN_CHARS
    context_tokens: int | None = None
    folder: str = ""
    named: Mapping[str, int] = field(default_factory=dict)

    def of(self, entry: ToolEntry | None) -> int:
        """The limit for one result of *entry*; what a person set goes before what the tool says."""
        most = (entry.max_result_size_chars if entry else None) or self.max_chars
        if self.named and entry:
            most = self.named.get(entry.name) or self.named.get(entry.toolset) or most
        return most if self.context_tokens is None else self._fitting(most, _SHARE_OF_CONTEXT)

    @property
    def of_turn(self) -> int:
        """The limit for all results of one turn together."""
        return self._fitting(self.turn_chars, _TURNS_SHARE)

    def _fitting(self, most: int, share: float) -> int:
        if self.context_tokens is None:
            return most
        return min(most, max(1_000, int(self.context_tokens * CHARS_PER_TOKEN * share)))


@dataclass(frozen=True, slots=True)
class _Cut:
    """What is told of a text that was too long: its size, where the whole is, its two ends."""

    size: int
    path: str
    problem: str
    head: str
    tail: str

    def within(self, most: int) -> str:
        """One JSON object of at most *most* characters that tells how to read on."""
        fields = {"truncated": True, "size": self.size, "path": self.path or None}
        if self.problem:
            fields["not_kept"] = self.problem
        next_step = _next_step if most >= _ROOMY else _short_step
        room = max(0, most - len(dumps({**fields, "head": "", "tail": "", "next": next_step(self.path, 10**9)})))
        head, tail = self.head[: room // 2], self.tail[len(self.tail) - min(room // 2, len(self.tail)) :]
        while True:
            shown = dumps({**fields, "head": head, "tail": tail, "next": next_step(self.path, head.count("\n") + 1)})
            if len(shown) <= most or not (head or tail):
                return shown
            # Escapes made it longer than it was: keep the share that fits.
            keep = 0.95 * room / (len(shown) - most + room)
            head, tail = head[: int(len(head) * keep)], tail[len(tail) - int(len(tail) * keep) :]


def cut(result: ToolResult, limits: Limits, most: int) -> ToolResult:
    """The result as one JSON object of at most *most* characters that tells how to read on."""
    text = result.content
    path, problem = _spill(result.call.name, text, limits.folder)
    return replace(result, content=_Cut(len(text), path, problem, text[:most], text[-most:]).within(most), kept=path)


def fit_turn(results: list[ToolResult], limits: Limits) -> list[ToolResult]:
    """The results of one turn, those that are too long together cut to an even length."""
    sizes = [len(result.text) for result in results]
    if sum(sizes) <= limits.of_turn:
        return results
    level = _level(sizes, limits.of_turn)
    return [
        _shorter(result, limits, level) if size > level else result for result, size in zip(results, sizes, strict=True)
    ]


def _level(sizes: Sequence[int], most: int) -> int:
    """The greatest length to which all may be cut so that their sum is at most *most*."""
    left, rest = most, sorted(sizes)
    while rest and rest[0] <= left // len(rest):
        left -= rest.pop(0)
    return left // max(len(rest), 1)


def _shorter(result: ToolResult, limits: Limits, most: int) -> ToolResult:
    result = _cut_further(result, most) if result.kept else cut(result, limits, most)
    outside = next((label for label in result.labels if label.integrity == "outside"), None)
    shown = fencing.fence(result.content, outside.source) if outside and result.shown is not None else None
    return replace(result, shown=shown)


def _cut_further(result: ToolResult, most: int) -> ToolResult:
    """A result that was cut already, its two ends made shorter; the file with the whole stays the same."""
    said = json.loads(result.content)
    return replace(result, content=_Cut(said["size"], result.kept, "", said["head"], said["tail"]).within(most))


def _next_step(path: str, line: int) -> str:
    if not path:
        return "ask for less: a narrower pattern, fewer lines, a filter"
    return f"read_file {dumps({'path': path, 'offset': line})} reads on where the head ends; or search in that file"


def _short_step(path: str, line: int) -> str:
    return f"read_file that path, offset {line}" if path else "ask for less"


def _spill(name: str, text: str, folder: str) -> tuple[str, str]:
    """Keep *text* in a file that only its owner can read. The path, or why there is none."""
    if not folder:
        return "", "no folder for long results"
    try:
        descriptor, path = open_spill(folder, name)
        with open(descriptor, "w", encoding="utf-8", errors="surrogatepass") as file:
            file.write(text)
    except OSError as error:
        return "", f"could not be written: {error.strerror}"
    return path, ""
