"""Text into the words it is searched by, in any script: names split into their parts, light stems, pairs of characters.

Marks belong to the letters before them, though Python's `\\w` leaves them out. Where a script puts no spaces
between its words, a run of it gives its pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# Han, kana and Hangul, with their marks and signs of repetition; Thai, Lao, Burmese, Khmer.
_UNSPACED = (
    "\u3005-\u3007\u3031-\u3035\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U000323af\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u103f\u1780-\u17d3"
)
# Hebrew, Arabic, and the scripts of India up to Sinhala, with Tibetan; of Latin and its like after folding.
_MARKS = "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed"
_SPACED = rf"{_MARKS}\u0900-\u0963\u0966-\u0df3\u0f71-\u0f84\u200c\u200d"
_RUN = re.compile(rf"([{_UNSPACED}]+)|(?:[^\W_{_UNSPACED}]|[{_SPACED}])+")
# getHTTPUrl2 is get, HTTP, Url, 2.
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_FOREIGN_PART = re.compile(r"\d+|\D+")
# What is left out or differs from writer to writer: accents, vowels of Arabic and Hebrew, joiners.
_FOLDED = re.compile(rf"[{_MARKS}\u0640\u200c\u200d]+")
_ALIKE = str.maketrans("ىةکیё", "يهكيе")
_ARTICLE = re.compile(r"[وبفك]?ال(?=..)")

_SILENT = """
a an and are as at be by can could do does for from has have how i if in into is it its me my of on or our please so
that the their them then there these this to using via was we what when where which who will with would you your need
want also any all each given such s t
"""
_STOP = frozenset(_SILENT.split())
_SUFFIXES = (("ation", 8), ("ing", 6), ("ed", 5), ("or", 7), ("er", 6), ("ion", 6))


def words(text: str) -> list[str]:
    """The stems of *text* in order, without words that say nothing."""
    found: list[str] = []
    for run in _RUN.finditer(text if text.isascii() else _fold(text)):
        if run[1]:
            found += [run[1][i : i + 2] for i in range(len(run[1]) - 1)] or [run[1]]
        else:
            found += _stems(run[0])
    return found


def _fold(text: str) -> str:
    """*text* as everybody would write it: full width as half, without accents and vowel marks."""
    apart = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFC", _FOLDED.sub("", apart)).translate(_ALIKE)


@lru_cache(maxsize=20_000)
def _stems(run: str) -> tuple[str, ...]:
    parts = (_PART if run.isascii() else _FOREIGN_PART).findall(run)
    return tuple(stem(word) for part in parts if (word := part.casefold()) not in _STOP)


def stem(word: str) -> str:
    """*word* without its English ending: searches, searching and searched meet at one stem, which needn't be a word."""
    if not word.isascii():
        return _ARTICLE.sub("", word, count=1) if _ARTICLE.match(word) else word
    if len(word) < 4:
        return word
    word = _without_ending(_singular(word))
    if len(word) > 4 and word[-1] == "e":
        word = word[:-1]
    if len(word) > 5 and word.endswith("at"):
        word = word[:-2]
    return word[:-1] + "i" if len(word) > 4 and word[-1] == "y" else word


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "ches", "shes", "xes", "zes")):
        return word[:-2]
    return word[:-1] if word[-1] == "s" and word[-2] not in "su" else word


def _without_ending(word: str) -> str:
    for suffix, shortest in _SUFFIXES:
        base = word[: -len(suffix)]
        if word.endswith(suffix) and len(word) >= shortest and any(c in "aeiouy" for c in base):
            return base[:-1] if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "ls" else base
    return word
