"""What can go wrong with a file, in the terms of who asked for it: what happened, and what to do next."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable

from ...core.errors import UnknownNameError, UsageError

_ADVICE = {
    errno.EACCES: "change its permissions, or choose another place",
    errno.EPERM: "change its permissions, or choose another place",
    errno.EROFS: "the disk is read-only: choose another place",
    errno.ENOSPC: "the disk is full: free some space first",
    errno.EDQUOT: "your share of the disk is used up: free some space first",
    errno.EFBIG: "the file is longer than the system allows: divide it",
    errno.EISDIR: "give the path of a file in it",
    errno.EEXIST: "a part of the path is a file: choose another path",
    errno.ENOTDIR: "a part of the path is a file: choose another path",
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.EIO: "the disk or the connection to it fails: try again, or choose another place",
}


class MovedPathError(UsageError):
    """A link stands now where none stood when the path was checked."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} has changed between check and use: a link is on the way now, and isn't followed",
            "make the call again; if it fails again, look at the folders on the way",
        )


class StaleFileError(UsageError):
    """A file isn't the one any more that the caller knows."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} has changed meanwhile", "read it again and repeat the change")


def told(doing: str, path: str, error: OSError) -> UsageError:
    """An error of the system about *path*, never about a temporary file beside it."""
    said = (error.strerror or str(error)).lower()
    return UsageError(f"can't {doing} {path}: {said}", _ADVICE.get(error.errno or 0, ""))


def advised(said: str) -> OSError:
    """The error of the system that a program told in these words."""
    number = next((n for n in _ADVICE if os.strerror(n).lower() == said.lower()), 0)
    return OSError(number, said)


def missing(path: str, siblings: Iterable[str] | None) -> UsageError:
    """There is no such file; *siblings* are the names in its folder, None where that isn't there either."""
    folder, name = os.path.split(path)
    if siblings is None:
        return UsageError(f"there is no directory {folder}", "list a directory that exists first")
    return UnknownNameError("file", name, siblings, f"looked in {folder}")


def odd(path: str) -> UsageError:
    """What is there is no file that could be read or replaced."""
    return UsageError(f"{path} is not a regular file", "devices, sockets and pipes can't be read or written as files")
