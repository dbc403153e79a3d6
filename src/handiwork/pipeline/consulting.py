"""Hooks are called and people asked: the driver's part of it, in which their failures are caught."""

from __future__ import annotations

import time
from typing import Any

from ..core.loading import Late
from .effects import HOOK_TIMEOUT_S, AskPerson, Broke, CallHook
from .parts import Parts

asyncio = Late("asyncio")
bridge = Late("handiwork.core.bridge")
_ALMOST_S = 0.005  # waits are rounded to milliseconds


def ask(parts: Parts, effect: CallHook | AskPerson) -> Any:
    """Call a hook or an approver, and answer with what they said."""
    try:
        return _wait_for(_consult(parts, effect))
    except BaseException as error:  # noqa: BLE001 - hooks and approvers are foreign code
        return Broke(error)


async def aask(parts: Parts, effect: CallHook | AskPerson) -> Any:
    """Call a hook or an approver while the loop stays free."""
    try:
        return await _aconsult(parts, effect)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - hooks and approvers are foreign code
        return Broke(error)


def _consult(parts: Parts, effect: CallHook | AskPerson) -> Any:
    """Call an approver here, where the person is; a hook in a worker, where it can hang by itself."""
    if isinstance(effect, AskPerson):
        return _consult_person(parts, effect)
    return parts.workers.run(effect, timeout_s=_hook_seconds(effect), name=_hook_name(effect))


def _consult_person(parts: Parts, effect: AskPerson) -> Any:
    """Ask in this thread; in a worker where the call's time is limited, since nobody can be made to answer."""
    deadline = effect.ready.call.scope.deadline
    if deadline is None:
        return _wait_for(effect())
    try:
        value = parts.workers.run(effect, timeout_s=seconds_left(deadline), name="approver")
        return _wait_for(value, seconds_left(deadline))
    except TimeoutError as error:
        raise _unanswered(error, deadline) from error


async def _aconsult(parts: Parts, effect: CallHook | AskPerson) -> Any:
    if isinstance(effect, AskPerson):
        return await _aconsult_person(parts, effect)
    value = await parts.workers.arun(effect, timeout_s=_hook_seconds(effect), name=_hook_name(effect))
    return await value if hasattr(value, "__await__") else value


async def _aconsult_person(parts: Parts, effect: AskPerson) -> Any:
    deadline = effect.ready.call.scope.deadline
    try:
        value = await parts.workers.arun(effect, timeout_s=seconds_left(deadline), name="approver")
        return await asyncio.wait_for(value, seconds_left(deadline)) if hasattr(value, "__await__") else value
    except TimeoutError as error:
        raise _unanswered(error, deadline) from error


def _unanswered(error: TimeoutError, deadline: float | None) -> TimeoutError:
    """The approver's own error, but for a deadline that has come: that is the call's."""
    is_late = deadline is not None and time.monotonic() >= deadline - _ALMOST_S
    return TimeoutError("nobody answered before the call's time was up") if is_late else error


def _hook_seconds(effect: Any) -> float:
    return effect.hook.timeout_s or HOOK_TIMEOUT_S


def _hook_name(effect: Any) -> str:
    return f"{effect.hook.name}:{effect.hook.source}:{id(effect.hook)}"


def _wait_for(value: Any, timeout_s: float | None = None) -> Any:
    if not hasattr(value, "__await__"):
        return value
    return bridge.tools_bridge.run(value, timeout_s=timeout_s, label="hook")


def seconds_left(until: float | None) -> float | None:
    """How long it is until then, by `time.monotonic`; never nothing, so that what has begun can say so."""
    return None if until is None else max(0.001, round(until - time.monotonic(), 3))
