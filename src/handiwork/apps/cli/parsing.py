"""Flags and words, with errors that name the nearest right ones."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import Any, NoReturn

from ...core.errors import UsageError, near_names

_CHOICE = re.compile(r"invalid choice: '(.*?)' \(choose from (.*)\)")
_FLAG = re.compile(r"unrecognized arguments: (--?[\w-]+)")


class Parser(argparse.ArgumentParser):
    """An argument parser that raises `UsageError` instead of printing and leaving.

    With `mixes` set, flags may stand between words, and what follows `--` is words as it is.
    """

    mixes = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        mixed = args is not None and self.mixes
        return super().parse_known_args(self._flags_first(list(args)) if mixed else args, namespace)

    def _flags_first(self, args: list[str]) -> list[str]:
        flags: list[str] = []
        words: list[str] = []
        at = 0
        while at < len(args) and args[at] != "--":
            action = self._option_string_actions.get(args[at])
            taken = 2 if action is not None and action.nargs is None else 1
            (flags if args[at].startswith("-") else words).extend(args[at : at + taken])
            at += taken
        return [*flags, "--", *words, *args[at + 1 :]]

    def error(self, message: str) -> NoReturn:
        hint = f"see `{self.prog} --help`"
        wrong = _CHOICE.search(message)
        flag = _FLAG.search(message)
        if wrong:
            known = [word.strip("' ") for word in wrong.group(2).split(",")]
            near = near_names(wrong.group(1), known)
            message = f"unknown: {wrong.group(1)!r}; known: {', '.join(known)}"
        elif flag:
            near = near_names(flag.group(1), self._option_string_actions)
        elif message.startswith("unrecognized arguments"):
            near, hint = [], f"several words are one argument in quotes; {hint}"
        else:
            near = []
        raise UsageError(message, f"did you mean {near[0]}?" if near else hint)


def command_parser(name: str, help_line: str) -> Parser:
    """The parser of a command, with the flags that every command has."""
    parser = Parser(
        prog=f"handiwork {name}",
        description=help_line[:1].upper() + help_line[1:] + ".",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _add_common(parser)
    return parser


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--output-format", choices=["text", "json"], help=argparse.SUPPRESS)
    parser.add_argument("--debug", action="store_true", help=argparse.SUPPRESS)


def add_verbs(parser: Parser, verbs: dict[str, tuple[str, Callable[[Parser], None]]], examples: str) -> None:
    """Give a command its verbs (name -> help and what configures its parser)."""
    parser.epilog = f"examples:\n{examples}"
    group = parser.add_subparsers(dest="verb", required=True, metavar="VERB", parser_class=Parser)
    for name, (help_line, configure) in verbs.items():
        verb: Any = group.add_parser(name, help=help_line, description=help_line, allow_abbrev=False)
        _add_common(verb)
        configure(verb)


def add_selection(parser: argparse.ArgumentParser) -> None:
    """The two switches of a supply."""
    parser.add_argument("--toolsets", metavar="A,B", help="enable these toolsets only")
    parser.add_argument("--disable", metavar="C", help="take these toolsets away")


def names_of(text: str | None) -> tuple[str, ...] | None:
    """The names in a comma-separated list; None where nothing was said."""
    return None if text is None else tuple(n.strip() for n in text.split(",") if n.strip())
