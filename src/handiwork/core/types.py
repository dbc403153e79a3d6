"""The words of the house: what travels from a model's reply to the result it reads.

A call goes in at the top of the line as a `ToolCall`, becomes `Ready` or a `Refusal`, and always
comes out as a `ToolResult`. The protocols at the end are what one room asks of another.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from .cancel import CancelToken

Args: TypeAlias = dict[str, Any]
Schema: TypeAlias = dict[str, Any]
Message: TypeAlias = dict[str, Any]
Effect: TypeAlias = Literal["read", "idempotent", "write"]
Touch: TypeAlias = Literal["path", "command", "code", "url", "recipient"]
Status: TypeAlias = Literal["ok", "error", "refused", "pending", "needs_input"]

# ------------------------------------------------------------------------------------------- tools


@dataclass(frozen=True, slots=True)
class Traits:
    """What policy may know about a tool without knowing its name.

    The first four are MCP's hints. `effect` says what repeating a call would do; left empty it is
    taken from the hints, and an undeclared tool counts as a write: never replayed.
    `touches` maps argument names to what they are (a path, a command, ...), which is what the guard
    reads. `timeout_s` is in seconds; `isolate` runs the handler in a process that can be killed;
    `polls` marks tools that are asked again and again by design.
    """

    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    open_world: bool = False
    effect: Effect | None = None
    touches: Mapping[str, Touch] = field(default_factory=dict)
    parallel_safe: bool = False
    timeout_s: float | None = None
    isolate: bool = False
    polls: bool = False

    def resolved_effect(self) -> Effect:
        """The declared effect, or the one that the hints imply."""
        if self.effect is not None:
            return self.effect
        if self.read_only:
            return "read"
        return "idempotent" if self.idempotent else "write"


UNDECLARED = Traits()


@dataclass(frozen=True, slots=True)
class Requires:
    """A gate as data: what must be on this machine, known without importing the tool.

    `packages` are import names; `extra` is the extra of Handiwork that installs them.
    `platforms` are prefixes of `sys.platform`.
    """

    bins: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    platforms: tuple[str, ...] = ()
    extra: str = ""


EnvNames: TypeAlias = tuple["str | tuple[str, ...]", ...]


@dataclass(frozen=True, slots=True, eq=False)
class ToolEntry:
    """One registered tool: the single source of truth about it.

    `schema` is a frozen OpenAI function schema. In `requires_env` a nested tuple means "any of".
    `origin` is `builtin`, `plugin:<id>`, `mcp:<server>` or `code`. `max_result_size_chars` is in
    characters. `dynamic_schema_overrides` is called at every supply and merged over the schema.
    """

    name: str
    toolset: str
    schema: Schema
    handler: Handler
    check_fn: Callable[[], object] | None = None
    requires_env: EnvNames = ()
    is_async: bool = False
    description: str = ""
    emoji: str = ""
    max_result_size_chars: int | None = None
    dynamic_schema_overrides: Callable[[], Schema] | None = None
    traits: Traits = UNDECLARED
    origin: str = "code"
    output_schema: Schema | None = None
    examples: tuple[Any, ...] = ()
    defer: bool = False
    requires: Requires | None = None

    @property
    def parameters(self) -> Schema:
        """The JSON Schema of the arguments."""
        parameters: Schema = self.schema["parameters"]
        return parameters


# ------------------------------------------------------------------------------------ labels, verdicts


@dataclass(frozen=True, slots=True)
class Label:
    """Where a text came from, and whether it may be obeyed."""

    integrity: Literal["trusted", "outside"]
    source: str


@dataclass(frozen=True, slots=True)
class Artifact:
    """Something beside the text: a picture, a file. Either `data` or `path` holds it."""

    mime: str
    data: bytes = b""
    path: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Allow:
    """The guard has nothing against the call."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A person must say yes first. `keys` are what a stored answer would cover, exactly."""

    reason: str
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Forbid:
    """The call doesn't run, whoever says yes."""

    reason: str
    hint: str = ""


Verdict: TypeAlias = Allow | Ask | Forbid
ALLOW = Allow()


@dataclass(frozen=True, slots=True)
class Answer:
    """What the person said. `note` goes to the model when the answer is no."""

    allowed: bool
    keep: Literal["once", "session", "always"] = "once"
    note: str = ""


# ------------------------------------------------------------------------------------------ outcomes


