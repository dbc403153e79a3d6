"""What a hook command's exit code and output mean, and what several of them mean together."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..backends.environment.exchange import Exchanged
from .hook_config import CommandHook

BLOCKS = 2
_ORDER = ("deny", "ask", "allow", "")  # whoever says the former, wins
_WORDS = {"block": "deny", "deny": "deny", "ask": "ask", "allow": "allow", "approve": "allow"}
# Points where what is merely printed is told to the model, as the agents do that these events come from.
_PRINTED_COUNTS = frozenset({"user_prompt_submit", "session_start"})


@dataclass(frozen=True, slots=True)
class Ruling:
    """What one hook, or several together, said.

    `decision` is `deny`, `ask`, `allow` or nothing. `problem` is what went wrong, which the decision of a
    guard follows already. `message` is for the person.
    """

    decision: str = ""
    reason: str = ""
    updated: Mapping[str, Any] | None = None
    context: str = ""
    message: str = ""
    problem: str = ""


def ruling_of(hook: CommandHook, ran: Exchanged) -> Ruling:
    """What *hook* said by ending so."""
    said, words = ran.out.strip(), ran.err.strip()
    if ran.code == BLOCKS:
        return _blocked(hook, words or said or f"{hook.label} said no")
    if ran.code != 0:
        how = f"was ended after {hook.timeout_s:g} s" if ran.timed_out else f"exited with code {ran.code}"
        return failed(hook, f"{how}{': ' + words[-300:] if words else ''}")
    if not said.startswith("{"):
        return Ruling(context=said) if hook.point in _PRINTED_COUNTS else Ruling()
    try:
        answer = json.loads(said)
    except ValueError as error:
        return failed(hook, f"printed what isn't JSON: {error}")
    return _read(hook, answer)


def failed(hook: CommandHook, problem: str) -> Ruling:
    """A failure: a no where the hook guards."""
    return Ruling("deny" if hook.guards else "", f"the hook {hook.label} {problem}", problem=problem)


def _blocked(hook: CommandHook, reason: str) -> Ruling:
    """Exit code 2: a no where one can be said, else words for the model where those can be."""
    if "block" in hook.answers:
        return Ruling("deny", reason)
    if "context" in hook.answers or "text" in hook.answers:
        return Ruling(context=reason)
    return failed(hook, f"said no, which nobody can at this event: {reason}")


def _read(hook: CommandHook, answer: Mapping[str, Any]) -> Ruling:
    inner = answer.get("hookSpecificOutput", {})
    if not isinstance(inner, dict):
        return failed(hook, f"gave a hookSpecificOutput that is no object: {str(inner)[:80]}")
    # A request for permission is answered by an object, as {"behavior": "deny", "message": ...}.
    nested = inner["decision"] if isinstance(inner.get("decision"), dict) else {}
    word = inner.get("permissionDecision") or nested.get("behavior") or answer.get("decision") or ""
    reason = inner.get("permissionDecisionReason") or nested.get("message") or answer.get("reason") or ""
    updated, context = inner.get("updatedInput"), inner.get("additionalContext") or answer.get("context") or ""
    if word and word not in _WORDS:
        return failed(hook, f"gave a decision that isn't known: {word!r}")
    if updated is not None and not isinstance(updated, dict):
        return failed(hook, f"gave an updatedInput that is no object: {str(updated)[:80]}")
    decision = _WORDS.get(word, "")
    if answer.get("continue") is False and hook.point == "stop":
        decision = ""  # it may end, whatever else is said
    elif answer.get("continue") is False:
        decision, reason = "deny", answer.get("stopReason") or reason or f"{hook.label} said to stop"
    message = str(answer.get("systemMessage") or "")
    return _allowed(hook, Ruling(decision, str(reason), updated, str(context), message))


def _allowed(hook: CommandHook, said: Ruling) -> Ruling:
    """The ruling, where its event has room for it."""
    if said.decision == "deny" and "block" not in hook.answers:
        return Ruling(context=said.context or said.reason, message=said.message)
    if said.decision == "ask" and "ask" not in hook.answers:
        return failed(hook, "wants somebody to be asked, which isn't done at this event")
    return said


def merge(rulings: Sequence[Ruling]) -> Ruling:
    """Several in one: the strictest decision with its reasons, the rest in order, later arguments winning."""
    decision = min((r.decision for r in rulings), key=_ORDER.index, default="")
    updated = [r.updated for r in rulings if r.updated is not None]
    return Ruling(
        decision,
        _lines(r.reason for r in rulings if r.decision == decision),
        {key: value for args in updated for key, value in args.items()} if updated else None,
        _lines(r.context for r in rulings),
        _lines(r.message for r in rulings),
    )


def _lines(texts: Iterable[str]) -> str:
    return "\n".join(dict.fromkeys(text for text in texts if text))
