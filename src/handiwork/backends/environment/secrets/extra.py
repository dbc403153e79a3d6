"""What bound secrets need: the extra that brings certificates, and a place that keeps commands from the values."""

from __future__ import annotations

from importlib.util import find_spec

FIX = "pip install 'handiwork[secrets]'"


def missing() -> str:
    """Why no secret can be bound here, or ""; `FIX` is the command that mends it. Imports nothing."""
    absent = [name for name in ("h11", "trustme") if find_spec(name) is None]
    return f"no command runs with secrets that are bound to hosts: not installed: {', '.join(absent)}" if absent else ""


def looseness(place: str, network: object) -> str:
    """What isn't kept, or doesn't work, with secrets where commands run in *place*; "" where all is."""
    if ":" in place:
        return f"commands on {place} don't get them: nothing of ours stands on their way out; they are only masked"
    if place == "local":
        return "without a sandbox a command can read the values where they are kept: in results they are only masked"
    return "commands have no network, so they can't use them" if network == "off" else ""
