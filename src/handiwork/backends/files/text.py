"""Text files as they are: which encoding, which line ends, and a way back to the same bytes."""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, Literal

from ...core.errors import UnknownNameError, UsageError

Newline = Literal["lf", "crlf", "mixed", "none"]

_HEAD_BYTES = 8192
_CHUNK_BYTES = 1 << 20
# How far a file is looked at before anything is shown of it. Bytes.
SURVEY_BYTES = 256 << 20
MAX_EDIT_BYTES = 128 << 20

# The longer marks first: UTF-32's starts with UTF-16's.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROLS = bytes(b for b in range(32) if b not in b"\t\n\r\f\b\x1b")


@dataclass(frozen=True, slots=True)
class Encoding:
    """A codec of Python, and the byte order mark that the file starts with."""

    codec: str = "utf-8"
    bom: bytes = b""

    def __str__(self) -> str:
        return f"{self.codec} with BOM" if self.bom else self.codec


@dataclass(frozen=True, slots=True)
class Survey:
    """What a file is. `lines` is None where the file is too long to be counted; `size` is in bytes."""

    size: int
    encoding: Encoding
    newline: Newline
    lines: int | None


@dataclass(frozen=True, slots=True)
class TextFile:
    """A whole text with its original line ends, and how it was encoded."""

    text: str
    encoding: Encoding

    def with_text(self, text: str) -> TextFile:
        """*text* in the manner of this file: its line ends where they are all CRLF, its encoding where it can."""
        if self.text.count("\n") == self.text.count("\r\n") > 0 and "\r\n" not in text:
            text = text.replace("\n", "\r\n")
        fits = self.encoding.codec != "latin-1" or text.encode("latin-1", "ignore").decode("latin-1") == text
        return TextFile(text, self.encoding if fits else Encoding())

    def encoded(self) -> bytes:
        """The bytes of the file. Raises `UsageError` naming a character that the encoding doesn't have."""
        try:
            return self.encoding.bom + self.text.encode(self.encoding.codec)
        except UnicodeEncodeError as error:
            character = self.text[error.start]
            raise UsageError(
                f"{character!r} can't be written in {self.encoding}",
                "leave the character out, or convert the file to UTF-8 first",
            ) from None


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file to read. Raises `UsageError` for what isn't there or isn't one."""
    try:
        # Without NONBLOCK the open itself would wait for the other end of a FIFO.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        raise _missing(path) from None
    except PermissionError:
        raise UsageError(f"no permission to read {path}", "ask for the right to it, or read another file") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UsageError(f"{path} is not a regular file", "devices, sockets and pipes can't be read as text")
    return os.fdopen(descriptor, "rb")


def _missing(path: Path) -> UsageError:
    if not path.parent.is_dir():
        return UsageError(f"there is no directory {path.parent}", "list a directory that exists first")
    return UnknownNameError("file", path.name, os.listdir(path.parent), f"looked in {path.parent}")


def sniff(head: bytes, name: object) -> Encoding:
    """The encoding that the first bytes speak for, UTF-8 in doubt. Raises `UsageError` for binary data."""
    for bom, codec in _MARKS:
        if head.startswith(bom):
            return Encoding(codec, bom)
    if b"\0" in head:
        return _sixteen(head, name)
    if len(head.translate(None, _CONTROLS)) < 0.9 * len(head):
        raise _binary(name)
    return Encoding()


def _sixteen(head: bytes, name: object) -> Encoding:
    """UTF-16 without a mark: western text in it has every other byte zero."""
    pairs = len(head) // 2
    for codec, zeros, others in (("utf-16-le", head[1::2], head[::2]), ("utf-16-be", head[::2], head[1::2])):
        if pairs and zeros.count(0) > 0.6 * pairs and others.count(0) == 0:
            return Encoding(codec)
    raise _binary(name)


def _binary(name: object) -> UsageError:
    return UsageError(f"{name} is a binary file, not text", "use a command that understands its format")


def survey(file: BinaryIO, name: object) -> Survey:
    """Look through *file* in constant memory, its first 256 MiB. Raises `UsageError` for binary data."""
    encoding = sniff(file.read(_HEAD_BYTES), name)
    size = os.fstat(file.fileno()).st_size
    try:
        return _count(file, Survey(size, encoding, "none", None), name)
    except UnicodeDecodeError:
        if encoding.bom or encoding.codec != "utf-8":
            raise UsageError(f"{name} says it is {encoding}, but isn't", "convert or repair the file") from None
        # Every byte is a character of Latin-1, so nothing is lost on the way back.
        return _count(file, Survey(size, Encoding("latin-1"), "none", None), name)


def _count(file: BinaryIO, seen: Survey, name: object) -> Survey:
    file.seek(len(seen.encoding.bom))
    breaks = crlf = 0
    last = ""
    for text in _decoded(file, seen.encoding):
        if "\0" in text:
            raise _binary(name)
        breaks += text.count("\n")
        crlf += text.count("\r\n") + (last == "\r" and text.startswith("\n"))
        last = text[-1:] or last
    lines = breaks + (last not in ("", "\n"))
    newline: Newline = "none" if not breaks else "lf" if not crlf else "crlf" if crlf == breaks else "mixed"
    return replace(seen, newline=newline, lines=lines if seen.size <= SURVEY_BYTES else None)


def _decoded(file: BinaryIO, encoding: Encoding) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(encoding.codec)()
    read = 0
    while read < SURVEY_BYTES and (chunk := file.read(_CHUNK_BYTES)):
        read += len(chunk)
        yield decoder.decode(chunk)
    if read < SURVEY_BYTES:
        yield decoder.decode(b"", final=True)


def is_text(data: bytes) -> bool:
    """Whether `decode` would take it."""
    try:
        decode(data, "")
    except UsageError:
        return False
    return True


def decode(data: bytes, name: object) -> TextFile:
    """A whole file from its bytes, strictly. Raises `UsageError` for binary data."""
    encoding = sniff(data[:_HEAD_BYTES], name)
    body = data[len(encoding.bom) :]
    try:
        text = body.decode(encoding.codec)
    except UnicodeDecodeError:
        if encoding.bom or encoding.codec != "utf-8":
            raise UsageError(f"{name} says it is {encoding}, but isn't", "convert or repair the file") from None
        encoding = Encoding("latin-1")
        text = body.decode("latin-1")
    if "\0" in text:
        raise _binary(name)
    return TextFile(text, encoding)
