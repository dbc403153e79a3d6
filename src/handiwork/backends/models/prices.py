"""What models cost: a table of list prices (prices.json beside this file), and what a person sets in its place.

Each entry of the table names the day on which its provider's list said so. A model that isn't in it has no
known price: nothing is guessed from a name that looks alike, but for the date of a snapshot at its end.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from handiwork.core.prices import FREE, Rate, as_prices
from handiwork.core.types import Model, ModelReply

_ON_THIS_MACHINE = ("local", "ollama", "scripted")
_SNAPSHOT = re.compile(r"(?:[-@]20\d{6}|-20\d\d-\d\d-\d\d)$")


class PriceList:
    """Prices by model: *own* ones (`prices` of a configuration), by `NAME` or `PROVIDER/NAME`, go before the table."""

    def __init__(self, own: Mapping[str, Any] | None = None) -> None:
        self._own = as_prices(own or {})

    def rate(self, model: Model, *, input_tokens: int = 0) -> Rate | None:
        """What a request with so many tokens of input costs today, or None where nobody knows."""
        provider, name = provider_of(model), model.name
        own = self._own.get(f"{provider}/{name}") or self._own.get(name)
        if own or provider in _ON_THIS_MACHINE:
            return own or FREE
        rates = _table().get((provider, name)) or _table().get((provider, _SNAPSHOT.sub("", name))) or ()
        today = time.strftime("%Y-%m-%d")
        holding = [rate for rate in rates if rate.since <= today and (not rate.above or input_tokens > rate.above)]
        return max(holding, key=lambda rate: (rate.since, rate.above), default=None)

    def priced(self, model: Model, reply: ModelReply) -> ModelReply:
        """The reply with what it cost. A server that tells no tokens leaves that unknown, unless it is free."""
        rate, used = self.rate(model, input_tokens=reply.usage.input_tokens), reply.usage
        if rate is None or (rate is not FREE and not used.tokens):
            return replace(reply, usage=replace(used, unpriced=1))
        return replace(reply, usage=replace(used, usd=rate.cost(used)))


def provider_of(model: Model) -> str:
    """Whose price list holds for *model*, or "" where that isn't known."""
    return str(getattr(model, "provider", ""))


@cache
def _table() -> Mapping[tuple[str, str], tuple[Rate, ...]]:
    entries: list[dict[str, Any]] = json.loads(files(__package__).joinpath("prices.json").read_text("utf-8"))
    return {(e["provider"], name): _rates(e) for e in entries for name in e["names"]}


def _rates(entry: Mapping[str, Any]) -> tuple[Rate, ...]:
    return tuple(Rate(**rate, as_of=entry["as_of"]) for rate in entry["rates"])
