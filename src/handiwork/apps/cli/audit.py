"""`handiwork audit`: what was done and decided, and whether the record of it is as it was written."""

from __future__ import annotations

import os
import time
from argparse import Namespace
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from ...core.errors import UsageError
from ...core.loading import Late
from ..house import House, default
from .output import Output, columns, printable
from .parsing import Parser, add_verbs

checking = Late("handiwork.backends.audit.checking")
exporting = Late("handiwork.backends.audit.exporting")
reading = Late("handiwork.backends.audit.reading")
transcripts = Late("handiwork.apps.transcripts")

EXAMPLES = """\
  handiwork audit show --last 20
  handiwork audit show --tool terminal --verdict ask --since 2h
  handiwork audit verify
  handiwork audit export --output audit-may.jsonl
  handiwork audit verify audit-may.jsonl
"""
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_WIDEST = 100


def configure(parser: Parser) -> None:
    """The verbs of `handiwork audit`."""
    verbs: dict[str, tuple[str, Callable[[Parser], None]]] = {
        "show": ("show calls and decisions", _configure_filters),
        "verify": ("check that nothing was changed, removed or inserted", _configure_verify),
        "export": ("write a document that can be checked by itself", _configure_export),
    }
    add_verbs(parser, verbs, EXAMPLES)


def _configure_filters(parser: Parser) -> None:
    parser.add_argument("--session", help="those of a session, by the beginning of its id")
    parser.add_argument("--tool", help="those of a tool")
    parser.add_argument("--verdict", choices=("allow", "ask", "forbid", "refused"), help="those that were judged so")
    parser.add_argument("--since", metavar="WHEN", help="those of the last 30m, 2h, 7d, or since 2026-05-01[T12:00]")
    parser.add_argument("--last", type=int, metavar="N", help="the last N of them")


def _configure_verify(parser: Parser) -> None:
    parser.add_argument("file", nargs="?", help="an exported document (default: the record of this home)")


def _configure_export(parser: Parser) -> None:
    _configure_filters(parser)
    parser.add_argument("--format", choices=("jsonl", "csv"), default="jsonl")
    parser.add_argument("--output", metavar="FILE", help="write it there (default: standard output)")


def run(said: Namespace, out: Output) -> int:
    """Run one verb."""
    return {"show": _show, "verify": _verify, "export": _export}[said.verb](default(), said, out)


def entries_of(house: House, said: Namespace) -> list[dict[str, Any]]:
    """The entries that the flags name, masked: a line may hold what somebody else put there."""
    since = _moment(said.since) if said.since else ""
    if said.last is not None and said.last < 1:
        raise UsageError(f"--last: expected a number more than 0, got {said.last}", "--last 20")
    found = [e for e in reading.entries_of(reading.lines_in(house.home)) if _fits(e, said, since)]
    return [transcripts.masked(e) for e in (found[-said.last :] if said.last else found)]


def _fits(entry: dict[str, Any], said: Namespace, since: str) -> bool:
    return (
        (said.session is None or str(entry.get("session", "")).startswith(said.session))
        and (said.tool is None or entry.get("tool") == said.tool)
        and (said.verdict is None or entry.get("verdict") == said.verdict)
        and str(entry.get("at", "")) >= since
    )


def _moment(text: str) -> str:
    """When *text* means, as audit lines tell it. Raises `UsageError`."""
    number, unit = text[:-1], text[-1:]
    if unit in _UNITS and number.isdecimal():
        return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() - int(number) * _UNITS[unit]))
    for form in ("%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"):
        try:
            return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.mktime(time.strptime(text, form))))
        except (ValueError, OverflowError):
            continue
    raise UsageError(f"--since: not a time: {text!r}", "30m, 2h, 7d, or 2026-05-01T12:00 by the clock of this machine")


# ------------------------------------------------------------------------------------------------------ show, export


def _show(house: House, said: Namespace, out: Output) -> int:
    entries = entries_of(house, said)
    rows = [["TIME (UTC)", "SESSION", "WHAT", "VERDICT", "STATUS", "MS", "HOW"], *map(_row, entries)]
    nothing = ["nothing is on record" + (" that fits" if _is_filtered(said) else f" in {house.home}")]
    out.show({"entries": entries}, columns(rows) if entries else nothing)
    return 0


def _is_filtered(said: Namespace) -> bool:
    return bool(said.session or said.tool or said.verdict or said.since)


def _row(entry: dict[str, Any]) -> list[str]:
    what = entry.get("tool") or entry.get("what") or entry.get("event") or "?"
    took = f"{entry['duration_ms']:.1f}" if isinstance(entry.get("duration_ms"), float) else ""
    fields = [entry.get("at", "")[:19], entry.get("session", "")[:12], what, entry.get("verdict", "")]
    return [_one_line(str(f)) for f in (*fields, entry.get("status", ""), took, _how(entry))]


def _how(entry: dict[str, Any]) -> str:
    """The arguments, and what was said of them, as far as a line holds."""
    if entry.get("event") == "decided":
        return ", ".join(f"{k}={v}" for k, v in entry.items() if k in ("key", "was", "is", "name"))
    args = entry.get("args", entry.get("cut", ""))
    told = ", ".join(f"{k}={v}" for k, v in args.items()) if isinstance(args, dict) else str(args)
    why = entry.get("reason") or "; ".join(entry.get("reasons", ()))
    return f"{why} | {told}" if why else told


def _one_line(text: str) -> str:
    text = printable(text).replace("\n", "\\n").replace("\t", " ")
    return text if len(text) <= _WIDEST else text[: _WIDEST - 3] + "..."


def _export(house: House, said: Namespace, out: Output) -> int:
    entries = entries_of(house, said)
    lines = exporting.export(entries, said.format)
    if said.output is None:
        for line in lines:
            out.text(line)
        return 0
    path = os.path.abspath(said.output)
    _write(path, lines)
    document = {"file": path, "entries": len(entries), "format": said.format}
    out.show(document, [f"{len(entries)} entries are in {path}; `handiwork audit verify FILE` checks it"])
    return 0


def _write(path: str, lines: Iterable[str]) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in lines)


# ------------------------------------------------------------------------------------------------------------ verify


def _verify(house: House, said: Namespace, out: Output) -> int:
    """Exit code 1 where something isn't as it was written."""
    if said.file:
        found = exporting.check_export(Path(said.file).read_text("utf-8", "replace"))
    else:
        found = checking.check_audit(house.home)
    faults, notes = ([{"where": f.place, "what": f.what} for f in fs] for fs in (found.faults, found.notes))
    document = {"lines": found.lines, "segments": found.segments, "faults": faults, "notes": notes}
    out.show(document, _verified(document, out))
    return int(bool(faults))


def _verified(document: dict[str, Any], out: Output) -> Iterable[str]:
    for fault in document["faults"]:
        yield f"{out.paint('✗', 'red')} {fault['where']}: {fault['what']}"
    for note in document["notes"]:
        yield f"{out.paint('⚠', 'yellow')} {note['where']}: {note['what']}"
    if not document["faults"]:
        said = f"{document['lines']} lines of {document['segments']} segments are as they were written"
        yield f"{out.paint('✓', 'green')} {said}"
