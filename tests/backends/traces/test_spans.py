"""Spans: the right names, the right one above, whatever thread or loop the work is done on; no content unasked."""

from __future__ import annotations

import asyncio
import json
import threading
import time

import pytest
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace import TracerProvider, sampling

from handiwork.agent.loop import Agent
from handiwork.agent.spending import Budget
from handiwork.apps.transcripts import masked
from handiwork.backends.traces import conventions
from handiwork.backends.traces.messages import Inputs
from handiwork.backends.traces.spans import OtelTracing
from handiwork.catalog.supply import Supply
from handiwork.catalog.toolsets import Toolsets
from handiwork.core.cancel import CancelToken
from handiwork.core.errors import ModelError
from handiwork.core.types import Answer, Ask, Forbid, ModelReply, Scope, ToolCall, Traits, Usage
from handiwork.pipeline.turn import run_turn
from handiwork.testing import ScriptedModel

READS = Traits(read_only=True)


@pytest.fixture
def traced(pipeline, seen):
    """The pipeline, traced; with content where that is asked for."""

    def make(*, content=False):
        pipeline.tracing = OtelTracing(seen.tracers, seen.meters, version="1", hide=masked if content else None)
        return pipeline

    return make


@pytest.fixture
def work(registry, traced):
    """Runs an agent that says *replies*."""

    def run(*replies, content=False, cancel=None, model=None, **options):
        supply = Supply(registry, Toolsets(registry))
        pipeline = traced(content=content)
        model = model or ScriptedModel(replies)
        scope = Scope(cwd="/", session_id="s1")
        agent = Agent(model, pipeline, scope, supply=lambda: supply.definitions(None), **options)
        return asyncio.run(agent.run("do it", cancel=cancel))

    return run


def calls(*names, **arguments):
    return {"calls": [{"name": name, "arguments": arguments, "id": f"c{n}"} for n, name in enumerate(names)]}


def test_an_agent_its_requests_and_its_calls(work, add, seen):
    add("look", lambda args: "seen", traits=READS)
    work(calls("look"), ModelReply("Done.", usage=Usage(70, 5, cached_tokens=60), model="scripted-2"))
    assert seen.tree() == {
        "": ["invoke_agent handiwork"],
        "invoke_agent handiwork": ["chat scripted", "chat scripted", "execute_tool look"],
    }
    facts = seen.facts("execute_tool look")
    assert facts["gen_ai.operation.name"] == "execute_tool" and facts["gen_ai.tool.name"] == "look"
    assert facts["gen_ai.tool.call.id"] == "c0" and facts["gen_ai.tool.type"] == "function"
    assert facts["gen_ai.conversation.id"] == "s1" and facts["handiwork.tool.status"] == "ok"
    last = dict(seen.named("chat scripted")[1].attributes)
    assert last["gen_ai.provider.name"] == "scripted" and last["gen_ai.request.model"] == "scripted"
    assert last["gen_ai.response.model"] == "scripted-2" and last["gen_ai.response.finish_reasons"] == ("stop",)
    assert (last["gen_ai.usage.input_tokens"], last["gen_ai.usage.output_tokens"]) == (70, 5)
    assert last["gen_ai.usage.cache_read.input_tokens"] == 60
    assert seen.facts("invoke_agent handiwork")["gen_ai.usage.input_tokens"] == 70


def test_the_version_of_the_conventions_stands_in_one_place_and_in_every_span(work, seen):
    work("Hello.")
    assert {s.instrumentation_scope.schema_url for s in seen.spans} == {
        f"https://opentelemetry.io/schemas/{conventions.VERSION}"
    }


