"""Hooks that are commands, as a configuration says them: read, checked, and told in one form."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..core.errors import UsageError, near_names
from ..pipeline.hook_points import POINTS

# Other agents' events, and the point of ours that each of them is.
EVENTS: Mapping[str, str] = {
    "PreToolUse": "pre_tool_call",
    "PostToolUse": "transform_tool_result",
    "UserPromptSubmit": "user_prompt_submit",
    "SessionStart": "session_start",
    "SessionEnd": "session_end",
    "Stop": "stop",
    "SubagentStart": "subagent_start",
    "SubagentStop": "subagent_stop",
    "PreCompact": "before_compaction",
    "Notification": "approval_asked",
    "PermissionRequest": "approval_asked",
}
_CASELESS = {re.sub(r"[^a-z]", "", name.lower()): name for name in EVENTS}
_GROUP_KEYS = frozenset({"matcher", "hooks"})
_SHOWN_ELSEWHERE = frozenset({"type", "statusMessage", "description"})
_KEYS = frozenset({"matcher", "command", "timeout", "name", "on_error", "env"}) | _SHOWN_ELSEWHERE
_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class CommandHook:
    """A command that is run at an event.

    `event` is as it was written, in its usual case; one of another agent's makes the hook `foreign`: it is
    told of tools by the names that they have there. `matcher` is a pattern of tool names, or of what else
    the event has (empty: any). `on_error` says what a guard's failure means: `deny` or `allow`. `env` names
    variables that it gets beside the usual ones.
    """

    event: str
    command: str
    matcher: str = ""
    timeout_s: float = _TIMEOUT_S
    on_error: str = "deny"
    env: tuple[str, ...] = ()
    name: str = ""

    @property
    def foreign(self) -> bool:
        """Whether the event has another agent's name."""
        return self.event in EVENTS

    @property
    def point(self) -> str:
        """The hook point of ours."""
        return EVENTS.get(self.event, self.event)

    @property
    def answers(self) -> tuple[str, ...]:
        """What it may say. A notification is only told, though it comes where others may say no."""
        return () if self.event == "Notification" else POINTS[self.point].answers

    @property
    def guards(self) -> bool:
        """Whether a failure is a no."""
        return POINTS[self.point].guards and self.on_error == "deny"

    @property
    def label(self) -> str:
        """What reports call it."""
        return f"{self.event} {self.name or self.command}"[:120]

    def matches(self, *subjects: str) -> bool:
        """Whether it is for one of these: the names of a tool, a source, a trigger."""
        return self.matcher in ("", "*") or any(re.fullmatch(self.matcher, subject) for subject in subjects)


def event_of(written: str) -> str:
    """An event's name in its usual case. Raises `UsageError` for one that isn't there."""
    plain = re.sub(r"[^a-z]", "", written.lower())
    if written in POINTS:
        return written
    if plain in _CASELESS:
        return _CASELESS[plain]
    known = (*EVENTS, *POINTS)
    near = near_names(written, known)
    raise UsageError(
        f"unknown event {written!r}", f"did you mean {near[0]}?" if near else f"events: {', '.join(known)}"
    )


def read_hooks(written: Mapping[Any, Any]) -> tuple[CommandHook, ...]:
    """The hooks of a configuration, in its order. Raises `UsageError` naming the place of what is wrong."""
    return tuple(hook for event, entries in written.items() for hook in _of_event(str(event), entries))


def _of_event(written: str, entries: Any) -> Iterator[CommandHook]:
    event = event_of(written)
    if not isinstance(entries, list):
        raise UsageError(f"{written}: expected a list, got {type(entries).__name__}")
    for number, entry in enumerate(entries, 1):
        yield from _of_entry(event, entry, f"{written}[{number}]")


def _of_entry(event: str, entry: Any, place: str) -> Iterator[CommandHook]:
    if not isinstance(entry, dict):
        raise UsageError(f"{place}: expected a mapping, got {entry!r}")
    if "hooks" not in entry:
        yield _hook(event, entry, place)
        return
    if unknown := set(entry) - _GROUP_KEYS:
        raise UsageError(f"{place}: unknown key {min(map(str, unknown))!r}", "a group has `matcher` and `hooks`")
    if not isinstance(entry["hooks"], list):
        raise UsageError(f"{place}.hooks: expected a list, got {entry['hooks']!r}")
    for number, inner in enumerate(entry["hooks"], 1):
        at = f"{place}.hooks[{number}]"
        if not isinstance(inner, dict):
            raise UsageError(f"{at}: expected a mapping, got {inner!r}")
        yield _hook(event, {"matcher": entry.get("matcher"), **inner}, at)


def _hook(event: str, entry: Mapping[Any, Any], place: str) -> CommandHook:
    if problem := _problem_of(entry):
        raise UsageError(f"{place}: {problem}")
    return CommandHook(
        event,
        entry["command"],
        entry.get("matcher") or "",
        float(entry.get("timeout", _TIMEOUT_S)),
        entry.get("on_error", "deny"),
        tuple(entry.get("env", ())),
        entry.get("name", ""),
    )


def _problem_of(entry: Mapping[Any, Any]) -> str:
    return next(filter(None, (find(entry) for find in (_unknown, _no_command, _no_seconds, _odd))), "")


def _unknown(entry: Mapping[Any, Any]) -> str:
    if (kind := entry.get("type", "command")) != "command":
        return f"type {kind!r} isn't there; only commands are run"
    strange = sorted(map(str, set(entry) - _KEYS))
    return f"unknown key {strange[0]!r}; a hook has {', '.join(sorted(_KEYS))}" if strange else ""


def _no_command(entry: Mapping[Any, Any]) -> str:
    command = entry.get("command")
    return "" if isinstance(command, str) and command.strip() else f"`command` must be a command, got {command!r}"


def _no_seconds(entry: Mapping[Any, Any]) -> str:
    seconds = entry.get("timeout", _TIMEOUT_S)
    is_number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
    return "" if is_number and 0 < seconds < math.inf else f"`timeout` must be seconds, more than 0, got {seconds!r}"


def _odd(entry: Mapping[Any, Any]) -> str:
    if entry.get("on_error", "deny") not in ("deny", "allow"):
        return f"`on_error` must be deny or allow, got {entry['on_error']!r}"
    names = entry.get("env", [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return f"`env` must be a list of names of variables, got {names!r}"
    if not isinstance(entry.get("name", ""), str):
        return f"`name` must be text, got {entry['name']!r}"
    return _problem_of_pattern(entry.get("matcher"))


def _problem_of_pattern(matcher: Any) -> str:
    if matcher in (None, "", "*"):
        return ""
    if not isinstance(matcher, str):
        return f"`matcher` must be a pattern, got {matcher!r}"
    try:
        re.compile(matcher)
    except re.error as error:
        return f"`matcher` {matcher!r} is no pattern: {error}"
    return ""
