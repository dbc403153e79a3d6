"""A server's tools in the registry: under names that keep them apart, with no more trust than it was given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import Any

from ...catalog.presets import ALIASES, ALL, COMPOSITES, SHIPPED
from ...catalog.store import ToolRegistry
from ...core.types import Handler, Touch, Traits
from .definitions import Definition
from .names import toolset_name
from .settings import ServerSettings

MakeHandler = Callable[[Definition], Handler]
_PATHS = frozenset(
    {"path", "paths", "file_path", "filepath", "filename", "directory", "dir", "folder", "repo_path", "file", "root"}
)
_PAIRS = (("source", "destination"), ("src", "dst"), ("from_path", "to_path"), ("old_path", "new_path"))
_URLS = frozenset({"url", "urls", "uri"})
_COMMANDS = frozenset({"command", "cmd", "shell_command", "commandline", "command_line"})


def is_wanted(settings: ServerSettings, tool: str) -> bool:
    """Whether the person wants a tool, by the name that the server gives it."""
    included = not settings.include or any(fnmatchcase(tool, pattern) for pattern in settings.include)
    return included and not any(fnmatchcase(tool, pattern) for pattern in settings.exclude)


def register(
    registry: ToolRegistry, settings: ServerSettings, tools: Mapping[str, Definition], make_handler: MakeHandler
) -> dict[str, str]:
    """Make the registry hold exactly *tools* of this server, by their names here; what it refused, and why."""
    toolset, origin = toolset_name(settings.name), f"mcp:{settings.name}"
    known = registry.members(toolset)
    for name in known.keys() - tools.keys():
        registry.deregister(name)
    for name, definition in tools.items():
        registry.register(
            name,
            toolset,
            {"name": name, "description": definition.description, "parameters": definition.parameters},
            make_handler(definition),
            is_async=True,
            traits=traits_of(settings, definition),
            output_schema=definition.output_schema,
            defer=definition.is_verb,
            origin=origin,
            search_hint=f"{settings.name} {definition.tool}",
        )
    missing = [name for name in tools if (entry := registry.get(name)) is None or entry.origin != origin]
    return {name: registry.rejections(name)[-1].reason for name in missing if registry.rejections(name)}


def announce(registry: ToolRegistry, server: str) -> None:
    """Say that a server's toolset may come. Its own name stands for it, unless that names something else here."""
    toolset = toolset_name(server)
    registry.announce_toolset(toolset)
    taken = {*registry.aliases(), *registry.toolsets(), *SHIPPED, *COMPOSITES, *ALIASES, ALL}
    if server not in taken:
        registry.register_toolset_alias(server, toolset)


def traits_of(settings: ServerSettings, definition: Definition) -> Traits:
    """What policy may know of a tool. Hints that would loosen something count only where the person trusts them."""
    if definition.is_verb:
        return Traits(effect="read", read_only=True, open_world=True, vouched=True)
    hints = definition.annotations
    trusted = settings.trust
    return Traits(
        read_only=trusted and hints.get("readOnlyHint") is True,
        destructive=not trusted and hints.get("destructiveHint") is True,
        idempotent=trusted and hints.get("idempotentHint") is True,
        open_world=True,
        vouched=True,
        touches=touches_of(definition.parameters, local=settings.kind == "stdio"),
    )


def touches_of(parameters: Mapping[str, Any], *, local: bool) -> dict[str, Touch]:
    """What the arguments are, by their names. A path of a server elsewhere is none of this machine's."""
    properties = parameters.get("properties")
    names = {n for n, schema in properties.items() if _holds_text(schema)} if isinstance(properties, Mapping) else set()
    found: dict[str, Touch] = dict.fromkeys(names & _URLS, "url")
    if local:
        found |= dict.fromkeys(names & _PATHS, "path")
        found |= {name: "path" for pair in _PAIRS if names.issuperset(pair) for name in pair}
        found |= dict.fromkeys(names & _COMMANDS, "command")
    return found


def _holds_text(schema: Any) -> bool:
    if not isinstance(schema, Mapping):
        return False
    items = schema.get("items")
    return schema.get("type") in ("string", None) or (isinstance(items, Mapping) and items.get("type") == "string")
