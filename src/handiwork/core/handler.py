"""How a handler is called: only with the keywords it takes, and its answer made text."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from .types import Args
from .wire import dumps, tool_error

if TYPE_CHECKING:
    from .types import Scope

OFFERED = frozenset({"task_id", "session_id", "tool_call_id", "scope", "real_paths", "planned", "room"})
_VARKEYWORDS = inspect.CO_VARKEYWORDS


def accepted_keywords(handler: Callable[..., Any]) -> frozenset[str]:
    """Which of the offered keywords *handler* takes. `def f(args)` takes none."""
    if isinstance(handler, FunctionType):
        return _of_code(handler.__code__)
    try:
        parameters = inspect.signature(handler).parameters.values()
    except (TypeError, ValueError):  # a built-in without a signature: arguments only
        return frozenset()
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return OFFERED
    return OFFERED & {p.name for p in parameters if p.kind is not p.POSITIONAL_ONLY}


def _of_code(code: CodeType) -> frozenset[str]:
    if code.co_flags & _VARKEYWORDS:
        return OFFERED
    first = code.co_posonlyargcount or 1
    return OFFERED & set(code.co_varnames[first : code.co_argcount + code.co_kwonlyargcount])


def call_handler(handler: Callable[..., Any], accepts: frozenset[str], args: Args, offered: dict[str, Any]) -> Any:
    """Call *handler* with what it *accepts* of the *offered* keywords."""
    if accepts is OFFERED:
        return handler(args, **offered)
    return handler(args, **{k: v for k, v in offered.items() if k in accepts}) if accepts else handler(args)


def as_text(value: Any) -> str:
    """The JSON text of what a handler returned; text stays as it is."""
    if isinstance(value, str):
        return value
    return dumps({"result": None} if value is None else value)


def describe_exception(error: BaseException) -> str:
    """One line: the kind of the error and what it says."""
    said = str(error)
    match error:
        case SystemExit():
            return f"the tool tried to end the program (exit {error.code})"
        case KeyboardInterrupt():
            return "interrupted"
    if type(error).__name__ in ("CancelledError", "JobCancelledError"):  # named: asyncio isn't start-up's business
        return "cancelled"
    hint = getattr(error, "hint", None)
    if isinstance(hint, str):  # our own words already say what happened; add what to do next
        return f"{said} ({hint})" if hint else said
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def error_text(error: BaseException) -> str:
    """The `{"error": ...}` that a raised exception becomes."""
    return tool_error(describe_exception(error))


def needs_agent(name: str, why: str) -> Callable[..., str]:
    """The placeholder of a tool that an agent binds: it answers that there is none, marked as internal."""

    def placeholder(_: Args) -> str:
        return tool_error(f"{name} needs an agent: {why}", internal_tool=True)

    placeholder.needs_agent = True  # type: ignore[attr-defined]
    return placeholder


def by_name(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A handler that gives *fn* its arguments by their names, the scope, and what else it takes of what is offered.

    For built-in tools, which write their schemas out: reading signatures is too slow for start-up.
    """
    takes = accepted_keywords(fn)

    def handler(args: Args, *, scope: Scope | None = None) -> Any:
        return fn(**args, scope=scope)

    def informed(args: Args, **offered: Any) -> Any:
        return fn(**args, **{name: value for name, value in offered.items() if name in takes})

    made: Callable[..., Any] = handler if takes <= {"scope"} else informed
    made.__wrapped__ = fn  # type: ignore[attr-defined]  # who asks where the tool is gets its file, not ours
    return made
