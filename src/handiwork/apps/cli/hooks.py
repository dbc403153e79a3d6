"""`handiwork hooks`: what is called at which point, one tried out, another agent's taken in."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import Any

from ...core.errors import UsageError
from ...core.types import Args
from ...core.wire import dumps
from ...pipeline.hook_points import POINTS
from ...pipeline.hooks import Hook
from ..config_file import set_value
from ..foreign_names import OURS, to_ours
from ..hook_commands import Done, HookCommands
from ..hook_config import CommandHook, event_of, read_hooks
from ..hook_imports import Imported, import_hooks
from ..house import House, default
from .calling import arguments_of
from .output import Output, columns
from .parsing import Parser, add_verbs

EXAMPLES = """\
  handiwork hooks list
  handiwork hooks test PreToolUse --tool Bash '{"command": "rm -rf build"}'
  handiwork hooks import ~/.claude/settings.json --dry-run
"""
_DECISIONS = {"deny": "blocks", "ask": "asks a person", "allow": "no objection (the guard still judges)"}


def configure(parser: Parser) -> None:
    """The verbs of `handiwork hooks`."""
    add_verbs(
        parser,
        {
            "list": ("hooks by their points, and who brought them", lambda _: None),
            "test": ("run the commands of an event, and show what each is told and says", _configure_test),
            "import": ("take in the hooks of a settings.json", _configure_import),
        },
        EXAMPLES,
    )


def _configure_test(parser: Parser) -> None:
    parser.add_argument("event", help="such as PreToolUse or pre_tool_call")
    parser.add_argument("--tool", metavar="WORD", nargs="+", default=["terminal"],
                        help="the tool that is called, and its arguments: one JSON object, or k=v")  # fmt: skip
    parser.add_argument("--prompt", metavar="TEXT", default="hello", help="what the person says")


def _configure_import(parser: Parser) -> None:
    parser.add_argument("file", help="a settings.json, or a hooks.json")
    parser.add_argument("--dry-run", action="store_true", help="only say what would be done")


def run(said: Namespace, out: Output) -> int:
    """Run one verb."""
    return {"list": _list, "test": _test, "import": _import}[said.verb](default(), said, out)


# ---------------------------------------------------------------------------------------------- list


def _list(house: House, said: Namespace, out: Output) -> int:
    rows = [_command_row(hook) for hook in read_hooks(house.config.hooks)]
    rows += [_callable_row(hook) for hook in house.hooks.all() if hook.source != "config"]
    order = {name: place for place, name in enumerate(POINTS)}
    rows.sort(key=lambda row: order.get(row["point"], len(order)))
    table = [[r["event"] or r["point"], r["source"], r["matcher"] or "", r["what"]] for r in rows]
    out.show({"hooks": rows}, columns(table) or ["no hooks"])
    return 0


def _command_row(hook: CommandHook) -> dict[str, Any]:
    about = {"point": hook.point, "source": "config", "event": hook.event, "what": hook.name or hook.command}
    return {**about, "matcher": hook.matcher or None, "on_error": hook.on_error}


def _callable_row(hook: Hook) -> dict[str, Any]:
    what = getattr(hook.fn, "__name__", type(hook.fn).__name__)
    return {"point": hook.name, "source": hook.source, "event": None, "what": what, "matcher": None, "on_error": None}


# ---------------------------------------------------------------------------------------------- test


def _test(house: House, said: Namespace, out: Output) -> int:
    """Run what would run; 1 where a hook failed."""
    point = CommandHook(event_of(said.event), "").point
    hooks = [hook for hook in read_hooks(house.config.hooks) if hook.point == point and _is_meant(hook, said.event)]
    commands = HookCommands(house.config.mode, lambda *_: None)
    try:
        done = commands.run(hooks, _made_up(point, said))
    finally:
        commands.close()
    nobody = f"no hook of the configuration is for this ({len(hooks)} at {said.event}, whatever they match)"
    out.show({"ran": [_document(one) for one in done]}, _lines(done) if done else [nobody])
    return int(any(one.ruling.problem for one in done))


def _is_meant(hook: CommandHook, written: str) -> bool:
    return written in POINTS or hook.event == event_of(written)


def _made_up(point: str, said: Namespace) -> dict[str, Any]:
    """The keywords of an event that didn't happen."""
    written, *words = said.tool
    tool = OURS.get(written, written)
    told = arguments_of(words) if words else {}
    args: Args = to_ours(tool, told) if written != tool else told
    facts: dict[str, Any] = {
        "tool_name": tool, "args": args, "task_id": "default", "tool_call_id": "call_1", "cwd": os.getcwd(),
        "session_id": "test", "result": "the result", "duration_ms": 1.0, "status": "ok", "reason": "a test",
        "keys": [], "allowed": True, "note": "", "prompt": said.prompt, "messages": [], "platform": "cli",
        "model": "", "source": "startup", "trigger": "auto", "ending": "answered", "answer": "done", "steps": 1,
        "again": False, "subagent_id": "sub-1", "step": 1, "tools": [], "text": "", "calls": [],
        "input_tokens": 0, "output_tokens": 0, "context_tokens": None,
    }  # fmt: skip
    return {key: facts[key] for key in POINTS[point].keywords}


