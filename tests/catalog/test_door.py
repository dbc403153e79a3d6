"""@tool: schemas from hints and docstrings."""

from __future__ import annotations

import asyncio
import enum
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Literal, Optional

import pytest

from handiwork import ToolRegistry, tool
from handiwork.core.types import Scope


class Colour(enum.Enum):
    RED = "red"


@dataclass
class Point:
    x: int
    y: int = 0


def parameters(registry, name):
    return registry.get(name).parameters


def define(fn, registry, **options):
    return tool(toolset="demo", registry=registry, **options)(fn)


def test_the_function_stays_a_function_and_becomes_a_tool(registry):
    def add(a: int, b: int = 2) -> int:
        """Add two numbers."""
        return a + b

    assert define(add, registry) is add and add(1) == 3
    assert registry.get("add").description == "Add two numbers."
    assert json.loads(registry.dispatch("add", {"a": 5, "b": 6})) == 11
    assert parameters(registry, "add") == {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer", "default": 2}},
        "required": ["a"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        (str, {"type": "string"}),
        (float, {"type": "number"}),
        (bool, {"type": "boolean"}),
        (list, {"type": "array"}),
        (dict, {"type": "object"}),
        (Any, {}),
        (list[str], {"type": "array", "items": {"type": "string"}}),
        (Sequence[int], {"type": "array", "items": {"type": "integer"}}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (Literal[1, "b"], {"enum": [1, "b"]}),
        (Optional[int], {"type": ["integer", "null"]}),  # noqa: UP045
        (int | str, {"type": ["integer", "string"]}),
        (list[int] | None, {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}]}),
        (Annotated[int, "how many"], {"type": "integer", "description": "how many"}),
    ],
)
def test_plain_hints(registry, hint, expected):
    def f(x): ...

    f.__annotations__["x"] = hint
    define(f, registry)
    assert parameters(registry, "f")["properties"]["x"] == expected


def test_types_that_json_does_not_have_are_converted(registry):
    def f(when: date, where: Point, colour: Colour, pair: tuple[int, str]) -> str:
        return f"{type(when).__name__} {where.x + where.y} {colour.name} {pair[1]}"

    f.__annotations__ = {"when": date, "where": Point, "colour": Colour, "pair": tuple[int, str]}
    define(f, registry)
    args = {"when": "2026-01-02", "where": {"x": 1}, "colour": "red", "pair": [1, "z"]}
    assert registry.dispatch("f", args) == "date 1 RED z"
    assert parameters(registry, "f")["properties"]["when"]["format"] == "date"


@pytest.mark.parametrize(
    "doc",
    [
        "Forecast for a city.\n\nArgs:\n    city: Name in\n        English.\n    days (int): 1-7\n\nReturns:\n    x",
        "Forecast for a city.\n\n:param city: Name in English.\n:param int days: 1-7",
        "Forecast for a city.  city: Name in English.  days: 1-7",
    ],
)
def test_docstrings_describe_parameters(registry, doc):
    def weather(city: str, days: int = 1): ...

    weather.__doc__ = doc
    define(weather, registry)
    properties = parameters(registry, "weather")["properties"]
    assert properties["city"]["description"] == "Name in English." and properties["days"]["description"] == "1-7"
    assert registry.get("weather").description == "Forecast for a city."


def test_a_scope_is_filled_in_and_hidden(registry):
    def where(name: str, scope: Scope) -> str:
        return f"{name} in {scope.cwd}"

    where.__annotations__ = {"name": str, "scope": Scope}
    define(where, registry)
    assert list(parameters(registry, "where")["properties"]) == ["name"]
    assert registry.dispatch("where", {"name": "x"}, scope=Scope(cwd="/here")) == "x in /here"


def test_async_functions(registry):
    async def late(x: int) -> int:
        await asyncio.sleep(0)
        return x + 1

    define(late, registry)
    assert registry.get("late").is_async and registry.dispatch("late", {"x": 1}) == "2"


def test_errors_name_the_parameter_and_the_line(registry):
    class Odd: ...

    def f(x): ...

    f.__annotations__["x"] = Odd
    with pytest.raises(TypeError, match=r"test_door.py:\d+: f\(\): can't make a schema of parameter 'x'"):
        define(f, registry)

    def g(*args: int): ...

    with pytest.raises(TypeError, match="parameter 'args' must be one that can be passed by name"):
        define(g, registry)


def test_without_parentheses_the_module_is_the_toolset():
    mine = ToolRegistry()

    def f(): ...

    tool(registry=mine)(f)
    assert mine.get("f").toolset == "test_door"


def test_a_hint_goes_through_the_door_and_must_be_text(registry):
    def bill() -> str:
        """Bill a customer."""
        return ""

    define(bill, registry, search_hint="Rechnung")
    assert registry.get("bill").search_hint == "Rechnung"
    define(bill, registry, name="other", search_hint=["Rechnung"])
    assert registry.get("other") is None and "search_hint" in registry.rejections("other")[0].reason
