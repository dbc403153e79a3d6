"""The commands, and how a command's failure is told: one line of cause, one of what to do, an exit code."""

from __future__ import annotations

import os
import sys
from itertools import pairwise
from typing import NamedTuple

from ...core.errors import HandiworkError, UnknownNameError
from ...core.loading import Late, load
from .output import Output
from .parsing import command_parser

traceback = Late("traceback")
INTERRUPTED = 130


class Command(NamedTuple):
    """A command: the module that holds it, what it does in a line, and whether the short help shows it."""

    module: str
    help: str
    common: bool = True


COMMANDS: dict[str, Command] = {
    "run": Command("run", "do a task: an agent with tools works until it is done"),
    "chat": Command("chat", "talk to an agent"),
    "tools": Command("tools", "list, show, call, enable and disable tools"),
    "toolsets": Command("toolsets", "list, show and create groups of tools"),
    "why": Command("why", "say why a tool is visible or not, or what would become of a call"),
    "doctor": Command("doctor", "check this installation and say what to mend"),
    "model": Command("model", "pull, list and choose models"),
    "plugins": Command("plugins", "list plugins and what became of them"),
    "config": Command("config", "read and change the configuration"),
    "guard": Command("guard", "judge a command, path or URL; mask secrets", common=False),
}

EXAMPLES = """\
examples:
  handiwork run "How many lines of Python are in src?"
  handiwork tools call calculate expression='2**10'
  handiwork why web_search
"""


def main(argv: list[str]) -> int:
    """Run one command; the exit code. No traceback for a person's mistake."""
    out = Output(json="--json" in argv or "--output-format=json" in argv or _follows(argv, "--output-format", "json"))
    try:
        return _dispatch(argv, out)
    except HandiworkError as error:
        return _fail(out, error, error.exit_code, error.hint)
    except KeyboardInterrupt:
        return _fail(out, "interrupted", INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader left: say nothing more
        return 0
    except Exception as error:
        if "--debug" in argv:
            raise
        place = traceback.extract_tb(error.__traceback__)[-1]
        text = f"internal error: {type(error).__name__}: {error} ({os.path.basename(place.filename)}:{place.lineno})"
        return _fail(out, text, 1, "run it again with --debug to see where; this is a bug worth reporting")


def _follows(argv: list[str], flag: str, value: str) -> bool:
    return any(pair == (flag, value) for pair in pairwise(argv))


def _fail(out: Output, error: object, code: int, hint: str = "") -> int:
    out.fail(str(error), hint, code)
    return code


def _dispatch(argv: list[str], out: Output) -> int:
    if not argv or argv[0] in ("-h", "--help", "help"):
        out.text(_overview(everything="--all" in argv))
        return 0
    name = argv[0]
    command = COMMANDS.get(name)
    if command is None:
        raise UnknownNameError("command", name, COMMANDS, "see `handiwork --help`")
    module = f"handiwork.apps.cli.{command.module}"
    parser = command_parser(name, command.help)
    load(f"{module}:configure")(parser)
    try:
        said = parser.parse_args(argv[1:])
    except SystemExit as end:  # argparse leaves this way after --help
        return int(end.code or 0)
    code: int = load(f"{module}:run")(said, out)
    return code


def _overview(*, everything: bool) -> str:
    shown = {n: c for n, c in COMMANDS.items() if c.common or everything}
    lines = "\n".join(f"  {name:<10} {command.help}" for name, command in shown.items())
    more = (
        "" if everything else "\n`handiwork help --all` lists every command, `handiwork COMMAND --help` tells more.\n"
    )
    return f"usage: handiwork COMMAND ...\n\n{EXAMPLES}\ncommands:\n{lines}\n{more}"
