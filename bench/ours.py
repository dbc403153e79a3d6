"""Probes for Handiwork, run by its own interpreter: `python ours.py PROBE [ARGUMENT]`.

Each prints one JSON object of figures on its last line, under the names that the anchor's probes use.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import samples
import timing
import together

import handiwork
from handiwork.agent.session import Session
from handiwork.apps.house import default
from handiwork.apps.sessions import open_sessions
from handiwork.catalog.discovery import Scanner
from handiwork.catalog.toolsets import Toolsets
from handiwork.core.bridge import tools_bridge
from handiwork.core.types import SessionInfo, ToolCall, Traits
from handiwork.pipeline.hooks import Hooks
from handiwork.sources.codes import Codes
from handiwork.sources.modules import Harvest
from handiwork.sources.plugins import Plugins
from handiwork.sources.view import Ground

Figures = dict[str, float]
READS = Traits(read_only=True)
WRITES = Traits(effect="write")


def definitions(_argument: str) -> Figures:
    """What the command line shows its model, first and again."""
    handiwork.discover()

    def supply() -> list[Any]:
        return handiwork.get_tool_definitions(["handiwork-cli"])

    return {"defs_first_ms": timing.once_ms(supply), "defs_again_us": timing.cpu_us(supply)}


def many(_argument: str) -> Figures:
    """10,000 tools, all of them returned."""
    registry, definitions_of = handiwork.ToolRegistry(), handiwork.get_tool_definitions
    tools = [(name, toolset, samples.schema(name)) for name, toolset in samples.many_names()]

    def register() -> None:
        for name, toolset, schema in tools:
            registry.register(name=name, toolset=toolset, schema=schema, handler=samples.answer)

    registering = timing.once_ms(register)
    chosen = samples.many_toolsets()

    def supply() -> list[Any]:
        return definitions_of(chosen, registry=registry)

    first = timing.once_ms(supply)
    _expect(len(supply()) == samples.MANY, "not all 10,000 tools came back")
    again = timing.cpu_us(supply)
    return {"many_register_ms": registering, "many_first_ms": first, "many_again_us": again}


def discovery(folder: str) -> Figures:
    """Scan and import a folder of 1,000 files, as the start of a process does."""
    handiwork.discover()  # the built-in tools come first, and don't count
    harvest, cache = Harvest(), Path(folder).parent / "cache"
    toolsets = Toolsets(handiwork.registry)

    def scan_and_import() -> None:
        codes = Codes(str(cache / "plugins.code"))
        ground = Ground(handiwork.registry, Hooks(), handiwork.registry.dispatch, toolsets, codes=codes)
        plugins = Plugins(ground, harvest)
        scanner = Scanner(str(cache / "discovery.json"))
        plugins.load(lambda: plugins.of_folder(scanner, folder))
        scanner.save()

    spent = timing.once_ms(scan_and_import)
    registered = sum(len(one.tools) for one in harvest.loaded)
    _expect(registered == samples.REGISTERING, f"{registered} tools were registered")
    return {"discovery_ms": spent}


def calls(_argument: str) -> Figures:
    """A tool that does nothing: the raw last step, then the whole way: reading, and writing in a stored session."""
    _register("bench_read", samples.answer, traits=READS)
    _register("bench_write", samples.answer, traits=WRITES)
    few, strings = {"path": "a.txt"}, dict(samples.ARGUMENTS)
    in_session = _session()
    _expect_answer(in_session(dict(strings)))
    dispatch = handiwork.registry.dispatch
    return {
        "dispatch_us": timing.cpu_us(lambda: dispatch("bench_read", few), calls=10_000),
        "pipeline_read_us": timing.cpu_us(lambda: handiwork.handle_function_call("bench_read", dict(strings))),
        "pipeline_effect_us": timing.cpu_us(lambda: in_session(dict(strings))),
    }


def _session() -> Callable[[dict[str, Any]], str]:
    """Calls in a stored session: intent and outcome are written before each returns."""
    house = default()
    session = Session(open_sessions(house, print), SessionInfo(""))
    session.begin("bench")
    scope = house.pipeline.bind(session.within(house.scope()))
    return lambda args: house.pipeline.run(ToolCall("bench_write", args, "call_1", scope)).text


def bridge(_argument: str) -> Figures:
    """An async tool that does nothing, from the three places a call can come from."""
    _register("bench_async", samples.answer_async, is_async=True, traits=READS)
    _expect_answer(handiwork.handle_function_call("bench_async", {"path": "a"}))
    return {
        **together.from_everywhere("bridge", lambda: tools_bridge.run(samples.answer_async({}))),
        **together.from_everywhere("bridged", lambda: handiwork.handle_function_call("bench_async", {"path": "a"})),
    }


def concurrency(_argument: str) -> Figures:
    """Naps asked for inside a running loop: 64 for the wall time, 1,000 for the CPU."""
    _register("bench_nap", samples.nap, is_async=True, traits=READS)
    calls_of_a_turn = [ToolCall("bench_nap", {"path": "a"}, str(i)) for i in range(1_000)]

    async def one() -> Any:
        return await handiwork.call_tool("bench_nap", {"path": "a"})

    async def turn() -> Any:
        return await handiwork.run_turn(calls_of_a_turn)

    return {
        **together.wall_and_gap(one, 64),
        "call_tool1000_ms": together.gathered_cpu_ms(one, 1_000),
        "run_turn1000_ms": together.gathered_cpu_ms(turn, 1),
    }


def _register(name: str, handler: Callable[..., Any], *, is_async: bool = False, traits: Traits) -> None:
    handiwork.registry.register(
        name=name,
        toolset="bench",
        schema=samples.schema(name),
        handler=handler,
        is_async=is_async,
        traits=traits,
    )


def _expect_answer(text: str) -> None:
    _expect(json.loads(text) == json.loads(samples.ANSWER), f"the tool answered {text[:200]}")


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise SystemExit(f"the probe measures something else: {otherwise}")


PROBES = {probe.__name__: probe for probe in (definitions, many, discovery, calls, bridge, concurrency)}

if __name__ == "__main__":
    print(json.dumps(PROBES[sys.argv[1]](sys.argv[2] if len(sys.argv) > 2 else "")))
