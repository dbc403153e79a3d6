"""The Python surface: one call, one turn, definitions, on the default house and on plain ones."""

from __future__ import annotations

import asyncio
import gc
import json
import stat
import weakref
from pathlib import Path
from types import SimpleNamespace

import pytest

import handiwork
from handiwork import ToolRegistry
from handiwork.apps.house import house_of
from handiwork.core.errors import UnknownNameError
from handiwork.core.types import Answer, Traits

LONG = """
from handiwork import registry
registry.register(name="long", toolset="long", handler=lambda args: "\\n".join(f"line {n}" for n in range(20000)),
    schema={"name": "long", "description": "Long.", "parameters": {"type": "object", "properties": {}}})
"""


@pytest.fixture
def work(fresh_default, tmp_path, monkeypatch):
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def call(name, **args):
    return json.loads(handiwork.handle_function_call(name, args))


def options(**kw):
    return kw


# --------------------------------------------------------------------------------------- default house


def test_definitions_are_sorted_frozen_and_the_same_object(work):
    definitions = handiwork.get_tool_definitions()
    names = [d["function"]["name"] for d in definitions]
    assert names == sorted(names) and {"read_file", "terminal"} <= set(names)
    assert handiwork.get_tool_definitions() is definitions
    with pytest.raises(TypeError):
        definitions[0]["function"]["name"] = "x"
    assert json.loads(json.dumps(definitions)) == definitions


def test_enabled_and_disabled_are_two_switches(work):
    some = handiwork.get_tool_definitions(["file", "terminal"], ["terminal"])
    assert [d["function"]["name"] for d in some] == handiwork.resolve_toolset("file")
    assert handiwork.get_tool_definitions([]) == []
    for wrong in ((["fil"],), (None, ["fil"])):
        with pytest.raises(UnknownNameError, match="fil") as error:
            handiwork.get_tool_definitions(*wrong)
        assert "file" in error.value.hint


def test_a_custom_toolset_at_run_time(work):
    handiwork.create_custom_toolset("pair", "Two", ["calculate"], ["todo"])
    assert handiwork.resolve_toolset("pair") == ["calculate", "todo"]
    assert len(handiwork.get_tool_definitions(["pair"])) == 2
    with pytest.raises(UnknownNameError):
        handiwork.resolve_toolset("pear")


def test_one_call_from_text_or_object(work):
    (work / "a.txt").write_text("hello\n")
    for args in ({"path": "a.txt"}, '{"path": "a.txt"}', '{"path": "a.txt",}', '{"path": "a.txt", "limit": "1"}'):
        assert "hello" in handiwork.handle_function_call("read_file", args)
    for args in (None, "", '{"path": "a', [], 3, {}):
        assert "error" in json.loads(handiwork.handle_function_call("read_file", args))
    assert "did you mean read_file?" in handiwork.handle_function_call("read_fle", {})


def test_async_callers_get_a_result_and_keep_their_loop(work):
    async def main():
        ticks = []
        ticking = asyncio.ensure_future(tick(ticks))
        result = await handiwork.call_tool("terminal", {"command": "sleep 0.3; echo 42"}, tool_call_id="c7")
        ticking.cancel()
        return result, len(ticks)

    async def tick(ticks):
        while True:
            ticks.append(1)
            await asyncio.sleep(0.02)

    result, ticks = asyncio.run(main())
    assert not result.is_error and "42" in result.content and result.duration_ms >= 300 and ticks >= 5
    assert result.message()["tool_call_id"] == "c7" and result.message()["role"] == "tool"


def test_a_turn_takes_calls_of_every_make_and_keeps_their_order(work):
    calls = [
        ("calculate", {"expression": "1"}),
        ["calculate", '{"expression": "2"}'],
        {"id": "c3", "type": "function", "function": {"name": "calculate", "arguments": '{"expression": "3"}'}},
        SimpleNamespace(id="c4", function=SimpleNamespace(name="calculate", arguments='{"expression": "4"}')),
        {"type": "tool_use", "id": "c5", "name": "calculate", "input": {"expression": "5"}},
        {"id": "c6", "function": {"name": "calculat", "arguments": "{}"}},
    ]
    results = asyncio.run(handiwork.run_turn(calls))
    assert [r.call.id for r in results][2:] == ["c3", "c4", "c5", "c6"]
    assert [json.loads(r.content)["result"] for r in results[:5]] == [1, 2, 3, 4, 5]
    assert results[5].is_error and asyncio.run(handiwork.run_turn([])) == []


