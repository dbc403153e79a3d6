"""The modern door: a typed function becomes a tool, its signature the schema."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar, overload

from ..core.types import Args, Scope
from .signature import Parameter, read_signature, summary_of
from .store import ToolRegistry, registry

F = TypeVar("F", bound=Callable[..., Any])


@overload
def tool(fn: F, /) -> F: ...


@overload
def tool(
    *,
    toolset: str | None = None,
    name: str | None = None,
    description: str = "",
    registry: ToolRegistry = registry,
    **options: Any,
) -> Callable[[F], F]: ...


def tool(
    fn: F | None = None,
    /,
    *,
    toolset: str | None = None,
    name: str | None = None,
    description: str = "",
    registry: ToolRegistry = registry,
    **options: Any,
) -> F | Callable[[F], F]:
    """Register the decorated function as a tool; it stays an ordinary function.

    The schema comes from the type hints and the docstring. A parameter annotated `Scope` is filled in
    and hidden from the model. *toolset* defaults to the name of the module. Other keywords go to
    `registry.register`. Raises `TypeError` naming the parameter when a hint can't be read.
    """

    def decorate(fn: F) -> F:
        signature = read_signature(fn)
        tool_name = name or fn.__name__
        schema = {
            "name": tool_name,
            "description": description or summary_of(fn),
            "parameters": signature.schema,
        }
        registry.register(
            name=tool_name,
            toolset=toolset or fn.__module__.rpartition(".")[2].strip("_") or "custom",
            schema=schema,
            handler=_handler(fn, signature.scope_name, signature.parameters),
            is_async=inspect.iscoroutinefunction(fn),
            **options,
        )
        return fn

    return decorate if fn is None else decorate(fn)


def _handler(fn: Callable[..., Any], scope_name: str, parameters: tuple[Parameter, ...]) -> Callable[..., Any]:
    """The contract's `handler(args, **kw)` around a plain function."""
    converters = {p.name: p.convert for p in parameters if p.convert}

    def call(args: Args, *, scope: Scope | None = None) -> Any:
        named = {k: converters[k](v) if k in converters else v for k, v in args.items()} if converters else args
        return fn(**named, **{scope_name: scope}) if scope_name else fn(**named)

    call.__wrapped__ = fn  # type: ignore[attr-defined]
    return call
