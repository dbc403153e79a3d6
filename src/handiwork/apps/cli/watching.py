"""What a person sees while an agent works: each call in a line, and what came of it. On standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from ...core.events import AgentEvent, CallFinished, CallProgress, CallStarted, Compacted, MessageTaken, ModelSwitched
from ...core.types import ToolResult
from ...core.wire import dumps
from .output import Output, printable

_MOST = 100


class Watching:
    """A watcher of agent events. The final answer goes to standard output, by whoever runs the agent."""

    def __init__(self, out: Output) -> None:
        self._out = out
        self._stream = sys.stderr
        self._running = 0
        self._several = False

    def __call__(self, event: AgentEvent, /) -> None:
        match event:
            case CallStarted(call):
                self._running += 1
                self._several = self._running > 1
                mark = self._out.paint("●", "cyan", self._stream)
                self._out.note(f"{mark} {call.name}  {_short(_arguments(call.arguments))}")
            case CallProgress(_, progress):
                self._out.note(f"  … {_short(progress.message)}")
            case CallFinished(result):
                self._out.note(self._finished(result))
            case Compacted(messages):
                self._out.note(f"  … {messages} earlier messages are told in short from here on: the context was full")
            case MessageTaken(text, block):
                self._out.note(
                    f"  › {_short(text)}" if not block else f"  … not taken: {_short(text)}: {_short(block)}"
                )
            case ModelSwitched(what):
                self._out.note(f"  … {printable(what)}")

    def end(self) -> None:
        """Nothing more will come."""
        self._stream.flush()

    def _finished(self, result: ToolResult) -> str:
        colour = {"ok": "green", "refused": "yellow"}.get(result.status, "red" if result.is_error else "dim")
        mark = self._out.paint("└", colour, self._stream)
        self._running -= 1
        whose = f"{result.call.name}: " if self._several else ""
        size = f"{len(result.content):,} chars" if len(result.content) > _MOST else ""
        facts = "  ".join(x for x in (f"{result.duration_ms:.0f} ms", size) if x)
        return f"  {mark} {whose}{_short(_gist(result.content))}  {self._out.paint(facts, 'dim', self._stream)}"


def _arguments(raw: Any) -> str:
    """`key=value` pairs where the arguments can be read, else what the model wrote."""
    value = raw
    if isinstance(raw, str):
        try:
            value = json.loads(raw)
        except ValueError:
            return raw
    return "  ".join(f"{k}={dumps(v)}" for k, v in value.items()) if isinstance(value, Mapping) else dumps(value)


def _gist(content: str) -> str:
    """The part of a result that says most: the error, the output, the text; else the whole."""
    try:
        value = json.loads(content)
    except ValueError:
        return content
    if isinstance(value, dict):
        for key in ("error", "output", "result", "content", "message"):
            if value.get(key) not in (None, ""):
                return str(value[key])
    return content


def _short(text: str) -> str:
    line = printable(" ".join(text.split()))
    return line if len(line) <= _MOST else line[: _MOST - 1] + "…"
