"""The extra that traces need: whether it is there, and what brings it. Imports nothing of it."""

from __future__ import annotations

from importlib.util import find_spec

FIX = "pip install 'handiwork[otel]'"
_PACKAGES = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")


def missing() -> str:
    """Why there can be no traces here, or ""; `FIX` is the command that mends it."""
    absent = [name for name in _PACKAGES if not _is_there(name)]
    return f"traces are asked for and not sent: not installed: {', '.join(absent)}" if absent else ""


def _is_there(name: str) -> bool:
    """Whether a package inside packages is installed: looked for from the outermost one on."""
    parts = name.split(".")
    return all(find_spec(".".join(parts[:count])) for count in range(1, len(parts) + 1))
