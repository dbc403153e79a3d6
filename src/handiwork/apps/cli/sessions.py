"""`handiwork sessions`: what was done before, to look at, find again, hand on and go on with."""

from __future__ import annotations

import os
import time
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ...agent.history import last_settled
from ...agent.session import title_of
from ...agent.waiting import open_questions
from ...core.errors import UsageError
from ...core.loading import Late
from ...core.types import DELEGATE, Entry, Hit, SessionInfo, Usage
from ...core.usage import cost_text, usage_text
from ..house import House, default
from ..rule_keeping import RuleKeeper
from ..sessions import (
    Reply,
    answer_call,
    close_sessions,
    find_session,
    looking_into_sessions,
    open_sessions,
    searching_sessions,
    used_by,
    used_in,
    waiting_calls,
)
from .agent_flags import add_agent_flags, add_waiting
from .output import Output, columns, printable
from .parsing import Parser, add_verbs
from .question_screen import facts_lines

pruning = Late("handiwork.apps.pruning")
running = Late("handiwork.apps.cli.run")
transcripts = Late("handiwork.apps.transcripts")
EXAMPLES = """\
  handiwork sessions list
  handiwork sessions show last
  handiwork sessions search 'failed migration'
  handiwork sessions resume last "Now write the tests"
  handiwork sessions export last --format html --output talk.html
  handiwork sessions rename last 'Photos, sorted'
  handiwork sessions prune --older-than 90 --dry-run
"""
_GO_ON = "Go on where you stopped."
_FORMATS = {"jsonl": "as_jsonl", "md": "as_markdown", "html": "as_html"}


def configure(parser: Parser) -> None:
    """The verbs of `handiwork sessions`."""
    add_verbs(
        parser,
        {
            "list": ("the sessions, the newest first", _configure_list),
            "show": ("what was said and done in a session", _add_session),
            "search": ("find words in all sessions", _configure_search),
            "export": ("a session as JSON lines, Markdown or HTML", _configure_export),
            "resume": ("go on with a session", _configure_resume),
            "pending": ("calls that wait for an answer", lambda _: None),
            "answer": ("answer a call that waits", _configure_answer),
            "fork": ("copy a session, to go on another way", _configure_fork),
            "rename": ("give a session another title", _configure_rename),
            "delete": ("remove sessions and all that they hold", _configure_delete),
            "prune": ("remove old sessions", _configure_prune),
        },
        EXAMPLES,
    )


def _add_session(parser: Parser) -> None:
    parser.add_argument("session", metavar="ID", help="its id, the beginning of it, or `last`")


def _configure_list(parser: Parser) -> None:
    parser.add_argument("--limit", type=int, default=50, metavar="N", help="at most this many (default 50)")


def _configure_search(parser: Parser) -> None:
    parser.add_argument("words", help="words by their beginnings; what stands in double quotes as it is")
    parser.add_argument("--limit", type=int, default=20, metavar="N", help="at most this many (default 20)")


def _configure_export(parser: Parser) -> None:
    _add_session(parser)
    parser.add_argument("--format", choices=list(_FORMATS), default="jsonl")
    parser.add_argument("--output", metavar="FILE", help="write it there (default: standard output)")


def _configure_resume(parser: Parser) -> None:
    _add_session(parser)
    parser.add_argument("prompt", nargs="?", default=_GO_ON, help=f'what to do now (default "{_GO_ON}")')
    add_agent_flags(parser, resumable=False)
    add_waiting(parser)


def _configure_answer(parser: Parser) -> None:
    _add_session(parser)
    parser.add_argument("call", metavar="CALL", help="as `sessions pending` names it")
    parser.add_argument("answer", help="yes or no; to a question, the answer; for a job, its result")
    parser.add_argument("--keep", choices=("once", "session", "project", "always"), default="once")
    parser.add_argument("--breadth", default="exact", help="how much a rule that is kept covers: exact, prefix, path")
    parser.add_argument("--note", default="", help="what the model is told with a no")


def _configure_fork(parser: Parser) -> None:
    _add_session(parser)
    parser.add_argument("--at", type=int, metavar="N", help="only up to entry N, as `sessions show` counts")


def _configure_delete(parser: Parser) -> None:
    parser.add_argument("sessions", nargs="+", metavar="ID")


def _configure_rename(parser: Parser) -> None:
    _add_session(parser)
    parser.add_argument("title", metavar="TITLE")


def _configure_prune(parser: Parser) -> None:
    parser.add_argument("--older-than", type=float, metavar="DAYS", help="not worked on for so many days")
    parser.add_argument("--keep", type=int, metavar="N", help="all but the N newest")
    parser.add_argument("--state", action="append", default=[], metavar="STATE", help="that ended so; may be repeated")
    parser.add_argument("--dry-run", action="store_true", help="only list what would be removed")


