"""A call taken through its preparation step by step: no hook, no question, no handler."""

from __future__ import annotations

from ..core.types import Ready, Refusal, ToolCall
from .approving import Prepared, approve
from .line import Pipeline
from .steps import ADMIT, PREPARE, pre_hooks


def rehearse(pipeline: Pipeline, call: ToolCall) -> list[tuple[str, Prepared]]:
    """What each step would make of *call*, up to the first that refuses.

    Hooks are foreign code and people are not asked: the steps that need them are left out, and what
    would be asked stands in `asks` of the last `Ready`.
    """
    ready = ADMIT(pipeline, call)
    told = [(ADMIT.__name__, ready)]
    for step in PREPARE:
        if isinstance(ready, Refusal) or step in (pre_hooks, approve):
            continue
        after = step(pipeline, ready)
        if isinstance(after, (Ready, Refusal)):
            ready = after
            told.append((step.__name__, ready))
    return told
