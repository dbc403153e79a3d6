"""Text into the words it is searched by: names split into their parts, light stems, bigrams for CJK."""

from __future__ import annotations

import re
from functools import lru_cache

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_RUN = re.compile(rf"([{_CJK}]+)|[^\W_{_CJK}]+")
# getHTTPUrl2 is get, HTTP, Url, 2.
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_FOREIGN_PART = re.compile(r"\d+|[^\W\d]+")

_SILENT = """
a an and are as at be by can could do does for from has have how i if in into is it its me my of on or our please so
that the their them then there these this to using via was we what when where which who will with would you your need
want also any all each given such s t
"""
_STOP = frozenset(_SILENT.split())
_SUFFIXES = (("ation", 8), ("ing", 6), ("ed", 5), ("or", 7), ("er", 6), ("ion", 6))


def words(text: str) -> list[str]:
    """The stems of *text* in order, without words that say nothing; a CJK run gives its pairs of characters."""
    found: list[str] = []
    for run in _RUN.finditer(text):
        if run[1]:
            found += [run[1][i : i + 2] for i in range(len(run[1]) - 1)] or [run[1]]
        else:
            found += _stems(run[0])
    return found


@lru_cache(maxsize=20_000)
def _stems(run: str) -> tuple[str, ...]:
    parts = (_PART if run.isascii() else _FOREIGN_PART).findall(run)
    return tuple(stem(word) for part in parts if (word := part.lower()) not in _STOP)


def stem(word: str) -> str:
    """*word* without its English ending: searches, searching and searched meet at one stem, which needn't be a word."""
    if len(word) < 4 or not word.isascii():
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
