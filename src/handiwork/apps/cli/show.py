"""`handiwork show CALL`: the complete arguments and the complete result of any call of a session."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from ...core.errors import UnknownNameError
from ...core.loading import Late
from ..calls import CallStory, story_of
from ..house import House, default
from ..sessions import looking_into_sessions
from .output import Output, printable
from .parsing import Parser
from .sessions import read_session

cost = Late("handiwork.catalog.cost")
transcripts = Late("handiwork.apps.transcripts")
EXAMPLES = """\
examples:
  handiwork show call_3
  handiwork show last/call_3 --json
"""


def configure(parser: Parser) -> None:
    """Arguments of `handiwork show`."""
    parser.epilog = EXAMPLES
    parser.add_argument("call", metavar="[SESSION/]CALL", help="its id; of the newest session that has it")


def run(said: Namespace, out: Output) -> int:
    """Print everything about the call. Exit code 1 where its whole result isn't there any more."""
    house = default()
    session, _, call = said.call.rpartition("/")
    info, entries = read_session(house, session or _newest_with(house, call, out), out)
    story = story_of(entries, call)
    result, problem = story.result()
    document = transcripts.masked({"session": info.id, **_facts(story), "result": result, "problem": problem or None})
    out.show(document, _lines(document))
    if problem:
        out.note(printable(f"not complete: {problem}"))
    return int(bool(problem))


def _newest_with(house: House, call: str, out: Output) -> str:
    with looking_into_sessions(house, out.note) as reader:
        found = reader.calls_named(call) if reader else ()
    if not found:
        raise UnknownNameError("call", call, (), "name its session too: SESSION/CALL; see `handiwork sessions show`")
    others = ", ".join(f"{info.id}/{call}" for info, _ in found[1:6])
    if others:
        out.note(f"of the newest session that has it; there are also {others}")
    return found[0][0].id


def _facts(story: CallStory) -> dict[str, Any]:
    ended, intent = story.last("result", "mended"), story.last("intent")
    body = ended.body if ended else {}
    return {
        "call": story.id,
        "name": story.name,
        "arguments": story.arguments,
        "ran_with": intent.body["args"] if intent else None,
        "repairs": intent.body.get("repairs", []) if intent else [],
        "decisions": [e.body for e in story.entries if e.kind == "decision"],
        "status": body.get("status") or body.get("state"),
        "by": body.get("by"),
        "duration_ms": body.get("duration_ms"),
        "adds_to_context": _weight(str(body["message"]["content"])) if body else None,
        "labels": body.get("labels", []),
        "files_before": intent.body["files"] if intent else {},
    }


def _weight(text: str) -> dict[str, Any]:
    """About how many tokens the model reads for it, once with each later request: no provider tells that by calls."""
    return {"tokens": cost.estimate(text), "is_estimate": True}


def _lines(document: dict[str, Any]) -> list[str]:
    heads = [f"{document['session']}/{document['call']}  {document['name']}  {document['status'] or 'no result'}"]
    heads += [f"allowed: {d['reason']}" if d["allowed"] else f"denied: {d['reason']}" for d in document["decisions"]]
    if weight := document["adds_to_context"]:
        heads.append(f"adds about {weight['tokens']:,} tokens (an estimate) to every later request")
    heads += [f"put right: {note}" for note in document["repairs"]]
    return list(map(printable, [*heads, "arguments:", document["arguments"], "result:", document["result"]]))
