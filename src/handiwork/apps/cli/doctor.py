"""`handiwork doctor`: what works here, what doesn't, and what would mend it."""

from __future__ import annotations

import os
import platform
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Literal

from ... import __version__
from ...catalog.gate import find_program
from ...catalog.supply import View
from ...core.config import home_folder
from ...core.errors import ConfigError, HandiworkError, UnknownNameError
from ...core.loading import Late
from ...core.sandbox import limits_in
from ...core.types import Schema
from ..bindings import unbound
from ..house import House, default
from .output import Output
from .parsing import Parser
from .selection import PRESET

agents = Late("handiwork.apps.agents")
dialects = Late("handiwork.catalog.dialects.definitions")
cost = Late("handiwork.catalog.cost")
imports = Late("handiwork.apps.hook_imports")
record = Late("handiwork.apps.hook_record")
tracing = Late("handiwork.apps.tracing")
embeddings = Late("handiwork.backends.embeddings.extra")
places = Late("handiwork.backends.environment.table")
enforcement = Late("handiwork.backends.environment.sandboxes.enforcement")
taps = Late("handiwork.backends.environment.secrets.extra")
vault = Late("handiwork.backends.environment.secrets.vault")
strengths = Late("handiwork.backends.environment.sandboxes.strength")
State = Literal["ok", "warning", "problem"]
_MARKS = {"ok": ("✓", "green"), "warning": ("⚠", "yellow"), "problem": ("✗", "red")}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    group: str
    name: str
    state: State
    detail: str
    fix: str = ""


def configure(parser: Parser) -> None:
    """`doctor` has the common flags only."""
    parser.epilog = "exit code 1 when something is broken; a tool that needs setup is only a warning"


def run(said: Namespace, out: Output) -> int:
    """Look at everything; 1 if there is a problem."""
    findings = [*_environment()]
    try:
        house = default()
    except ConfigError as error:
        findings.append(Finding("configuration", "config", "problem", str(error), error.hint))
    else:
        for look in (
            *(_configuration, _sandbox, _secrets, _guard, _model, _tools, _servers, _wells, _hooks, _traces, _running),
        ):
            findings += look(house)
    out.show({"version": __version__, "findings": [asdict(f) for f in findings]}, _lines(findings, out))
    return int(any(f.state == "problem" for f in findings))


def _lines(findings: list[Finding], out: Output) -> Iterator[str]:
    group = ""
    for finding in findings:
        if finding.group != group:
            group = finding.group
            yield out.paint(group, "bold")
        mark, colour = _MARKS[finding.state]
        yield f"  {out.paint(mark, colour)} {finding.name}: {finding.detail}"
        if finding.fix:
            yield f"      fix: {finding.fix}"


def _servers(house: House) -> Iterator[Finding]:
    """The MCP servers as they were last: doctor starts none."""
    host = house.servers.host
    if host is None:
        return
    for name in host.servers:
        state, known = host.state(name), host.known.get(name)
        last = known.state if known and state.name == "idle" else state
        is_fine = last.name in ("connected", "idle", "disabled")
        said = f"{last.name}{f': {last.reason}' if last.reason else ''}"
        fix = last.fix or f"handiwork mcp test {name}"
        yield Finding("MCP servers", name, "ok" if is_fine else "warning", said, "" if is_fine else fix)


def _environment() -> Iterator[Finding]:
    versions = f"{__version__}, Python {platform.python_version()}, {sys.platform}"
    yield Finding("environment", "handiwork", "ok", versions)
    home = home_folder()
    probe = home
    while not os.path.lexists(probe) and probe != os.path.dirname(probe):
        probe = os.path.dirname(probe)
    if os.path.isdir(probe) and os.access(probe, os.W_OK):
        yield Finding("environment", "home", "ok", home)
    else:
        fix = f"make {home} writable, or set HANDIWORK_HOME"
        yield Finding("environment", "home", "warning", f"{home} can't be written: nothing is kept", fix)
    shell = find_program("bash") or find_program("sh")
    yield Finding("environment", "shell", "ok" if shell else "problem", shell or "neither bash nor sh on PATH")


def _configuration(house: House) -> Iterator[Finding]:
    path = os.path.join(house.home, "config.yaml")
    yield Finding("configuration", "config", "ok", path if os.path.exists(path) else "none; defaults hold")
    for key in ("toolsets", "disabled_toolsets"):
        for name in getattr(house.config, key):
            if not _is_toolset(house, name):
                yield Finding("configuration", key, "problem", f"unknown toolset {name!r}", f"correct {key} in {path}")
    for made in house.toolsets.composites():
        missing = house.toolsets.expand((made.name,)).missing
        if missing and made.name in house.config.custom_toolsets:
            detail = f"{made.name} names what isn't there: {', '.join(sorted(missing))}"
            yield Finding("configuration", "custom toolset", "warning", detail, f"correct it in {path}")