@dataclass(frozen=True, slots=True)
class Progress:
    """A sign of life from a handler that is still running. `fraction` is between 0 and 1."""

    message: str
    fraction: float | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """The handler finished. `value` is text, or anything that JSON can hold."""

    value: Any
    labels: tuple[Label, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Pending:
    """The work goes on elsewhere; `handle` finds it again, also from another process."""

    handle: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class NeedsInput:
    """The handler can't go on without an answer. `form` is a JSON Schema of what is asked."""

    message: str
    form: Schema = field(default_factory=dict)
    handle: str = ""


Outcome: TypeAlias = Done | Pending | NeedsInput

# -------------------------------------------------------------------------------------------- a call


@dataclass(frozen=True, slots=True)
class Scope:
    """For whom a call runs, where, and what it may reach.

    `supplied` is the set of tool names the caller was shown (None: no restriction). `call` and
    `acall` run another tool through the same pipeline with everything in this scope inherited.
    `checks` are further steps of the owner of this scope, such as an agent's loop guard.
    `deadline` is on `time.monotonic`, in seconds.
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


EMPTY_SCOPE = Scope()


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What the model asked for. `arguments` is as it was written: text, or a parsed value."""

    name: str
    arguments: Any = None
    id: str = ""
    scope: Scope = EMPTY_SCOPE


@dataclass(frozen=True, slots=True)
class Ready:
    """A call whose tool is known, whose arguments are right, and which nothing has refused yet.

    `repairs` says what was put right; `provenance` maps argument names to the labels they carry;
    `asks` collects what a person must agree to before it runs.
    """

    call: ToolCall
    entry: ToolEntry
    args: Args
    repairs: tuple[str, ...] = ()
    provenance: Mapping[str, Label] = field(default_factory=dict)
    asks: tuple[Ask, ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """A step's way of saying no. `by` names the step, `hint` says what to do next."""

    reason: str
    by: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came of a call. `content` is the plain text; `shown` is what the model reads.

    `status` and `by` say how it ended: for a refusal, `by` is the step that refused.
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

    @property
    def text(self) -> str:
        """The model-facing text: fenced where it came from outside."""
        return self.content if self.shown is None else self.shown

    def message(self) -> Message:
        """The tool message that goes back into the conversation."""
        return {"role": "tool", "tool_call_id": self.call.id, "name": self.call.name, "content": self.text}


# --------------------------------------------------------------------------------------------- models


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model call."""

    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.input_tokens + other.input_tokens, self.output_tokens + other.output_tokens)


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One question to a model: OpenAI-style messages and tool definitions.

    `on_text` hears the text as it streams. `max_tokens` bounds the reply.
    """

    messages: Sequence[Message]
    tools: Sequence[Mapping[str, Any]] = ()
    on_text: Callable[[str], None] | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model answered. `calls` carry raw arguments; `cut_off` says the reply hit its length limit."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    cut_off: bool = False


# ------------------------------------------------------------------------------------------ protocols

Step: TypeAlias = Callable[[Ready], "Ready | Refusal"]


class Handler(Protocol):
    """What every tool is, in the end: arguments in; JSON text, plain data or an `Outcome` out."""

    def __call__(self, args: Args, /, **kw: Any) -> Any: ...


class Approver(Protocol):
    """Whoever may say yes. Sync or async; anything but a clear yes is a no."""

    def __call__(self, ready: Ready, ask: Ask, /) -> bool | Answer | Awaitable[bool | Answer]: ...


class Judge(Protocol):
    """The guard's verdict on a call that is ready."""

    def __call__(self, ready: Ready, /) -> Verdict: ...


class Model(Protocol):
    """A language model: one request in, one reply out."""

    name: str

    async def reply(self, request: ModelRequest, /) -> ModelReply: ...


@dataclass(frozen=True, slots=True)
class HttpReply:
    """Status, headers (lower-case names) and body of one exchange; `url` is where it ended."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str


class Http(Protocol):
    """The one client that backends and tools fetch with, checked by the guard."""

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        timeout_s: float = 30.0,
    ) -> HttpReply: ...


class Journal(Protocol):
    """Intent before an effect, outcome after it."""

    def intent(self, ready: Ready, /) -> None: ...

    def outcome(self, ready: Ready, outcome: Outcome, /) -> None: ...


@dataclass(frozen=True, slots=True)
class Ran:
    """A finished command. `output` holds head and tail where the whole was too long; `path` the whole.

    `process` is what the command left running in the background when it ended by itself.
    """

    output: str
    exit_code: int
    duration_ms: float
    timed_out: bool = False
    cancelled: bool = False
    path: str = ""
    process: Process | None = None


@dataclass(frozen=True, slots=True)
class Command:
    """A command line for an environment: a shell text, where it runs and for how long (seconds)."""

    text: str
    cwd: str
    timeout_s: float = 120.0
    env: Mapping[str, str] = field(default_factory=dict)
    max_output_chars: int = 50_000


class Process(Protocol):
    """A command that is still running, or has ended.

    `output` gives text from an offset on and the offset that follows it; a negative offset counts
    from the end. Offsets are bytes of what was printed. `write` of "\x04" closes its input.
    """

    id: str
    command: str

    def poll(self) -> int | None: ...

    def output(self, offset: int = 0, limit: int = 20_000) -> tuple[str, int]: ...

    def write(self, text: str) -> None: ...

    def wait(self, timeout_s: float) -> int | None: ...

    def kill(self) -> int | None: ...


class Environment(Protocol):
    """A place where commands run."""

    def run(self, command: Command, /, cancel: CancelToken | None = None) -> Ran: ...

    def spawn(self, command: Command, /) -> Process: ...
