"""`handiwork guard report`: keep a case of what the guard judged wrongly, to be added to its corpora."""

from __future__ import annotations

from argparse import Namespace

from ...core.errors import UsageError
from ...core.loading import Late
from ..house import default
from .output import Output, printable
from .parsing import Parser

case_file = Late("handiwork.apps.case_file")
reading = Late("handiwork.backends.audit.reading")
_WORDS = ("allow", "ask", "forbid", "redact", "keep")


def configure(parser: Parser) -> None:
    """Flags of `handiwork guard report`."""
    parser.add_argument("input", nargs="?", help="the command, path, URL or text")
    parser.add_argument("--kind", choices=("command", "path", "url", "text"), default="command")
    parser.add_argument("--expected", choices=_WORDS, required=True, help="what the guard should have said")
    parser.add_argument("--last", action="store_true", help="what was judged last, from the record of calls")
    parser.add_argument("--write", action="store_true", help="the path was to be written")
    parser.add_argument("--secret", metavar="PART", help="the part of the text that should have been masked")


def run(said: Namespace, out: Output) -> int:
    """Store the case. Exit code 1 where the guard says what was expected."""
    if bool(said.input) == said.last:
        raise UsageError("give a text, or --last", "handiwork guard report 'COMMAND' --expected ask")
    house = default()
    kind, text, verdict = said.kind, said.input, ""
    if said.last:
        entries = list(reading.entries_of(reading.lines_in(house.home)))
        kind, text, verdict = case_file.last_judged(house.registry, entries)
    if said.expected not in case_file.EXPECTED[kind]:
        raise UsageError(f"a {kind} can't be expected to {said.expected}", f"one of {_listed(kind)}")
    verdict = verdict or case_file.judged(kind, text, write=said.write)
    if verdict == said.expected:
        document = {"said": verdict, "expected": said.expected, "file": None}
        out.show(document, [f"the guard says so: {verdict}; nothing is stored"])
        return 1
    miss = case_file.Miss(kind, text, verdict, said.expected, said.secret or "", said.write)
    path, case = case_file.store_case(house.home, miss)
    out.show({"said": verdict, "expected": said.expected, "file": path, "case": case}, _lines(path, case, verdict))
    return 0


def _listed(kind: str) -> str:
    return ", ".join(case_file.EXPECTED[kind])


def _lines(path: str, case: dict[str, object], verdict: str) -> list[str]:
    text = str(case.get("cmd") or case.get("path") or case.get("url") or "the text")
    return [
        f"stored in {path}: {printable(text)} (the guard says {verdict})",
        "look whether anything in it is for you alone; then send that line with a report (SECURITY.md says where:",
        "what does harm unasked is a vulnerability), or add it to the corpus of that name and run bench/guard.py",
    ]
