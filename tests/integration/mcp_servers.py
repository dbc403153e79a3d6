"""Real MCP servers of other people: installed once into a cache, started over stdio, asked for their tools."""

from __future__ import annotations

import json
import subprocess
import venv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .packages import CACHE, install, program_of

NPM = "@modelcontextprotocol/server-"


@dataclass(frozen=True, slots=True)
class Server:
    """A package that serves tools, how it is installed, and what it is started with."""

    name: str
    kind: str
    packages: tuple[str, ...]
    arguments: tuple[str, ...] = ()


SERVERS = (
    Server("everything", "npm", (f"{NPM}everything",)),
    Server("filesystem", "npm", (f"{NPM}filesystem",), arguments=("{folder}",)),
    Server("memory", "npm", (f"{NPM}memory",)),
    Server("sequential-thinking", "npm", (f"{NPM}sequential-thinking",)),
    Server("time", "pypi", ("mcp-server-time",)),
    Server("git", "pypi", ("mcp-server-git",)),
    Server("fetch", "pypi", ("mcp-server-fetch",)),
    Server("sqlite", "pypi", ("mcp-server-sqlite", "mcp<2"), ("--db-path", "{folder}/s.db")),
)


def command_of(server: Server, folder: Path) -> list[str]:
    """The program that serves, installed if it isn't yet. Raises `UnreachableError`."""
    arguments = [a.format(folder=folder) for a in server.arguments]
    if server.kind == "npm":
        return [str(program_of(server.packages[0], f"mcp-server-{server.name}")), *arguments]
    place = CACHE / "mcp" / server.name
    python = place / "bin" / "python"
    if not (place / ".ready").exists():
        venv.create(place, with_pip=True, clear=True)
        install([str(python), "-m", "pip", "install", "--quiet", *server.packages])
        (place / ".ready").touch()
    return [str(place / "bin" / f"mcp-server-{server.name}"), *arguments]


def list_tools(command: list[str]) -> list[dict[str, Any]]:
    """Start a server, shake hands, and give all tools that it lists."""
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            return list(_tools(_Talk(process)))
        finally:
            process.kill()


class _Talk:
    """JSON-RPC, one message a line."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process, self._count = process, 0

    def tell(self, method: str, **more: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", "method": method, **more}) + "\n")
        self._process.stdin.flush()

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._count += 1
        self.tell(method, id=self._count, params=params)
        assert self._process.stdout is not None
        for line in self._process.stdout:
            message = json.loads(line)
            if message.get("id") == self._count and "method" not in message:
                result: dict[str, Any] = message["result"]
                return result
        raise AssertionError(f"the server ended before it answered {method}")


def _tools(talk: _Talk) -> Iterator[dict[str, Any]]:
    about = {"name": "handiwork-tests", "version": "1"}
    talk.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about})
    talk.tell("notifications/initialized")
    cursor: dict[str, Any] = {}
    while True:
        page = talk.ask("tools/list", cursor)
        yield from page["tools"]
        if not page.get("nextCursor"):
            return
        cursor = {"cursor": page["nextCursor"]}
