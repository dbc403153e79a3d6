"""A task with effects of every kind, and a model that does it whatever it is told became of its calls.

Each step leaves its mark exactly once, if nothing is doubled and nothing lost.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from handiwork.core.types import ModelReply, ModelRequest, ToolCall

PLUGIN = """
from handiwork import registry
from handiwork.core.types import Traits

def note(args, **kw):
    with open(args["file"], "a") as file:
        file.write(args["mark"] + "\\n")
    return {"noted": args["mark"]}

def look(args, **kw):
    try:
        with open(args["file"]) as file:
            return {"text": file.read()}
    except FileNotFoundError:
        return {"text": ""}

def edit(args, **kw):
    # Edits several files, one after the other, as a tool of somebody's may.
    import os
    for path in args["paths"]:
        with open(path) as file:
            text = file.read()
        with open(path + ".new", "w") as file:
            file.write(text + args["mark"] + "\\n")
        os.replace(path + ".new", path)
    return {"edited": args["paths"]}

STRING = {"type": "string"}
PATHS = {"type": "array", "items": STRING}

def schema(name, **properties):
    return {"name": name, "description": name, "parameters": {"type": "object", "properties": properties}}

registry.register(name="note", toolset="marks", handler=note, schema=schema("note", mark=STRING, file=STRING))
registry.register(name="look", toolset="marks", handler=look, schema=schema("look", file=STRING),
                  traits=Traits(read_only=True))
registry.register(name="edit", toolset="marks", handler=edit, schema=schema("edit", mark=STRING, paths=PATHS),
                  traits=Traits(effect="write", touches={"paths": "path"}))
"""


@dataclass(frozen=True)
class Step:
    """A call that leaves *mark* in *file*; `told` says that its outcome can always be known."""

    tool: str
    args: dict[str, Any]
    mark: str
    files: tuple[str, ...]
    told: bool

    def rest(self, left: list[str]) -> dict[str, Any]:
        """The arguments that do what is *left* of it: paths of files that are as they were."""
        if self.tool == "edit":
            return {**self.args, "paths": left}
        return {"patch": _hunks(self.mark, [Path(path).name for path in left])}


def steps() -> list[list[Step]]:
    """The turns of the task, each with its calls."""
    turns = []
    for n in range(2):
        turns += [
            [_write(f"w{n}", f"made-{n}.txt")],
            [_patch(f"p{n}", "log.txt"), _note(f"n{n}")],
            [_edit(f"e{n}", ("one.txt", "two.txt"))],
            [_diff(f"f{n}", ("three.txt", "four.txt"))],
            [_command(f"c{n}")],
            [_patch(f"q{n}", "log.txt"), _patch(f"r{n}", "other.txt"), _write(f"x{n}", f"more-{n}.txt")],
            [_deferred(f"d{n}")],
        ]
    return turns


def _write(mark: str, file: str) -> Step:
    return Step("write_file", {"path": file, "content": f"{mark}\n"}, mark, (file,), True)


def _patch(mark: str, file: str) -> Step:
    args = {"path": file, "old_string": "END", "new_string": f"{mark}\nEND"}
    return Step("patch", args, mark, (file,), True)


def _edit(mark: str, files: tuple[str, ...]) -> Step:
    return Step("edit", {"paths": list(files), "mark": mark}, mark, files, True)


def _diff(mark: str, files: tuple[str, ...]) -> Step:
    """A patch in the form of a diff over several files."""
    return Step("patch", {"patch": _hunks(mark, files)}, mark, files, True)


def _hunks(mark: str, files: Iterable[str]) -> str:
    return "".join(f"--- a/{file}\n+++ b/{file}\n@@ -1,1 +1,2 @@\n TOP\n+{mark}\n" for file in files)


def _note(mark: str) -> Step:
    return Step("note", {"mark": mark, "file": "note.log"}, mark, ("note.log",), False)


def _command(mark: str) -> Step:
    return Step("terminal", {"command": f"echo {mark} >> term.log"}, mark, ("term.log",), False)


def _deferred(mark: str) -> Step:
    inner = {"name": "note", "arguments": {"mark": mark, "file": "note.log"}}
    return Step("tool_call", inner, mark, ("note.log",), False)


def prepare(work: Path, home: Path) -> None:
    """The folder that the task begins in."""
    work.mkdir(parents=True)
    (home / "plugins").mkdir(parents=True)
    (home / "plugins" / "marks.py").write_text(PLUGIN)
    (home / "config.yaml").write_text("tools_budget_tokens: 200\n")  # so that tools are called through others
    for name in ("log.txt", "other.txt"):
        (work / name).write_text("END\n")
    for name in ("one.txt", "two.txt"):
        (work / name).write_text("")
    for name in ("three.txt", "four.txt"):
        (work / name).write_text("TOP\n")


def count(work: Path, step: Step) -> list[int]:
    """How often the step's mark stands in each of its files."""
    texts = ((work / f).read_text() if (work / f).exists() else "" for f in step.files)
    return [text.split("\n").count(step.mark) for text in texts]


@dataclass
class PlanModel:
    """Does the turns in order. Of a call that was cut short it believes what it is told; where that is
    unknown, it looks; where some of it is done, it does the rest."""

    turns: Sequence[Sequence[Step]]
    name: str = "plan"
    dialect: str = "openai"
    asked: int = field(default=0)

    async def reply(self, request: ModelRequest, /) -> ModelReply:
        answers = _answers(request.messages)
        for turn in self.turns:
            calls = [call for step in turn if (call := self._next(step, answers))]
            if calls:
                return ModelReply(calls=tuple(calls))
        return ModelReply("all done")

    def _next(self, step: Step, answers: dict[str, str]) -> ToolCall | None:
        """The call that the step needs now; None where it is done."""
        tries = [n for n in range(100) if f"{step.mark}.{n}" in answers]
        if not tries:
            return ToolCall(step.tool, json.dumps(step.args), f"{step.mark}.0")
        last = tries[-1]
        told = _object(answers[f"{step.mark}.{last}"])
        if not told.get("interrupted") or told["state"] == "done":
            return None
        again = ToolCall(step.tool, json.dumps(step.args), f"{step.mark}.{last + 1}")
        if told["state"] == "not done":
            return again
        if told["state"] == "partly done":
            return ToolCall(step.tool, json.dumps(step.rest(told["as_before"])), f"{step.mark}.{last + 1}")
        seen = answers.get(f"look-{step.mark}.{last}")
        if seen is None or _object(seen).get("interrupted"):
            number = sum(1 for key in answers if key.startswith(f"look-{step.mark}.{last}"))
            name = f"look-{step.mark}.{last}" + (f"-{number}" if number else "")
            seen = next((answers[k] for k in answers if k.startswith(f"look-{step.mark}.{last}-")
                         and not _object(answers[k]).get("interrupted")), None)  # fmt: skip
            if seen is None:
                return ToolCall("look", json.dumps({"file": step.files[0]}), name)
        return None if step.mark in _object(seen)["text"].split("\n") else again


def _answers(messages: Iterable[dict[str, Any]]) -> dict[str, str]:
    return {m["tool_call_id"]: m["content"] for m in messages if m["role"] == "tool"}


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
