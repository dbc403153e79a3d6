"""Looking back into earlier sessions. The agent binds the real handler."""

from __future__ import annotations

from handiwork import registry

from ..core.handler import needs_agent
from ..core.types import Traits

registry.register(
    name="session_search",
    toolset="session_search",
    emoji="🕰️",
    handler=needs_agent("session_search", "it knows where sessions are stored"),
    traits=Traits(read_only=True, effect="read", parallel_safe=True),
    schema={
        "name": "session_search",
        "description": "Find what was said in earlier sessions: passages with session and entry. "
        "With session it reads around that entry, with neither query nor session it lists the latest.",
        "parameters": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "query": {"type": "string", "default": "", "description": "Words"},
                "since": {"type": "string", "default": "", "description": "2026-03-31, or 7d: a week ago"},
                "until": {"type": "string", "default": "", "description": "Likewise"},
                "session": {"type": "string", "default": "", "description": "Id"},
                "entry": {"type": "integer", "default": 0},
                "limit": {"type": "integer", "minimum": 1, "maximum": 10, "default": 5, "description": "Sessions"},
            },
            "required": [],
        },
    },
)
