"""OpenTelemetry: spans and metrics of what agents and tools do (extra `otel`)."""
