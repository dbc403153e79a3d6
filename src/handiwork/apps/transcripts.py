"""A session as a document: for programs, to read, and to look at. Secrets are masked in all of them."""

from __future__ import annotations

import html
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from ..core.types import Entry, SessionInfo, Usage
from ..core.usage import usage_document
from ..core.wire import dumps
from ..guard.redaction import redact

FORMAT = 1
_STYLE = """\
body { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem; }
h2 { font-size: 1rem; color: #57606a; margin: 1.6rem 0 .3rem; }
pre { background: #f6f8fa; padding: .7rem 1rem; border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere; }
"""
_BACKQUOTES = re.compile("`+")
_TITLES = {"prompt": "Prompt", "nudge": "Handiwork", "reply": "Model", "result": "Result", "mended": "Interrupted"}


def masked(value: Any) -> Any:
    """JSON data without secrets in its texts."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {masked(key): masked(v) for key, v in value.items()}
    return [masked(v) for v in value] if isinstance(value, (list, tuple)) else value


def info_document(info: SessionInfo, used: Usage | None = None) -> dict[str, Any]:
    """What is known of a session, and what it has *used*, where that is wanted."""
    document: dict[str, Any] = masked(asdict(info))
    del document["number"]
    return document if used is None else {**document, "usage": usage_document(used)}


def entry_document(entry: Entry) -> dict[str, Any]:
    """An entry as JSON data."""
    document: dict[str, Any] = masked(asdict(entry))
    return document


def as_jsonl(info: SessionInfo, entries: Iterable[Entry]) -> Iterator[str]:
    """A line about the session, then one for each entry: the form that `handiwork replay` reads."""
    yield dumps({"handiwork_session": FORMAT, **info_document(info)})
    for entry in entries:
        yield dumps(entry_document(entry))


def as_markdown(info: SessionInfo, entries: Iterable[Entry]) -> Iterator[str]:
    """The conversation to read."""
    yield f"# {redact(info.title) or info.id}\n"
    yield f"{info.id} · {info.model} · {info.cwd} · {moment(info.started)} · {info.state}\n"
    for title, text, is_code in _parts(entries):
        fence = "`" * max(3, _longest_run(text) + 1)
        yield f"## {title}\n"
        yield f"{fence}\n{text}\n{fence}\n" if is_code else f"{text}\n"


def as_html(info: SessionInfo, entries: Iterable[Entry]) -> Iterator[str]:
    """The conversation as one page that loads nothing."""
    title = html.escape(redact(info.title) or info.id)
    yield f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>'
    yield f"<style>\n{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>"
    yield f"<p>{html.escape(f'{info.id} · {info.model} · {info.cwd} · {moment(info.started)} · {info.state}')}</p>"
    for heading, text, _ in _parts(entries):
        yield f"<h2>{html.escape(heading)}</h2>\n<pre>{html.escape(text)}</pre>"
    yield "</body>\n</html>"


def moment(at_ms: int) -> str:
    """A time of the store's for people, by the clock of this machine."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at_ms / 1000)) if at_ms else "-"


def _parts(entries: Iterable[Entry]) -> Iterator[tuple[str, str, bool]]:
    """Heading and text of everything that was said, and whether the text is to be shown as it is."""
    for entry in entries:
        message = masked(entry.body.get("message"))
        if message is None:
            if entry.kind == "lost":
                yield "Lost", "An entry was lost by damage to the store.", False
            continue
        heading = _TITLES.get(entry.kind, entry.kind)
        if message["role"] == "tool":
            yield f"{heading} of {message.get('name', entry.call)} ({entry.call})", str(message["content"]), True
            continue
        if message.get("content"):
            yield heading, str(message["content"]), False
        for call in message.get("tool_calls") or ():
            yield f"Call {call['function']['name']} ({call['id']})", call["function"]["arguments"], True


def _longest_run(text: str) -> int:
    """The length of the longest run of back-quotes in *text*."""
    return max(map(len, _BACKQUOTES.findall(text)), default=0)
