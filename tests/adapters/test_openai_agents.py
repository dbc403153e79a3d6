"""Function tools of the OpenAI Agents SDK as they are."""

from __future__ import annotations

import pytest

from handiwork.adapters import register

pytest.importorskip("agents", reason="the group `adapters` isn't installed")

from agents import RunContextWrapper, function_tool


@function_tool
def greet(ctx: RunContextWrapper[str], times: int) -> str:
    """Greet.

    Args:
        times: how often
    """
    return f"{ctx.context} {times}"


@function_tool(failure_error_function=None)
async def breaking(text: str) -> str:
    """Break."""
    raise ValueError(f"no {text}")


@function_tool(needs_approval=True)
def guarded() -> str:
    """Ask first."""
    return "done"


def test_the_context_is_handed_in_and_hidden(registry, call):
    assert register(registry, greet, toolset="oai", context="Ann") == ["greet"]
    assert set(registry.get("greet").parameters["properties"]) == {"times"}
    assert call("greet", times="2").content == "Ann 2"


def test_errors(registry, call):
    register(registry, breaking, toolset="oai")
    assert call("breaking", text="x").is_error and "no x" in call("breaking", text="x").content


def test_what_wants_approval_asks(registry, call):
    register(registry, guarded, toolset="oai")
    assert call("guarded").status == "refused" and call("guarded", lambda ready, ask: True).content == "done"
