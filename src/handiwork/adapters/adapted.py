"""What a tool of another system becomes before it is registered."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from ..core.types import UNDECLARED, EnvNames, Schema, Traits

SENDS = Traits(destructive=True, open_world=True)  # it changes something out there: the guard asks
_FOREIGN = re.compile(r"[^A-Za-z0-9_-]")
_MOST = 64


@dataclass(frozen=True, slots=True)
class Adapted:
    """A tool with a handler of ours: `handler(args, **offered)`, sync or async as `is_async` says."""

    name: str
    description: str
    parameters: Schema
    handler: Callable[..., Any]
    is_async: bool = False
    traits: Traits = UNDECLARED
    output_schema: Schema | None = None
    requires_env: EnvNames = field(default=())


@dataclass(frozen=True, slots=True)
class Context:
    """What the tools of one registration are handed beside their arguments.

    `given` is what their own runtime would inject: deps, a context object, or a mapping of arguments.
    """

    given: Any = None


def fit_name(name: str) -> str:
    """*name* as every model's API takes it; where that loses something, a part of its hash keeps it apart."""
    fitting = _FOREIGN.sub("_", name)[:_MOST]
    if fitting == name and name:
        return name
    mark = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=3).hexdigest()
    return f"{fitting[: _MOST - len(mark) - 1]}_{mark}"


def object_schema(parameters: Any) -> Schema:
    """A schema of arguments as an object schema; what isn't one has no arguments."""
    schema = dict(parameters) if isinstance(parameters, dict) else {}
    return {"type": "object", "properties": {}, **schema}
