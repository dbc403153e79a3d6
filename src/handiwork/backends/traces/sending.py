"""Sending spans and metrics to a collector, by OTLP over HTTP, as the OTEL_* variables say."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.metrics import MeterProvider as AnyMeterProvider
from opentelemetry.metrics import NoOpMeterProvider
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

from handiwork.core.types import Tracing

from .messages import Hide
from .spans import OtelTracing

_ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
# How long the end of a process waits for a collector, in seconds.
LAST_S = 2.0


class Sending:
    """A tracing of this process's own, and the way from there to a collector. `close` sends what is left.

    *endpoint* is a base URL; the variables go before it. Without *hide* no content is sent.
    """

    def __init__(self, env: Mapping[str, str], *, endpoint: str, version: str, hide: Hide | None) -> None:
        logging.getLogger("opentelemetry").propagate = False  # what can't be sent is told once, by `close`
        logging.getLogger("opentelemetry").addHandler(logging.NullHandler())
        resource = _resource(env, version)
        self._counting = _Counting(OTLPSpanExporter(endpoint=_url(env, endpoint, "TRACES")))
        self._tracers = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._tracers.add_span_processor(BatchSpanProcessor(self._counting))
        self._meters = _meters(env, resource, endpoint)
        self.tracing: Tracing = OtelTracing(self._tracers, self._meters, version=version, hide=hide)

    def close(self) -> str:
        """Send what is left, in at most `LAST_S` seconds; what could not be sent, in words, or ""."""
        ends = [threading.Thread(target=end, daemon=True) for end in self._ends()]
        until = time.monotonic() + LAST_S
        for end in ends:
            end.start()
        for end in ends:
            end.join(max(0.0, until - time.monotonic()))
        lost = self._counting.lost + self._counting.waiting
        return f"not sent: {lost} spans" if lost else ""

    def _ends(self) -> Sequence[Any]:
        meters = (self._meters.shutdown,) if isinstance(self._meters, MeterProvider) else ()
        return (self._tracers.shutdown, *meters)


class _Counting(SpanExporter):
    """Counts what its exporter could not send, or hasn't sent yet."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter
        self.lost = self.waiting = 0

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self.waiting = len(spans)
        result = self._exporter.export(spans)
        self.waiting = 0
        self.lost += len(spans) if result is not SpanExportResult.SUCCESS else 0
        return result

    def shutdown(self) -> None:
        self._exporter.shutdown()


def _meters(env: Mapping[str, str], resource: Resource, endpoint: str) -> AnyMeterProvider:
    if env.get("OTEL_METRICS_EXPORTER") == "none":
        return NoOpMeterProvider()
    reader = PeriodicExportingMetricReader(OTLPMetricExporter(endpoint=_url(env, endpoint, "METRICS")))
    return MeterProvider([reader], resource, shutdown_on_exit=False)


def _url(env: Mapping[str, str], endpoint: str, kind: str) -> str | None:
    """Where to send it; None leaves that to the variables."""
    if not endpoint or env.get(_ENDPOINT) or env.get(f"OTEL_EXPORTER_OTLP_{kind}_ENDPOINT"):
        return None
    return f"{endpoint.rstrip('/')}/v1/{kind.lower()}"


def _resource(env: Mapping[str, str], version: str) -> Resource:
    """Who sends: what the variables say, else our name."""
    named = env.get("OTEL_SERVICE_NAME") or "service.name=" in env.get("OTEL_RESOURCE_ATTRIBUTES", "")
    return Resource.create({} if named else {"service.name": "handiwork", "service.version": version})
