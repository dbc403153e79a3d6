"""How often and how long to wait before a busy endpoint is asked again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

_TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})


@dataclass(frozen=True, slots=True)
class Retry:
    """At most `most` further tries. Waits in seconds: 1, 2, 4 ... or what the server asks, up to `cap_s`."""

    most: int = 3
    first_s: float = 1.0
    cap_s: float = 30.0

    def wait_s(self, status: int, tries: int, headers: Mapping[str, str], now: float) -> float | None:
        """Seconds until the next try after *tries* tries, or None when there is none. *now* is wall time."""
        if status not in _TRANSIENT or tries > self.most:
            return None
        asked = _asked_s(headers.get("retry-after", ""), now)
        return min(self.first_s * 2 ** (tries - 1) if asked is None else asked, self.cap_s)


PATIENT = Retry()


def _asked_s(header: str, now: float) -> float | None:
    """What `Retry-After` says, in seconds: a number, or an HTTP date. None where it says neither."""
    if header.strip().isdecimal():
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - now)
    except ValueError:
        return None
