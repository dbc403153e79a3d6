"""Shell patterns (`*`, `?`, `[...]`) over known text, and braces."""

from __future__ import annotations

import itertools
import re
from functools import lru_cache

from .scanning import past_quoted

MOST_WORDS = 64
MOST_CHARACTERS = 4_000
_NEVER = re.compile(r"(?!)")


@lru_cache(maxsize=512)
def compiled(pattern: str, *, lazy: bool = False) -> re.Pattern[str]:
    """A shell pattern as a regular expression; one that can't be read matches nothing."""
    star = ".*?" if lazy else ".*"
    out: list[str] = []
    at = 0
    while at < len(pattern):
        char, at = pattern[at], at + 1
        if char == "*":
            out.append("" if out and out[-1] == star else star)
        elif char == "[" and (end := pattern.find("]", at + 1)) > 0:
            inner = pattern[at:end].replace("\\", "\\\\").replace("[:", "").replace(":]", "")
            out.append("[" + ("^" + inner[1:] if inner[:1] in "!^" else inner) + "]")
            at = end + 1
        else:
            out.append("." if char == "?" else re.escape(char))
    try:
        return re.compile("".join(out), re.DOTALL)
    except re.error:
        return _NEVER


def is_pattern(word: str) -> bool:
    """Whether the word holds pattern signs."""
    return "*" in word or "?" in word or "[" in word


def may_match(pattern: str, name: str) -> bool:
    """Whether the last part of a path with pattern signs matches a name; `*` doesn't match a leading dot."""
    part = pattern.rpartition("/")[2]
    if not is_pattern(part) or not re.search(r"[A-Za-z0-9]", part):
        return False
    return (name[0] != "." or part[0] == ".") and compiled(part).fullmatch(name) is not None


def unfold_braces(raw: str) -> list[str]:
    """The words, still as written, that `{a,b}` and `{1..3}` stand for; quotes and `${` are passed over."""
    if len(raw) > MOST_CHARACTERS:
        return [raw]
    done: list[str] = []
    waiting = [raw]
    while waiting:
        word = waiting.pop()
        choice = _first_brace(word) if len(done) + len(waiting) < MOST_WORDS else None
        if choice is None:
            done.append(word)
        else:
            before, options, after = choice
            waiting.extend(before + option + after for option in reversed(options))
    return done


_RANGE = re.compile(r"(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?$")


def _first_brace(word: str) -> tuple[str, list[str], str] | None:
    """What stands before the first unfoldable brace, its options, and what stands after."""
    at = 0
    while at < len(word):
        past = past_quoted(word, at)
        if past > at or word[at] != "{":
            at = max(past, at + 1)
            continue
        end, commas = _close(word, at + 1)
        inner = word[at + 1 : end]
        if end < len(word) and commas:
            options = [word[a + 1 : b] for a, b in itertools.pairwise([at, *commas, end])]
            return word[:at], options[:MOST_WORDS], word[end + 1 :]
        if end < len(word) and (counted := _RANGE.match(inner)):
            return word[:at], _counted(counted), word[end + 1 :]
        at += 1
    return None


def _close(word: str, at: int) -> tuple[int, list[int]]:
    """Where the brace that was opened before *at* closes, and its commas."""
    depth = 0
    commas: list[int] = []
    while at < len(word):
        past = past_quoted(word, at)
        if past > at:
            at = past
            continue
        char = word[at]
        if char == "}" and depth == 0:
            return at, commas
        depth += (char == "{") - (char == "}")
        if char == "," and depth == 0:
            commas.append(at)
        at += 1
    return len(word), commas


def _counted(found: re.Match[str]) -> list[str]:
    first, last, _step = found.groups()
    if first.lstrip("-").isdigit() and last.lstrip("-").isdigit():
        low, high = int(first), int(last)
        step = 1 if high >= low else -1
        return [str(n) for n in range(low, low + step * min(abs(high - low) + 1, MOST_WORDS), step)]
    low, high = ord(first[0]), ord(last[0])
    step = 1 if high >= low else -1
    return [chr(n) for n in range(low, high + step, step)][:MOST_WORDS]
