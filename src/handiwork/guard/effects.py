"""What a command would do: one effect for each thing it touches, with the place in the text that says so."""

from __future__ import annotations

from typing import NamedTuple

Span = tuple[int, int]


class Effect(NamedTuple):
    """One thing that a command would do.

    `kind` is a word of `command_policy` (`delete`, `overwrite`, `read_secret` ...), `target` the path, host
    or program it is done to (paths as resolved as the text allows), `span` the characters of the judged text
    from which it comes, and `why` an own sentence where the one of its kind doesn't fit.
    """

    kind: str
    target: str = ""
    span: Span = (0, 0)
    why: str = ""
