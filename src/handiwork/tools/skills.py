"""Skills: how to go about certain tasks. The agent binds the real handlers."""

from __future__ import annotations

from handiwork import registry

from ..core.handler import needs_agent
from ..core.types import Traits

_READS = Traits(read_only=True, effect="read", parallel_safe=True)
_OPTIONAL = {"type": "string", "default": ""}

registry.register(
    name="skills_list",
    toolset="skills",
    emoji="📚",
    handler=needs_agent("skills_list", "it knows where skills are"),
    traits=_READS,
    schema={
        "name": "skills_list",
        "description": "Names and descriptions of all skills, also of those that the prompt leaves out.",
        "parameters": {"type": "object", "additionalProperties": False, "properties": {}},
    },
)
registry.register(
    name="skill_view",
    toolset="skills",
    emoji="📚",
    handler=needs_agent("skill_view", "it knows where skills are"),
    traits=_READS,
    schema={
        "name": "skill_view",
        "description": "Show how to go about a task that a skill is for; then the files it names, as you need them.",
        "parameters": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "name": {"type": "string"},
                "file": {**_OPTIONAL, "description": "Not its text but this file"},
            },
            "required": ["name"],
        },
    },
)
registry.register(
    name="skill_manage",
    toolset="skills",
    emoji="📚",
    handler=needs_agent("skill_manage", "it knows where skills are"),
    traits=Traits(effect="write"),
    schema={
        "name": "skill_manage",
        "description": "Keep a way of working that proved itself for later sessions; mend or delete one that you kept.",
        "parameters": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "action": {"type": "string", "enum": ["create", "edit", "delete"]},
                "name": {"type": "string", "description": "a-z, 0-9, hyphens"},
                "description": {**_OPTIONAL, "description": "What it is for and when to use it"},
                "content": {**_OPTIONAL, "description": "The whole new text, in Markdown"},
                "file": {**_OPTIONAL, "description": "Not the skill's text but this file of it"},
            },
            "required": ["action", "name"],
        },
    },
)
