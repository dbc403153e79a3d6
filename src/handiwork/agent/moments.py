"""Moments as people and models write them: a date, a date with a time, or how long ago."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from ..core.errors import UsageError

_AGO = re.compile(r"(\d{1,5})\s*([hdwmy])")
_HOURS = {"h": 1, "d": 24, "w": 7 * 24, "m": 30 * 24, "y": 365 * 24}
_HOW = "write 2026-03-31, 2026-03-31T18:00, or 12h, 7d, 2w for so long ago"
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def moment(text: str, now: datetime, *, ends: bool = False) -> int:
    """Milliseconds since 1970 of *text* in the time zone of *now*; a day begins, or *ends*, what it bounds.

    Raises `UsageError` for what is no moment.
    """
    text = text.strip()
    if ago := _AGO.fullmatch(text.lower()):
        return _milliseconds(now - timedelta(hours=int(ago[1]) * _HOURS[ago[2]]))
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{text!r} is no date", _HOW) from None
    found = found if found.tzinfo else found.replace(tzinfo=now.tzinfo)
    return _milliseconds(found + timedelta(days=1)) - 1 if ends and _DAY.fullmatch(text) else _milliseconds(found)


def _milliseconds(at: datetime) -> int:
    return round(at.timestamp() * 1000)
