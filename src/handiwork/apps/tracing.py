"""Traces of a house: by providers that an embedder hands in, or sent as the person wants it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from .. import __version__
from ..catalog.store import ToolRegistry
from ..catalog.store import registry as default_registry
from ..core.errors import UsageError
from ..core.handler import describe_exception
from ..core.loading import Late
from .house import House, house_of

sending = Late("handiwork.backends.traces.sending")
spans = Late("handiwork.backends.traces.spans")
telemetry = Late("handiwork.core.telemetry")
extra = Late("handiwork.backends.traces.extra")
api = Late("opentelemetry.trace")
metrics_api = Late("opentelemetry.metrics")
transcripts = Late("handiwork.apps.transcripts")
Tell = Callable[[str], object]
CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
_WITH_CONTENT = ("true", "1", "span_only", "span_and_event")
_ASKED_BY = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_OURS = "http/protobuf"


def instrument(
    tracer_provider: Any = None,
    meter_provider: Any = None,
    *,
    content: bool | None = None,
    registry: ToolRegistry = default_registry,
) -> None:
    """Trace the calls of *registry*'s house by these providers, else by OpenTelemetry's global ones.

    *content* puts arguments and results into the spans, without the secrets in them; None leaves that to
    the environment. Raises `UsageError` where the extra `otel` isn't installed.
    """
    if problem := extra.missing():
        raise UsageError(problem, extra.FIX)
    tracers = tracer_provider or api.get_tracer_provider()
    meters = meter_provider or metrics_api.get_meter_provider()
    shown = wants_content(os.environ) if content is None else content
    traced = spans.OtelTracing(tracers, meters, version=__version__, hide=transcripts.masked if shown else None)
    house_of(registry).pipeline.tracing = traced


@contextmanager
def traced(house: House, tell: Tell) -> Iterator[None]:
    """Within, what is done in *house* is told to a collector, where the person asked for that.

    *tell* hears, in a line, why nothing is sent, or what was lost.
    """
    sent = _open(house, tell) if is_wanted(house, os.environ) else None
    if sent is None:
        yield
        return
    before, house.pipeline.tracing = house.pipeline.tracing, sent.tracing
    try:
        yield
    finally:
        house.pipeline.tracing = before
        if lost := sent.close():
            tell(f"traces: {lost} (is the collector there?)")


def _open(house: House, tell: Tell) -> Any:
    """The way to the collector; None where there is none, which never keeps anybody from working."""
    problem, fix = problem_here(os.environ)
    if problem:
        tell(f"{problem}; {fix}")
        return None
    wish = telemetry.as_telemetry(house.config.traces)
    hide = transcripts.masked if wish.content or wants_content(os.environ) else None
    try:
        return sending.Sending(os.environ, endpoint=wish.endpoint, version=__version__, hide=hide)
    except Exception as error:  # noqa: BLE001 - the SDK reads the person's variables, and may not like them
        tell(f"traces are not sent: {describe_exception(error)}; correct the OTEL_* variables")
        return None


def is_wanted(house: House, env: Mapping[str, str]) -> bool:
    """Whether the person wants traces to be sent: the configuration says so, or the standard variables do."""
    if env.get("OTEL_SDK_DISABLED", "").lower() == "true" or env.get("OTEL_TRACES_EXPORTER") == "none":
        return False
    said = house.config.traces  # as it is written: whoever has said nothing pays for no more than this look
    if "enabled" in said:
        return bool(said["enabled"])
    return "endpoint" in said or env.get("OTEL_TRACES_EXPORTER") == "otlp" or any(map(env.get, _ASKED_BY))


def wants_content(env: Mapping[str, str]) -> bool:
    """Whether the standard variable asks for prompts, arguments and results."""
    return env.get(CONTENT, "").lower() in _WITH_CONTENT


def problem_here(env: Mapping[str, str]) -> tuple[str, str]:
    """Why nothing can be sent from here, and what would mend it; two empty texts where it can."""
    if problem := extra.missing():
        return problem, extra.FIX
    protocol = next(filter(None, map(env.get, _PROTOCOLS)), _OURS)
    if protocol != _OURS:
        return f"traces are not sent: {protocol} isn't spoken here", f"export {_PROTOCOLS[1]}={_OURS}"
    return "", ""
