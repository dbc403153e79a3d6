"""Edits and patches, applied: files are read, changed and written under their locks, all or none."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ....core.errors import UsageError
from ....core.patches import FileChange, parse
from ....core.types import Files, PlannedFile
from .diffs import MAX_LINES, short_diff
from .drafts import Draft, Held, Named
from .edits import Edit, Edited, apply_edits
from .hunks import apply_hunks

_GONE = "there is no such file: nothing to delete"
_ALREADY = "nothing was changed: the patch was applied already"


@dataclass(frozen=True, slots=True)
class Place:
    """Where files are looked for: the folder that relative paths start from, whose files they are, and
    where the paths led that were judged."""

    folder: str
    files: Files
    judged: Mapping[str, str] = field(default_factory=dict)

    def named(self, path: str) -> Named:
        """The file that *path* names."""
        if not path or "\0" in path:
            raise UsageError(f"{path!r} is not a path", "give the path of a file")
        full = path if path.startswith("~") else os.path.join(self.folder, path)
        real = self.judged.get(path) or self.files.real(full)
        above, name = os.path.split(os.path.normpath(full))
        return Named(path, real, is_link=os.path.join(self.files.real(above), name) != real)


@dataclass(frozen=True, slots=True)
class Report:
    """What came of one change: the word for it, the places changed, what to say, the texts before and after."""

    path: str
    change: str
    places: int = 0
    notes: tuple[str, ...] = ()
    target: str = ""
    old: str = ""
    new: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as it came: a path with one edit or with several, or a patch."""

    path: str = ""
    old_string: str | None = None
    new_string: str | None = None
    replace_all: bool = False
    edits: Sequence[Mapping[str, Any]] = ()
    patch: str = ""

    def all_edits(self) -> list[Edit]:
        """The edits of the file at `path`, none for a patch. Raises `UsageError` for half a request."""
        one = self.old_string is not None or self.new_string is not None
        if self.patch and (self.path or one or self.edits):
            raise UsageError("patch names its files itself", "leave out path, old_string, new_string and edits")
        if one and self.edits:
            raise UsageError("there are edits and an old_string beside them", "put all of them into edits")
        if self.patch:
            return []
        if self.edits:
            return [Edit(e["old_string"], e["new_string"], e.get("replace_all", False)) for e in self.edits]
        if self.old_string is None or self.new_string is None:
            raise UsageError(
                "it isn't said what to change", "give path, old_string and new_string; or path and edits; or patch"
            )
        return [Edit(self.old_string, self.new_string, self.replace_all)]


def run(asked: Asked, place: Place, planned: Collection[PlannedFile] | None = None) -> dict[str, Any]:
    """Do what is asked for, all or nothing; what came of it, as data.

    Raises `UsageError` where it can't be done, or isn't what was *planned*.
    """
    edits = asked.all_edits()
    if not edits:
        return {"files": told(apply_patch(asked.patch, place, planned))}
    report = edit_file(asked.path, edits, place, planned)
    answer: dict[str, Any] = {"path": report.path, "replaced": report.places}
    answer |= {"note": "; ".join(report.notes)} if report.notes else {}
    return {**answer, "diff": short_diff(report.old, report.new)} if report.places else answer


def plan(asked: Asked, place: Place) -> tuple[PlannedFile, ...]:
    """What `run` would make of the files now. Raises as it does."""
    draft, edits = Draft(place.files), asked.all_edits()
    if edits:
        _edit(draft, place.named(asked.path), edits)
    else:
        changes = parse(asked.patch)
        _patch(draft, changes, _names(changes, place))
    return draft.planned()


def edit_file(path: str, edits: Sequence[Edit], place: Place, planned: Collection[PlannedFile] | None = None) -> Report:
    """Make *edits* in one file, all or none. Raises `UsageError` naming what isn't there exactly once."""
    name = place.named(path)
    with place.files.locked([name.real]):
        draft = Draft(place.files)
        report = _edit(draft, name, edits)
        draft.commit(planned)
    return report


def _edit(draft: Draft, name: Named, edits: Sequence[Edit]) -> Report:
    file = draft.existing(name)
    old = file.text().text
    done = apply_edits(old, edits)
    if done.text != old:
        file.write(done.text)
    return Report(name.path, "updated", done.places, done.notes, old=old, new=done.text)


def apply_patch(text: str, place: Place, planned: Collection[PlannedFile] | None = None) -> list[Report]:
    """Make all changes that a patch asks for, or none. Raises `UsageError` naming the line or file at fault."""
    changes = parse(text)
    names = _names(changes, place)
    with place.files.locked(name.real for name in names.values()):
        draft = Draft(place.files)
        reports = _patch(draft, changes, names)
        draft.commit(planned)
    return reports


def _names(changes: Sequence[FileChange], place: Place) -> dict[str, Named]:
    return {path: place.named(path) for c in changes for path in (c.path, c.target) if path}


