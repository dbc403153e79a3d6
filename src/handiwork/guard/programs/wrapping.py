"""Programs that run other programs: what follows their own options, or a text that they hand to a shell."""

from __future__ import annotations

from functools import lru_cache

from ..shell.call import Call
from ..shell.marks import veiled
from .arguments import Arguments
from .entry import Program


def run_inner(call: Call, entry: Program, arguments: Arguments) -> str:
    """Read what the wrapper runs; what that would print."""
    if entry.reader is not None:
        return entry.reader(call, arguments) or ""
    for way, count, flags in _ways(entry.runs):
        if way == "text":
            texts = arguments.of(flags)
            if texts:
                return "".join(call.runs(text, stdin=call.stdin) for text in texts)
        else:
            return _run_rest(call, way, arguments.rest[count:], _ways(entry.runs)[0][2])
    return veiled(call.stdin)


def _run_rest(call: Call, way: str, rest: list[str], text_flags: frozenset[str]) -> str:
    if rest and rest[0] in text_flags:
        return call.runs(" ".join(rest[1:2]), stdin=call.stdin)
    if not rest:
        return veiled(call.stdin)
    if way == "joined":
        return call.runs(" ".join(rest), stdin=call.stdin)
    return call.runs_words(rest[1:] if rest[0] == "--" else rest)


@lru_cache(maxsize=256)
def _ways(runs: str) -> tuple[tuple[str, int, frozenset[str]], ...]:
    """What `runs` of an entry says: the way, how many operands come before, and the options that take a text."""
    found = []
    for part in runs.split(";"):
        way, _, more = part.strip().partition(" ")
        flags = frozenset(more.split("|")) if way == "text" else frozenset()
        found.append((way, int(more) if more.isdigit() else 0, flags))
    return tuple(found)
