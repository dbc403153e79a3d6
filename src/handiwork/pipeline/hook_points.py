"""The points at which hooks are called: when, with which keywords, and what they may answer.

The table is what the code reads and what docs/hooks.md shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

PRE_TOOL_CALL = "pre_tool_call"
POST_TOOL_CALL = "post_tool_call"
TRANSFORM_TOOL_RESULT = "transform_tool_result"
APPROVAL_ASKED = "approval_asked"
APPROVAL_ANSWERED = "approval_answered"
SESSION_START = "session_start"
SESSION_END = "session_end"
USER_PROMPT_SUBMIT = "user_prompt_submit"
PRE_MODEL_REQUEST = "pre_model_request"
POST_MODEL_REQUEST = "post_model_request"
BEFORE_COMPACTION = "before_compaction"
SUBAGENT_START = "subagent_start"
SUBAGENT_STOP = "subagent_stop"
STOP = "stop"


class Point(NamedTuple):
    """One point. `answers` are of those that docs/hooks.md explains; none means that it only observes.

    Where it `guards`, a hook that fails or can't be understood is a no; elsewhere that is logged, counted
    and gone on from.
    """

    when: str
    keywords: tuple[str, ...]
    answers: tuple[str, ...] = ()
    guards: bool = False


_CALL = ("tool_name", "args", "task_id", "session_id", "tool_call_id", "cwd")
_RESULT = (*_CALL, "result", "duration_ms", "status")
_TALK = ("session_id", "cwd", "platform", "model")

POINTS: Mapping[str, Point] = {
    PRE_TOOL_CALL: Point(
        "before a call is judged", _CALL, ("block", "ask", "modify", "context", "answer"), guards=True
    ),
    POST_TOOL_CALL: Point("after every call, refused ones too", _RESULT),
    TRANSFORM_TOOL_RESULT: Point("after a call that ran, before its result is masked and cut", _RESULT, ("text",)),
    APPROVAL_ASKED: Point("before somebody is asked whether a call may run", (*_CALL, "reason", "keys"), ("block",)),
    APPROVAL_ANSWERED: Point("after they answered", (*_CALL, "reason", "keys", "allowed", "note")),
    USER_PROMPT_SUBMIT: Point(
        "before a prompt is taken in or stored",
        (*_TALK, "prompt", "messages"),
        ("block", "rewrite", "context"),
        guards=True,
    ),
    SESSION_START: Point("once, when the first prompt was taken in", (*_TALK, "source"), ("context",)),
    PRE_MODEL_REQUEST: Point("before the model is asked", (*_TALK, "step", "messages", "tools"), ("context",)),
    POST_MODEL_REQUEST: Point(
        "after it replied", (*_TALK, "step", "text", "calls", "input_tokens", "output_tokens", "duration_ms")
    ),
    BEFORE_COMPACTION: Point(
        "before old messages give way to a digest", (*_TALK, "messages", "context_tokens", "trigger")
    ),
    STOP: Point(
        "when work on a prompt is about to end", (*_TALK, "prompt", "ending", "answer", "steps", "again"), ("block",)
    ),
    SUBAGENT_START: Point("before a sub-agent begins", (*_TALK, "subagent_id", "prompt"), ("context",)),
    SUBAGENT_STOP: Point("after a sub-agent ended", (*_TALK, "subagent_id", "ending", "answer", "duration_ms")),
    SESSION_END: Point("once, when the conversation is left", (*_TALK, "ending")),
}
