"""The extra that embeddings need: whether it is there, and what brings it."""

from __future__ import annotations

from importlib.util import find_spec

FIX = "pip install 'handiwork[embeddings]'"
_PACKAGES = ("wordllama", "numpy", "safetensors", "tokenizers")


def missing() -> str:
    """Why there are no embeddings here, or ""; `FIX` is the command that mends it. Imports nothing."""
    absent = [name for name in _PACKAGES if find_spec(name) is None]
    return f"the tool search works by words alone: not installed: {', '.join(absent)}" if absent else ""
