"""Tools and toolkits of LangChain."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, get_type_hints

from ..core.errors import UsageError
from ..core.loading import Late
from ..core.types import Args, Done, Schema
from .adapted import Adapted, Context, object_schema
from .blocks import done_of_blocks, failure

tools = Late("langchain_core.tools")
pydantic = Late("pydantic")


def adapt_kit(kit: Any, context: Context) -> list[Adapted]:
    """The tools of a toolkit."""
    return [adapted for one in kit.get_tools() for adapted in adapt(one, context)]


def adapt(tool: Any, context: Context) -> list[Adapted]:
    """One tool. Raises `UsageError` where it wants what only LangChain's own runtime has, and nobody gave it."""
    given = dict(context.given) if isinstance(context.given, Mapping) else {}
    hidden = set(getattr(tool, "_injected_args_keys", ()))
    missing = hidden - set(given) - _filled_by_langchain(tool)
    if missing:
        hint = f"hand them in: register(..., context={{{', '.join(f'{name!r}: ...' for name in sorted(missing))}}})"
        raise UsageError(f"{tool.name} wants {', '.join(sorted(missing))} from its own runtime", hint)
    injected = {name: value for name, value in given.items() if name in hidden}

    def call_of(args: Args, call_id: str) -> dict[str, Any]:
        return {"type": "tool_call", "name": tool.name, "args": {**args, **injected}, "id": call_id or "call"}

    def run(args: Args, *, tool_call_id: str = "") -> Done:
        try:
            return _done(tool.invoke(call_of(args, tool_call_id)))
        except tools.ToolException as error:
            return failure(error)

    async def arun(args: Args, *, tool_call_id: str = "") -> Done:
        try:
            return _done(await tool.ainvoke(call_of(args, tool_call_id)))
        except tools.ToolException as error:
            return failure(error)

    is_async = _is_async(tool)
    handler = arun if is_async else run
    return [Adapted(tool.name, tool.description, _parameters(tool), handler, is_async)]


def _parameters(tool: Any) -> Schema:
    if isinstance(tool, tools.Tool):  # the oldest kind: one text, under a name of its own
        return {"type": "object", "properties": dict(tool.args), "required": [*tool.args]}
    schema = tool.tool_call_schema
    if isinstance(schema, dict):
        return object_schema({key: value for key, value in schema.items() if key not in ("title", "description")})
    made = schema.model_json_schema() if hasattr(schema, "model_json_schema") else schema.schema()
    return object_schema({key: value for key, value in made.items() if key not in ("title", "description")})


def _filled_by_langchain(tool: Any) -> set[str]:
    """The injected arguments that `invoke` fills by itself: the id of the call."""
    schema = tool.get_input_schema()
    hints = get_type_hints(schema, include_extras=True) if inspect.isclass(schema) else {}
    return {name for name, hint in hints.items() if tools.InjectedToolCallId in _notes(hint)}


def _notes(hint: Any) -> list[Any]:
    notes = getattr(hint, "__metadata__", ())
    return [note if inspect.isclass(note) else type(note) for note in notes]


def _is_async(tool: Any) -> bool:
    own = type(tool)._arun
    if getattr(tool, "coroutine", None) is not None:
        return True
    return own not in (tools.BaseTool._arun, tools.StructuredTool._arun, tools.Tool._arun)


def _done(message: Any) -> Done:
    content = getattr(message, "content", message)
    failed = getattr(message, "status", "success") == "error"
    blocks = content if isinstance(content, list) else [content]
    return done_of_blocks(blocks, getattr(message, "artifact", None), is_error=failed)
