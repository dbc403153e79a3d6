"""Answers that break the protocol, made into ones that the SDK takes: one fault must not cost the rest.

What was set right or left out travels in `_meta`, under keys that a server can't set.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_types import ContentBlock
from pydantic import TypeAdapter, ValidationError

from .definitions import fault_of

RAW, REFUSED, STRUCTURED = "handiwork/raw", "handiwork/refused", "handiwork/structured"
_BLOCK: TypeAdapter[ContentBlock] = TypeAdapter(ContentBlock)
_ESSENTIAL = ("type", "text", "data", "mimeType", "resource", "uri", "name")
_MOST_SHOWN = 200


def mend(method: str, result: Mapping[str, Any]) -> dict[str, Any]:
    """The result of a request of *method* as the SDK can read it."""
    if method == "tools/list":
        return _mend_list(result)
    return _mend_call(result) if method == "tools/call" else dict(result)


def _mend_list(result: Mapping[str, Any]) -> dict[str, Any]:
    tools = result.get("tools")
    tools = tools if isinstance(tools, list) else []
    faults = [fault_of(raw) for raw in tools]
    usable = [_bare(raw) for raw, fault in zip(tools, faults, strict=True) if fault is None]
    refused = [[fault.tool, fault.reason] for fault in faults if fault]
    mended = {**result, "tools": usable, "_meta": {**_mapping(result.get("_meta")), REFUSED: refused}}
    if not isinstance(mended.get("nextCursor", ""), str):
        del mended["nextCursor"]
    return mended


def _bare(raw: Mapping[str, Any]) -> dict[str, Any]:
    """What the SDK needs of a tool; the whole definition goes along as it came.

    Output schemas stay out: the SDK would raise on a result that breaks its own, after the tool has run.
    """
    schema = {"type": "object", **raw["inputSchema"]}
    return {"name": raw["name"], "inputSchema": schema, "_meta": {RAW: dict(raw)}}


def _mend_call(result: Mapping[str, Any]) -> dict[str, Any]:
    if result.get("resultType", "complete") != "complete":
        return dict(result)  # a question of the server's, or an extension's own kind
    content = result.get("content")
    blocks = content if isinstance(content, list) else []
    mended = {**result, "content": [_mend_block(block) for block in blocks]}
    if not isinstance(mended.get("isError", False), bool):
        mended["isError"] = bool(mended["isError"])
    if mended.get("structuredContent") is not None:  # its kind depends on the version: the SDK would throw all away
        mended["_meta"] = {**_mapping(result.get("_meta")), STRUCTURED: mended.pop("structuredContent")}
    return mended


def _mend_block(block: Any) -> Any:
    """A block of content, if need be without what is beside the point; one that can't be read is told in its place."""
    if isinstance(block, Mapping):
        for candidate in (dict(block), {key: block[key] for key in _ESSENTIAL if key in block}):
            if _is_readable(candidate):
                return candidate
    kind = block.get("type") if isinstance(block, Mapping) else type(block).__name__
    return {"type": "text", "text": f"[content of a kind that isn't known here: {str(kind)[:_MOST_SHOWN]!r}]"}


def _is_readable(block: Mapping[str, Any]) -> bool:
    try:
        _BLOCK.validate_python(block, by_name=False)
    except ValidationError:
        return False
    return True


def _mapping(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}
