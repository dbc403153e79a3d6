"""A patch, read line by line; the reader knows where it is, so that errors can say it."""

from __future__ import annotations

from typing import NoReturn

from ..errors import UsageError


class Reader:
    """The lines of a patch, one after the other. Fences of Markdown around the whole are left out."""

    def __init__(self, text: str) -> None:
        lines = text.split("\n")
        if not lines[-1].strip():
            lines.pop()
        if lines and all(line.endswith("\r") for line in lines):
            lines = [line[:-1] for line in lines]
        self.lines, self.at = lines, 0
        self.skip_blank()
        if self.starts("```"):
            self._leave_fences()

    def _leave_fences(self) -> None:
        self.at += 1
        while self.lines and self.lines[-1].strip() in ("", "```"):
            self.lines.pop()
        self.skip_blank()

    @property
    def line(self) -> str:
        """The line that is next, empty at the end."""
        return self.lines[self.at] if self.at < len(self.lines) else ""

    @property
    def following(self) -> str:
        """The line behind the next one."""
        return self.lines[self.at + 1] if self.at + 1 < len(self.lines) else ""

    @property
    def ended(self) -> bool:
        """Whether all lines were read."""
        return self.at >= len(self.lines)

    def starts(self, *words: str) -> bool:
        """Whether the next line starts with one of *words*."""
        return self.line.startswith(words)

    def shows(self, word: str) -> bool:
        """Whether the next line is *word*."""
        return self.line.rstrip() == word

    def skip_blank(self) -> None:
        """Go on to a line that isn't blank."""
        while not self.ended and not self.line.strip():
            self.at += 1

    def fail(self, what: str, hint: str = "") -> NoReturn:
        """Raise the error that names this line."""
        shown = "the end" if self.ended else repr(self.line[:80])
        raise UsageError(f"the patch can't be read at line {self.at + 1} ({shown}): {what}", hint)

    def path(self, text: str) -> str:
        """The path that *text* of this line names."""
        if not (path := text.strip()) or "\0" in path:
            self.fail("there is no path", "name a file")
        return path
