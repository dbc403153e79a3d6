"""The steps of the line, in the order in which a call meets them.

A step takes what the one before it gave and gives it on, the same object when it changes nothing. It
may answer with a `Refusal`, or, where it must wait for somebody, with a generator of effects.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from ..core.errors import UsageError, near_names
from ..core.loading import Late
from ..core.types import (
    Allow,
    Answer,
    Approver,
    Ask,
    Forbid,
    Label,
    Ready,
    Refusal,
    ToolCall,
    ToolResult,
)
from ..core.wire import copy_json, dumps
from ..guard.approval import settle
from .effects import AskPerson, Broke, CallHook, Effect
from .firing import Heard, firing
from .footprint import paths_named, real_path
from .hook_points import APPROVAL_ANSWERED, APPROVAL_ASKED, POST_TOOL_CALL, PRE_TOOL_CALL, TRANSFORM_TOOL_RESULT
from .hooks import Hook, Said, read_answer
from .limits import cut
from .names import names_meant
from .parts import Parts

# Their patterns take 20 ms to compile, which is for the first call to pay, not for start-up.
fence = Late("handiwork.guard.fencing")
redact = Late("handiwork.guard.redaction")
standing = Late("handiwork.guard.standing")

Prepared: TypeAlias = Ready | Refusal
Waiting: TypeAlias = Generator[Effect, Any, Prepared]
PrepareStep: TypeAlias = Callable[[Parts, Ready], "Prepared | Waiting"]
Heed: TypeAlias = Callable[[Parts, Hook, ToolResult, Any], ToolResult]
FinishStep: TypeAlias = Callable[[Parts, "Ready | None", ToolResult], "ToolResult | Generator[Effect, Any, ToolResult]"]

_MOST_LISTED = 40

# --------------------------------------------------------------------------------------------- prepare


def resolve(parts: Parts, call: ToolCall) -> Prepared:
    """Which tool is meant."""
    entry = parts.registry.get(call.name)
    if entry is not None:
        return Ready(call, entry, {})
    every = frozenset(parts.registry.names())
    known = every if call.scope.supplied is None else call.scope.supplied
    meant = names_meant(call.name, known) or names_meant(call.name, every)  # of the latter, why not is told
    entry = parts.registry.get(meant[0]) if len(meant) == 1 else None
    if entry is None and (missed := parts.registry.missed(call.name)):
        return Refusal(f"{call.name} is not available: {missed.reason}", "resolve", missed.fix)
    if entry is None:
        return Refusal(f"Unknown tool: {call.name}", "resolve", _which(parts, call.name, meant or known))
    return Ready(replace(call, name=entry.name), entry, {}, (f"the tool's name was written as {call.name!r}",))


def _which(parts: Parts, written: str, known: Collection[str]) -> str:
    """What the model may have meant, and a right call of the likeliest."""
    near = near_names(written, known)
    entry = parts.registry.get(near[0]) if near else None
    if entry is None:
        return f"the tools are: {', '.join(sorted(known)[:_MOST_LISTED])}" if known else ""
    return f"did you mean {' or '.join(near)}? A right call: {entry.name} {parts.plans.of(entry).example()}"


def supplied(parts: Parts, ready: Ready) -> Prepared:
    """A tool that the caller was not shown is not for them."""
    shown = ready.call.scope.supplied
    if shown is None or ready.entry.name in shown:
        return ready
    hint = f"available tools: {', '.join(sorted(shown)) or 'none'}"
    return Refusal(f"the tool {ready.entry.name!r} is not enabled here", "supply", hint)


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
        case Allow(rule):
            return replace(ready, rule=rule) if rule else ready
        case Forbid(reason, hint, rule):
            return Refusal(reason, "guard", hint, rule)
        case Ask():
            return replace(ready, asks=(*ready.asks, verdict))
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

# ---------------------------------------------------------------------------------------------- finish


def post_hooks(parts: Parts, ready: Ready | None, result: ToolResult) -> Any:
    """Observers hear of every result, also of refusals."""
    hooks = parts.hooks.of(POST_TOOL_CALL)
    return _hear(parts, ready, result, hooks, heed=_observed) if hooks else result


def transform_hooks(parts: Parts, ready: Ready | None, result: ToolResult) -> Any:
    """Hooks may give the result of a call that ran another text. Refusals and questions are ours."""
    hooks = parts.hooks.of(TRANSFORM_TOOL_RESULT)
    if not hooks or result.status not in _RAN:
        return result
    return _hear(parts, ready, result, hooks, heed=_transformed)


_RAN = frozenset({"ok", "error"})


def _hear(
    parts: Parts, ready: Ready | None, result: ToolResult, hooks: tuple[Hook, ...], *, heed: Heed
) -> Generator[Effect, Any, ToolResult]:
    """Call each hook with the result as it then is. One that fails is reported, and the call goes on."""
    for hook in hooks:
        said = yield CallHook(hook, result_keywords(ready, result))
        if isinstance(said, Broke):
            parts.hooks.report(hook, said.error)
        else:
            result = heed(parts, hook, result, said)
    return result


def _observed(parts: Parts, hook: Hook, result: ToolResult, said: Any) -> ToolResult:
    return result


def _transformed(parts: Parts, hook: Hook, result: ToolResult, said: Any) -> ToolResult:
    answer = read_answer(hook, said)
    if answer.problem:
        parts.hooks.report(hook, f"{answer.problem}; the result stays as it was")
    return result if answer.text is None else replace(result, content=answer.text)


def add_notes(parts: Parts, ready: Ready | None, result: ToolResult) -> ToolResult:
    """What hooks had to say about the call stands below its result."""
    if ready is None or not ready.notes or result.status not in _RAN:
        return result
    return replace(result, content="\n\n".join((result.content, *ready.notes)))


def hide_secrets(parts: Parts, ready: Ready | None, result: ToolResult) -> ToolResult:
    """Secrets don't reach the model, the log or the file."""
    text = redact.redact(result.content)
    return result if text == result.content else replace(result, content=text)


def keep_short(parts: Parts, ready: Ready | None, result: ToolResult) -> ToolResult:
    """What is too long is cut to both ends; the whole is in a file."""
    most = parts.limits.of(ready.entry if ready else None)
    if len(result.content) <= most:
        return result
    return cut(result, parts.limits, most)


def show(parts: Parts, ready: Ready | None, result: ToolResult) -> ToolResult:
    """Text from outside is shown to the model as data, inside a fence."""
    if ready is None or result.status == "refused":
        return result
    labels = result.labels or _labels_of(ready)
    if not labels:
        return result
    outside = next((label for label in labels if label.integrity == "outside"), None)
    if outside is None:
        return result
    return replace(result, labels=labels, shown=fence.fence(result.content, outside.source))


def _labels_of(ready: Ready) -> tuple[Label, ...]:
    entry = ready.entry
    outside = entry.traits.open_world or entry.origin.startswith("mcp:")
    return (Label("outside", entry.name),) if outside else ()


def note_origins(parts: Parts, ready: Ready | None, result: ToolResult) -> ToolResult:
    """What came of the call may be where a later value comes from."""
    if ready is not None and (origins := ready.call.scope.origins) and result.status in _RAN:
        origins.note(ready, result)
    return result


FINISH: tuple[FinishStep, ...] = (post_hooks, transform_hooks, add_notes, hide_secrets, keep_short, show, note_origins)

# --------------------------------------------------------------------------------------------- keywords


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