def _sandbox(house: House) -> Iterator[Finding]:
    """Where commands run, what is kept from them there and what not, and why it isn't a stronger place."""
    wanted = house.config.sandbox
    if ":" in wanted.backend:
        yield Finding("sandbox", "place", "ok", f"{wanted.backend}: commands have the rights of the account there")
        return
    try:
        choice = places.choose(wanted.backend, house.home)
    except HandiworkError as error:
        yield Finding("sandbox", "place", "problem", str(error), error.hint)
        return
    held = strengths.strength_of(choice.name, places.policy_of(wanted))
    bare = not held.keeps
    if bare and (limits := limits_in(wanted)):
        said = f"none, and nothing would keep {', '.join(limits)}: no command runs"
        yield Finding("sandbox", "place", "problem", said, "install the package bubblewrap, or take these out")
        return
    fix = "install the package bubblewrap, or approve with care" if bare else ""
    yield Finding("sandbox", "place", "warning" if bare else "ok", "none" if bare else choice.name, fix)
    for sentence in held.keeps:
        yield Finding("sandbox", "keeps", "ok", sentence)
    for sentence in held.leaves:
        yield Finding("sandbox", "leaves open", "warning", sentence)
    for name, reason in choice.missing.items():
        yield Finding("sandbox", name, "warning", f"isn't used: {reason}", places.REMEDIES[name])


def _secrets(house: House) -> Iterator[Finding]:
    """Which hosts get which secrets, and whether commands are kept from their values."""
    known = house.config.secrets
    if not known:
        return
    if problem := taps.missing():
        yield Finding("secrets", "bound", "problem", problem, taps.FIX)
    with suppress(HandiworkError):  # told above
        wanted = house.config.sandbox
        place = wanted.backend if ":" in wanted.backend else places.choose(wanted.backend, house.home).name
        if loose := taps.looseness(place, wanted.network):
            yield Finding("secrets", "place", "warning", loose, "use bubblewrap or landlock, with a network")
    for secret in known:
        to, parts = ", ".join(secret.hosts), ", ".join(secret.places)
        if secret.kind == "command":
            yield Finding("secrets", secret.name, "ok", f"from a command, to {to} ({parts})")
            continue
        try:
            vault.read_value(secret)
        except HandiworkError as error:
            yield Finding("secrets", secret.name, "problem", str(error), error.hint)
        else:
            yield Finding("secrets", secret.name, "ok", f"from {secret.kind} {secret.source}, to {to} ({parts})")


def _guard(house: House) -> Iterator[Finding]:
    """What the kernel holds commands to, what only rules do, and whether it is put on record."""
    wanted = house.config.sandbox
    careless = house.config.mode == "yolo"
    fix = "handiwork config set mode accept-edits" if careless else ""
    yield Finding("guard", "mode", "warning" if careless else "ok", house.config.mode, fix)
    with suppress(HandiworkError):  # told above, and then no command runs
        name = wanted.backend if ":" in wanted.backend else places.choose(wanted.backend, house.home).name
        for held in enforcement.enforced_in(name, places.policy_of(wanted)):
            state: State = "warning" if held.by == "rules" else "ok"
            fix = _STRONGER[held.subject] if state == "warning" else ""
            yield Finding("guard", held.subject, state, f"{_BY[held.by]}: {held.how}", fix)
    yield _record(house)


_STRONGER = {
    "files": "install the package bubblewrap, or approve with care",
    "network": "set sandbox: {network: off}, or a list of hosts, in config.yaml; see docs/sandbox.md",
    "processes": "install the package bubblewrap",
}
_BY = {"kernel": "by the kernel", "rules": "by rules only", "nobody": "by nobody"}


def _record(house: House) -> Finding:
    if house.audit is None:
        return Finding("guard", "record", "warning", "calls aren't put on record", "handiwork config set audit true")
    path = os.path.join(house.home, "audit.jsonl")
    needed = ", and none runs that can't be" if house.config.audit == "required" else ""
    there = path if os.path.exists(path) else house.home
    if os.access(there, os.W_OK) or not os.path.exists(there):
        return Finding("guard", "record", "ok", f"calls are put on record in {path}{needed}")
    return Finding("guard", "record", "warning", f"{path} can't be written{needed}", f"make {there} writable")


def _is_toolset(house: House, name: str) -> bool:
    try:
        house.toolsets.expand((name,))
    except UnknownNameError:
        return False
    return True


