"""What tools of other systems give back: texts, pictures, structures; as an `Outcome` of ours."""

from __future__ import annotations

import base64
import binascii
import io
from collections.abc import Iterable, Mapping
from typing import Any

from ..core.types import Artifact, Done
from ..core.wire import dumps, tool_error

_TEXTS = ("text", "input_text", "output_text")
_PICTURES = ("image", "image_url", "input_image", "audio")


def failure(error: object) -> Done:
    """What the tool said of its own failure."""
    return Done(tool_error(str(error) or type(error).__name__), is_error=True)


def done_of_blocks(blocks: Iterable[Any], structure: Any = None, *, is_error: bool = False) -> Done:
    """Texts put together, pictures as artifacts. *structure*, what the tool gave as data, counts where no text is."""
    texts: list[str] = []
    artifacts: list[Artifact] = []
    for block in blocks:
        found = _artifact(block)
        if found:
            artifacts.append(found)
        else:
            texts.append(_text(block))
    text = "\n".join(texts) or ("" if structure is None else dumps(structure))
    if not text and artifacts:
        text = dumps({"attachments": [{"mime": a.mime, "bytes": len(a.data)} for a in artifacts]})
    return Done(tool_error(text) if is_error else text, artifacts=tuple(artifacts), is_error=is_error)


def done_of_value(value: Any) -> Any:
    """A value as it is, but for pictures, and for lists of texts and pictures."""
    if _is_picture(value):
        return done_of_blocks([value])
    if isinstance(value, (list, tuple)) and value and all(_is_block(item) for item in value):
        return done_of_blocks(value)
    return value


def _is_block(item: Any) -> bool:
    return _kind(item) in (*_TEXTS, *_PICTURES) or _is_picture(item)


def _kind(block: Any) -> str:
    return str(_of(block, "type") or "")


def _of(block: Any, key: str) -> Any:
    return block.get(key) if isinstance(block, Mapping) else getattr(block, key, None)


def _text(block: Any) -> str:
    if isinstance(block, str):
        return block
    text = _of(block, "text")
    return text if isinstance(text, str) else dumps(block)


def _is_picture(value: Any) -> bool:
    """A picture of Pillow, or bytes with the kind of what they are."""
    has_kind = isinstance(getattr(value, "data", None), bytes) and isinstance(getattr(value, "media_type", None), str)
    return has_kind or type(value).__module__.partition(".")[0] == "PIL"


def _artifact(block: Any) -> Artifact | None:
    if _is_picture(block):
        return _picture(block)
    if _kind(block) not in _PICTURES:
        return None
    data, mime = _of(block, "data") or _of(block, "base64"), _of(block, "mime_type") or _of(block, "mimeType")
    url = _of(block, "image_url") or _of(block, "url")
    url = url.get("url") if isinstance(url, Mapping) else url
    if not data and isinstance(url, str) and url.startswith("data:") and ";base64," in url:
        mime, _, data = url[len("data:") :].partition(";base64,")
    try:
        return (
            Artifact(mime or "application/octet-stream", base64.b64decode(data or "", validate=True)) if data else None
        )
    except (binascii.Error, TypeError):
        return None


def _picture(value: Any) -> Artifact:
    data, mime = getattr(value, "data", None), getattr(value, "media_type", None)
    if isinstance(data, bytes) and isinstance(mime, str):
        return Artifact(mime, data)
    stream = io.BytesIO()
    value.save(stream, format="PNG")
    return Artifact("image/png", stream.getvalue())
