"""A file of notes that people read and edit, too: Markdown, a note being an item of a list.

Headings and blank lines are theirs and stay. A line that isn't text (damage) is left out when the file is
read, and put aside into a file beside it by the next change.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..backends.files.local import LocalFiles
from ..core.errors import UsageError

MOST_BYTES = 1 << 20
_BULLETS = ("- ", "* ", "+ ")


@dataclass(frozen=True, slots=True)
class Block:
    """Some lines of the file as they stand there, and the note that they are; "" where they are none."""

    lines: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """What a file holds: its blocks in order, and the lines that are no text."""

    blocks: tuple[Block, ...] = ()
    damaged: tuple[bytes, ...] = ()

    @property
    def notes(self) -> list[str]:
        return [block.note for block in self.blocks if block.note]

    @property
    def chars(self) -> int:
        """How many characters the notes have."""
        return sum(map(len, self.notes))


Edit = Callable[[Page], Sequence[Block]]


def note_of(text: str) -> str:
    """*text* as a note that reads the same after it was written: without blank lines and control characters."""
    lines = ("".join(c for c in line if ord(c) >= 32 or c == "\t").rstrip() for line in text.splitlines())
    return "\n".join(line for line in lines if line).strip()


def block_of(note: str) -> Block:
    """The lines that a note is written as."""
    first, *more = note.splitlines()
    return Block((f"- {first}", *(f"  {line}".rstrip() for line in more)), note)


class NoteFile:
    """The notes of one file. Changes hold across processes; a new file begins with *title* as its heading."""

    def __init__(self, path: Path, title: str) -> None:
        self.path, self._title = path, title
        self._files = LocalFiles()

    def read(self) -> Page:
        """What stands there. Raises `UsageError` where it can't be read."""
        real = self._files.real(str(self.path))
        if self._files.stat(real) is None:
            return Page()
        with self._files.open(real) as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise UsageError(f"{self.path} is larger than {MOST_BYTES:,} bytes", "have the person shorten it")
        return read_page(data)

    def change(self, edit: Edit) -> Page:
        """Put what *edit* makes of the file in its place, whole. Raises `UsageError`, also that of *edit*."""
        real = self._files.real(str(self.path))
        with self._files.locked((real,)):
            before, page = self._files.stat(real), self.read()
            blocks = tuple(edit(page))
            if blocks == page.blocks:
                return page
            if page.damaged:
                self._put_aside(page.damaged)
            heading = () if before else (Block((f"# {self._title}",)), Block(("",)))
            self._files.replace(real, _text((*heading, *blocks)).encode(), expected=before, mode=0o600)
            return Page(blocks, page.damaged)

    @property
    def aside(self) -> Path:
        """Where damaged lines go."""
        return self.path.with_name(f"{self.path.name}.damaged")

    def _put_aside(self, lines: Iterable[bytes]) -> None:
        try:
            file = os.open(self.aside, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            with open(file, "ab") as aside:
                aside.write(b"\n".join(lines) + b"\n")
        except OSError as error:
            raise UsageError(f"can't write {self.aside}: {error.strerror}", "check its permissions") from error


def read_page(data: bytes) -> Page:
    """The blocks in the bytes of a file, and its damaged lines."""
    blocks: list[Block] = []
    damaged: list[bytes] = []
    for raw in data.removeprefix(b"\xef\xbb\xbf").splitlines():
        line = _decoded(raw)
        if line is None:
            damaged.append(raw)
        elif line[:1] in (" ", "\t") and line.strip() and blocks and blocks[-1].note:
            last = blocks[-1]
            blocks[-1] = Block((*last.lines, line), f"{last.note}\n{_unindented(line)}")
        else:
            blocks.append(Block((line,), _note_in(line)))
    return Page(tuple(blocks), tuple(damaged))


def _decoded(line: bytes) -> str | None:
    """The line as text; None where it is none."""
    try:
        text = line.decode()
    except UnicodeDecodeError:
        return None
    return None if any(ord(c) < 32 and c != "\t" for c in text) else text


def _unindented(line: str) -> str:
    return line.removeprefix("  ") if line.startswith("  ") else line.strip()


def _note_in(line: str) -> str:
    """The note that begins in a line: an item, or a line of plain text; headings and rules are none."""
    if line.startswith(_BULLETS):
        return line[2:].strip()
    plain = line.strip()
    return "" if plain.startswith(("#", "---", "<!--")) else plain


def _text(blocks: Iterable[Block]) -> str:
    return "".join(f"{line}\n" for block in blocks for line in block.lines)