def test_a_turn_sees_what_its_earlier_calls_did(work):
    results = asyncio.run(
        handiwork.run_turn(
            [
                ("write_file", {"path": "f", "content": "new"}),
                ("terminal", {"command": "cat f"}),
                ("read_file", {"path": "f"}),
            ]
        )
    )
    assert all("new" in r.content for r in results[1:])


def test_what_isnt_supplied_is_refused(work):
    for switch in (options(enabled_toolsets=["file"]), options(disabled_toolsets=["utility"])):
        said = json.loads(handiwork.handle_function_call("calculate", {"expression": "1"}, **switch))
        assert said["refused_by"] == "supply"


def test_ids_reach_the_handler(work, plugin):
    plugin(
        "ids",
        "from handiwork import registry\nregistry.register(name='ids', toolset='ids', handler=lambda args, *, task_id, "
        "session_id, tool_call_id: [task_id, session_id, tool_call_id], "
        "schema={'name': 'ids', 'description': 'Ids.', 'parameters': {'type': 'object', 'properties': {}}})\n",
    )
    assert json.loads(handiwork.handle_function_call("ids", {}, "t1", session_id="s1", tool_call_id="c1")) == [
        "t1",
        "s1",
        "c1",
    ]
    assert json.loads(handiwork.handle_function_call("ids", {}))[1:] == ["", ""]


def test_paths_are_read_from_cwd_and_outside_of_the_workspace_asks(work, tmp_path):
    (tmp_path / "outside.txt").write_text("far")
    (work / "sub").mkdir()
    (work / "sub" / "a.txt").write_text("near")
    assert "near" in handiwork.handle_function_call("read_file", {"path": "a.txt"}, cwd=str(work / "sub"))
    assert "near" in handiwork.handle_function_call("read_file", {"path": "sub/a.txt"})
    outside = {"path": str(tmp_path / "outside.txt")}
    for args in (outside, {"path": "../outside.txt"}):
        said = json.loads(handiwork.handle_function_call("read_file", args))
        assert said["refused_by"] == "approval" and "far" not in str(said)
    assert "far" in handiwork.handle_function_call("read_file", outside, approver=lambda ready, ask: True)
    assert "far" in handiwork.handle_function_call("read_file", outside, cwd=str(tmp_path))


def test_the_workspace_is_the_folder_with_git(work, monkeypatch):
    (work / ".git").mkdir()
    (work / "a" / "b").mkdir(parents=True)
    (work / "top.txt").write_text("top")
    assert "top" in handiwork.handle_function_call("read_file", {"path": "../../top.txt"}, cwd=str(work / "a" / "b"))


class Picky:
    """An approver that can't be hashed, as a dataclass with fields can't."""

    __hash__ = None

    def __init__(self, answer):
        self.answer, self.asked = answer, []

    def __eq__(self, other):
        return True

    def __call__(self, ready, ask):
        self.asked.append((ready.entry.name, ask.reason))
        return self.answer


async def says_yes_later(ready, ask):
    await asyncio.sleep(0.01)
    return True


def raises(ready, ask):
    raise RuntimeError("no idea")


@pytest.mark.parametrize(
    ("approver", "allowed"),
    [
        (None, False), (Picky(True), True), (Picky(False), False), (Picky("yes"), False), (Picky(None), False),
        (Picky(1), False), (Picky(Answer(True)), True), (Picky(Answer(False, note="not today")), False),
        (says_yes_later, True), (raises, False),
    ],
    ids=["nobody", "yes", "no", "text", "nothing", "one", "answer-yes", "answer-no", "later", "raises"],
)  # fmt: skip
def test_only_a_clear_yes_of_the_approver_is_a_yes(work, tmp_path, approver, allowed):
    target = tmp_path / "outside.txt"
    said = json.loads(
        handiwork.handle_function_call("write_file", {"path": str(target), "content": "x"}, approver=approver)
    )
    assert target.exists() == allowed == ("error" not in said)
    if not allowed:
        assert said["refused_by"] == "approval"
    if isinstance(approver, Picky):
        assert approver.asked[0][0] == "write_file"


def test_two_approvers_are_never_taken_for_each_other(work, tmp_path):
    yes, no = Picky(True), Picky(False)  # equal, by their own account
    target = {"path": str(tmp_path / "outside.txt"), "content": "x"}
    assert "error" not in handiwork.handle_function_call("write_file", target, approver=yes)
    assert "not approved" in handiwork.handle_function_call("write_file", target, approver=no)


