"""What a server has beside tools, as tools: its resources and its prompts, where there are any."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ...core.types import Schema
from .definitions import Definition
from .names import tool_name

_TEXT: Schema = {"type": "string"}
_URI: Schema = {"type": "string", "description": "As list_resources gives it, or a template filled in"}
_WATCH: Schema = {"type": "boolean", "default": False, "description": "Be told when it changes"}
_ARGUMENTS: Schema = {"type": "object", "additionalProperties": _TEXT, "default": {}}


@dataclass(frozen=True, slots=True)
class Verb:
    """A tool that every server has which has what it is about. `needs` is the capability."""

    name: str
    needs: str
    description: str
    properties: Mapping[str, Schema]
    required: tuple[str, ...] = ()


VERBS = {
    verb.name: verb
    for verb in (
        Verb("list_resources", "resources", "The resources of the MCP server {0!r}, and templates of them.", {}),
        Verb("read_resource", "resources", "Read a resource of the MCP server {0!r}.", {"uri": _URI}, ("uri",)),
        Verb("list_prompts", "prompts", "The prompts of the MCP server {0!r}, with their arguments.", {}),
        Verb(
            "get_prompt",
            "prompts",
            "A prompt of the MCP server {0!r}, filled in.",
            {"name": _TEXT, "arguments": _ARGUMENTS},
            ("name",),
        ),
        Verb(
            "complete",
            "completions",
            "What an argument of a prompt, or of a resource template, of the MCP server {0!r} could be.",
            {"prompt_or_template": _TEXT, "argument": _TEXT, "begins": {"type": "string", "default": ""}},
            ("prompt_or_template", "argument"),
        ),
    )
}


def verbs_of(server: str, has: Collection[str], *, can_watch: bool) -> list[Definition]:
    """The verbs of a server that *has* some of `resources`, `prompts` and `completions`."""
    return [_definition(server, verb, can_watch=can_watch) for verb in VERBS.values() if verb.needs in has]


def _definition(server: str, verb: Verb, *, can_watch: bool) -> Definition:
    watch = {"watch": _WATCH} if can_watch and verb.name == "read_resource" else {}
    properties = {**verb.properties, **watch}
    parameters = {
        "type": "object",
        "properties": properties,
        "required": list(verb.required),
        "additionalProperties": False,
    }
    said = verb.description.format(server)
    raw = {"name": verb.name, "description": said, "inputSchema": parameters}
    return Definition(verb.name, tool_name(server, verb.name), said, parameters, raw, is_verb=True)
