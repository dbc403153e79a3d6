"""Where git keeps what belongs to a workspace, when that isn't the workspace itself."""

from __future__ import annotations

import os
from pathlib import Path

from .nesting import inside

_POINTER = "gitdir:"
_LONGEST = 4096


def gitdirs(workspace: str) -> tuple[str, ...]:
    """The folders outside *workspace* that git must write for it: of a worktree, or of a submodule.

    A command can write the file that points there, so that file alone is not believed: the folder must
    point back, in the place where git makes such folders, and nobody inside the workspace could make that.
    """
    pointer = Path(workspace, ".git")
    if pointer.is_symlink() or not pointer.is_file():
        return ()
    text = _text_of(pointer)
    if not text.startswith(_POINTER) or "\0" in text:
        return ()
    folder = os.path.realpath(os.path.join(workspace, text.removeprefix(_POINTER).strip()))
    if inside(folder, workspace):
        return ()
    return _of_worktree(folder, str(pointer)) or _of_submodule(folder, workspace)


def _of_worktree(folder: str, pointer: str) -> tuple[str, ...]:
    """REPOSITORY/worktrees/NAME whose `gitdir` names our pointer: the whole repository is needed."""
    repository = os.path.dirname(os.path.dirname(folder))
    back = _text_of(Path(folder, "gitdir")).strip()
    if os.path.basename(os.path.dirname(folder)) != "worktrees" or not _is_repository(repository):
        return ()
    same = back and "\0" not in back and os.path.realpath(os.path.join(folder, back)) == os.path.realpath(pointer)
    return (repository,) if same else ()


def _of_submodule(folder: str, workspace: str) -> tuple[str, ...]:
    """PARENT/.git/modules/NAME whose `core.worktree` names the workspace."""
    if f"{os.sep}modules{os.sep}" not in folder or not _is_repository(folder):
        return ()
    for line in _text_of(Path(folder, "config")).splitlines():
        key, _, value = line.partition("=")
        if key.strip() == "worktree" and os.path.realpath(os.path.join(folder, value.strip())) == workspace:
            return (folder,)
    return ()


def _is_repository(folder: str) -> bool:
    return os.path.isfile(os.path.join(folder, "HEAD")) and os.path.isdir(os.path.join(folder, "objects"))


def _text_of(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(_LONGEST)
    except OSError:  # it isn't there, or not for us to read: then it proves nothing
        return ""
