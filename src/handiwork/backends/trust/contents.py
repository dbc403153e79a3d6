"""What lies in a folder that may be trusted: every file with its hash, so that what is read is what was trusted."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from handiwork.core.errors import UsageError

MOST_FILES, MOST_BYTES = 500, 20 << 20


@dataclass(frozen=True, slots=True)
class Contents:
    """The files of a folder by their paths in it (with `/`), each with the SHA-256 of what it holds.

    `what` is what people call such a folder.
    """

    folder: Path
    files: Mapping[str, str]
    what: str = "skill"

    @property
    def digest(self) -> str:
        """One hash for all names and all that is in them."""
        lines = "".join(f"{digest} {name}\0" for name, digest in sorted(self.files.items()))
        return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()

    def read(self, name: str) -> bytes:
        """A file of the folder, as it was when it was hashed. Raises `UsageError`."""
        if name not in self.files:
            known = ", ".join(sorted(self.files)[:50])
            raise UsageError(f"the {self.what} {self.folder.name} has no file {name!r}", f"its files are: {known}")
        data = _read(self.folder, name)
        if hashlib.sha256(data).hexdigest() != self.files[name]:
            raise UsageError(f"{name} of the {self.what} {self.folder.name} has changed just now", "call it again")
        return data


def contents_of(folder: Path, what: str = "skill", *, without: Container[str] = ()) -> Contents:
    """What lies in *folder*, but for folders named in *without*.

    Raises `UsageError` for a link that leads out of the folder, for what is no file, for odd names, for too much."""
    files: dict[str, str] = {}
    left = MOST_BYTES
    if folder.is_symlink():
        raise UsageError(f"{folder} is a link to another place", "put a copy in its place")
    for name in _names(folder, without=without):
        if not name.isprintable():
            raise UsageError(f"{folder} has a file with the odd name {name!r}", "give it another name")
        data = _read(folder, name, left)
        left -= len(data)
        files[name] = hashlib.sha256(data).hexdigest()
        if len(files) > MOST_FILES:
            raise UsageError(f"{folder} has more than {MOST_FILES} files", "take out what is no part of it")
    return Contents(folder, files, what)


def _names(folder: Path, below: str = "", *, without: Container[str] = ()) -> Iterator[str]:
    with os.scandir(folder / below) as entries:
        for entry in sorted(entries, key=lambda e: e.name):
            name = f"{below}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in without:
                    yield from _names(folder, f"{name}/", without=without)
            else:
                yield name


def _read(folder: Path, name: str, most: int = MOST_BYTES) -> bytes:
    """The file behind a name, links followed only inside the folder. Opened first, then looked at."""
    root = os.path.realpath(folder)
    real = os.path.realpath(os.path.join(root, name))
    if os.path.commonpath((root, real)) != root:
        raise UsageError(f"{folder / name} leads out of its folder", "put a copy in its place")
    try:
        file = os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise UsageError(f"can't read {folder / name}: {error.strerror}", "check what is there") from error
    with os.fdopen(file, "rb") as opened:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise UsageError(f"{folder / name} is not a regular file", "take it out of there")
        data = opened.read(most + 1)
    if len(data) > most:
        raise UsageError(f"{folder} holds more than {MOST_BYTES >> 20} MB", "take out what is no part of it")
    return data
