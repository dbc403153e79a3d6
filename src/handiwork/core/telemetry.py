"""What a person wants of traces, as a value, and as they write it down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class Telemetry:
    """The key `traces` of a configuration.

    `enabled` None leaves it to the environment's OTEL_* variables, and to whether an `endpoint` (the base
    URL of a collector that speaks OTLP over HTTP) is named. `content` puts prompts, arguments and results
    into the spans, without the secrets in them.
    """

    enabled: bool | None = None
    endpoint: str = ""
    content: bool = False


_KINDS: Mapping[str, type] = {"enabled": bool, "endpoint": str, "content": bool}
KEYS = tuple(f.name for f in fields(Telemetry))


def as_telemetry(value: Mapping[str, Any]) -> Telemetry:
    """A mapping that has been looked at by `problem_with_telemetry`."""
    return Telemetry(**value)


def problem_with_telemetry(value: Mapping[Any, Any]) -> str | None:
    """What is wrong with it, in words, or None."""
    for key, said in value.items():
        if key not in _KINDS:
            return f"traces: unknown key {key!r}; there are {', '.join(KEYS)}"
        if not isinstance(said, _KINDS[key]):
            return f"traces.{key}: expected {'true or false' if _KINDS[key] is bool else 'text'}, got {said!r}"
    endpoint = str(value.get("endpoint", ""))
    if endpoint and not endpoint.startswith(("http://", "https://")):
        return f"traces.endpoint: expected a base URL such as http://127.0.0.1:4318, got {endpoint!r}"
    return None
