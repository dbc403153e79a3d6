"""What `write_file` does: a whole file made or replaced, unless that would lose or break something unseen."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from ....core.errors import UsageError
from ....core.types import FileStat, PlannedFile
from .. import text
from ..target import Target
from ..viewing.seen import Session
from .diffs import short_diff
from .planning import digest_of, planned_file, refuse_other
from .syntax import problem_of

_FORCE = "or write it anyway with force=true"
Answer = dict[str, Any]


class UnwantedWriteError(UsageError):
    """The write was left out; `diff` is what it would have changed."""

    def __init__(self, message: str, hint: str, diff: str) -> None:
        super().__init__(message, hint)
        self.diff = diff


@dataclass(frozen=True, slots=True)
class _Old:
    """The file that is there. `text` is None where it isn't text, or is too long to be compared."""

    data: bytes
    text: text.TextFile | None


def plan_whole(target: Target, content: str) -> tuple[PlannedFile, ...]:
    """What `write_whole` would make of the file now; nothing where that is what it holds."""
    return _planned(target, target.files.stat(target.real), _old(target, target.files.stat(target.real)), content)


def _planned(target: Target, before: FileStat | None, old: _Old | None, content: str) -> tuple[PlannedFile, ...]:
    file = planned_file(target.path, target.real, old.data if old else None, _new(old, content).encoded())
    if old is None and before is not None:  # too long to be held: known by its state
        state = f"{before.inode} {before.size} {before.modified_ns}".encode()
        file = replace(file, before=digest_of(state))
    return (file,)


def _new(old: _Old | None, content: str) -> text.TextFile:
    return old.text.with_text(content) if old and old.text else text.TextFile(content, text.Encoding())


def write_whole(
    target: Target,
    content: str,
    session: Session,
    *,
    force: bool = False,
    planned: Collection[PlannedFile] | None = None,
) -> Answer:
    """Make *content* the file's; its encoding, mark, line ends, mode and owner stay.

    Raises `UnwantedWriteError` where the file changed since the session saw it, and for a syntax error
    that wasn't there before, unless *force* says to write all the same; `UsageError` where it isn't what was
    *planned*.
    """
    files, real = target.files, target.real
    with files.locked([real]):
        before = files.stat(real)
        old = _old(target, before)
        new = _new(old, content)
        data = new.encoded()
        if planned is not None:
            refuse_other(planned, _planned(target, before, old, content))
        if not force:
            _check_known(target, old, content, unseen=session.changed(target.key, before))
            _check_syntax(target, old, content)
        same = old is not None and old.data == data
        after = before if same and before else files.replace(real, data, expected=before)
        session.noted(target.key, after)
    about = {"path": target.path, "bytes": len(data), "created": before is None}
    return about | _told(old, new, content)


def _old(target: Target, before: FileStat | None) -> _Old | None:
    if before is None or before.kind != "file" or before.size > text.MAX_EDIT_BYTES:
        return None
    with target.files.open(target.real) as file:
        data = file.read()
    return _Old(data, text.decode_if_text(data))


def _check_known(target: Target, old: _Old | None, content: str, *, unseen: bool) -> None:
    if unseen:
        message = f"{target.path} was changed by somebody else since this session read or wrote it; nothing is written"
        hint = f"read it again and keep what is new in it (the diff shows what would be lost), {_FORCE}"
        raise UnwantedWriteError(message, hint, _diff(old, content))


def _check_syntax(target: Target, old: _Old | None, content: str) -> None:
    problem = problem_of(target.real, content)
    if problem is None or (old and old.text and problem_of(target.real, old.text.text)):
        return
    raise UnwantedWriteError(f"{target.path} isn't written: {problem}", f"mend the content, {_FORCE}", "")


def _told(old: _Old | None, new: text.TextFile, content: str) -> Answer:
    if old is None:
        return {}
    if old.text is None:
        return {"note": "what it replaced was no text"}
    about = {"diff": _diff(old, content) or "nothing changed"}
    if new.encoding.codec != old.text.encoding.codec:
        about["note"] = f"now in {new.encoding}: {old.text.encoding} lacks some of its characters"
    return about


def _diff(old: _Old | None, content: str) -> str:
    return short_diff(old.text.text, content) if old and old.text else ""
