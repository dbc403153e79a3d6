"""What one room asks of another: protocols of one or two verbs."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, Protocol

from .calls import Ready
from .outcomes import Outcome
from .tools import Args
from .verdicts import Answer, Ask, Verdict


class Handler(Protocol):
    """What every tool is, in the end: arguments in; JSON text, plain data or an `Outcome` out."""

    def __call__(self, args: Args, /, **kw: Any) -> Any: ...


class Approver(Protocol):
    """Whoever may say yes. Sync or async; anything but a clear yes is a no."""

    def __call__(self, ready: Ready, ask: Ask, /) -> bool | Answer | Awaitable[bool | Answer]: ...


class Judge(Protocol):
    """The guard's verdict on a call that is ready."""

    def __call__(self, ready: Ready, /) -> Verdict: ...


class Journal(Protocol):
    """Intent before an effect, outcome after it."""

    def intent(self, ready: Ready, /) -> None: ...

    def outcome(self, ready: Ready, outcome: Outcome, /) -> None: ...