def run(said: Namespace, out: Output) -> int:
    """Run one verb."""
    verbs: dict[str, Callable[[House, Namespace, Output], int]] = {
        "list": _list,
        "show": _show,
        "search": _search,
        "export": _export,
        "resume": _resume,
        "pending": _pending,
        "answer": _answer,
        "fork": _fork,
        "rename": _rename,
        "delete": _delete,
        "prune": _prune,
    }
    house = default()
    try:
        return verbs[said.verb](house, said, out)
    finally:
        close_sessions(house)


def read_session(house: House, name: str, out: Output) -> tuple[SessionInfo, list[Entry]]:
    """A stored session and its entries. Raises `UnknownNameError`."""
    info = find_session(house, name, out.note)
    with looking_into_sessions(house, out.note) as reader:
        return info, list(reader.entries(info.number)) if reader else []


def _list(house: House, said: Namespace, out: Output) -> int:
    with looking_into_sessions(house, out.note) as reader:
        infos = reader.sessions(_positive(said.limit)) if reader else ()
        used = [used_in(reader, info) for info in infos] if reader else []
    documents = [*map(transcripts.info_document, infos, used)]
    out.show({"sessions": documents}, _table(infos, used) or ["no sessions yet"])
    return 0


def _table(infos: Sequence[SessionInfo], used: Sequence[Usage]) -> list[str]:
    heads = ["ID", "STARTED", "STATE", "ENTRIES", "TOKENS", "COST", "TITLE"]
    return columns([heads, *map(_row, infos, used)]) if infos else []


def _row(info: SessionInfo, used: Usage) -> list[str]:
    numbers = [str(info.entries), f"{used.tokens:,}", cost_text(used)]
    return [info.id, transcripts.moment(info.started), info.state, *numbers, printable(_title(info))]


def _title(info: SessionInfo) -> str:
    return f"↳ {info.title}" if info.platform == DELEGATE else info.title


def _positive(number: int) -> int:
    if number < 1:
        raise UsageError(f"--limit must be at least 1, got {number}")
    return number


def _show(house: House, said: Namespace, out: Output) -> int:
    info, entries = read_session(house, said.session, out)
    used = used_by(house, info, out.note)
    document = {
        "session": transcripts.info_document(info, used),
        "entries": [*map(transcripts.entry_document, entries)],
    }
    head = [f"{info.id}  {info.state}  {printable(info.title)}", f"{info.model}  {info.cwd}"]
    head += [usage_text(used), ""] if used.tokens else [""]
    out.show(document, [*head, *_lines(entries)])
    return 0


def _lines(entries: Iterable[Entry]) -> Iterator[str]:
    for entry in entries:
        body = transcripts.masked(entry.body)
        for text in _told(entry, body):
            yield printable(f"{entry.seq:>4}  {text}")


def _told(entry: Entry, body: dict[str, Any]) -> Iterator[str]:
    """An entry in a line, or a few; what is of no interest to people in none."""
    message = body.get("message") or {}
    match entry.kind:
        case "prompt" | "nudge":
            yield f"{entry.kind}: {message['content']}"
        case "reply":
            if message.get("content"):
                yield f"model: {message['content']}"
            for call in message.get("tool_calls") or ():
                yield f"call {call['id']}: {call['function']['name']} {_short(call['function']['arguments'])}"
        case "result" | "mended":
            status = body.get("status") or body.get("state", "interrupted")
            yield f"{entry.kind} {entry.call} ({status}): {_short(str(message['content']))}"
        case kind if kind in _NOTES:
            yield _NOTES[kind](entry, body).rstrip()


_NOTES: Mapping[str, Callable[[Entry, dict[str, Any]], str]] = {
    "decision": lambda entry, body: f"decision {entry.call}: {_yes_or_no(body)}: {body['reason']}",
    "question": lambda entry, body: f"waits {entry.call} ({body['about']}): {body['text']}",
    "answer": lambda entry, body: f"answer {entry.call}: {body.get('value', _yes_or_no(body))} {body['note']}",
    "ended": lambda _, body: f"ended: {body['ending']} {body['reason']}",
    "lost": lambda *_: "lost: this entry was damaged",
    "resumed": lambda *_: "resumed",
}


def _yes_or_no(body: dict[str, Any]) -> str:
    return "yes" if body.get("allowed") else "no"