def _patch(draft: Draft, changes: Sequence[FileChange], names: dict[str, Named]) -> list[Report]:
    reports = [_applied(draft, change, names) for change in changes]
    _refuse_gone(reports)
    return reports


def _refuse_gone(reports: list[Report]) -> None:
    """A file that isn't there may have been deleted by this patch before; not where the rest is new."""
    gone = next((r for r in reports if _GONE in r.notes), None)
    if gone and any(r.change != "unchanged" for r in reports):
        raise UsageError(f"{gone.path} can't be deleted: there is no such file", "nothing was changed")


def _applied(draft: Draft, change: FileChange, names: dict[str, Named]) -> Report:
    name = names[change.path]
    try:
        return _CHANGES["move" if change.target else change.kind](draft, change, name, names.get(change.target, name))
    except UsageError as error:
        if change.path in str(error):
            raise
        raise UsageError(f"{change.path}: {error}", error.hint) from None


def _add(draft: Draft, change: FileChange, name: Named, _: Named) -> Report:
    file, new = draft.file(name), "".join(hunk.new for hunk in change.hunks)
    if file.now is None:
        file.write(new)
        return Report(name.path, "added", notes=_mode(change), new=new)
    if file.text().text == new:
        return Report(name.path, "unchanged", notes=(_ALREADY,))
    raise UsageError(f"{name.path} is there already", "update it, or delete it first; nothing was changed")


def _update(draft: Draft, change: FileChange, name: Named, _: Named) -> Report:
    file = draft.existing(name)
    old = file.text().text
    done = apply_hunks(old, change.hunks)
    if not done.places:
        return Report(name.path, "unchanged", notes=done.notes)
    file.write(done.text)
    return Report(name.path, "updated", done.places, (*done.notes, *_mode(change)), old=old, new=done.text)


def _delete(draft: Draft, change: FileChange, name: Named, _: Named) -> Report:
    file = draft.file(name)
    if file.now is None:
        return Report(name.path, "unchanged", notes=(_GONE,))
    _refuse_link(name)
    if change.hunks and apply_hunks(file.text().text, change.hunks).text:
        raise UsageError(f"{name.path} holds more than the patch deletes", "read it again; nothing was changed")
    file.now = None
    return Report(name.path, "deleted")


def _move(draft: Draft, change: FileChange, name: Named, target: Named) -> Report:
    file, there = draft.file(name), draft.file(target)
    if file is there:
        return _update(draft, change, name, target) if change.hunks else _unmoved(name)
    if file.now is None and there.now is not None and _is_made(there, change):
        return Report(name.path, "unchanged", notes=(_ALREADY,), target=target.path)
    file = draft.existing(name)
    _refuse_link(name)
    if there.now is not None:
        raise UsageError(f"{target.path} is there already", "delete it first, or move elsewhere; nothing was changed")
    old, done = _changed(file, change)
    there.now, there.mode, file.now = file.now, file.stamp.mode if file.stamp else file.mode, None
    if done.places:
        there.write(done.text)
    notes = (*done.notes, *_mode(change))
    return Report(name.path, "moved", done.places, notes, target.path, old, done.text)


def _unmoved(name: Named) -> Report:
    return Report(name.path, "unchanged", notes=("it is where it was to be moved to",))


def _changed(file: Held, change: FileChange) -> tuple[str, Edited]:
    """The text before and after; one that only moves needn't be text."""
    if not change.hunks:
        return "", Edited("", 0)
    old = file.text().text
    return old, apply_hunks(old, change.hunks)


def _is_made(there: Held, change: FileChange) -> bool:
    return not change.hunks or not apply_hunks(there.text().text, change.hunks).places


def _refuse_link(name: Named) -> None:
    if name.is_link:
        raise UsageError(f"{name.path} is a link to {name.real}", "use a command to move or delete links")


def _mode(change: FileChange) -> tuple[str, ...]:
    """What to say of a mode that the patch asks for: modes aren't changed here."""
    if change.mode in ("", "100644"):
        return ()
    return (f"its mode was not made {change.mode[-3:]}: use chmod",)


_CHANGES: dict[str, Callable[[Draft, FileChange, Named, Named], Report]] = {
    "add": _add,
    "update": _update,
    "delete": _delete,
    "move": _move,
}


def told(reports: Sequence[Report]) -> list[dict[str, Any]]:
    """The reports as data, with short diffs: all of them together are no longer than one may be."""
    answers, room = list[dict[str, Any]](), MAX_LINES
    for report in reports:
        answer: dict[str, Any] = {"path": report.path, "change": report.change}
        answer |= {"to": report.target} if report.target else {}
        answer |= {"replaced": report.places} if report.places else {}
        answer |= {"note": "; ".join(report.notes)} if report.notes else {}
        if report.change == "added":
            answer["lines"] = report.new.count("\n") + (not report.new.endswith("\n") and report.new != "")
        elif report.places:
            answer["diff"] = short_diff(report.old, report.new, most=max(room, 1))
            room -= answer["diff"].count("\n") + 1
        answers.append(answer)
    return answers
