"""The two metrics of the conventions: tokens of requests, and how long things take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opentelemetry.metrics import Meter

from handiwork.core.types import Usage

from . import conventions as names


class Meters:
    """The instruments of one meter."""

    def __init__(self, meter: Meter) -> None:
        self._tokens = meter.create_histogram(
            names.TOKEN_USAGE,
            "{token}",
            "Number of input and output tokens used.",
            explicit_bucket_boundaries_advisory=names.TOKEN_BOUNDS,
        )
        self._seconds = meter.create_histogram(
            names.DURATION,
            "s",
            "GenAI operation duration.",
            explicit_bucket_boundaries_advisory=names.DURATION_BOUNDS,
        )

    def used(self, usage: Usage, facts: Mapping[str, Any]) -> None:
        """A request took these tokens. What a server doesn't tell isn't counted as none."""
        for kind, count in (("input", usage.input_tokens), ("output", usage.output_tokens)):
            if count:
                self._tokens.record(count, {**facts, names.TOKEN_TYPE: kind})

    def took(self, seconds: float, facts: Mapping[str, Any]) -> None:
        """An operation took so long."""
        self._seconds.record(seconds, facts)
