"""The real SDK, its exporters in memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter


@dataclass
class Seen:
    """What was traced: providers to hand in, and what came of them."""

    tracers: TracerProvider = field(default_factory=lambda: TracerProvider(shutdown_on_exit=False))
    exporter: InMemorySpanExporter = field(default_factory=InMemorySpanExporter)
    reader: InMemoryMetricReader = field(default_factory=InMemoryMetricReader)

    def __post_init__(self) -> None:
        self.tracers.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.meters = MeterProvider([self.reader], shutdown_on_exit=False)

    @property
    def spans(self) -> list[ReadableSpan]:
        return list(self.exporter.get_finished_spans())

    def named(self, name: str) -> list[ReadableSpan]:
        return [span for span in self.spans if span.name == name]

    def one(self, name: str) -> ReadableSpan:
        (span,) = self.named(name)
        return span

    def facts(self, name: str) -> dict[str, Any]:
        return dict(self.one(name).attributes or {})

    def above(self, span: ReadableSpan) -> str:
        """The name of the span that it belongs to, or ""."""
        by_id = {s.context.span_id: s.name for s in self.spans}
        return by_id[span.parent.span_id] if span.parent else ""

    def tree(self) -> dict[str, list[str]]:
        """Names of spans by the name of the one above."""
        found: dict[str, list[str]] = {}
        for span in self.spans:
            found.setdefault(self.above(span), []).append(span.name)
        return {above: sorted(below) for above, below in found.items()}

    def points(self) -> dict[str, list[Any]]:
        """The data points of each metric."""
        data = self.reader.get_metrics_data()
        metrics = [m for r in data.resource_metrics for s in r.scope_metrics for m in s.metrics] if data else []
        return {metric.name: list(metric.data.data_points) for metric in metrics}


@pytest.fixture
def seen() -> Seen:
    return Seen()
