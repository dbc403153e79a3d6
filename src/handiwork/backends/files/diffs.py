"""Short unified diffs, quick also where the files are long."""

from __future__ import annotations

from difflib import unified_diff
from itertools import islice

_MAX_LINES = 80
_MAX_COMPARED = 2_000
_MAX_WIDTH = 400
_CONTEXT = 3


def short_diff(old: str, new: str) -> str:
    """What changed from *old* to *new*, at most 80 lines of it, line ends disregarded."""
    a, b = old.replace("\r\n", "\n").split("\n"), new.replace("\r\n", "\n").split("\n")
    start = _common(a, b, len(a), len(b))
    end = _common(a[::-1], b[::-1], len(a) - start, len(b) - start)
    first = max(0, start - _CONTEXT)
    a, b = a[first : len(a) - max(0, end - _CONTEXT)], b[first : len(b) - max(0, end - _CONTEXT)]
    if max(len(a), len(b)) > _MAX_COMPARED:
        return f"@@ from line {start + 1} @@ {len(a):,} lines became {len(b):,}: too many to show"
    return _limited([*_moved(a, b, first)])


def _common(a: list[str], b: list[str], most_a: int, most_b: int) -> int:
    pairs = zip(a[:most_a], b[:most_b], strict=False)
    return next((n for n, (x, y) in enumerate(pairs) if x != y), min(most_a, most_b))


def _moved(a: list[str], b: list[str], first: int) -> list[str]:
    """The hunks, their line numbers counted from the start of the file."""
    hunks = islice(unified_diff(a, b, n=_CONTEXT, lineterm=""), 2, None)
    return [_renumbered(line, first) if line.startswith("@@") else line[:_MAX_WIDTH] for line in hunks]


def _renumbered(header: str, first: int) -> str:
    _, old, new, _ = header.split()
    return f"@@ -{_shifted(old, first)} +{_shifted(new, first)} @@"


def _shifted(span: str, first: int) -> str:
    start, *length = span[1:].split(",")
    return ",".join([str(int(start) + first), *length])


def _limited(lines: list[str]) -> str:
    if len(lines) <= _MAX_LINES:
        return "\n".join(lines)
    return "\n".join([*lines[:_MAX_LINES], f"... and {len(lines) - _MAX_LINES} more lines of diff"])
