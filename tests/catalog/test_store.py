"""The register: conflicts, rejections, dispatch, snapshots."""

from __future__ import annotations

import asyncio
import json
import threading
import time

import pytest

from handiwork import ToolRegistry
from handiwork.catalog.origins import Source
from handiwork.core.types import Requires, ToolEntry, Traits


def test_entry_has_the_contract_fields_and_is_frozen(registry, add):
    add("t", requires_env=["A", ("B", "C")], emoji="🎲", max_result_size_chars=10)
    entry = registry.get("t")
    assert isinstance(entry, ToolEntry)
    assert (entry.name, entry.toolset, entry.requires_env, entry.emoji) == ("t", "demo", ("A", ("B", "C")), "🎲")
    assert entry.max_result_size_chars == 10 and entry.description == "Does t."
    with pytest.raises(AttributeError):
        entry.name = "x"
    with pytest.raises(TypeError):
        entry.schema["parameters"]["properties"]["new"] = {}


def test_another_toolset_cannot_take_a_name(registry, add, caplog):
    add("t", lambda args: "first")
    add("t", lambda args: "second", toolset="other")
    assert registry.dispatch("t", {}) == "first"
    assert [str(r.reason) for r in registry.rejections("t")] == ["toolset 'demo' (code) holds the name"]
    assert "Tool registration REJECTED" in caplog.text


def test_the_same_rejection_is_kept_once(registry, add):
    add("t")
    for _ in range(3):
        add("t", toolset="other")
    assert len(registry.rejections("t")) == 1


def test_mcp_toolsets_may_replace_each_other(registry, add):
    add("t", lambda args: "x", toolset="mcp-x")
    add("t", lambda args: "y", toolset="mcp-y")
    assert registry.dispatch("t", {}) == "y"
    assert registry.members("mcp-x") == {} and list(registry.members("mcp-y")) == ["t"]


def test_same_toolset_replaces_only_from_the_same_origin(registry, add):
    add("t", lambda args: "1", origin="builtin")
    add("t", lambda args: "2", origin="plugin:user/p")
    assert registry.dispatch("t", {}) == "1"
    add("t", lambda args: "3", origin="builtin")
    assert registry.dispatch("t", {}) == "3"


def test_override_is_for_those_who_may(registry, add):
    add("t", lambda args: "1", origin="builtin")
    add("t", lambda args: "2", toolset="o", origin="plugin:user/p", override=True)
    assert registry.dispatch("t", {}) == "1"
    registry.may_override = lambda origin: origin.endswith("/p")
    add("t", lambda args: "3", toolset="o", origin="plugin:user/p", override=True)
    assert registry.dispatch("t", {}) == "3"


def test_origin_comes_from_whoever_loads(registry, add):
    with registry.registering(Source("plugin:user/dice")):
        add("t")
    add("u")
    assert registry.get("t").origin == "plugin:user/dice" and registry.get("u").origin == "code"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"name": "bad tool!"}, "letters, digits"),
        ({"name": "x" * 65}, "1 to 64"),
        ({"name": ""}, "1 to 64"),
        ({"toolset": " "}, "toolset must be named"),
        ({"handler": "not callable"}, "handler must be callable, got str"),
        ({"schema": None}, "schema must be an object, got NoneType"),
        ({"schema": {"name": "other", "parameters": {}}}, "schema is named 'other'"),
        ({"schema": {"parameters": "object"}}, "got str"),
        ({"schema": {"parameters": {"type": "array"}}}, "must be of type object"),
        ({"schema": {"parameters": {"properties": []}}}, "properties must be an object"),
        ({"schema": {"parameters": {"properties": {"a": 3}}}}, "parameter 'a' must be a schema"),
        ({"schema": {"parameters": {"required": "a"}}}, "required must be a list"),
        ({"max_result_size_chars": 0}, "positive"),
    ],
)
def test_a_tool_that_would_fail_later_is_refused_with_the_reason(registry, changes, reason):
    fields = {"name": "t", "toolset": "d", "schema": {"parameters": {}}, "handler": lambda args: "x"} | changes
    registry.register(**fields)
    registry.register(name="good", toolset="d", schema={"description": "ok"}, handler=lambda args: "x")
    assert reason in str(registry.rejections()[0]) and registry.get("good")


