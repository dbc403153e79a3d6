"""What the agent remembers from one session to the next. The agent binds the real handler."""

from __future__ import annotations

from handiwork import registry

from ..core.handler import needs_agent
from ..core.types import Traits

registry.register(
    name="memory",
    toolset="memory",
    emoji="🧠",
    handler=needs_agent("memory", "it keeps the notes"),
    traits=Traits(effect="write"),
    schema={
        "name": "memory",
        "description": "Short notes that last over sessions and stand in the prompt of the next: lasting facts and "
        "wishes, not the state of a task, no secrets.",
        "parameters": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "action": {"type": "string", "enum": ["add", "replace", "remove", "list"]},
                "target": {
                    "type": "string",
                    "enum": ["user", "memory"],
                    "default": "memory",
                    "description": "user: who the person is and likes; memory: what you learned",
                },
                "content": {"type": "string", "default": "", "description": "add, replace: the note"},
                "old": {
                    "type": "string",
                    "default": "",
                    "description": "replace, remove: a part of the old note that no other has",
                },
            },
            "required": ["action"],
        },
    },
)
