"""Who may say yes, and what a session remembers of the answers."""

from __future__ import annotations

from collections.abc import Iterable
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


class Approvals:
    """The yeses of one session, by exact key: a yes to one command in one folder covers just that.

    An ask without keys is never covered. Nothing is written to disk.
    """

    __slots__ = ("_keys",)

    def __init__(self, keys: Iterable[str] = ()) -> None:
        self._keys = set(keys)

    def covers(self, ask: Ask) -> bool:
        """Whether every key of *ask* was said yes to."""
        return bool(ask.keys) and self._keys.issuperset(ask.keys)

    def remember(self, ask: Ask, answer: Answer) -> None:
        """Keep a yes that is for the session or for always; a yes for once isn't kept."""
        if answer.allowed and answer.keep != "once":
            self._keys.update(ask.keys)

    def forget(self, *keys: str) -> None:
        """Take back the named keys, or all when none is named."""
        self._keys.difference_update(keys or tuple(self._keys))

    def keys(self) -> list[str]:
        """What was said yes to, sorted."""
        return sorted(self._keys)
