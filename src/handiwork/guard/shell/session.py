"""The state of a shell while its text is read: variables, folder, files it wrote, and what it would do."""

from __future__ import annotations

import glob
import itertools
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from ..effects import Effect, Invocation, Span
from ..places import SECRET_NAMES, secret, sensitive, squeeze
from .marks import ENDLESS, SECRET, UNKNOWN, is_known, shown
from .patterns import is_pattern, may_match

MOST_EFFECTS = 5_000
MOST_MATCHES = 200
MOST_DEPTH = 9
MOST_VALUE = 50_000

# Variables that stand for the usual thing where nobody set them.
_USUAL = {
    "EDITOR": "editor",
    "VISUAL": "editor",
    "PAGER": "less",
    "BROWSER": "browser",
    "SHELL": "/bin/bash",
    "CC": "cc",
    "CXX": "c++",
    "MAKE": "make",
    "PYTHON": "python3",
    "TMPDIR": "/tmp",
    "USER": "user",
    "LANG": "C",
    "PATH": "/usr/bin:/bin",
    "IFS": " \t\n",
    "?": "0",
    "!": "%1",
    "#": "0",
    "-": "",
    "$": "$$",
    "0": "$0",
    "VIRTUAL_ENV": ".venv",
    "_": "",
    "UID": "1000",
    "EUID": "1000",
    "COLUMNS": "80",
    "LINES": "24",
}
_SECRET_PARTS = ("TOKEN", "SECRET", "PASSW", "APIKEY", "API_KEY", "CREDENTIAL", "PRIVATE_KEY", "ACCESS_KEY")


_ENDLESS = ("/dev/zero", "/dev/urandom", "/dev/random", "/dev/full")


class Engine(Protocol):
    """What reads scripts and runs of words in a shell's state; both give what would be printed."""

    def run_text(self, shell: Shell, text: str, stdin: str | None = None) -> str:
        """Read *text* as a script that is fed *stdin*."""

    def run_words(self, shell: Shell, words: list[str], stdin: str | None = None) -> str:
        """Read *words* as one program and its arguments."""


class ShellFunction(Protocol):
    """A function that a script defines."""

    def call(self, args: list[str], shell: Shell) -> str:
        """What a call with *args* would print."""


