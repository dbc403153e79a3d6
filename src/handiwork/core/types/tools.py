"""Tools: what is registered of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

Args: TypeAlias = dict[str, Any]
Schema: TypeAlias = dict[str, Any]
Effect: TypeAlias = Literal["read", "idempotent", "write"]
Touch: TypeAlias = Literal["path", "command", "code", "url", "recipient", "tool", "patch"]


@dataclass(frozen=True, slots=True)
class Traits:
    """What policy may know about a tool without knowing its name.

    The first four are MCP's hints. `effect` says what repeating a call would do; left empty it is
    taken from the hints, and an undeclared tool counts as a write: never replayed.
    `touches` maps argument names to what they are (a path, a command, ...), which is what the guard
    reads; a path beside a command is the folder in which that runs, a tool is one that is called in
    turn, whose own traits hold for that call, and a patch names the paths that it writes in its text.
    `trusted_fields` are names of fields in its results for which it vouches (ids, the addresses of the
    person's own contacts), though the rest is from outside. `timeout_s` is in seconds; `vouched` says that
    the person chose where the tool comes from, so that it may be called whatever it doesn't say of itself;
    `isolate` asks for a process that can be killed (not honoured yet: such a tool runs in a thread);
    `polls` marks tools that are asked again and again by design. No more than `most_at_once` of its calls
    run at the same time in this process; the others wait for their turn.
    """

    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    open_world: bool = False
    effect: Effect | None = None
    touches: Mapping[str, Touch] = field(default_factory=dict)
    parallel_safe: bool = False
    timeout_s: float | None = None
    vouched: bool = False
    isolate: bool = False
    polls: bool = False
    most_at_once: int | None = None
    trusted_fields: tuple[str, ...] = ()

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


class Handler(Protocol):
    """What every tool is, in the end: arguments in; JSON text, plain data or an `Outcome` out."""

    def __call__(self, args: Args, /, **kw: Any) -> Any: ...


@dataclass(frozen=True, slots=True, eq=False)
class ToolEntry:
    """One registered tool: the single source of truth about it.

    `schema` is a frozen OpenAI function schema. In `requires_env` a nested tuple means "any of".
    `origin` is `builtin`, `plugin:<id>`, `mcp:<server>` or `code`. `max_result_size_chars` is in
    characters. `dynamic_schema_overrides` is called at every supply and merged over the schema.
    `search_hint` is words for the tool search alone; a model never sees it. `preview` is called as the
    handler is, changes nothing, and gives the files that the call would change (`PlannedFile`).
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
    search_hint: str = ""
    preview: Callable[..., Any] | None = None

    @property
    def parameters(self) -> Schema:
        """The JSON Schema of the arguments."""
        parameters: Schema = self.schema["parameters"]
        return parameters
