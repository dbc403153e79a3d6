"""The way to tools that are not shown because showing all would cost too much. The house binds the real handlers.

They are shown themselves only while something is deferred.
"""

from __future__ import annotations

from handiwork import registry

from ..core.handler import needs_agent
from ..core.types import Traits

_NAME = {"type": "string", "description": "A name that tool_search gave"}

registry.register(
    name="tool_search",
    toolset="tool_search",
    emoji="🔎",
    handler=needs_agent("tool_search", "it knows which tools wait"),
    traits=Traits(read_only=True, effect="read", parallel_safe=True),
    schema={
        "name": "tool_search",
        "description": "Find more tools than those shown, by what they do. Search before saying that you can't.",
        "parameters": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "query": {"type": "string", "description": "What the tool should do, in any language"},
                "limit": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 20,
                    "default": 5,
                    "description": "Most tools to give",
                },
            },
            "required": ["query"],
        },
    },
)
registry.register(
    name="tool_describe",
    toolset="tool_search",
    emoji="🔎",
    handler=needs_agent("tool_describe", "it knows which tools wait"),
    traits=Traits(read_only=True, effect="read", parallel_safe=True),
    schema={
        "name": "tool_describe",
        "description": "Show the parameters that a found tool takes.",
        "parameters": {
            "type": "object",
            "additionalProperties": False,
            "properties": {"name": _NAME},
            "required": ["name"],
        },
    },
)
registry.register(
    name="tool_call",
    toolset="tool_search",
    emoji="🔎",
    handler=needs_agent("tool_call", "it knows which tools wait"),
    # What the called tool does is judged, journaled and asked about when it is called.
    traits=Traits(read_only=True, effect="read", touches={"name": "tool"}),
    schema={
        "name": "tool_call",
        "description": "Run a tool that isn't among yours, by its name; answers what that tool answers.",
        "parameters": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "name": _NAME,
                "arguments": {
                    "type": "object",
                    "additionalProperties": True,
                    "default": {},
                    "description": "As tool_describe shows them",
                },
            },
            "required": ["name"],
        },
    },
)
