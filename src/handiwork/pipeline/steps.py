"""The steps before the handler, in the order in which a call meets them.

A step takes what the one before it gave and gives it on, the same object when it changes nothing. It
may answer with a `Refusal`, or, where it must wait for somebody, with a generator of effects.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any, TypeAlias

from ..core.errors import UsageError, near_names
from ..core.types import (
    Allow,
    Ask,
    Forbid,
    Ready,
    Refusal,
    ToolCall,
)
from .approving import Prepared, Waiting, approve
from .effects import Broke, CallHook
from .footprint import paths_named, real_path
from .hook_points import PRE_TOOL_CALL
from .hooks import Hook, Said, read_answer
from .keywords import call_keywords
from .names import names_meant
from .parts import Parts

PrepareStep: TypeAlias = Callable[[Parts, Ready], "Prepared | Waiting"]

_MOST_LISTED = 40


def resolve(parts: Parts, call: ToolCall) -> Prepared:
    """Which tool is meant."""
    entry = parts.registry.get(call.name)
    if entry is not None:
        return Ready(call, entry, {})
    every = frozenset(parts.registry.names())
    known = every if call.scope.supplied is None else call.scope.supplied
    meant = names_meant(call.name, known) or names_meant(call.name, every)  # of the latter, why not is told
    entry = parts.registry.get(meant[0]) if len(meant) == 1 else None
    if entry is None:
        missed = parts.registry.missed(call.name)
        if missed and not missed.instead:
            return Refusal(f"{call.name} is not available: {missed.reason}", "resolve", missed.fix)
        near = [missed.instead] if missed else near_names(call.name, meant or known)
        return Refusal(f"Unknown tool: {call.name}", "resolve", _which(parts, near, meant or known))
    return Ready(replace(call, name=entry.name), entry, {}, (f"the tool's name was written as {call.name!r}",))


def _which(parts: Parts, near: list[str], known: Collection[str]) -> str:
    """What the model may have meant, and a right call of the likeliest."""
    entry = parts.registry.get(near[0]) if near else None
    if entry is None:
        return f"the tools are: {', '.join(sorted(known)[:_MOST_LISTED])}" if known else ""
    return f"did you mean {' or '.join(near)}? A right call: {entry.name} {parts.plans.of(entry).example()}"


def supplied(parts: Parts, ready: Ready) -> Prepared:
    """A tool that the caller was not shown is not for them."""
    shown = ready.call.scope.supplied
    if shown is None or ready.entry.name in shown:
        return ready
    hint = f"available tools: {', '.join(sorted(shown)[:_MOST_LISTED]) or 'none'}"
    why = parts.absence(ready.entry)
    said = f"is unavailable: {why}" if why else "is not enabled here"
    return Refusal(f"the tool {ready.entry.name!r} {said}", "supply", hint)


def available(parts: Parts, ready: Ready) -> Prepared:
    """A tool whose gate is closed can't be called either."""
    entry = ready.entry
    if entry.check_fn is None and not entry.requires_env and entry.requires is None:
        return ready
    closed = parts.registry.gate.closed(entry)
    return Refusal(f"{entry.name} is not available: {closed.reason}", "gate", closed.fix) if closed else ready


def repair(parts: Parts, ready: Ready) -> Prepared:
    """Read what the model wrote, put it right by the schema, check it, fill in defaults."""
    prepared = put_right(parts, ready, ready.call.arguments)
    if isinstance(prepared, Ready) and ready.repairs:
        return replace(prepared, repairs=(*ready.repairs, *prepared.repairs))
    return prepared


def put_right(parts: Parts, ready: Ready, raw: Any) -> Prepared:
    """The call with the arguments that *raw* makes by the tool's schema, or what is wrong with them."""
    repaired = parts.plans.of(ready.entry).apply(raw)
    if repaired.args is None:
        return Refusal(str(repaired.error), "repair")
    # A call that was right comes back as the caller's own dict, which a handler must not change.
    args = dict(raw) if repaired.args is raw else repaired.args
    return Ready(ready.call, ready.entry, args, tuple(repaired.notes), ready.provenance, ready.asks)


def pre_hooks(parts: Parts, ready: Ready) -> Prepared | Waiting:
    """Hooks may block, ask, or change the arguments."""
    hooks = parts.hooks.of(PRE_TOOL_CALL)
    return _ask_hooks(parts, ready, hooks) if hooks else ready


