"""Envelopes, what each takes beside the schema, and tools that stay behind."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from handiwork import Toolbox
from handiwork.catalog.dialects import DIALECTS
from handiwork.catalog.dialects.definitions import ENVELOPES, Definer
from handiwork.core.errors import UnknownNameError
from handiwork.core.types import ToolEntry

WEATHER = {
    "name": "weather",
    "description": "The weather of a city.",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["city"],
    },
}
OUTPUT = {"type": "object", "properties": {"degrees": {"type": ["number", "null"]}}}


def entry(**more: Any) -> ToolEntry:
    return ToolEntry("weather", "demo", WEATHER, handler=lambda args: "", **more)


def one(dialect: str, function: dict[str, Any] = WEATHER, **more: Any) -> dict[str, Any]:
    definer = Definer(lambda _, example: "city" in example)
    (definition,) = definer.of([{"type": "function", "function": function}], dialect, [entry(**more)]).definitions
    return definition


@pytest.mark.parametrize("dialect", ["openai", "llamacpp"])
def test_openai_and_its_likes(dialect: str) -> None:
    assert one(dialect) == {"type": "function", "function": WEATHER}


def test_strict_says_so_and_is() -> None:
    function = one("openai-strict")["function"]
    assert function["strict"] is True
    assert function["parameters"]["properties"]["days"] == {"type": ["integer", "null"]}
    assert function["parameters"]["additionalProperties"] is False


def test_a_tool_that_strict_would_cut_short_goes_out_as_before() -> None:
    free = {**WEATHER, "parameters": {"type": "object", "properties": {"headers": {"type": "object"}}}}
    function = one("openai-strict", free)["function"]
    assert "strict" not in function
    assert function["parameters"]["properties"]["headers"] == {"type": "object"}


def test_anthropic_takes_examples_that_are_right() -> None:
    assert set(one("anthropic")) == {"name", "description", "input_schema"}
    shown = one("anthropic", examples=({"city": "Bern"}, {"town": "Bern"}, "Bern"))
    assert shown["input_examples"] == [{"city": "Bern"}]
    assert "input_examples" not in one("anthropic", examples=("Bern",))


def test_gemini_takes_a_response_and_no_empty_parameters() -> None:
    shown = one("gemini", output_schema=OUTPUT)
    assert shown["response"]["properties"] == {"degrees": {"type": "number", "nullable": True}}
    assert shown["parameters"] == WEATHER["parameters"]
    assert set(one("gemini", {**WEATHER, "parameters": {"type": "object"}})) == {"name", "description"}


def test_mcp_takes_what_the_author_wrote() -> None:
    parameters = {**WEATHER["parameters"], "$schema": "https://json-schema.org/draft/2020-12/schema"}  # type: ignore[dict-item]
    shown = one("mcp", {**WEATHER, "parameters": parameters}, output_schema=OUTPUT)
    assert shown == {
        "name": "weather", "description": WEATHER["description"], "inputSchema": parameters, "outputSchema": OUTPUT,
    }  # fmt: skip
    assert "outputSchema" not in one("mcp", output_schema={"type": "string"})


def test_an_unknown_dialect_is_told_with_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="gemni") as error:
        Definer().of([], "gemni")
    assert "gemini" in error.value.hint
    assert set(ENVELOPES) == {*DIALECTS, "mcp"}


# ----------------------------------------------------------------------------------------- the toolbox


def test_a_toolbox_names_the_tool_that_stays_behind(registry: Any, add: Any, caplog: pytest.LogCaptureFixture) -> None:
    add("fine", properties={"a": {"type": "string"}})
    add("odd", properties={"späť": {"type": "string"}}, required=("späť",))
    box = Toolbox(registry)
    with caplog.at_level(logging.WARNING):
        assert [d["name"] for d in box.definitions("anthropic")] == ["fine"]
    assert "odd" in caplog.text and "späť" in caplog.text
    story = box.why("odd")
    assert not story.visible and "/properties/späť" in story.stop.detail
    (message,) = box.run([("odd", {"späť": "x"})])
    assert "error" in message["content"]
    assert [d["function"]["name"] for d in box.definitions()] == ["fine", "odd"]
    assert box.why("odd").visible and box.why("fine").visible


def test_examples_reach_anthropic_through_the_toolbox(registry: Any, add: Any) -> None:
    add("count", properties={"n": {"type": "integer"}}, required=("n",), examples=({"n": 1}, {"n": "1"}, {}))
    (count,) = Toolbox(registry).definitions("anthropic")
    assert count["input_examples"] == [{"n": 1}]


def test_definitions_are_made_once_until_something_changes(registry: Any, add: Any) -> None:
    add("one")
    box = Toolbox(registry)
    first = box.definitions("gemini")
    assert box.definitions("gemini")[0] is first[0]
    with pytest.raises(TypeError, match="frozen"):
        first[0]["name"] = "two"
    add("two")
    assert [d["name"] for d in box.definitions("gemini")] == ["one", "two"]