def test_generation_grows_with_every_change(registry, add):
    seen = [registry.generation]
    for change in (
        lambda: add("t"),
        lambda: registry.register_toolset_alias("a", "demo"),
        lambda: registry.register_toolset_check("demo", lambda: True),
        registry.touch,
        lambda: registry.deregister("t"),
    ):
        change()
        seen.append(registry.generation)
    assert seen == sorted(set(seen))
    registry.deregister("never there")
    assert registry.generation == seen[-1]


def test_dispatch_never_raises(registry, add):
    def leave(args):
        raise SystemExit(3)

    async def late(args, **kw):
        await asyncio.sleep(0)
        return {"task": kw.get("task_id")}

    add("boom", lambda args: 1 / 0)
    add("leave", leave)
    add("late", late, is_async=True)
    add("none", lambda args: None)
    assert "ZeroDivisionError" in json.loads(registry.dispatch("boom", {}))["error"]
    assert "exit 3" in json.loads(registry.dispatch("leave", {}))["error"]
    assert json.loads(registry.dispatch("late", {}, task_id="t1")) == {"task": "t1"}
    assert json.loads(registry.dispatch("none", {})) == {"result": None}
    assert "Unknown tool" in json.loads(registry.dispatch("nope", {}))["error"]


class Callable_:
    def __call__(self, args, *, task_id=""):
        return {"task": task_id}


@pytest.mark.parametrize(
    ("handler", "answer"),
    [
        (lambda args: {"got": args}, {"got": {"a": 1}}),
        (lambda args, task_id: {"task": task_id}, {"task": "t"}),
        (lambda args, *, session_id: {"s": session_id}, {"s": "s"}),
        (lambda args, **kw: sorted(kw), ["session_id", "task_id"]),
        (Callable_(), {"task": "t"}),
    ],
)
def test_a_handler_gets_only_the_keywords_it_takes(registry, add, handler, answer):
    add("t", handler)
    assert json.loads(registry.dispatch("t", {"a": 1}, task_id="t", session_id="s")) == answer


def test_reads_are_snapshots_while_others_register(registry, add):
    stop = threading.Event()
    faults = []

    def read():
        while not stop.is_set():
            try:
                for entry in registry.entries():
                    registry.members(entry.toolset)
                list(registry.names())
            except RuntimeError as error:  # "dictionary changed size during iteration"
                faults.append(error)
                return

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for i in range(400):
        add(f"t{i}", toolset=f"s{i % 7}")
        if i % 3 == 0:
            registry.deregister(f"t{i // 2}")
    stop.set()
    for reader in readers:
        reader.join()
    assert not faults


def test_toolset_availability_is_its_check_and_any_tool(registry, add):
    add("a", check_fn=lambda: False)
    assert not registry.is_toolset_available("demo")
    add("b")
    assert registry.is_toolset_available("demo")
    registry.register_toolset_check("demo", lambda: False)
    registry.gate.forget()
    assert not registry.is_toolset_available("demo")
    assert not registry.is_toolset_available("unknown")


def test_get_definitions_leaves_out_closed_and_unknown(registry, add):
    add("b")
    add("a", requires=Requires(bins=("surely-not-a-program",)))
    add("c")
    assert [d["function"]["name"] for d in registry.get_definitions(["c", "b", "a", "zz"])] == ["b", "c"]


def test_registering_ten_thousand_stays_linear():
    def cost(count: int) -> float:
        registry = ToolRegistry()
        start = time.process_time()
        for i in range(count):
            registry.register(name=f"t{i}", toolset="s", schema={"description": "x"}, handler=lambda a: "")
        return time.process_time() - start

    # The quickest of several: a busy machine empties caches, which counts as this process's own time.
    small, large = (min(cost(count) for _ in range(3)) for count in (500, 4_000))
    assert large < small * 8 * 3


@pytest.mark.parametrize(
    ("traits", "word"),
    [
        ({"touches": {"to": "file"}}, "path"),
        (Traits(touches={"to": "write_path"}), "path"),
        ({"touches": {"too": "path"}}, "too"),
        ({"reads": True}, "reads"),
    ],
)
def test_what_the_guard_would_not_look_at_is_rejected(registry, add, traits, word):
    add("saves", properties={"to": {"type": "string"}}, traits=traits)
    assert registry.get("saves") is None and word in str(registry.rejections("saves")[-1])
