"""The loop that thinks: ask the model, run the calls it writes, tell it what came of them, again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ..core.cancel import CancelToken
from ..core.errors import ModelError, ModelSwitchedError
from ..core.events import (
    CallFinished,
    CallProgress,
    CallStarted,
    Compacted,
    MessageTaken,
    ModelSwitched,
    StepFinished,
    TextDelta,
    Watcher,
    unwatched,
)
from ..core.types import (
    Background,
    Handler,
    Message,
    Model,
    ModelReply,
    ModelRequest,
    Ready,
    Refusal,
    Scope,
    ToolCall,
    ToolResult,
    Usage,
)
from ..core.wire import is_loaded, name_of_definition
from ..guard.streaming import StreamRedactor
from ..pipeline.hook_points import BEFORE_COMPACTION
from ..pipeline.line import Pipeline
from ..pipeline.turn import run_turn
from .compaction import Context
from .conversation import Conversation
from .inbox import Inbox
from .loop_guard import LoopGuard
from .offer import Offer
from .points import Points
from .prompt import build_prompt, read_guides
from .session import Unkept
from .spending import Budget, Tally, unpriced
from .task import DENIALS, Denial, Ending, Outcome, Task
from .waiting import calls_of

_ANSWERED = ("answered", "denied")
_NUDGE = "Your reply was empty. Call a tool, or answer in words."
_CUT_OFF = "Your reply was cut off at its length limit, and its calls were not run. Write less at a time."
_WAITS = "a call waits for an answer"
_CANCELLED = "cancelled by the person"
_MOST_EMPTY = 2
_MOST_ANEW = 3  # how often hooks may have a model go on that has answered


class Agent:
    """A model with hands. Everything it needs is handed in; it keeps one conversation, which *session* stores.

    *scope* says for whom and where; *supply* gives the tool definitions of the moment, *deferred* the names
    of tools that may be called though they aren't shown, *found* those that a tool search has found; *bindings*
    are the handlers of tools that need an agent; *context* leaves out what doesn't fit the model any more;
    *background* gives what goes on beside the turns of a session, whose news is told with the next request;
    what is *known* from before stands at the end of every prompt. *tally* counts what it takes of its budget
    (*budget* is short for a tally of its own), *price* says what a reply cost. With *fail_fast* the first
    error of a turn ends what else runs of it.
    """

    def __init__(
        self,
        model: Model,
        pipeline: Pipeline,
        scope: Scope,
        *,
        supply: Callable[[], Sequence[Mapping[str, Any]]],
        deferred: Callable[[], frozenset[str]] = frozenset,
        found: Callable[[], Sequence[str]] = tuple,
        bindings: Mapping[str, Handler] | None = None,
        budget: Budget | None = None,
        context: Context | None = None,
        watch: Watcher = unwatched,
        session: Unkept | None = None,
        background: Callable[[str], Background] | None = None,
        known: str = "",
        tally: Tally | None = None,
        price: Callable[[Model, ModelReply], ModelReply] = unpriced,
        fail_fast: bool = False,
    ) -> None:
        self.conversation = Conversation(session)
        self._model, self._pipeline, self._scope = model, pipeline, scope
        self._offer, self._deferred, self._found = Offer(supply), deferred, found
        self._bindings = dict(bindings or {})
        self.tally, self._price = tally or Tally(budget), price
        self._budget = self.tally.budget
        self._context = context or Context(None)
        self._watch, self._background, self._known = watch, background, known
        self._points = Points(pipeline, self.conversation, scope, model.name)
        self._fail_fast, self._inbox = fail_fast, Inbox()
        self._ending = "left"
        self.task = ""  # what it was told last

    def say(self, text: str) -> None:
        """Tell it something while it works, from any thread: it hears of it before it asks its model again.

        What comes too late for that is heard after the next prompt, unless `unheard` takes it back.
        """
        self._inbox.put(text)

    def _trust(self, words: str) -> None:
        """What the person says may name what calls are aimed at."""
        if self._scope.origins:
            self._scope.origins.trust(words)

    def unheard(self) -> list[str]:
        """What was said and not taken in, in order. It is the caller's again."""
        return self._inbox.take_all()

    async def run(self, prompt: str, *, cancel: CancelToken | None = None) -> Outcome:
        """Work on *prompt* until there is an answer, a limit is reached, or it is cancelled.

        Raises `ModelError` when the model fails; the conversation stays valid whatever happens.
        """
        cancel = cancel or CancelToken()
        heard = await self._points.submit(prompt)
        if heard.block or cancel.is_set():
            ending: Ending = "denied" if heard.block else "cancelled"
            return Outcome(ending, "", heard.block or _CANCELLED, 0, Usage())
        prompt = self.task = heard.prompt or prompt
        self.conversation.session.begin(prompt)
        self._trust(prompt)
        self._ending, reason = "failed", ""
        try:
            outcome = await self._traced(prompt, heard.context, cancel)
            self._ending, reason = outcome.ending, outcome.reason
        finally:
            self.conversation.session.end(self._ending, reason)
        if outcome.ending not in (*_ANSWERED, "cancelled"):  # of an answer it was told already
            await self._points.stop(outcome.ending, outcome.answer, outcome.steps, again=False)
        return outcome

    def close(self) -> None:
        """The conversation is left: hooks are told, and the session lets go of what it holds."""
        self._points.end(self._ending)
        self.conversation.session.close()

    async def _traced(self, prompt: str, context: Sequence[str], cancel: CancelToken) -> Outcome:
        """The work on a prompt is a span, below which all that is done for it stands."""
        scope = self.conversation.session.within(self._scope)
        with self._pipeline.tracing.task(scope, self._model, prompt) as span:
            outcome = await self._carry_out(prompt, context, cancel, replace(scope, span=span))
            span.end(outcome)
        return outcome

    async def _carry_out(self, prompt: str, context: Sequence[str], cancel: CancelToken, within: Scope) -> Outcome:
        self.tally.begin_task()
        guard = LoopGuard()
        deadline = self._deadline()
        scope = replace(
            within,
            bindings={**self._scope.bindings, **self._bindings},
            cancel=cancel,
            deadline=deadline,
            checks=(*within.checks, guard),
            on_progress=lambda call, progress: self._watch(CallProgress(call, progress)),
        )
        background = self._background(scope.session_id or scope.task_id) if self._background else None
        task = Task(scope, read_guides(scope.cwd, scope.workspace), background)
        task.scope = replace(scope, on_refused=partial(self._note_refusal, task))
        work = asyncio.ensure_future(self._work(task, guard, prompt, context))
        loop = asyncio.get_running_loop()
        forget = cancel.on_cancel(lambda: _cancel_soon(loop, work))
        try:
            return await asyncio.wait_for(work, None if deadline is None else deadline - time.monotonic())
        except TimeoutError:
            cancel.cancel()
            return self._ended(task, "limit", self._out_of_time())
        except asyncio.CancelledError:
            if not cancel.is_set():  # it is our caller who was cancelled, not the task by the person
                cancel.cancel()
                raise
            return self._ended(task, "cancelled", _CANCELLED)
        finally:
            forget()
            self.conversation.close_open_calls()
            if task.background:
                task.background.end_turn()

    def _deadline(self) -> float | None:
        """When the task must have ended: by its budget, and never later than what it is a part of."""
        seconds, outer = self._budget.max_seconds, self._scope.deadline
        if seconds is None:
            return outer
        own = time.monotonic() + seconds
        return own if outer is None else min(own, outer)

    def _note_refusal(self, task: Task, ready: Ready, no: Refusal) -> None:
        """Called from whichever thread a call was made on."""
        self.conversation.session.note_refusal(ready, no)
        if no.by in DENIALS:
            task.denials.append(Denial(ready, no.reason, no.by))
        if self._scope.on_refused is not None:
            self._scope.on_refused(ready, no)

    async def _work(self, task: Task, guard: LoopGuard, prompt: str, context: Sequence[str]) -> Outcome:
        if not await self._take_in(task, guard, prompt, context):
            return self._ended(task, "waiting", _WAITS)
        while True:
            over = self._over_budget(task)
            if over:
                return self._ended(task, "limit", over)
            await self._hear()
            reply = await self._ask(task)
            if reply.calls and not reply.cut_off:
                await self._run_calls(task, reply.calls, guard)
                if guard.stuck:
                    return self._ended(task, "stuck", guard.stuck)
                if task.waits:
                    return self._ended(task, "waiting", _WAITS)
            elif reply.cut_off:
                self._reject_cut_off(reply)
            elif reply.text.strip():
                outcome = self._answered(task, reply.text)
                if not await self._goes_on(task, outcome):
                    return outcome
            else:
                self._reject_empty(task)

    async def _take_in(self, task: Task, guard: LoopGuard, prompt: str, context: Sequence[str]) -> bool:
        """What was granted meanwhile is run, then the prompt said; False where a call still waits."""
        begun = await self._points.begin()
        await self._run_granted(task, guard)
        if not task.waits:
            self.conversation.say("\n\n".join(filter(None, (prompt, task.news()))))
            self._add((*begun.context, *context))
        return not task.waits

    async def _hear(self) -> None:
        """What was said meanwhile is taken in, as a prompt is."""
        while (text := self._inbox.first()) is not None:
            heard = await self._points.submit(text)
            if not self._inbox.take(text):  # not before: who is cancelled while hooks are asked has lost nothing
                continue
            if not heard.block:
                self._trust(heard.prompt or text)
                self.conversation.say(heard.prompt or text)
                self._add(heard.context)
            self._watch(MessageTaken(text, heard.block))

    async def _goes_on(self, task: Task, outcome: Outcome) -> bool:
        """Whether a hook wants more than the answer; the model is told what, a few times at most."""
        heard = await self._points.stop(outcome.ending, outcome.answer, outcome.steps, again=task.anew > 0)
        if not heard.block or task.anew >= _MOST_ANEW:
            return False
        task.anew += 1
        self.conversation.nudge(heard.block)
        return True

    def _add(self, context: Sequence[str]) -> None:
        """What hooks tell the model stands after what was said."""
        for words in context:
            self.conversation.nudge(words)

    async def _ask(self, task: Task) -> ModelReply:
        """Ask until a model replies: where one fails, another may stand ready."""
        while True:
            try:
                return await self._ask_once(task)
            except ModelSwitchedError as switched:
                self._watch(ModelSwitched(str(switched)))

    async def _ask_once(self, task: Task) -> ModelReply:
        """Ask the model, with the tools of the moment and the news of the background."""
        if self.conversation.messages[-1]["role"] == "tool" and (news := task.news()):
            self.conversation.nudge(news)
        definitions = self._offer.renew()
        self._add((await self._points.before_request(task.steps + 1, definitions)).context)
        scope, found = task.scope, self._found()
        loaded = [d for d in definitions if is_loaded(d)]
        self.conversation.set_system(
            build_prompt(loaded, cwd=scope.cwd, workspace=scope.workspace, guides=task.guides, known=self._known)
        )
        written = StreamRedactor()
        request = ModelRequest(
            tuple(await self._shown([d for d in definitions if is_loaded(d) or name_of_definition(d) in found])),
            tuple(definitions),
            on_text=lambda text: self._tell(written.feed(text)),
            found=found,
        )
        asked = time.perf_counter()
        try:
            reply = await self._reply(task, request)
        finally:
            self._tell(written.finish())
        task.steps += 1
        self.tally.add(reply.usage)
        self.conversation.add_reply(reply)
        self._watch(StepFinished(task.steps, reply.usage))
        await self._points.after_request(task.steps, reply, asked)
        return reply

    def _tell(self, text: str) -> None:
        if text:
            self._watch(TextDelta(text))

    async def _reply(self, task: Task, request: ModelRequest) -> ModelReply:
        """The model's reply, with its price."""
        with self._pipeline.tracing.request(task.scope, self._model, request) as span:
            reply = self._price(self._model, await span.carry(lambda: self._model.reply(request)))
            span.end(reply)
        return reply

    async def _shown(self, definitions: Sequence[Mapping[str, Any]]) -> list[Message]:
        """What of the conversation fits into the model's context."""
        before = self._context.left_out
        if self._points.wants(BEFORE_COMPACTION) and self._context.is_full(self.conversation.messages, definitions):
            await self._points.before_compaction(self.conversation.messages, self._context.tokens)
        messages = self._context.shown(self.conversation.messages, definitions)
        if self._context.left_out > before:
            self._watch(Compacted(self._context.left_out))
        return messages

    async def _run_calls(self, task: Task, calls: Sequence[ToolCall], guard: LoopGuard) -> None:
        scope = self._pipeline.bind(replace(task.scope, supplied=self._offer.names() | self._deferred()))
        bound = [replace(call, scope=scope) for call in calls]
        for call in bound:
            self._watch(CallStarted(call))
        task.denied_before = len(task.denials)
        task.last_turn = guard.heard(await self._run_turn(bound), self._reads)
        for result in task.last_turn:
            if self.conversation.session.hold(result):
                task.waits = True
                self.conversation.leave_open(result)
            else:
                self.conversation.add_result(result)
            self._watch(CallFinished(result))
        task.results += task.last_turn

    async def _run_turn(self, calls: Sequence[ToolCall]) -> list[ToolResult]:
        return await run_turn(self._pipeline, calls, fail_fast=self._fail_fast)

    async def _run_granted(self, task: Task, guard: LoopGuard) -> None:
        """Run the calls of an earlier process that somebody has said yes to since."""
        calls = tuple(calls_of(self.conversation.session.granted))
        self.conversation.session.granted = ()
        if calls:
            self._offer.renew()
            self.conversation.expect(calls)
            await self._run_calls(task, calls, guard)

    def _reads(self, name: str) -> bool:
        entry = self._pipeline.registry.get(name)
        return entry is not None and entry.traits.resolved_effect() == "read"

    def _reject_empty(self, task: Task) -> None:
        task.empty += 1
        if task.empty > _MOST_EMPTY:
            raise ModelError("the model gave no answer", "try another model, or say the task differently")
        self.conversation.nudge(_NUDGE)

    def _reject_cut_off(self, reply: ModelReply) -> None:
        self.conversation.close_open_calls()
        self.conversation.nudge(_CUT_OFF if reply.calls else "Go on where you stopped, in fewer words.")

    def _over_budget(self, task: Task) -> str:
        if task.steps >= self._budget.max_steps:
            return f"the limit of {self._budget.max_steps} steps is reached"
        if over := self.tally.over():
            return over
        deadline = task.scope.deadline
        return self._out_of_time() if deadline is not None and time.monotonic() >= deadline else ""

    def _out_of_time(self) -> str:
        seconds, outer = self._budget.max_seconds, self._scope.deadline
        is_outer = seconds is None or (outer is not None and outer <= time.monotonic())
        return "the time of what it is a part of is up" if is_outer else f"the time limit of {seconds:g} s is reached"

    def _answered(self, task: Task, text: str) -> Outcome:
        """An answer; where the calls before it were all denied, the denial ended the work."""
        denied = task.denials[task.denied_before :]
        if denied and all(r.by in DENIALS or r.status == "error" for r in task.last_turn):
            return self._ended(task, "denied", denied[-1].reason, text)
        return self._ended(task, "answered", "", text)

    def _ended(self, task: Task, ending: Ending, reason: str, answer: str = "") -> Outcome:
        results, denials = tuple(task.results), tuple(task.denials)
        return Outcome(ending, answer, reason, task.steps, self.tally.task, results, denials)


def _cancel_soon(loop: asyncio.AbstractEventLoop, work: asyncio.Future[Outcome]) -> None:
    """From whatever thread the person's key press was heard on."""
    loop.call_soon_threadsafe(work.cancel)
