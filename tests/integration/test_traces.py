"""Traces of real processes, sent to a real OTLP receiver, to a dead one, and to one that never answers."""

from __future__ import annotations

import gzip
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from handiwork.backends.traces.sending import Sending
from handiwork.core.types import ToolCall, ToolResult

pytestmark = pytest.mark.integration
SRC = Path(__file__).parents[2] / "src"


class Receiver:
    """Takes OTLP over HTTP. With *stalls* it reads a request and never answers."""

    def __init__(self, *, stalls: bool = False) -> None:
        self.traces: list[ExportTraceServiceRequest] = []
        self.metrics: list[ExportMetricsServiceRequest] = []
        self._over = threading.Event()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                if self.headers.get("content-encoding") == "gzip":
                    body = gzip.decompress(body)
                if stalls:
                    receiver._over.wait(30)
                    return
                kept, kind = {
                    "/v1/traces": (receiver.traces, ExportTraceServiceRequest),
                    "/v1/metrics": (receiver.metrics, ExportMetricsServiceRequest),
                }[self.path]
                kept.append(kind.FromString(body))  # type: ignore[arg-type]
                self.send_response(200)
                self.send_header("content-type", "application/x-protobuf")
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                """Nothing is logged."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def spans(self) -> dict[str, Any]:
        """By name; of several the last."""
        return {
            s.name: s for t in self.traces for r in t.resource_spans for scope in r.scope_spans for s in scope.spans
        }

    def attributes(self, name: str) -> dict[str, Any]:
        return {a.key: getattr(a.value, a.value.WhichOneof("value")) for a in self.spans[name].attributes}

    def close(self) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def receiver() -> Iterator[Callable[..., Receiver]]:
    opened: list[Receiver] = []

    def start(**options: Any) -> Receiver:
        opened.append(Receiver(**options))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


@pytest.fixture
def start(home: Path, tmp_path: Path) -> Callable[..., subprocess.Popen[str]]:
    """Starts `handiwork WORDS` with those variables."""

    def run(*words: str, **variables: str) -> subprocess.Popen[str]:
        kept = {k: v for k, v in os.environ.items() if k in ("PATH", "LANG", "TMPDIR")}
        env = {**kept, "HOME": str(home), "HANDIWORK_HOME": str(home), "PYTHONPATH": str(SRC), **variables}
        command = [sys.executable, "-m", "handiwork", *words]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
        return subprocess.Popen(command, env=env, cwd=tmp_path, text=True, **pipes)  # type: ignore[no-any-return,call-overload]

    return run


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=30)
    assert "Traceback" not in out + err
    return process.returncode, out, err


@pytest.fixture
def script(tmp_path: Path) -> str:
    made = tmp_path / "script.json"
    call = {"name": "terminal", "arguments": {"command": "echo hello"}}
    made.write_text(json.dumps([{"calls": [call], "usage": {"input_tokens": 9, "output_tokens": 4}}, "Done."]))
    return f"scripted:{made}"


def test_a_run_is_received_as_one_trace(receiver, start, script):
    collector = receiver()
    code, out, err = finish(start("run", "go", "--yes", "--model", script, OTEL_EXPORTER_OTLP_ENDPOINT=collector.url))
    assert (code, out) == (0, "Done.\n") and "trace" not in err
    spans = collector.spans
    assert set(spans) == {"invoke_agent handiwork", "chat scripted:script.json", "execute_tool terminal"}
    agent = spans["invoke_agent handiwork"]
    assert not agent.parent_span_id and {s.trace_id for s in spans.values()} == {agent.trace_id}
    assert spans["execute_tool terminal"].parent_span_id == agent.span_id
    facts = collector.attributes("execute_tool terminal")
    assert facts["gen_ai.tool.name"] == "terminal" and "gen_ai.tool.call.arguments" not in facts
    sent = collector.traces[0].resource_spans[0]
    assert {a.key: a.value.string_value for a in sent.resource.attributes}["service.name"] == "handiwork"
    assert sent.scope_spans[0].schema_url.startswith("https://opentelemetry.io/schemas/1.")
    metrics = {
        m.name for t in collector.metrics for r in t.resource_metrics for s in r.scope_metrics for m in s.metrics
    }
    assert {"gen_ai.client.token.usage", "gen_ai.client.operation.duration"} <= metrics


def test_a_single_call_by_the_configuration_with_its_content(receiver, start, home):
    collector = receiver()
    (home / "config.yaml").write_text(f"traces: {{endpoint: '{collector.url}', content: true}}\n")
    code, _, err = finish(start("tools", "call", "calculate", "expression=6*7"))
    assert (code, err) == (0, "")
    facts = collector.attributes("execute_tool calculate")
    assert json.loads(facts["gen_ai.tool.call.arguments"]) == {"expression": "6*7"}
    assert "42" in facts["gen_ai.tool.call.result"]


def test_what_was_done_until_a_signal_is_sent(receiver, start, tmp_path):
    collector = receiver()
    slow = tmp_path / "slow.json"
    slow.write_text(json.dumps([{"calls": [{"name": "terminal", "arguments": {"command": "touch began; sleep 20"}}]}]))
    process = start("run", "go", "--yes", "--model", f"scripted:{slow}", OTEL_EXPORTER_OTLP_ENDPOINT=collector.url)
    deadline = time.monotonic() + 15
    while not (tmp_path / "began").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    code, _, _ = finish(process)
    assert code == 143 and collector.attributes("invoke_agent handiwork")["handiwork.ending"] == "cancelled"
    assert collector.attributes("execute_tool terminal")["error.type"]


def refusing() -> str:
    """An address on which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}"


