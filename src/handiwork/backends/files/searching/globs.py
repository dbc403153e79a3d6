"""Globs for paths: `*`, `?`, `[a-z]`, `{a,b}`, and `**` across directories."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_TOKEN = re.compile(
    r"(?P<deep>\*\*/)|(?P<rest>\*\*)|(?P<star>\*)|(?P<one>\?)|(?P<set>\[[!^]?\]?[^\]]*\])|(?P<word>.)", re.S
)
_PIECES = {"deep": "(?:.*/)?", "rest": ".*", "star": "[^/]*", "one": "[^/]"}
_MAGIC = re.compile(r"[*?\[{]")
_HIDDEN_PART = re.compile(r"(?:^|[/{,])\.[^/.,}]")
# Without sets and `?`, which ripgrep takes for one byte.
_EASY = re.compile(r"[^?\[\]{}\\]*(?:\{[^?{}\[\]\\]*\}[^?\[\]{}\\]*)?")
_OPEN_SET = re.compile(r"(?<!\[)\[(?![!^]?\]?[^\]]*\])")
_OUTER_COMMA = re.compile(r",(?![^{}]*\})")


def is_glob(text: str) -> bool:
    """Whether *text* has a wildcard."""
    return _MAGIC.search(text) is not None


def has_open_set(glob: str) -> bool:
    """Whether a `[` in the glob is never closed."""
    return _OPEN_SET.search(re.sub(r"\\.", "", glob, flags=re.S)) is not None


def names_hidden(glob: str) -> bool:
    """Whether the glob names a file or directory that starts with a dot."""
    return _HIDDEN_PART.search(glob) is not None


@lru_cache(maxsize=64)
def glob_pattern(glob: str) -> re.Pattern[str]:
    """A pattern for whole relative paths. Without a slash the glob is about names in any directory.

    A glob without any wildcard matches names that contain it, in any case; with a slash, paths.
    """
    if not is_glob(glob):
        inside = ".*" if "/" in glob else "[^/]*"
        return re.compile(f"(?:.*/)?{inside}{re.escape(glob.removeprefix('./'))}{inside}", re.S | re.I)
    anchored = glob.removeprefix("./").removeprefix("/") if "/" in glob else f"**/{glob}"
    return re.compile(glob_regex(anchored), re.S)


def glob_regex(glob: str, *, braces: bool = True) -> str:
    """The regex of a glob over a whole path."""
    out, depth = [], 0
    for token in _TOKEN.finditer(glob):
        kind, text = token.lastgroup, token.group()
        if kind == "set":
            out.append(_set(text))
        elif kind != "word":
            out.append(_PIECES[kind or ""])
        elif braces and text == "{" and "}" in glob[token.end() :]:
            out.append("(?:")
            depth += 1
        elif depth and text in ",}":
            out.append("|" if text == "," else ")")
            depth -= text == "}"
        else:
            out.append(re.escape(text))
    return "".join(out) + ")" * depth


def _set(text: str) -> str:
    negated = text[1] in "!^"
    inner = text[2 if negated else 1 : -1].replace("\\", r"\\").replace("[", r"\[")
    try:
        re.compile(f"[{inner}]")
    except re.error:  # no range, such as [z-a]: then the signs stand for themselves
        return re.escape(text)
    return f"(?!/)[{'^' * negated}{inner}]"


@dataclass(frozen=True, slots=True)
class Choice:
    """Which files are wanted: those that fit one glob of each of the `sets`."""

    sets: tuple[tuple[str, ...], ...] = ()
    hidden: bool = False

    def fits(self, path: str) -> bool:
        """Whether a relative path is wanted."""
        if not self.hidden and (path.startswith(".") or "/." in path):
            return False
        return all(any(glob_pattern(glob).fullmatch(path) for glob in globs) for globs in self.sets)

    def last_names(self) -> tuple[str, ...]:
        """Globs of which the last name of every wanted path fits one; empty where any name may."""
        for globs in self.sets:
            names = tuple(map(_last_name, globs))
            if not any(name in ("", "*", "**") for name in names):
                return names
        return ()


def _last_name(glob: str) -> str:
    """What the last name of a path must fit, where that is said easily; else empty."""
    name = glob.rpartition("/")[2]
    if is_glob(glob):
        return name if _EASY.fullmatch(name) and glob.count("{") == name.count("{") else ""
    return f"*{''.join(map(_any_case, name))}*" if name.isascii() and _EASY.fullmatch(name) else ""


def _any_case(character: str) -> str:
    return f"[{character.lower()}{character.upper()}]" if character.isalpha() else character


def split_globs(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The globs to include and, with a `!` before them, to leave out, of a list with commas."""
    globs = [glob.strip() for glob in _OUTER_COMMA.split(text) if glob.strip()]
    wanted = tuple(f"{g}**" if g.endswith("/") else g for g in globs if not g.startswith("!"))
    return wanted, tuple(g[1:] for g in globs if g.startswith("!"))
