"""What work may take, and what it has taken: steps, seconds, tokens, money, of an agent and of all that work for it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..core.types import Model, ModelReply, Usage


@dataclass(frozen=True, slots=True)
class Budget:
    """What one task may take: model calls, seconds, tokens, US dollars. None is no limit."""

    max_steps: int = 50
    max_seconds: float | None = None
    max_tokens: int | None = None
    max_cost: float | None = None


@dataclass(frozen=True, slots=True)
class Left:
    """What is left of tokens and US dollars. None is no limit."""

    tokens: int | None = None
    usd: float | None = None

    def shared(self, count: int) -> Left:
        """A part of *count* equal ones."""
        tokens = None if self.tokens is None else self.tokens // count
        return Left(tokens, None if self.usd is None else self.usd / count)

    @property
    def is_nothing(self) -> bool:
        return (self.tokens is not None and self.tokens <= 0) or (self.usd is not None and self.usd <= 0)


class Tally:
    """What has been taken of a *budget*. Whoever is *above* has it counted, too."""

    def __init__(self, budget: Budget | None = None, above: Tally | None = None) -> None:
        self.budget, self._above = budget or Budget(), above
        self.total = Usage()
        self._before = Usage()

    def begin_task(self) -> None:
        """From here on it is for another task."""
        self._before = self.total

    @property
    def task(self) -> Usage:
        """What the task has taken."""
        return self.total - self._before

    def add(self, usage: Usage) -> None:
        """A model was asked."""
        self.total += usage
        if self._above:
            self._above.add(usage)

    def left(self) -> Left:
        """What the task may still take."""
        budget, used = self.budget, self.task
        tokens = None if budget.max_tokens is None else budget.max_tokens - used.tokens
        return Left(tokens, None if budget.max_cost is None else budget.max_cost - used.usd)

    def over(self) -> str:
        """Which limit of tokens or money is reached, in words, or ""."""
        budget, used = self.budget, self.task
        if budget.max_tokens is not None and used.tokens >= budget.max_tokens:
            return f"the limit of {budget.max_tokens} tokens is reached"
        if budget.max_cost is not None and used.unpriced:
            return f"the limit of ${budget.max_cost:g} can't be kept: for a model that was asked no price is known"
        if budget.max_cost is not None and used.usd >= budget.max_cost:
            return f"the limit of ${budget.max_cost:g} is reached"
        return ""


def unpriced(_: Model, reply: ModelReply, /) -> ModelReply:
    """For agents that were told no prices."""
    return replace(reply, usage=replace(reply.usage, unpriced=1))
