"""Notices a model that goes round in circles, warns it, and stops it; leaves one alone that gets on."""

from __future__ import annotations

import json
import re
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..core.types import Ready, Refusal, ToolCall, ToolResult

MOST_REPEATS = 3
LONGEST_CYCLE = 5
# Rounds of a cycle with work in it, all with the same answers.
MOST_ROUNDS = 5
# The same long or failing answer to ever new arguments: exploring looks alike for a while.
MOST_SAME_ANSWERS = 4
MOST_POLLS, MOST_POLLING_S = 20, 300.0
MOST_USELESS_TURNS = 3
_TELLING_CHARS = 200
_REMEMBERED = 64
_USELESS = frozenset(("resolve", "supply", "gate", "repair"))
# What differs between two answers that say the same: pictures, ids, moments; in an error all numbers.
_VOLATILE = re.compile(
    r"[A-Za-z0-9+/=_-]{100,}|\b[0-9a-fA-F]{8}(?:-?[0-9a-fA-F]{4,}){2,}\b|\d{4}-\d\d-\d\d[T ][\d:.]+"
    r'|"duration_ms": ?[\d.]+'
)
_VOLATILE_IN_ERRORS = re.compile(rf"{_VOLATILE.pattern}|[0-9a-fA-F]{{8,}}|\d+")


@dataclass(frozen=True, slots=True)
class Trace:
    """One call as the guard remembers it. `answer` is what came of it, without what changes by itself."""

    tool: str
    args: str
    answer: str = ""
    reads: bool = False
    failed: bool = False
    long: bool = False

    @property
    def call(self) -> tuple[str, str]:
        return self.tool, self.args

    @property
    def harmless(self) -> bool:
        """Whether nothing in the world can have changed by it."""
        return self.reads or self.failed


class LoopGuard:
    """Two ends of an agent's line: a step of its scope before a call, `heard` after a turn.

    A call that would repeat for the fourth time without anything having changed (itself again and again,
    or the last of a cycle of two to five) is refused once with a warning, and stops the task when it comes
    again; a cycle with work in it, where that answers the same each time, two rounds later. Failing calls,
    also those that never ran, count alike, as does one answer to ever new arguments. Work in between resets
    it. Tools that poll may repeat, for five minutes and twenty times while nothing changes. Three turns in a
    row without a single call that could run stop the task, too.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._traces: deque[Trace] = deque(maxlen=_REMEMBERED)
        self._ahead: list[Trace] = []  # calls of the turn that is running
        self._strikes = 0
        self._useless = 0
        self._now, self._polling = now, Polling()
        self.stuck = ""

    def __call__(self, ready: Ready, /) -> Ready | Refusal:
        if not ready.call.id:
            return ready  # made by a tool, not by the model
        reads = ready.entry.traits.resolved_effect() == "read"
        trace = Trace(ready.entry.name, _args_of(ready.call), reads=reads)
        if ready.entry.traits.polls:
            return self._polled(ready, trace)
        period = self._period_with(trace)
        if not period:
            self._ahead.append(trace)
            return ready
        what = "this call" if period == 1 else f"the last {period} calls"
        self._strike(f"{what} ran {MOST_REPEATS} times with the same arguments")
        return Refusal(
            f"{what} ran {MOST_REPEATS} times with the same arguments; nothing new will come of it",
            "loop_guard",
            "use the results you have, change the arguments, or answer; once more ends the task",
        )

    def heard(self, results: Sequence[ToolResult], reads: Callable[[str], bool]) -> list[ToolResult]:
        """Take in what came of a turn; the results, with a warning where the model should hear one.

        *reads* tells of a tool's name whether it only reads.
        """
        self._ahead = []
        useless = bool(results) and all(r.status == "refused" and r.by in _USELESS for r in results)
        self._useless = self._useless + 1 if useless else 0
        if self._useless >= MOST_USELESS_TURNS:
            self.stuck = f"{MOST_USELESS_TURNS} turns without a call that could run: {_tried(self._traces)}"
        return [self._take_in(result, reads(result.call.name)) for result in results]

    def _take_in(self, result: ToolResult, reads: bool) -> ToolResult:
        if result.by == "loop_guard":
            return result
        args = _args_of(result.call)
        trace = Trace(result.call.name, args, _fingerprint(result, args), reads, result.is_error, _is_long(result))
        if self._is_news(trace):
            self._strikes = 0
        self._traces.append(trace)
        warning = self._warning(trace)
        return replace(result, shown=f"{result.text}\n[{warning}]") if warning else result

    def _warning(self, last: Trace) -> str:
        """What to tell the model after a call that the step before it could not refuse."""
        if last.failed and self._run_of(lambda t: t.call == last.call and t.failed) > MOST_REPEATS:
            self._strike(f"{last.tool} failed again and again with the same arguments")
            return (
                f"the same call has failed {MOST_REPEATS + 1} times: change it or do without; once more ends the task"
            )
        same = self._run_of(lambda t: (t.tool, t.answer) == (last.tool, last.answer))
        if same > MOST_SAME_ANSWERS and (last.failed or last.long):
            self._strike(f"{last.tool} answered the same to {same} calls")
            return (
                f"{same} calls of {last.tool} brought the same answer: another way is needed; more of it ends the task"
            )
        return ""

    def _is_news(self, trace: Trace) -> bool:
        """Whether the task got on: an answer that wasn't there yet, or new work."""
        if not trace.harmless:
            return all(t.call != trace.call for t in self._traces)
        return all((t.tool, t.answer) != (trace.tool, trace.answer) for t in self._traces)

    def _strike(self, why: str) -> None:
        self._strikes += 1
        if self._strikes > 1:
            self.stuck = f"{why}, also after a warning: {_tried(self._traces)}"

    def _run_of(self, alike: Callable[[Trace], bool]) -> int:
        """How many of the latest calls, back from the last one, are alike."""
        count = 0
        for trace in reversed(self._traces):
            if not alike(trace):
                break
            count += 1
        return count

    def _period_with(self, new: Trace) -> int:
        """The length of the cycle that *new* would close for the fourth time, or 0."""
        known = [*self._traces, *self._ahead]
        periods = range(1, LONGEST_CYCLE + 1)
        return next((p for p in periods if _circles(known, new, p) or _works_in_vain(known, new, p)), 0)

    def _polled(self, ready: Ready, trace: Trace) -> Ready | Refusal:
        known = next((t.answer for t in reversed(self._traces) if t.call == trace.call), "")
        if not self._polling.is_endless(trace.call, known, self._now()):
            return ready
        self._strike(f"{trace.tool} was asked again and again for {MOST_POLLING_S / 60:g} minutes, and nothing changed")
        return Refusal(
            f"nothing has changed here for {MOST_POLLING_S / 60:g} minutes and {MOST_POLLS} calls",
            "loop_guard",
            "wait for its end in one call if the tool can, end it, or answer with what there is",
        )


