"""The verbs of `handiwork mcp` that write: add, remove, pin, trust, import."""

from __future__ import annotations

import json
import os
import time
from argparse import Namespace
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ...backends.trust.agreed import digest_of
from ...catalog.store import ToolRegistry
from ...core.errors import HandiworkError, UsageError
from ...core.loading import Late
from ...sources.mcp.settings import ServerSettings, problem_with_servers, read_servers
from ..config_file import set_value, write_text
from ..house import House
from ..servers import project_file
from .asking import is_attended, read_line
from .output import Output, columns, printable
from .parsing import Parser

if TYPE_CHECKING:
    from ...sources.mcp.host import Host

looking = Late("handiwork.apps.cli.mcp")
servers_of = Late("handiwork.apps.mcp_servers")
mcp_files = Late("handiwork.apps.mcp_files")
hosts = Late("handiwork.sources.mcp.host")
_ADD_S = 30.0


def configure_add(parser: Parser) -> None:
    """Flags of `add`, which are those that people know from other agents."""
    parser.mixes = True
    parser.usage = "handiwork mcp add NAME [flags] -- COMMAND ARG ..., or handiwork mcp add NAME [flags] URL"
    parser.add_argument("words", nargs="+", metavar="NAME COMMAND | URL")
    parser.add_argument("-t", "--transport", choices=("stdio", "http", "sse"))
    parser.add_argument("-e", "--env", action="append", default=[], metavar="K=V", help="a variable for the program")
    parser.add_argument("-H", "--header", action="append", default=[], metavar="K: V", help="a header for the service")
    parser.add_argument("-s", "--scope", choices=("user", "local", "project"), default="user")
    parser.add_argument("--cwd", help="the folder that the program starts in")
    parser.add_argument("--timeout", type=float, help="seconds that a call may be silent")
    parser.add_argument("--trust", action="store_true", help="believe what the server says of its tools")
    parser.add_argument("--no-test", action="store_true", help="save it without trying it out")


def configure_agree(parser: Parser) -> None:
    """Flags of `pin`."""
    parser.add_argument("name")
    configure_agree_all(parser)


def configure_agree_all(parser: Parser) -> None:
    """Flags of `trust`."""
    parser.add_argument("--yes", action="store_true", help="agree without being asked")


def configure_import(parser: Parser) -> None:
    """Flags of `import`."""
    parser.add_argument("file", nargs="?", help="a file of another agent (default: those in their usual places)")
    parser.add_argument("--dry-run", action="store_true", help="only show what would be taken over")


# -------------------------------------------------------------------------------------------- add, remove


def add(house: House, said: Namespace, out: Output) -> int:
    """Add one server, once it has been seen to work."""
    name, entry = said.words[0], _entry(said)
    problem = problem_with_servers({name: entry})
    if problem:
        raise UsageError(problem)
    if name in looking.host_of(house).servers:
        raise UsageError(f"there is an MCP server {name!r} already", f"handiwork mcp remove {name}")
    row = {} if said.no_test else _tried(house, read_servers({name: entry})[0], out)
    if row and row["state"] not in ("connected", "degraded"):
        raise HandiworkError(
            f"{name} was not added: it is {row['state']}: {row['reason']}",
            row["fix"] or "correct it, or add it as it is with --no-test",
        )
    path = _store_in_project(house, name, entry) if said.scope == "project" else _store(house, name, entry)
    lines = [f"{name} is added ({path})"] + ([f"  {row['tools']} tools, {row['tokens']:,} tokens"] if row else [])
    out.show({"server": name, "file": path, "test": row or None}, lines)
    return 0


def _entry(said: Namespace) -> dict[str, Any]:
    words = said.words[1:]
    if not words:
        raise UsageError("a server needs a command or a URL", "handiwork mcp add NAME -- COMMAND ARG ...")
    is_url = said.transport in ("http", "sse") or (len(words) == 1 and words[0].startswith(("http://", "https://")))
    if is_url and len(words) > 1:
        raise UsageError(f"one URL, not {len(words)} words", "handiwork mcp add --transport http NAME URL")
    entry: dict[str, Any] = {"url": words[0]} if is_url else {"command": words[0]}
    if words[1:]:
        entry["args"] = words[1:]
    more = {
        "transport": "sse" if said.transport == "sse" else None,
        "env": _pairs(said.env, "=", "-e K=V"),
        "headers": _pairs(said.header, ":", "-H 'Name: value'"),
        "cwd": said.cwd,
        "timeout": said.timeout,
        "trust": said.trust,
    }
    return entry | {key: value for key, value in more.items() if value}


def _pairs(words: Iterable[str], sign: str, form: str) -> dict[str, str]:
    pairs = [word.partition(sign) for word in words]
    for key, found, _ in pairs:
        if not found or not key.strip():
            raise UsageError(f"not a pair: {key!r}", f"write {form}")
    return {key.strip(): value.strip() for key, _, value in pairs}


def _tried(house: House, settings: ServerSettings, out: Output) -> dict[str, Any]:
    """Connect to a server that isn't configured yet; what came of it."""
    out.note(f"trying {settings.where} ...")
    began = time.monotonic()
    host: Host = hosts.Host(ToolRegistry(), [settings], home=house.home)
    try:
        host.check([settings.name], _ADD_S)
        row: dict[str, Any] = looking.row_of(host, settings.name)
    finally:
        host.close()
    row["seconds"] = round(time.monotonic() - began, 2)
    return row