def _short(text: str, most: int = 200) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _search(house: House, said: Namespace, out: Output) -> int:
    limit = _positive(said.limit)
    with searching_sessions(house, out.note) as reader:
        hits: Sequence[Hit] = reader.search(said.words, limit) if reader else ()
    document = [
        {"session": h.session.id, "seq": h.seq, "kind": h.kind, "snippet": transcripts.masked(h.snippet)} for h in hits
    ]
    rows = [[d["session"], str(d["seq"]), d["kind"], printable(d["snippet"])] for d in document]
    out.show({"hits": document}, columns(rows) or ["nothing found"])
    return 0 if hits else 1


def _export(house: House, said: Namespace, out: Output) -> int:
    info, entries = read_session(house, said.session, out)
    lines = getattr(transcripts, _FORMATS[said.format])(info, entries)
    if said.output is None:
        if out.json:
            return _show(house, said, out)
        for line in lines:
            out.text(line)
        return 0
    descriptor = os.open(said.output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:  # half a surrogate pair
        file.writelines(f"{line}\n" for line in lines)
    out.show({"session": info.id, "file": said.output}, [f"{info.id} is in {said.output}"])
    return 0


def _resume(house: House, said: Namespace, out: Output) -> int:
    said.resume, said.no_save = said.session, False
    code: int = running.run(said, out)
    return code


def _pending(house: House, said: Namespace, out: Output) -> int:
    with looking_into_sessions(house, out.note) as reader:
        waiting = waiting_calls(reader) if reader else []
    document = [{"session": info.id, **transcripts.masked(asdict(question))} for info, question in waiting]
    rows = [[d["session"], d["call"], d["about"], d["tool"], printable(_short(d["text"]))] for d in document]
    about = [line for d in document for line in facts_lines(d["call"], d["facts"])]
    out.show({"pending": document}, [*columns(rows), *about] or ["nothing waits"])
    return 0


def _answer(house: House, said: Namespace, out: Output) -> int:
    info = find_session(house, said.session, out.note)
    store = open_sessions(house, out.note)
    keeps = RuleKeeper(house).store
    _, place = answer_call(store, info, said.call, Reply(said.answer, said.note, said.keep, said.breadth, keeps))
    left = len(open_questions(store.entries(info.number)))
    document = {"session": info.id, "call": said.call, "still_pending": left, "kept_in": place or None}
    then = f"{left} more to answer" if left else f"go on with: handiwork sessions resume {info.id}"
    out.show(document, [*([f"kept in {place}"] if place else ()), f"answered; {then}"])
    return 0


def _fork(house: House, said: Namespace, out: Output) -> int:
    info = find_session(house, said.session, out.note)
    if said.at is not None and not 1 <= said.at <= info.entries:
        raise UsageError(f"--at {said.at}: the session has entries 1 to {info.entries}")
    store = open_sessions(house, out.note)
    upto = info.entries if said.at is None else said.at
    if info.state == "running":  # what is being done there is none of the copy's business
        upto = min(upto, last_settled(store.entries(info.number)))
    made = store.fork(info, upto)
    out.show({"session": made.id, "parent": info.id}, [f"{made.id} is a copy of {info.id}"])
    return 0


def _delete(house: House, said: Namespace, out: Output) -> int:
    infos = [find_session(house, name, out.note) for name in said.sessions]
    store = open_sessions(house, out.note)
    for info in infos:
        store.delete(info)
    out.show({"deleted": [i.id for i in infos]}, [f"deleted {i.id}" for i in infos])
    return 0


def _rename(house: House, said: Namespace, out: Output) -> int:
    title = title_of(said.title)
    if not title:
        raise UsageError("the title is empty", f"handiwork sessions rename {said.session} 'what it is about'")
    info = find_session(house, said.session, out.note)
    open_sessions(house, out.note).rename(info, title)
    out.show({"session": info.id, "title": title}, [f"{info.id} is now: {printable(title)}"])
    return 0


def _prune(house: House, said: Namespace, out: Output) -> int:
    wanted = pruning.Pruning(said.older_than, said.keep, frozenset(said.state))
    wanted.check()
    with looking_into_sessions(house, out.note) as reader:
        chosen = wanted.choose(reader.sessions(-1), time.time_ns() // 1_000_000) if reader else []
        used = [used_in(reader, info) for info in chosen] if reader else []
    gone = pruning.prune(open_sessions(house, out.note), chosen, out.note) if chosen and not said.dry_run else []
    document = {
        "dry_run": said.dry_run,
        "sessions": [*map(transcripts.info_document, chosen, used)],
        "deleted": [i.id for i in gone],
    }
    told = (
        [*_table(chosen, used), f"{len(chosen)} would be deleted"]
        if said.dry_run
        else [f"deleted {i.id}" for i in gone]
    )
    out.show(document, told if chosen else ["nothing to prune"])
    return 0
