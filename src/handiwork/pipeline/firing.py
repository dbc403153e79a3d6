"""Calling the hooks of one point: a generator of effects, as the line is, for whoever drives it."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..core.wire import copy_json
from .effects import Broke, CallHook
from .hooks import Hook, Hooks, read_answer


@dataclass(frozen=True, slots=True)
class Heard:
    """What the hooks of a point said together: why not (empty: go on), and words for the model."""

    block: str = ""
    context: tuple[str, ...] = ()


NOTHING_HEARD = Heard()
Firing: TypeAlias = Generator[CallHook, Any, Heard]


def firing(hooks: Hooks, name: str, keywords: Mapping[str, Any]) -> Firing:
    """Call the hooks of *name* one after the other, each with a copy of *keywords*, until one says no."""
    context: list[str] = []
    for hook in hooks.of(name):
        said = yield CallHook(hook, {key: copy_json(value) for key, value in keywords.items()})
        block, words = _heard(hooks, hook, said)
        if block:
            return Heard(block, tuple(context))
        context += [words] if words else []
    return Heard("", tuple(context)) if context else NOTHING_HEARD


def _heard(hooks: Hooks, hook: Hook, answer: Any) -> tuple[str, str]:
    """Why not, and words for the model. A failure is a no where the hook guards, else it is reported."""
    if isinstance(answer, Broke):
        problem = f"failed: {answer.error}"
    else:
        said = read_answer(hook, answer)
        if not said.problem:
            return said.block, said.context
        problem = said.problem
    hooks.report(hook, problem)
    return (f"the {hook.name} hook of {hook.source} {problem}", "") if hook.guards else ("", "")
