"""Reading, writing, editing and searching files.

Contents are handed out without line numbers: they cost tokens, and models copy them into edits.
Line ends are shown as plain newlines, and each file gets its own ones back when it is written.
"""

from __future__ import annotations

import os
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from handiwork import registry, tool_error, tool_result

from ..core.handler import by_name
from ..core.loading import Late
from ..core.types import Traits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..core.types import Args, Files, PlannedFile, Scope

pathlib = Late("pathlib")
checking = Late("handiwork.backends.files.checked")
redaction = Late("handiwork.guard.redaction")
places = Late("handiwork.guard.places")
targets = Late("handiwork.backends.files.target")
reading = Late("handiwork.backends.files.viewing.reading")
overwrite = Late("handiwork.backends.files.editing.overwrite")
seen = Late("handiwork.backends.files.viewing.seen")
patching = Late("handiwork.backends.files.editing.patching")
searching = Late("handiwork.backends.files.searching.search")

SEARCH_LIMIT = 50
SEARCH_SECONDS = 60.0


def read_file(
    path: str,
    offset: int = 1,
    limit: int | None = None,
    column: int = 1,
    *,
    scope: Scope | None = None,
    real_paths: Mapping[str, str] | None = None,
    room: int | None = None,
) -> str:
    """A window of a text, or the names in a directory."""
    target = targets.target_of(path, scope, real_paths)
    wanted = reading.Wanted(offset, limit, column)
    return tool_result(reading.read_page(target, wanted, seen.SESSIONS.of(scope), room))


def write_file(
    path: str,
    content: str,
    force: bool = False,
    *,
    scope: Scope | None = None,
    real_paths: Mapping[str, str] | None = None,
    planned: Sequence[PlannedFile] | None = None,
) -> str:
    """Replace a whole file; the answer says what that changed."""
    target = targets.target_of(path, scope, real_paths)
    target = replace(target, files=_unmasked(target.files))
    try:
        session = seen.SESSIONS.of(scope)
        return tool_result(overwrite.write_whole(target, content, session, force=force, planned=planned))
    except overwrite.UnwantedWriteError as error:
        diff = {"diff": error.diff} if error.diff else {}
        return tool_error(f"{error} ({error.hint})", **diff)


def _preview_write(args: Args, *, scope: Scope | None, real_paths: Mapping[str, str]) -> tuple[PlannedFile, ...]:
    target = targets.target_of(args["path"], scope, real_paths)
    planned: tuple[PlannedFile, ...] = overwrite.plan_whole(target, args["content"])
    return planned


def patch(
    path: str = "",
    old_string: str | None = None,
    new_string: str | None = None,
    replace_all: bool = False,
    edits: list[dict[str, Any]] | None = None,
    patch: str = "",
    *,
    scope: Scope | None = None,
    real_paths: Mapping[str, str] | None = None,
    planned: Sequence[PlannedFile] | None = None,
) -> str:
    """Replace texts in one file, or apply a whole patch."""
    asked = patching.Asked(path, old_string, new_string, replace_all, edits or (), patch)
    place = patching.Place(_cwd(scope), _unmasked(targets.files_of(scope)), real_paths or {})
    answer = patching.run(asked, place, planned)
    for written in real_paths or filter(None, [path]):
        _note_own_change(written, scope, real_paths)
    return tool_result(answer)


def _unmasked(files: Files) -> Files:
    """The files, where what was masked when it was read isn't written over what it stands for."""
    held: Files = checking.checked(files, redaction.refuse_masks, redaction.MASK)
    return held


def _preview_patch(args: Args, *, scope: Scope | None, real_paths: Mapping[str, str]) -> tuple[PlannedFile, ...]:
    place = patching.Place(_cwd(scope), targets.files_of(scope), real_paths)
    planned: tuple[PlannedFile, ...] = patching.plan(patching.Asked(**args), place)
    return planned


def _note_own_change(path: str, scope: Scope | None, real_paths: Mapping[str, str] | None) -> None:
    """What the session changed itself, it knows."""
    target = targets.target_of(path, scope, real_paths)
    state = target.files.stat(target.real)
    if state is not None:
        seen.SESSIONS.of(scope).noted(target.key, state)


def search_files(
    pattern: str,
    path: str = ".",
    target: str = "content",
    *,
    glob: str = "",
    type: str = "",
    output: str = "lines",
    literal: bool = False,
    ignore_case: bool = False,
    multiline: bool = False,
    context: int = 0,
    limit: int = SEARCH_LIMIT,
    offset: int = 0,
    scope: Scope | None = None,
    real_paths: Mapping[str, str] | None = None,
) -> str:
    """One page of hits in files, or of files by their names."""
    asked = {
        "pattern": pattern,
        "path": path or ".",
        "target": target,
        "glob": glob,
        "type": type,
        "output": output,
        "literal": literal,
        "ignore_case": ignore_case,
        "multiline": multiline,
        "context": min(max(context, 0), 20),
        "limit": min(max(limit, 1), 1000),
        "offset": max(offset, 0),
    }
    where = targets.target_of(asked["path"], scope, real_paths)
    query = _search_query(asked, where.real, scope)
    found = searching.search(
        query, scope.cancel if scope else None, searching.place_of(where.files), closed=_why_secret
    )
    totals = {"total": found.total} if target == "files" else {"total": found.total, "files": found.files}
    note = {"note": "; ".join(found.notes)} if found.notes else {}
    return tool_result({**totals, **note, **_searching_on(asked, found.next_offset), "hits": found.text})


def _why_secret(path: str) -> str:
    """Why what a file holds isn't for a search to show."""
    why: str = places.secret(f"/{path}")
    return why


