"""Results stay small enough to read: the whole goes to a file, the model gets both ends and the way on."""

from __future__ import annotations

import itertools
import os
import re
import time
from dataclasses import dataclass, replace

from ..core.types import ToolCall, ToolResult
from ..core.wire import dumps

DEFAULT_MAX_CHARS = 100_000
CHARS_PER_TOKEN = 4
_SHARE_OF_CONTEXT = 0.25
_ROOMY = 1_000
_count = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a result may be, and where the whole of a longer one is kept.

    `max_chars` is in characters and holds where a tool has no limit of its own; with a
    `context_tokens` it shrinks so that one result takes at most a quarter of the context.
    `folder` "" keeps nothing.
    """

    max_chars: int = DEFAULT_MAX_CHARS
    context_tokens: int | None = None
    folder: str = ""

    def of(self, max_result_size_chars: int | None) -> int:
        """The limit in characters for a tool that declares *max_result_size_chars*."""
        own = max_result_size_chars or self.max_chars
        if self.context_tokens is None:
            return own
        return min(own, max(1_000, int(self.context_tokens * CHARS_PER_TOKEN * _SHARE_OF_CONTEXT)))


def cut(result: ToolResult, limits: Limits, most: int) -> ToolResult:
    """The result as one JSON object of at most *most* characters that tells how to read on."""
    path, problem = _spill(result.call, result.content, limits.folder)
    return replace(result, content=_both_ends(result.content, most, path, problem), kept=path)


def _both_ends(text: str, most: int, path: str, problem: str) -> str:
    fields = {"truncated": True, "size": len(text), "path": path or None}
    if problem:
        fields["not_kept"] = problem
    next_step = _next_step if most >= _ROOMY else _short_step
    room = max(0, most - len(dumps({**fields, "head": "", "tail": "", "next": next_step(path, 10**9)})))
    head, tail = text[: room // 2], text[len(text) - room // 2 :]
    while True:
        shown = dumps({**fields, "head": head, "tail": tail, "next": next_step(path, head.count("\n") + 1)})
        if len(shown) <= most or not (head or tail):
            return shown
        # Escapes made it longer than it was: keep the share that fits.
        keep = 0.95 * room / (len(shown) - most + room)
        head, tail = head[: int(len(head) * keep)], tail[len(tail) - int(len(tail) * keep) :]


def _next_step(path: str, line: int) -> str:
    if not path:
        return "ask for less: a narrower pattern, fewer lines, a filter"
    return f"read_file {dumps({'path': path, 'offset': line})} reads on where the head ends; or search in that file"


def _short_step(path: str, line: int) -> str:
    return f"read_file that path, offset {line}" if path else "ask for less"


def _spill(call: ToolCall, text: str, folder: str) -> tuple[str, str]:
    """Keep *text* in a file that only its owner can read. The path, or why there is none."""
    if not folder:
        return "", "no folder for long results"
    stem = re.sub(r"[^\w-]+", "_", call.name)[:48]
    path = os.path.join(folder, f"{stem}-{int(time.time())}-{os.getpid()}-{next(_count)}.txt")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="utf-8", errors="surrogatepass") as file:
            file.write(text)
    except OSError as error:
        return "", f"could not be written: {error.strerror}"
    return path, ""
