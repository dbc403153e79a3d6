"""One agent at work for another: it is told a task, shows signs of life, and leaves a report whatever happens."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from ..core.cancel import CancelToken
from ..core.events import AgentEvent, CallFinished, CallProgress, CallStarted, StepFinished, TextDelta, Watcher
from ..core.handler import describe_exception
from ..core.loading import Late
from ..core.types import Label, Scope, ToolResult
from ..core.usage import cost_text
from .loop import Agent
from .spending import Budget
from .task import Outcome

redaction = Late("handiwork.guard.redaction")

State: TypeAlias = Literal[
    "queued", "running", "done", "failed", "limit", "stuck", "denied", "stalled", "cancelled", "abandoned"
]
WHAT_IT_IS = (
    "You were given this task by another agent. It sees nothing but your last message: say there what you found or "
    "did, with paths, and what is left open. Nobody is there to answer a question."
)
# How long one that was told to stop may take. Then it is left behind.
GRACE_S = 5.0
_LOOKS_EVERY_S = 0.25
_MOST_TASK_CHARS = 80


@dataclass(frozen=True, slots=True)
class Order:
    """What another agent is to do: the *task*, with which of the *tools* of *scope* (all, where none is named)."""

    task: str
    tools: tuple[str, ...]
    budget: Budget
    scope: Scope


@dataclass(frozen=True, slots=True)
class Hired:
    """An agent for an order. `files_of` tells what a call of its has written; `dismiss` ends what it left running."""

    agent: Agent
    files_of: Callable[[ToolResult], Sequence[str]]
    dismiss: Callable[[], None]


Hire: TypeAlias = Callable[[Order, Watcher], Hired]


@dataclass(slots=True)
class Traces:
    """What was seen of an agent so far."""

    text: str = ""
    files: dict[str, None] = field(default_factory=dict)
    outside: dict[str, None] = field(default_factory=dict)
    steps: int = 0
    calls_running: int = 0
    seen_at: float = field(default_factory=time.monotonic)


class Delegate:
    """An order being carried out. `tell` hears in a line what it does; `report` may be asked for at any time."""

    def __init__(self, name: str, order: Order, hire: Hire, *, quiet_s: float) -> None:
        self.name, self._order, self._quiet_s = name, order, quiet_s
        self.cancel = CancelToken()
        self.tell: Callable[[str], object] = _unheard
        self.state: State = "queued"
        self.begun = asyncio.Event()
        self._reason, self._answer = "", ""
        self._stopped: tuple[State, str] | None = None
        self._begun_at = self._stopped_at = 0.0
        self._traces = Traces()
        self._loop = asyncio.get_running_loop()
        self._hired = hire(order, self._watch)

    @property
    def about(self) -> str:
        """The task in a line."""
        line = " ".join(self._order.task.split())
        return line if len(line) <= _MOST_TASK_CHARS else f"{line[: _MOST_TASK_CHARS - 1]}…"

    @property
    def is_over(self) -> bool:
        return self.state not in ("queued", "running")

    @property
    def tokens(self) -> int:
        """What it has used so far, with those that work for it."""
        return self._hired.agent.tally.total.tokens

    async def work(self, place: asyncio.Semaphore) -> None:
        """Carry the order out when there is a *place*. Raises nothing but its own cancelling."""
        try:
            async with place:
                if self._stopped is None:
                    await self._carry_out()
        finally:
            self.dismiss(*self._stopped or ("cancelled", "ended before it began"))

    def dismiss(self, state: State, reason: str) -> None:
        """It works no more: it is *state* where it didn't end by itself. What it left running ends."""
        if not self.is_over:
            self.state, self._reason = state, reason
        self._hired.dismiss()

    def stop(self, state: State, reason: str) -> None:
        """Have it end soon. Why is told with its report."""
        if not self.is_over and self._stopped is None:
            self._stopped, self._stopped_at = (state, reason), time.monotonic()
            self.cancel.cancel()

    async def _carry_out(self) -> None:
        self.state = "running"
        self._traces.seen_at = self._begun_at = time.monotonic()
        self.begun.set()
        run = asyncio.ensure_future(self._hired.agent.run(redaction.redact(self._order.task), cancel=self.cancel))
        try:
            while not (await asyncio.wait((run,), timeout=min(_LOOKS_EVERY_S, self._quiet_s / 4)))[0]:
                if self._is_lost(time.monotonic()):
                    self.dismiss("abandoned", "it was told to stop, and doesn't")
                    return
        finally:
            run.cancel()
        self._settle(run)

    def _is_lost(self, now: float) -> bool:
        """Whether it goes on although it was stopped. It is, when its time is up or its model silent for too long.

        Silence counts while no call runs: calls have limits of their own, and may ask a person.
        """
        most = self._order.budget.max_seconds
        if most is not None and now - self._begun_at > most + GRACE_S:  # it ends by itself before that
            self.stop("limit", f"the time limit of {most:g} s is reached")
        if now - self._traces.seen_at > self._quiet_s and not self._traces.calls_running:
            self.stop("stalled", f"its model gave no sign of life for {self._quiet_s:g} s")
        return self._stopped is not None and now - self._stopped_at > GRACE_S

    def _settle(self, run: asyncio.Future[Outcome]) -> None:
        try:
            outcome = run.result()
        except Exception as error:  # noqa: BLE001 - models and faces are foreign code; that it broke is its report
            self.state, self._reason = "failed", describe_exception(error)
            return
        self._answer = outcome.answer
        if outcome.ending == "cancelled" and self._stopped:
            self.state, self._reason = self._stopped
        elif outcome.ending == "answered":
            self._reason = _failure_in(outcome.answer)
            self.state = "failed" if self._reason else "done"
        else:
            self.state = "failed" if outcome.ending == "waiting" else outcome.ending
            self._reason = outcome.reason

    def _watch(self, event: AgentEvent) -> None:
        seen = self._traces
        seen.seen_at = time.monotonic()
        match event:
            case TextDelta(text):
                seen.text += text
            case StepFinished(step, _):
                seen.steps = step
            case CallStarted(call):
                seen.calls_running += 1
                seen.text = ""
                self.tell(f"{self.name}: {call.name}")
            case CallProgress(_, progress):  # it may come from another thread
                self._loop.call_soon_threadsafe(self.tell, f"{self.name}: {progress.message}")
            case CallFinished(result):
                seen.calls_running -= 1
                self._note(result)

    def _note(self, result: ToolResult) -> None:
        outside = [label.source for label in result.labels if label.integrity == "outside"]
        self._traces.outside.update(dict.fromkeys(outside))
        self._traces.files.update(dict.fromkeys(self._hired.files_of(result)))

    def report(self) -> dict[str, Any]:
        """How it stands with the order: what it answered or last said, the files that it wrote, what it took."""
        seen = self._traces
        known = {
            "id": self.name,
            "task": self.about,
            "state": self.state,
            "reason": self._reason if self.is_over else "",
            "answer": self._answer,
            "last_said": "" if self._answer else self._last_said(),
            "files": list(seen.files),
            "steps": seen.steps,
            "tokens": self.tokens,
            "cost": cost_text(self._hired.agent.tally.total) if self.tokens else "",
            "session": self._hired.agent.conversation.session.id,
        }
        return {key: value for key, value in known.items() if value}

    def _last_said(self) -> str:
        """The last words of an agent that gave no answer."""
        messages = self._hired.agent.conversation.messages
        said = (str(m.get("content") or "") for m in reversed(messages) if m["role"] == "assistant")
        return self._traces.text.strip() or next(filter(None, said), "")

    @property
    def labels(self) -> tuple[Label, ...]:
        """Where what it says may come from: outside, if it has read anything from there."""
        return tuple(Label("outside", f"{self.name}, which read {source}") for source in self._traces.outside)


def _unheard(_: str) -> None:
    """For delegates that nobody listens to."""


def _failure_in(answer: str) -> str:
    """The error that an answer consists of, where it is one: JSON that says `error`."""
    if not answer.lstrip().startswith("{"):
        return ""
    try:
        said = json.loads(answer)
    except ValueError:
        return ""
    return str(said["error"]) if isinstance(said, dict) and said.get("error") else ""
