"""What happened to a schema on its way into a dialect, and what couldn't be brought there at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ...core.errors import HandiworkError
from ...core.types import Schema

Kind: TypeAlias = Literal["mended", "widened", "narrowed"]
Tell: TypeAlias = Callable[[Kind, str], None]


@dataclass(frozen=True, slots=True)
class Note:
    """One change. `path` is a JSON pointer into the schema as it came; "" is its root.

    `mended`: a fault was put right, by what it must have meant. `widened`: more is accepted than was
    said. `narrowed`: values that were legal can't be given in this dialect.
    """

    path: str
    kind: Kind
    text: str

    def __str__(self) -> str:
        return f"{self.path or 'root'}: {self.text} ({self.kind})"


@dataclass(frozen=True, slots=True)
class Adapted:
    """A schema in a dialect's form, and what it cost."""

    schema: Schema
    notes: tuple[Note, ...] = ()

    @property
    def narrowed(self) -> tuple[Note, ...]:
        """The notes on legal values that can no longer be given."""
        return tuple(n for n in self.notes if n.kind == "narrowed")


class UnsayableSchemaError(HandiworkError):
    """A schema that a dialect can't express and that can't be widened into one it can; `path` says where."""

    exit_code = 2

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path or 'root'}: {why}", "correct the schema where the tool is defined")
        self.path = path


class Notes:
    """The notes of one adaptation, each once, in order. `losses` counts what makes a schema inexact."""

    def __init__(self) -> None:
        self._found: dict[Note, None] = {}
        self.losses = 0

    def at(self, path: str) -> Tell:
        """A function that notes what happens at *path*."""

        def tell(kind: Kind, text: str) -> None:
            self.losses += kind != "mended"
            self._found.setdefault(Note(path, kind, text))

        return tell

    def all(self) -> tuple[Note, ...]:
        return tuple(self._found)