def _document(one: Done) -> dict[str, Any]:
    hook, ran, ruling = one.errand.hook, one.ran, one.ruling
    return {
        "event": hook.event,
        "hook": hook.name or hook.command,
        "stdin": one.errand.told,
        "stdout": ran.out if ran else None,
        "stderr": ran.err if ran else None,
        "exit_code": ran.code if ran else None,
        "duration_ms": round(ran.duration_ms, 1) if ran else None,
        "decision": ruling.decision or "none",
        "reason": ruling.reason or None,
        "updated_input": ruling.updated,
        "context": ruling.context or None,
        "problem": ruling.problem or None,
    }


def _lines(done: Sequence[Done]) -> Iterator[str]:
    for one in done:
        row = _document(one)
        yield f"{row['event']}  {row['hook']}"
        yield f"  stdin     {dumps(row['stdin'])}"
        for stream in ("stdout", "stderr"):
            if row[stream]:
                yield f"  {stream}    {row[stream].rstrip()}"
        yield f"  exit code {row['exit_code'] if row['exit_code'] is not None else 'none: it was ended'}"
        decision = _DECISIONS.get(row["decision"], "no opinion")
        yield f"  decision  {decision}{': ' + row['reason'] if row['reason'] else ''}"
        if row["updated_input"] is not None:
            yield f"  arguments {dumps(row['updated_input'])}"
        if row["context"]:
            yield f"  context   {row['context']}"
        if row["problem"]:
            yield f"  problem   {row['problem']}; {_advice(one.errand.hook)}"


def _advice(hook: CommandHook) -> str:
    if not POINTS[hook.point].guards:
        return "this is logged, and the work goes on"
    return "exit 2 says no, exit 0 has no objection" + (
        "; a guard that fails says no (`on_error: allow` lets it through)"
        if hook.guards
        else "; with `on_error: allow` the call goes on"
    )


# -------------------------------------------------------------------------------------------- import


def _import(house: House, said: Namespace, out: Output) -> int:
    """Write the hooks of a file into the person's configuration."""
    found = import_hooks(os.path.expanduser(said.file), house.config.hooks)
    if found.left and not found.added and not found.known:
        raise UsageError(f"nothing of {said.file} can be run: {found.left[0]}")
    path = set_value(house.home, "hooks", found.hooks) if found.added and not said.dry_run else None
    out.show(
        {
            "added": [{"event": h.event, "matcher": h.matcher or None, "command": h.command} for h in found.added],
            "left_out": list(found.left),
            "file": path,
        },
        _told(found, path),
    )
    return 0


def _told(found: Imported, path: str | None) -> Iterator[str]:
    yield from columns([["+", h.event, h.matcher, h.command] for h in found.added])
    yield from (f"left out  {reason}" for reason in found.left)
    if path:
        yield f"{len(found.added)} hooks taken in ({path})"
        yield "a guard that exits with anything but 0 and 2 now says no; try each: handiwork hooks test EVENT"
    else:
        there = f", {len(found.known)} are there already" if found.known else ""
        yield f"{len(found.added)} hooks to take in{there}; nothing was written"
