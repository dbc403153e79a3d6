"""Calls of one turn on one file: the model's order is kept, whatever the pair; other files don't wait."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from handiwork import registry
from handiwork.apps.house import default
from handiwork.core.types import Scope, ToolCall, Traits
from handiwork.guard.approval import allow_all
from handiwork.pipeline.turn import run_turn

pytestmark = pytest.mark.integration
ROUNDS = 20

# Each kind of call by the number n of its round: what is asked, and what it makes of the words in the file.
Words: TypeAlias = list[str]
KINDS: dict[str, tuple[Callable[[str, int], dict[str, object]], Callable[[Words, int], Words | None]]] = {
    "write": (
        lambda path, n: {"name": "write_file", "arguments": {"path": path, "content": f"base w{n}\n", "force": True}},
        lambda words, n: ["base", f"w{n}"],
    ),
    "patch": (
        lambda path, n: {
            "name": "patch",
            "arguments": {"path": path, "old_string": "base", "new_string": f"base p{n}"},
        },
        lambda words, n: [words[0], f"p{n}", *words[1:]] if words[:1] == ["base"] else None,
    ),
    "shell": (
        lambda path, n: {"name": "terminal", "arguments": {"command": f"sleep 0.02; echo $(cat {path}) s{n} > {path}"}},
        lambda words, n: [*words, f"s{n}"],
    ),
    "read": (
        lambda path, n: {"name": "read_file", "arguments": {"path": path}},
        lambda words, n: words,
    ),
}


@pytest.fixture
def scope(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scope:
    monkeypatch.chdir(tmp_path)
    return default().scope(session_id=f"order-{tmp_path.name}", cwd=str(tmp_path), approver=allow_all)


def turn(scope: Scope, *calls: dict[str, object]) -> list[dict[str, object]]:
    asked = [ToolCall(str(c["name"]), c["arguments"], f"c{n}", scope) for n, c in enumerate(calls)]
    return [json.loads(result.content) for result in asyncio.run(run_turn(default().pipeline, asked))]


@pytest.mark.parametrize("second", KINDS)
@pytest.mark.parametrize("first", KINDS)
def test_every_pair_on_one_file_keeps_the_models_order(tmp_path: Path, scope: Scope, first: str, second: str) -> None:
    file = tmp_path / "f.txt"
    for n in range(ROUNDS):
        file.write_text("base\n")
        # The same file under two names: what counts is where they lead.
        answers = turn(scope, KINDS[first][0]("f.txt", 2 * n), KINDS[second][0](f"../{tmp_path.name}/f.txt", 2 * n + 1))
        assert not any("error" in answer for answer in answers), answers
        between = KINDS[first][1](["base"], 2 * n)
        after = KINDS[second][1](between or [], 2 * n + 1)
        assert file.read_text().split() == after
        for kind, answer, words in ((first, answers[0], ["base"]), (second, answers[1], between)):
            if kind == "read" and "content" in answer:
                assert str(answer["content"]).split() == words


def test_disjoint_files_run_together(tmp_path: Path, scope: Scope, add_slow: Callable[[float], str]) -> None:
    name = add_slow(0.2)
    calls = [{"name": name, "arguments": {"path": f"f{n}"}} for n in range(8)]
    started = time.monotonic()
    turn(scope, *calls)
    assert time.monotonic() - started <= 0.25 + 0.15  # the machine is shared; one after the other takes 1.6


def test_a_failing_call_cancels_no_other(tmp_path: Path, scope: Scope) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text(name)
    answers = turn(scope, *(KINDS["read"][0](path, 0) for path in ("a", "missing", "b")))
    assert [answer.get("content") for answer in answers] == ["a", None, "b"] and "error" in answers[1]


@pytest.fixture
def add_slow() -> Iterator[Callable[[float], str]]:
    def add(seconds: float) -> str:
        def slow(args: dict[str, object]) -> dict[str, object]:
            time.sleep(seconds)
            return {"done": args["path"]}

        schema = {"name": "slow_write", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}
        registry.register("slow_write", "order", schema, slow, traits=Traits(touches={"path": "path"}))
        return "slow_write"

    yield add
    registry.deregister("slow_write")
