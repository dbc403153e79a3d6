"""What of a long conversation goes to the model, when all of it doesn't fit any more.

The conversation itself is never changed: it is the record. What is shown keeps its first bytes from call
to call, so that providers' prompt caches hold, and changes only when it must become shorter: then to
well below the limit, so that it lasts a while. First the long results of older calls become one line,
then whole steps, calls together with their answers, give way to a digest that tells what was done.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..catalog.cost import estimate
from ..core.types import Message
from ..core.wire import dumps
from .conversation import NEWS

# Shares of the context: more than HIGH is made shorter, down to LOW. The rest is for the reply.
HIGH, LOW = 0.75, 0.45
# The latest results, in tokens by share of the context, stay whole as long as it can be.
_FRESH = 0.2
_LONG_CHARS = 600
_DIGEST = 0.15
_MOST_SAID_CHARS = 2_000
_PER_MESSAGE = 6
_OPENING = "[Earlier steps were left out here to make room. What was done, oldest first:"


class Context:
    """Fits a conversation into *tokens* (None: no limit is known, nothing is left out).

    *pinned* gives what must stay in sight whatever happens, such as the list of things to do. Token
    counts are estimates.
    """

    def __init__(self, tokens: int | None, *, pinned: Callable[[], str] = str) -> None:
        self._tokens, self._pinned = tokens, pinned
        self._costs: list[int] = []
        self._priced: tuple[list[Mapping[str, Any]], int] = [], 0
        self._short_before = 0  # results before this message are shown as one line
        self._start = 0  # messages before this one are in the digest
        self._digest: Message | None = None

    def shown(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]] = ()) -> list[Message]:
        """The messages to send: all of them, or fewer that say the same."""
        if self._tokens is None:
            return list(messages)
        if self.is_full(messages, tools):
            self._compact(messages, tools, self._tokens)
        return self._view(messages)

    def is_full(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]] = ()) -> bool:
        """Whether `shown` will have to leave something more out."""
        if self._tokens is None:
            return False
        self._costs += [_cost(message) for message in messages[len(self._costs) :]]
        return self._size(messages, tools) > HIGH * self._tokens

    @property
    def tokens(self) -> int | None:
        """The limit, None where none is known."""
        return self._tokens

    @property
    def left_out(self) -> int:
        """How many messages the digest stands for."""
        return self._start

    # --------------------------------------------------------------------------------------- measuring

    def _size(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> int:
        kept = sum(self._cost_at(messages, i) for i in self._kept(messages))
        return kept + (_cost(self._digest) if self._digest else 0) + self._price_of(tools)

    def _price_of(self, tools: Sequence[Mapping[str, Any]]) -> int:
        """What the definitions cost; they are mostly the same ones as the last time."""
        if list(tools) != self._priced[0]:
            self._priced = list(tools), estimate(dumps(list(tools)))
        return self._priced[1]

    def _cost_at(self, messages: Sequence[Message], i: int) -> int:
        if i < self._short_before and _is_long_result(messages[i]):
            return _cost(_shortened(messages[i]))
        return self._costs[i]

    def _kept(self, messages: Sequence[Message]) -> Iterator[int]:
        """The places of the messages that are shown: the head, and what follows the digest."""
        head = _head(messages)
        yield from range(head)
        yield from range(max(head, self._start), len(messages))

    def _view(self, messages: Sequence[Message]) -> list[Message]:
        head = _head(messages)
        shown = [
            _shortened(messages[i]) if i < self._short_before and _is_long_result(messages[i]) else messages[i]
            for i in self._kept(messages)
        ]
        return [*shown[:head], self._digest, *shown[head:]] if self._digest else shown

    # -------------------------------------------------------------------------------------- compacting

    def _compact(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], tokens: int) -> None:
        self._short_before = max(self._short_before, self._fresh_from(messages, tokens))
        excess = self._size(messages, tools) - LOW * tokens
        if excess > 0:
            excess += _DIGEST * tokens - (_cost(self._digest) if self._digest else 0)
            self._leave_out(messages, excess)
        if self._size(messages, tools) > HIGH * tokens:
            self._short_before = max(self._short_before, _steps(messages)[-1])

    def _leave_out(self, messages: Sequence[Message], excess: float) -> None:
        """Give the oldest steps to the digest, until as many tokens as *excess* are saved; the last step stays."""
        steps = deque(i for i in _steps(messages) if i > self._start)
        at = max(self._start, _head(messages))
        while excess > 0 and len(steps) > 1:
            self._start = steps.popleft()
            excess -= sum(self._cost_at(messages, i) for i in range(at, self._start))
            at = self._start
        if self._start > _head(messages):
            self._digest = self._digested(messages)

    def _fresh_from(self, messages: Sequence[Message], tokens: int) -> int:
        """The first of the latest messages that together take no more than their share."""
        left, i = _FRESH * tokens, len(messages)
        while i > 0 and left >= self._costs[i - 1]:
            i -= 1
            left -= self._costs[i]
        return i

    def _digested(self, messages: Sequence[Message]) -> Message:
        """One message of the person's side for everything before `_start`."""
        lines = list(_told(messages[_head(messages) : self._start]))
        kept = _latest(lines, _DIGEST * (self._tokens or 0))
        if len(kept) < len(lines):
            kept = [f"({len(lines) - len(kept)} earlier steps not listed)", *kept]
        pinned = self._pinned()
        parts = [_OPENING, *kept, *([f"Still to do: {pinned}"] if pinned else [])]
        return {"role": "user", "content": "\n".join(parts) + "]"}