def test_calls_of_a_wave_are_beside_each_other_and_what_they_call_below_them(work, add, seen):
    add("leaf", lambda args: "x", traits=READS)
    add("sync", lambda args, scope: scope.call("leaf", {}), traits=READS)

    async def awaits(args, scope):
        await asyncio.sleep(0.01)
        return await scope.acall("leaf", {})

    add("async", awaits, is_async=True, traits=READS)
    work(calls("sync", "async", "sync"), "Done.")
    tree = seen.tree()
    assert tree["invoke_agent handiwork"].count("execute_tool sync") == 2
    assert tree["execute_tool sync"] == ["execute_tool leaf"] * 2 and tree["execute_tool async"] == [
        "execute_tool leaf"
    ]


def test_a_call_from_a_thread_that_knows_nothing_is_below_the_tool_that_began_the_thread(run, traced, add, seen):
    add("leaf", lambda args: "x", traits=READS)

    def threaded(args, scope):
        thread = threading.Thread(target=scope.call, args=("leaf", {}))
        thread.start()
        thread.join()
        return "ok"

    add("threaded", threaded, traits=READS)
    traced()
    run("threaded")
    assert seen.tree() == {"": ["execute_tool threaded"], "execute_tool threaded": ["execute_tool leaf"]}


@pytest.mark.parametrize("kind", ["sync", "limited", "async", "generator"])
def test_what_a_handler_traces_itself_is_below_its_call(run, traced, add, seen, kind):
    tracer = seen.tracers.get_tracer("theirs")

    def own(args):
        with tracer.start_as_current_span("own"):
            return "x"

    async def own_async(args):
        await asyncio.sleep(0)
        with tracer.start_as_current_span("own"):
            return "x"

    def own_generator(args):
        with tracer.start_as_current_span("own"):
            yield "x"

    handler = {"async": own_async, "generator": own_generator}.get(kind, own)
    traits = Traits(read_only=True, timeout_s=5 if kind == "limited" else None)
    add("tool", handler, is_async=kind == "async", traits=traits)
    traced()
    assert run("tool").content in ("x", '["x"]')
    assert seen.tree() == {"": ["execute_tool tool"], "execute_tool tool": ["own"]}
    assert trace.get_current_span() is trace.INVALID_SPAN


def test_a_call_is_below_what_its_caller_traces(run, traced, add, seen):
    add("look", lambda args: "x", traits=READS)
    traced()
    with seen.tracers.get_tracer("theirs").start_as_current_span("theirs"):
        run("look")
    assert seen.tree() == {"": ["theirs"], "theirs": ["execute_tool look"]}


def test_waves_on_one_loop_keep_their_own_current_span(traced, add, seen):
    tracer = seen.tracers.get_tracer("theirs")

    async def nap(args):
        await asyncio.sleep(0.01 * args["n"])
        with tracer.start_as_current_span(f"own {args['n']}"):
            await asyncio.sleep(0.01)
        return "x"

    add("nap", nap, is_async=True, traits=READS, properties={"n": {"type": "integer"}})
    turn = [ToolCall("nap", {"n": n}, f"c{n}", Scope()) for n in range(5)]
    asyncio.run(run_turn(traced(), turn))
    ids = {s.context.span_id: s.attributes["gen_ai.tool.call.id"] for s in seen.named("execute_tool nap")}
    assert {s.name: ids[s.parent.span_id] for s in seen.spans if s.name.startswith("own")} == {
        f"own {n}": f"c{n}" for n in range(5)
    }


@pytest.mark.parametrize("answer", [True, False, Answer(False, note="no"), RuntimeError("gone")])
def test_the_wait_for_a_person_is_a_span_of_its_own(run, traced, add, seen, answer):
    add("save", lambda args: "ok", traits=Traits(effect="write"))
    pipeline = traced(content=True)
    pipeline.judge = lambda ready: Ask("it writes to the moon")

    def approve(ready, ask):
        time.sleep(0.02)
        if isinstance(answer, Exception):
            raise answer
        return answer

    run("save", approver=approve)
    span = seen.one("approval")
    assert seen.above(span) == "execute_tool save"
    assert span.attributes["handiwork.approval.allowed"] is (answer is True)
    assert span.attributes["handiwork.approval.reason"] == "it writes to the moon"
    assert (span.end_time - span.start_time) / 1e9 >= 0.02


