"""What a handler gives back, and where it came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from .tools import Schema


@dataclass(frozen=True, slots=True)
class Label:
    """Where a text came from, and whether it may be obeyed. `values` are those in it of which that holds, or ()."""

    integrity: Literal["trusted", "outside"]
    source: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Artifact:
    """Something beside the text: a picture, a file. Either `data` or `path` holds it."""

    mime: str
    data: bytes = b""
    path: str = ""
    name: str = ""


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
