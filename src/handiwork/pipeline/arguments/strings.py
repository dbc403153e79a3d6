"""Strings in almost-JSON: which quotes open and close them, and what their backslashes mean."""

from __future__ import annotations

import re
from collections.abc import Callable
from json import JSONDecodeError, decoder
from typing import Any

_CLOSING = {'"': '"', "'": "'", "`": "`", "“": "”", "”": "”", "„": "“”", "‘": "’", "«": "»", "「": "」"}
_BODY = {closing: re.compile(f"[^{re.escape(closing)}\\\\]*") for closing in dict.fromkeys(_CLOSING.values())}
_PLAIN_ESCAPES = frozenset("\"\\/'`")
_CONTROL_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_UNICODE = re.compile(r"u([0-9a-fA-F]{4})(?:\\u([0-9a-fA-F]{4}))?")
_PYTHON_ESCAPE = re.compile(r"x[0-9a-fA-F]{2}|U[0-9a-fA-F]{8}|N\{|[0-7av]|[\r\n]")
_PYTHON_CODE = re.compile(r"x([0-9a-fA-F]{2})|U([0-9a-fA-F]{8})")
_UNCLEAR_ESCAPE = re.compile(r"x[0-9a-fA-F]{2}|U[0-9a-fA-F]{8}|[\r\n]")

_scan: Callable[[str, int, bool], tuple[str, int]] = decoder.scanstring  # type: ignore[attr-defined]
_HALF = re.compile("[\ud800-\udfff]")
HALF = "it holds half of a character (an unpaired \\u escape)"
TOO_LONG = "it is not valid JSON, and too long to be put right"
MAX_PIECES = 300_000


class Unreadable(Exception):  # noqa: N818 - it is a verdict on the text, not a fault of ours
    """The text has no single certain reading; the message says why, for the model.

    `members` are those of an object of which only the closing brace is missing: whoever knows that nothing
    else can be missing may take them.
    """

    members: dict[str, Any] | None = None


def cut_off(key: str = "") -> Unreadable:
    """The verdict on a text that ends before its value is complete."""
    where = f" in or after {key[:60]!r}" if key else ""
    return Unreadable(f"the call was cut off{where}; write all of it again, a long text in smaller parts")


class StringReader:
    """The part of the lenient reader that reads strings. `faults` collects what was not JSON."""

    def __init__(self, text: str, pos: int = 0) -> None:
        self.text = text
        self.pos = pos
        self.faults: set[str] = set()
        self.last_key = ""

    def opens_string(self, char: str) -> bool:
        """Whether *char* is a quote that can begin a string."""
        return char in _CLOSING

    def broken(self, why: str) -> Unreadable:
        """The verdict on a text that goes on in a way no reading allows."""
        near = self.text[max(0, self.pos - 15) : self.pos + 15]
        return Unreadable(f"it is not valid JSON at character {self.pos}, near {near!r}: {why}")

    def string(self, quote: str) -> str:
        """The string that begins at `pos` with *quote*."""
        if quote in "\"'" and self.text.startswith(quote * 3, self.pos):
            return self._triple(quote * 3)
        if quote != '"':
            self.faults.add("quotes that are not JSON's")
        elif (plain := self._plain_string()) is not None:
            return plain
        self.pos += 1
        return self._pieces(quote)

    def _plain_string(self) -> str | None:
        """The string, if it is JSON's apart from raw control characters: the fast and usual way."""
        try:
            found, self.pos = _scan(self.text, self.pos + 1, False)
        except JSONDecodeError as error:
            if error.msg.startswith("Unterminated string"):
                raise cut_off(self.last_key) from None
            return None
        if _HALF.search(found):
            raise Unreadable(HALF)
        return found

    def _triple(self, quotes: str) -> str:
        start = self.pos + 3
        end = self.text.find(quotes, start)
        if end < 0:
            raise cut_off(self.last_key)
        body = self.text[start:end]
        if "\\" in body or self.text[end + 3 : end + 4] == quotes[0]:
            raise self.broken("backslashes or quotes in a triple-quoted string can be read in two ways")
        self.faults.add("triple quotes")
        self.pos = end + 3
        return body

    def _pieces(self, quote: str) -> str:
        text, closing = self.text, _CLOSING[quote]
        body = _BODY[closing]
        pieces: list[str] = []
        kinds: set[str] = set()
        while True:
            found = body.match(text, self.pos)
            end = found.end() if found else self.pos
            pieces.append(text[self.pos : end])
            if end + (text[end : end + 1] == "\\") >= len(text):
                raise cut_off(self.last_key)
            self.pos = end + 1
            if text[end] != "\\":
                return self._joined(pieces, kinds)
            kind, piece = self._escape(quote)
            kinds.add(kind)
            pieces.append(piece)
            if len(pieces) > MAX_PIECES:
                raise Unreadable(TOO_LONG)

    def _joined(self, pieces: list[str], kinds: set[str]) -> str:
        """Stray backslashes say that the writer did not escape: then \\n is not surely a line break."""
        if "stray" in kinds:
            if "control" in kinds:
                raise self.broken(
                    "some backslashes in a string are escapes and some are not; write each backslash as \\\\"
                )
            self.faults.add("backslash that is not an escape")
        return "".join(pieces)

    def _escape(self, quote: str) -> tuple[str, str]:
        """What the backslash before `pos` means: (kind, text). `pos` moves behind it."""
        char = self.text[self.pos]
        if char == "'" and quote == '"' and self._is_shell_idiom():
            raise self.broken("a backslash before an apostrophe can be read in two ways; write \\\\ for it")
        if char in _PLAIN_ESCAPES or char in _CLOSING[quote]:
            self.pos += 1
            if char not in '"\\/':
                self.faults.add("escaped apostrophe")
            return "plain", char
        if char in _CONTROL_ESCAPES:
            self.pos += 1
            return "control", _CONTROL_ESCAPES[char]
        if found := _UNICODE.match(self.text, self.pos):
            return "control", self._character(found)
        unclear = _PYTHON_ESCAPE if quote == "'" else _UNCLEAR_ESCAPE
        if unclear.match(self.text, self.pos):
            return self._python_escape(quote)
        if self.pos + 5 >= len(self.text) and char in "uxU":
            raise cut_off(self.last_key)
        return "stray", "\\"

    def _is_shell_idiom(self) -> bool:
        return self.text[self.pos - 2 : self.pos + 2] == "'\\''"

    def _character(self, found: re.Match[str]) -> str:
        high, low = int(found[1], 16), int(found[2] or "0", 16)
        if 0xD800 <= high < 0xDC00 and 0xDC00 <= low < 0xE000:
            self.pos = found.end()
            return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
        if 0xD800 <= high < 0xE000:
            raise Unreadable(HALF)
        self.pos += 5
        return chr(high)

    def _python_escape(self, quote: str) -> tuple[str, str]:
        found = _PYTHON_CODE.match(self.text, self.pos) if quote == "'" else None
        code = int(found[1] or found[2], 16) if found else -1
        if found and (code < 0xD800 or 0xE000 <= code < 0x110000):
            self.pos = found.end()
            return "control", chr(code)
        raise self.broken("this backslash can be read in two ways; write \\\\ for a backslash")
