"""What the pipeline asks of others: a verdict, and a place to write down what it does."""

from __future__ import annotations

from typing import Protocol

from .calls import Ready
from .outcomes import Outcome
from .verdicts import Verdict


class Judge(Protocol):
    """The guard's verdict on a call that is ready."""

    def __call__(self, ready: Ready, /) -> Verdict: ...


class Journal(Protocol):
    """Intent before an effect, outcome after it."""

    def intent(self, ready: Ready, /) -> None: ...

    def outcome(self, ready: Ready, outcome: Outcome, /) -> None: ...