def _store(house: House, name: str, entry: Mapping[str, Any]) -> str:
    return set_value(house.home, "mcp_servers", {**house.config.mcp_servers, name: dict(entry)})


def _store_in_project(house: House, name: str, entry: Mapping[str, Any]) -> str:
    """Into the project's file, in the words that other agents read; the person agrees to it by typing it."""
    path = project_file()
    trusted = servers_of.trusted_files(house.home)
    before = _bytes_of(path)
    agreed = not before or trusted.holds(path, digest_of(before))
    data = mcp_files.parse(path, before or b"{}")
    kind = {"type": entry.get("transport", "http")} if "url" in entry else {}
    own = {key: value for key, value in entry.items() if key != "transport"}
    data.setdefault("mcpServers", {})[name] = {**kind, **own}
    text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    write_text(path, text)
    if agreed:  # what else the file names was agreed to before
        trusted.add(path, digest_of(text.encode()))
    return path


def _bytes_of(path: str) -> bytes:
    if not os.path.exists(path):
        return b""
    with open(path, "rb") as file:
        return file.read()


def remove(house: House, said: Namespace, out: Output) -> int:
    """Take a server out of the file that names it, and forget what is known of it."""
    host = looking.host_of(house)
    name = looking.known_server(host, said.name)
    path = host.servers[name].source
    if name in house.config.mcp_servers:
        left = {n: entry for n, entry in house.config.mcp_servers.items() if n != name}
        path = set_value(house.home, "mcp_servers", left)
    else:
        raise UsageError(f"{name} is named by {path}", "take it out there")
    host.offering.knowledge.forget(name)
    out.show({"server": name, "file": path}, [f"{name} is removed ({path})"])
    return 0


# -------------------------------------------------------------------------------------------- agreeing


def pin(house: House, said: Namespace, out: Output) -> int:
    """Show how a server's tools have changed, and take them as they are."""
    host = looking.host_of(house)
    name = looking.known_server(host, said.name)
    host.check([name])
    state = host.state(name)
    if state.name not in ("connected", "degraded"):
        raise HandiworkError(f"{name} is {state.name}: {state.reason}", state.fix or f"handiwork mcp test {name}")
    settings, shelf = host.servers[name], host.offering.shelf(name)
    lines = host.offering.pins.diff(settings.identity, shelf.all_tools())
    for line in lines or ["nothing has changed"]:
        out.note(printable(line))
    if not (said.yes or not lines or _agrees(f"Take the tools of {name} as they are now?")):
        raise UsageError(f"the tools of {name} stay as they were", "agree at a terminal, or with --yes")
    host.agree(name)
    out.show({"server": name, "diff": lines, "tools": len(shelf.all_tools())}, [f"{name}: agreed"])
    return 0


def trust(house: House, said: Namespace, out: Output) -> int:
    """Show what a project's file would start, and let it."""
    path = project_file()
    if not os.path.isfile(path):
        raise UsageError(f"there is no {path}", "it is the file by which a project names its MCP servers")
    data = _bytes_of(path)
    found = mcp_files.read_data(path, data, os.path.dirname(path))
    rows = [{"name": s.name, "where": s.where} for s in read_servers(found.servers, path)]
    for line in columns([[row["name"], row["where"]] for row in rows]):
        out.note(printable(line))
    if not (said.yes or _agrees(f"Let {path} start these?")):
        raise UsageError("nothing is trusted", "agree at a terminal, or with --yes")
    servers_of.trusted_files(house.home).add(path, digest_of(data))
    out.show({"file": path, "servers": rows, "left": found.left}, [f"{path} is trusted as it is now"])
    return 0


def _agrees(question: str) -> bool:
    return is_attended() and read_line(f"{question} [y/N] ").strip().lower() in ("y", "yes")


# -------------------------------------------------------------------------------------------- importing


def take_over(house: House, said: Namespace, out: Output) -> int:
    """Put the servers of other agents' files into the configuration."""
    folder = os.path.dirname(project_file())
    paths = [said.file] if said.file else mcp_files.usual_files(folder)
    known = dict(house.config.mcp_servers)
    rows: list[dict[str, Any]] = []
    for path in paths:
        found = mcp_files.read_file(path, folder)
        rows += [_taken(path, name, entry, known) for name, entry in found.servers.items()]
        rows += [{"file": path, "name": n, "outcome": "left", "reason": why} for n, why in found.left.items()]
    new = any(row["outcome"] == "added" for row in rows)
    file = set_value(house.home, "mcp_servers", known) if new and not said.dry_run else None
    table = columns([[r["outcome"], r["name"], r.get("where") or r.get("reason") or "", r["file"]] for r in rows])
    last = [f"written to {file}"] if file else ["nothing was written (--dry-run)"] if new else []
    out.show({"servers": rows, "file": file}, map(printable, [*(table or ["no servers found"]), *last]))
    return 0


def _taken(path: str, name: str, entry: Mapping[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    settings = read_servers({name: entry})[0]
    outcome = "added"
    if name in known:
        outcome = "known" if read_servers({name: known[name]})[0].identity == settings.identity else "left"
    else:
        known[name] = dict(entry)
    reason = "another server has the name" if outcome == "left" else None
    return {"file": path, "name": name, "outcome": outcome, "where": settings.where, "reason": reason}
