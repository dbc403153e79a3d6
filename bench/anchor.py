"""Probes for the anchor, run by its own interpreter: `python anchor.py PROBE [ARGUMENT]`.

Each prints one JSON object of figures on its last line. The entry points are the anchor's own:
`discover_builtin_tools`, `get_tool_definitions` (quiet, which is the cached path), `handle_function_call`,
and `_run_async`, its way from a plain caller to a coroutine.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import model_tools
import samples
import timing
import together
import tools
from tools.registry import discover_builtin_tools, registry

Figures = dict[str, float]


def definitions(_argument: str) -> Figures:
    """What the command line shows its model, first and again."""

    def supply() -> list[Any]:
        return model_tools.get_tool_definitions(["hermes-cli"], quiet_mode=True)

    return {"defs_first_ms": timing.once_ms(supply), "defs_again_us": timing.cpu_us(supply)}


def many(_argument: str) -> Figures:
    """10,000 tools, all of them returned (its tool search, which would hide most, left out)."""
    wanted = [(name, toolset, samples.schema(name)) for name, toolset in samples.many_names()]

    def register() -> None:
        for name, toolset, schema in wanted:
            registry.register(name=name, toolset=toolset, schema=schema, handler=samples.answer)

    registering = timing.once_ms(register)
    chosen = samples.many_toolsets()

    def supply() -> list[Any]:
        return model_tools.get_tool_definitions(chosen, quiet_mode=True, skip_tool_search_assembly=True)

    first = timing.once_ms(supply)
    _expect(len(supply()) == samples.MANY, "not all 10,000 tools came back")
    again = timing.cpu_us(supply, calls=20)
    return {"many_register_ms": registering, "many_first_ms": first, "many_again_us": again}


def discovery(folder: str) -> Figures:
    """Scan and import a folder of 1,000 files, as the start of a process does."""
    # Its scan imports what it finds as `tools.<file>`; the package has to look there too.
    tools.__path__.append(folder)
    found: list[str] = []
    spent = timing.once_ms(lambda: found.extend(discover_builtin_tools(Path(folder))))
    _expect(len(found) == samples.REGISTERING, f"{len(found)} files registered")
    return {"discovery_ms": spent}


def calls(_argument: str) -> Figures:
    """A tool that does nothing: the raw last step, then the whole way."""
    _register("bench_noop", samples.answer)
    few, strings = {"path": "a.txt"}, dict(samples.ARGUMENTS)
    whole = timing.cpu_us(lambda: model_tools.handle_function_call("bench_noop", dict(strings)))
    return {
        "dispatch_us": timing.cpu_us(lambda: registry.dispatch("bench_noop", few), calls=10_000),
        # It keeps no journal, so a tool with an effect costs what a reading one costs.
        "pipeline_read_us": whole,
        "pipeline_effect_us": whole,
    }


def bridge(_argument: str) -> Figures:
    """An async tool that does nothing, from the three places a call can come from."""
    _register("bench_async", samples.answer_async, is_async=True)
    return {
        **together.from_everywhere("bridge", lambda: model_tools._run_async(samples.answer_async({}))),
        **together.from_everywhere("bridged", lambda: model_tools.handle_function_call("bench_async", {"path": "a"})),
    }


def concurrency(_argument: str) -> Figures:
    """64 naps asked for inside a running loop. It has no async entry, so a caller there has this one."""
    _register("bench_nap", samples.nap, is_async=True)

    async def one() -> str:
        return str(model_tools.handle_function_call("bench_nap", {"path": "a"}))

    return together.wall_and_gap(one, 64)


def _register(name: str, handler: Callable[..., Any], *, is_async: bool = False) -> None:
    registry.register(name=name, toolset="bench", schema=samples.schema(name), handler=handler, is_async=is_async)


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise SystemExit(f"the probe measures something else: {otherwise}")


PROBES = {probe.__name__: probe for probe in (definitions, many, discovery, calls, bridge, concurrency)}

if __name__ == "__main__":
    print(json.dumps(PROBES[sys.argv[1]](sys.argv[2] if len(sys.argv) > 2 else "")))
