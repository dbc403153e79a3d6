"""Whether a rule of the table fits the arguments of a call, and what it is done to."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

from .arguments import Arguments
from .entry import Rule

Test: TypeAlias = Callable[[Arguments], bool]

MOST_VERB_OPERANDS = 5
_PARTS = re.compile(r"[-:_./]+")


@lru_cache(maxsize=4096)
def compiled(when: str) -> tuple[tuple[Test, ...], int]:
    """The tests behind the words of a rule, and how many operands they name by place."""
    tests: list[Test] = []
    place = 0
    for word in when.split():
        turned, word = word.startswith("!"), word.removeprefix("!")  # noqa: PLW2901
        if word[0] in "-~^+":
            test = _test(word)
            tests.append(_turned(test) if turned else test)
        elif turned:
            raise ValueError(f"only -option, ~word and ^word can be turned round: {when}")
        else:
            if word != "*":
                tests.append(_at(place, frozenset(word.split("|"))))
            place += 1
    return tuple(tests), place


def fits(rule: Rule, arguments: Arguments) -> bool:
    """Whether all words of the rule's `when` fit."""
    return all(test(arguments) for test in compiled(rule.when)[0])


def _turned(test: Test) -> Test:
    return lambda a: not test(a)


def _test(word: str) -> Test:
    if word[0] == "+":
        least = int(word[1:])
        return lambda a: len(a.operands) >= least
    choices = frozenset(word.lstrip("~^").split("|"))
    if word[0] == "-":
        return lambda a: a.has(choices)
    if word[0] == "^":
        return lambda a: any(choices.intersection(_verbs(o)) for o in a.operands[:MOST_VERB_OPERANDS])
    return lambda a: any(o in choices for o in a.operands)


@lru_cache(maxsize=2048)
def _verbs(operand: str) -> frozenset[str]:
    """The words of a subcommand such as `delete-stack` or `apps:destroy`."""
    return frozenset(_PARTS.split(operand)) if len(operand) < 60 and "=" not in operand else frozenset()


def _at(place: int, choices: frozenset[str]) -> Test:
    return lambda a: place < len(a.operands) and a.operands[place] in choices


def targets(rule: Rule, arguments: Arguments) -> list[str]:
    """What the effect is done to; one empty text where it is the command as a whole."""
    on, operands = rule.on, arguments.operands[compiled(rule.when)[1] :]
    if not on:
        return [""]
    if on == "all":
        return operands
    if on in ("first", "last", "but-last"):
        return operands[:1] if on == "first" else operands[-1:] if on == "last" else operands[:-1]
    if on.endswith("="):
        return [o[len(on) :] for o in arguments.operands if o.startswith(on)]
    return arguments.of(on.split("|"))
