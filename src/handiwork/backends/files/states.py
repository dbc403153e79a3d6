"""What the system says of a file, in our word for it."""

from __future__ import annotations

import os
import stat

from ...core.types import FileKind, FileStat

_KINDS: dict[int, FileKind] = {stat.S_IFREG: "file", stat.S_IFDIR: "directory", stat.S_IFLNK: "link"}


def kind_of(mode: int) -> FileKind:
    """The kind that a mode of the system stands for."""
    return _KINDS.get(stat.S_IFMT(mode), "other")


def state_of(info: os.stat_result) -> FileStat:
    """What tells this state of a file from the next."""
    return FileStat(
        kind=kind_of(info.st_mode),
        size=info.st_size,
        modified_ns=info.st_mtime_ns,
        inode=info.st_ino,
        mode=stat.S_IMODE(info.st_mode),
        links=info.st_nlink,
    )
