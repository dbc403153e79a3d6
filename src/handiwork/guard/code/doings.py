"""What a piece of program text does, whatever its language: the notes that its readers take."""

from __future__ import annotations

import re

from ..places import sensitive
from ..programs.notes import note_path
from ..shell.call import Call
from ..shell.marks import FETCHED, SECRET, UNKNOWN, is_known, veiled

_SHELLS = re.compile(r"(?:^|/)(?:ba|z|k|da|a|fi)?sh$|cmd\.exe|powershell")


class Doings:
    """Collects what one program text does, and joins what only shows in the whole: a socket and a shell."""

    __slots__ = ("call", "connects", "spawns")

    def __init__(self, call: Call) -> None:
        self.call = call
        self.connects = self.spawns = False

    def runs(self, parts: list[str]) -> str:
        """It runs a shell text (one part), or a program with arguments."""
        parts = [p for p in parts if p]
        if not parts:
            return UNKNOWN
        if _SHELLS.search(parts[0].split(" ")[0]):
            self.spawns = True
            self.joined()
        if len(parts) == 1:
            return self.call.runs(parts[0])
        return self.call.shell.engine.run_words(self.call.shell, parts)

    def connected(self) -> None:
        """It opens a connection of its own."""
        self.connects = True
        self.joined()

    def joined(self) -> None:
        """A connection and a shell in one program."""
        if self.connects and self.spawns:
            self.call.effect("remote_shell", self.call.name)

    def path(self, kind: str, path: str) -> None:
        """It does something to a path; what is only known at run time is noted as that."""
        note_path(self.call, kind, path)

    def reads(self, path: str) -> str:
        """What stands for the text of a file that it reads."""
        return self.call.text_of(path)

    def sends(self, *values: str) -> str:
        """It sends values away; what comes back is a stranger's."""
        if any(SECRET in value for value in values):
            self.call.effect("leak", "the network")
        return veiled(*values) + FETCHED

    def evaluates(self, text: str) -> None:
        """It runs a text in its own language that can't be read here."""
        if FETCHED in text:
            self.call.effect("run_fetched_code", self.call.name)
        elif not is_known(text):
            self.call.effect("unknown_program", self.call.name, "it runs code that is only known when it runs")


def is_sensitive(path: str, call: Call) -> bool:
    """Whether a text names a file that shouldn't leave the machine."""
    return len(path) < 300 and ("/" in path or path.startswith(".")) and sensitive(call.shell.resolve(path))
