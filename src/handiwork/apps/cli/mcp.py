"""`handiwork mcp`: the servers of tools, their state, and what they offer; `mcp_changing` has the verbs that write."""

from __future__ import annotations

import os
import time
from argparse import Namespace
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...core.errors import UnknownNameError, UsageError
from ...core.loading import Late
from ..house import House, default
from . import mcp_changing as changing
from . import mcp_login as signing
from .output import Output, columns, printable
from .parsing import Parser, add_verbs

if TYPE_CHECKING:
    from ...sources.mcp.definitions import Definition
    from ...sources.mcp.host import Host

cost = Late("handiwork.catalog.cost")
hosts = Late("handiwork.apps.mcp_servers")
redaction = Late("handiwork.guard.redaction")
TEST_S = 10.0
_MOST_LOG_BYTES = 64 * 1024
EXAMPLES = """\
  handiwork mcp add files -- npx -y @modelcontextprotocol/server-filesystem .
  handiwork mcp add --transport http docs https://example.com/mcp
  handiwork mcp list --check
  handiwork mcp test files
  handiwork mcp import --dry-run
"""


def configure(parser: Parser) -> None:
    """The verbs of `handiwork mcp`."""
    add_verbs(
        parser,
        {
            "list": ("the servers, their state, and what is amiss", _configure_list),
            "tools": ("what a server offers, holds back, and gets refused", _configure_name),
            "test": ("connect to a server now; exit code 1 when that fails", _configure_name),
            "logs": ("what a server wrote on standard error", _configure_name),
            "login": ("log in to a server that is a web service", signing.configure_login),
            "logout": ("forget the login to a server", _configure_name),
            "add": ("add a server: a command or a URL, tried out first", changing.configure_add),
            "remove": ("remove a server", _configure_name),
            "pin": ("agree to a server's tools as they are now", changing.configure_agree),
            "trust": ("agree to the servers that a project's .mcp.json names", changing.configure_agree_all),
            "import": ("take over the servers of other agents' files", changing.configure_import),
        },
        EXAMPLES,
    )


def _configure_list(parser: Parser) -> None:
    parser.add_argument("--check", action="store_true", help="connect to each server first")


def _configure_name(parser: Parser) -> None:
    parser.add_argument("name")


def run(said: Namespace, out: Output) -> int:
    """Run one verb."""
    house = default()
    try:
        return _VERBS[said.verb](house, said, out)
    finally:
        house.close()


# ------------------------------------------------------------------------------------------- looking


def host_of(house: House) -> Host:
    """The house's servers; none configured is a host without any."""
    host: Host = house.servers.host or hosts.open_host(house)
    return host


def known_server(host: Host, name: str) -> str:
    """The name, if a server has it. Raises `UnknownNameError` with near names."""
    if name not in host.servers:
        raise UnknownNameError("MCP server", name, host.servers, "see `handiwork mcp list`")
    return name


def _list(house: House, said: Namespace, out: Output) -> int:
    host = host_of(house)
    if said.check:
        host.check(host.servers)
    rows = [row_of(host, name) for name in host.servers]
    table = [["SERVER", "STATE", "TOOLS", "TOKENS", ""]]
    table += [[r["name"], r["state"], str(r["tools"]), f"{r['tokens']:,}", _remark(r)] for r in rows]
    lines = columns(table) if rows else ["no servers; `handiwork mcp add NAME -- COMMAND` adds one"]
    out.show({"servers": rows}, map(printable, lines))
    return 0


def row_of(host: Host, name: str) -> dict[str, Any]:
    """One server as data: what it is, in which state, and what it offers."""
    settings, state, shelf = host.servers[name], host.state(name), host.offering.shelf(name)
    known = host.known.get(name)
    return {
        "name": name,
        "kind": settings.kind,
        "where": redaction.redact(settings.where),
        "source": settings.source,
        "trust": settings.trust,
        "state": state.name,
        "reason": state.reason or None,
        "fix": state.fix or None,
        "since": state.since or None,
        "last": {"state": known.state.name, "reason": known.state.reason, "at": known.state.since} if known else None,
        "tools": len(shelf.offered),
        "held": sorted(d.tool for d in shelf.held.values()),
        "refused": {r.tool: r.reason for r in shelf.refused},
        "notes": list(shelf.notes),
        "tokens": tokens_of(shelf.offered.values()),
    }


