"""Short unified diffs, quick also where the files are long."""

from __future__ import annotations

from difflib import unified_diff
from itertools import islice

MAX_LINES = 80
_MAX_COMPARED = 2_000
_MAX_WIDTH = 400
_CONTEXT = 3


def short_diff(old: str, new: str, *, most: int = MAX_LINES) -> str:
    """What changed from *old* to *new*, at most *most* lines of it, line ends disregarded."""
    a, b, first = _apart(old, new)
    if max(len(a), len(b)) > _MAX_COMPARED:
        return f"@@ from line {first + 1} @@ {len(a):,} lines became {len(b):,}: too many to show"
    return _limited([line if line.startswith("@@") else line[:_MAX_WIDTH] for line in _moved(a, b, first)], most)


def whole_diff(old: str, new: str) -> list[str]:
    """The lines of a diff that leaves out nothing, line ends disregarded: for somebody who is to agree to it."""
    a, b, first = _apart(old, new)
    if max(len(a), len(b)) <= _MAX_COMPARED:
        return _moved(a, b, first)
    return [f"@@ from line {first + 1} @@", *(f"-{line}" for line in a), *(f"+{line}" for line in b)]


def _apart(old: str, new: str) -> tuple[list[str], list[str], int]:
    """The lines in which the texts differ, with a few around them, and how many stand before those."""
    old, new = (text.replace("\r\n", "\n") if "\r" in text else text for text in (old, new))
    shorter = min(len(old), len(new))
    same = _same_start(old, new, shorter)
    start, end = _lines_back(old, same), _same_end(old, new, shorter - same)
    a, b = (text[start : _lines_on(text, len(text) - end)].split("\n") for text in (old, new))
    return a, b, old.count("\n", 0, start)


def _same_start(a: str, b: str, most: int) -> int:
    """How many characters the texts have in common at their start."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _same_end(a: str, b: str, most: int) -> int:
    """How many characters the texts have in common at their end."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if a[len(a) - middle : len(a) - low] == b[len(b) - middle : len(b) - low]:
            low = middle
        else:
            high = middle - 1
    return low


def _lines_back(text: str, at: int) -> int:
    """The start of the line that stands a few lines before *at*."""
    for _ in range(_CONTEXT + 1):
        at = text.rfind("\n", 0, at)
        if at < 0:
            return 0
    return at + 1


def _lines_on(text: str, at: int) -> int:
    """The end of the line that stands a few lines behind *at*."""
    for _ in range(_CONTEXT + 1):
        at = text.find("\n", at)
        if at < 0:
            return len(text)
        at += 1
    return at - 1


def _moved(a: list[str], b: list[str], first: int) -> list[str]:
    """The hunks, their line numbers counted from the start of the file.

    What is the same at both ends goes in under marks, each used once: else a line that is often there
    could be matched with another one, and a change would seem to stand at the end of the file.
    """
    shorter = min(len(a), len(b))
    head = next((i for i in range(shorter) if a[i] != b[i]), shorter)
    tail = next((i for i in range(shorter - head) if a[-1 - i] != b[-1 - i]), shorter - head)
    marks = {f"\0same {i}\0": line for i, line in enumerate([*a[:head], *a[len(a) - tail :]])}
    before, after = list(marks)[:head], list(marks)[head:]
    old, new = ([*before, *lines[head : len(lines) - tail], *after] for lines in (a, b))
    hunks = islice(unified_diff(old, new, n=_CONTEXT, lineterm=""), 2, None)
    shown = (f"{line[:1]}{marks.get(line[1:], line[1:])}" for line in hunks)
    return [_renumbered(line, first) if line.startswith("@@") else line for line in shown]


def _renumbered(header: str, first: int) -> str:
    _, old, new, _ = header.split()
    return f"@@ -{_shifted(old, first)} +{_shifted(new, first)} @@"


def _shifted(span: str, first: int) -> str:
    start, *length = span[1:].split(",")
    return ",".join([str(int(start) + first), *length])


def _limited(lines: list[str], most: int) -> str:
    if len(lines) <= most:
        return "\n".join(lines)
    return "\n".join([*lines[:most], f"... and {len(lines) - most} more lines of diff"])
