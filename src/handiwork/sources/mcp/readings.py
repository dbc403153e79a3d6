"""Resources and prompts: listed, read, filled in and watched, each answered like a call of a tool."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from mcp.shared.exceptions import MCPError
from mcp_types import (
    METHOD_NOT_FOUND,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    PromptReference,
    ResourceTemplateReference,
    TextContent,
)
from pydantic import ValidationError

from .faults import LateError

if TYPE_CHECKING:
    from .connection import Connection

_MOST_PAGES = 50
_LOOK_S = 3.0
Args: TypeAlias = Mapping[str, Any]


async def what_there_is(connection: Connection) -> frozenset[str]:
    """Which of `resources`, `prompts` and `completions` a server has; many say that they have all, and have none."""
    client, found = connection.client, set()
    says = client.server_capabilities
    try:
        async with asyncio.timeout(_LOOK_S):
            if says.resources is not None and (
                await _first(connection, client.list_resources, "resources")
                or await _first(connection, client.list_resource_templates, "resource_templates")
            ):
                found.add("resources")
            if says.prompts is not None and await _first(connection, client.list_prompts, "prompts"):
                found.add("prompts")
    except (TimeoutError, LateError):  # its tools are worth more than this answer
        return frozenset(found)
    return frozenset(found | ({"completions"} if found and says.completions is not None else set()))


async def _first(connection: Connection, list_page: Callable[..., Any], field: str) -> bool:
    """Whether anything is listed. An error is a no."""
    try:
        return bool(getattr(await connection.ask(list_page(cursor=None)), field))
    except (MCPError, ValidationError):
        return False


async def answer(connection: Connection, verb: str, args: Args) -> CallToolResult:
    """What a verb gives. Raises what `Connection.ask` does."""
    return await _ANSWERS[verb](connection, args)


def _result(blocks: Iterable[ContentBlock | str]) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=b) if isinstance(b, str) else b for b in blocks])


async def _pages(connection: Connection, list_page: Callable[..., Any], field: str) -> list[Any]:
    """All that is listed. A server that doesn't know the question has nothing to list."""
    found: list[Any] = []
    cursor: str | None = None
    seen: set[str | None] = set()
    while cursor not in seen and len(seen) < _MOST_PAGES:
        seen.add(cursor)
        try:
            page = await connection.ask(list_page(cursor=cursor))
        except MCPError as error:
            if error.code == METHOD_NOT_FOUND:
                return found
            raise
        found += getattr(page, field)
        cursor = page.next_cursor
        if cursor is None:
            break
    return found


async def _list_resources(connection: Connection, _: Args) -> CallToolResult:
    resources = await _pages(connection, connection.client.list_resources, "resources")
    templates = await _pages(connection, connection.client.list_resource_templates, "resource_templates")
    lines = [_line(r.uri, r.title or r.name, r.mime_type, r.description) for r in resources]
    lines += [_line(f"template {t.uri_template}", t.title or t.name, t.mime_type, t.description) for t in templates]
    return _result(["\n".join(lines) or "there are none"])


def _line(*facts: str | None) -> str:
    return " | ".join(" ".join(fact.split()) for fact in facts if fact)


async def _read_resource(connection: Connection, args: Args) -> CallToolResult:
    uri = str(args["uri"])
    said = await connection.ask(connection.client.read_resource(uri))
    blocks: list[ContentBlock | str] = [EmbeddedResource(resource=contents) for contents in said.contents]
    if args.get("watch"):
        await connection.watch_resource(uri)
        blocks.append("[you will be told when it changes]")
    return _result(blocks or ["it is empty"])


async def _list_prompts(connection: Connection, _: Args) -> CallToolResult:
    prompts = await _pages(connection, connection.client.list_prompts, "prompts")
    return _result(["\n".join(map(_prompt_line, prompts)) or "there are none"])


def _prompt_line(prompt: Any) -> str:
    arguments = ", ".join(
        f"{a.name}{'' if a.required else '?'}{f' ({a.description})' if a.description else ''}"
        for a in prompt.arguments or ()
    )
    return _line(prompt.name, prompt.description, f"arguments: {arguments}" if arguments else None)


async def _get_prompt(connection: Connection, args: Args) -> CallToolResult:
    said = await connection.ask(connection.client.get_prompt(str(args["name"]), dict(args.get("arguments") or {})))
    blocks: list[ContentBlock | str] = []
    for message in said.messages:
        content = message.content
        blocks.append(f"{message.role}: {content.text}" if isinstance(content, TextContent) else content)
    return _result(blocks or ["it is empty"])


async def _complete(connection: Connection, args: Args) -> CallToolResult:
    about = str(args["prompt_or_template"])
    is_template = "://" in about
    reference = ResourceTemplateReference(uri=about) if is_template else PromptReference(name=about)
    asked = {"name": str(args["argument"]), "value": str(args.get("begins", ""))}
    said = (await connection.ask(connection.client.complete(reference, asked))).completion
    more = ["[there are more; begin it to narrow them down]"] if said.has_more else []
    return _result(["\n".join([*said.values, *more]) or "nothing is proposed"])


_ANSWERS: Mapping[str, Callable[[Connection, Args], Awaitable[CallToolResult]]] = {
    "list_resources": _list_resources,
    "read_resource": _read_resource,
    "list_prompts": _list_prompts,
    "get_prompt": _get_prompt,
    "complete": _complete,
}
