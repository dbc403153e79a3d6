"""One form for texts that say the same: width, case, look-alike letters and invisible characters aside."""

from __future__ import annotations

import re
import unicodedata

from ..disguise import LOOK_ALIKES

_INVISIBLE = re.compile("[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]")
_WORD = re.compile(r"\w+")


def fold(text: str) -> str:
    """*text* in one form. What is folded alike reads alike."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).translate(LOOK_ALIKES)
        text = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return " ".join(text.casefold().split())


def words_of(folded: str) -> list[str]:
    """The words and numbers of a folded text."""
    return _WORD.findall(folded)


def stands_in(needle: str, folded: str) -> bool:
    """Whether the folded *needle* stands in a folded text as a whole, not as a part of other words."""
    start = folded.find(needle)
    while start >= 0:
        end = start + len(needle)
        if not (_joined(folded, start - 1, needle[0]) or _joined(folded, end, needle[-1])):
            return True
        start = folded.find(needle, start + 1)
    return False


def _joined(text: str, at: int, edge: str) -> bool:
    return 0 <= at < len(text) and _is_word(text[at]) and _is_word(edge)


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
