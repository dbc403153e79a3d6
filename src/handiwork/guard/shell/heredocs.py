"""Here-documents, taken out before the rest is parsed: what stands in them is text, whatever it looks like."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from .scanning import end_of_parenthesis, past_quoted

_STOPS: Final = re.compile(r"""\\|\$?['"]|`|\$[({]|[<>]\(|\(\(|<<<|<<-?|\n|(?:(?<=\s)|(?<=;)|^)\#""")
_MARK: Final = re.compile(r"""[ \t]*((?:'[^'\n]*'|"[^"\n]*"|\\.|[^\s;&|<>()'"\\`])+)""")
_PLACE: Final = re.compile("\ue020(\\d+)\ue021\\Z")


class Heredoc(NamedTuple):
    """The text of one here-document; what is *literal* isn't expanded."""

    text: str
    literal: bool


class _Opened(NamedTuple):
    mark: str
    literal: bool
    tabs: bool


def take_heredocs(text: str) -> tuple[str, list[Heredoc]]:
    """The text with each `<<MARK` as a redirection from a numbered place, and the documents by number.

    Where a document stood there are blanks, so that what follows keeps its place in the text.
    """
    out: list[str] = []
    found: list[Heredoc] = []
    waiting: list[_Opened] = []
    copied = at = longer = 0
    while stop := _STOPS.search(text, at):
        sign, at = stop[0], stop.end()
        if sign in ("<<", "<<-") and (mark := _MARK.match(text, at)):
            place = f"<\ue020{len(found) + len(waiting)}\ue021"
            out += [text[copied : stop.start()], place]
            copied = at = mark.end()
            longer += len(place) - (mark.end() - stop.start())
            waiting.append(_opened(mark[1], sign))
        elif sign == "\n" and waiting:
            for opened in waiting:
                document, end = _document(text, at, opened)
                found.append(document)
                out += [text[copied:at], " " * max(end - at - max(longer, 0), 0)]
                longer, copied, at = 0, end, end
            waiting = []
        else:
            at = _past(text, stop)
    documents = [*found, *(Heredoc("", literal=True) for _ in waiting)]
    return "".join([*out, text[copied:]]), documents


def _past(text: str, stop: re.Match[str]) -> int:
    """The place after what can't hold a here-document of this script: quotes, substitutions, comments, sums."""
    sign, at = stop[0], stop.end()
    if sign in ("\n", "<<<", "<<", "<<-"):
        return at
    if sign == "#":
        end = text.find("\n", at)
        return len(text) if end < 0 else end
    if sign == "((":
        end = text.find("))", at)
        return at if end < 0 else end
    if sign in ("<(", ">("):
        return end_of_parenthesis(text, at) + 1
    return past_quoted(text, stop.start())


def _opened(mark: str, sign: str) -> _Opened:
    literal = any(quote in mark for quote in "'\"\\")
    return _Opened(re.sub(r"['\"\\]", "", mark), literal, sign == "<<-")


def _document(text: str, at: int, opened: _Opened) -> tuple[Heredoc, int]:
    """The lines up to the mark, or to the end, and where they end."""
    start = at
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        line = text[at:end].lstrip("\t") if opened.tabs else text[at:end]
        if line.rstrip("\r") == opened.mark or (
            line.startswith(opened.mark) and line[len(opened.mark) :].strip() == ")"
        ):
            after = at + text[at:end].find(opened.mark) + len(opened.mark)
            return _heredoc(text[start:at], opened), after
        at = end + 1
    return _heredoc(text[start:], opened), len(text)


def _heredoc(body: str, opened: _Opened) -> Heredoc:
    return Heredoc(re.sub(r"^\t+", "", body, flags=re.MULTILINE) if opened.tabs else body, opened.literal)


def heredoc_at(target: str, documents: list[Heredoc]) -> Heredoc | None:
    """The document behind the target of a redirection; None where that is a file."""
    place = _PLACE.match(target)
    return documents[int(place[1])] if place and int(place[1]) < len(documents) else None
