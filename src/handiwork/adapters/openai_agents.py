"""Function tools of the OpenAI Agents SDK."""

from __future__ import annotations

from typing import Any

from ..core.loading import Late
from ..core.types import UNDECLARED, Args
from ..core.wire import dumps
from .adapted import SENDS, Adapted, Context, object_schema
from .blocks import done_of_value

contexts = Late("agents.tool_context")


def adapt(tool: Any, context: Context) -> list[Adapted]:
    """One tool. What is given as context is what its `RunContextWrapper` holds.

    A failure that the tool turns into a text of its own is that text; the others are errors.
    """

    async def run(args: Args, *, tool_call_id: str = "") -> Any:
        text = dumps(args)
        own = contexts.ToolContext(
            context=context.given, tool_name=tool.name, tool_call_id=tool_call_id or "call", tool_arguments=text
        )
        return done_of_value(await tool.on_invoke_tool(own, text))

    traits = SENDS if getattr(tool, "needs_approval", False) else UNDECLARED
    return [Adapted(tool.name, tool.description, object_schema(tool.params_json_schema), run, True, traits)]
