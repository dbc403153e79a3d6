"""Which figures are shown, and the bars: each a ratio to something measured in the same run.

A bar is written as two figures of one quiet machine, ours over the reference's, so that it can be read.
"""

from __future__ import annotations

from table import Row

# The floors: a bare interpreter; and `json.loads` of four fields, a dict look-up and a call.
START = "floor.start_ms"
CALL = "floor.call_us"
HOP = "floor.hop_{place}_us"
THOUSAND = "floor.gather1000_ms"


def _beside(title: str, unit: str, key: str, bar: float | None = None) -> Row:
    """A row whose bar is a ratio to the anchor's figure of the same name."""
    return Row(title, unit, f"ours.{key}", f"anchor.{key}", f"anchor.{key}", bar)


def _over_floor(title: str, unit: str, key: str, floor: str, bar: float) -> Row:
    """A row whose bar is a ratio to a floor; the anchor's figure is shown where there is one."""
    return Row(title, unit, f"ours.{key}", f"anchor.{key}", floor, bar)


START_UP = (
    Row("python -c pass", "ms CPU", START),
    Row("python -c pass, peak", "MB", "floor.start_mb"),
    _over_floor("import handiwork", "ms CPU", "import_ms", START, 60 / 10),
    _beside("import + all built-ins", "ms CPU", "discover_ms", 150 / 900),
    _beside("import + all built-ins, peak", "MB", "discover_mb", 40 / 72),
    _beside("import + all built-ins, modules", "count", "discover_modules"),
    _beside("--version", "ms CPU", "version_ms", 60 / 340),
    _beside("tools list", "ms CPU", "list_ms", 180 / 600),
    _beside("doctor", "ms CPU", "doctor_ms", 500 / 2500),
)
SUPPLY = (
    _beside("1,000 files, 100 register: first start", "ms CPU", "discovery_first_ms", 80 / 104),
    _beside("1,000 files, 100 register: next start", "ms CPU", "discovery_again_ms", 10 / 82),
    _beside("definitions, CLI preset: first", "ms CPU", "defs_first_ms", 15 / 324),
    _beside("definitions, CLI preset: again", "us CPU", "defs_again_us", 2 / 11.5),
    _beside("registering 10,000 tools", "ms CPU", "many_register_ms"),
    _beside("definitions, 10,000 tools: first", "ms CPU", "many_first_ms", 60 / 530),
    _over_floor("definitions, 10,000 tools: again", "us CPU", "many_again_us", CALL, 5 / 1.5),
)
CALLS = (
    Row("floor of a call: parse, look up, call", "us CPU", CALL),
    _over_floor("registry.dispatch of a no-op", "us CPU", "dispatch_us", CALL, 1.5 / 1.5),
    _over_floor("pipeline, tool that reads", "us CPU", "pipeline_read_us", CALL, 15 / 1.5),
    _over_floor("pipeline, tool with an effect, journaled", "us CPU", "pipeline_effect_us", CALL, 60 / 1.5),
)


def _bridge(title: str, place: str) -> tuple[Row, Row]:
    hop = HOP.format(place=place)
    return (
        _over_floor(f"bridge alone, {title}", "us CPU", f"bridge_{place}_us", hop, 0.9),
        _over_floor(f"pipeline through it, {title}", "us CPU", f"bridged_{place}_us", hop, 60 / 39),
    )


BRIDGE = (
    *_bridge("main thread", "main"),
    *_bridge("worker thread", "worker"),
    *_bridge("inside a running loop", "loop"),
)
TOGETHER = (
    _beside("64 async tools of 10 ms at once", "ms wall", "together64_ms", 20 / 830),
    _beside("the same: longest time the loop stood", "ms wall", "together64_gap_ms", 20 / 830),
    Row("floor of 1,000 at once: asyncio.sleep", "ms CPU", THOUSAND),
    _over_floor("1,000 async tools at once, run_turn", "ms CPU", "run_turn1000_ms", THOUSAND, 40 / 15.5),
    _over_floor("1,000 async tools at once, call_tool", "ms CPU", "call_tool1000_ms", THOUSAND, 75 / 15.5),
)
ALL = (*START_UP, *SUPPLY, *CALLS, *BRIDGE, *TOGETHER)
