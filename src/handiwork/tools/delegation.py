"""Work that is handed on to other agents. The agent binds the real handler."""

from __future__ import annotations

from typing import Any

from handiwork import registry

from ..core.delegation import DELEGATION_LIMITS
from ..core.handler import needs_agent
from ..core.types import Traits

_TEXT: dict[str, Any] = {"type": "string"}
_SEVERAL: dict[str, Any] = {"type": "array", "items": _TEXT, "default": []}


def _with_limits() -> dict[str, Any]:
    most = DELEGATION_LIMITS
    return {
        "description": "Give separate pieces of work to fresh agents. They work side by side, see nothing but what you "
        "write, and answer with what they found and which files they wrote. "
        f"At most {most.tasks} tasks, {most.at_once} of them at once; each ends after {most.steps} steps or "
        f"{most.seconds:g} s, with what it has by then."
    }


registry.register(
    name="delegate_task",
    toolset="delegation",
    emoji="🤝",
    handler=needs_agent("delegate_task", "it starts the other agents"),
    traits=Traits(effect="write"),
    dynamic_schema_overrides=_with_limits,
    schema={
        "name": "delegate_task",
        **_with_limits(),
        "parameters": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "tasks": {
                    "type": "array",
                    "maxItems": DELEGATION_LIMITS.tasks,
                    "default": [],
                    "items": {
                        "type": "object",
                        "additionalProperties": False,
                        "properties": {
                            "task": {**_TEXT, "description": "What to do, all that must be known, what to answer"},
                            "tools": {**_SEVERAL, "description": "Only these toolsets or tools of yours"},
                        },
                        "required": ["task"],
                    },
                },
                "seconds": {"type": "number", "exclusiveMinimum": 0, "description": "A shorter limit for each"},
                "background": {
                    "type": "boolean",
                    "default": False,
                    "description": "Answer ids at once; results come as notices; what still runs ends with your turn",
                },
                "wait": {**_SEVERAL, "description": "Ids from the background to wait for"},
            },
            "required": [],
        },
    },
)
