"""The form of the table's entries.

An entry says in words what a program's subcommands, options and operands do. Its examples are its tests.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from ..places import names
from ..shell.call import Call
from .arguments import Arguments

# An own reader says what rules can't; it gives what the program prints, or None where that isn't known.
Reader: TypeAlias = Callable[[Call, Arguments], "str | None"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing that a program does.

    *when* holds words that must all fit the arguments: `push` (the first operand; a second word is the second
    operand, and so on), `*` (any operand at that place), `~all` (an operand anywhere), `-f` (an option), `^delete`
    (one of the first operands has this word in it, as in `delete-stack`), `+2` (at least so many operands); each
    may be several, joined by `|`, and `!` before a word turns it round. *does* is the kind of effect. *on* is what
    it is done to: `all` (the operands that *when* doesn't name), `first`, `last`, `but-last`, options whose values
    are meant (`-o|--output`), `of=` (what an operand with this beginning says), or nothing: the command as a whole.
    """

    when: str
    does: str
    on: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Program:
    """What one program does.

    *called*: its names, with blanks between them. *values*: its options that take a value. *reads*: the operands
    from this place on are files that it reads. *runs*: how it runs others: `words` (what follows its own options is
    a program with arguments; `words 1`: after one more operand), `text -c` (the value of an option is shell text),
    `joined 1` (what follows one operand is joined to a shell text). *only_reads*: it changes nothing by itself.
    *quiet*: its arguments are text for it, never files. *dry*: options with which it only says what it would do.
    The rest are examples that must be allowed, asked about, refused.
    """

    called: str
    values: str = ""
    rules: tuple[Rule, ...] = ()
    reads: int | None = None
    runs: str = ""
    reader: Reader | None = None
    only_reads: bool = False
    quiet: bool = False
    dry: str = "--help --version"
    allow: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    forbid: tuple[str, ...] = ()
    valued: frozenset[str] = field(init=False)
    dry_flags: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "valued", names(self.values))
        object.__setattr__(self, "dry_flags", names(self.dry))