def _search_query(asked: dict[str, Any], root: str, scope: Scope | None) -> Any:
    about = {k: v for k, v in asked.items() if k not in ("path", "type")}
    return searching.Query(
        **about,
        cwd=_cwd(scope),
        path=asked["path"],
        root=root,
        types=asked["type"],
        session=scope.session_id if scope else "",
        seconds=_seconds_left(scope),
    )


def _seconds_left(scope: Scope | None) -> float:
    """The time limit of a search, a little less than what is left for the whole call."""
    if scope is None or scope.deadline is None:
        return SEARCH_SECONDS
    return min(SEARCH_SECONDS, max(scope.deadline - time.monotonic() - 1.0, 0.5))


def _searching_on(asked: dict[str, Any], offset: int | None) -> dict[str, Any]:
    """The exact call of the next page, where there is one."""
    if offset is None:
        return {}
    usual = {"path": ".", "target": "content", "output": "lines", "limit": SEARCH_LIMIT}
    call = {k: v for k, v in asked.items() if v and usual.get(k) != v}
    return {"next": f"search_files {tool_result({**call, 'offset': offset})}"}


def _cwd(scope: Scope | None) -> str:
    return scope.here if scope else os.getcwd()


registry.register(
    name="read_file",
    toolset="file",
    emoji="📖",
    handler=by_name(read_file),
    traits=Traits(read_only=True, effect="read", touches={"path": "path"}),
    schema={
        "name": "read_file",
        "description": "Read a text, PDF, docx or notebook, or list a directory. Answers the call that reads on.",
        "parameters": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "path": {"type": "string", "description": "File or directory"},
                "offset": {"type": "integer", "default": 1, "description": "First line; negative counts from the end"},
                "limit": {"type": "integer", "minimum": 1, "description": "Most lines; else what fits"},
                "column": {
                    "type": "integer",
                    "minimum": 1,
                    "default": 1,
                    "description": "First character, in a long line",
                },
            },
            "required": ["path"],
        },
    },
)

registry.register(
    name="write_file",
    toolset="file",
    emoji="✍️",
    handler=by_name(write_file),
    preview=_preview_write,
    traits=Traits(effect="idempotent", idempotent=True, touches={"path": "path"}),
    schema={
        "name": "write_file",
        "description": "Write a whole file, all or nothing; mode, encoding and line ends stay. To edit, use `patch`.",
        "parameters": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "path": {"type": "string", "description": "File to create or replace; missing directories are made"},
                "content": {"type": "string", "description": "The whole new content"},
                "force": {
                    "type": "boolean",
                    "default": False,
                    "description": "Write in spite of a syntax error or another's change",
                },
            },
            "required": ["path", "content"],
        },
    },
)

registry.register(
    name="patch",
    toolset="file",
    emoji="🩹",
    handler=by_name(patch),
    preview=_preview_patch,
    traits=Traits(effect="write", touches={"path": "path", "patch": "patch"}),
    schema={
        "name": "patch",
        "description": (
            "Change files exactly, all or nothing; answers a diff. One place: path, old_string, new_string. Several in "
            "one file: path, edits. Several files, or to add, move or delete: patch. What isn't there once is refused."
        ),
        "parameters": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "path": {"type": "string", "description": "File to edit"},
                "old_string": {"type": "string", "description": "Exactly as in the file"},
                "new_string": {"type": "string", "description": "What to put there"},
                "replace_all": {"type": "boolean", "default": False, "description": "All places"},
                "edits": {
                    "type": "array",
                    "description": "Made in order",
                    "items": {
                        "type": "object",
                        "additionalProperties": False,
                        "properties": {
                            "old_string": {"type": "string"},
                            "new_string": {"type": "string"},
                            "replace_all": {"type": "boolean", "default": False, "description": "All places"},
                        },
                        "required": ["old_string", "new_string"],
                    },
                },
                "patch": {
                    "type": "string",
                    "description": "*** Begin Patch ... *** Update File: PATH ... *** End Patch, or a unified diff",
                },
            },
        },
    },
)

registry.register(
    name="search_files",
    toolset="file",
    emoji="🔎",
    handler=by_name(search_files),
    traits=Traits(read_only=True, effect="read", touches={"path": "path"}),
    schema={
        "name": "search_files",
        "description": "Search in files, or for files by name, newest first. Ignored (.gitignore) and hidden files"
        " only where named.",
        "parameters": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "pattern": {
                    "type": "string",
                    "description": "content: a regex. files: a glob, or a name, in part or about right",
                },
                "path": {"type": "string", "default": ".", "description": "Directory or file"},
                "target": {"type": "string", "enum": ["content", "files"], "default": "content"},
                "glob": {"type": "string", "default": "", "description": "Only these: *.py, src/**/*.ts, !*.lock"},
                "type": {"type": "string", "default": "", "description": "Only these: py, js, ..."},
                "output": {"type": "string", "enum": ["lines", "files", "counts"], "default": "lines"},
                "literal": {"type": "boolean", "default": False, "description": "pattern is plain text"},
                "ignore_case": {"type": "boolean", "default": False},
                "multiline": {"type": "boolean", "default": False, "description": "Match across lines"},
                "context": {"type": "integer", "default": 0, "description": "Lines around each hit"},
                "limit": {"type": "integer", "minimum": 1, "default": SEARCH_LIMIT, "description": "Most hits"},
                "offset": {"type": "integer", "minimum": 0, "default": 0, "description": "Hits to skip"},
            },
            "required": ["pattern"],
        },
    },
)
