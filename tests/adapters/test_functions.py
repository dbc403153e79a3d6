"""Plain functions, names, and what is no tool."""

from __future__ import annotations

import functools
import subprocess
import sys

import pytest

from handiwork.adapters import register
from handiwork.adapters.adapted import fit_name
from handiwork.core.errors import UsageError


def add(a: int, b: int = 1) -> int:
    """Add two numbers.  a: the first  b: the second"""
    return a + b


async def slow(text: str) -> str:
    """Say it."""
    return text


class Counter:
    """Counts."""

    def __init__(self) -> None:
        self.count = 0

    def up(self, by: int = 1) -> int:
        """Count up."""
        self.count += by
        return self.count

    def __call__(self, by: int) -> int:
        """Count."""
        return self.up(by)


def test_functions_methods_and_callables(registry, call):
    counter = Counter()
    names = register(registry, [add, slow, counter.up, counter], toolset="t", prefix="x_")
    assert names == ["x_add", "x_slow", "x_up", "x_Counter"]
    assert call("x_add", a="2").content == "3" and call("x_slow", text="hi").content == "hi"
    assert call("x_up", by=2).content == "2" and call("x_Counter", by=3).content == "5"
    assert registry.get("x_add").parameters["properties"]["a"]["description"] == "the first"
    assert add(1, 1) == 2


def test_a_name_that_is_taken_is_refused(registry, call):
    assert register(registry, add, toolset="one") == ["add"]
    assert register(registry, add, toolset="two") == []
    assert "one" in registry.rejections("add")[0].reason


@pytest.mark.parametrize("thing", [3, "add", object(), int, functools.partial])
def test_what_is_no_tool_is_told(registry, thing):
    with pytest.raises(UsageError, match="not a tool"):
        register(registry, thing, toolset="t")


def test_names_stay_apart():
    raw = ["read-file", "read_file", "read.file", "read file", "数据", "价格", "a" * 64, "a" * 65, "a" * 66, ""]
    fitted = [fit_name(name) for name in raw]
    assert len(set(fitted)) == len(raw) and fitted == [fit_name(name) for name in raw]
    assert all(1 <= len(name) <= 64 and set(name) <= set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") for name in fitted)  # fmt: skip
    assert fitted[0] == "read-file" and fitted[1] == "read_file"


def test_nothing_of_theirs_is_imported():
    code = (
        "import sys, handiwork.adapters as a, handiwork\n"
        "def f(x: int) -> int:\n    return x\n"
        "a.register(handiwork.ToolRegistry(), f, toolset='t')\n"
        "print(sorted({n.partition('.')[0] for n in sys.modules} & {'langchain_core', 'pydantic_ai', 'fastmcp', 'mcp',"
        " 'smolagents', 'agents', 'pydantic', 'httpx', 'asyncio', 'yaml'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
