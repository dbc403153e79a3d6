"""What model calls took, as data and in words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from .types import Usage

UNKNOWN = "-"
_TOKENS = ("input_tokens", "output_tokens", "cached_tokens", "cache_write_tokens", "reasoning_tokens")


def usage_document(usage: Usage) -> dict[str, Any]:
    """As JSON data. `cost_usd` is None where no price is known; with some `unpriced_requests` it is the least."""
    facts = asdict(usage)
    return {
        **{key: facts[key] for key in _TOKENS},
        "cost_usd": None if _is_unknown(usage) else round(usage.usd, 9),
        "unpriced_requests": usage.unpriced,
    }


def usage_of(document: Any) -> Usage:
    """What `usage_document` has written down. Of an older form, input and output tokens, the cost isn't known."""
    if isinstance(document, list):
        asked, answered = document
        return Usage(asked, answered, unpriced=1)
    if not isinstance(document, dict):
        return Usage(unpriced=1)
    tokens = {key: int(document.get(key) or 0) for key in _TOKENS}
    return Usage(**tokens, usd=document.get("cost_usd") or 0.0, unpriced=int(document.get("unpriced_requests") or 0))


def sum_of(usages: Iterable[Usage]) -> Usage:
    """All together."""
    return sum(usages, Usage())


def cost_text(usage: Usage) -> str:
    """The cost for people: never a sum that hides a part without a price."""
    if _is_unknown(usage):
        return UNKNOWN
    return f"at least ${usage.usd:.4f}" if usage.unpriced else _dollars(usage.usd)


def usage_text(usage: Usage) -> str:
    """Tokens and cost in a line."""
    cached = f" ({usage.cached_tokens:,} cached)" if usage.cached_tokens else ""
    return f"{usage.input_tokens:,} tokens in{cached}, {usage.output_tokens:,} out; cost {cost_text(usage)}"


def _is_unknown(usage: Usage) -> bool:
    return usage.unpriced > 0 and not usage.usd


def _dollars(usd: float) -> str:
    return "under $0.0001" if 0 < usd < 0.0001 else f"${usd:.4f}"
