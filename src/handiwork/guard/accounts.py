"""What an audit says of a call: everything that decides who did what, nothing that is a secret, all of it bounded."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from handiwork.core.loading import Late
from handiwork.core.types import Answer, Artifact, Ready, Refusal, ToolCall, ToolEntry, ToolResult
from handiwork.core.wire import dumps

from .raters import command_folder
from .redaction import MASK, is_plain, is_secret_name, mask_known, redact

if TYPE_CHECKING:
    from .verdict import CommandVerdict

commands = Late("handiwork.guard.commands")
urls = Late("handiwork.guard.urls")
Facts = dict[str, Any]

_MOST_TEXT = 500
_MOST_CHARS = 8_000
_MOST_ITEMS = 50
_MOST_DEPTH = 6
# A text is masked before it is cut, and a little further: a secret across the cut isn't half told.
_MARGIN = 16_384


class Written(NamedTuple):
    """Facts as a JSON object, as they were when they were written. A *raw* one is short, and not masked yet."""

    text: str
    is_raw: bool


def write(facts: Facts) -> Written:
    """*facts* as they are now, bounded. Masking short ones is left to whoever has many: it costs most of the time.

    But for values of the environment, which may have left it by then.
    """
    try:
        text = dumps(facts)
    except (TypeError, ValueError, RecursionError):  # what a caller in Python may pass, but JSON can't say
        text = ""
    if text and len(text) <= _MOST_TEXT and "\\" not in text and mask_known(text) is text:
        return Written(text, True)
    return Written(_mask_facts(facts), False)


def mask_all(texts: list[str]) -> list[str]:
    """Raw texts without secrets. One look over all of them costs little more than one over the first."""
    if not texts or is_plain("\n".join(texts)):
        return texts
    if len(texts) == 1:
        return [_mask_facts(json.loads(texts[0]))]
    half = len(texts) // 2
    return [*mask_all(texts[:half]), *mask_all(texts[half:])]


def members(text: str) -> str:
    """The members of a JSON object, without its braces."""
    return text[1:-1]


def told(facts: Facts) -> str:
    """*facts* as the members of a JSON object, masked and bounded."""
    text, is_raw = write(facts)
    return members(mask_all([text])[0] if is_raw else text)


def _mask_facts(facts: Facts) -> str:
    text = dumps(_masked(facts, 0))
    return text if len(text) <= _MOST_CHARS else dumps({"cut": clean(text, _MOST_CHARS)})


def clean(text: str, most: int = _MOST_TEXT) -> str:
    """*text* masked, then cut to *most* characters."""
    masked = redact(text if len(text) <= most else text[: most + _MARGIN])
    return masked if len(text) <= most else f"{masked[:most]}... ({len(text):,} characters)"


def _masked(value: Any, depth: int, name: str = "") -> Any:
    """*value* with everything masked that is a secret by its look, or by the name that it has."""
    if isinstance(value, Mapping) and depth <= _MOST_DEPTH:
        outer = name if is_secret_name(name) else ""
        items = islice(value.items(), _MOST_ITEMS)
        return {clean(str(k), 100): _masked(v, depth + 1, outer or str(k)) for k, v in items}
    if isinstance(value, (list, tuple)) and depth <= _MOST_DEPTH:
        return [_masked(v, depth + 1, name) for v in islice(value, _MOST_ITEMS)]
    if value is None or isinstance(value, bool) or value == "":
        return value
    if is_secret_name(name):
        return MASK
    if isinstance(value, (int, float)):
        return value
    return clean(value if isinstance(value, str) else repr(value))


# --------------------------------------------------------------------------------------------------- before it runs


@lru_cache(maxsize=512)
def _whose(session: str, task: str, platform: str, tool: str, origin: str) -> str:
    facts = {"session": session, "task": task, "platform": platform, "tool": tool, "origin": origin}
    return told({key: value for key, value in facts.items() if value})


def identity(call: ToolCall, entry: ToolEntry | None) -> str:
    """For whom it runs, and which tool: members of a JSON object."""
    scope = call.scope
    return _whose(scope.session_id, scope.task_id, scope.platform, call.name, entry.origin if entry else "")


def request(ready: Ready) -> Written:
    """What is asked for: id and arguments, what was put right, what it reaches, what was asked and answered."""
    facts = _asked(ready.call, ready.args)
    if ready.repairs:
        facts["repairs"] = ready.repairs
    if ready.real_paths:
        facts["paths"] = ready.real_paths
    if ready.entry.traits.touches:
        facts |= _reached(ready)
    if ready.asks:
        facts["reasons"] = [ask.reason for ask in ready.asks]
    if ready.answers:
        facts["answers"] = [_answer(answer) for answer in ready.answers]
        facts["approver"] = _name_of(ready.call.scope.approver)
    if ready.provenance:
        facts["provenance"] = {name: f"{at.integrity}:{at.source}" for name, at in ready.provenance.items()}
    return write(facts)


def request_as_written(call: ToolCall) -> Written:
    """The arguments of a call that never became ready."""
    return write(_asked(call, call.arguments))


def _asked(call: ToolCall, args: Any) -> Facts:
    return {"call": call.id, "args": args} if call.id else {"args": args}


def _answer(answer: Answer) -> Facts:
    facts = {"allowed": answer.allowed, "keep": answer.keep, "note": answer.note, "covers": answer.rule}
    return {key: value for key, value in facts.items() if value != ""}


def _name_of(approver: object) -> str:
    return str(getattr(approver, "__qualname__", type(approver).__name__)) if approver else "the pipeline's"


def _reached(ready: Ready) -> Facts:
    """The hosts of its URLs, and what its commands would do, as the guard reads them."""
    named = [(kind, text) for name, kind in ready.entry.traits.touches.items() for text in _texts(ready.args.get(name))]
    hosts = sorted({urls.judge_url(text).host for kind, text in named if kind == "url"} - {""})
    effects = ready.effects
    if effects is None:  # what was refused before its commands were judged, or because of them
        effects = tuple(effect for kind, text in named if kind == "command" for effect in _effects(ready, text))
    return {**({"hosts": hosts} if hosts else {}), **({"effects": effects} if effects else {})}


def _texts(value: Any) -> Iterable[str]:
    return (value,) if isinstance(value, str) else (v for v in value or () if isinstance(v, str))


def _effects(ready: Ready, command: str) -> tuple[str, ...]:
    scope = ready.call.scope
    exported = scope.shell.exported if scope.shell else {}
    folder, workspace = command_folder(ready), scope.workspace or None
    found: CommandVerdict = commands.judge_command(command, cwd=folder, workspace=workspace, variables=exported)
    return found.told()


# --------------------------------------------------------------------------------------------------- verdict and end


def verdict(ready: Ready | None, end: Ready | Refusal) -> str:
    """What was decided, and by whom: members of a JSON object."""
    asks = ready.asks if ready else ()
    if isinstance(end, Ready) and not asks and not end.rule:
        return '"verdict":"allow"'
    facts: Facts = {"verdict": "ask" if asks else "allow"}
    if isinstance(end, Refusal):
        facts = {"verdict": _VERDICTS.get(end.by, "refused"), "by": end.by, "reason": end.reason}
        facts |= {"answer": _answer(end.answer)} if end.answer else {}
    rules = dict.fromkeys(filter(None, (*(ask.rule for ask in asks), end.rule)))
    return told({**facts, "rule": "; ".join(rules)} if rules else facts)


_VERDICTS = {"guard": "forbid", "approval": "ask"}


def outcome(result: ToolResult) -> str:
    """What came of it: members of a JSON object."""
    content, took = result.content, result.duration_ms
    digest = _digest(content.encode("utf-8", "surrogatepass"))
    text = f'"status":"{result.status}","duration_ms":{took:.3f},"size":{len(content)},"sha256":"{digest}"'
    return f"{text},{_rest(result)}" if result.labels or result.artifacts or result.kept else text


def _rest(result: ToolResult) -> str:
    labels = [f"{label.integrity}:{label.source}" for label in result.labels]
    facts = {"labels": labels, "artifacts": list(map(_artifact, result.artifacts)), "kept": result.kept}
    return told({key: value for key, value in facts.items() if value})


def _artifact(artifact: Artifact) -> Facts:
    data = artifact.data
    return {"mime": artifact.mime, "size": len(data), "sha256": _digest(data), "path": artifact.path}


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
