"""A server of the SDK's own making, for tests: `peer.py stdio`, `peer.py http PORT`, `peer.py sse PORT`."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.utilities.types import Image
from mcp_types import ToolAnnotations

server = MCPServer("peer", log_level="ERROR")
NOTES = Path(os.environ.get("PEER_NOTES", os.devnull))


def note(text: str) -> None:
    with NOTES.open("a", encoding="utf-8") as file:
        file.write(f"{text}\n")


@server.tool()
def echo(text: str) -> str:
    """Say it back."""
    return text


@server.tool()
def pid() -> int:
    """The number of this process."""
    return os.getpid()


@server.tool()
def big(size: int) -> str:
    """A long text."""
    return "b" * size


@server.tool()
def commit() -> str:
    """Do something that can't be undone, and end before saying so."""
    note("committed")
    os._exit(7)


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def look() -> str:
    """Look at something, and end the first time."""
    note("looked")
    if NOTES.read_text(encoding="utf-8").count("looked") < 2:
        os._exit(7)
    return "seen"


@server.tool(annotations=ToolAnnotations(destructive_hint=True))
def wipe() -> str:
    """Say that it wipes."""
    return "wiped"


@server.tool()
async def slow(seconds: float) -> str:
    """Take a while; writes down whether it was cancelled."""
    note("begun")
    try:
        await asyncio.sleep(seconds)
    except asyncio.CancelledError:
        note("cancelled")
        raise
    return "done"


@server.tool()
async def steps(count: int, each: float, ctx: Context) -> str:
    """Tell of each step."""
    for step in range(1, count + 1):
        await asyncio.sleep(each)
        await ctx.report_progress(step, count, f"step {step}")
    return "done"


@server.tool()
def fail() -> str:
    """Break."""
    raise ToolError("it broke")


@server.tool()
def picture() -> Image:
    """A small picture."""
    return Image(data=b"\x89PNG\r\n\x1a\n" + b"0" * 64, format="png")


@server.tool()
async def grow(ctx: Context) -> str:
    """Get another tool."""
    server.add_tool(lambda: "new", name="grown", description="A new tool.")
    await ctx.session.send_tool_list_changed()
    await ctx.notify_tools_changed()
    return "grown"


@server.prompt()
def greet(who: str) -> str:
    """Greet somebody."""
    return f"Say hello to {who}."


def main(kind: str, port: int = 0) -> None:
    if kind == "stdio":
        server.run("stdio")
    elif kind == "sse":
        server.run("sse", host="127.0.0.1", port=port)
    else:
        server.run("streamable-http", host="127.0.0.1", port=port, json_response=kind == "http-json")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:3]))
