"""What a project brings, and what waits for the person's trust: plugins, servers, rules, skills."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ....core.loading import Late
from ....guard.workspace import find_workspace
from ...house import House
from .finding import Finding

shelves = Late("handiwork.backends.skills.shelf")
ledgers = Late("handiwork.backends.trust.ledger")
GROUP = "trust"


def look(house: House) -> Iterator[Finding]:
    """Each kind of thing that waits, with the command that shows it and asks."""
    waiting = [*_plugins(house), *_servers(house), *_rules(house), *_skills(house)]
    yield from waiting or (Finding(GROUP, "project", "ok", "nothing waits for trust"),)


def _plugins(house: House) -> Iterator[Finding]:
    if waiting := house.plugins.waiting:
        files = ", ".join(os.path.basename(found.path) for found in waiting.found)
        untrusted = f"{waiting.folder}: {files or 'its files'} aren't run: you haven't said that you trust them"
        said = waiting.reason or untrusted
        yield Finding(GROUP, "plugins", "warning", said, "handiwork plugins trust")


def _servers(house: House) -> Iterator[Finding]:
    host = house.servers.host
    held = [server for server in host.servers.values() if server.held] if host else []
    if held:
        said = f"{held[0].held}: {', '.join(server.name for server in held)}"
        yield Finding(GROUP, "MCP servers", "warning", said, "handiwork mcp trust")


def _rules(house: House) -> Iterator[Finding]:
    ignored = house.rules.ignored(find_workspace(os.getcwd())) if house.rules else []
    if ignored:
        said = f"rules of the project that would allow something are ignored: {', '.join(ignored)}"
        yield Finding(GROUP, "rules", "warning", said, "handiwork policy trust")


def _skills(house: House) -> Iterator[Finding]:
    wells = [well for well in shelves.wells_for(house.home, find_workspace(os.getcwd())) if well.path.is_dir()]
    if not wells:
        return
    for skill in shelves.Shelf(wells, ledgers.Ledger(Path(house.home, "skills-trust.json"))).all():
        if skill.state == "untrusted":
            said = f"{skill.where} isn't shown to a model: you haven't said that you trust it"
            yield Finding(GROUP, f"skill {skill.name}", "warning", said, f"handiwork skills trust {skill.name}")
        elif skill.state == "broken":
            said = f"{skill.where} can't be used: {'; '.join(skill.text.errors)}"
            yield Finding(
                GROUP, f"skill {skill.name}", "warning", said, f"mend it: handiwork skills validate {skill.folder}"
            )
