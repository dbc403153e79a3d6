"""Hooks that are commands, run at the points of ours: what they are told, and what becomes of their answers."""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any

from ..backends.environment.children.child import Nursery
from ..backends.environment.exchange import Exchanged, exchange
from ..backends.environment.surroundings import child_environment
from ..core.errors import HandiworkError, StorageError
from ..core.wire import dumps
from ..guard.workspace import find_workspace
from ..pipeline.hooks import Hooks
from .foreign_names import names_of, to_foreign, to_ours
from .hook_answers import Ruling, failed, merge, ruling_of
from .hook_config import CommandHook

_GRACE_S = 5.0
_MOST_AT_ONCE = 16
_MOST_VALUE = 8_192
_MODES = {
    "ask": "default",
    "accept-edits": "acceptEdits",
    "auto": "auto",
    "read-only": "plan",
    "yolo": "bypassPermissions",
}
# Our keywords under the names that commands know. `messages` is left out: it has no bounds.
_TOLD_AS = {
    "args": "tool_input",
    "tool_call_id": "tool_use_id",
    "result": "tool_response",
    "again": "stop_hook_active",
    "answer": "last_assistant_message",
    "ending": "reason",
}
_NOT_TOLD = frozenset({"messages", "task_id"})
_SUBJECTS = ("source", "trigger", "ending")


def _unwritten(_: str) -> str:
    """The transcript where no session is stored."""
    return ""


@dataclass(frozen=True, slots=True)
class Errand:
    """One run of a hook: what it is told."""

    hook: CommandHook
    told: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Done:
    """One run that ended, and what it means. `ran` is None where it could not be started."""

    errand: Errand
    ran: Exchanged | None
    ruling: Ruling


class HookCommands:
    """Runs the command hooks of one house. *note* is told of every failure: who, and what.

    *transcript* names the file in which a session can be read, by its id.
    """

    def __init__(
        self, mode: str, note: Callable[[str, str], object], transcript: Callable[[str], str] = _unwritten
    ) -> None:
        self._mode, self._note, self._transcript = _MODES[mode], note, transcript
        self._nursery = Nursery()

    def close(self) -> None:
        """End those that still run; start none again."""
        self._nursery.close()

    def register(self, chosen: Sequence[CommandHook], hooks: Hooks) -> None:
        """Put the commands among *hooks*, those of one point together."""
        by_point = sorted(chosen, key=lambda hook: hook.point)  # stable: in the order of the configuration
        for point, found in groupby(by_point, key=lambda hook: hook.point):
            group = tuple(found)
            seconds = max(hook.timeout_s for hook in group) + _GRACE_S
            hooks.register(point, partial(self._fire, point, group), source="config", timeout_s=seconds)

    def run(self, group: Sequence[CommandHook], keywords: Mapping[str, Any]) -> list[Done]:
        """Run those of a point that it is for, side by side; what came of each, in order."""
        errands = [errand for hook in group for errand in self._errands(hook, keywords)]
        if errands and (path := self._transcript_of(keywords)):
            errands = [Errand(errand.hook, {**errand.told, "transcript_path": path}) for errand in errands]
        if len(errands) < 2:
            return [self._carry_out(errand) for errand in errands]
        with ThreadPoolExecutor(min(len(errands), _MOST_AT_ONCE), "handiwork-hook") as pool:
            return list(pool.map(self._carry_out, errands))

    def _fire(self, point: str, group: Sequence[CommandHook], /, **keywords: Any) -> Any:
        done = self.run(group, keywords)
        for one in done:
            if one.ruling.problem:
                self._note(one.errand.hook.label, one.ruling.problem)
            if one.ruling.message:
                logging.getLogger(__name__).warning("%s: %s", one.errand.hook.label, one.ruling.message)
        said = merge([one.ruling for one in done])
        return _as_answer(point, said, keywords) if done else None

    def _errands(self, hook: CommandHook, keywords: Mapping[str, Any]) -> Iterable[Errand]:
        """What a hook is told of an event: mostly once; of a patch, once for each file."""
        if hook.event == "PostToolUse" and keywords.get("status") != "ok":
            return []
        told = self._told(hook, keywords)
        if "tool_name" not in keywords or hook.event == "Notification":
            subject = told.get("notification_type") or next((keywords[k] for k in _SUBJECTS if k in keywords), "")
            return [Errand(hook, told)] if hook.matches(str(subject)) else []
        tool = keywords["tool_name"]
        calls = to_foreign(tool, keywords["args"], keywords["cwd"])
        if not hook.matches(*names_of(tool), *(name for name, _ in calls)):
            return []
        if not hook.foreign:
            return [Errand(hook, told)]
        return [Errand(hook, {**told, "tool_name": name, "tool_input": args}) for name, args in calls]

    def _told(self, hook: CommandHook, keywords: Mapping[str, Any]) -> dict[str, Any]:
        facts = {_TOLD_AS.get(key, key): value for key, value in keywords.items() if key not in _NOT_TOLD}
        told = {"transcript_path": "", **facts, "permission_mode": self._mode, "hook_event_name": hook.event}
        if hook.event == "Notification":
            told |= {"message": keywords.get("reason", ""), "notification_type": "permission_prompt"}
        return told

    def _transcript_of(self, keywords: Mapping[str, Any]) -> str:
        """It is written only for a hook that is run. One that can't be is no reason to let a guard fall out."""
        try:
            return self._transcript(str(keywords.get("session_id") or ""))
        except (StorageError, OSError) as error:
            self._note("transcript", str(error))
            return ""

    def _carry_out(self, errand: Errand) -> Done:
        hook, told = errand.hook, errand.told
        cwd = str(told.get("cwd") or "/")
        env = child_environment(_variables(told, cwd), hook.env)
        here = cwd if os.path.isdir(cwd) else "/"  # of a session elsewhere; a relative command isn't found there
        try:
            ran = exchange(self._nursery, hook.command, _written(told), cwd=here, env=env, timeout_s=hook.timeout_s)
        except HandiworkError as error:
            return Done(errand, None, failed(hook, f"could not be started: {error}"))
        return Done(errand, ran, self._ruling(hook, ran, told))

    def _ruling(self, hook: CommandHook, ran: Exchanged, told: Mapping[str, Any]) -> Ruling:
        said = ruling_of(hook, ran)
        in_part = said.updated is not None and hook.foreign and told.get("tool_input", {}).get("patch")
        return failed(hook, "changed a patch, of which it was told one file only") if in_part else said


