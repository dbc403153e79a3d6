"""Calling the hooks of one point: a generator of effects, as the line is, for whoever drives it."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..core.wire import copy_json
from .effects import Broke, CallHook
from .hooks import NOTHING, Hook, Hooks, Said, read_answer


@dataclass(frozen=True, slots=True)
class Heard:
    """What the hooks of a point said together: why not (empty: go on), words for the model, another prompt."""

    block: str = ""
    context: tuple[str, ...] = ()
    prompt: str | None = None


NOTHING_HEARD = Heard()
Firing: TypeAlias = Generator[CallHook, Any, Heard]


def firing(hooks: Hooks, name: str, keywords: Mapping[str, Any]) -> Firing:
    """Call the hooks of *name* one after the other, each with a copy of *keywords*, until one says no."""
    context: list[str] = []
    told, prompt = dict(keywords), None
    for hook in hooks.of(name):
        answer = yield CallHook(hook, {key: copy_json(value) for key, value in told.items()})
        said = _heard(hooks, hook, answer)
        if said.block:
            return Heard(said.block, tuple(context))
        context += [said.context] if said.context else []
        if said.prompt is not None:  # the next one hears of it as it is now
            prompt = told["prompt"] = said.prompt
    return Heard("", tuple(context), prompt) if context or prompt else NOTHING_HEARD


def _heard(hooks: Hooks, hook: Hook, answer: Any) -> Said:
    """What it said. A failure is a no where the hook guards, else it is reported, and nothing said."""
    said = Said(problem=f"failed: {answer.error}") if isinstance(answer, Broke) else read_answer(hook, answer)
    if not said.problem:
        return said
    hooks.report(hook, said.problem)
    return Said(block=f"the {hook.name} hook of {hook.source} {said.problem}") if hook.guards else NOTHING
