"""Names of sessions: short, and later ones sort behind."""

from __future__ import annotations

import os
import time

_SIGNS = "0123456789abcdefghjkmnpqrstvwxyz"  # no i, l, o, u: they are taken for others
_EPOCH_MS = 1_577_836_800_000  # 2020: eight signs of time last for 34 years, and then become nine
_TIME_SIGNS, _RANDOM_SIGNS = 8, 3


def new_id(now_ms: int = 0) -> str:
    """An id for a session that begins at *now_ms* (milliseconds since 1970), or now."""
    since = (now_ms or time.time_ns() // 1_000_000) - _EPOCH_MS
    return _spell(since, _TIME_SIGNS) + _spell(int.from_bytes(os.urandom(2)) >> 1, _RANDOM_SIGNS)


def _spell(number: int, width: int) -> str:
    signs = ""
    while number or len(signs) < width:
        number, digit = divmod(number, 32)
        signs = _SIGNS[digit] + signs
    return signs
