"""What the pipeline asks of others: a verdict, and a place to write down what it does."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

from .calls import Ready, Refusal, ToolResult
from .outcomes import Label, Outcome
from .verdicts import Verdict


class Judge(Protocol):
    """The guard's verdict on a call that is ready."""

    def __call__(self, ready: Ready, /) -> Verdict: ...


class Journal(Protocol):
    """Intent before an effect, outcome after it."""

    def intent(self, ready: Ready, /) -> None: ...

    def outcome(self, ready: Ready, outcome: Outcome, /) -> None: ...


class Origins(Protocol):
    """What a session knows of where its texts came from."""

    def trust(self, text: str, /) -> None:
        """Take in what the person said."""
        ...

    def distrust(self, text: str, where: str, /) -> None:
        """Take in text from outside that no call of this session gave."""
        ...

    def hear(self, ready: Ready, result: ToolResult, /) -> None:
        """Take in what a call gave, perhaps long ago."""
        ...

    def note(self, ready: Ready, result: ToolResult, /) -> None:
        """Take in what a call gave just now, and what it has written."""
        ...

    def trace(self, ready: Ready, /) -> Mapping[str, Label]:
        """The arguments whose values come from outside alone, each with where they stood."""
        ...

    def labels(self, ready: Ready, result: ToolResult, /) -> tuple[Label, ...]:
        """What is known of where a result comes from, beside what its tool says."""
        ...

    def keep(self, result: ToolResult, /) -> None:
        """The whole of a result lies in its `kept` file now: who reads that, reads the result."""
        ...

    def source_of(self, text: str, /) -> str:
        """Where *text* has anything from that comes from outside alone; "" for nowhere."""
        ...


class Marks(Protocol):
    """Files that hold text from outside, remembered from one session to the next, by real path."""

    def put(self, path: str, source: str, /) -> None:
        """What lies at *path* now, a file or a folder, comes from *source*; from nowhere outside, where that is ""."""
        ...

    def at(self, path: str, /) -> str:
        """Where the file at *path* comes from: known by its path, by its contents or by a folder above it; else ""."""
        ...

    def paths(self) -> Collection[str]:
        """All paths that are marked."""
        ...


class Audit(Protocol):
    """Puts every call on record: what was asked, what was decided and by whom, what came of it."""

    def begin(self, ready: Ready, /) -> object | Refusal:
        """Before the handler runs. What it gives is handed to `end`; a refusal keeps the call from running."""
        ...

    def end(self, mark: object, known: Ready | None, end: Ready | Refusal, result: ToolResult, /) -> None:
        """At the end of every call. *mark* is None for one that never began, *known* how far it had come."""
        ...


class Background(Protocol):
    """What goes on beside the turns of one session."""

    def notices(self) -> list[str]:
        """What happened since this was last asked, a line each; each thing is told once."""
        ...

    def end_turn(self) -> None:
        """End what was to live no longer than the turn."""
        ...


class Embedder(Protocol):
    """Knows how near texts are in meaning, without a word in common."""

    def compare_with(self, texts: Sequence[str], /) -> Callable[[str], Sequence[float]]:
        """Takes *texts* in; what it gives tells how near a query is to each of them (cosines, -1 to 1)."""
        ...
