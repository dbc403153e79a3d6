"""The words of the grammar of mistakes: what a mistake is, and how one is entered into the table.

A *value* mistake changes the arguments before they are written, a *text* mistake how they are written. Each is
`restorable` (exactly one reading is left, and it has to come back) or `refusable` (an error is right; to
restore it is right too, and anything else is a wrong value). A mistake gives None where it can't be made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

from gold import Args, Gold

Expectation = Literal["restorable", "refusable"]
ValueMistake = Callable[[Gold, Random], "tuple[Any, Args] | None"]
TextMistake = Callable[[Any, Random], "str | None"]


@dataclass(frozen=True, slots=True)
class Mistake:
    """One operator of the grammar. `does` is its description, one line."""

    name: str
    expects: Expectation
    does: str
    value: ValueMistake | None = None
    text: TextMistake | None = None


VALUE_MISTAKES: list[Mistake] = []
TEXT_MISTAKES: list[Mistake] = []


def value_mistake(expects: Expectation) -> Callable[[ValueMistake], ValueMistake]:
    """Enter a function that gives (what is written, what was meant)."""

    def enter(write: ValueMistake) -> ValueMistake:
        VALUE_MISTAKES.append(Mistake(_name(write), expects, _does(write), value=write))
        return write

    return enter


def text_mistake(expects: Expectation) -> Callable[[TextMistake], TextMistake]:
    """Enter a function that writes arguments as text."""

    def enter(write: TextMistake) -> TextMistake:
        TEXT_MISTAKES.append(Mistake(_name(write), expects, _does(write), text=write))
        return write

    return enter


def _name(write: Callable[..., Any]) -> str:
    return write.__name__.replace("_", " ").strip()


def _does(write: Callable[..., Any]) -> str:
    return (write.__doc__ or "").strip().splitlines()[0]
