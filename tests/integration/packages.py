"""Programs from npm packages, installed once into a cache that tests share."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "handiwork-tests"


class UnreachableError(Exception):
    """A package can't be installed here."""


def program_of(package: str, program: str) -> Path:
    """The program of a package. Raises `UnreachableError`."""
    place = CACHE / "npm" / package.replace("/", "_")
    found = place / "node_modules" / ".bin" / program
    if not found.exists():
        if not (npm := shutil.which("npm")):
            raise UnreachableError("npm isn't installed")
        install([npm, "install", "--prefix", str(place), "--no-audit", "--no-fund", package])
    return found


def install(command: list[str]) -> None:
    """Run an installer. Raises `UnreachableError` with what it said."""
    CACHE.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        raise UnreachableError(f"{command[-1]} can't be installed: {(done.stderr or done.stdout)[-300:]}")


def skip(unreachable: UnreachableError) -> None:
    """Skip the test, or fail it where all is required."""
    if os.environ.get("HANDIWORK_REQUIRE_ALL") == "1":
        raise unreachable
    pytest.skip(str(unreachable))
