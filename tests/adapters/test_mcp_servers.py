"""Servers of FastMCP and of the MCP SDK, called in this process."""

from __future__ import annotations

import json

import pytest

from handiwork.adapters import register

pytest.importorskip("fastmcp", reason="the group `adapters` isn't installed")

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.tools import Tool
from fastmcp.utilities.types import Image
from mcp.server import MCPServer


@pytest.fixture
def server():
    made = FastMCP("demo")

    @made.tool(annotations={"readOnlyHint": True, "openWorldHint": False})
    def add(a: int, b: int = 1) -> int:
        """Add."""
        return a + b

    @made.tool
    async def whose(text: str, ctx: Context) -> str:
        """Say whose."""
        await ctx.report_progress(1, 2)
        return f"{text} {ctx.fastmcp.name}"

    @made.tool
    def picture() -> Image:
        """Give a picture."""
        return Image(data=b"\x89PNG1", format="png")

    @made.tool
    def failing() -> str:
        """Fail."""
        raise ToolError("not today")

    return made


def test_a_server(registry, call, server):
    assert register(registry, server, toolset="demo") == ["add", "whose", "picture", "failing"]
    assert set(registry.get("whose").parameters["properties"]) == {"text"}
    assert call("add", a="2").content == "3" and call("whose", text="hi").content == "hi demo"
    assert registry.get("add").traits.read_only and registry.get("whose").traits.resolved_effect() == "write"


def test_what_it_says_is_from_outside(registry, call, server):
    register(registry, server, toolset="demo")
    assert call("add", a=1).labels == ()
    assert call("whose", text="hi").labels[0].integrity == "outside" and "hi demo" in call("whose", text="hi").text


def test_pictures_and_errors(registry, call, server):
    register(registry, server, toolset="demo")
    result = call("picture")
    assert result.artifacts[0].mime == "image/png" and json.loads(result.content)["attachments"]
    assert call("failing").is_error and json.loads(call("failing").content)["error"] == "not today"


def test_a_tool_by_itself(registry, call):
    register(registry, Tool.from_function(lambda text: text * 2, name="twice", description="Twice."), toolset="t")
    assert call("twice", text="ab").content == "abab"


def test_a_server_of_the_sdk(registry, call):
    server = MCPServer("sdk")

    @server.tool()
    def less(a: int) -> int:
        """One less."""
        return a - 1

    assert register(registry, server, toolset="sdk") == ["less"] and call("less", a=3).content == "2"
    assert call("less", a="x").is_error
