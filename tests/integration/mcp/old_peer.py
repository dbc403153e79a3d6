"""A server on the SDK of before 2026 (mcp 1.x), run by the Python that has it: `old_peer.py stdio|sse PORT`."""

import sys

from mcp.server.fastmcp import Context, FastMCP
from pydantic import BaseModel

port = int(sys.argv[2]) if len(sys.argv) > 2 else 0
server = FastMCP("old", host="127.0.0.1", port=port, log_level="ERROR")


class Size(BaseModel):
    size: int = 3


@server.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@server.tool()
async def order(ctx: Context) -> str:
    """Ask how large it shall be."""
    said = await ctx.elicit("How large?", Size)
    return f"{said.action} {getattr(said, 'data', None) and said.data.size}"


@server.resource("note://{name}")
def note(name: str) -> str:
    """A note."""
    return f"about {name}"


@server.prompt()
def greet(who: str) -> str:
    """Greet somebody."""
    return f"Hello {who}"


server.run("sse" if sys.argv[1] == "sse" else "stdio")
