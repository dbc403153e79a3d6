"""An environment of its own for every library that is measured.

They live below `HANDIWORK_BENCH_CACHE` (or `~/.cache/handiwork-bench`), one folder a library and version,
and are built on first use: with `uv` where it is installed, else with `venv` and `pip`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Library:
    """What is installed into one environment: requirement strings, and whose version is reported."""

    distribution: str
    requirements: tuple[str, ...]


ANCHOR = Library("hermes-agent", ("hermes-agent==0.19.0",))
PEERS = (
    Library("llm", ("llm==0.36",)),
    Library("pydantic-ai-slim", ("pydantic-ai-slim==2.68.*",)),
    Library("toolregistry", ("toolregistry==0.19.*",)),
    Library("smolagents", ("smolagents==1.26.*",)),
)
# Those whose reading of arguments is compared, beside the peers that have one.
ARGUMENT_PEERS = (
    *(peer for peer in PEERS if peer.distribution != "toolregistry"),
    Library("langchain-core", ("langchain-core==1.8.*",)),
    Library("openai-agents", ("openai-agents==0.24.*",)),
    Library("agno", ("agno==3.1.*",)),
    Library("json-repair", ("json-repair==0.64.*",)),
)


def cache_folder() -> Path:
    """Where the environments are kept between runs."""
    named = os.environ.get("HANDIWORK_BENCH_CACHE")
    return Path(named) if named else Path.home() / ".cache" / "handiwork-bench"


def our_library() -> Library:
    """This checkout, installed in place, so that a changed file needs no new environment."""
    return Library("handiwork", ("--editable", str(REPOSITORY)))


def python_of(library: Library) -> Path:
    """The interpreter of a library's environment, which is built if it isn't there yet."""
    folder = cache_folder() / f"{library.distribution}-{_fingerprint(library)}"
    python = folder / "bin" / "python"
    ready = folder / "ready"
    if not ready.exists():
        print(f"building the environment of {library.distribution} ...", file=sys.stderr)
        shutil.rmtree(folder, ignore_errors=True)
        _build(folder, python, library.requirements)
        ready.touch()
    return python


def built_python_of(library: Library) -> Path | None:
    """The interpreter of a library's environment, where that is built already."""
    folder = cache_folder() / f"{library.distribution}-{_fingerprint(library)}"
    return folder / "bin" / "python" if (folder / "ready").exists() else None


def version_in(python: Path, distribution: str) -> str:
    """The installed version of a distribution, as its own interpreter sees it."""
    code = f"import importlib.metadata as m; print(m.version({distribution!r}))"
    found = subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=True)
    return found.stdout.strip()


def _fingerprint(library: Library) -> str:
    # Our own dependencies may change under an environment that is kept.
    project = (REPOSITORY / "pyproject.toml").read_bytes() if "--editable" in library.requirements else b""
    named = "\n".join((sys.version, *library.requirements)).encode()
    return hashlib.sha256(named + project).hexdigest()[:12]


def _build(folder: Path, python: Path, requirements: Sequence[str]) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    uv = shutil.which("uv")
    if uv:
        _run([uv, "venv", "--quiet", "--python", sys.executable, str(folder)])
        _run([uv, "pip", "install", "--quiet", "--python", str(python), *requirements])
    else:
        _run([sys.executable, "-m", "venv", str(folder)])
        _run([str(python), "-m", "pip", "install", "-qq", *requirements])


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, stdout=sys.stderr, check=False)
    if done.returncode:
        raise SystemExit(f"`{' '.join(command)}` failed: is there a package index? (exit {done.returncode})")
