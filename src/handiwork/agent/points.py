"""The points of a conversation at which hooks are called, and what they are told there."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from ..core.types import Message, ModelReply, Scope
from ..core.wire import name_of_definition
from ..pipeline.firing import Heard
from ..pipeline.hook_points import (
    BEFORE_COMPACTION,
    POST_MODEL_REQUEST,
    PRE_MODEL_REQUEST,
    SESSION_END,
    SESSION_START,
    STOP,
    USER_PROMPT_SUBMIT,
)
from ..pipeline.line import Pipeline
from .conversation import Conversation


class Points:
    """Calls the hooks of one agent's conversation, in its *scope*, about its *model*."""

    def __init__(self, pipeline: Pipeline, conversation: Conversation, scope: Scope, model: str) -> None:
        self._pipeline, self._conversation = pipeline, conversation
        self._scope, self._model = scope, model
        self._begun, self._prompt = False, ""

    def wants(self, name: str) -> bool:
        """Whether anybody hears of *name*: what is costly to find out isn't found out for nobody."""
        return bool(self._pipeline.hooks.of(name))

    async def submit(self, prompt: str) -> Heard:
        """A prompt came, of which nothing is stored yet."""
        heard = await self._tell(USER_PROMPT_SUBMIT, prompt=prompt, messages=self._conversation.messages)
        self._prompt = heard.prompt or prompt
        return heard

    async def begin(self) -> Heard:
        """The first prompt was taken in; of later ones nothing is told here."""
        if self._begun:
            return Heard()
        self._begun = True
        return await self._tell(SESSION_START, source="resume" if self._conversation.session.history else "startup")

    async def before_request(self, step: int, tools: Sequence[Mapping[str, Any]]) -> Heard:
        """The model is about to be asked."""
        if not self.wants(PRE_MODEL_REQUEST):
            return Heard()
        names = [name_of_definition(tool) for tool in tools]
        return await self._tell(PRE_MODEL_REQUEST, step=step, messages=self._conversation.messages, tools=names)

    async def after_request(self, step: int, reply: ModelReply, since: float) -> None:
        """It replied; *since* is when it was asked, by `time.perf_counter`."""
        await self._tell(
            POST_MODEL_REQUEST,
            step=step,
            text=reply.text,
            calls=[{"name": call.name, "arguments": call.arguments} for call in reply.calls],
            input_tokens=reply.usage.input_tokens,
            output_tokens=reply.usage.output_tokens,
            duration_ms=(time.perf_counter() - since) * 1000,
        )

    async def before_compaction(self, messages: Sequence[Message], tokens: int | None) -> None:
        """Old messages are about to be left out."""
        await self._tell(BEFORE_COMPACTION, messages=list(messages), context_tokens=tokens, trigger="auto")

    async def stop(self, ending: str, answer: str, steps: int, *, again: bool) -> Heard:
        """The work on a prompt is about to end; *again* is whether a hook had it go on before."""
        return await self._tell(STOP, prompt=self._prompt, ending=ending, answer=answer, steps=steps, again=again)

    def end(self, ending: str) -> None:
        """The conversation is left. Told once, and only where its beginning was."""
        if self._begun:
            self._begun = False
            self._pipeline.fire(SESSION_END, **self._whose(), ending=ending)

    async def _tell(self, name: str, **facts: Any) -> Heard:
        return await self._pipeline.afire(name, **self._whose(), **facts)

    def _whose(self) -> dict[str, Any]:
        scope = self._scope
        session = self._conversation.session.id or scope.session_id
        return {"session_id": session, "cwd": scope.here, "platform": scope.platform, "model": self._model}
