"""Globs for paths: `*`, `?`, `[a-z]`, `{a,b}`, and `**` across directories."""

from __future__ import annotations

import re
from functools import lru_cache

_TOKEN = re.compile(
    r"(?P<deep>\*\*/)|(?P<rest>\*\*)|(?P<star>\*)|(?P<one>\?)|(?P<set>\[!?\]?[^\]]*\])|(?P<word>.)", re.S
)
_PIECES = {"deep": "(?:.*/)?", "rest": ".*", "star": "[^/]*", "one": "[^/]"}
_MAGIC = re.compile(r"[*?\[{]")


@lru_cache(maxsize=64)
def glob_pattern(glob: str) -> re.Pattern[str]:
    """A pattern for whole relative paths. Without a slash the glob is about names in any directory.

    A glob without any wildcard matches names that contain it.
    """
    if not _MAGIC.search(glob) and "/" not in glob:
        glob = f"*{glob}*"
    anchored = glob.removeprefix("./").removeprefix("/") if "/" in glob else f"**/{glob}"
    return re.compile(_regex(anchored), re.S)


def _regex(glob: str) -> str:
    out, depth = [], 0
    for token in _TOKEN.finditer(glob):
        kind, text = token.lastgroup, token.group()
        if kind == "set":
            out.append(_set(text))
        elif kind != "word":
            out.append(_PIECES[kind or ""])
        elif text == "{" and "}" in glob[token.end() :]:
            out.append("(?:")
            depth += 1
        elif depth and text in ",}":
            out.append("|" if text == "," else ")")
            depth -= text == "}"
        else:
            out.append(re.escape(text))
    return "".join(out) + ")" * depth


def _set(text: str) -> str:
    inner = text[1:-1].replace("\\", r"\\").replace("[", r"\[")
    return f"[^{inner[1:]}]" if inner.startswith("!") else f"[{inner}]"
