"""Which tools need an agent's part, and whether the agent at hand has it."""

from __future__ import annotations

from collections.abc import Collection

from ..catalog import checkpoints
from ..catalog.gate import Closed
from ..core.types import ToolEntry

# The tools whose parts `agents.build_agent` can bind, for those who ask without an agent at hand.
BY_OUR_AGENT = frozenset(
    [
        "todo",
        "clarify",
        "memory",
        "session_search",
        "delegate_task",
        "skills_list",
        "skill_view",
        "skill_manage",
        "tool_search",
        "tool_describe",
        "tool_call",
    ]
)


def unbound(entry: ToolEntry, bound: Collection[str] = BY_OUR_AGENT) -> Closed | None:
    """Why an agent that binds *bound* doesn't show the tool; None where nothing is missing."""
    return checkpoints.unbound(entry, bound)
