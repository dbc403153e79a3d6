"""Files that belong to sessions: results that were too long to show, kept as long as the session is."""

from __future__ import annotations

import errno
import glob
import hashlib
import os
import shutil
from collections.abc import Mapping
from typing import Any

_NO_LINK = (errno.EXDEV, errno.EPERM, errno.EMLINK, errno.EOPNOTSUPP)


def kept_folder(path: str) -> str:
    """Where the files of the sessions in the database *path* are."""
    return os.path.join(os.path.dirname(path), "kept")


def keep(folder: str, session: str, path: str) -> str:
    """Give the file a second name in *folder*, or copy it; the new path. Raises `OSError`."""
    name = os.path.basename(path)
    if os.path.dirname(path) == folder:  # it is kept for another session already, whose name goes first
        name = name.partition("-")[2]
    kept = os.path.join(folder, f"{session}-{name}")
    os.makedirs(folder, 0o700, exist_ok=True)
    try:
        os.link(path, kept)
    except OSError as error:
        if error.errno not in _NO_LINK:
            raise
        shutil.copyfile(path, kept)
        os.chmod(kept, 0o600)
    return kept


def remove_kept(folder: str, session: str) -> None:
    """Remove the files of a session. Raises `OSError`."""
    for path in glob.glob(os.path.join(glob.escape(folder), f"{session}-*")):
        os.unlink(path)


def read_kept(whole: Mapping[str, Any]) -> tuple[str, str]:
    """The text of a file as it was noted (path, sha256), and its state: whole, missing, changed, or what ails it."""
    if "problem" in whole:
        return "", str(whole["problem"])
    try:
        with open(whole["path"], "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return "", "missing"
    except OSError as error:
        return "", error.strerror or str(error)
    if hashlib.sha256(data).hexdigest() != whole["sha256"]:
        return "", "changed"
    return data.decode("utf-8", "surrogatepass"), "whole"
