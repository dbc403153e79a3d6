"""pydantic-ai's tools as they are."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from handiwork.adapters import register

pytest.importorskip("pydantic_ai", reason="the group `adapters` isn't installed")

from pydantic import BaseModel
from pydantic_ai import BinaryContent, ModelRetry, RunContext, Tool, ToolReturn
from pydantic_ai.toolsets import FunctionToolset


@dataclass
class Deps:
    who: str


class Point(BaseModel):
    x: int
    y: int = 0


def greet(ctx: RunContext[Deps], times: int) -> str:
    """Greet.

    Args:
        ctx: theirs
        times: how often
    """
    return f"{ctx.deps.who} {times} {ctx.tool_call_id} {ctx.tool_name}"


async def move(point: Point) -> Point:
    """Move."""
    return Point(x=point.x + 1, y=point.y)


def retry(text: str) -> str:
    """Ask again."""
    raise ModelRetry(f"not {text}")


def picture() -> BinaryContent:
    """Give a picture."""
    return BinaryContent(data=b"\x89PNG", media_type="image/png")


def both() -> ToolReturn:
    """Give a value and a picture."""
    return ToolReturn(return_value={"n": 1}, content=["see", BinaryContent(data=b"x", media_type="image/gif")])


def test_deps_are_handed_in_and_hidden(registry, call):
    assert register(registry, Tool(greet), toolset="pai", context=Deps("Ann")) == ["greet"]
    assert set(registry.get("greet").parameters["properties"]) == {"times"}
    assert registry.get("greet").parameters["properties"]["times"]["description"] == "how often"
    assert call("greet", times="2").content == "Ann 2 call_7 greet"


def test_a_toolset_with_models(registry, call):
    assert register(registry, FunctionToolset([move, retry]), toolset="pai") == ["move", "retry"]
    assert json.loads(call("move", point={"x": "1"}).content) == {"x": 2, "y": 0}


def test_a_retry_is_an_error(registry, call):
    register(registry, Tool(retry), toolset="pai")
    result = call("retry", text="x")
    assert result.is_error and json.loads(result.content)["error"] == "not x"


def test_pictures_are_artifacts(registry, call):
    register(registry, [Tool(picture), Tool(both)], toolset="pai")
    assert call("picture").artifacts[0].data == b"\x89PNG"
    result = call("both")
    assert result.content == '{"n": 1}\nsee' and result.artifacts[0].mime == "image/gif"


def test_what_wants_approval_asks(registry, call):
    register(registry, Tool(retry, name="guarded", requires_approval=True), toolset="pai")
    assert call("guarded", text="x").status == "refused"
    assert call("guarded", lambda ready, ask: True, text="x").status == "error"
