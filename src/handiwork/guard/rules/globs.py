"""Patterns of paths: `*` stays in one folder, `**` goes through all below it."""

from __future__ import annotations

import os
import re
from functools import lru_cache

from handiwork.core.errors import UsageError

_PARTS = re.compile(r"/\*\*/|/\*\*\Z|\A\*\*/|\*\*|\*|\?|\[!?[^\]/]+\]|(?:(?!/\*\*)[^*?\[])+|\[|/")
_ESCAPED = re.compile(r"([*?\[])")


class PathGlob:
    """A pattern of whole paths. `~` is the home, `./` and a pattern with a slash begin at *base*.

    A pattern without a slash fits a name in any folder below *base*.
    """

    __slots__ = ("_below", "_exact", "anchor", "is_loose", "written")

    def __init__(self, pattern: str, base: str) -> None:
        bare = os.path.expanduser(pattern)
        self.is_loose = "/" not in bare.rstrip("/")
        whole = f"{_literal(base)}/**/{bare}" if self.is_loose else bare
        if not whole.startswith("/"):
            whole = f"{_literal(base)}/{whole.removeprefix('./')}" if base else whole.removeprefix("./")
        self.written = os.path.normpath(whole).replace("//", "/")
        text = _translated(self.written)
        tail = text if not self.is_loose else _translated(f"/**/{bare.rstrip('/')}")
        try:
            self._exact = re.compile(text + r"\Z", re.DOTALL)
            self._below = re.compile(tail + r"(?:/.*)?\Z", re.DOTALL)
        except re.error as error:
            raise UsageError(
                f"the pattern {pattern!r} can't be read: {error}", "correct what is in its brackets"
            ) from error
        self.anchor = _anchor(whole)

    def covers(self, path: str) -> bool:
        """Whether *path* itself is meant."""
        return self._exact.match(path) is not None

    def reaches(self, path: str) -> bool:
        """Whether *path*, or a folder that it lies in, is meant, wherever a bare name stands."""
        return self._below.match(path) is not None


def _anchor(pattern: str) -> str:
    """The folder above everything that the pattern can mean."""
    return re.split(r"[*?\[]", pattern, maxsplit=1)[0].rpartition("/")[0] or "/"


def _literal(folder: str) -> str:
    return _ESCAPED.sub(r"[\1]", folder.rstrip("/"))


def literal_glob(path: str) -> str:
    """A pattern that means just *path*."""
    return _ESCAPED.sub(r"[\1]", path)


@lru_cache(maxsize=1024)
def _translated(pattern: str) -> str:
    """The pattern as a regular expression."""
    return "".join(_part(p) for p in _PARTS.findall(pattern))


def _part(part: str) -> str:
    if part in ("/**/", "**/"):
        return "/(?:.*/)?" if part == "/**/" else "(?:.*/)?"
    if part == "/**":
        return "(?:/.*)?"
    if part in ("**", "*", "?"):
        return {"**": ".*", "*": "[^/]*", "?": "[^/]"}[part]
    if part[0] == "[" and len(part) > 1:
        inner = part[1:-1].replace("\\", "\\\\").replace("[", "\\[")
        if len(inner) > 1 and inner[0] in "!^":
            return f"[^/{inner[1:]}]"
        return f"[{inner}]" if inner not in ("^", "!") else "\\" + inner
    return re.escape(part)
