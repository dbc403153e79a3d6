"""Hooks that nothing calls, that are for no tool, or that failed lately; traces; calls that hang. None is started."""

from __future__ import annotations

import os
from collections.abc import Iterator

from ....core.loading import Late
from ...house import House
from .finding import Finding

imports = Late("handiwork.apps.hook_imports")
record = Late("handiwork.apps.hook_record")
tracing = Late("handiwork.apps.tracing")
_ON_EXIT_1 = "exit 2 says no, 0 has no objection; a guard that fails says no, unless it has `on_error: allow`"


def look(house: House) -> Iterator[Finding]:
    """What watches the calls here."""
    yield from _hooks(house)
    yield from _traces(house)
    for name in house.pipeline.workers.held():
        said = "a call hangs; the tool is held until it returns"
        yield Finding("running", name, "warning", said, "end the process if it never does")


def _hooks(house: House) -> Iterator[Finding]:
    for hook in house.hooks.never_called():
        fix = f"correct the name in {hook.source.partition(':')[2] or hook.source}; see docs/hooks.md"
        yield Finding("hooks", hook.name, "warning", f"nothing calls this hook of {hook.source}", fix)
    for label, matcher in imports.idle_matchers(house):
        yield Finding("hooks", label, "warning", f"its matcher {matcher!r} fits no tool that is there", "correct it")
    for failed in record.HookRecord(house.home).recent():
        fix = _ON_EXIT_1 if "exited with code" in failed.last else f"handiwork hooks test {failed.who.split()[0]}"
        yield Finding("hooks", failed.who, "warning", f"failed {failed.count} times lately: {failed.last}", fix)


def _traces(house: House) -> Iterator[Finding]:
    """Where spans go, or why they don't."""
    if not tracing.is_wanted(house, os.environ):
        yield Finding("traces", "otel", "ok", "nobody asked for them: nothing is sent")
        return
    problem, fix = tracing.problem_here(os.environ)
    yield Finding("traces", "otel", "warning" if problem else "ok", problem or "sent to a collector", fix)
