"""Prompts of MCP servers in a chat: with `/mcp__SERVER__PROMPT name=value` the person says what the server wrote."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from ...core.errors import UsageError
from ...core.types import ToolCall
from .calling import parsed

if TYPE_CHECKING:
    from ..house import House

_USER = "user: "


def expanded(house: House, prompt: str) -> str:
    """The prompt that is meant; words that name none stay as they are. Raises `UsageError` where a server has none."""
    name, _, rest = prompt.partition(" ")
    name = name.removeprefix("/")
    if not prompt.startswith("/mcp__") or not house.servers.may_have(name):
        return prompt
    server, _, asked = name.removeprefix("mcp__").partition("__")
    house.servers.await_tool(name)
    args = {"name": asked, "arguments": dict(word.partition("=")[::2] for word in shlex.split(rest))}
    result = house.pipeline.run(ToolCall(f"mcp__{server}__get_prompt", args, scope=house.scope()))
    if result.is_error or result.status == "refused":
        said = parsed(result.content)
        why = said.get("error", result.content) if isinstance(said, dict) else result.content
        raise UsageError(f"no prompt {asked!r} of {server}: {why}", f"handiwork tools call mcp__{server}__list_prompts")
    return result.content.removeprefix(_USER)
