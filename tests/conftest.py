"""Every test has a Handiwork home of its own, and leaves no thread behind."""

from __future__ import annotations

import os
import tempfile
import time
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
    folder = Path(tempfile.mkdtemp(dir=tmp_path_factory.getbasetemp(), prefix="home"))  # `mktemp` lists all there are
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


def _at(folder: Path) -> list[str]:
    found = []
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and os.readlink(f"/proc/{entry}/cwd") == str(folder):
                state = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()[0]
                words = Path(f"/proc/{entry}/cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
                found += [f"{entry} {words}"] if state not in "ZX" else []
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
    return found


@pytest.fixture
def living(tmp_path: Path) -> Callable[..., list[str]]:
    """The processes that have the test's directory as theirs (`env -i` and `setsid` don't change that).

    Waits for there to be none, at most *within* seconds.
    """

    def look(within: float = 0, folder: Path = tmp_path) -> list[str]:
        deadline = time.monotonic() + within
        while (found := _at(folder)) and time.monotonic() < deadline:
            time.sleep(0.02)
        return found

    return look
