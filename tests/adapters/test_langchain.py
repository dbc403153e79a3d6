"""LangChain's tools as they are."""

from __future__ import annotations

import json
from typing import Annotated

import pytest

from handiwork.adapters import register
from handiwork.core.errors import UsageError

pytest.importorskip("langchain_core", reason="the group `adapters` isn't installed")

from langchain_core.tools import (
    BaseTool,
    BaseToolkit,
    InjectedToolArg,
    InjectedToolCallId,
    StructuredTool,
    Tool,
    ToolException,
    tool,
)
from pydantic import BaseModel, Field


class Range(BaseModel):
    """Two ends."""

    low: int = Field(description="the low end", ge=0)
    high: int = 10


@tool
def between(span: Range, names: list[str]) -> str:
    """Say what is between."""
    return f"{span.low}-{span.high} {','.join(names)}"


@tool
async def slowly(text: str) -> str:
    """Say it."""
    return text


@tool(response_format="content_and_artifact")
def with_artifact(text: str):
    """Give both."""
    return text, {"more": 1}


@tool
def failing(text: str) -> str:
    """Fail."""
    raise ToolException(f"no {text}")


@tool
def breaking(text: str) -> str:
    """Break."""
    raise ValueError("broken")


handled = StructuredTool.from_function(failing.func, name="handled", description="Fail.", handle_tool_error=True)


@tool
def picture() -> list:
    """Give a picture."""
    data = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0K"}}
    return [{"type": "text", "text": "here"}, data]


@tool
def injected(text: str, user: Annotated[str, InjectedToolArg], call: Annotated[str, InjectedToolCallId]) -> str:
    """Know who."""
    return f"{text} {user} {call}"


class Own(BaseTool):
    name: str = "own tool!"
    description: str = "Of a class of its own."

    def _run(self, text: str) -> str:
        return text.upper()

    async def _arun(self, text: str) -> str:
        return f"async {text}"


class Kit(BaseToolkit):
    def get_tools(self) -> list[BaseTool]:
        return [between, slowly]


def test_schema_and_models(registry, call):
    assert register(registry, between, toolset="lc") == ["between"]
    entry = registry.get("between")
    assert entry.description == "Say what is between." and set(entry.parameters["properties"]) == {"span", "names"}
    assert call("between", span={"low": "2"}, names=["a", "b"]).content == "2-10 a,b"
    assert call("between", span={"low": -1}, names=[]).is_error


def test_async_ones_are_awaited(registry, call):
    register(registry, [slowly, Own()], toolset="lc")
    assert registry.get("slowly").is_async and call("slowly", text="hi").content == "hi"
    (name,) = [n for n in registry.names() if n.startswith("own_tool_")]
    assert call(name, text="hi").content == "async hi"


def test_a_kit(registry):
    assert register(registry, Kit(), toolset="lc", prefix="kit_") == ["kit_between", "kit_slowly"]


def test_content_wins_over_its_artifact(registry, call):
    register(registry, with_artifact, toolset="lc")
    assert call("with_artifact", text="said").content == "said"


@pytest.mark.parametrize("one", [failing, handled])
def test_their_own_refusals_are_errors(registry, call, one):
    (name,) = register(registry, one, toolset="lc")
    result = call(name, text="x")
    assert result.is_error and json.loads(result.content)["error"] == "no x"


def test_what_breaks_is_an_error(registry, call):
    register(registry, breaking, toolset="lc")
    result = call("breaking", text="x")
    assert result.is_error and "broken" in result.content


def test_pictures_are_artifacts(registry, call):
    register(registry, picture, toolset="lc")
    result = call("picture")
    assert result.content == "here" and result.artifacts[0].mime == "image/png" and result.artifacts[0].data


def test_what_is_injected_is_handed_in_and_hidden(registry, call):
    with pytest.raises(UsageError, match="injected wants user") as error:
        register(registry, injected, toolset="lc")
    assert "context=" in error.value.hint
    register(registry, injected, toolset="lc", context={"user": "Ann"})
    assert set(registry.get("injected").parameters["properties"]) == {"text"}
    assert call("injected", text="hi").content == "hi Ann call_7"
    assert call("injected", text="hi", user="Bob").content == "hi Ann call_7"


def test_the_oldest_kind_and_a_schema_as_data(registry, call):
    raw = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
    data = StructuredTool(name="data", description="d", args_schema=raw, func=lambda q: f"got {q}")
    register(registry, [Tool(name="old", description="d", func=lambda text: text * 2), data], toolset="lc")
    assert call("old", tool_input="ab").content == "abab" and call("data", q="x").content == "got x"
