"""Tools and function toolsets of pydantic-ai."""

from __future__ import annotations

from typing import Any

from ..core.loading import Late
from ..core.types import UNDECLARED, Args
from ..core.wire import dumps
from .adapted import SENDS, Adapted, Context, object_schema
from .blocks import done_of_blocks, done_of_value, failure

pydantic = Late("pydantic")
theirs = Late("pydantic_ai")
exceptions = Late("pydantic_ai.exceptions")
usage = Late("pydantic_ai.usage")


def adapt_set(toolset: Any, context: Context) -> list[Adapted]:
    """The tools of a function toolset."""
    return [adapted for one in toolset.tools.values() for adapted in adapt(one, context)]


def adapt(tool: Any, context: Context) -> list[Adapted]:
    """One tool. What is given as context becomes the deps of its `RunContext`, or is one already."""
    schema = tool.function_schema

    async def run(args: Args, *, tool_call_id: str = "") -> Any:
        try:
            valid = schema.validator.validate_python(args)
            return _done(await schema.call(valid, _run_context(tool, context.given, tool_call_id)))
        except exceptions.ModelRetry as error:
            return failure(error)
        except pydantic.ValidationError as error:
            return failure(f"the arguments don't fit: {error}")

    traits = SENDS if tool.requires_approval else UNDECLARED
    return [Adapted(tool.name, tool.description or "", object_schema(schema.json_schema), run, True, traits)]


def _run_context(tool: Any, given: Any, call_id: str) -> Any:
    if isinstance(given, theirs.RunContext):
        return given
    absent: Any = None  # there is no model of theirs here
    return theirs.RunContext(
        deps=given, model=absent, usage=usage.RunUsage(), tool_call_id=call_id or None, tool_name=tool.name
    )


def _done(value: Any) -> Any:
    if not isinstance(value, theirs.ToolReturn):
        return done_of_value(value)
    said = value.return_value
    more = value.content or ()
    text = said if isinstance(said, str) else dumps(said)
    return done_of_blocks([text, *([more] if isinstance(more, str) else more)])
