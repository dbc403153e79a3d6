"""Text files as they are: which encoding, which line ends, and a way back to the same bytes."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import Literal

from ...core.errors import UsageError
from .endings import with_endings
from .formats import format_of
from .legacy import guess_codec

Newline = Literal["lf", "crlf", "mixed", "none"]

_HEAD_BYTES = 8192
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
    """A codec of Python, the byte order mark that the file starts with, and whether the codec is a guess."""

    codec: str = "utf-8"
    bom: bytes = b""
    guessed: bool = False

    def __str__(self) -> str:
        return f"{self.codec} with BOM" if self.bom else self.codec


@dataclass(frozen=True, slots=True)
class TextFile:
    """A whole text with its original line ends, and how it was encoded."""

    text: str
    encoding: Encoding

    def with_text(self, text: str) -> TextFile:
        """*text* in the manner of this file: its line ends, and its encoding; a guessed one only where it can."""
        text = with_endings(text, self.text)
        return TextFile(text, Encoding() if self.encoding.guessed and not self._fits(text) else self.encoding)

    def _fits(self, text: str) -> bool:
        try:
            text.encode(self.encoding.codec)
        except UnicodeEncodeError:
            return False
        return True

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


def sniff(head: bytes, name: object) -> Encoding:
    """The encoding that the first bytes speak for, UTF-8 in doubt. Raises `UsageError` for binary data."""
    for bom, codec in _MARKS:
        if head.startswith(bom):
            return Encoding(codec, bom)
    if b"\0" in head:
        return _sixteen(head, name)
    if len(head.translate(None, _CONTROLS)) < 0.9 * len(head):
        raise _binary(name, head)
    return Encoding()


def _sixteen(head: bytes, name: object) -> Encoding:
    """UTF-16 without a mark: western text in it has every other byte zero."""
    pairs = len(head) // 2
    for codec, zeros, others in (("utf-16-le", head[1::2], head[::2]), ("utf-16-be", head[::2], head[1::2])):
        if pairs and zeros.count(0) > 0.6 * pairs and others.count(0) == 0:
            return Encoding(codec)
    raise _binary(name, head)


def _binary(name: object, head: bytes) -> UsageError:
    kind = format_of(head)
    return UsageError(f"{name} is {kind.name}, not text", kind.advice)


def newline_of(text: str) -> Newline:
    """How the lines of *text* end."""
    breaks, crlf = text.count("\n"), text.count("\r\n")
    return "none" if not breaks else "lf" if not crlf else "crlf" if crlf == breaks else "mixed"


def decode_if_text(data: bytes) -> TextFile | None:
    """A whole file from its bytes, None where it isn't text."""
    try:
        return decode(data, "")
    except UsageError:
        return None


def decode(data: bytes, name: object) -> TextFile:
    """A whole file from its bytes, strictly. Raises `UsageError` for binary data."""
    encoding = sniff(data[:_HEAD_BYTES], name)
    body = data[len(encoding.bom) :]
    try:
        text = body.decode(encoding.codec)
    except UnicodeDecodeError:
        encoding = other_encoding(encoding, body, name)
        text = body.decode(encoding.codec)
    if "\0" in text:
        raise _binary(name, data)
    return TextFile(text, encoding)


def other_encoding(wrong: Encoding, data: bytes, name: object) -> Encoding:
    """What *data* is that isn't in the encoding it seemed to be in. Raises `UsageError` where it said so itself."""
    if wrong.bom or wrong.codec != "utf-8":
        raise UsageError(f"{name} says it is {wrong}, but isn't", "convert or repair the file")
    return Encoding(guess_codec(data), guessed=True)
