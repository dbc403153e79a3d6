"""Servers of FastMCP and of the MCP SDK that live in this process: called as a client would, without a wire."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..core.bridge import tools_bridge
from ..core.loading import Late
from ..core.types import Args, Done, Traits
from .adapted import Adapted, Context, object_schema
from .blocks import done_of_blocks

fastmcp = Late("fastmcp")
mcp = Late("mcp")
Connect = Callable[[], Any]


def adapt_fastmcp(server: Any, _: Context) -> list[Adapted]:
    """The tools of a FastMCP server. Its middleware and contexts work as they do for any client."""
    return _of_server(partial(fastmcp.Client, server))


def adapt_fastmcp_tool(tool: Any, context: Context) -> list[Adapted]:
    """A tool of FastMCP by itself: it gets a server to stand on."""
    server = fastmcp.FastMCP(f"server of {tool.name}")
    server.add_tool(tool)
    return adapt_fastmcp(server, context)


def adapt_mcp(server: Any, _: Context) -> list[Adapted]:
    """The tools of a server of the MCP SDK."""
    return _of_server(partial(mcp.Client, server))


def _of_server(connect: Connect) -> list[Adapted]:
    async def listed() -> list[Any]:
        async with connect() as client:
            found = await client.list_tools()
            return [*getattr(found, "tools", found)]

    return [_adapted(connect, tool) for tool in tools_bridge.run(listed(), label="list_tools")]


def _adapted(connect: Connect, tool: Any) -> Adapted:
    async def run(args: Args) -> Done:
        async with connect() as client:
            return _done(await _call(client, tool.name, args))

    schema, output = _either(tool, "input_schema", "inputSchema"), _either(tool, "output_schema", "outputSchema")
    return Adapted(tool.name, tool.description or "", object_schema(schema), run, True, _traits(tool), output)


async def _call(client: Any, name: str, args: Args) -> Any:
    if hasattr(client, "call_tool_mcp"):  # FastMCP's own raises where the result is an error
        return await client.call_tool(name, args, raise_on_error=False)
    return await client.call_tool(name, args)


def _done(result: Any) -> Done:
    failed = bool(_either(result, "is_error", "isError"))
    return done_of_blocks(result.content, _either(result, "structured_content", "structuredContent"), is_error=failed)


def _traits(tool: Any) -> Traits:
    """The hints of a server in this process: somebody here wrote it, or chose it. Its texts are from outside."""
    hints = tool.annotations
    return Traits(
        read_only=bool(_either(hints, "read_only_hint", "readOnlyHint")),
        destructive=bool(_either(hints, "destructive_hint", "destructiveHint")),
        idempotent=bool(_either(hints, "idempotent_hint", "idempotentHint")),
        open_world=_either(hints, "open_world_hint", "openWorldHint") is not False,
    )


def _either(value: Any, *names: str) -> Any:
    """The first of the names that is there: they changed between versions."""
    return next((getattr(value, name) for name in names if hasattr(value, name)), None)
