"""A question to the person. The agent, or the face it runs in, binds the real handler."""

from __future__ import annotations

from handiwork import registry

from ..core.handler import needs_agent
from ..core.types import Traits

registry.register(
    name="clarify",
    toolset="clarify",
    emoji="❓",
    handler=needs_agent("clarify", "it knows the person to ask"),
    traits=Traits(effect="read", read_only=True, open_world=True),
    schema={
        "name": "clarify",
        "description": "Ask the person one question, when going on would mean guessing. Answers what they said.",
        "parameters": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "question": {"type": "string"},
                "choices": {
                    "type": "array",
                    "items": {"type": "string"},
                    "maxItems": 6,
                    "default": [],
                    "description": "Answers to choose from; another one can always be typed",
                },
            },
            "required": ["question"],
        },
    },
)
