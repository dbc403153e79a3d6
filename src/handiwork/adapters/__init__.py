"""Tools of other systems, taken as they are: LangChain, pydantic-ai, FastMCP, smolagents, OpenAI Agents, OpenAPI.

None of their packages is imported before somebody hands over an object that is theirs.
"""

from __future__ import annotations

from .openapi import register_openapi
from .registering import register

__all__ = ["register", "register_openapi"]
