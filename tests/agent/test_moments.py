"""Moments as they are written."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from handiwork.agent.moments import moment
from handiwork.core.errors import UsageError

NOW = datetime(2026, 3, 31, 12, tzinfo=timezone(timedelta(hours=2)))


def at(*parts):
    return round(datetime(*parts, tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize(
    ("text", "begins", "ends"),
    [
        ("2026-03-30", at(2026, 3, 29, 22), at(2026, 3, 30, 22) - 1),
        ("2026-03-30T08:30", at(2026, 3, 30, 6, 30), at(2026, 3, 30, 6, 30)),
        ("2026-03-30T08:30:00+00:00", at(2026, 3, 30, 8, 30), at(2026, 3, 30, 8, 30)),
        ("12h", at(2026, 3, 30, 22), at(2026, 3, 30, 22)),
        (" 7 D ", at(2026, 3, 24, 10), at(2026, 3, 24, 10)),
        ("2w", at(2026, 3, 17, 10), at(2026, 3, 17, 10)),
    ],
)
def test_what_a_moment_means(text, begins, ends):
    assert (moment(text, NOW), moment(text, NOW, ends=True)) == (begins, ends)


@pytest.mark.parametrize("text", ["yesterday", "31.3.2026", "7", "d", "2026-13-01", "999999d"])
def test_anything_else_is_asked_back(text):
    with pytest.raises(UsageError, match="no date") as error:
        moment(text, NOW)
    assert "2026-03-31" in error.value.hint
