"""The step that asks: what must be said yes to, who says it, and what comes of the answer."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Any, TypeAlias

from ..core.loading import Late
from ..core.types import Answer, Approver, Ask, Ready, Refusal
from ..core.wire import dumps
from ..guard.approval import settle
from .effects import AskPerson, Broke, Effect
from .firing import Heard, firing
from .hook_points import APPROVAL_ANSWERED, APPROVAL_ASKED
from .keywords import call_keywords
from .parts import Parts

standing = Late("handiwork.guard.standing")

Prepared: TypeAlias = Ready | Refusal
Waiting: TypeAlias = Generator[Effect, Any, Prepared]


def approve(parts: Parts, ready: Ready) -> Prepared | Waiting:
    """What must be asked is asked. Nobody there means no."""
    if not ready.asks:
        return ready
    approver = ready.call.scope.approver or parts.approver
    if approver is None:
        reasons = "; ".join(ask.reason for ask in ready.asks)
        return Refusal(f"needs approval, and nobody is there to give it: {reasons}", "approval", _HOW_TO_ALLOW)
    return _ask_person(parts, ready, approver)


_HOW_TO_ALLOW = "do it another way, or have a person run this with approval (`--yes`, or an approver)"


def _ask_person(parts: Parts, ready: Ready, approver: Approver) -> Waiting:
    shown = dumps(ready.args)
    for ask in ready.asks:
        if standing.covers(ready, ask):
            continue
        heard = yield from _tell(parts, APPROVAL_ASKED, ready, reason=ask.reason, keys=list(ask.keys))
        if heard.block:
            return Refusal(f"not approved ({ask.reason}): {heard.block}", "approval", _NOT_AGAIN)
        said = yield AskPerson(approver, ready, ask)
        answer = Answer(False, note=f"the approver failed: {said.error}") if isinstance(said, Broke) else settle(said)
        standing.remember(ready, ask, answer)
        facts = {"reason": ask.reason, "keys": list(ask.keys), "allowed": answer.allowed, "note": answer.note}
        yield from _tell(parts, APPROVAL_ANSWERED, ready, **facts)
        if answer.note and (origins := ready.call.scope.origins):
            origins.trust(answer.note)  # the person typed it
        if not answer.allowed:
            return Refusal(_said_no(ready, ask, answer), "approval", _NOT_AGAIN, ask.rule, answer)
        ready = replace(ready, answers=(*ready.answers, answer))
    if dumps(ready.args) != shown:
        return Refusal("not executed: its arguments were changed after they were shown", "approval", _NOT_AGAIN)
    return ready


def _said_no(ready: Ready, ask: Ask, answer: Answer) -> str:
    note = f": {answer.note}" if answer.note else ""
    return f"not executed: not approved ({ask.reason}){note}{standing.new_state(ready)}"


_NOT_AGAIN = "don't repeat it; find another way"


def _tell(parts: Parts, name: str, ready: Ready, **facts: Any) -> Generator[Effect, Any, Heard]:
    """Tell the hooks of a point about an approval."""
    keywords = {**call_keywords(ready.call, ready), **facts} if parts.hooks.of(name) else {}
    return (yield from firing(parts.hooks, name, keywords))
