"""The tools, arguments and plugin files that all probes share: standard library only."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

PROPERTIES: Mapping[str, Any] = {
    "path": {"type": "string", "description": "The file to look at."},
    "limit": {"type": "integer", "description": "How many lines to return."},
    "deep": {"type": "boolean", "description": "Whether to look into folders."},
    "tags": {"type": "array", "items": {"type": "string"}, "description": "Labels to match."},
}
# Three of four values need turning: what a small model writes on an ordinary day.
ARGUMENTS: Mapping[str, Any] = {"path": "a.txt", "limit": "5", "deep": "true", "tags": ["x"]}
ARGUMENTS_TEXT = json.dumps(ARGUMENTS)
ANSWER = '{"ok": true}'
NAP_S = 0.010
MANY = 10_000
MANY_TOOLSETS = 50
PLUGINS = 1_000
REGISTERING = 100


def schema(name: str) -> dict[str, Any]:
    """An OpenAI function schema with four parameters, one required."""
    parameters = {"type": "object", "properties": dict(PROPERTIES), "required": ["path"]}
    return {"name": name, "description": f"Look at a file ({name}).", "parameters": parameters}


def answer(args: dict[str, Any], **_kw: Any) -> str:
    """A tool that does nothing, so that what is measured is everything around it."""
    return ANSWER


async def answer_async(args: dict[str, Any], **_kw: Any) -> str:
    """The same as a coroutine."""
    return ANSWER


async def nap(args: dict[str, Any], **_kw: Any) -> str:
    """An async tool that waits 10 ms, as one that asks a near server does."""
    await asyncio.sleep(NAP_S)
    return ANSWER


def many_names() -> list[tuple[str, str]]:
    """10,000 tool names, each with the toolset it belongs to (50 of them)."""
    return [(f"tool_{i}", f"set_{i % MANY_TOOLSETS}") for i in range(MANY)]


def many_toolsets() -> list[str]:
    """The names of the 50 toolsets."""
    return [f"set_{i}" for i in range(MANY_TOOLSETS)]


def write_plugins(folder: Path, registry_import: str) -> None:
    """Write 1,000 Python files: 100 register a tool, 450 only mention registering, 450 don't."""
    folder.mkdir(parents=True, exist_ok=True)
    for i in range(PLUGINS):
        text = _BODY.format(i=i) + _tail(i).format(i=i, registry_import=registry_import)
        (folder / f"bench_plugin_{i:04d}.py").write_text(text, encoding="utf-8")


def _tail(i: int) -> str:
    if i % (PLUGINS // REGISTERING) == 0:
        return _REGISTERS
    return _MENTIONS if i % 2 else ""


_BODY = '''"""Generated module {i}."""

import json

LIMIT = {i}


def read(args, **kw):
    path = args.get("path", "")
    limit = int(args.get("limit", LIMIT))
    return json.dumps({{"path": path, "limit": limit, "module": {i}}})


def count(words):
    seen = {{}}
    for word in words:
        seen[word] = seen.get(word, 0) + 1
    return sorted(seen.items(), key=lambda pair: -pair[1])
'''
_MENTIONS = '''

def install(registry):
    """Call this yourself: registry.register(...) runs only then."""
    registry.register(name="later_{i}", toolset="later", schema={{}}, handler=read)
'''
_REGISTERS = """

{registry_import}

registry.register(
    name="plug_{i}",
    toolset="bench",
    schema={{
        "name": "plug_{i}",
        "description": "Generated tool {i}.",
        "parameters": {{
            "type": "object",
            "properties": {{"path": {{"type": "string"}}, "limit": {{"type": "integer"}}}},
            "required": ["path"],
        }},
    }},
    handler=read,
)
"""