def test_how_a_call_failed_is_told_without_what_it_said(run, traced, add, seen):
    def broken(args):
        raise ValueError("the code is 4711")

    add("broken", broken, traits=READS)
    add("sorry", lambda args: '{"error": "the code is 4711"}', traits=READS)
    add("save", lambda args: "ok")
    pipeline = traced()
    for name in ("broken", "sorry", "missing"):
        run(name)
    pipeline.judge = lambda ready: Forbid("the code is 4711")
    run("save")
    errors = {s.name: s.attributes["error.type"] for s in seen.spans}
    assert errors == {
        "execute_tool broken": "ValueError",
        "execute_tool sorry": "tool_error",
        "execute_tool missing": "refused",
        "execute_tool save": "refused",
    }
    assert seen.facts("execute_tool save")["handiwork.tool.refused_by"] == "guard"
    assert all(s.status.status_code.name == "ERROR" for s in seen.spans)
    assert "4711" not in "".join(s.to_json() for s in seen.spans)


def test_a_model_that_fails_and_a_task_that_is_cancelled_are_told(work, add, seen):
    class Failing:
        name = "failing"

        async def reply(self, request):
            raise ModelError("the server is gone")

    with pytest.raises(ModelError):
        work(model=Failing())
    assert seen.facts("chat failing")["error.type"] == "ModelError"
    assert seen.facts("invoke_agent handiwork")["error.type"] == "ModelError"
    seen.exporter.clear()
    cancel = CancelToken()

    async def nap(args):
        threading.Timer(0.02, cancel.cancel).start()
        await asyncio.sleep(5)

    add("nap", nap, is_async=True, traits=READS)
    work(calls("nap"), cancel=cancel)
    assert seen.facts("invoke_agent handiwork")["handiwork.ending"] == "cancelled"
    assert seen.facts("execute_tool nap")["error.type"] == "cancelled"


def test_a_limit_is_how_a_task_ended(work, add, seen):
    add("look", lambda args: "x", traits=READS)
    work(calls("look"), "Done.", budget=Budget(max_steps=1))
    assert seen.facts("invoke_agent handiwork")["error.type"] == "limit"


def test_a_tool_that_is_written_otherwise_is_told_by_its_own_name(run, traced, add, seen):
    add("read_file", lambda args: "x", traits=READS)
    traced()
    assert run("ReadFile").status == "ok"
    assert seen.facts("execute_tool read_file")["gen_ai.tool.name"] == "read_file"


def test_nothing_that_was_said_is_in_a_span_unless_it_is_wanted(work, add, seen):
    add("look", lambda args: "the result", traits=READS, properties={"q": {"type": "string"}})
    work(calls("look", q="the question"), "The answer.")
    told = "".join(s.to_json() for s in seen.spans)
    assert not [words for words in ("the question", "the result", "The answer", "do it") if words in told]


def test_content_comes_in_the_form_of_the_conventions_and_without_secrets(work, add, seen):
    secret = "ghp_" + "A1b2C3d4E5f6G7h8I9j0" + "K1l2M3n4O5p6Q7r8"
    add("look", lambda args: f"it is {secret}", traits=READS, properties={"q": {"type": "string"}})
    work({"text": "I look.", **calls("look", q=secret)}, "The answer.", content=True)
    tool = seen.facts("execute_tool look")
    assert json.loads(tool["gen_ai.tool.call.arguments"])["q"] and tool["gen_ai.tool.call.result"].startswith("it is")
    first, second = (dict(s.attributes) for s in seen.named("chat scripted"))
    (said,) = json.loads(first["gen_ai.output.messages"])
    assert said["role"] == "assistant" and said["finish_reason"] == "tool_calls"
    assert [part["type"] for part in said["parts"]] == ["text", "tool_call"]
    asked = json.loads(second["gen_ai.input.messages"])
    assert [m["role"] for m in asked] == ["system", "user", "assistant", "tool"]
    assert asked[-1]["parts"][0]["type"] == "tool_call_response"
    assert json.loads(seen.facts("invoke_agent handiwork")["gen_ai.output.messages"])[0]["parts"][0]["content"]
    assert secret not in "".join(s.to_json() for s in seen.spans)


