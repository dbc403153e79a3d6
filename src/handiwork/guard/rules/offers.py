"""Which rules a person could keep as an answer to what is asked: each is checked to cover the call in hand."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, TypeAlias

from handiwork.core.config import Mode
from handiwork.core.errors import UsageError
from handiwork.core.types import Allow, Ask, Ready

from ..places import is_vital, names, protected
from ..policies import asks_of_tool, policy
from ..raters import Bounds, Rated, found, meant_by
from ..verdict import CommandVerdict
from .command_patterns import escaped
from .globs import literal_glob
from .rule import Rule, Vocabulary, read_rule
from .rulebook import Rulebook

Breadth: TypeAlias = Literal["exact", "prefix", "path", "tool"]


class Offer(NamedTuple):
    """A rule that could be kept: how much it covers, its text, and the same in words."""

    breadth: Breadth
    rule: str
    label: str


# Programs whose first word says what they do. Others mean anything that their arguments say.
_WITH_SUBCOMMANDS: Final = names(
    "git hg svn jj gh glab npm pnpm yarn bun cargo rustup pip pip3 pipx uv poetry pdm conda mamba gem bundle go"
    " apt apt-get dnf yum pacman brew snap flatpak composer mvn gradle sbt dotnet mix docker docker-compose podman"
    " kubectl helm terraform tofu pulumi aws gcloud az heroku flyctl fly vercel netlify wrangler firebase supabase"
    " systemctl service launchctl pm2 make just task ninja adb flutter rails rake ansible vagrant nomad consul vault"
)
# What such a first word hands on to another program, or sets so that another is run later.
_HANDS_ON: Final = frozenset(
    tuple(pair.split("."))
    for pair in [
        "git.config",
        "git.submodule",
        "git.bisect",
        "git.rebase",
        "git.filter-branch",
        "git.difftool",
        "git.mergetool",
        "git.alias",
        "docker.run",
        "docker.exec",
        "docker.compose",
        "podman.run",
        "podman.exec",
        "kubectl.exec",
        "kubectl.run",
        "kubectl.debug",
        "kubectl.cp",
        "npm.exec",
        "npm.x",
        "pnpm.exec",
        "pnpm.dlx",
        "yarn.exec",
        "yarn.dlx",
        "bun.x",
        "bun.run",
        "uv.run",
        "uv.tool",
        "uv.x",
        "poetry.run",
        "pdm.run",
        "pipx.run",
        "bundle.exec",
        "go.run",
        "go.generate",
        "go.tool",
        "cargo.run",
        "conda.run",
        "mamba.run",
        "mix.run",
        "rails.runner",
        "adb.shell",
        "vagrant.ssh",
        "gh.api",
        "gh.alias",
        "gh.extension",
        "glab.api",
        "glab.alias",
        "hg.alias",
        "aws.ssm",
        "az.vm",
        "gcloud.compute",
        "heroku.run",
        "fly.ssh",
        "flyctl.ssh",
        "dotnet.exec",
        "dotnet.run",
        "composer.exec",
        "apt.-o",
    ]
)
_NAMES_SCRIPT: Final = frozenset(("run", "run-script"))  # the next word is what is run
_VERB: Final = re.compile(r"[a-z][a-z0-9:_-]*\Z")
MOST_CHARACTERS: Final = 2_000


def offers(ready: Ready, ask: Ask | None = None, mode: Mode = "ask") -> tuple[Offer, ...]:
    """The rules that would answer what is asked about a call, the narrowest first; none where none would.

    *ask* is what was asked: a person's own rule that asks isn't answered by another one. *mode* is the session's;
    `ask` also holds in the looser ones.
    """
    if ask is not None and ask.rule:
        return ()
    rated = found(ready, Bounds(mode, ()))
    offered = [offer for offer in _candidates(ready, rated, mode) if _would_answer(offer, ready, mode)]
    return tuple({offer.rule: offer for offer in offered}.values())


def _candidates(ready: Ready, rated: list[Rated], mode: Mode) -> Iterator[Offer]:
    asked = [one for one in rated if isinstance(one.verdict, Ask)]
    tool = ready.entry.name
    if not asked and asks_of_tool(ready.entry):
        yield Offer("tool", tool, f"every call of {tool}")
    for one in asked:
        if one.command is not None:
            yield from _of_command(tool, one, one.command, ready, mode)
        elif one.touch == "path":
            yield from _of_path(tool, one, ready)


def read_offer(offer: Offer, ready: Ready) -> Rule:
    """The rule of an offer, read back. Raises `UsageError`."""
    words = Vocabulary({ready.entry.name: ready.entry.traits}, {})
    return read_rule(offer.rule, "allow", words, base=ready.call.scope.workspace)


def _would_answer(offer: Offer, ready: Ready, mode: Mode) -> bool:
    """Whether the same call wouldn't ask again with this rule."""
    try:
        book = Rulebook(allow=(read_offer(offer, ready),))
    except UsageError:
        return False
    return isinstance(policy(mode, rules=lambda _: book)(ready), Allow)


