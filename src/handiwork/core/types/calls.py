"""A call on its way: asked for, ready or refused, answered."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from .quick import dataclass
from .tools import Args, Handler, ToolEntry

if TYPE_CHECKING:
    from ..cancel import CancelToken
    from .outcomes import Artifact, Done, Label, Progress
    from .places import Environment, Http, ShellState
    from .roles import Journal, Origins
    from .tracing import Span
    from .verdicts import Answer, Ask, Standing

Message: TypeAlias = dict[str, Any]
Status: TypeAlias = Literal["ok", "error", "refused", "pending", "needs_input"]
Step: TypeAlias = Callable[["Ready"], "Ready | Refusal"]


@dataclasses.dataclass(frozen=True, slots=True)  # really so: handlers, which are foreign code, hold it
class Scope:
    """For whom a call runs, where, and what it may reach.

    `supplied` is the set of tool names the caller was shown (None: no restriction). `call` and
    `acall` run another tool through the same pipeline with everything in this scope inherited.
    `checks` are further steps of the owner of this scope, such as an agent's loop guard.
    `deadline` is on `time.monotonic`, in seconds. `shell` is what the session's commands hand on; calls
    that have it start where the last command ended. `journal` is where effects are written down, in
    place of the pipeline's own. `origins` knows where the session's texts came from. `span` is the work that
    the call belongs to, for whoever traces. `around` is the call in whose handler this scope's calls are made.
    Where a scope `waits`, what must be asked and nobody is there to answer is asked later. `standing` is what
    the session's person has answered so far. `on_refused` is told of every call that doesn't run, of those
    too that a tool makes in turn. `http` is the one client to fetch with.
    """

    session_id: str = ""
    task_id: str = "default"
    platform: str = "python"
    cwd: str = ""
    workspace: str = ""
    environment: Environment | None = None
    bindings: Mapping[str, Handler] = field(default_factory=dict)
    supplied: frozenset[str] | None = None
    call: Callable[[str, Args], str] | None = None
    acall: Callable[[str, Args], Awaitable[str]] | None = None
    approver: Approver | None = None
    cancel: CancelToken | None = None
    deadline: float | None = None
    checks: tuple[Step, ...] = ()
    on_progress: Callable[[ToolCall, Progress], None] | None = None
    shell: ShellState | None = None
    journal: Journal | None = None
    standing: Standing | None = None
    on_refused: Callable[[Ready, Refusal], object] | None = None
    origins: Origins | None = None
    span: Span[Any] | None = None
    around: Ready | None = None
    waits: bool = False
    http: Http | None = None

    @property
    def here(self) -> str:
        """The folder that relative paths and commands start from; never empty."""
        return (self.shell.cwd if self.shell else self.cwd) or os.getcwd()

    def altered(self, **changes: Any) -> Scope:
        """The same with *changes*. Calls of many tools have one made, and `dataclasses.replace` takes twice as long."""
        made = object.__new__(Scope)
        for name, value in zip(Scope.__slots__, _values_of(self), strict=True):
            _set(made, name, changes.get(name, value))
        return made


_set = object.__setattr__
_values_of = attrgetter(*Scope.__slots__)
EMPTY_SCOPE = Scope()


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What the model asked for. `arguments` is as it was written: text, or a parsed value."""

    name: str
    arguments: Any = None
    id: str = ""
    scope: Scope = EMPTY_SCOPE

    @property
    def outermost(self) -> ToolCall:
        """The call of this conversation's model within which this one is made: itself, where there is none."""
        call, journal = self, self.scope.journal
        while (around := call.scope.around) is not None and around.call.scope.journal is journal:
            call = around.call
        return call


_NOTHING: Mapping[str, Any] = MappingProxyType({})


def _nothing() -> Mapping[str, Any]:
    """One empty mapping for all: several for each call would keep the collector of garbage busy."""
    return _NOTHING


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """A file as a call would change it: its texts, None where there is no file or no text, and their digests.

    `before` and `after` are digests of the bytes, "" for no file. `real` is where `path` leads to.
    """

    path: str
    real: str
    old: str | None
    new: str | None
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Ready:
    """A call whose tool is known, whose arguments are right, and which nothing has refused yet.

    `repairs` says what was put right; `provenance` maps argument names to the labels they carry;
    `asks` collects what a person must agree to before it runs. `real_paths` maps each path that the
    arguments name to what it led to when the call was judged. `notes` are put below its result.
    `answer` is what is given in place of running it: by a hook, or by what it came to when it ran before.
    `planned` is what a person is shown of the files that it would change, and nothing else may then be written;
    None where nobody is asked. `rule` is the one that allowed the call, `answers` are what a person said to the asks,
    and `effects` what its commands would do, in words, None where nobody has looked.
    """

    call: ToolCall
    entry: ToolEntry
    args: Args
    repairs: tuple[str, ...] = ()
    provenance: Mapping[str, Label] = field(default_factory=_nothing)
    asks: tuple[Ask, ...] = ()
    real_paths: Mapping[str, str] = field(default_factory=_nothing)
    notes: tuple[str, ...] = ()
    answer: str | Done | None = None
    planned: tuple[PlannedFile, ...] | None = None
    rule: str = ""
    answers: tuple[Answer, ...] = ()
    effects: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """A step's way of saying no. `by` names the step, `hint` says what to do next.

    `rule` is the one that forbade it, `answer` what the person said who didn't allow it.
    """

    reason: str
    by: str
    hint: str = ""
    rule: str = ""
    answer: Answer | None = None


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came of a call. `content` is the plain text; `shown` is what the model reads.

    `status` and `by` say how it ended: for a refusal, `by` is the step that refused. `kept` is the file
    that holds the whole of a result that was cut.
    """

    call: ToolCall
    content: str
    is_error: bool = False
    status: Status = "ok"
    by: str = ""
    labels: tuple[Label, ...] = ()
    duration_ms: float = 0.0
    artifacts: tuple[Artifact, ...] = ()
    shown: str | None = None
    kept: str = ""

    @property
    def text(self) -> str:
        """The model-facing text: fenced where it came from outside."""
        return self.content if self.shown is None else self.shown

    def message(self) -> Message:
        """The tool message that goes back into the conversation."""
        return {"role": "tool", "tool_call_id": self.call.id, "name": self.call.name, "content": self.text}


class Approver(Protocol):
    """Whoever may say yes. Sync or async; anything but a clear yes is a no."""

    def __call__(self, ready: Ready, ask: Ask, /) -> bool | Answer | Awaitable[bool | Answer]: ...