@dataclass(slots=True)
class Shell:
    """One shell. `cwd` is empty where the folder it starts in isn't known; paths stay relative then.

    `files` holds the texts of files that the command itself wrote, by resolved path, `made` every path it made,
    `fetched` folders that came from elsewhere, `encrypted` files of which it made an encrypted copy, `sinks` the
    scripts behind `>(...)`, `programs` what ran in this pipeline, and `stdin` what is fed to whatever reads.
    `started` is every program with its words, `read` every path that is read.
    """

    engine: Engine
    home: str
    cwd: str = ""
    workspace: str = ""
    variables: dict[str, str] = field(default_factory=dict)
    arrays: dict[str, list[str]] = field(default_factory=dict)
    positional: list[str] = field(default_factory=list)
    functions: dict[str, ShellFunction] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    made: set[str] = field(default_factory=set)
    fetched: set[str] = field(default_factory=set)
    encrypted: set[str] = field(default_factory=set)
    sinks: dict[str, str] = field(default_factory=dict)
    sockets: set[str] = field(default_factory=set)
    programs: list[str] = field(default_factory=list)
    stdin: str | None = None
    effects: dict[Effect, None] = field(default_factory=dict)
    started: list[Invocation] = field(default_factory=list)
    read: dict[str, None] = field(default_factory=dict)
    span: Span = (0, 0)
    depth: int = 0
    unsure: int = 0  # how many conditions stand around what is read now
    budget: int = 8_000

    def effect(self, kind: str, target: str = "", why: str = "") -> None:
        """Note an effect of what is read now."""
        if len(self.effects) < MOST_EFFECTS:
            self.effects[Effect(kind, target, self.span, why)] = None

    def starts(self, words: list[str], *, is_bare: bool) -> None:
        """Note a program that is started here."""
        if len(self.started) < MOST_EFFECTS:
            self.started.append(Invocation(tuple(words), self.span, self.cwd, self.depth, is_bare))

    def is_spent(self) -> bool:
        """Whether too much was read already; then the rest isn't followed, and that is noted."""
        self.budget -= 1
        if self.budget > 0 and self.depth < MOST_DEPTH:
            return False
        self.effect("unfollowed")
        return True

    # ------------------------------------------------------------------------------------- variables

    def value(self, name: str) -> str | None:
        """The value of a variable; None where it isn't set, as far as is known."""
        found = self.variables.get(name)
        if found is not None:
            return found
        if name in self.arrays:
            return self.arrays[name][0] if self.arrays[name] else ""
        if name in ("HOME", "PWD"):
            return self.home if name == "HOME" else self.cwd or "."
        return _USUAL.get(name)

    def outside_value(self, name: str) -> str:
        """What stands for a variable that the command didn't set itself."""
        upper = name.upper()
        return UNKNOWN + SECRET if any(part in upper for part in _SECRET_PARTS) else UNKNOWN

    def assign(self, name: str, value: str) -> None:
        """Set a variable; behind a condition it may also have kept what it was."""
        if len(value) > MOST_VALUE:
            value = UNKNOWN
        if self.unsure and self.variables.get(name, value) != value:
            value += UNKNOWN
        self.variables[name] = value
        self.arrays.pop(name, None)

    # ----------------------------------------------------------------------------------------- files

    def resolve(self, path: str) -> str:
        """The path from where the shell stands; relative where that isn't known."""
        if path.startswith("/"):
            return squeeze(path)
        if path == "~" or path.startswith("~/"):
            return squeeze(self.home + path[1:])
        return squeeze(f"{self.cwd}/{path}") if self.cwd else squeeze(path)

    def write(self, path: str, text: str | None, *, append: bool = False) -> None:
        """Keep what a file would hold now, so that it can be read when it is run."""
        full = self.resolve(path)
        if is_known(full):
            before = self.files.get(full, "") if append else ""
            self.files[full] = (before + (UNKNOWN if text is None else text))[:MOST_VALUE]
            if not append:
                self.made.add(full)

    def stays(self, text: str) -> None:
        """Note it where a text that is kept for later (an alias) wouldn't be harmless now."""
        trial = replace(self, effects={}, variables=dict(self.variables), aliases={}, made=set(self.made))
        self.engine.run_text(trial, text)
        for effect in trial.effects:
            if effect.kind not in ("run", "fetch", "read"):
                self.effects[effect] = None

    def reads(self, path: str) -> str:
        """Note that a file is read; what stands for its text knows whether it is a secret."""
        full = self.resolve(path)
        if full == "/dev/null":
            return ""
        if is_pattern(full):
            return self._reads_matches(full)
        return self._reads_one(full)

    def _reads_matches(self, pattern: str) -> str:
        """A pattern reads what it matches now; where that can't be seen, what it might match."""
        found = list(itertools.islice(glob.iglob(pattern), MOST_MATCHES)) if self.cwd and is_known(pattern) else []
        name = secret(pattern) or next((n for n in SECRET_NAMES if may_match(pattern, n)), "")
        if name:
            self.effect("read_secret", pattern, f"{shown(pattern)} may match {name}")
        return UNKNOWN + "".join(self._reads_one(path)[1:] for path in found) + (SECRET if name else "")

    def lands(self, path: str) -> str:
        """Where writing to a path would end: links are followed where the folder is known."""
        full = self.resolve(path)
        return os.path.realpath(full) if self.cwd and full.startswith("/") and is_known(full) else full

    def _reads_one(self, full: str) -> str:
        self.read[full] = None
        if self.cwd and full.startswith("/") and is_known(full):
            real = os.path.realpath(full)
            full = full if secret(full) else real
        if full in _ENDLESS:
            return UNKNOWN + ENDLESS
        why = secret(full)
        if why:
            self.effect("read_secret", full, f"{shown(full)} is {why}")
            return UNKNOWN + SECRET
        return UNKNOWN + SECRET if sensitive(full) else UNKNOWN

    def content(self, path: str) -> str | None:
        """The text of a file that the command wrote; None for any other file."""
        return self.files.get(self.resolve(path)) if self.files else None


def environment(variables: Mapping[str, str] | None) -> dict[str, str]:
    """The exported variables that a session carries, as a shell starts with them."""
    return {name: value[:MOST_VALUE] for name, value in (variables or {}).items()}