def answers(rules: tuple[str, ...], ready: Ready) -> bool:
    """Whether *rules*, which were offers, answer all that is asked about a call, in the strictest mode too."""
    read = tuple(read_offer(Offer("exact", rule, ""), ready) for rule in rules if rule.startswith(ready.entry.name))
    return bool(read) and isinstance(policy("ask", rules=lambda _: Rulebook(allow=read))(ready), Allow)


# ------------------------------------------------------------------------------------------- commands


def _of_command(tool: str, rated: Rated, command: CommandVerdict, ready: Ready, mode: Mode) -> Iterator[Offer]:
    text = rated.text.strip()
    shell = ready.call.scope.shell
    if len(text) <= MOST_CHARACTERS and not meant_by(text, shell.exported if shell else {}):
        yield Offer("exact", f"{tool}({escaped(text)})", "this command, exactly as it is written")
    prefix = _prefix(command, mode)
    if prefix:
        yield Offer("prefix", f"{tool}({escaped(prefix)}:*)", f"{prefix} with any arguments")


def _prefix(command: CommandVerdict, mode: Mode) -> str:
    """The program and subcommand from which all that is asked about comes; empty where that isn't one."""
    spans = {effect.span for effect, _ in command.asked}
    if mode == "ask" and not spans:
        spans = {effect.span for effect in command.effects}
    found = {_subcommand(one.words) for one in command.started if one.depth == 1 and one.span in spans}
    return found.pop() if len(found) == 1 else ""


def _subcommand(words: tuple[str, ...]) -> str:
    name, *rest = words
    if name not in _WITH_SUBCOMMANDS or not rest or not _VERB.match(rest[0]) or (name, rest[0]) in _HANDS_ON:
        return ""
    if rest[0] in _NAMES_SCRIPT:
        return " ".join((name, *rest[:2])) if len(rest) > 1 and _VERB.match(rest[1]) else ""
    return f"{name} {rest[0]}"


# ---------------------------------------------------------------------------------------------- paths


def _of_path(tool: str, rated: Rated, ready: Ready) -> Iterator[Offer]:
    home = os.path.expanduser("~")
    path, does = rated.real, "writing" if rated.writes else "reading"
    yield Offer("exact", f"{tool}({_spelled(path, home)})", f"{does} {path}")
    folder = os.path.dirname(path)
    is_free = not protected(folder) and not protected(path) and folder not in ("/", home)
    if is_free and not is_vital(folder, home) and folder != ready.call.scope.workspace:
        yield Offer("path", f"{tool}({_spelled(folder, home)}/**)", f"{does} anything below {folder}")


def _spelled(path: str, home: str) -> str:
    """A whole path as a pattern, with `~` for the home."""
    if home != "/" and path.startswith(home + "/"):
        return "~" + literal_glob(path[len(home) :])
    return literal_glob(path)
