"""What `read_file` answers: a window of a text, the text of a document, what a picture is, or a folder's names."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO

from ...core.errors import UsageError
from .documents import reader_of, text_of
from .pictures import picture_of
from .seen import Asked, Session
from .target import Target
from .troubles import missing
from .window import COUNTED_BYTES, Place, Window, read_window

# Bytes of one answer's text as UTF-8.
PAGE_BYTES = 60_000
PAGE_NAMES = 500
_HEAD_BYTES = 64 << 10
_FAR_COUNTED_BYTES = 256 << 10

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which part: the first line or name (negative from the end), how many at most, the first character."""

    offset: int = 1
    limit: int | None = None
    column: int = 1

    @property
    def key(self) -> Asked:
        """What tells this part from others."""
        return self.offset, self.limit, self.column

    @property
    def most(self) -> int:
        """The limit as a number: without one, the room decides."""
        return PAGE_BYTES if self.limit is None else max(self.limit, 1)


def read_page(target: Target, wanted: Wanted, session: Session, room: int | None = None) -> Answer:
    """One page of what is under *target*, in at most *room* characters of JSON."""
    state = target.files.stat(target.real)
    if state is None:
        folder, _ = os.path.split(target.real)
        raise missing(target.real, _siblings(target, folder))
    if state.kind == "directory":
        return _listing(target, wanted)
    if session.repeats(target.key, state, wanted.key):
        return _unchanged(target, wanted)
    with target.files.open(target.real) as file:
        answer, is_whole = _content(target, file, wanted, room)
    session.noted(target.key, state, wanted.key if is_whole else None)
    return answer


def _siblings(target: Target, folder: str) -> list[str] | None:
    about = target.files.stat(folder)
    return [name for name, _ in target.files.names(folder)] if about and about.kind == "directory" else None


def _unchanged(target: Target, wanted: Wanted) -> Answer:
    part = "to the end" if wanted.limit is None else f"up to {wanted.limit} lines"
    shown = f"line {wanted.offset} on, {part}: shown before in this session, and the file hasn't changed since"
    again = "the text is in that earlier answer; if it is lost, make this call once more and it is shown"
    return {"path": target.path, "unchanged": shown, "again": again}


def _content(target: Target, file: BinaryIO, wanted: Wanted, room: int | None) -> tuple[Answer, bool]:
    """The answer, and whether all of what was asked for is in it."""
    head = file.read(_HEAD_BYTES)
    picture = picture_of(head)
    if picture is not None:
        size = file.seek(0, os.SEEK_END)
        note = "a picture isn't text; its pixels need a tool that sees"
        about = {"image": picture.format, "width": picture.width, "height": picture.height}
        return {"path": target.path, "size": size, **about, "note": note}, False
    file.seek(0)
    make = reader_of(target.real, head)
    if make is None:
        counted = COUNTED_BYTES if target.files.place == "local" else _FAR_COUNTED_BYTES
        return _fitting(lambda most: _text_page(target, file, wanted, most, counted), room)
    text = text_of(make, file, target.path)
    return _fitting(lambda most: _document_page(target, text, wanted, most), room)


Page = tuple[Answer, bool]


def _fitting(make: Callable[[int], Page], room: int | None) -> Page:
    """The page with as much text as *room* has place for once it is JSON: what is cut later isn't delivered."""
    most = PAGE_BYTES if room is None else min(PAGE_BYTES, room)
    while True:
        page = make(most)
        if room is None or most <= 1 or (over := len(_json(page[0])) - room) <= 0:
            return page
        content = page[0]["content"]
        escaped = len(_json(content))
        # Escapes made it longer than it was, letters of several bytes shorter: keep the share that fits.
        most = max(1, min(most - 1, len(content.encode()) * (escaped - over) // escaped))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _text_page(target: Target, file: BinaryIO, wanted: Wanted, most: int, counted: int) -> Page:
    window = _window(target, file, wanted, most, counted=counted)
    encoding = window.file.encoding
    about = {
        "path": target.path,
        "size": window.file.size,
        "lines": _lines(window),
        "encoding": f"{encoding} (a guess)" if encoding.guessed else str(encoding),
        "newline": window.file.newline,
    }
    return _page(target, about, window, wanted)


def _document_page(target: Target, text: BinaryIO, wanted: Wanted, most: int) -> Page:
    window = _window(target, text, wanted, most, counted=COUNTED_BYTES)
    note = "the text of a document; the file itself is different, so it can't be edited by this text"
    return _page(target, {"path": target.path, "lines": _lines(window), "note": note}, window, wanted)


def _window(target: Target, file: BinaryIO, wanted: Wanted, most: int, *, counted: int) -> Window:
    start = Place(wanted.offset or 1, max(wanted.column, 1))
    file.seek(0)
    return read_window(file, target.path, start, max_lines=wanted.most, max_bytes=most, counted=counted)


def _page(target: Target, about: Answer, window: Window, wanted: Wanted) -> Page:
    """Whole is what ends with the file or has as many lines as were asked for."""
    about |= {"stops": window.stops} if window.stops else {}
    shown = window.last_line - window.first.line + 1
    is_whole = window.next is None or (shown >= wanted.most and window.next.column == 1)
    following = {"next": _call(target.path, window.next, wanted)} if window.next else {}
    return {**about, **following, "content": window.text}, is_whole


def _lines(window: Window) -> str:
    if not window.text:
        return "none"
    first = f"{window.first.line} to {window.last_line}" if window.first.line < 0 else ""
    span = first or f"{window.first.line}-{window.last_line}"
    return f"{span} of {'very many' if window.file.lines is None else window.file.lines}"


def _call(path: str, following: Place, wanted: Wanted) -> str:
    """The exact call that reads on."""
    arguments: Answer = {"path": path, "offset": following.line}
    arguments |= {"column": following.column} if following.column > 1 else {}
    arguments |= {"limit": wanted.limit} if wanted.limit else {}
    return f"read_file {_json(arguments)}"


def _listing(target: Target, wanted: Wanted) -> Answer:
    """The names of a folder, one page of them; `/` marks folders, `@` links."""
    marks = {"directory": "/", "link": "@"}
    names = sorted(name + marks.get(about.kind, "") for name, about in target.files.names(target.real))
    first = max(wanted.offset, 1) if wanted.offset >= 0 else max(len(names) + wanted.offset + 1, 1)
    if first > max(len(names), 1):
        raise UsageError(f"there is no entry {first}", f"the directory has {len(names)} entries")
    page = names[first - 1 : first - 1 + min(wanted.most, PAGE_NAMES)]
    last = first + len(page) - 1
    more = {"next": _call(target.path, Place(last + 1), wanted)} if last < len(names) else {}
    return {"path": target.path, "directory": True, "total": len(names), **more, "entries": page}
