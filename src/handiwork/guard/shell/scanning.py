"""Where a quoted or bracketed stretch of shell text ends.

Every function takes the text and the place after the opening sign, and gives the place of the closing
sign, or the length of the text where it is never closed. Each is linear in what it passes.
"""

from __future__ import annotations

import re
from typing import Final

_DOUBLE = re.compile(r'[\\"`]|\$\(|\$\{')
_NESTED = re.compile(r"""[\\'"`()]|\$\{|\$'|<<-?[ \t]*['"\\]?\w+['"]?|(?<=\s)\#""")
_BRACED = re.compile(r"""[\\'"`}]|\$\{|\$\(|\$'""")
_ANSI = re.compile(r"(?:[^'\\]|\\.)*", re.DOTALL)
_BACKTICK = re.compile(r"(?:[^`\\]|\\.)*", re.DOTALL)
MOST_DEPTH = 40
MOST_DOCUMENT = 20_000
MOST_MARKS = 10


_QUOTED = re.compile(r"""\\|\$?['"]|`|\$\{|\$\(""")


def past_quoted(text: str, at: int) -> int:
    """The place after the quotes, substitution or escape that begins at *at*; *at* itself where nothing does."""
    found = _QUOTED.match(text, at)
    return _past(text, found, 0) if found else at


def end_of_single(text: str, at: int) -> int:
    """Of `'...'`."""
    end = text.find("'", at)
    return len(text) if end < 0 else end


def end_of_line(text: str, at: int) -> int:
    """Of a comment."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def end_of_heredoc(text: str, at: int, sign: str) -> int:
    """Of the here-document that `<<MARK` opens; what follows the mark on its line stays to be read."""
    mark = sign.lstrip("<- \t").strip("'\"\\")
    line = end_of_line(text, at)
    opened = text[at:line].strip()
    if opened and not opened.startswith((">", "|", "2")):
        return at
    place = line
    for _ in range(MOST_MARKS):
        place = text.find(mark, place + 1, line + MOST_DOCUMENT)
        if place < 0:
            return at
        before, after = text[text.rfind("\n", 0, place) + 1 : place], text[place + len(mark) : place + len(mark) + 3]
        if not before.strip("\t") and after[:1] in ("", "\n", ")", "\r", " "):
            return place + len(mark)
    return at


def end_of_ansi(text: str, at: int) -> int:
    """Of `$'...'`."""
    found = _ANSI.match(text, at)
    return found.end() if found else at


def end_of_backtick(text: str, at: int) -> int:
    """Of a backtick."""
    found = _BACKTICK.match(text, at)
    return found.end() if found else at


def end_of_double(text: str, at: int, depth: int = 0) -> int:
    """Of `"..."`, over the substitutions in it."""
    while found := _DOUBLE.search(text, at):
        if found[0] == '"':
            return found.start()
        at = _past(text, found, depth)
    return len(text)


def end_of_parenthesis(text: str, at: int, depth: int = 0) -> int:
    """Of `(...)`, over quotes and further parentheses."""
    while found := _NESTED.search(text, at):
        if found[0] == ")":
            return found.start()
        at = _past(text, found, depth)
    return len(text)


def end_of_brace(text: str, at: int, depth: int = 0) -> int:
    """Of `${...}`, over quotes and substitutions."""
    while found := _BRACED.search(text, at):
        if found[0] == "}":
            return found.start()
        at = _past(text, found, depth)
    return len(text)


def _past(text: str, opening: re.Match[str], depth: int) -> int:
    """The place after what *opening* opens."""
    sign, at = opening[0], opening.end()
    if sign == "\\":
        return at + 1
    if sign == "#":
        return end_of_line(text, at)
    if sign.startswith("<<"):
        return end_of_heredoc(text, at, sign)
    if depth > MOST_DEPTH:
        return len(text)
    flat = _FLAT.get(sign)
    return (flat(text, at) if flat else _NESTING[sign.lstrip("$") if sign == '$"' else sign](text, at, depth + 1)) + 1


_FLAT: Final = {"'": end_of_single, "$'": end_of_ansi, "`": end_of_backtick}
_NESTING: Final = {
    '"': end_of_double,
    "${": end_of_brace,
    "$(": end_of_parenthesis,
    "(": end_of_parenthesis,
}
