"""Every test has a Handiwork home of its own, and leaves no thread behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from handiwork import ToolRegistry
from handiwork.core.types import Scope, ToolCall, ToolResult
from handiwork.pipeline.limits import Limits
from handiwork.pipeline.line import Pipeline


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HANDIWORK_HOME", str(folder))
    monkeypatch.delenv("HANDIWORK_MODEL", raising=False)
    return folder


@pytest.fixture
def registry() -> Iterator[ToolRegistry]:
    yield ToolRegistry()


def schema(name: str, properties: dict[str, Any] | None = None, required: tuple[str, ...] = (), text: str = "") -> Any:
    return {
        "name": name,
        "description": text or f"Does {name}.",
        "parameters": {"type": "object", "properties": properties or {}, "required": list(required)},
    }


@pytest.fixture
def add(registry: ToolRegistry) -> Callable[..., None]:
    """Registers a tool with a schema made of its name; keywords go to `register`."""

    def add_tool(name: str, handler: Any = None, **options: Any) -> None:
        made = schema(name, options.pop("properties", None), options.pop("required", ()), options.pop("text", ""))
        registry.register(
            name=name,
            toolset=options.pop("toolset", "demo"),
            schema=made,
            handler=handler or (lambda args, **_: args),
            **options,
        )

    return add_tool


@pytest.fixture
def pipeline(registry: ToolRegistry, tmp_path: Path) -> Pipeline:
    return Pipeline(registry, limits=Limits(folder=str(tmp_path / "results")))


@pytest.fixture
def run(pipeline: Pipeline) -> Callable[..., ToolResult]:
    def run_call(name: str, args: Any = None, **scope: Any) -> ToolResult:
        return pipeline.run(ToolCall(name, args if args is not None else {}, "c1", Scope(**scope)))

    return run_call
