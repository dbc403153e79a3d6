"""`handiwork guard`: what the guard thinks, without running anything."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable
from typing import Any

from ...core.errors import UsageError
from ...core.loading import Late
from . import guard_report
from .output import Output
from .parsing import Parser, add_verbs

guard = Late("handiwork.guard")

EXAMPLES = """\
  handiwork guard command 'rm -rf build'
  handiwork guard path ../secrets.txt --write
  handiwork guard url http://169.254.169.254/
  handiwork guard report 'make clean' --expected allow
  cat commands.txt | handiwork guard command --lines
"""


def configure(parser: Parser) -> None:
    """The verbs of `handiwork guard`."""
    add_verbs(
        parser,
        {
            "command": ("judge a shell command", _configure_cwd),
            "path": ("judge a path", _configure_path),
            "url": ("judge a URL", _configure_input),
            "redact": ("mask secrets in a text", _configure_input),
            "report": ("keep a case of what is judged wrongly", guard_report.configure),
        },
        EXAMPLES,
    )


def _configure_input(parser: Parser) -> None:
    parser.add_argument("input", nargs="?", help="the text to judge")
    parser.add_argument("--lines", action="store_true", help="one input a line on standard input, one JSON line out")


def _configure_cwd(parser: Parser) -> None:
    _configure_input(parser)
    parser.add_argument("--cwd", help="the folder it would run in (default: here)")


def _configure_path(parser: Parser) -> None:
    _configure_input(parser)
    parser.add_argument("--workspace", help="the folder that is free to use (default: here)")
    parser.add_argument("--write", action="store_true")


def run(said: Namespace, out: Output) -> int:
    """Judge one input (exit code 5 when it isn't allowed), or many."""
    if said.verb == "report":
        return guard_report.run(said, out)
    judge = _judge(said)
    if said.lines:
        for line in sys.stdin:
            out.document(judge(line.rstrip("\n")))
        return 0
    if said.input is None:
        raise UsageError("nothing to judge", "give a text, or --lines with one input a line on standard input")
    verdict = judge(said.input)
    if "text" in verdict:
        out.show(verdict, [verdict["text"]])
        return 0
    out.show(verdict, [verdict["action"], *(f"  {reason}" for reason in verdict["reasons"])])
    return 0 if verdict["action"] == "allow" else 5


def _judge(said: Namespace) -> Callable[[str], dict[str, Any]]:
    match said.verb:
        case "command":
            return lambda text: _document(guard.judge_command(text, cwd=said.cwd or os.getcwd()))
        case "path":
            workspace = said.workspace or os.getcwd()
            return lambda text: _document(guard.judge_path(text, workspace, write=said.write))
        case "url":
            return lambda text: _document(guard.judge_url(text))
    return lambda text: {"text": guard.redact(text)}


def _document(verdict: Any) -> dict[str, Any]:
    document = {"action": verdict.action, "reasons": list(verdict.reasons)}
    effects = getattr(verdict, "effects", None)
    return document if effects is None else {**document, "effects": [e._asdict() for e in effects]}
