"""A script with everything that is only text struck out, so that its structure alone is left to be parsed.

Quotes, substitutions, variables, comments and braces inside words become signs without a meaning, one for one.
A grammar that reads those in its own way, or takes long over them, can't mislead anybody then.
"""

from __future__ import annotations

import re
from typing import Final

from .scanning import end_of_line, end_of_parenthesis, past_quoted

STRUCK: Final = "."
_STOPS: Final = re.compile(
    r"""\\|\$?['"]|`|\$[({]|[<>]\(|\$\w+|\$[@*\#?!$-]|\{(?=[^\s;&|])|(?<=[^\s;&|(){])\}|(?:(?<=[\s;])|^)\#""", re.ASCII
)
_ONE: Final = frozenset("{}")


def outline(text: str) -> tuple[str, bool]:
    """The structure of *text*, as long as *text*, and whether every quote and bracket in it is closed."""
    out: list[str] = []
    copied = at = 0
    closed = True
    while stop := _STOPS.search(text, at):
        start = stop.start()
        end = _end(text, stop)
        closed = closed and end <= len(text)
        end = min(end, len(text))
        out += [text[copied:start], _struck(stop[0], end - start)]
        copied = at = max(end, start + 1)
    return ("".join([*out, text[copied:]]) if out else text), closed


def _struck(sign: str, length: int) -> str:
    return "#" + STRUCK * (length - 1) if sign == "#" else STRUCK * length


def _end(text: str, stop: re.Match[str]) -> int:
    """The place after what begins at *stop*."""
    sign, at = stop[0], stop.end()
    if sign in _ONE or (sign[0] == "$" and sign[1:2] not in "({'\""):
        return at
    if sign == "#":
        return end_of_line(text, at)
    if sign in ("<(", ">("):
        return end_of_parenthesis(text, at) + 1
    return past_quoted(text, stop.start())
