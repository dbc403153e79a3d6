"""Whether a path may be read or written: inside the workspace, unprotected, and what it says it is."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from typing import TYPE_CHECKING

from handiwork.core.errors import HandiworkError
from handiwork.core.types import FileStat

from .places import is_disk, plain, protected
from .verdict import PathVerdict
from .workspace import find_workspace, is_inside

if TYPE_CHECKING:
    from handiwork.core.types import FileKind, Files

__all__ = ["find_workspace", "judge_path"]

_ENCODED = re.compile(r"%(?:25)*(?:2e|2f|5c|00)", re.IGNORECASE)
_UNSETTLED = re.compile(r"[$*?]|^~[^/]")
_FOREIGN = re.compile(r"\\|^[A-Za-z]:/|^[A-Za-z][A-Za-z0-9+.-]*://|^file:", re.IGNORECASE)
_STREAM = re.compile(r"^[^/]*\.\w+:[^/]*$")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_HARMLESS = frozenset(("/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"))


def judge_path(
    path: str,
    workspace: str,
    write: bool = False,
    *,
    cwd: str = "",
    readable: Sequence[str] = (),
    real: str = "",
    files: Files | None = None,
) -> PathVerdict:
    """Say whether *path* may be read, or written when *write*.

    A relative path starts at *cwd*, or at *workspace* where that isn't given. *readable* are folders
    outside the workspace that may be read (where long results are kept). *real* is what the path leads
    to, where somebody has looked already. *files* are those that the path is among, this machine's where
    that isn't given. What can't be resolved asks.
    """
    why, full = _trick(path), os.path.join(cwd or workspace or "/", os.path.expanduser(path))
    if why or (why := _said(path, _below(full, (workspace, *readable)))):
        return PathVerdict("ask", [why])
    try:
        real = real or (files.real(full) if files else os.path.realpath(full))
        info = files.stat(real) if files else _looked_at(real)
    except (OSError, ValueError, HandiworkError) as error:
        return PathVerdict("ask", [f"{path} can't be resolved: {error}"])
    return _judge_real(path, real, info, workspace=workspace, write=write, readable=readable)


def _looked_at(real: str) -> FileStat | None:
    """What lies there on this machine."""
    try:
        found = os.lstat(real)
    except (FileNotFoundError, NotADirectoryError):
        return None
    regular, folder = stat.S_ISREG(found.st_mode), stat.S_ISDIR(found.st_mode)
    kind: FileKind = "file" if regular else "directory" if folder else "other"
    return FileStat(kind, found.st_size, found.st_mtime_ns, found.st_ino, links=found.st_nlink)


def _said(path: str, full: str) -> str:
    why = protected(full)
    return f"{path} is {why}" if why else ""


def _trick(path: str) -> str:
    """Why the text of *path* isn't a plain path; empty if it is one."""
    look_alike = not path.isascii() and plain(path).count("/") != path.count("/")
    tricks = (
        (not path or bool(_CONTROL.search(path)), "is empty or holds control characters"),
        (path != path.strip(), "begins or ends with a blank"),
        (bool(_FOREIGN.search(path) or _STREAM.match(path)), "is a URL, a Windows path or a stream"),
        (bool(_ENCODED.search(path)), "holds percent-encoded dots or slashes"),
        (bool(_UNSETTLED.search(path)), "holds a variable, a pattern or another user's home"),
        (look_alike, "holds characters that look like slashes"),
    )
    return next((f"the path {why}" for found, why in tricks if found), "")


def _judge_real(
    path: str,
    real: str,
    info: FileStat | None,
    *,
    workspace: str,
    write: bool,
    readable: Sequence[str],
) -> PathVerdict:
    root = os.path.realpath(workspace) if workspace else ""
    if real in _HARMLESS:
        return PathVerdict("allow", [], real)
    if write and (is_disk(real) or real.startswith(("/proc/", "/sys/", "/dev/"))):
        return PathVerdict("forbid", [f"{real} is a device or the kernel's own"], real)
    others = [os.path.realpath(f) for f in readable if f]
    why = _why_real(path, real, [root, *others]) or (
        f"{real} is outside the workspace {root}"
        if not is_inside(real, root) and (write or not any(is_inside(real, f) for f in others))
        else ""
    )
    why = why or (_odd_file(real, info, write=write) if info else "")
    return PathVerdict("ask" if why else "allow", [why] if why else [], real)


def _why_real(path: str, real: str, folders: Sequence[str]) -> str:
    why = protected(_below(real, folders))
    return f"{path} leads to {real}, which is {why}" if why else ""


def _below(full: str, folders: Sequence[str]) -> str:
    """The part under one of *folders*: where the workspace itself lies doesn't make a file protected."""
    inside = next((f for f in folders if f and full.startswith(f.rstrip("/") + "/")), "")
    return full[len(inside) :]


def _odd_file(real: str, info: FileStat, *, write: bool) -> str:
    if info.kind not in ("file", "directory"):
        return f"{real} is a device, socket or pipe"
    if write and info.kind == "file" and info.links > 1:
        return f"{real} is hard-linked from elsewhere, so that writing it changes another file"
    return ""
