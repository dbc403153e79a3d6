"""Hooks: what others want to be told of, or have a say in."""

from __future__ import annotations

import inspect
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..core.loading import Late
from ..core.types import Args, Ask
from .hook_points import POINTS

logging = Late("logging")

_MOST_CONTEXT = 10_000


@dataclass(frozen=True, slots=True)
class Hook:
    """One callable under a hook name, who brought it, and the keywords it takes (None: any).

    `renamed` gives it keywords under further names (theirs -> ours). `guards` is whether its failure is a
    no. `timeout_s` None is the usual limit.
    """

    name: str
    fn: Callable[..., Any]
    source: str
    accepts: frozenset[str] | None
    renamed: Mapping[str, str] = field(default_factory=dict)
    guards: bool = False
    timeout_s: float | None = None

    def __call__(self, keywords: Mapping[str, Any]) -> Any:
        if self.renamed:
            keywords = {**keywords, **{theirs: keywords.get(ours) for theirs, ours in self.renamed.items()}}
        if self.accepts is None:
            return self.fn(**keywords)
        return self.fn(**{k: v for k, v in keywords.items() if k in self.accepts})


class Hooks:
    """The hooks of one house, in the order in which they were registered.

    *record* is told of every failure as well: who, and what.
    """

    def __init__(self, record: Callable[[str, str], object] | None = None) -> None:
        self._hooks: defaultdict[str, tuple[Hook, ...]] = defaultdict(tuple)
        self._record = record
        self.failures: Counter[str] = Counter()

    def register(
        self,
        name: str,
        fn: Callable[..., Any],
        *,
        source: str = "code",
        renamed: Mapping[str, str] | None = None,
        guards: bool | None = None,
        timeout_s: float | None = None,
    ) -> Hook:
        """Call *fn* at every *name*, with those of the keywords that it takes.

        A name that isn't in `POINTS` is kept, and told by `never_called`: nothing calls it.
        """
        point = POINTS.get(name)
        if point is None:
            logging.getLogger(__name__).warning("nothing calls the hook %r of %s", name, source)
        guards = bool(point and point.guards) if guards is None else guards
        hook = Hook(name, fn, source, _keywords_of(fn), renamed or {}, guards, timeout_s)
        self._hooks[name] = (*self._hooks[name], hook)
        return hook

    def remove(self, hook: Hook) -> None:
        """Take one hook away again."""
        self._hooks[hook.name] = tuple(h for h in self._hooks[hook.name] if h is not hook)

    def of(self, name: str) -> tuple[Hook, ...]:
        """The hooks under *name*."""
        return self._hooks.get(name, ())

    def all(self) -> list[Hook]:
        """Every hook, by name."""
        return [hook for name in sorted(self._hooks) for hook in self._hooks[name]]

    def never_called(self) -> list[Hook]:
        """Hooks under names that nothing calls."""
        return [hook for hook in self.all() if hook.name not in POINTS]

    def report(self, hook: Hook, error: object) -> None:
        """A hook failed: logged and counted."""
        self.note(f"{hook.source}:{hook.name}", error)

    def note(self, who: str, error: object) -> None:
        """The same for a part of a hook that knows itself by a name of its own."""
        self.failures[who] += 1
        logging.getLogger(__name__).warning("hook %s failed: %s", who, error)
        if self._record:
            self._record(who, str(error))


def _keywords_of(fn: Callable[..., Any]) -> frozenset[str] | None:
    try:
        parameters = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return None
    return frozenset(p.name for p in parameters if p.kind is not p.POSITIONAL_ONLY)


# --------------------------------------------------------------------------------------------- answers


@dataclass(frozen=True, slots=True)
class Said:
    """What a hook answered: why not, whom to ask, other arguments, another text, words for the model.

    `result` is what a call that only reads is answered with, without being run; `prompt` another prompt.

    `problem` says what of it can't be understood, or isn't to be said at that point.
    """

    block: str = ""
    ask: Ask | None = None
    args: Args | None = None
    text: str | None = None
    context: str = ""
    result: str | None = None
    prompt: str | None = None
    problem: str = ""


NOTHING = Said()


def read_answer(hook: Hook, answer: Any) -> Said:
    """What *hook* said, as far as its point lets it say that. Observers say nothing, whatever they return."""
    point = POINTS.get(hook.name)
    if answer is None or point is None or not point.answers:
        return NOTHING
    said = _read(hook, answer, point.answers)
    meant = {"block": said.block, "ask": said.ask, "modify": said.args is not None, "context": said.context}
    meant |= {"answer": said.result is not None, "rewrite": said.prompt is not None}
    wrong = [kind for kind, value in meant.items() if value and kind not in point.answers]
    return Said(problem=f"may not answer {wrong[0]!r}") if wrong else said


def _read(hook: Hook, answer: Any, allowed: tuple[str, ...]) -> Said:
    if isinstance(answer, str) and "text" in allowed:
        return Said(text=answer)
    if isinstance(answer, str) and "context" in allowed and not hook.guards:
        return Said(context=answer[:_MOST_CONTEXT])
    if isinstance(answer, Mapping) and isinstance(answer.get("context", ""), str) and (answer or not hook.guards):
        return _read_mapping(hook, answer)
    return _unclear(answer)


def _read_mapping(hook: Hook, answer: Mapping[str, Any]) -> Said:
    words, context = answer.get("message") or answer.get("reason"), answer.get("context", "")[:_MOST_CONTEXT]
    args = dict(answer["args"]) if isinstance(answer.get("args"), Mapping) else None
    match answer.get("action"):
        case "block" | "deny":
            return Said(block=str(words or f"blocked by {hook.source}"))
        case "ask":
            reason = str(words or f"{hook.source} wants a person to decide")
            return Said(ask=Ask(reason, (f"hook:{hook.source}: {reason}",)), args=args, context=context)
        case "modify" if args is not None:
            return Said(args=args, context=context)
        case "answer" | "rewrite" if said := _instead(answer):
            return replace(said, context=context)
        case None if "context" in answer or not answer:
            return Said(context=context)
    return Said(context=context) if answer.get("action") in ("allow", "continue") else _unclear(answer)


def _instead(answer: Mapping[str, Any]) -> Said | None:
    """A result in place of a call, or another prompt; a prompt has words."""
    if answer["action"] == "answer":
        return Said(result=answer["result"]) if isinstance(answer.get("result"), str) else None
    prompt = answer.get("prompt")
    return Said(prompt=prompt) if isinstance(prompt, str) and prompt.strip() else None


def _unclear(answer: Any) -> Said:
    return Said(problem=f"gave an answer that isn't understood: {str(answer)[:80]}")
