"""Layer 4: what is asked is shown, what was shown is what runs, and whoever doesn't clearly agree has said no."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from handiwork.apps.house import House, default
from handiwork.core.types import Answer, Ask, Ready, Scope, Standing, ToolCall, ToolResult
from handiwork.guard import policy
from handiwork.pipeline.hooks import Hooks
from handiwork.pipeline.line import Pipeline

PATCH = (
    "*** Begin Patch\n*** Update File: one.txt\n@@\n-1\n+one\n"
    "*** Add File: new.txt\n+new\n*** Delete File: two.txt\n*** End Patch\n"
)


class Person:
    """Answers with *answer*, after *meanwhile* was done; keeps what was asked."""

    def __init__(self, answer: Any = True, meanwhile: Any = None) -> None:
        self.answer, self.meanwhile, self.asked = answer, meanwhile, list[tuple[Ready, Ask]]()

    def __call__(self, ready: Ready, ask: Ask, /) -> Any:
        self.asked.append((ready, ask))
        if self.meanwhile:
            self.meanwhile(ready)
        return self.answer


@pytest.fixture
def work(tmp_path: Path) -> Path:
    for name, text in (("one.txt", "1\n"), ("two.txt", "2\n")):
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture
def house() -> House:
    return default()


def run(
    house: House, work: Path, person: Any, name: str, mode: Any = "ask", hooks: Hooks | None = None, **args: Any
) -> ToolResult:
    pipeline = Pipeline(house.registry, judge=policy(mode), limits=house.pipeline.limits, hooks=hooks)
    scope = Scope(cwd=str(work), workspace=str(work), approver=person, standing=Standing())
    return pipeline.run(ToolCall(name, args, "c1", scope))


def texts(work: Path) -> dict[str, str]:
    return {p.name: p.read_text() for p in work.iterdir() if p.is_file()}


# ------------------------------------------------------------------------------------------------- files


def test_every_file_of_a_patch_is_asked_about_and_shown(house: House, work: Path) -> None:
    person = Person()
    assert run(house, work, person, "patch", patch=PATCH).status == "ok"
    ((ready, ask),) = person.asked
    assert ready.planned is not None
    assert all(name in ask.reason for name in ("one.txt", "new.txt", "two.txt"))
    shown = {f.path: (f.old, f.new) for f in ready.planned}
    assert shown == {"one.txt": ("1\n", "one\n"), "new.txt": (None, "new\n"), "two.txt": ("2\n", None)}
    assert texts(work) == {"one.txt": "one\n", "new.txt": "new\n"}


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("write_file", {"path": "one.txt", "content": "one\n"}),
        ("write_file", {"path": "fresh.txt", "content": "fresh\n"}),
        ("patch", {"path": "one.txt", "old_string": "1", "new_string": "one"}),
        ("patch", {"path": "one.txt", "edits": [{"old_string": "1", "new_string": "one"}]}),
        ("patch", {"patch": PATCH}),
    ],
)
def test_what_is_no_longer_what_was_shown_is_not_written(
    house: House, work: Path, name: str, args: dict[str, Any]
) -> None:
    def meddle(_: Ready) -> None:
        (work / "one.txt").write_text("1\nmore\n")
        (work / "fresh.txt").write_text("somebody else's\n")

    result = run(house, work, Person(meanwhile=meddle), name, **args)
    assert result.is_error and "between the question and the write" in result.content
    assert texts(work) == {"one.txt": "1\nmore\n", "two.txt": "2\n", "fresh.txt": "somebody else's\n"}


@pytest.mark.parametrize("name", ["one.txt", "../{}/one.txt", "link.txt"])
def test_what_is_shown_is_what_is_written(house: House, work: Path, name: str) -> None:
    (work / "link.txt").symlink_to("one.txt")
    person = Person()
    result = run(house, work, person, "write_file", path=name.format(work.name), content="one\r\n")
    ((ready, _),) = person.asked
    assert ready.planned and ready.planned[0].real == str(work / "one.txt")
    assert result.status == "ok" and (work / "one.txt").read_bytes().decode() == ready.planned[0].new


def test_what_cannot_be_foreseen_is_asked_without_files_and_writes_none(house: House, work: Path) -> None:
    person = Person(meanwhile=lambda _: (work / "one.txt").write_text("other\n"))
    result = run(house, work, person, "patch", path="one.txt", old_string="other", new_string="x")
    assert person.asked[0][0].planned == ()
    assert result.is_error and (work / "one.txt").read_text() == "other\n"


def test_where_nobody_is_asked_nothing_is_planned(house: House, work: Path) -> None:
    person = Person(answer=False)
    result = run(house, work, person, "write_file", mode="accept-edits", path="one.txt", content="one\n")
    assert result.status == "ok" and not person.asked


def test_a_file_that_is_no_text_can_be_replaced(house: House, work: Path) -> None:
    (work / "one.txt").write_bytes(b"\x00\x01\xff" * 50)
    person = Person()
    result = run(house, work, person, "write_file", path="one.txt", content="one\n")
    assert result.status == "ok" and person.asked[0][0].planned[0].old is None  # type: ignore[index]


# ---------------------------------------------------------------------------------------------- commands


def test_arguments_that_change_after_they_were_shown_do_not_run(house: House, work: Path) -> None:
    def swap(ready: Ready) -> None:
        ready.args["command"] = "touch evil"

    result = run(house, work, Person(meanwhile=swap), "terminal", command="touch good")
    assert result.by == "approval" and "not executed" in result.content
    assert sorted(texts(work)) == ["one.txt", "two.txt"]


def test_what_a_hook_changes_is_what_is_asked_about(house: House, work: Path) -> None:
    person, hooks = Person(), Hooks()
    changed = {"action": "modify", "args": {"command": "touch other"}}
    hooks.register("pre_tool_call", lambda args: changed, source="test")
    result = run(house, work, person, "terminal", hooks=hooks, command="touch first")
    ((ready, ask),) = person.asked
    assert ready.args["command"] == "touch other" and "other" in ask.reason
    assert result.status == "ok" and "other" in texts(work) and "first" not in texts(work)


# --------------------------------------------------------------------------------------------- approvers


async def _later(answer: Any) -> Any:
    await asyncio.sleep(0)
    return answer


@pytest.mark.parametrize(
    "answer",
    [False, None, 0, 1, "yes", [], {}, object(), Answer(False), Answer("yes"), RuntimeError("x"), SystemExit(0)],  # type: ignore[arg-type]
    ids=lambda answer: type(answer).__name__ + str(answer)[:9],
)
@pytest.mark.parametrize("is_async", [False, True])
def test_anything_but_a_clear_yes_is_a_no(house: House, work: Path, answer: Any, is_async: bool) -> None:
    def person(ready: Ready, ask: Ask, /) -> Any:
        if isinstance(answer, BaseException):
            raise answer
        return _later(answer) if is_async else answer

    result = run(house, work, person, "write_file", path="one.txt", content="x")
    assert (result.status, result.by) == ("refused", "approval") and "not executed" in result.content
    assert texts(work)["one.txt"] == "1\n"


@pytest.mark.parametrize("answer", [True, Answer(True), Answer(True, "session")])
@pytest.mark.parametrize("is_async", [False, True])
def test_a_callback_may_say_yes(house: House, work: Path, answer: Any, is_async: bool) -> None:
    def person(ready: Ready, ask: Ask, /) -> Any:
        return _later(answer) if is_async else answer

    assert run(house, work, person, "write_file", path="one.txt", content="x").status == "ok"


def test_a_yes_for_the_session_is_kept_for_every_approver(house: House, work: Path) -> None:
    person = Person(Answer(True, "session"))
    pipeline = Pipeline(house.registry, judge=policy("ask"), limits=house.pipeline.limits)
    scope = Scope(cwd=str(work), workspace=str(work), approver=person, standing=Standing())
    for content in ("a", "b"):
        assert pipeline.run(ToolCall("write_file", {"path": "one.txt", "content": content}, "", scope)).status == "ok"
    assert len(person.asked) == 1


def test_every_call_that_does_not_run_is_told_nested_ones_too(work: Path, add: Any, registry: Any) -> None:
    told = list[tuple[str, str]]()
    add("inner", traits={"touches": {"c": "code"}}, properties={"c": {"type": "string"}})
    add("outer", lambda args, scope, **_: scope.call("inner", {"c": "1"}))
    pipeline = Pipeline(registry, judge=policy())
    scope = Scope(cwd=str(work), on_refused=lambda ready, no: told.append((ready.entry.name, no.by)))
    assert pipeline.run(ToolCall("outer", {}, "c1", scope)).status == "error"
    assert told == [("inner", "approval")]


# -------------------------------------------------------------------------------------- layer 3: guards


def _raises() -> None:
    raise RuntimeError("x")


@pytest.mark.parametrize(
    "hook",
    [_raises, lambda: time.sleep(5), lambda: "yes", lambda: {"action": "maybe"}, lambda: 1,
     lambda: {"action": "modify"}, lambda: {"action": "modify", "args": "x"}, lambda: {"allow": True}],
    ids=["raises", "hangs", "text", "unknown", "number", "no args", "bad args", "other words"],
)  # fmt: skip
def test_a_guard_that_fails_says_no(add: Any, registry: Any, hook: Any) -> None:
    ran = threading.Event()
    add("t", lambda args: ran.set())
    pipeline = Pipeline(registry)
    pipeline.hooks.register("pre_tool_call", hook, source="test", timeout_s=0.05)
    result = pipeline.run(ToolCall("t", {}))
    assert (result.status, result.by, ran.is_set()) == ("refused", "pre_tool_call", False)
