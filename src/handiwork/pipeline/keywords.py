"""What hooks are told of a call, and of its result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.types import Ready, ToolCall, ToolResult
from ..core.wire import copy_json


def call_keywords(call: ToolCall, ready: Ready | None) -> dict[str, Any]:
    """What a hook is told before a call. The arguments are a copy: a hook changes them by answering."""
    return {
        "tool_name": call.name,
        "args": copy_json(ready.args if ready else call.arguments),
        "task_id": call.scope.task_id,
        "session_id": call.scope.session_id,
        "tool_call_id": call.id,
        "cwd": call.scope.here,
    }


def result_keywords(ready: Ready | None, result: ToolResult) -> Mapping[str, Any]:
    """What a hook is told after a call."""
    return {
        **call_keywords(result.call, ready),
        "result": result.content,
        "duration_ms": result.duration_ms,
        "status": result.status,
    }