def _cost(message: Message) -> int:
    content = message.get("content") or ""
    calls = message.get("tool_calls")
    return (
        _PER_MESSAGE
        + estimate(content if isinstance(content, str) else dumps(content))
        + (estimate(dumps(calls)) if calls else 0)
    )


def _head(messages: Sequence[Message]) -> int:
    """How many messages at the start are never left out: the system prompt and the first request."""
    first = next((i for i, m in enumerate(messages) if m["role"] == "user"), -1)
    return first + 1


def _steps(messages: Sequence[Message]) -> list[int]:
    """Where the conversation can be cut: before a message that isn't the answer to a call."""
    return [i for i, message in enumerate(messages) if i >= _head(messages) and message["role"] != "tool"]


def _is_long_result(message: Message) -> bool:
    return message["role"] == "tool" and len(str(message["content"])) > _LONG_CHARS


def _shortened(message: Message) -> Message:
    text = str(message["content"])
    note = f"[... {len(text):,} characters; left out to make room: call again if they are needed ...]"
    return {**message, "content": f"{text[:200]}\n{note}"}


def _latest(lines: Sequence[tuple[bool, str]], tokens: float) -> list[str]:
    """The person's words, as they may change what is to be done, and the last of the other lines that fit."""
    kept: list[str] = []
    for is_persons, line in reversed(lines):
        tokens -= 0 if is_persons else estimate(line) + 1
        if is_persons or tokens >= 0:
            kept.append(line)
    return kept[::-1]


def _told(messages: Sequence[Message]) -> Iterator[tuple[bool, str]]:
    """One line a call, and the words of both sides; whether they are the person's."""
    answers = {m.get("tool_call_id"): str(m["content"]) for m in messages if m["role"] == "tool"}
    for message in messages:
        said = message.get("content") or ""
        if message["role"] == "user" and str(said).startswith(NEWS):
            yield False, f"- {_one_line(str(said), 160)}"
        elif message["role"] == "user":
            yield True, f"- The person said: {str(said)[:_MOST_SAID_CHARS]}"
        elif message["role"] == "assistant":
            for call in message.get("tool_calls") or ():
                yield False, _told_call(call, answers.get(call["id"], ""))
            if said and not message.get("tool_calls"):
                yield False, f"- You answered: {str(said)[:_MOST_SAID_CHARS]}"


def _told_call(call: Mapping[str, Any], answer: str) -> str:
    function = call["function"]
    ended = "failed" if answer.startswith('{"error"') else f"{len(answer):,} characters"
    return f"- {function['name']} {_one_line(function['arguments'], 160)} -> {ended}: {_one_line(answer, 100)}"


def _one_line(text: str, most: int) -> str:
    flat = " ".join(text[: 2 * most].split())
    return flat if len(flat) <= most else flat[: most - 3] + "..."
