"""A path of a call: as it was written, where it leads, and the files it is among."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from ...core.errors import UsageError
from ...core.types import Files, Scope
from .local import LocalFiles

_LOCAL = LocalFiles()


@dataclass(frozen=True, slots=True)
class Target:
    """`path` is as the caller wrote it, `real` is what was judged and is opened."""

    files: Files
    path: str
    real: str

    @property
    def key(self) -> str:
        """What tells this file from all others, wherever they are."""
        return f"{self.files.place}:{self.real}"


def files_of(scope: Scope | None) -> Files:
    """The files that calls of *scope* work on: those of its environment, else this machine's."""
    return scope.environment.files if scope and scope.environment else _LOCAL


def target_of(path: str, scope: Scope | None, real_paths: Mapping[str, str] | None = None) -> Target:
    """The file that *path* means in *scope*; judged by the pipeline, or resolved here where none ran."""
    if not path or "\0" in path:
        raise UsageError(f"{path!r} is not a path", "give the path of a file")
    files = files_of(scope)
    real = (real_paths or {}).get(path)
    if not real:
        here = scope.here if scope else os.getcwd()
        real = files.real(path if path.startswith("~") else os.path.join(here, path))
    return Target(files, path, real)
