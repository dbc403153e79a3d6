"""The agent's own list of what is to be done. The agent binds the real handler."""

from __future__ import annotations

from handiwork import registry

from ..core.handler import needs_agent
from ..core.types import Traits

registry.register(
    name="todo",
    toolset="todo",
    emoji="📋",
    handler=needs_agent("todo", "it keeps the list"),
    traits=Traits(effect="idempotent", idempotent=True),
    schema={
        "name": "todo",
        "description": "Your task list for work of three or more steps. Without todos it answers the list.",
        "parameters": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "todos": {
                    "type": "array",
                    "maxItems": 50,
                    "description": "The whole new list, in order; one item in_progress at a time",
                    "items": {
                        "type": "object",
                        "properties": {
                            "id": {"type": "string"},
                            "content": {"type": "string"},
                            "status": {
                                "type": "string",
                                "enum": ["pending", "in_progress", "completed", "cancelled"],
                            },
                        },
                        "required": ["id", "content", "status"],
                    },
                },
                "merge": {
                    "type": "boolean",
                    "default": False,
                    "description": "Change and add the given items by id, keep the others",
                },
            },
            "required": [],
        },
    },
)
