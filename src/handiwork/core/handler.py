"""How a handler is called: only with the keywords it takes, and its answer made text."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

from .types import Args
from .wire import dumps, tool_error

OFFERED = frozenset({"task_id", "session_id", "tool_call_id", "scope"})
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
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def error_text(error: BaseException) -> str:
    """The `{"error": ...}` that a raised exception becomes."""
    return tool_error(describe_exception(error))
