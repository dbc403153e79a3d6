"""What a shell command would do, and whether it may: allow, ask or forbid.

The text is parsed, its words are resolved as far as they can be without running anything, every program in it
is looked up, and what it would do becomes a list of effects. The policy says what follows from each. Text that
is only data (a message, a pattern, a file's content) has no effect; what can't be resolved and matters asks.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from .command_policy import Grounds, ruling
from .disguise import undisguised
from .effects import Effect
from .programs.entry import Program
from .programs.running import Programs
from .shell.session import Shell, environment
from .shell.statements import Scripts
from .verdict import Action, CommandVerdict

MOST_CHARACTERS = 200_000
MOST_REASONS = 12

_ENGINE = Scripts(Programs())


def judge_command(
    command: str,
    cwd: str | None = None,
    home: str | None = None,
    *,
    workspace: str | None = None,
    variables: Mapping[str, str] | None = None,
    programs: Mapping[str, Program] | None = None,
) -> CommandVerdict:
    """Say whether a shell command may run.

    *cwd* is where it would run, *workspace* (default: *cwd*) the folder that is free to use; without them
    relative paths count as inside. *variables* are exported ones that a session carries,
    *programs* a person's own entries beside the table's. `reasons` says why it
    isn't allowed; `effects` are what it would do, each with the place in the text.
    """
    home = _home(home)
    text, disguises = undisguised(command[:MOST_CHARACTERS])
    free = workspace or cwd or ""
    engine = Scripts(Programs(programs)) if programs else _ENGINE
    shell = _read_by(engine, text, Shell(engine, home, cwd or "", free, environment(variables)))
    effects = list(shell.effects)
    grounds = grounds_of(cwd or "", workspace or "", home=home)
    if len(command) > MOST_CHARACTERS:
        effects.append(Effect("unfollowed"))
    return _verdict([*effects, *disguises], grounds, shell)


def grounds_of(cwd: str, workspace: str, *, home: str = "") -> Grounds:
    """Where a command stands that runs in *cwd*.

    Nobody's workspace is the whole machine or a whole home: there, every path counts as outside.
    """
    home, free = _home(home), workspace or cwd
    return Grounds(home) if free.rstrip("/") in ("", home) else Grounds(home, cwd, free)


def _home(home: str | None) -> str:
    return (home or os.environ.get("HOME", "/root")).rstrip("/") or "/"


def _read_by(engine: Scripts, text: str, shell: Shell) -> Shell:
    """The shell after it has read *text*."""
    shell.budget += len(text)
    try:
        engine.run_text(shell, text)
    except RecursionError:  # nested beyond what this interpreter follows
        shell.effect("unfollowed")
    return shell


def _verdict(effects: list[Effect], grounds: Grounds, shell: Shell) -> CommandVerdict:
    rulings = [ruling(effect, grounds) for effect in effects]
    asked = [(e, r.reason) for e, r in zip(effects, rulings, strict=True) if r.action == "ask"]
    refused = [r.reason for r in rulings if r.action == "forbid"]
    action: Action = "forbid" if refused else "ask" if asked else "allow"
    reasons = list(dict.fromkeys(refused or (reason for _, reason in asked)))[:MOST_REASONS]
    return CommandVerdict(action, reasons, effects, shell.started, list(shell.read), asked)
