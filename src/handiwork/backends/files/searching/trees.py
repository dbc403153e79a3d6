"""Trees of files: what a search needs to know of a place, and how it walks there."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import BinaryIO, Literal, Protocol

from ....core.errors import UsageError
from ....core.types import Files
from .ignoring import IGNORE_FILES, NEVER_SWEPT, Level, Rules, read_rules

Kind = Literal["file", "directory", "link", "other"]
Entry = tuple[str, Kind, int, int]

_MAX_IGNORE_BYTES = 1 << 20
# Fits only rules about all names.
_ANY_NAME = "\x01"


class Tree(Protocol):
    """A tree of files, here or elsewhere. Paths are absolute POSIX paths; foreign bytes are surrogates."""

    def entries(self, path: str) -> Iterable[Entry]:
        """Name, kind, size in bytes and time of change in ns of what is in a directory. Raises `OSError`."""
        ...

    def open(self, path: str) -> BinaryIO:
        """A file to read. Raises `OSError`."""
        ...


class LocalTree:
    """The files of this machine."""

    def entries(self, path: str) -> Iterator[Entry]:
        with os.scandir(path) as found:
            for entry in found:
                try:
                    about = entry.stat(follow_symlinks=False)
                except FileNotFoundError:  # deleted since the directory was read
                    continue
                yield entry.name, _kind(about.st_mode), about.st_size, about.st_mtime_ns

    def open(self, path: str) -> BinaryIO:
        # Without waiting: a pipe that lies there as .gitignore would have us wait for its writer.
        opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            os.close(opened)
            raise OSError(errno.EINVAL, "not a regular file", path)
        return os.fdopen(opened, "rb")


class FilesTree:
    """The files of an environment that is elsewhere."""

    def __init__(self, files: Files) -> None:
        self._files = files

    def entries(self, path: str) -> Iterator[Entry]:
        try:
            for name, about in self._files.names(path.rstrip("/") or "/"):
                yield name, about.kind, about.size, about.modified_ns
        except UsageError as error:
            raise OSError(errno.EIO, str(error), path) from error

    def open(self, path: str) -> BinaryIO:
        try:
            return self._files.open(path)
        except UsageError as error:
            raise OSError(errno.ENOENT, str(error), path) from error


def _kind(mode: int) -> Kind:
    if stat.S_ISREG(mode):
        return "file"
    return "directory" if stat.S_ISDIR(mode) else "link" if stat.S_ISLNK(mode) else "other"


@dataclass(frozen=True, slots=True)
class TreeFile:
    """A file that a walk came to. `path` is relative to where the walk began."""

    path: str
    size: int
    mtime_ns: int
    absolute: str


@dataclass(slots=True)
class Walk:
    """A walk over the files below *root* that aren't ignored, protected, hidden or links.

    `excluded` is globs in the manner of `.gitignore`, relative to the root; `unreadable` counts
    directories that could not be listed.
    """

    tree: Tree
    root: str
    hidden: bool = False
    excluded: tuple[str, ...] = ()
    obey_ignores: bool = True
    obey_parents: bool = True
    unreadable: int = field(default=0, init=False)
    _in_repository: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self._in_repository = in_repository(self.tree, self.root)

    def files(self) -> Iterator[TreeFile]:
        base = self.root.rstrip("/") + "/"
        never = _Rooted(base, (read_rules("\n".join(NEVER_SWEPT), any_case=True), read_rules("\n".join(self.excluded))))
        waiting = [(base, self._above() if self.obey_parents else None)]
        while waiting:
            folder, above = waiting.pop()
            found = self._listed(folder)
            here = self.level(folder, above, {name for name, *_ in found})
            for name, kind, size, mtime_ns in found:
                if self._left_out(folder + name, kind, here, never):
                    continue
                if kind == "directory":
                    waiting.append((f"{folder}{name}/", here))
                elif kind == "file":
                    yield TreeFile(folder[len(base) :] + name, size, mtime_ns, folder + name)

    def _left_out(self, path: str, kind: Kind, here: Level, never: _Rooted) -> bool:
        if not self.hidden and path.startswith(".", path.rindex("/") + 1):
            return True
        directory = kind == "directory"
        return never.ignores(path, directory=directory) or here.ignores(path, directory=directory)

    def _listed(self, folder: str) -> list[Entry]:
        try:
            return list(self.tree.entries(folder))
        except OSError:
            self.unreadable += 1
            return []

    def _above(self) -> Level | None:
        """The ignore files of the directories above the root."""
        level = None
        for folder in _folders_above(self.root):
            # Opened, not listed: such a directory may be huge, and we may be allowed only to pass through.
            level = self.level(folder, level, (*IGNORE_FILES, ".git"))
        return level

    def level(self, folder: str, above: Level | None, names: Collection[str]) -> Level:
        """The ignore files of a directory in which at most *names* stand."""
        present = [kind for kind in IGNORE_FILES if kind.partition("/")[0] in names] if self.obey_ignores else []
        kinds = {kind: self._rules(folder + kind) for kind in present}
        ends = self._in_repository and ".git" in names and is_repository(self.tree, folder)
        return Level(folder, above, {k: r for k, r in kinds.items() if r and r.rules}, ends)

    def _rules(self, path: str) -> Rules | None:
        try:
            with self.tree.open(path) as file:
                return read_rules(file.read(_MAX_IGNORE_BYTES).decode("utf-8", "surrogateescape"))
        except OSError:
            return None


@dataclass(frozen=True, slots=True)
class _Rooted:
    """Rules that hold for a whole walk, relative to its root."""

    base: str
    rules: tuple[Rules, ...]

    def ignores(self, path: str, *, directory: bool) -> bool:
        relative = path[len(self.base) :]
        return any(rules.verdict(relative, directory=directory) for rules in self.rules)


def is_ignored(tree: Tree, path: str) -> bool:
    """Whether *path* as a directory, one above it, or whatever is in it, is ignored."""
    walk, level = Walk(tree, path), None
    inside = f"{path.rstrip('/')}/"
    for folder, below in pairwise((*_folders_above(path), inside, inside + _ANY_NAME)):
        level = walk.level(folder, level, (*IGNORE_FILES, ".git") if folder != inside else ())
        if level.ignores(below.rstrip("/"), directory=below != inside + _ANY_NAME):
            return True
    return False


def in_repository(tree: Tree, path: str) -> bool:
    """Whether *path* is in a git repository, or the top of one."""
    return any(is_repository(tree, folder) for folder in (*_folders_above(path), path.rstrip("/") + "/"))


def is_repository(tree: Tree, folder: str) -> bool:
    """Whether there is a `.git` in *folder*: a directory, or the file that stands for one."""
    return _opens(tree, f"{folder}.git/HEAD") or _opens(tree, f"{folder}.git")


def _opens(tree: Tree, path: str) -> bool:
    try:
        tree.open(path).close()
    except OSError:
        return False
    return True


def _folders_above(path: str) -> list[str]:
    """The directories above an absolute path, from `/` on, each with a slash at its end."""
    parts = path.strip("/").split("/")
    return ["/" + "".join(f"{part}/" for part in parts[:depth]) for depth in range(len(parts))] if parts[0] else []
