"""What a server's tool gave back, as an outcome: text for the model, pictures and files beside it."""

from __future__ import annotations

import json
from base64 import b64decode
from typing import Any

from jsonschema import Draft202012Validator, SchemaError
from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)
from referencing import Registry
from referencing.exceptions import Unresolvable

from ...core.types import Artifact, Done, Schema
from ...core.wire import dumps, tool_error
from .mending import STRUCTURED

_FOR_PERSON = ["user"]
_NO_DOCUMENTS: Registry[Any] = Registry()
_MOST_SAID = 200


def outcome_of(result: CallToolResult, output_schema: Schema | None) -> Done:
    """The outcome of a call that the server answered, mended before. Its error is the tool's own, and said to be."""
    artifacts: list[Artifact] = []
    texts = [text for block in result.content if (text := _shown(block, artifacts))]
    structured = (result.meta or {}).get(STRUCTURED)
    if result.is_error:
        extra = {} if structured is None else {"structured": structured}
        said = "\n".join(texts) or (
            dumps(structured) if structured is not None else "the tool failed and didn't say why"
        )
        return Done(tool_error(said, kind="tool", **extra), artifacts=tuple(artifacts), is_error=True)
    if structured is not None and not any(_says(text, structured) for text in texts):
        texts.append(dumps(structured))
    if flaw := _flaw(structured, output_schema):
        texts.append(f"[output_invalid: the result breaks the tool's own output schema: {flaw}]")
    return Done("\n".join(texts), artifacts=tuple(artifacts))


def _shown(block: ContentBlock, artifacts: list[Artifact]) -> str:
    """The text of a block; what isn't text is put beside it and named."""
    if block.annotations is not None and block.annotations.audience == _FOR_PERSON:
        return _for_person(block, artifacts)
    match block:
        case TextContent():
            return block.text
        case ImageContent() | AudioContent():
            return _attached(block.data, block.mime_type, "", artifacts)
        case ResourceLink():
            facts = (block.title or block.name, str(block.uri), block.mime_type or "", block.description or "")
            return f"[resource link: {' · '.join(fact for fact in facts if fact)}]"
        case EmbeddedResource():
            return _resource(block.resource, artifacts)


def _resource(resource: TextResourceContents | BlobResourceContents, artifacts: list[Artifact]) -> str:
    if isinstance(resource, BlobResourceContents):
        return _attached(resource.blob, resource.mime_type or "", str(resource.uri), artifacts)
    return f"[resource {resource.uri}]\n{resource.text}"


def _for_person(block: ContentBlock, artifacts: list[Artifact]) -> str:
    if isinstance(block, TextContent):
        artifacts.append(Artifact("text/plain", block.text.encode("utf-8", "replace"), name="for the person"))
        return "[a text for the person, not for you]"
    return _shown(block.model_copy(update={"annotations": None}), artifacts)


def _attached(data: str, mime: str, name: str, artifacts: list[Artifact]) -> str:
    try:
        raw = b64decode(data, validate=True)
    except ValueError:
        return f"[{mime or 'data'} that can't be read: it is no base64]"
    artifacts.append(Artifact(mime or "application/octet-stream", raw, name=name))
    return f"[{' '.join(x for x in (mime or 'data', name) if x)}, {len(raw):,} bytes]"


def _says(text: str, structured: Any) -> bool:
    """Whether a text is the structured result written out, or the one thing in it, as servers do for old clients."""
    inner = next(iter(structured.values())) if isinstance(structured, dict) and len(structured) == 1 else structured
    if text == inner:
        return True
    try:
        return json.loads(text) in (structured, inner)
    except ValueError:
        return False


def _flaw(structured: Any, schema: Schema | None) -> str:
    """How a structured result breaks the schema that the tool gave for it; "" where it doesn't."""
    if schema is None:
        return ""
    if structured is None:
        return "there is no structured result"
    try:
        error = next(Draft202012Validator(schema, registry=_NO_DOCUMENTS).iter_errors(structured), None)
    except (SchemaError, Unresolvable, TypeError, ValueError):  # a schema that is none checks nothing
        return ""
    if error is None:
        return ""
    place = "/".join(map(str, error.absolute_path))
    return f"{place or 'the result'}: {error.message[:_MOST_SAID]}"
