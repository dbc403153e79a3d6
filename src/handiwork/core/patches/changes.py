"""What a patch says: changes of files, each made of hunks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["add", "update", "delete"]
Lines: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Hunk:
    r"""Lines that stand in a row, each with its mark and its end.

    The mark is " " for what stays, "-" for what goes and "+" for what comes. The end is "\n", or
    nothing at a last line that was said to have none. `anchors` are lines that stand above;
    `old_at` and `new_at` the line numbers claimed, 0 where none are; `at_end` says that the file
    ends here; `line` is where the hunk stands in the patch, from 1.
    """

    lines: Lines
    anchors: tuple[str, ...] = ()
    old_at: int = 0
    new_at: int = 0
    at_end: bool = False
    miscounted: bool = False
    line: int = 0

    @property
    def old(self) -> str:
        """The text that is there before."""
        return "".join(text for mark, text in self.lines if mark != "+")

    @property
    def new(self) -> str:
        """The text that is there afterwards."""
        return "".join(text for mark, text in self.lines if mark != "-")


@dataclass(frozen=True, slots=True)
class FileChange:
    """What a patch does to one file. `target` is the path that an updated file moves to, or empty.

    The hunks of a deleted file, where there are any, say what it must hold. `mode` is the octal
    mode that a git diff asks for, or empty.
    """

    kind: Kind
    path: str
    hunks: tuple[Hunk, ...] = ()
    target: str = ""
    mode: str = ""
    line: int = 0
