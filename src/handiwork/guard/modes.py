"""What the mode of a session makes of a verdict."""

from __future__ import annotations

from handiwork.core.config import Mode
from handiwork.core.types import ALLOW, Ask, Forbid, ToolEntry, Verdict


def in_mode(verdict: Verdict, entry: ToolEntry, mode: Mode, *, proven: bool) -> Verdict:
    """The verdict as it holds in *mode*. *proven* says that the call's commands are known to only read."""
    if mode == "yolo" and isinstance(verdict, Ask):
        return ALLOW
    reads = proven or entry.traits.resolved_effect() == "read"
    if mode == "read-only" and not isinstance(verdict, Forbid) and not reads:
        return Forbid("this session may only read", "leave the mode read-only, or use a tool that only reads")
    return verdict
