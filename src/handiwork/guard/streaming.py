"""Masks secrets in text that comes in pieces: whatever the cuts, it reads as if the whole had been masked at once."""

from __future__ import annotations

import re

from .redaction import known_values, mask_known, redact

# A word, or a private key, that is longer than this is told in parts.
MOST_HELD = 8_192
_LOOKED_AT, _MOST_TRIES = 300, 8
_KEY_BEGINS = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----(?!.*?-----END)", re.DOTALL)
_KEY_ENDS = "-----END"
# What may go on behind a blank: a value after its name, a login after its scheme, and their like.
_OPEN = re.compile(
    r"(?:pass|pwd|secret|token|key|auth|credential|sig)[\w-]{0,60}[\"']?[ \t]{0,4}(?:=>|[:=])?[ \t]*\Z"
    r"|(?:bearer|basic|digest|negotiate|apikey)\s+\Z"
    r"|authorization[\"']?\s*(?:[:=]\s*[\"']?(?:token\s+)?)?\Z"
    r"|\blogin\s+(?:\S+\s+(?:password\s+)?)?\Z"
    r"|cookie[\"']?\s*(?::\s*)?\Z"
    r"|(?:seed|recovery)\s\Z|(?:mnemonic|phrase)[\"']?\s*(?:[:=]\s*[\"']?(?:[a-z]{3,8}[ ,]+)*)?\Z"
    "|gh[pousr]_[A-Za-z0-9\\s\u200b-\u200d\u2060\ufeff]{0,120}\\Z"
    r"|-----BEGIN [A-Z ]{0,40}\Z",
    re.IGNORECASE,
)


class StreamRedactor:
    """`feed` gives what can be told already, masked; `finish` the rest.

    Held back is what may go on: the last word, a value behind its name, the beginning of a known secret. A number
    of a card is one by the word before it, which must come in the same piece.
    """

    def __init__(self) -> None:
        self._held, self._in_key = "", False

    def feed(self, text: str) -> str:
        """The next piece."""
        self._held += text
        if self._in_key and not self._leave_key():
            return ""
        begun = _begun(self._held)
        known = mask_known(self._held[:begun])
        self._held = known + self._held[begun:]
        told, self._held = self._cut(len(known))
        return redact(told)

    def finish(self) -> str:
        """Nothing more comes."""
        held, self._held = self._held, ""
        return "" if self._in_key else redact(held)

    def _leave_key(self) -> bool:
        """Forget what belongs to a private key that was masked already; whether that has ended."""
        end = self._held.find(_KEY_ENDS)
        self._held = self._held[end if end >= 0 else max(0, len(self._held) - len(_KEY_ENDS)) :]
        self._in_key = end < 0
        return end >= 0

    def _cut(self, limit: int) -> tuple[str, str]:
        """What can't go on, at most *limit* characters, and the rest."""
        key = _KEY_BEGINS.search(self._held)
        place = _last_blank(self._held, min(limit, key.start()) if key else limit)
        if place or len(self._held) <= MOST_HELD:
            return self._held[:place], self._held[place:]
        if key:
            self._in_key = True
            return self._held, ""
        return self._held[: -MOST_HELD // 2], self._held[-MOST_HELD // 2 :]


def _last_blank(text: str, limit: int) -> int:
    """The last place behind a blank, at most *limit*, before which nothing may go on; 0 where there is none."""
    place, tries = limit, 0
    while place and tries < _MOST_TRIES:
        if not text[place - 1].isspace():
            place -= 1
            continue
        found = _OPEN.search(text, max(0, place - _LOOKED_AT), place)
        if found is None:
            return place
        place, tries = found.start(), tries + 1
    return 0


def _begun(text: str) -> int:
    """Where a known secret begins that the text ends in the middle of; else its end."""
    first = len(text)
    for value in known_values():
        for size in range(min(len(value) - 1, len(text)), 0, -1):
            if text.endswith(value[:size]):
                first = min(first, len(text) - size)
                break
    return first