def _model(house: House) -> Iterator[Finding]:
    chosen = os.environ.get("HANDIWORK_MODEL") or house.config.model or os.environ.get("HANDIWORK_BASE_URL")
    try:
        agents.choose_model(house, None)
    except HandiworkError as error:
        yield Finding("model", "model", "problem" if chosen else "warning", str(error), error.hint)
    else:
        yield Finding("model", "model", "ok", chosen or house.config.base_url)


def _tools(house: House) -> Iterator[Finding]:
    enabled, disabled = (
        [name for name in names if _is_toolset(house, name)]
        for names in (house.config.toolsets, house.config.disabled_toolsets)
    )
    view = house.supply.view(enabled or (PRESET,), disabled)
    yield Finding("tools", "visible", "ok", f"{_shown(view)} of {len(house.registry.entries())} tools")
    yield from _cost(house, view.definitions)
    yield from _search(house)
    for entry in view.entries:
        if closed := view.closed.get(entry.name):
            yield Finding("tools", entry.name, "warning", closed.reason, closed.fix)
    yield from _unsayable(view.definitions)


def _shown(view: View) -> int:
    names = {d["function"]["name"] for d in view.definitions}
    return sum(e.name in names and unbound(e) is None for e in view.entries)


def _unsayable(definitions: list[Schema]) -> Iterator[Finding]:
    """Tools whose schemas some API doesn't take, so that its models never see them."""
    for dialect in dialects.DIALECTS:
        for name, reason in dialects.Definer().of(definitions, dialect).quarantined.items():
            fix = "correct its schema where it is defined"
            yield Finding("tools", name, "warning", f"can't be offered to {dialect} models: {reason}", fix)


def _cost(house: House, definitions: list[Schema]) -> Iterator[Finding]:
    context = house.config.context_tokens
    if not context:
        return
    tokens = sum(cost.estimate(cost.definition_text(d["function"])) for d in definitions)
    said = f"about {tokens:,} tokens, {tokens / context:.0%} of the context of {context:,}"
    if tokens * 10 > context:
        fix = (
            "disable a toolset (`handiwork tools definitions --cost` shows the dear ones), or lower tools_budget_tokens"
        )
        yield Finding("tools", "cost", "warning", said, fix)
    else:
        yield Finding("tools", "cost", "ok", said)


def _search(house: House) -> Iterator[Finding]:
    if not house.config.tool_search_embeddings:
        return
    if reason := embeddings.missing():
        yield Finding("tools", "search", "warning", reason, embeddings.FIX)
    else:
        languages = ", across languages" if embeddings.knows_languages() else ""
        yield Finding("tools", "search", "ok", f"by words and by meaning{languages}")


def _wells(house: House) -> Iterator[Finding]:
    for file in house.harvest.loaded:
        if file.error:
            yield Finding(
                "plugins", file.name, "problem", f"{file.place} failed to load: {file.error}", f"mend {file.path}"
            )
    if waiting := house.plugins.waiting:
        said = waiting.reason or f"{len(waiting.found)} files aren't run: you haven't said that you trust them"
        yield Finding("plugins", waiting.folder, "warning", said, "handiwork plugins trust")
    for rejection in house.registry.rejections():
        fix = f"rename the tool, or remove {rejection.origin} (or override=True there, and plugins_override)"
        yield Finding("plugins", rejection.name, "warning", f"registration refused: {rejection}", fix)


def _hooks(house: House) -> Iterator[Finding]:
    """Hooks that nothing calls, that are for no tool, or that failed in the last week; none is started for this."""
    for hook in house.hooks.never_called():
        fix = f"correct the name in {hook.source.partition(':')[2] or hook.source}; see docs/hooks.md"
        yield Finding("hooks", hook.name, "warning", f"nothing calls this hook of {hook.source}", fix)
    for label, matcher in imports.idle_matchers(house):
        yield Finding("hooks", label, "warning", f"its matcher {matcher!r} fits no tool that is there", "correct it")
    for failed in record.HookRecord(house.home).recent():
        fix = _ON_EXIT_1 if "exited with code" in failed.last else f"handiwork hooks test {failed.who.split()[0]}"
        yield Finding("hooks", failed.who, "warning", f"failed {failed.count} times lately: {failed.last}", fix)


_ON_EXIT_1 = "exit 2 says no, 0 has no objection; a guard that fails says no, unless it has `on_error: allow`"


def _traces(house: House) -> Iterator[Finding]:
    """Where spans go, or why they don't, for whoever asks for them."""
    if tracing.is_wanted(house, os.environ):
        problem, fix = tracing.problem_here(os.environ)
        yield Finding("traces", "otel", "warning" if problem else "ok", problem or "sent to a collector", fix)


def _running(house: House) -> Iterator[Finding]:
    for name in house.pipeline.workers.held():
        yield Finding("running", name, "warning", "a call hangs; the tool is held until it returns")
