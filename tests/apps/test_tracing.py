"""When traces are sent, and how an embedder has them."""

from __future__ import annotations

import asyncio

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from handiwork import Toolbox, call_tool, handle_function_call
from handiwork.agent.session import Unkept
from handiwork.agent.spending import Budget
from handiwork.apps.agents import Face, build_agent
from handiwork.apps.house import House, default, house_of
from handiwork.apps.tracing import instrument, is_wanted, problem_here, traced, wants_content
from handiwork.core.config import Config, problem_with
from handiwork.core.errors import UsageError
from handiwork.core.tracing import UNTRACED
from handiwork.core.types import Traits
from handiwork.testing import ScriptedModel

ENDPOINT = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}


@pytest.mark.parametrize(
    ("config", "env", "wanted"),
    [
        ({}, {}, False),
        ({}, ENDPOINT, True),
        ({}, {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://x"}, True),
        ({}, {"OTEL_TRACES_EXPORTER": "otlp"}, True),
        ({}, {"OTEL_TRACES_EXPORTER": "none", **ENDPOINT}, False),
        ({}, {"OTEL_SDK_DISABLED": "true", **ENDPOINT}, False),
        ({"endpoint": "http://127.0.0.1:4318"}, {}, True),
        ({"enabled": True}, {}, True),
        ({"enabled": False}, ENDPOINT, False),
        ({"enabled": True}, {"OTEL_SDK_DISABLED": "true"}, False),
        ({"content": True}, {}, False),
    ],
)
def test_traces_are_sent_where_somebody_asks_for_them(registry, config, env, wanted):
    assert is_wanted(House(registry, config=Config(traces=config)), env) is wanted


@pytest.mark.parametrize(
    ("value", "wanted"), [("", False), ("false", False), ("NO_CONTENT", False), ("true", True), ("SPAN_ONLY", True)]
)
def test_content_is_asked_for_by_the_standard_variable(value, wanted):
    assert wants_content({"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": value}) is wanted


def test_a_protocol_that_isnt_spoken_is_told_with_the_one_that_is():
    assert problem_here({}) == problem_here({"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}) == ("", "")
    problem, fix = problem_here({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"})
    assert "grpc" in problem and "http/protobuf" in fix


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"enabled": True, "endpoint": "https://c/otlp", "content": False}, None),
        ({"on": True}, "unknown key 'on'"),
        ({"enabled": "yes"}, "traces.enabled: expected true or false"),
        ({"endpoint": "localhost:4317"}, "traces.endpoint: expected a base URL"),
        ({"endpoint": 4318}, "traces.endpoint: expected text"),
    ],
)
def test_what_a_person_writes_is_looked_at(value, said):
    problem = problem_with("traces", value)
    assert problem is None if said is None else problem and said in problem


@pytest.fixture
def exporter():
    return InMemorySpanExporter()


@pytest.fixture
def provider(exporter):
    made = TracerProvider(shutdown_on_exit=False)
    made.add_span_processor(SimpleSpanProcessor(exporter))
    return made


def test_one_provider_sees_every_way_to_call(registry, add, provider, exporter):
    add("look", lambda args: "x", traits=Traits(read_only=True))
    instrument(provider, registry=registry)
    handle_function_call("look", {}, registry=registry, session_id="s", tool_call_id="c1")
    asyncio.run(call_tool("look", {}, registry=registry))
    box = Toolbox(registry)
    box.definitions()
    box.run([{"id": "c2", "function": {"name": "look", "arguments": "{}"}}])
    names = [(s.name, s.attributes.get("gen_ai.tool.call.id")) for s in exporter.get_finished_spans()]
    assert names == [("execute_tool look", "c1"), ("execute_tool look", None), ("execute_tool look", "c2")]


def test_an_embedder_without_the_extra_is_told_its_name(registry, monkeypatch):
    monkeypatch.setattr("handiwork.apps.tracing.extra.missing", lambda: "not installed: opentelemetry.sdk")
    with pytest.raises(UsageError) as told:
        instrument(registry=registry)
    assert "handiwork[otel]" in told.value.hint


def test_nothing_is_traced_where_nobody_asks(registry, monkeypatch):
    for name in ENDPOINT:
        monkeypatch.delenv(name, raising=False)
    house, said = House(registry), []
    with traced(house, said.append):
        assert house.pipeline.tracing is UNTRACED
    assert not said


def test_delegates_stand_below_the_call_that_hired_them(fresh_default, provider, exporter, tmp_path):
    house = default()
    tracing = house.pipeline.tracing
    instrument(provider)
    handed_on = {"name": "delegate_task", "arguments": {"tasks": [{"task": f"look {n}"} for n in (1, 2)]}}
    looked = {"calls": [{"name": "read_file", "arguments": {"path": "a.txt"}}]}
    (tmp_path / "a.txt").write_text("x")
    model = ScriptedModel([{"calls": [handed_on]}, looked, looked, "seen", "seen", "Done."])
    face = Face("cli", ("file", "delegation"))
    try:
        agent = build_agent(house, model, face, cwd=str(tmp_path), budget=Budget(), session=Unkept())
        assert asyncio.run(agent.run("go")).answer == "Done."
    finally:
        house.pipeline.tracing = tracing
    spans = exporter.get_finished_spans()
    by_id = {s.context.span_id: s.name for s in spans}
    above = [(s.name, by_id[s.parent.span_id] if s.parent else "") for s in spans]
    assert above.count(("invoke_agent delegate", "execute_tool delegate_task")) == 2
    assert above.count(("execute_tool read_file", "invoke_agent delegate")) == 2
    assert above.count(("chat scripted", "invoke_agent delegate")) == 4
    assert above.count(("execute_tool delegate_task", "invoke_agent handiwork")) == 1
    assert len({s.context.trace_id for s in spans}) == 1


@pytest.mark.parametrize(
    "variables",
    [
        {"OTEL_EXPORTER_OTLP_TIMEOUT": "soon"},
        {"OTEL_EXPORTER_OTLP_COMPRESSION": "squeeze"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "nowhere"},
        {"OTEL_BSP_MAX_QUEUE_SIZE": "-1"},
        {"OTEL_TRACES_SAMPLER": "sometimes"},
        {"OTEL_METRIC_EXPORT_INTERVAL": "often"},
    ],
    ids=lambda v: "=".join(*v.items()),
)
def test_odd_variables_never_keep_anybody_from_working(registry, add, monkeypatch, capsys, variables):
    for name, value in {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", **variables}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("handiwork.backends.traces.sending.LAST_S", 0.1)
    add("look", lambda args: "x", traits=Traits(read_only=True))
    house, said = house_of(registry), []
    with traced(house, said.append):
        assert handle_function_call("look", {}, registry=registry) == "x"
    assert len(said) == 1 and said[0].startswith("traces") and "\n" not in said[0]
    assert "Traceback" not in capsys.readouterr().err