def tokens_of(tools: Iterable[Definition]) -> int:
    """What a model pays for these tools in each request."""
    return sum(
        cost.estimate(cost.definition_text({"name": d.name, "description": d.description, "parameters": d.parameters}))
        for d in tools
    )


def _remark(row: dict[str, Any]) -> str:
    last = row["last"]
    if row["state"] == "idle" and last:
        reason = f": {last['reason']}" if last["reason"] else ""
        return f"{last['state']} {_ago(last['at'])}{reason}"
    return "; ".join(x for x in (row["reason"], row["fix"]) if x)


def _ago(at: float) -> str:
    seconds = max(time.time() - at, 0)
    size, unit = next((s, u) for s, u in ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s")) if seconds >= s or s == 1)
    return f"{seconds / size:.0f} {unit} ago"


def _tools(house: House, said: Namespace, out: Output) -> int:
    host = host_of(house)
    name = known_server(host, said.name)
    if name not in host.known:
        host.check([name])
    shelf = host.offering.shelf(name)
    held = [{"name": d.name, "tool": d.tool, "state": "held"} for d in shelf.held.values()]
    refused = [{"name": None, "tool": r.tool, "state": "refused", "reason": r.reason} for r in shelf.refused]
    rows = [_tool_row(d) for d in shelf.offered.values()] + held + refused
    lines = columns([[r["name"] or "-", r["tool"], _first_line(r)] for r in rows])
    notes = [f"note: {note}" for note in shelf.notes]
    out.show({"server": name, "tools": rows, "notes": list(shelf.notes)}, map(printable, [*lines, *notes]))
    return 0


def _tool_row(definition: Definition) -> dict[str, Any]:
    return {
        "name": definition.name,
        "tool": definition.tool,
        "state": "offered",
        "description": definition.description,
        "parameters": definition.parameters,
        "annotations": definition.annotations,
        "notes": list(definition.notes),
    }


def _first_line(row: dict[str, Any]) -> str:
    said = row.get("reason") or row.get("description", "").partition("\n")[0]
    notes = "; ".join(row.get("notes", ()))
    return f"{'' if row['state'] == 'offered' else row['state'] + ': '}{said}" + (f"  ({notes})" if notes else "")


def _test(house: House, said: Namespace, out: Output) -> int:
    host = host_of(house)
    name = known_server(host, said.name)
    began = time.monotonic()
    host.check([name], TEST_S)
    row = row_of(host, name)
    row["seconds"] = round(time.monotonic() - began, 2)
    out.show(row, tested(host, row))
    return 0 if row["state"] in ("connected", "degraded") else 1


def tested(host: Host, row: dict[str, Any]) -> list[str]:
    """What a test found, for people."""
    lines = [f"{row['name']}  {row['state']}  {row['tools']} tools  {row['seconds']:.1f} s"]
    lines += [f"  {row[key]}" for key in ("reason", "fix") if row[key]]
    running = host.supervisor(row["name"]) if row["state"] not in ("disabled", "held") and not host.problem else None
    tail = running.log.tail.splitlines()[-10:] if running and row["state"] not in ("connected", "degraded") else []
    return [printable(line) for line in [*lines, *(f"  | {line}" for line in tail)]]


def _logs(house: House, said: Namespace, out: Output) -> int:
    host = host_of(house)
    path = host.log_path(known_server(host, said.name))
    if not os.path.exists(path):
        raise UsageError(f"{said.name} has written nothing yet", f"handiwork mcp test {said.name}")
    with open(path, "rb") as file:
        file.seek(max(os.path.getsize(path) - _MOST_LOG_BYTES, 0))
        text = redaction.redact(file.read().decode("utf-8", "replace"))
    out.show({"server": said.name, "file": path, "text": text}, [printable(text.rstrip("\n"))])
    return 0


_VERBS = {
    "list": _list,
    "tools": _tools,
    "test": _test,
    "logs": _logs,
    "login": signing.log_in,
    "logout": signing.log_out,
    "add": changing.add,
    "remove": changing.remove,
    "pin": changing.pin,
    "trust": changing.trust,
    "import": changing.take_over,
}
