"""`handiwork why`: the chain that a tool passes on its way to the model, or a call on its way to a tool."""

from __future__ import annotations

import json
from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...catalog.why import Checkpoint, Story
from ...core.errors import UsageError
from ...core.loading import Late
from ...core.types import DELEGATE, Ready, Refusal, ToolCall
from ...pipeline.dry import rehearse
from ..bindings import unbound
from ..house import House, default
from .output import Output
from .parsing import Parser, add_selection
from .selection import folder_of, selection_of

if TYPE_CHECKING:
    from ...guard.flow import Ledger

retracing = Late("handiwork.agent.retracing")
sessions = Late("handiwork.apps.sessions")
EXAMPLES = """\
examples:
  handiwork why web_search
  handiwork why --call '{"name": "read_file", "arguments": "{\\"path\\": \\"a\\",}"}'
"""


def configure(parser: Parser) -> None:
    """Flags of `handiwork why`."""
    parser.epilog = EXAMPLES
    parser.add_argument("tool", nargs="?")
    parser.add_argument(
        "--call", metavar="JSON", help="a call, to be taken through repair and guard without running it"
    )
    parser.add_argument("--session", metavar="ID", help="the stored session that the call would be made in")
    parser.add_argument("--cwd", help="the folder the call would run in")
    add_selection(parser)


def run(said: Namespace, out: Output) -> int:
    """0 if the tool is visible (the call would run), 1 if not."""
    if bool(said.tool) == bool(said.call):
        raise UsageError("name a tool, or give --call", "see `handiwork why --help`")
    return _why_call(default(), said, out) if said.call else _why_tool(default(), said, out)


def _why_tool(house: House, said: Namespace, out: Output) -> int:
    story = _to_the_agent(house, house.why(said.tool, *selection_of(house, said)))
    document = {
        "tool": story.tool,
        "visible": story.visible,
        "checkpoints": [_document(c) for c in story.checkpoints],
    }
    state = out.paint("visible", "green") if story.visible else out.paint("NOT VISIBLE", "red")
    out.show(document, [f"{story.tool}  {state}", *_lines(story.checkpoints, out)])
    return 0 if story.visible else 1


def _to_the_agent(house: House, story: Story) -> Story:
    """The story with its last question: whether an agent here has the part that the tool needs."""
    entry = house.registry.get(story.tool)
    absent = unbound(entry) if entry and story.visible else None
    if absent is None:
        return story
    return Story(story.tool, (*story.checkpoints[:-1], Checkpoint("bound", False, absent.reason, absent.fix)))


def _document(checkpoint: Checkpoint) -> dict[str, Any]:
    return {
        "question": checkpoint.question,
        "passed": checkpoint.passed,
        "detail": checkpoint.detail,
        "fix": checkpoint.fix or None,
    }


def _lines(checkpoints: tuple[Checkpoint, ...], out: Output) -> list[str]:
    lines = []
    for c in checkpoints:
        mark = out.paint("✓", "green") if c.passed else out.paint("✗", "red")
        lines.append(f"  {mark} {c.question:<12} {c.detail}".rstrip())
        if c.fix:
            lines.append(f"    fix: {c.fix}")
    return lines


def _why_call(house: House, said: Namespace, out: Output) -> int:
    call = _read_call(said.call)
    scope = house.scope(cwd=folder_of(said), platform="cli", supplied=house.supplied(*selection_of(house, said)))
    scope = replace(scope, origins=_account(house, said.session, out) if said.session else None)
    steps = rehearse(house.pipeline, ToolCall(call["name"], call.get("arguments"), "call_1", scope))
    rows = [{"step": name, **_outcome(after)} for name, after in steps]
    refused = rows[-1]["outcome"] == "refused"
    asks = [] if refused else rows[-1]["asks"]
    fate = "would NOT run" if refused else "would ask a person" if asks else "would run"
    marks = {"passed": "✓", "refused": "✗"}
    lines = [f"  {marks[r['outcome']]} {r['step']:<12} {_detail(r)}".rstrip() for r in rows]
    document = {"name": call["name"], "would_run": not refused and not asks, "asks": asks, "steps": rows}
    out.show(document, [f"{call['name']}  {fate}", *lines])
    return int(refused or bool(asks))


def _account(house: House, name: str, out: Output) -> Ledger:
    """What is known of where the texts of a stored session come from."""
    ledger = house.scopes.open_ledger()
    with sessions.looking_into_sessions(house, out.note) as reader:
        info = sessions.find_session(house, name, out.note)
        retracing.retrace(ledger, reader.entries(info.number), house.registry.get, of_person=info.platform != DELEGATE)
    return ledger


def _read_call(text: str) -> dict[str, Any]:
    try:
        call = json.loads(text)
    except ValueError as error:
        raise UsageError(f"--call is not JSON: {error}", '{"name": "read_file", "arguments": {"path": "a"}}') from error
    if not isinstance(call, dict) or not isinstance(call.get("name"), str):
        raise UsageError("--call needs a name", '{"name": "read_file", "arguments": {"path": "a"}}')
    return call


def _outcome(after: Ready | Refusal) -> dict[str, Any]:
    if isinstance(after, Refusal):
        return {"outcome": "refused", "reason": after.reason, "hint": after.hint or None}
    return {
        "outcome": "passed",
        "args": after.args,
        "repairs": list(after.repairs),
        "asks": [ask.reason for ask in after.asks],
    }


def _detail(row: dict[str, Any]) -> str:
    if row["outcome"] == "refused":
        return str(row["reason"]) + (f"\n    fix: {row['hint']}" if row["hint"] else "")
    if row["step"] == "repair":
        return json.dumps(row["args"], ensure_ascii=False) + "".join(f"\n      {note}" for note in row["repairs"])
    return "; ".join(f"asks: {a}" for a in row["asks"]) if row["step"] == "judge" else ""
