"""Who may say yes, and what an answer means."""

from __future__ import annotations

from typing import get_args

from handiwork.core.types import Answer, Ask, Keep, Ready

_KEEPS = get_args(Keep)
NO = Answer(False)


def settle(answer: object) -> Answer:
    """What an approver's answer means: anything but a clear yes is a no."""
    if isinstance(answer, Answer):
        return answer if answer.allowed is True and answer.keep in _KEEPS else _denied(answer)
    return Answer(True) if answer is True else NO


def _denied(answer: Answer) -> Answer:
    return Answer(False, note=answer.note if isinstance(answer.note, str) else "")


def deny_all(ready: Ready, ask: Ask, /) -> bool:  # noqa: ARG001 (the shape of an approver)
    """The approver for where nobody is there to ask."""
    return False


def allow_all(ready: Ready, ask: Ask, /) -> bool:  # noqa: ARG001 (the shape of an approver)
    """The approver of somebody who said yes to everything beforehand."""
    return True