def _ask_hooks(parts: Parts, ready: Ready, hooks: tuple[Hook, ...]) -> Waiting:
    for hook in hooks:
        answer = yield CallHook(hook, call_keywords(ready.call, ready))
        said = Said(problem=f"failed: {answer.error}") if isinstance(answer, Broke) else read_answer(hook, answer)
        if said.problem:
            parts.hooks.report(hook, said.problem)
            if hook.guards:
                return Refusal(f"the pre_tool_call hook of {hook.source} {said.problem}", PRE_TOOL_CALL, _MAY_ANSWER)
            continue
        heeded = _heed_before(parts, ready, hook, said)
        if isinstance(heeded, Refusal):
            return heeded
        ready = heeded
    return ready


_MAY_ANSWER = "it may answer None or {'action': 'allow'|'block'|'ask'|'modify', ...}: see docs/hooks.md"


def _heed_before(parts: Parts, ready: Ready, hook: Hook, said: Said) -> Prepared:
    """The call as a hook wants it: not at all, with other arguments, asked about, with a note to its result."""
    if said.block:
        return Refusal(said.block, PRE_TOOL_CALL)
    if said.args is not None:
        changed = put_right(parts, ready, said.args)
        if isinstance(changed, Refusal):
            return Refusal(f"{hook.source} changed the arguments: {changed.reason}", PRE_TOOL_CALL)
        ready = replace(changed, notes=ready.notes)  # an answer was to other arguments
    if said.result is not None:
        if ready.entry.traits.resolved_effect() != "read":
            return Refusal(f"{hook.source} answered in place of a tool that doesn't only read", PRE_TOOL_CALL)
        ready = replace(ready, answer=said.result)
    if said.ask:
        ready = replace(ready, asks=(*ready.asks, said.ask))
    return replace(ready, notes=(*ready.notes, said.context)) if said.context else ready


def scope_checks(parts: Parts, ready: Ready) -> Prepared:
    """What the owner of the scope checks, such as an agent's loop guard."""
    for check in ready.call.scope.checks:
        checked = check(ready)
        if isinstance(checked, Refusal):
            return checked
        ready = checked
    return ready


def locate(parts: Parts, ready: Ready) -> Prepared:
    """Where the paths that the call names lead to now: that is judged, and that is what a tool opens.

    Of one that leads nowhere the guard says so in its own words.
    """
    traits = ready.entry.traits
    if not traits.touches:
        return ready
    scope = ready.call.scope
    real = {path: found for path in _named(ready) if (found := real_path(path, scope))}
    return replace(ready, real_paths=real) if real else ready


def _named(ready: Ready) -> tuple[str, ...]:
    """The paths of the call; none for a patch that can't be read: the guard asks about that, the tool says why."""
    try:
        return tuple(paths_named(ready.entry.traits, ready.args))
    except UsageError:
        return ()


def trace(parts: Parts, ready: Ready) -> Prepared:
    """Where the values of an effectful call came from, in a session that keeps account of it."""
    origins = ready.call.scope.origins
    if origins is None or not _aims(ready):
        return ready
    found = origins.trace(ready)
    return replace(ready, provenance=found) if found else ready


def _aims(ready: Ready) -> bool:
    """Whether the call is aimed at something: it has an effect, or goes out to an address."""
    traits = ready.entry.traits
    return traits.resolved_effect() != "read" or "url" in traits.touches.values()


def judge(parts: Parts, ready: Ready) -> Prepared:
    """The guard's verdict."""
    verdict = parts.judge(ready)
    match verdict:
        case Allow(rule, effects):
            return replace(ready, rule=rule, effects=effects) if rule or effects is not None else ready
        case Forbid(reason, hint, rule):
            return Refusal(reason, "guard", hint, rule)
        case Ask():
            return replace(ready, asks=(*ready.asks, verdict), effects=verdict.effects)
    return Refusal(f"the guard gave no verdict: {verdict!r}", "guard")


def foresee(parts: Parts, ready: Ready) -> Prepared:
    """What a call that is asked about would make of files: that is shown, and nothing else is then written.

    One that can't be foreseen has no files to show, and may write none; the tool says why.
    """
    preview = ready.entry.preview
    if not ready.asks or preview is None:
        return ready
    try:
        planned = tuple(preview(ready.args, scope=ready.call.scope, real_paths=ready.real_paths))
    except Exception:  # noqa: BLE001 - a tool's own code; that it fails is told when the call runs
        planned = ()
    return replace(ready, planned=planned)


ADMIT = resolve
PREPARE: tuple[PrepareStep, ...] = (
    supplied,
    available,
    repair,
    pre_hooks,
    scope_checks,
    locate,
    trace,
    judge,
    foresee,
    approve,
)