def test_a_long_result_is_kept_and_can_be_read_on_without_asking(work, plugin):
    plugin("long", LONG)
    said = json.loads(handiwork.handle_function_call("long", {}))
    assert said["truncated"] and said["path"] and "read_file" in said["next"]
    more = handiwork.handle_function_call("read_file", {"path": said["path"], "offset": 15000, "limit": 2})
    assert "line 14999" in more or "line 15000" in more
    assert "error" not in json.loads(more)


def test_coerce_puts_arguments_right_or_raises(work):
    assert handiwork.coerce_tool_args("read_file", {"path": "a", "limit": "5"})["limit"] == 5
    with pytest.raises(ValueError, match="path"):
        handiwork.coerce_tool_args("read_file", {})
    with pytest.raises(UnknownNameError, match="read_fle"):
        handiwork.coerce_tool_args("read_fle", {})


@pytest.mark.parametrize("raw", ['{"n": "42"}', {"n": "42"}, "{'n': 42}", '```json\n{"n": 42}\n```', '{"n": 42,}'])
def test_repair_gives_arguments(raw):
    parameters = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    repaired = handiwork.repair_arguments(raw, parameters)
    assert (repaired.args, repaired.error) == ({"n": 42}, None)


@pytest.mark.parametrize("raw", ["", "{", '{"n": ', "null", None, [], "hello", '{"n": "x"}', "{}"])
def test_or_repair_gives_an_error_and_never_empty_arguments(raw):
    parameters = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    repaired = handiwork.repair_arguments(raw, parameters)
    assert repaired.args is None and repaired.error


# ----------------------------------------------------------------------------------------- plain houses


def test_an_explicit_registry_is_a_house_without_files(registry, add, home, configure, plugin):
    configure("this is: [damaged\n")  # nobody reads it
    plugin("loud", "raise SystemExit('must not run')\n# registry.register(\n")
    add("double", lambda args: {"n": args["n"] * 2}, properties={"n": {"type": "integer"}})
    assert [d["function"]["name"] for d in handiwork.get_tool_definitions(registry=registry)] == ["double"]
    assert json.loads(handiwork.handle_function_call("double", '{"n": "21"}', registry=registry)) == {"n": 42}
    result = asyncio.run(handiwork.call_tool("double", {"n": 4}, registry=registry))
    assert json.loads(result.content) == {"n": 8}
    results = asyncio.run(handiwork.run_turn([("double", {"n": n}) for n in range(3)], registry=registry))
    assert [json.loads(r.content)["n"] for r in results] == [0, 2, 4]
    assert [p.name for p in home.iterdir()] == ["config.yaml", "plugins"] or len(list(home.iterdir())) == 2
    assert house_of(registry) is house_of(registry) and house_of(registry) is not house_of(ToolRegistry())


def test_a_house_goes_with_its_registry():
    registry = ToolRegistry()
    house = weakref.ref(house_of(registry))
    del registry
    gc.collect()
    assert house() is None


def test_an_undeclared_tool_of_code_doesnt_ask_and_a_declared_path_does(registry, add, tmp_path):
    add("plain", lambda args: "ran")
    add(
        "saves",
        lambda args: "saved",
        properties={"to": {"type": "string"}},
        traits=Traits(effect="write", touches={"to": "path"}),
    )
    assert handiwork.handle_function_call("plain", {}, registry=registry) == "ran"
    assert "saved" in handiwork.handle_function_call("saves", {"to": "x"}, registry=registry, cwd=str(tmp_path))
    assert "approval" in handiwork.handle_function_call("saves", {"to": "/etc/x"}, registry=registry, cwd=str(tmp_path))


def test_long_results_of_a_plain_house_lie_where_nobody_can_put_anything(registry, add, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    add("long", lambda args: "x" * 300_000)
    said = json.loads(handiwork.handle_function_call("long", {}, registry=registry))
    kept = Path(said["path"])
    assert kept.read_text() == "x" * 300_000 and kept.parent.parent == tmp_path
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700 and stat.S_IMODE(kept.stat().st_mode) == 0o600
    other = json.loads(handiwork.handle_function_call("long", {}, registry=other_registry(registry)))
    assert Path(other["path"]).parent != kept.parent


def other_registry(registry):
    other = ToolRegistry()
    entry = registry.get("long")
    other.register(name="long", toolset="demo", schema=dict(entry.schema), handler=entry.handler)
    return other
