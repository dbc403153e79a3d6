"""Causes for which a tool isn't visible, each put into a real home, with what `why` must say and how it is mended.

A cause is a function that takes the `World` in which it is made, and gives a `Told`.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

SERVER = """\
from mcp.server.mcpserver import MCPServer
server = MCPServer("dice", log_level="ERROR")

@server.tool(name={name!r})
def roll(sides: int = 6) -> int:
    \"\"\"{text}\"\"\"
    return sides

server.run("stdio")
"""


def tool_text(name: str, toolset: str = "own", **keywords: str) -> str:
    """The text of a plugin with one tool; *keywords* are as they are written."""
    more = "".join(f", {key}={value}" for key, value in keywords.items())
    schema = {"name": name, "description": "A tool.", "parameters": {"type": "object", "properties": {}}}
    words = f"name={name!r}, toolset={toolset!r}, schema={schema!r}, handler=lambda args, **_: 'x'{more}"
    return f"from handiwork import registry\nfrom handiwork.core.types import Requires\nregistry.register({words})\n"


@dataclass
class World:
    """A home, a project, a folder for programs and one for modules, and the command line on them."""

    cli: Callable[..., Any]
    home: Path
    project: Path
    programs: Path
    modules: Path
    setenv: Callable[[str, str], None]
    undo: list[Callable[[], None]] = field(default_factory=list)

    def plugin(self, name: str, text: str) -> Path:
        return self.write(self.home / "plugins" / f"{name}.py", text)

    def of_project(self, name: str, text: str) -> Path:
        return self.write(self.project / ".handiwork" / "plugins" / f"{name}.py", text)

    def write(self, path: Path, text: str) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def configure(self, **said: Any) -> None:
        self.write(self.home / "config.yaml", yaml.safe_dump(said))

    def program(self, name: str) -> None:
        self.write(self.programs / name, "#!/bin/sh\n").chmod(0o755)

    def server(self, text: str = "Roll a die.", name: str = "roll", **more: Any) -> None:
        """A server of MCP called `dice`, of which nobody knows yet."""
        path = self.write(self.modules / "dice_server.py", SERVER.format(name=name, text=text))
        self.configure(mcp_servers={"dice": {"command": sys.executable, "args": [str(path)], **more}})

    def package(self, name: str, entry: str, text: str) -> Path:
        """An installed package that is a plugin."""
        about = f"[handiwork.plugins]\n{entry} = {name}\n"
        self.write(self.modules / f"{name}-1.0.dist-info" / "entry_points.txt", about)
        return self.write(self.modules / f"{name}.py", text)


@dataclass
class Told:
    """What `why TOOL` must say: the checkpoint, words of the reason, words of the fix; and how the fix is followed.

    *follow* None carries the fix out as it is written: a command, or a variable that is set.
    """

    tool: str
    at: str
    says: str
    fix: str = ""
    follow: Callable[[str], Any] | None = None
    then: str = ""
    flags: tuple[str, ...] = ()


def carry_out(world: World, fix: str) -> None:
    """Do what a fix says, with a yes where a command asks a person."""
    if fix.startswith("export "):
        name, _, _ = fix.removeprefix("export ").partition("=")
        world.setenv(name, "a value")
        return
    assert "handiwork " in fix, f"no command: {fix}"
    words = shlex.split(fix[fix.index("handiwork ") :])[1:]
    asks = words[1:2] in (["trust"], ["pin"]) and words[0] != "policy"
    ran = world.cli(*words, *(["--yes"] if asks else []))
    assert ran.code == 0, (fix, ran.err)


CAUSES: list[Callable[[World], Told]] = []


def cause(make: Callable[[World], Told]) -> Callable[[World], Told]:
    CAUSES.append(make)
    return make
