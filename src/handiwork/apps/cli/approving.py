"""The person at the terminal says whether a call may run. Whatever isn't clearly a yes is a no."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable, Iterable
from typing import Protocol

from ...agent.asked import Asked, asked_of
from ...core.errors import HandiworkError
from ...core.types import Answer, Approver, Ask, Keep, Ready
from ...guard.approval import allow_all, deny_all
from .asking import is_attended, read_line
from .output import Output
from .question_screen import Choice, choice_lines, choices_of, question_lines

_WHY = "  What should it do instead? "
_NOBODY = "nobody answered"


class Keeper(Protocol):
    """Keeps rules for later."""

    def files(self, ready: Ready) -> dict[Keep, str]:
        """Where a rule would be kept, for the project and for always; what can't be is left out."""
        ...

    def store(self, workspace: str, rule: str, keep: Keep) -> str:
        """Keep *rule*; where it stands then: file and line."""
        ...


def approver_of(
    said: Namespace, out: Output, *, seconds: float | None = None, keeper: Keeper | None = None
) -> Approver | None:
    """Who says yes: everybody with --yes, nobody with --deny or without a terminal, else the person."""
    if said.yes:
        return allow_all
    if said.deny:
        return deny_all
    return TerminalApprover(out, seconds=seconds, keeper=keeper) if is_attended() else None


class TerminalApprover:
    """Shows what would run and why it asks, and takes an answer by key, within *seconds* if they are given.

    Enter, the end of input, a timeout, a terminal that is gone and what isn't understood mean no.
    """

    def __init__(
        self,
        out: Output,
        *,
        seconds: float | None = None,
        keeper: Keeper | None = None,
        read: Callable[[str, float | None], str] = read_line,
    ) -> None:
        self._out, self._seconds, self._keeper, self._read = out, seconds, keeper, read

    def __call__(self, ready: Ready, ask: Ask, /) -> Answer:
        asked = asked_of(ready, [ask])
        files = self._keeper.files(ready) if self._keeper else {}
        try:
            self._show(question_lines(asked, self._paint))
            return self._answer(ready, asked, files)
        except EOFError:
            return Answer(False, note=_NOBODY)
        except TimeoutError:
            self._show(["", f"  no answer within {self._seconds:g} s: not executed"])
            return Answer(False, note=f"{_NOBODY} within {self._seconds:g} s")

    def _answer(self, ready: Ready, asked: Asked, files: dict[Keep, str]) -> Answer:
        """The answer to what is shown; a wish to see more, or to keep less or more of it, is met first."""
        breadths = [breadth for breadth, _, _ in asked.offers]
        breadth = breadths[0] if breadths else ""
        while True:
            choices = choices_of(asked, breadth, files)
            self._show(choice_lines(asked, choices, breadth))
            said = self._read("  Allow? (Enter = no) ", self._seconds).strip().lower()
            choice = next((c for c in choices if c.key == said or (c.key == "1" and said in ("y", "yes"))), None)
            if choice:
                return self._kept(ready, choice)
            if said == "d":
                self._show(question_lines(asked, self._paint, whole=True))
            elif said == "b" and len(breadths) > 1:
                breadth = breadths[(breadths.index(breadth) + 1) % len(breadths)]
            else:
                return Answer(False, note=self._read(_WHY, self._seconds).strip() if said == "w" else "")

    def _kept(self, ready: Ready, choice: Choice) -> Answer:
        """A yes. One that is to hold longer than the session is stored, and it is told where."""
        if choice.keep in ("project", "always") and self._keeper:
            try:
                self._show([f"  kept in {self._keeper.store(ready.call.scope.workspace, choice.rule, choice.keep)}"])
            except HandiworkError as error:
                self._out.tell(f"the rule isn't kept: {error}", error.hint)
                return Answer(True)
        return Answer(True, choice.keep, rule=choice.rule)

    def _show(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._out.note(line)

    def _paint(self, text: str, colour: str) -> str:
        return self._out.paint(text, colour, sys.stderr)
