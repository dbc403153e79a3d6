"""A reader for almost-JSON: what models write when they don't write JSON.

It reads single quotes, Python literals, bare keys, trailing commas, comments, typographic quotes, raw
line breaks and stray backslashes. It never guesses: a text that ends early or can be read in two ways
is refused. One pass, an explicit stack, bounded depth and a bounded number of values.
"""

from __future__ import annotations

import re
from math import isfinite
from typing import Any

from .strings import TOO_LONG, StringReader, Unreadable, cut_off

MAX_DEPTH = 200
MAX_VALUES = 100_000

_SPACE = re.compile(r"\s+|\ufeff+|//[^\n]*\s*|#[^\n]*\s*|/\*.*?\*/\s*|(?:\\[nrt])+", re.DOTALL)
_BARE_KEY = re.compile(r"[^\W\d][\w$.-]*|\$[\w$.-]*|[0-9]+")
_WORD = re.compile(r"-?[^\W\d]\w*")
_NUMBER = re.compile(r"[+-]?(?:0[xX][0-9a-fA-F]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")
_OCTAL = re.compile(r"[+-]?0[0-9]")
_CLOSERS = {"{": "}", "[": "]", "(": ")"}
_WORDS = {"true": True, "false": False, "null": None, "none": None}
_SPELLINGS = frozenset(("true", "True", "TRUE", "false", "False", "FALSE", "null", "Null", "NULL", "None", "none"))
_AFTER_SCALAR = frozenset(",，}]):/# \t\r\n\\")


class _Open:
    """A container whose end has not been reached; `key` waits for its value."""

    __slots__ = ("closer", "items", "key")

    def __init__(self, opener: str) -> None:
        self.closer = _CLOSERS[opener]
        self.items: Any = {} if opener == "{" else []
        self.key = ""

    def add(self, value: Any) -> None:
        if self.closer != "}":
            self.items.append(value)
        elif self.key in self.items and self.items[self.key] != value:
            raise Unreadable(f"the key {self.key[:60]!r} stands twice with different values")
        else:
            self.items[self.key] = value


class LenientReader(StringReader):
    """Reads one value from *text*, starting at *pos*; afterwards `pos` stands behind it."""

    def __init__(self, text: str, pos: int = 0) -> None:
        super().__init__(text, pos)
        self.start = pos
        self.stack: list[_Open] = []
        self.values = 0

    def read(self) -> Any:
        """The value. Raises `Unreadable` for what is cut off, broken, or could mean two things."""
        first = self.pos == self.start
        while True:
            done, value = self._begin()
            while done:
                if not self.stack:
                    return value
                self.stack[-1].add(value)
                if first and len(self.stack) == 1:
                    self._need_more()
                done, value = self._after_value()

    def _need_more(self) -> None:
        """Behind a complete member of the outermost object: a text that ends here lacks one brace or more members."""
        if self._skip() or not isinstance(self.stack[0].items, dict):
            return
        verdict = cut_off(self.last_key)
        verdict.members = self.stack[0].items
        raise verdict

    # ------------------------------------------------------------------------------------- structure

    def _begin(self) -> tuple[bool, Any]:
        """Start the next value: (True, value) if it is complete, (False, None) if it was opened."""
        char = self._peek()
        self._count()
        if char not in _CLOSERS:
            return True, self._scalar(char)
        self._open(char)
        if self._peek() == self.stack[-1].closer:
            return True, self._close()
        self._key()
        return False, None

    def _count(self) -> None:
        self.values += 1
        if self.values > MAX_VALUES:
            raise Unreadable(TOO_LONG)

    def _after_value(self) -> tuple[bool, Any]:
        """Behind a value: close the container, or go to its next member."""
        char, closer = self._peek(), self.stack[-1].closer
        if char == closer:
            return True, self._close()
        if char not in ",，":
            raise self.broken(f"expected a comma or {closer!r}")
        self._punctuation(char)
        if self._peek() == closer:
            if closer != ")":
                self.faults.add("trailing comma")
            return True, self._close()
        self._key()
        return False, None

    def _open(self, char: str) -> None:
        if len(self.stack) >= MAX_DEPTH:
            raise Unreadable(f"it is nested more than {MAX_DEPTH} deep")
        if char == "(":
            self.faults.add("Python tuple")
        self.stack.append(_Open(char))
        self.pos += 1

    def _close(self) -> Any:
        self.pos += 1
        return self.stack.pop().items

    def _key(self) -> None:
        """In an object, read the key and the colon of the next member."""
        opened = self.stack[-1]
        if opened.closer != "}":
            return
        char = self._peek()
        opened.key = self.last_key = self.string(char) if self.opens_string(char) else self._bare_key()
        mark = self._peek()
        if mark not in ":：":
            raise self.broken("expected a colon after the key")
        self._punctuation(mark)

    def _punctuation(self, mark: str) -> None:
        if mark in "，：":
            self.faults.add("full-width punctuation")
        self.pos += 1

    def _bare_key(self) -> str:
        found = _BARE_KEY.match(self.text, self.pos)
        if not found:
            raise self.broken("expected a key")
        self.pos = found.end()
        self.faults.add("key without quotes")
        return found.group()

    def _peek(self) -> str:
        """The next character that is not space or comment."""
        char = self._skip()
        if not char:
            raise cut_off(self.last_key)
        return char

    def _skip(self) -> str:
        """Go to the next character that is not space or comment; it, or nothing at the end."""
        text, end = self.text, len(self.text)
        while self.pos < end:
            char = text[self.pos]
            found = _SPACE.match(text, self.pos) if char.isspace() or char in "/#\\\ufeff" else None
            if not found:
                return char
            if not found.group().isspace():
                self.faults.add("comments or stray characters")
                self._count()
            self.pos = found.end()
        return ""

    # --------------------------------------------------------------------------------------- scalars

    def _scalar(self, char: str) -> Any:
        if self.opens_string(char):
            return self.string(char)
        found = _NUMBER.match(self.text, self.pos)
        value = self._number(found.group()) if found else self._word()
        if found:
            self.pos = found.end()
        self._need_end()
        return value

    def _need_end(self) -> None:
        """A number or word is complete only if something that ends it follows."""
        if self.pos >= len(self.text):
            raise cut_off(self.last_key)
        if self.text[self.pos] not in _AFTER_SCALAR:
            raise self.broken("a value without quotes that is neither a number, true, false nor null")

    def _number(self, text: str) -> int | float:
        digits = text.lstrip("+-")
        sign = -1 if text.startswith("-") else 1
        if len(digits) > 4000:
            raise Unreadable("a number is too long")
        if digits[:2] in ("0x", "0X"):
            self.faults.add("hexadecimal number")
            return sign * int(digits, 16)
        if _OCTAL.match(text):
            raise Unreadable(f"{text} has a leading zero: write it as a number without it, or in quotes")
        if digits.isdigit():
            return sign * int(digits)
        value = float(text)
        if not isfinite(value):
            raise Unreadable(f"{text} is too large for a number")
        return value

    def _word(self) -> Any:
        found = _WORD.match(self.text, self.pos)
        word = found.group() if found else ""
        if word.lstrip("-") in ("NaN", "Infinity", "nan", "inf"):
            raise Unreadable(f"{word} is not a JSON number")
        if word not in _SPELLINGS:
            if self.pos + len(word) >= len(self.text):
                raise cut_off(self.last_key)
            raise self.broken("a value without quotes that is neither a number, true, false nor null")
        self.pos += len(word)
        if word not in ("true", "false", "null"):
            self.faults.add(f"{word} for {word.lower().replace('none', 'null')}")
        return _WORDS[word.lower()]
