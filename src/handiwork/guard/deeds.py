"""What a call would do, in the words of effects, whichever tool does it: a command, a file tool, a request."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from handiwork.core.errors import UsageError
from handiwork.core.loading import Late
from handiwork.core.types import Ready

from .effects import Effect
from .raters import base_of, command_folder, texts_in

commands = Late("handiwork.guard.commands")
patches = Late("handiwork.core.patches")

# The kinds that leave a file another than it was.
CHANGES: Final = frozenset(
    ("write", "append", "truncate", "delete", "delete_tree", "move_away", "shred", "mode", "mode_tree", "mode_open")
)


def deeds(ready: Ready) -> tuple[Effect, ...]:
    """What *ready* would do, as far as the guard understands it. Paths are where they lead to."""
    touches = ready.entry.traits.touches
    found = (
        effect
        for argument, touch in touches.items()
        if touch in _DEEDS and argument in ready.args
        for text in texts_in(ready.args[argument])
        for effect in _DEEDS[touch](ready, text)
    )
    return tuple(dict.fromkeys(found))


def _of_path(ready: Ready, text: str) -> Iterator[Effect]:
    traits = ready.entry.traits
    if "command" in traits.touches.values():
        return  # the folder that the command runs in
    yield Effect("read" if traits.resolved_effect() == "read" else "write", _where(ready, text or "."))


def _where(ready: Ready, path: str) -> str:
    return ready.real_paths.get(path) or os.path.realpath(os.path.join(base_of(ready), os.path.expanduser(path)))


def _of_patch(ready: Ready, text: str) -> Iterator[Effect]:
    try:
        paths = patches.paths_of(text)
    except UsageError:  # which files it means isn't known; the guard asks about that
        return
    for path in paths:
        yield Effect("write", _where(ready, path))


def _of_command(ready: Ready, text: str) -> Iterator[Effect]:
    scope = ready.call.scope
    known = scope.shell.exported if scope.shell else {}
    folder = command_folder(ready)
    yield from commands.judge_command(text, cwd=folder, workspace=scope.workspace or None, variables=known).effects


def _of_code(_: Ready, text: str) -> Iterator[Effect]:
    yield Effect("run_code", text)


def _of_url(ready: Ready, text: str) -> Iterator[Effect]:
    yield Effect("fetch" if ready.entry.traits.resolved_effect() == "read" else "send", text)


def _of_recipient(_: Ready, text: str) -> Iterator[Effect]:
    yield Effect("send", text)


_DEEDS: Final[Mapping[str, Callable[[Ready, str], Iterator[Effect]]]] = {
    "path": _of_path,
    "patch": _of_patch,
    "command": _of_command,
    "code": _of_code,
    "url": _of_url,
    "recipient": _of_recipient,
}
