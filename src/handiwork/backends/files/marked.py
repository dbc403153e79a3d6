"""Which files hold text from outside, and from where: in memory, and in one file of the home for later sessions.

A line says one thing of one path, the last one counts. Writers take turns under a lock, so that what one of them
says is never lost to another; a line that was cut short by a kill is passed over.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import threading
from collections.abc import Collection
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from handiwork.core.errors import UsageError
from handiwork.core.loading import Late

from .locks import locked

logging = Late("logging")

MOST_MARKS = 4_096
_MOST_HASHED = 4 << 20
_MOST_SOURCE = 300


@dataclass(frozen=True, slots=True)
class Mark:
    """Where the file at `path` comes from, and what it was like then. A folder has no hash, a huge file neither."""

    path: str
    source: str
    size: int = -1
    sha256: str = ""


class MarkedFiles:
    """The marks in the file at *path* (core.types `Marks`); "" keeps them in memory alone. Safe between threads.

    Where they can't be written they hold for this process, which a warning tells once.
    """

    def __init__(self, path: str = "") -> None:
        self._path = path
        self._lock = threading.RLock()
        self._marks: dict[str, Mark] = {}
        self._read_to: tuple[int, int] = (0, 0)
        self._lines = 0
        self._warned = False

    def put(self, path: str, source: str, /) -> None:
        """See `Marks`."""
        with self._lock:
            self._catch_up()
            if not source and path not in self._marks:
                return
            mark = _mark_of(path, source[:_MOST_SOURCE])
            if self._marks.get(path) != mark:
                self._take(mark)
                self._write(mark)

    def at(self, path: str, /) -> str:
        """See `Marks`."""
        with self._lock:
            self._catch_up()
            if not self._marks:
                return ""
            above = (str(folder) for folder in (path, *Path(path).parents))
            found = next((self._marks[p] for p in above if p in self._marks), None) or self._with_contents_of(path)
            return found.source if found else ""

    def paths(self) -> Collection[str]:
        """See `Marks`."""
        with self._lock:
            self._catch_up()
            return tuple(self._marks)

    def _with_contents_of(self, path: str) -> Mark | None:
        """The mark of a file with the same contents, wherever that lay."""
        size = _size_of(path)
        alike = [mark for mark in self._marks.values() if mark.size == size > 0 and mark.sha256]
        digest = _digest_of(path) if alike else ""
        return next((mark for mark in alike if mark.sha256 == digest), None)

    def _take(self, mark: Mark) -> None:
        self._marks.pop(mark.path, None)  # what was said last stays longest
        if mark.source:
            self._marks[mark.path] = mark
        while len(self._marks) > MOST_MARKS:
            self._marks.pop(next(iter(self._marks)))

    # ------------------------------------------------------------------------------------- the file

    def _catch_up(self) -> None:
        """Take in what was written since, by whichever process."""
        if not self._path:
            return
        try:
            about = os.stat(self._path)
        except OSError:  # there is none yet, or none that we may read: what is in memory holds
            return
        inode, done = self._read_to
        if inode == about.st_ino and done == about.st_size:
            return
        with open(self._path, "rb") as file:
            file.seek(done if inode == about.st_ino and done <= about.st_size else 0)
            data = file.read()
            start = file.tell() - len(data)
        whole = data[: data.rfind(b"\n") + 1]
        for line in whole.splitlines():
            if mark := _parsed(line):
                self._take(mark)
        self._lines = whole.count(b"\n") + (self._lines if start else 0)
        self._read_to = about.st_ino, start + len(whole)

    def _write(self, mark: Mark) -> None:
        if not self._path:
            return
        try:
            with locked([Path(self._path)]):
                self._catch_up()
                if self._lines > 2 * MOST_MARKS:
                    self._shorten()
                self._append(mark)
        except (OSError, UsageError) as error:
            if not self._warned:
                logging.getLogger(__name__).warning("where files come from can't be kept: %s", error)
            self._warned = True

    def _append(self, mark: Mark) -> None:
        os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        with open(descriptor, "r+b", buffering=0) as file:
            size = os.fstat(descriptor).st_size
            torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
            file.write((b"\n" if torn else b"") + _line(mark))

    def _shorten(self) -> None:
        """The file with one line for each mark, put into its place whole."""
        beside = f"{self._path}.new"
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb") as file:
            file.write(b"".join(map(_line, self._marks.values())))
        os.replace(beside, self._path)


def _line(mark: Mark) -> bytes:
    return json.dumps(asdict(mark)).encode() + b"\n"


def _parsed(line: bytes) -> Mark | None:
    """The mark that a line tells; None where damage has made it something else."""
    try:
        said: Any = json.loads(line)
        return Mark(str(said["path"]), str(said["source"]), int(said["size"]), str(said["sha256"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _mark_of(path: str, source: str) -> Mark:
    digest = _digest_of(path) if source else ""
    return Mark(path, source, _size_of(path) if digest else -1, digest)


def _size_of(path: str) -> int:
    """The size of a regular file; -1 where there is none."""
    try:
        about = os.stat(path)
    except (OSError, ValueError):
        return -1
    return about.st_size if stat.S_ISREG(about.st_mode) else -1


def _digest_of(path: str) -> str:
    """The hash of a file of ordinary size; "" for anything else."""
    if not 0 < _size_of(path) <= _MOST_HASHED:
        return ""
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read(_MOST_HASHED)).hexdigest()
    except OSError:
        return ""
