"""Hooks: what others want to be told of a call, or have a say in."""

from __future__ import annotations

import inspect
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..core.loading import Late
from ..core.types import Args, Ask, Refusal

logging = Late("logging")

PRE_TOOL_CALL = "pre_tool_call"
POST_TOOL_CALL = "post_tool_call"
TRANSFORM_TOOL_RESULT = "transform_tool_result"

HookAnswer: TypeAlias = Refusal | Ask | Args | None


@dataclass(frozen=True, slots=True)
class Hook:
    """One callable under a hook name, who brought it, and the keywords it takes (None: any)."""

    name: str
    fn: Callable[..., Any]
    source: str
    accepts: frozenset[str] | None

    def __call__(self, keywords: Mapping[str, Any]) -> Any:
        if self.accepts is None:
            return self.fn(**keywords)
        return self.fn(**{k: v for k, v in keywords.items() if k in self.accepts})


class Hooks:
    """The hooks of one house, in the order in which they were registered."""

    def __init__(self) -> None:
        self._hooks: defaultdict[str, tuple[Hook, ...]] = defaultdict(tuple)
        self.failures: Counter[str] = Counter()

    def register(self, name: str, fn: Callable[..., Any], *, source: str = "code") -> Hook:
        """Call *fn* at every *name*, with those of the keywords that it takes."""
        hook = Hook(name, fn, source, _keywords_of(fn))
        self._hooks[name] = (*self._hooks[name], hook)
        return hook

    def remove(self, hook: Hook) -> None:
        """Take one hook away again."""
        self._hooks[hook.name] = tuple(h for h in self._hooks[hook.name] if h is not hook)

    def of(self, name: str) -> tuple[Hook, ...]:
        """The hooks under *name*."""
        return self._hooks.get(name, ())

    def report(self, hook: Hook, error: object) -> None:
        """An observer failed: logged and counted, the call goes on."""
        self.failures[f"{hook.source}:{hook.name}"] += 1
        logging.getLogger(__name__).warning("%s hook of %s failed: %s", hook.name, hook.source, error)


def _keywords_of(fn: Callable[..., Any]) -> frozenset[str] | None:
    try:
        parameters = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return None
    return frozenset(p.name for p in parameters if p.kind is not p.POSITIONAL_ONLY)


def read_answer(hook: Hook, answer: Any) -> HookAnswer:
    """What a `pre_tool_call` hook said: nothing, no, ask somebody, or other arguments.

    Anything else is a no: a guard that can't be understood must not let calls through.
    """
    if answer is None:
        return None
    action = answer.get("action") if isinstance(answer, Mapping) else None
    match action:
        case "allow" | "continue":
            return None
        case "block" | "deny":
            return Refusal(str(answer.get("message") or f"blocked by {hook.source}"), PRE_TOOL_CALL)
        case "ask":
            reason = str(answer.get("message") or answer.get("reason") or f"{hook.source} wants a person to decide")
            return Ask(reason, (f"hook:{hook.source}",))
        case "modify" if isinstance(answer.get("args"), Mapping):
            return dict(answer["args"])
    return Refusal(
        f"the pre_tool_call hook of {hook.source} gave an answer that isn't understood: {str(answer)[:80]}",
        PRE_TOOL_CALL,
        "it may answer None or {'action': 'allow'|'block'|'ask'|'modify', ...}",
    )
