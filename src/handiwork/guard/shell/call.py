"""One program as it is called, and the notes that its reader takes."""

from __future__ import annotations

from .marks import FETCHED, REMOTE, UNKNOWN, is_known, without_marks
from .session import Shell


class Call:
    """A program with its arguments, all free of quotes, and what it is fed.

    `word` is the program as called, `name` its plain name, `own` the variables set for it alone, `stdin` what it
    is fed (None: whatever the shell is fed), `socket` the network connection it is joined to.
    """

    __slots__ = ("args", "name", "own", "shell", "socket", "stdin", "word")

    def __init__(
        self, word: str, args: list[str], shell: Shell, stdin: str | None = None, own: dict[str, str] | None = None
    ) -> None:
        self.word = self.name = word
        self.args, self.shell, self.stdin = args, shell, stdin
        self.own = own or {}
        self.socket = ""

    def effect(self, kind: str, target: str = "", why: str = "") -> None:
        """Note an effect."""
        self.shell.effect(kind, target, why)

    def touches(self, kind: str, path: str) -> None:
        """Note an effect on a path, as seen from where the shell stands."""
        self.shell.effect(kind, self.shell.resolve(path))

    def runs(self, text: str, *, stdin: str | None = None) -> str:
        """It runs *text* as a shell script; what is only known at run time is noted as that."""
        bare = without_marks(text).strip()
        if REMOTE in text:
            self.effect("remote_shell", self.name)
        elif FETCHED in text:
            self.effect("run_fetched_code", self.name)
        elif not bare and UNKNOWN in text:
            self.effect("unknown_program", self.name)
        return self.shell.engine.run_text(self.shell, text, stdin) if bare else UNKNOWN if text else ""

    def runs_words(self, words: list[str], *, stdin: str | None = None) -> str:
        """It runs *words* as a program with its arguments."""
        return self.shell.engine.run_words(self.shell, words, self.stdin if stdin is None else stdin) if words else ""

    def text_of(self, path: str) -> str:
        """What is known of the text of a file that it reads."""
        if not is_known(path):
            return path
        if path == "-":
            return self.stdin if self.stdin is not None else UNKNOWN
        content = self.shell.content(path)
        return self.shell.reads(path) if content is None else content
