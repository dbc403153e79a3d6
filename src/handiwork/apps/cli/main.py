"""The commands, and how a command's failure is told: one line of cause, one of what to do, an exit code."""

from __future__ import annotations

import os
import sys
from contextlib import redirect_stdout, suppress
from itertools import pairwise
from typing import NamedTuple

from ... import __version__
from ...core.errors import HandiworkError, UnknownNameError
from ...core.loading import Late, load
from .output import Output
from .parsing import command_parser
from .signals import Signals, Stopped

traceback = Late("traceback")


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
    "mcp": Command("mcp", "list, add, test and remove MCP servers"),
    "skills": Command("skills", "list, show, trust and validate skills", common=False),
    "config": Command("config", "read and change the configuration"),
    "sessions": Command("sessions", "list, show, search, export, resume, fork and delete sessions"),
    "show": Command("show", "show everything about one call of a session", common=False),
    "replay": Command("replay", "replay an exported session without model or network", common=False),
    "check": Command("check", "check what is stored, and repair it", common=False),
    "audit": Command("audit", "show, check and export the record of calls and decisions", common=False),
    "hooks": Command("hooks", "list hooks, try one out, import another agent's", common=False),
    "policy": Command("policy", "rules of what is allowed, asked about, denied", common=False),
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
    argv = _flags_last(argv)
    out = Output(json="--json" in argv or "--output-format=json" in argv or _follows(argv, "--output-format", "json"))
    signals = Signals()
    _take_whatever_comes()
    try:
        with signals.heard():
            code = _dispatch(argv, out)
            signals.check()  # also where something took the interrupt for its own failure
            out.flush()  # here, where a full disk or a reader that left is still told
            return code
    except (HandiworkError, KeyboardInterrupt, OSError) as error:
        return _tell(out, error, debug="--debug" in argv)
    except Exception as error:
        if "--debug" in argv:
            raise
        place = traceback.extract_tb(error.__traceback__)[-1]
        text = f"internal error: {type(error).__name__}: {error} ({os.path.basename(place.filename)}:{place.lineno})"
        return _fail(out, text, 1, "run it again with --debug to see where; this is a bug worth reporting")


def _tell(out: Output, error: BaseException, *, debug: bool) -> int:
    """What ended a command without being a fault of the program's."""
    match error:
        case HandiworkError():
            return _fail(out, error, error.exit_code, error.hint)
        case KeyboardInterrupt():
            return _fail(out, "interrupted", error.code if isinstance(error, Stopped) else 130)
        case BrokenPipeError():
            _close_output()
            return 0
        case OSError() if not debug:
            return _fail_at_system(out, error)
    raise error


def _flags_last(argv: list[str]) -> list[str]:
    """Flags that every command has may also stand before it."""
    at = 0
    while at < len(argv) and argv[at] in ("--json", "--debug", "--output-format", "--output-format=json"):
        at += 2 if argv[at] == "--output-format" else 1
    return [*argv[at:], *argv[:at]] if at < len(argv) else argv


def _follows(argv: list[str], flag: str, value: str) -> bool:
    return any(pair == (flag, value) for pair in pairwise(argv))


def _take_whatever_comes() -> None:
    """What isn't text in the terminal's encoding is read with replacements, and written escaped."""
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "backslashreplace"), (sys.stderr, "backslashreplace")):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=errors)


def _close_output() -> None:
    """Nobody reads standard output, or it is full: what is left in it is not written at exit either."""
    with suppress(OSError, ValueError):  # a stream without a descriptor has nothing to close
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(out: Output, error: object, code: int, hint: str = "") -> int:
    out.fail(str(error), hint, code)
    return code


def _fail_at_system(out: Output, error: OSError) -> int:
    """The system said no: a full disk, a folder that can't be written, a current folder that is gone."""
    if error.filename is None and isinstance(error, FileNotFoundError):
        return _fail(out, "the current folder is gone", 1, "go to another folder (cd)")
    if error.filename is None:
        _close_output()
        return _fail(out, f"can't write: {error.strerror or error}", 1, "free some space, or write somewhere else")
    return _fail(out, f"{error.filename}: {error.strerror}", 1, "check the path and its permissions")


def _dispatch(argv: list[str], out: Output) -> int:
    if argv[:1] == ["help"] and len(argv) > 1 and argv[1] in COMMANDS:
        argv = [argv[1], "--help"]
    if not argv or argv[0] in ("-h", "--help", "help", "--json", "--output-format=json"):
        _show_overview(out, everything="--all" in argv)
        return 0
    if argv[0] in ("--version", "-V", "version"):
        out.show({"version": __version__}, [f"handiwork {__version__}"])
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
    with redirect_stdout(sys.stderr):  # what tools and plugins print is no result
        code: int = load(f"{module}:run")(said, out)
    return code


def _show_overview(out: Output, *, everything: bool) -> None:
    shown = {n: c for n, c in COMMANDS.items() if c.common or everything}
    rows = [{"name": name, "help": command.help} for name, command in shown.items()]
    out.show({"commands": rows}, [_overview(shown, everything=everything)])


def _overview(shown: dict[str, Command], *, everything: bool) -> str:
    lines = "\n".join(f"  {name:<10} {command.help}" for name, command in shown.items())
    more = (
        "" if everything else "\n`handiwork help --all` lists every command, `handiwork COMMAND --help` tells more.\n"
    )
    return f"usage: handiwork COMMAND ...\n\n{EXAMPLES}\ncommands:\n{lines}\n{more}"