def _written(told: Mapping[str, Any]) -> bytes:
    """As compact as others write it: scripts search this for `"tool_name":"Bash"`."""
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"), default=str).encode("utf-8", "replace")


def _variables(told: Mapping[str, Any], cwd: str) -> dict[str, str]:
    """The same in variables, for one-line scripts: `HW_TOOL_NAME`, `HW_TOOL_INPUT_COMMAND`, and so on."""
    named = {
        "HW_EVENT": told["hook_event_name"],
        "HW_SESSION_ID": told.get("session_id", ""),
        "HW_CWD": cwd,
        "HW_TOOL_NAME": told.get("tool_name", ""),
    }
    for key, value in (told.get("tool_input") or {}).items():
        text = value if isinstance(value, str) else dumps(value)
        named["HW_TOOL_INPUT_" + re.sub(r"[^A-Z0-9]", "_", key.upper())] = text
    fitting = {key: text for key, text in named.items() if len(text) <= _MOST_VALUE and "\0" not in text}
    return {**fitting, "CLAUDE_PROJECT_DIR": find_workspace(cwd)}


def _as_answer(point: str, said: Ruling, keywords: Mapping[str, Any]) -> Any:
    """A ruling as a Python hook would say it. Its "allow" is no opinion: the guard still judges."""
    if point == "transform_tool_result":
        return f"{keywords['result']}\n\n{said.context}" if said.context else None
    answer: dict[str, Any] = {"context": said.context} if said.context else {}
    if said.decision == "deny":
        return {"action": "block", "message": said.reason}
    if said.updated is not None and "tool_name" not in keywords:
        answer |= {"action": "rewrite", "prompt": said.updated.get("prompt")}
    elif said.updated is not None:
        answer |= {"action": "modify", "args": to_ours(keywords["tool_name"], said.updated)}
    if said.decision == "ask":
        answer |= {"action": "ask", "message": said.reason}
    return answer or None
