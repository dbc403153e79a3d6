"""The command: all looks in their order, told in groups, mended where that is asked for."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from .... import __version__
from ....core.errors import ConfigError
from ....core.loading import Late
from ...house import House, default
from ..output import Output, printable
from ..parsing import Parser
from . import configuration, environment, guard, hooks, model, plugins, sandbox, secrets, servers, stores, tools, trust
from .finding import Finding, State

online = Late("handiwork.apps.cli.doctor.online")
mending = Late("handiwork.apps.cli.doctor.mending")
redaction = Late("handiwork.guard.redaction")
Look = Callable[[House], Iterable[Finding]]
LOOKS: tuple[Look, ...] = (
    configuration.look, model.look, sandbox.look, secrets.look, guard.look, tools.look, plugins.look, servers.look,
    trust.look, stores.look, hooks.look,
)  # fmt: skip
MARKS: Mapping[State, tuple[str, str]] = {"ok": ("✓", "green"), "warning": ("⚠", "yellow"), "problem": ("✗", "red")}
EXAMPLES = """\
examples:
  handiwork doctor
  handiwork doctor --online
  handiwork doctor --fix
exit code 1 when something is broken; what only needs setup is a warning
"""


def configure(parser: Parser) -> None:
    """Flags of `handiwork doctor`."""
    parser.epilog = EXAMPLES
    parser.add_argument("--online", action="store_true", help="also ask the model, the MCP servers and pip's index")
    parser.add_argument("--fix", action="store_true", help="mend what can be mended safely, after asking")
    parser.add_argument("--yes", action="store_true", help="with --fix: don't ask, save for what could lose something")


def run(said: Namespace, out: Output) -> int:
    """Look at everything; 1 if there is a problem."""
    findings = [*_found(said)]
    mended = mending.mend_all(findings, out, yes=said.yes) if said.fix else []
    if any(row["done"] for row in mended):
        findings = [*_found(said)]
    document = {"version": __version__, "findings": [*map(_document, findings)], "mended": mended}
    out.show(document, _lines(findings, out))
    return int(any(f.state == "problem" for f in findings))


def _found(said: Namespace) -> Iterator[Finding]:
    yield from environment.look()
    try:
        house = default()
    except ConfigError as error:
        yield Finding("configuration", "config", "problem", str(error), error.hint)
        return
    for look in (*LOOKS, *((online.look,) if said.online else ())):
        yield from look(house)


def _document(finding: Finding) -> dict[str, Any]:
    return {
        "group": finding.group,
        "name": finding.name,
        "state": finding.state,
        "detail": redaction.redact(finding.detail),
        "fix": redaction.redact(finding.fix),
        "mendable": finding.mend is not None,
    }


def _lines(findings: list[Finding], out: Output) -> Iterator[str]:
    group, told = "", set[str]()
    for finding in findings:
        if finding.group != group:
            group = finding.group
            yield out.paint(group, "bold")
        mark, colour = MARKS[finding.state]
        yield f"  {out.paint(mark, colour)} {printable(redaction.redact(f'{finding.name}: {finding.detail}'))}"
        if finding.fix and finding.fix not in told:  # said once, above
            yield f"      fix: {printable(redaction.redact(finding.fix))}"
        told.add(finding.fix)
