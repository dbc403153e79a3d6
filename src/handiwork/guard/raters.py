"""The verdict on each thing that a call touches: a path, a command, code, a URL, a recipient, a patch."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from handiwork.core.config import Mode
from handiwork.core.errors import UsageError
from handiwork.core.loading import Late
from handiwork.core.types import ALLOW, Ask, Forbid, Ready, Touch, Verdict

if TYPE_CHECKING:
    from .programs.entry import Program
    from .verdict import CommandVerdict

# Loaded when the first command, path or URL is judged: listing tools needs none of them.
commands = Late("handiwork.guard.commands")
patches = Late("handiwork.core.patches")
paths = Late("handiwork.guard.paths")
reaches = Late("handiwork.guard.reach")


class Rated(NamedTuple):
    """The verdict on one thing that a call touches.

    `text` is as it was written, `real` the whole path that it means or the host of a URL, `writes` says whether a
    path is written; a command has its folder as `real`, and what was found of it.
    """

    verdict: Verdict
    touch: Touch
    text: str
    real: str = ""
    writes: bool = False
    command: CommandVerdict | None = None


Rater: TypeAlias = Callable[[Ready, str, "Bounds"], Iterable[Rated]]


class Bounds:
    """What holds for every call of one policy: mode, what may be read and fetched beside what is free, own programs."""

    __slots__ = ("listed", "mode", "programs", "readable")

    def __init__(
        self,
        mode: Mode,
        readable: Sequence[str],
        programs: Mapping[str, Program] | None = None,
        listed: Sequence[str] = (),
    ) -> None:
        self.mode, self.readable, self.programs, self.listed = mode, tuple(readable), programs, tuple(listed)


def found(ready: Ready, bounds: Bounds) -> list[Rated]:
    """The verdict on each thing that the call touches, as its tool's traits say it."""
    return [
        rated
        for argument, touch in ready.entry.traits.touches.items()
        if (rate := _RATERS.get(touch)) and argument in ready.args
        for text in texts_in(ready.args[argument])
        for rated in rate(ready, text, bounds)
    ]


def texts_in(value: Any) -> list[str]:
    """The texts of an argument: itself, or what a list or object holds."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return [text for item in inner for text in texts_in(item)]


def together(found: Sequence[Verdict]) -> Verdict:
    """The strictest of the verdicts; several asks become one with all their keys."""
    forbidden = next((v for v in found if isinstance(v, Forbid)), None)
    if forbidden:
        return forbidden
    asks = [v for v in found if isinstance(v, Ask)]
    if len(asks) < 2:
        return asks[0] if asks else next((v for v in found if v.rule), ALLOW)
    keys = tuple(dict.fromkeys(k for a in asks for k in a.keys))
    return Ask(_joined(a.reason for a in asks), keys, _joined(a.rule for a in asks))


def _joined(texts: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(filter(None, texts)))


def base_of(ready: Ready) -> str:
    """The folder that relative paths of a call start from."""
    return ready.call.scope.here


def command_folder(ready: Ready) -> str:
    """Where the call's commands run: the path among its arguments, from the folder of its scope."""
    touches = ready.entry.traits.touches
    paths = [ready.args.get(argument) or "" for argument, touch in touches.items() if touch == "path"]
    return os.path.join(base_of(ready), os.path.expanduser(paths[0])) if paths and paths[0] else base_of(ready)


def _rate_path(ready: Ready, text: str, bounds: Bounds) -> Iterable[Rated]:
    yield _rate_file(ready, text, bounds, write=ready.entry.traits.resolved_effect() != "read")


def _rate_patch(ready: Ready, text: str, bounds: Bounds) -> Iterable[Rated]:
    """The verdict on all files that a patch would write, move or delete."""
    try:
        named = patches.paths_of(text)
    except UsageError as error:
        asked = Ask(f"it isn't known which files it changes: {error}", (f"patch:{text}@{base_of(ready)}",))
        return (Rated(asked, "patch", text, writes=True),)
    return [_rate_file(ready, path, bounds, write=True) for path in named]


def _rate_file(ready: Ready, text: str, bounds: Bounds, *, write: bool) -> Rated:
    scope = ready.call.scope
    text = text or "."  # an empty path is how tools say "here"
    found = paths.judge_path(
        text,
        scope.workspace,
        write,
        cwd=base_of(ready),
        readable=() if write else bounds.readable,
        real=ready.real_paths.get(text, ""),
        files=scope.environment.files if scope.environment else None,
    )
    real = found.real or ready.real_paths.get(text) or _real(ready, text)
    keys = (f"path:{'write' if write else 'read'}:{found.real or os.path.join(base_of(ready), text)}",)
    verdict = _verdict(found.action, found.reasons, keys)
    changes = write and "command" not in ready.entry.traits.touches.values()  # a command's folder isn't what it changes
    if found.action == "allow" and changes and bounds.mode == "ask":
        verdict = Ask(f"it changes {text}", keys)
    return Rated(verdict, "path", text, real, changes)


def _real(ready: Ready, text: str) -> str:
    """What a path leads to on this machine, where nobody has looked yet."""
    whole = os.path.join(base_of(ready), os.path.expanduser(text))
    return whole if "\0" in whole else os.path.realpath(whole)


def _rate_command(ready: Ready, text: str, bounds: Bounds) -> Iterable[Rated]:
    if not text.strip():
        return
    cwd = command_folder(ready)
    scope = ready.call.scope
    known = scope.shell.exported if scope.shell else {}
    found = commands.judge_command(
        text, cwd=cwd, workspace=scope.workspace or None, variables=known, programs=bounds.programs
    )
    keys = (f"command:{text}@{cwd}{meant_by(text, known)}",)
    verdict = _verdict(found.action, found.reasons, keys)
    if bounds.mode == "read-only" and found.action == "allow" and not found.only_reads:
        verdict = Ask("it may change something", keys)
    elif bounds.mode == "ask" and found.action == "allow" and found.edits:
        verdict = Ask("it changes " + ", ".join(found.edits[:5]), keys)
    yield Rated(verdict, "command", text, cwd, command=found)


def meant_by(text: str, exported: Mapping[str, str]) -> str:
    """The session's variables that may change what *text* does: a yes to it is a yes with these values."""
    used = (name for name in sorted(exported) if name in text or name == "PATH" or name.startswith("LD_"))
    return "".join(f" {name}={exported[name]}" for name in used)


def _rate_code(ready: Ready, text: str, _bounds: Bounds) -> Iterable[Rated]:
    yield Rated(Ask("it runs code", (f"code:{text}@{base_of(ready)}",)), "code", text, base_of(ready))


def _rate_url(_ready: Ready, text: str, bounds: Bounds) -> Iterable[Rated]:
    found = reaches.reach(bounds.listed).judge(text)
    yield Rated(_verdict(found.action, found.reasons, (f"url:{text}",)), "url", text, found.host)


def _rate_recipient(_ready: Ready, text: str, _bounds: Bounds) -> Iterable[Rated]:
    yield Rated(Ask(f"it sends something to {text}", (f"recipient:{text}",)), "recipient", text)


def _verdict(action: str, reasons: Sequence[str], keys: tuple[str, ...]) -> Verdict:
    if action == "allow":
        return ALLOW
    reason = "; ".join(reasons) or "the guard doesn't know it"
    if action == "forbid":
        return Forbid(reason, "find another way; nobody can approve this")
    return Ask(reason, keys)


_RATERS: dict[str, Rater] = {
    "path": _rate_path,
    "command": _rate_command,
    "code": _rate_code,
    "url": _rate_url,
    "recipient": _rate_recipient,
    "patch": _rate_patch,
}
