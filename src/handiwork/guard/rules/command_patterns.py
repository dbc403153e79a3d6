"""Patterns of commands: `git status` exactly, `git status:*` and what follows, `npm run *` with anything there.

They are held against programs with their words, as the guard has read them, and not against text: so that quotes,
wrappers and variables can't hide a denied one, and what stands beside an allowed one isn't allowed with it.
"""

from __future__ import annotations

import re
import shlex
from functools import cached_property
from typing import Final, Literal, TypeAlias

from handiwork.core.errors import UsageError

from ..effects import Invocation
from ..programs.arguments import Arguments
from ..programs.table import program_named
from ..shell.marks import is_known, without_marks

Meeting: TypeAlias = Literal["no", "maybe", "yes"]

_STAR: Final = "\uf000"  # a `*` that stands for itself
_PLAIN: Final = re.compile(r"[^\s'\"\\`;&|<>(){}#$!]+\Z")
_QUOTES: Final = re.compile(r"['\"\\]")
_SHELL: Final = re.compile(r"[`;&|<>(){}#$!\n]")


def escaped(text: str) -> str:
    """*text* as a pattern that means just it."""
    return text.replace("\\", "\\\\").replace("*", "\\*")


def _unescaped(pattern: str) -> str:
    return re.sub(r"\\([\\*])", lambda found: _STAR if found[1] == "*" else "\\", pattern)


class CommandPattern:
    """One pattern. `\\*` in it is a star, `\\\\` a backslash.

    `text` is what is written in it, `words` the same as words, none where they aren't those of one program.
    """

    def __init__(self, pattern: str) -> None:
        text = _unescaped(pattern).strip()
        self.is_prefix = text.endswith(":*")
        text = text.removesuffix(":*").rstrip()
        self.text = text.replace(_STAR, "*")
        self.is_exact = not self.is_prefix and "*" not in text
        self._is_quoted = self.is_exact and bool(_QUOTES.search(text))
        self.words = () if self.is_exact and _SHELL.search(text) else _split(text, pattern)
        if not text or (self.words and not self.words[0].strip("*")):
            raise UsageError(
                f"the pattern {pattern!r} names no program", "name the tool alone to mean all its commands"
            )

    @cached_property
    def _whole(self) -> re.Pattern[str]:
        """What the words of a program, written in one way, must be like."""
        text = "".join(_piece(piece) for piece in re.split(r"(\*)", _joined(self.words)))
        if text.endswith(r"\ .*"):  # `npm run *` is also `npm run`
            text = text.removesuffix(r"\ .*") + r"(?:\ .*)?"
        return re.compile(text + (r"(?:\ .*)?" if self.is_prefix else "") + r"\Z", re.DOTALL)

    def is_text(self, command: str) -> bool:
        """Whether the whole text of a command is meant, as it is written."""
        return self.is_exact and command.strip() == self.text

    def covers(self, invocation: Invocation) -> bool:
        """Whether this program with these words is meant, word for word; for rules that allow."""
        words = invocation.words
        if not self.words or self._is_quoted or not all(map(is_known, words)):  # a quoted `*` isn't a bare one
            return False
        return self._whole.match(_joined(words)) is not None

    def meets(self, invocation: Invocation) -> Meeting:
        """Whether this is, or may be, what is meant, also by another path or in another order; for rules that deny."""
        words = invocation.words
        name = without_marks(words[0]).rpartition("/")[2]
        if not self.words or not name:
            return "maybe" if self.words else "no"
        if not _fits(self.words[0], name):
            return "no"
        if self._whole.match(_joined((*self.words[:1], *words[1:]))):
            return "yes"
        return "no" if self.is_exact else self._shape(name, list(words[1:]))

    def _shape(self, name: str, args: list[str]) -> Meeting:
        """By subcommands and options, wherever they stand."""
        entry = program_named(name)
        given = Arguments(args, entry.valued if entry else frozenset())
        wanted = [word for word in self.words[1:] if word != "*"]
        verbs = [word for word in wanted if not word.startswith("-")]
        found = [_operand(verb, given.operands, place) for place, verb in enumerate(verbs)]
        found += [_option(word, given) for word in wanted if word.startswith("-")]
        if "no" not in found:
            return "maybe" if "maybe" in found else "yes"
        return "no"


def _split(text: str, pattern: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"the pattern {pattern!r} can't be read: {error}", "close its quotes") from error


def _joined(words: tuple[str, ...]) -> str:
    return " ".join(word if _PLAIN.match(word) else shlex.quote(word) for word in words)


def _piece(piece: str) -> str:
    return ".*" if piece == "*" else re.escape(piece.replace(_STAR, "*"))


def _fits(wanted: str, word: str) -> bool:
    if "*" not in wanted:
        return wanted.replace(_STAR, "*").rpartition("/")[2] == word
    return re.fullmatch("".join(_piece(p) for p in re.split(r"(\*)", wanted)), word, re.DOTALL) is not None


def _operand(wanted: str, operands: list[str], place: int) -> Meeting:
    if place < len(operands) and is_known(operands[place]):
        return "yes" if _fits(wanted, operands[place]) else "no"
    return "maybe" if any(not is_known(operand) for operand in operands) else "no"


def _option(wanted: str, given: Arguments) -> Meeting:
    """A cluster of letters is all of them, in any order; `--force*` is every option that begins so."""
    known = [name if value is None else f"{name}={value}" for name, value in given.options]
    names = [name for name, _ in given.options]
    letters = ["-" + letter for letter in wanted[1:]] if re.fullmatch(r"-\w{2,}", wanted) else []
    if any(_fits(wanted, name) for name in (*known, *names)) or (letters and set(letters) <= set(names)):
        return "yes"
    return "maybe" if any(not is_known(operand) for operand in given.operands) else "no"