def test_tokens_and_times_are_measured(work, add, seen):
    add("look", lambda args: "x", traits=READS)
    work(calls("look", "zhqkwv"), ModelReply("Done.", usage=Usage(70, 5)))
    points = seen.points()
    used = {p.attributes["gen_ai.token.type"]: p.sum for p in points["gen_ai.client.token.usage"]}
    assert used == {"input": 70, "output": 5}
    took = {p.attributes["gen_ai.operation.name"]: p.count for p in points["gen_ai.client.operation.duration"]}
    assert took["chat"] == 2 and took["invoke_agent"] == 1
    tools = {p.attributes.get("gen_ai.tool.name") for p in points["gen_ai.client.operation.duration"]}
    assert tools == {None, "look"}  # what a model thought up is no name of a series
    assert all("gen_ai.conversation.id" not in p.attributes for ps in points.values() for p in ps)


def test_what_isnt_sampled_costs_nothing_of_what_was_said(run, add, pipeline, seen):
    add("look", lambda args: "x", traits=READS)
    hidden: list[object] = []
    never = TracerProvider(sampler=sampling.ALWAYS_OFF, shutdown_on_exit=False)
    pipeline.tracing = OtelTracing(never, seen.meters, version="1", hide=lambda v: hidden.append(v) or v)
    assert run("look").status == "ok" and not hidden


def test_what_is_carried_and_never_awaited_is_closed(traced, recwarn):
    ended = []

    async def work():
        ended.append("ran")

    with traced().tracing.call(ToolCall("look")) as span:
        span.carry(work).close()
        assert asyncio.run(_awaited(span.carry(work))) is None
    assert ended == ["ran"] and not recwarn.list


async def _awaited(value):
    return await value


def test_content_is_bounded_and_whatever_it_is_made_of_can_be_told(run, traced, add, seen):
    add("look", lambda args: "y" * 50_000, traits=READS, properties={"q": {}})
    traced(content=True)
    for arguments in ({"q": "x" * 50_000}, {"q": object()}, {"q": float("nan")}, "{not JSON", None, 7, {"q": b"\xff"}):
        run("look", arguments)
    texts = [s.attributes["gen_ai.tool.call.arguments"] for s in seen.spans]
    assert len(texts) == 7 and max(map(len, texts)) < 17_000 and json.loads(texts[0])["q"].endswith("more)")
    assert len(seen.spans[0].attributes["gen_ai.tool.call.result"]) < 17_000


def test_what_a_broken_stream_leaves_can_still_be_sent(work, add, seen):
    half = "\ud83d"
    add("look", lambda args: f"seen {half}", traits=READS, properties={"q": {}})
    calls = [{"name": name, "arguments": {"q": half}, "id": f"c{half}{name}"} for name in ("look", f"look{half}")]
    work({"text": half, "calls": calls}, ModelReply(f"Done. {half}", model=f"m{half}"), content=True)
    assert encode_spans(seen.spans).SerializeToString()


def test_of_a_long_conversation_the_first_and_the_newest_messages_are_told_each_made_once():
    hidden = []
    inputs = Inputs(lambda value: hidden.append(value) or value)
    talk = [{"role": "system", "content": "Be exact."}]
    talk += [{"role": "user", "content": f"{n} " + "x" * 9_000} for n in range(50)]
    told = json.loads(inputs.text(talk))
    assert told[0]["role"] == "system" and told[-1]["parts"][0]["content"].startswith("49 ")
    assert 15 < len(told) < 25 and len(inputs.text(talk)) < 200_100
    made = len(hidden)
    talk.append({"role": "user", "content": "one more"})
    assert json.loads(inputs.text(talk))[-1]["parts"][0]["content"] == "one more" and len(hidden) == made + 1
