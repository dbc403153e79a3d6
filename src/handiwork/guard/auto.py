"""The mode `auto`: what of the things that ask needn't, since the kernel contains it or it can be put back.

Both are facts of the moment: what the environment that is really used holds commands to, and what git has of
the files. What is forbidden stays so; what only a person may answer, or a rule of theirs asks about, is asked.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Final

from handiwork.core.loading import Late
from handiwork.core.types import Ask, Containment, Ready

from .command_policy import Grounds
from .deeds import CHANGES
from .effects import Effect
from .places import protected
from .raters import Rated, command_folder
from .recovery import is_clean, is_recoverable, without_pattern
from .shell.marks import is_known
from .verdict import CommandVerdict

commands = Late("handiwork.guard.commands")

# What needs this machine: its files outside the workspace, its services, devices and other processes.
_ON_MACHINE: Final = frozenset(
    (
        *("device", "firewall", "kill", "log_wipe", "package_remove", "persistence", "privilege", "run_temporary"),
        *("self", "service", "settings"),
    )
)
# What needs another machine, or to be reached from one.
_ON_NETWORK: Final = frozenset(
    (
        *("access", "cloud", "container", "listen", "package_remote", "publish", "run_fetched_code"),
        *("send_file", "socket"),
    )
)
# What git can put back where nothing in the work tree differs from what it has, unless it is forced.
_PUT_BACK: Final = re.compile(
    r"git (?:rm|checkout --|restore|submodule deinit)\s(?!.*(?:-f\b|--force|--staged|--source|-s\b))"
)
# A push to a name, not to a path.
_PUSH: Final = re.compile(r"git push\s(?!.*(?:^|[\s'\"=])(?:[./~]|file:))")
_FAR: Final = re.compile(r"^(?!file:)[a-z+]+://|^[\w.-]+@?[\w.-]*:(?!/?/)", re.IGNORECASE)


def is_clean_of_outside(ready: Ready) -> bool:
    """Whether no argument of the call comes from outside. Who knows more of where texts come from hands in more."""
    return all(label.integrity == "trusted" for label in ready.provenance.values())


def needs_nobody(ready: Ready, ask: Ask, found: Sequence[Rated]) -> bool:
    """Whether all that *ask* is about is contained, or can be put back. Only for commands of our own tools."""
    if ask.firm or ask.rule or ready.entry.origin != "builtin" or not ask.keys:
        return False
    asking = [rated for rated in found if isinstance(rated.verdict, Ask)]
    effects = [effect for rated in asking if rated.command for effect, _ in rated.command.asked]
    if not effects or not all(rated.command and rated.command.asked for rated in asking):
        return False
    held, grounds = _containment(ready), commands.grounds_of(command_folder(ready), ready.call.scope.workspace)
    return held.files and all(_is_harmless(effect, grounds, held) for effect in effects)


def _containment(ready: Ready) -> Containment:
    """What the place where the call's commands run holds them to: nothing, where it doesn't say."""
    scope = ready.call.scope
    known = getattr(scope.environment, "containment", None)
    found: Containment = known(scope.workspace) if known else Containment()
    return found


def _is_harmless(effect: Effect, grounds: Grounds, held: Containment) -> bool:
    if effect.kind in CHANGES:
        return _is_held_file(effect, grounds, held)
    if effect.kind in _ON_MACHINE:
        return held.processes
    if effect.kind in _ON_NETWORK:
        return held.processes and held.network == "off"
    if effect.kind == "run_other":
        return held.processes and held.network == "off" and _is_allowed(effect.target, grounds)
    if effect.kind == "rewrite":  # a push goes nowhere; what else rewrites history does so here
        return held.network == "off" and bool(_PUSH.match(effect.target)) and _is_remote_far(grounds.workspace)
    return effect.kind == "discard" and bool(_PUT_BACK.match(effect.target)) and is_clean(grounds.workspace)


def _is_allowed(command: str, grounds: Grounds) -> bool:
    """Whether a command that is handed on, which may come back here, would be allowed by itself."""
    found: CommandVerdict = commands.judge_command(command, cwd=grounds.cwd, workspace=grounds.workspace)
    return is_known(command) and found.action == "allow"


def _is_held_file(effect: Effect, grounds: Grounds, held: Containment) -> bool:
    """Whether a file is out of a command's reach, or can be put back."""
    path, is_mode = effect.target, effect.kind.startswith("mode")
    if not path.startswith("/") or not is_known(path):
        return False
    fixed = without_pattern(path)  # a pattern may mean all below the folder before it
    places = {path, fixed, os.path.realpath(path), os.path.realpath(fixed)}
    if not any(_meets(place, folder) for place in places for folder in (*held.writable, grounds.workspace)):
        return held.modes or not is_mode
    if is_mode or protected(grounds.inner(path) or path) or effect.kind == "shred":
        return False
    return is_recoverable(path, grounds.workspace)


def _meets(path: str, folder: str) -> bool:
    """Whether *path* lies in *folder*, or holds it."""
    one, other = (f"{place.rstrip('/')}/" for place in (path, folder))
    return bool(folder) and (one.startswith(other) or other.startswith(one))


def _is_remote_far(workspace: str) -> bool:
    """Whether all repositories that git knows to push to are on other machines."""
    try:
        with open(os.path.join(workspace, ".git", "config"), encoding="utf-8") as file:
            said = [line.partition("=") for line in file]
    except (OSError, UnicodeDecodeError):
        return False
    return all(_FAR.match(value.strip()) for key, _, value in said if key.strip().lower() in ("url", "pushurl"))
