"""What is kept of a session: its entries in order, and the store that holds them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

# begun, prompt, nudge, reply, result, mended: what was said. intent, outcome: effects. decision: who allowed what.
# resumed, ended: by whom it was worked on. lost: a gap that damage left.
EntryKind: TypeAlias = Literal[
    "begun",
    "prompt",
    "nudge",
    "reply",
    "intent",
    "outcome",
    "result",
    "decision",
    "mended",
    "question",
    "answer",
    "resumed",
    "ended",
    "lost",
]


DELEGATE = "delegate"  # the platform of sessions in which an agent works for the agent of their parent


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened: number `seq` of its session, at `at` (milliseconds since 1970).

    `call` is the id of the tool call that it belongs to, or "". `body` is JSON data by kind.
    """

    seq: int
    kind: EntryKind
    at: int
    call: str
    body: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """What a list of sessions shows. `number` is the store's own name for it, `state` how it ended last.

    `model`, `cwd`, `toolsets` and `disabled` (comma-separated names) are what it goes on with when it is
    resumed. `state` is `running`, `interrupted` (its process is gone), `waiting` (for an answer) or an
    ending of the agent's. Times are milliseconds since 1970; `ended` 0 is not yet.
    """

    id: str
    number: int = 0
    title: str = ""
    model: str = ""
    cwd: str = ""
    platform: str = ""
    parent: str = ""
    toolsets: str = ""
    disabled: str = ""
    state: str = "running"
    started: int = 0
    ended: int = 0
    entries: int = 0


@dataclass(frozen=True, slots=True)
class Hit:
    """An entry that a search found, with the words around what was searched for."""

    session: SessionInfo
    seq: int
    kind: str
    snippet: str


class SessionStore(Protocol):
    """Where sessions are kept. Every method may raise `StorageError`."""

    def begin(self, info: SessionInfo, /) -> SessionInfo: ...

    def claim(self, info: SessionInfo, /) -> None: ...

    def release(self, info: SessionInfo, state: str, /) -> None: ...

    def append(self, number: int, seq: int, kind: EntryKind, /, *, call: str, body: str) -> None: ...

    def keep_file(self, session: str, path: str, /) -> str: ...

    def entries(self, number: int, after: int = 0, /) -> Iterator[Entry]: ...

    def find(self, name: str, /) -> SessionInfo: ...

    def sessions(self, limit: int = 50, /) -> Sequence[SessionInfo]: ...

    def search(self, words: str, limit: int = 20, /) -> Sequence[Hit]: ...

    def rename(self, info: SessionInfo, title: str, /) -> SessionInfo: ...

    def delete(self, info: SessionInfo, /) -> None: ...