@pytest.mark.parametrize("kind", ["dead", "stalled"])
def test_a_collector_that_doesnt_answer_delays_the_end_by_two_seconds_at_most(receiver, start, script, kind):
    url = refusing() if kind == "dead" else receiver(stalls=True).url
    took: dict[str, float] = {}
    for name, variables in (("off", {}), ("on", {"OTEL_EXPORTER_OTLP_ENDPOINT": url})):
        began = time.monotonic()
        code, out, err = finish(start("run", "go", "--yes", "--model", script, **variables))
        took[name] = time.monotonic() - began
        assert (code, out) == (0, "Done.\n")
    assert [line for line in err.splitlines() if "span" in line] == [
        "traces: not sent: 4 spans (is the collector there?)"
    ]
    assert took["on"] - took["off"] < 2.0 + 2.0, (
        took
    )  # to load the SDK takes a part of a second, more on a busy machine


@pytest.mark.parametrize("kind", ["dead", "stalled"])
def test_closing_takes_two_seconds_at_most(receiver, kind):
    url = refusing() if kind == "dead" else receiver(stalls=True).url
    sending = Sending({}, endpoint=url, version="1", hide=None)
    sending.tracing.call(ToolCall("look")).end(ToolResult(ToolCall("look"), "x"))
    began = time.monotonic()
    assert sending.close() == "not sent: 1 spans"
    assert time.monotonic() - began < 2.2


def test_without_the_extra_one_line_names_it(start, script, tmp_path):
    shadow = tmp_path / "shadow" / "opentelemetry"
    shadow.mkdir(parents=True)
    (shadow / "__init__.py").write_text("")
    path = f"{shadow.parent}{os.pathsep}{SRC}"
    process = start("run", "go", "--yes", "--model", script, PYTHONPATH=path, OTEL_TRACES_EXPORTER="otlp")
    code, out, err = finish(process)
    assert (code, out) == (0, "Done.\n")
    assert [line for line in err.splitlines() if "handiwork[otel]" in line and "not installed" in line]
    assert err.count("handiwork[otel]") == 1
    code, out, _ = finish(start("doctor", "--json", PYTHONPATH=path, OTEL_TRACES_EXPORTER="otlp"))
    (found,) = [f for f in json.loads(out)["findings"] if f["group"] == "traces"]
    assert found["state"] == "warning" and "handiwork[otel]" in found["fix"]
