"""Reading, writing, editing and searching files.

Contents are handed out without line numbers: they cost tokens, and models copy them into edits.
Line ends are shown as plain newlines, and each file gets its own ones back when it is written.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from handiwork import registry, tool_error, tool_result

from ..core.errors import UsageError
from ..core.handler import by_name
from ..core.loading import Late
from ..core.types import Traits

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ..core.types import Scope

pathlib = Late("pathlib")
targets = Late("handiwork.backends.files.target")
pages = Late("handiwork.backends.files.page")
overwrite = Late("handiwork.backends.files.overwrite")
seen = Late("handiwork.backends.files.seen")
text = Late("handiwork.backends.files.text")
atomic = Late("handiwork.backends.files.atomic")
edits = Late("handiwork.backends.files.edits")
diffs = Late("handiwork.backends.files.diffs")
searching = Late("handiwork.backends.files.search")


def read_file(
    path: str,
    offset: int = 1,
    limit: int | None = None,
    column: int = 1,
    *,
    scope: Scope | None = None,
    real_paths: Mapping[str, str] | None = None,
) -> str:
    """A window of a text, or the names in a directory."""
    target = targets.target_of(path, scope, real_paths)
    wanted = pages.Wanted(offset, limit, column)
    return tool_result(pages.read_page(target, wanted, seen.SESSIONS.of(scope), scope.room if scope else None))


def write_file(
    path: str,
    content: str,
    force: bool = False,
    *,
    scope: Scope | None = None,
    real_paths: Mapping[str, str] | None = None,
) -> str:
    """Replace a whole file; the answer says what that changed."""
    target = targets.target_of(path, scope, real_paths)
    try:
        return tool_result(overwrite.write_whole(target, content, seen.SESSIONS.of(scope), force=force))
    except overwrite.UnwantedWriteError as error:
        diff = {"diff": error.diff} if error.diff else {}
        return tool_error(f"{error} ({error.hint})", **diff)


def patch(path: str, old_string: str, new_string: str, replace_all: bool = False, *, scope: Scope | None = None) -> str:
    """Replace a text in a file, at the one place where it stands."""
    place = _resolved(path, scope)
    before = atomic.stamp_of(place)
    with text.open_regular(place) as file:
        data = file.read(text.MAX_EDIT_BYTES + 1)
    if len(data) > text.MAX_EDIT_BYTES:
        raise UsageError(f"{path} is too long to edit ({len(data):,} bytes or more)", "use a command such as sed")
    old = text.decode(data, place)
    done = edits.apply_edit(old.text, edits.Edit(old_string, new_string, replace_all))
    note = {"note": done.note} if done.note else {}
    if not done.places:
        return tool_result({"path": path, "replaced": 0, **note})
    atomic.replace_file(place, text.TextFile(done.text, old.encoding).encoded(), expected=before)
    _note_own_change(path, scope)
    return tool_result({"path": path, "replaced": done.places, **note, "diff": diffs.short_diff(old.text, done.text)})


def _note_own_change(path: str, scope: Scope | None) -> None:
    """What the session changed itself, it knows."""
    target = targets.target_of(path, scope)
    state = target.files.stat(target.real)
    if state is not None:
        seen.SESSIONS.of(scope).noted(target.key, state)


def search_files(
    pattern: str,
    path: str = ".",
    target: str = "content",
    *,
    glob: str = "",
    limit: int = 50,
    offset: int = 0,
    context: int = 0,
    ignore_case: bool = False,
    scope: Scope | None = None,
) -> str:
    """One page of what ripgrep finds in files, or of the files themselves."""
    query = searching.Query(
        pattern=pattern,
        cwd=_cwd(scope),
        path=os.path.expanduser(path) if path else ".",
        target=target,
        glob=glob,
        limit=min(max(limit, 1), 1000),
        offset=max(offset, 0),
        context=min(max(context, 0), 20),
        ignore_case=ignore_case,
    )
    found = searching.search(query, scope.cancel if scope else None)
    about: dict[str, Any] = (
        {"total": found.total} if target == "files" else {"total": found.total, "files": found.files}
    )
    if not found.complete:
        about["note"] = "the search was stopped before its end: there are more hits than this"
    if found.total > (following := query.offset + query.limit):
        about["next"] = f"the same call with offset={following}"
    return tool_result({**about, "hits": found.text})


def _cwd(scope: Scope | None) -> str:
    return scope.here if scope else os.getcwd()


def _resolved(path: str, scope: Scope | None) -> Path:
    """*path* as an absolute one; relative to the directory of the scope."""
    if not path or "\0" in path:
        raise UsageError(f"{path!r} is not a path", "give the path of a file")
    place: Path = pathlib.Path(_cwd(scope)) / pathlib.Path(path).expanduser()
    return place


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
    traits=Traits(effect="write", touches={"path": "path"}),
    schema={
        "name": "patch",
        "description": "Replace text that is in a file exactly once; else says where it nearly is. Answers a diff.",
        "parameters": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "path": {"type": "string", "description": "File to edit"},
                "old_string": {"type": "string", "description": "Exactly as in the file"},
                "new_string": {"type": "string", "description": "What to put there"},
                "replace_all": {"type": "boolean", "default": False, "description": "Replace every occurrence"},
            },
            "required": ["path", "old_string", "new_string"],
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
        "description": "Search in or for files; git-ignored and hidden ones only where named. Answers numbered lines.",
        "parameters": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "pattern": {"type": "string", "description": "content: a regex. files: a glob, or a part of the name"},
                "path": {"type": "string", "default": ".", "description": "Directory or file"},
                "target": {"type": "string", "enum": ["content", "files"], "default": "content"},
                "glob": {"type": "string", "default": "", "description": "Only these: *.py, src/**/*.ts, !*.lock"},
                "limit": {"type": "integer", "minimum": 1, "default": 50, "description": "Most hits"},
                "offset": {"type": "integer", "minimum": 0, "default": 0, "description": "Hits to skip"},
                "context": {"type": "integer", "default": 0, "description": "Lines around each hit"},
                "ignore_case": {"type": "boolean", "default": False},
            },
            "required": ["pattern"],
        },
    },
)
