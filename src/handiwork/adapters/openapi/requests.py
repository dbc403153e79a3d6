"""From the arguments of a tool to a request: every value at its place, and nothing that leads elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from ...core.errors import UsageError
from ...core.types import Args
from ...core.wire import dumps
from .operations import Operation, Place
from .security import Access

_BETWEEN = {"spaceDelimited": " ", "pipeDelimited": "|"}


@dataclass(slots=True)
class Request:
    """What is sent. `shown` is the URL without what is secret in it."""

    method: str
    url: str
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    shown: str = ""


def build_request(operation: Operation, base: str, args: Args, access: Access) -> Request:
    """The request of one call. Raises `UsageError` for a value that would lead to another path, or split a header."""
    placed = [(operation.places[key], value) for key, value in args.items() if key in operation.places]
    url = base + _filled(operation.path, placed)
    query = [pair for place, value in placed if place.where == "query" for pair in _pairs(place, value)]
    headers = {place.name: _line(place, value) for place, value in placed if place.where == "header"}
    cookies = [pair for place, value in placed if place.where == "cookie" for pair in _pairs(place, value)]
    request = Request(operation.method.upper(), url, headers, shown=_with_query(url, query))
    request.body = _body(operation, placed, headers)
    for credential, secret in access.secrets():
        value = credential.value(secret)
        if credential.place == "query":
            query.append((credential.name, value))
        elif credential.place == "cookie":
            cookies.append((credential.name, value))
        else:
            headers[credential.name] = _checked(credential.name, value)
    if cookies:
        headers["Cookie"] = "; ".join(f"{quote(name)}={quote(value)}" for name, value in cookies)
    request.url = _with_query(url, query)
    return request


def _with_query(url: str, query: list[tuple[str, str]]) -> str:
    return f"{url}?{urlencode(query)}" if query else url


def _filled(path: str, placed: list[tuple[Place, Any]]) -> str:
    """The path with its values in it: each stays within its part of the path."""
    for place, value in placed:
        if place.where != "path":
            continue
        text = ",".join(map(_text, value)) if isinstance(value, list) else _text(value)
        if text in ("", ".", ".."):
            raise UsageError(f"{place.name} can't be {text!r} in the path {path}", "give a value that names something")
        path = path.replace(f"{{{place.name}}}", quote(text, safe=""))
    return path


def _pairs(place: Place, value: Any) -> Iterator[tuple[str, str]]:
    """A value as pairs of name and text, by the style of its parameter."""
    if place.style == "json":
        yield place.name, dumps(value)
    elif isinstance(value, Mapping):
        yield from _object_pairs(place, value)
    elif not isinstance(value, list):
        yield place.name, _text(value)
    elif place.explode:
        yield from ((place.name, _text(item)) for item in value)
    else:
        yield place.name, _BETWEEN.get(place.style, ",").join(map(_text, value))


def _object_pairs(place: Place, value: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if place.style == "deepObject":
        yield from ((f"{place.name}[{key}]", _text(item)) for key, item in value.items())
    elif place.explode:
        yield from ((key, _text(item)) for key, item in value.items())
    else:
        yield place.name, ",".join(part for key, item in value.items() for part in (key, _text(item)))


def _line(place: Place, value: Any) -> str:
    text = ",".join(map(_text, value)) if isinstance(value, list) else _text(value)
    return _checked(place.name, text)


def _checked(name: str, text: str) -> str:
    if any(ord(c) < 32 or ord(c) == 127 for c in text):
        raise UsageError(f"the header {name} can't hold control characters", "take them out")
    return text


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (Mapping, list)) or value is None:
        return dumps(value)
    return str(value)


def _body(operation: Operation, placed: list[tuple[Place, Any]], headers: dict[str, str]) -> bytes | None:
    whole = [value for place, value in placed if place.where == "body"]
    fields = {place.name: value for place, value in placed if place.where == "field"}
    if not whole and not fields:
        return None
    headers["Content-Type"] = operation.content
    value = whole[0] if whole else fields
    if operation.content.startswith("text/"):
        return str(value).encode()
    if operation.content.endswith("json"):
        return dumps(value).encode()
    pairs = value.items() if isinstance(value, Mapping) else ()
    return urlencode([pair for key, item in pairs for pair in _pairs(Place("field", key, explode=True), item)]).encode()
