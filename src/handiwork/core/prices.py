"""What a model's tokens cost, as a value, and as a person writes it down."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .errors import near_names

if TYPE_CHECKING:
    from .types import Usage

_KEYS = ("input", "output", "cached_input", "cache_write")
_NEEDED = ("input", "output")


@dataclass(frozen=True, slots=True)
class Rate:
    """US dollars for a million tokens. None where a kind of input has no price of its own: it is input.

    It holds from the day `since` on, for requests with more than `above` tokens of input, all of them.
    `as_of` is the day on which the provider's list said so ("" where a person did).
    """

    input: float
    output: float
    cached_input: float | None = None
    cache_write: float | None = None
    since: str = ""
    above: int = 0
    as_of: str = ""

    def cost(self, usage: Usage) -> float:
        """US dollars of one request."""
        cached = self.input if self.cached_input is None else self.cached_input
        written = self.input if self.cache_write is None else self.cache_write
        fresh = max(0, usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens)
        parts = (
            fresh * self.input,
            usage.cached_tokens * cached,
            usage.cache_write_tokens * written,
            usage.output_tokens * self.output,
        )
        return sum(parts) / 1e6


FREE = Rate(0.0, 0.0)


def as_prices(value: Mapping[str, Mapping[str, Any]]) -> dict[str, Rate]:
    """The key `prices` of a configuration, which has been looked at by `problem_with_prices`."""
    return {name: Rate(**rates) for name, rates in value.items()}


def problem_with_prices(value: Mapping[Any, Any]) -> str | None:
    """What is wrong with it, in words, or None."""
    return next((f"prices.{name}: {said}" for name, rates in value.items() if (said := _problem(rates))), None)


def _problem(rates: Any) -> str:
    if not isinstance(rates, Mapping):
        return f"expected {', '.join(_KEYS)} in US dollars for a million tokens, got {rates!r}"
    unknown = next((str(key) for key in rates if key not in _KEYS), None)
    if unknown is not None:
        near = near_names(unknown, _KEYS)
        return f"unknown key {unknown!r}; " + (f"did you mean {near[0]}?" if near else f"there are {', '.join(_KEYS)}")
    if missing := [key for key in _NEEDED if key not in rates]:
        return f"{' and '.join(missing)} must be said, too"
    return next((f"{key}: expected a number, 0 or more, got {v!r}" for key, v in rates.items() if not _is_price(v)), "")


def _is_price(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < math.inf
