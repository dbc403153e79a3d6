"""Read an OpenAPI document, follow its references, and say where its server is."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

from ...core.errors import UsageError
from ...core.loading import Late

yaml = Late("yaml")
_MOST_REFERENCES = 50


@dataclass(frozen=True, slots=True)
class Document:
    """An OpenAPI 3 document. `whence` is where it was read from, "" if nobody knows."""

    data: Mapping[str, Any]
    whence: str = ""

    def follow(self, value: Any) -> Any:
        """*value*, or what it refers to. Raises `UsageError` for a reference that leads nowhere, or out."""
        for _ in range(_MOST_REFERENCES):
            if not isinstance(value, Mapping) or not isinstance(reference := value.get("$ref"), str):
                return value
            value = self._at(reference)
        raise UsageError(f"the reference {reference!r} leads in a circle", "correct the document")

    def _at(self, reference: str) -> Any:
        if not reference.startswith("#/"):
            raise UsageError(f"the reference {reference!r} leads out of the document", "bundle it into one file first")
        found: Any = self.data
        for part in reference[2:].split("/"):
            key = part.replace("~1", "/").replace("~0", "~")
            if not isinstance(found, Mapping) or key not in found:
                raise UsageError(f"the reference {reference!r} leads nowhere", "correct the document")
            found = found[key]
        return found

    @property
    def security_schemes(self) -> Mapping[str, Any]:
        """The ways to say who calls, by their names."""
        found: Mapping[str, Any] = (self.data.get("components") or {}).get("securitySchemes") or {}
        return found


def read_document(source: Mapping[str, Any] | str | bytes | os.PathLike[str]) -> Document:
    """A document from a mapping, from the path of a file, or from its text (JSON or YAML). Raises `UsageError`."""
    data, whence = (source, "") if isinstance(source, Mapping) else _parsed(source)
    version = str(data.get("openapi", "")) if isinstance(data, Mapping) else ""
    if not version.startswith("3."):
        found = f"OpenAPI {data['swagger']}" if isinstance(data, Mapping) and "swagger" in data else "no OpenAPI 3"
        raise UsageError(f"{whence or 'the document'}: {found}; 3.0 and 3.1 are read", "convert it to OpenAPI 3 first")
    if not isinstance(data.get("paths", {}), Mapping):
        raise UsageError(f"{whence or 'the document'}: paths must be a mapping", "correct the document")
    return Document(data, whence)


def _parsed(source: str | bytes | os.PathLike[str]) -> tuple[Any, str]:
    is_text = isinstance(source, bytes) or (isinstance(source, str) and source.lstrip()[:1] in ("{", "o", "#", "-")
                                            and "\n" in source)  # fmt: skip
    if is_text or (isinstance(source, str) and source.lstrip().startswith("{")):
        return _loads(source.decode("utf-8-sig") if isinstance(source, bytes) else str(source), "the document"), ""
    path = os.fspath(source)
    try:
        with open(path, encoding="utf-8-sig") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{os.fsdecode(path)}: can't be read: {error}", "give a file, its text or a mapping"
        ) from error
    return _loads(text, os.fsdecode(path)), os.fsdecode(path)


def _loads(text: str, whence: str) -> Any:
    try:
        return json.loads(text) if text.lstrip().startswith("{") else yaml.safe_load(text)
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        raise UsageError(f"{whence}: neither JSON nor YAML: {error}", "correct it there") from error


def server_of(servers: Any, wanted: str = "") -> str:
    """Where an operation's server is: *wanted*, or the first of *servers*. Raises `UsageError` without a host."""
    server = servers[0] if isinstance(servers, list) and servers and isinstance(servers[0], Mapping) else {}
    url = str(server.get("url", ""))
    for name, said in (server.get("variables") or {}).items():
        url = url.replace(f"{{{name}}}", str(said.get("default", "")))
    url = urljoin(wanted, url) if wanted and not urlsplit(url).netloc else wanted or url
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise UsageError(
            f"the document's server is {url!r}, which is no whole URL", "give base_url='https://host/path'"
        )
    return url.rstrip("/")