class Polling:
    """How long, and how often, one poll has been repeated without another answer."""

    def __init__(self) -> None:
        self._what: tuple[tuple[str, str], str] | None = None
        self._since, self._times = 0.0, 0

    def is_endless(self, call: tuple[str, str], answer: str, now: float) -> bool:
        """Count one more *call* to which *answer* was the last one."""
        if self._what != (call, answer):
            self._what, self._since, self._times = (call, answer), now, 0
        self._times += 1
        return self._times > MOST_POLLS and now - self._since >= MOST_POLLING_S


def _circles(known: Sequence[Trace], new: Trace, period: int) -> bool:
    """Whether *new* begins another round of calls that change nothing, or is one call again and again."""
    recent = known[-period * MOST_REPEATS :]
    if len(recent) < period * MOST_REPEATS or not _is_periodic([*(t.call for t in recent), new.call], period):
        return False
    return period == 1 or all(t.harmless for t in recent)


def _works_in_vain(known: Sequence[Trace], new: Trace, period: int) -> bool:
    """Whether *new* begins another round of calls that may have changed something, but answered the same each time."""
    recent = known[-period * MOST_ROUNDS :]
    if len(recent) < period * MOST_ROUNDS or new.call != recent[0].call:
        return False
    return _is_periodic([(t.call, t.answer) for t in recent], period)


def _is_periodic(items: Sequence[object], period: int) -> bool:
    return all(items[i] == items[i + period] for i in range(len(items) - period))


def _args_of(call: ToolCall) -> str:
    """The arguments in one spelling, whichever way they were written."""
    written = call.arguments
    if isinstance(written, str):
        try:
            written = json.loads(written)
        except ValueError:
            return str(call.arguments).strip()
    return json.dumps(written, sort_keys=True, ensure_ascii=False, default=str)


def _fingerprint(result: ToolResult, args: str) -> str:
    """What an answer says, without what is volatile in it and without the arguments that it repeats."""
    text = result.content
    for value in re.findall(r'"((?:[^"\\]|\\.){3,})"', args):
        text = text.replace(value, "")
    volatile = _VOLATILE_IN_ERRORS if result.is_error else _VOLATILE
    return volatile.sub("#", text[:20_000])


def _is_long(result: ToolResult) -> bool:
    return len(result.content) >= _TELLING_CHARS


def _tried(traces: Sequence[Trace]) -> str:
    """The last different calls, for the message that a task ends with."""
    calls = list(dict.fromkeys(t.call for t in reversed(traces)))[:LONGEST_CYCLE]
    shown = [f"{tool}({args if len(args) <= 80 else args[:77] + '...'})" for tool, args in reversed(calls)]
    return f"tried {', '.join(shown)}" if shown else "nothing could be tried"
