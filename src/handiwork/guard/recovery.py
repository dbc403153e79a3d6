"""Whether what a call would change can be put back: read from git's index, without running git.

A file is recoverable where there is none yet, where a build makes it again, or where git has exactly what it
holds: its index names the file with the hash of just this content. A folder is, if all in it is.
"""

from __future__ import annotations

import fnmatch
import hashlib
import os
import re
import stat
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from .places import is_product, protected
from .workspace import is_inside

_MOST_FILES: Final = 2_000
_MOST_BYTES: Final = 32 << 20
_PATTERN: Final = "*?[{"
_SIMPLE: Final = re.compile(r"[^*?\[{\\!(]*[*?][^\[{\\!(]*")
_STAT, _HASH = 40, 20  # bytes of an entry: what stat said, and the hash of the content
_STAGE, _EXTENDED = 0x3000, 0x4000


def is_recoverable(path: str, workspace: str) -> bool:
    """Whether all that lies at *path*, which may end in a pattern, could be put back as it is now."""
    root = os.path.realpath(workspace)
    places = [os.path.realpath(place) for place in _meant(path)]
    if not all(is_inside(place, root) for place in places):
        return False
    tracked = _tracked(root)
    return all(_is_kept(file, root, tracked) for place in places for file in _files_at(place))


def is_clean(workspace: str) -> bool:
    """Whether every file that git tracks in *workspace* holds what git has of it."""
    root = os.path.realpath(workspace)
    tracked = _tracked(root)
    names = list(tracked)[: _MOST_FILES + 1]
    return 0 < len(names) <= _MOST_FILES and all(_holds(os.path.join(root, name), tracked[name]) for name in names)


def without_pattern(path: str) -> str:
    """The path before its first part that is a pattern; itself where none is."""
    parts = path.split("/")
    fixed = next((i for i, part in enumerate(parts) if any(sign in part for sign in _PATTERN)), len(parts))
    return "/".join(parts[:fixed]) or "/"


def _meant(path: str) -> list[str]:
    """What a path stands for that may be a pattern: at least that, where it can't be told exactly."""
    folder = without_pattern(path)
    last = path[len(folder) :].strip("/")
    if "/" in last or not _SIMPLE.fullmatch(last) or not os.path.isdir(folder):
        return [folder]
    return [os.path.join(folder, name) for name in fnmatch.filter(os.listdir(folder), last)]


def _files_at(place: str) -> Iterator[str]:
    """The files at and below *place*. One that can't be counted on stands for more than are looked at."""
    if not os.path.isdir(place):
        if os.path.lexists(place):
            yield place
        return
    seen = 0
    for folder, folders, files in os.walk(place):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        for name in (*files, *links):
            seen += 1
            yield os.path.join(folder, name) if seen <= _MOST_FILES else ""


def _is_kept(file: str, root: str, tracked: Mapping[str, bytes]) -> bool:
    name = file[len(root) + 1 :]
    if not file or protected(name):
        return False
    return is_product(name) or (name in tracked and _holds(file, tracked[name]))


def _holds(file: str, expected: bytes) -> bool:
    """Whether a file's content has the hash that git knows."""
    try:
        about = os.lstat(file)
        if stat.S_ISLNK(about.st_mode):
            data = os.fsencode(os.readlink(file))
        elif stat.S_ISREG(about.st_mode) and about.st_size <= _MOST_BYTES:
            with open(file, "rb") as opened:
                data = opened.read()
        else:
            return False
    except OSError:  # gone, or not ours to read: then it isn't what git has
        return False
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).digest() == expected


# -------------------------------------------------------------------------------------------- git's index


def _tracked(root: str) -> Mapping[str, bytes]:
    """The names that git tracks below *root*, with the hashes of their contents; none without git."""
    index = os.path.join(_git_folder(root), "index")
    try:
        changed = os.stat(index)
    except OSError:
        return {}
    return _read_index(index, changed.st_mtime_ns, changed.st_size)


def _git_folder(root: str) -> str:
    """Where the repository of a work tree is: a folder in it, or the one that a file there names."""
    own = os.path.join(root, ".git")
    if not os.path.isfile(own):
        return own
    try:
        with open(own, encoding="utf-8") as file:
            word, _, where = file.readline().partition(":")
    except (OSError, UnicodeDecodeError):
        return own
    return os.path.join(root, where.strip()) if word == "gitdir" else own


@lru_cache(4)
def _read_index(path: str, _changed: int, _size: int) -> Mapping[str, bytes]:
    """The entries of an index of version 2 to 4; none where it can't be read."""
    try:
        with open(path, "rb") as file:
            data = file.read()
        # An index ends in its own hash: one with longer hashes than ours isn't understood, nor a damaged one.
        if data[:4] != b"DIRC" or hashlib.sha1(data[:-_HASH], usedforsecurity=False).digest() != data[-_HASH:]:
            return {}
        return dict(_entries(data))
    except (OSError, IndexError, ValueError):
        return {}


def _entries(data: bytes) -> Iterator[tuple[str, bytes]]:
    version, count = (int.from_bytes(data[at : at + 4], "big") for at in (4, 8))
    if version not in (2, 3, 4):
        return
    at, name = 12, b""
    for _ in range(count):
        start, at = at, at + _STAT + _HASH
        digest, flags = data[at - _HASH : at], int.from_bytes(data[at : at + 2], "big")
        at += 4 if version >= 3 and flags & _EXTENDED else 2
        shared = 0
        if version == 4:
            dropped, at = _number(data, at)
            shared = len(name) - dropped
        end = data.index(b"\0", at)
        name = name[:shared] + data[at:end]
        at = end + 1 if version == 4 else start + (end - start) // 8 * 8 + 8
        if not flags & _STAGE:  # the others are sides of a conflict
            yield os.fsdecode(name), digest


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number of variable length, and where it ends."""
    value = data[at] & 0x7F
    while data[at] & 0x80:
        at += 1
        value = (value + 1) << 7 | data[at] & 0x7F
    return value, at + 1
