"""A server asks the agent's own model: counted, bounded, seen by the person, and put in the words of both sides."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from typing import Any

from mcp_types import (
    CreateMessageRequestParams,
    CreateMessageResult,
    CreateMessageResultWithTools,
    SamplingMessage,
    SamplingMessageContentBlock,
    StopReason,
    TextContent,
    ToolResultContent,
    ToolUseContent,
)

from ....core.types import Ask, Message, ModelReply, ModelRequest
from ..lending import LENT_MODEL
from ..permissions import Permissions
from .callers import Caller

_WINDOW_S = 60.0
_MOST_SHOWN = 500


class RefusedSamplingError(Exception):
    """The model isn't lent; the words are for the server."""


class Counter:
    """How often a model was lent in the last minute."""

    def __init__(self, most: int, now: Callable[[], float] = time.monotonic) -> None:
        self._most, self._now = most, now
        self._at: deque[float] = deque()

    def take(self) -> bool:
        """Count one more; False where that would be too many."""
        now = self._now()
        while self._at and now - self._at[0] >= _WINDOW_S:
            self._at.popleft()
        if len(self._at) >= self._most:
            return False
        self._at.append(now)
        return True


class Sampling:
    """The counter at which one server borrows the model."""

    def __init__(self, server: str, may: Permissions) -> None:
        self._server, self._may = server, may
        self._counter = Counter(may.rpm)

    async def answer(
        self, caller: Caller, params: CreateMessageRequestParams
    ) -> CreateMessageResult | CreateMessageResultWithTools:
        """What the model says. Raises `RefusedSamplingError`."""
        lent = caller.call.scope.bindings.get(LENT_MODEL)
        if lent is None:
            raise RefusedSamplingError("there is no model here that could be lent")
        model = str(getattr(lent, "model_name", ""))
        if self._may.models and not any(fnmatchcase(model, pattern) for pattern in self._may.models):
            raise RefusedSamplingError(f"the model {model!r} may not be lent to this server")
        if not self._counter.take():
            raise RefusedSamplingError(f"the model is lent {self._may.rpm} times a minute at most")
        if self._may.sampling == "ask":
            await self._agree(caller, params)
        request = request_of(params, self._may.max_tokens)
        reply: ModelReply = await caller.run_bound(LENT_MODEL, {"request": request})
        return result_of(reply, params, model)

    async def _agree(self, caller: Caller, params: CreateMessageRequestParams) -> None:
        shown = {
            "system": (params.system_prompt or "")[:_MOST_SHOWN],
            "messages": [_shown(m) for m in params.messages],
            "max_tokens": min(params.max_tokens, self._may.max_tokens),
        }
        ask = Ask(f"the MCP server {self._server!r} wants to ask your model", (f"mcp sampling {self._server}",))
        with caller.question():
            answer = await caller.approve(f"{self._server}: ask the model", shown, ask)
        if not answer.allowed:
            raise RefusedSamplingError("the person didn't agree" + (f": {answer.note}" if answer.note else ""))


def _shown(message: SamplingMessage) -> str:
    text = " ".join(_text(block) for block in message.content_as_list)
    return f"{message.role}: {text[:_MOST_SHOWN]}" + (" ..." if len(text) > _MOST_SHOWN else "")


def _text(block: Any) -> str:
    if isinstance(block, TextContent):
        return block.text
    if isinstance(block, ToolUseContent):
        return f"[calls {block.name} {json.dumps(block.input, ensure_ascii=False)}]"
    if isinstance(block, ToolResultContent):
        return " ".join(_text(inner) for inner in block.content)
    return f"[{block.type}, not passed on]"


# --------------------------------------------------------------------------------- into our words and back


def request_of(params: CreateMessageRequestParams, most_tokens: int) -> ModelRequest:
    """The server's question to a model, in the words of models. Nothing of our conversation is in it."""
    messages: list[Message] = []
    if params.system_prompt:
        messages.append({"role": "system", "content": params.system_prompt})
    for message in params.messages:
        messages += _messages(message)
    wants_tools = params.tools and not (params.tool_choice and params.tool_choice.mode == "none")
    tools = [_definition(tool) for tool in (params.tools or ())] if wants_tools else []
    return ModelRequest(tuple(messages), tuple(tools), max_tokens=min(params.max_tokens, most_tokens))


def _definition(tool: Any) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description or "", "parameters": tool.input_schema}
    return {"type": "function", "function": function}


def _messages(message: SamplingMessage) -> Iterator[Message]:
    """Results of tools stand by themselves with models; calls stand in the reply that made them."""
    blocks = message.content_as_list
    for block in blocks:
        if isinstance(block, ToolResultContent):
            yield {"role": "tool", "tool_call_id": block.tool_use_id, "content": _text(block)}
    calls = [block for block in blocks if isinstance(block, ToolUseContent)]
    texts = [_text(b) for b in blocks if not isinstance(b, (ToolUseContent, ToolResultContent))]
    if calls:
        yield {"role": "assistant", "content": "\n".join(texts), "tool_calls": [_call(call) for call in calls]}
    elif texts:
        yield {"role": message.role, "content": "\n".join(texts)}


def _call(block: ToolUseContent) -> dict[str, Any]:
    function = {"name": block.name, "arguments": json.dumps(block.input, ensure_ascii=False)}
    return {"id": block.id, "type": "function", "function": function}


def result_of(
    reply: ModelReply, params: CreateMessageRequestParams, model: str
) -> CreateMessageResult | CreateMessageResultWithTools:
    """The model's reply in the words of the protocol."""
    text, stopped = _until_stop(reply.text, params.stop_sequences or [])
    stop: StopReason = "maxTokens" if reply.cut_off else "stopSequence" if stopped else "endTurn"
    if not params.tools:
        return CreateMessageResult(role="assistant", content=TextContent(text=text), model=model, stop_reason=stop)
    uses = (
        [] if reply.cut_off else [ToolUseContent(name=c.name, id=c.id, input=_input(c.arguments)) for c in reply.calls]
    )
    blocks: list[SamplingMessageContentBlock] = [*uses]
    if text or not uses:
        blocks.insert(0, TextContent(text=text))
    return CreateMessageResultWithTools(
        role="assistant", content=blocks, model=model, stop_reason="toolUse" if uses else stop
    )


def _until_stop(text: str, signs: list[str]) -> tuple[str, bool]:
    """The text up to the first of *signs*: not every model knows them."""
    ends = [at for sign in signs if sign and (at := text.find(sign)) >= 0]
    return (text[: min(ends)], True) if ends else (text, False)


def _input(arguments: Any) -> dict[str, Any]:
    """A model's arguments as an object. Raises `RefusedSamplingError`: damage is no empty call."""
    try:
        value = json.loads(arguments) if isinstance(arguments, str) else arguments
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise RefusedSamplingError("the model wrote a call that can't be read")
    return value
