"""`handiwork why`: the chain that a tool passes on its way to the model, or a call on its way to a tool."""

from __future__ import annotations

import json
import os
from argparse import Namespace
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...catalog.why import Answer, Story
from ...core.errors import HandiworkError, UsageError
from ...core.loading import Late
from ...core.types import DELEGATE, Ready, Refusal, ToolCall
from ...core.wire import name_of_definition
from ...pipeline.dry import rehearse
from ..house import House, default
from .output import Output, printable
from .parsing import Parser, add_selection, names_of
from .selection import Names, folder_of, selection_of

if TYPE_CHECKING:
    from ...guard.flow import Ledger

definitions = Late("handiwork.catalog.dialects.definitions")
models = Late("handiwork.apps.chosen_model")
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
    selection = selection_of(house, said)
    story = house.why(said.tool, *selection)
    if story.visible and (house.config.model or os.environ.get("HANDIWORK_MODEL")):
        story = house.why(said.tool, *selection, unsayable=_unsayable(house, said.tool, selection))
    story = story.mended_by(_with_other_flags(house, story, said))
    document = {
        "tool": story.tool,
        "visible": story.visible,
        "stopped_at": story.stop.name if story.stop else None,
        "checkpoints": [_document(answer) for answer in story.checkpoints],
    }
    state = out.paint("visible", "green") if story.visible else out.paint("NOT VISIBLE", "red")
    out.show(document, [f"{printable(story.tool)}  {state}", *_lines(story.asked, out)])
    return 0 if story.visible else 1


def _with_other_flags(house: House, story: Story, said: Namespace) -> str:
    """What mends a no that a flag of this command says; "" where none does."""
    entry = house.registry.get(story.tool)
    if story.stop is None or entry is None:
        return ""
    if story.stop.name == "enabled" and said.toolsets:
        return f"--toolsets {said.toolsets},{entry.toolset}"
    taken = [name for name in names_of(said.disable) or () if story.tool in house.toolsets.resolve(name)]
    return f"leave {', '.join(taken)} out of --disable" if story.stop.name == "not disabled" and taken else ""


def _unsayable(house: House, tool: str, selection: tuple[Names, Names]) -> Mapping[str, str] | None:
    """Why the provider of the configured model doesn't take the tool's schema; None where there is no model."""
    try:
        dialect = getattr(models.choose_model(house, None), "dialect", "openai")
    except HandiworkError:  # `handiwork doctor` tells why
        return None
    shown = [d for d in house.supply.definitions(*selection) if name_of_definition(d) == tool]
    found: Mapping[str, str] = definitions.Definer().of(shown, dialect).quarantined
    return found


def _document(answer: Answer) -> dict[str, Any]:
    return {
        "name": answer.name,
        "question": answer.checkpoint.question,
        "state": answer.state,
        "detail": answer.detail,
        "fix": answer.fix or None,
    }


def _lines(answers: tuple[Answer, ...], out: Output) -> Iterator[str]:
    for answer in answers:
        mark = out.paint("✓", "green") if answer.state == "ok" else out.paint("✗", "red")
        yield f"  {mark} {answer.name:<12} {printable(answer.detail)}".rstrip()
        if answer.fix:
            yield f"    fix: {printable(answer.fix)}"


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
