"""What a call touches, in the form in which rules ask for it: programs, paths read and written, hosts."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from functools import cached_property

from handiwork.core.loading import Late
from handiwork.core.types import Ready

from ..effects import Effect, Invocation
from ..raters import Rated
from ..shell.marks import is_known, without_marks
from ..urls import read_host
from ..verdict import EDITING, CommandVerdict

commands = Late("handiwork.guard.commands")
_VALUES = re.compile(r"[=@:,]")
_URL_HOST = re.compile(r"(?i)\b[a-z][a-z+.-]*://(?:[^/?#\s@]*@)?(\[[^\]]*\]|[^/?#\s:'\"]+)")
TAKES = EDITING | {"shred"}


class Facts:
    """One call that is judged, and what the guard found of it. Worked out as far as a rule asks."""

    def __init__(self, ready: Ready, rated: list[Rated]) -> None:
        self.ready, self.rated = ready, rated

    @property
    def name(self) -> str:
        """The tool's name."""
        return self.ready.entry.name

    @property
    def origin(self) -> str:
        """Where the tool comes from."""
        return self.ready.entry.origin

    @cached_property
    def commands(self) -> list[CommandVerdict]:
        """What was found of each command, and of code, which is read as Python is."""
        found = [r.command for r in self.rated if r.command]
        workspace = self.ready.call.scope.workspace or None
        codes = (r for r in self.rated if r.touch == "code")
        return found + [
            commands.judge_command(f"python3 -c {shlex.quote(code.text)}", code.real, workspace=workspace)
            for code in codes
        ]

    @cached_property
    def started(self) -> list[Invocation]:
        """Every program that would be started."""
        return [invocation for command in self.commands for invocation in command.started]

    @cached_property
    def written(self) -> frozenset[str]:
        """Every path that would be written, moved or removed, as it is named and as what it leads to."""
        named = self._named(writes=True)
        targets = (effect.target for effect in self._effects if effect.kind in TAKES)
        return frozenset([*named, *(p for t in targets for p in _with_real(t, self.ready.call.scope.here))])

    @cached_property
    def read(self) -> frozenset[str]:
        """Every path that may be read: also each word of a command that could be one, and what is moved away."""
        named = self._named(writes=False)
        read = [path for command in self.commands for path in command.read]
        read += [effect.target for effect in self._effects if effect.kind in ("read_secret", "move_away", "send_file")]
        words = (os.path.join(i.cwd, os.path.expanduser(w)) for i in self.started for w in _values(i))
        return frozenset([*named, *(p for t in (*read, *words) for p in _with_real(t, self.ready.call.scope.here))])

    @cached_property
    def surely_read(self) -> frozenset[str]:
        """Those of them that are named as what is read, whether they are there or not."""
        named = self._named(writes=False)
        return frozenset([*named, *(path for command in self.commands for path in command.read)])

    @cached_property
    def hosts(self) -> frozenset[str]:
        """Every host that is named in a URL or among the words of a command."""
        found = [r.real for r in self.rated if r.touch == "url" and r.real]
        texts = [word for i in self.started for word in i.words]
        texts += [effect.target for effect in self._effects if effect.kind in ("fetch", "send", "run_fetched_code")]
        found += [match for text in texts for match in _URL_HOST.findall(without_marks(text))]
        return frozenset(read_host(host)[0] for host in found)

    @property
    def _effects(self) -> Iterator[Effect]:
        return (effect for command in self.commands for effect in command.effects)

    def _named(self, *, writes: bool) -> list[str]:
        """The paths among the arguments. Beside a command, one is only the folder that it runs in."""
        if any(rated.command for rated in self.rated):
            return []
        return [p for r in self.rated if r.touch == "path" and r.writes == writes for p in self._spellings(r)]

    def _spellings(self, rated: Rated) -> tuple[str, str]:
        here = self.ready.call.scope.here
        return os.path.normpath(os.path.join(here, os.path.expanduser(rated.text))), rated.real


def _values(invocation: Invocation) -> Iterator[str]:
    """The words of a program behind its name, and what stands behind a `=`, `@`, `:` or `,` in them."""
    for word in invocation.words[1:]:
        if is_known(word) and len(word) < 4096:
            yield word
            yield from _VALUES.split(word)[1:]


def _with_real(path: str, here: str) -> tuple[str, ...]:
    """A path from *here*, and what it leads to on this machine."""
    if not path or not is_known(path) or "\0" in path:
        return ()
    whole = os.path.normpath(os.path.join(here, path))
    return (whole, os.path.realpath(whole))
