"""Register the operations of a document as tools."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...catalog.store import ToolRegistry
from ...core.errors import UsageError
from ...core.loading import Late
from ...core.types import Args, Done, Traits
from ..adapted import SENDS, Adapted
from ..registering import put
from .document import Document, read_document, server_of
from .exchange import Exchange
from .operations import Operation, name_of, operations_of, read_operation
from .requests import build_request
from .security import Access, access_of

logging = Late("logging")
READS = Traits(read_only=True, open_world=True, idempotent=True, parallel_safe=True)


@dataclass(frozen=True, slots=True)
class _Wishes:
    """What a registration says beside the document."""

    toolset: str
    base: str
    only: Collection[str]
    auth: Mapping[str, str]


def register_openapi(
    registry: ToolRegistry,
    document: Mapping[str, Any] | str | bytes | os.PathLike[str],
    *,
    toolset: str,
    base_url: str = "",
    only: Collection[str] = (),
    auth: Mapping[str, str] | None = None,
    prefix: str = "",
    client: Any = None,
) -> list[str]:
    """Register the operations of an OpenAPI document (3.0 or 3.1: a mapping, a path, or JSON or YAML text) as tools.

    GET and HEAD read; everything else asks before it is sent. All requests go to the document's server, or to
    *base_url*. *only* are the ids or tags of the operations that are wanted. *auth* says by the name of each
    security scheme which variable of the environment holds its key; without it that is TOOLSET_SCHEME. A tool
    whose key isn't set is hidden. *client* is an `httpx.Client` of your own. The names of what was registered;
    operations that can't be called from here are logged. Raises `UsageError` for a document that can't be read.
    """
    read = read_document(document)
    wishes = _Wishes(toolset, base_url, tuple(only), dict(auth or {}))
    exchange = Exchange(client)
    return [
        name
        for adapted in _adapted(read, wishes, exchange)
        for name in put(registry, adapted, toolset=toolset, prefix=prefix)
    ]


def _adapted(document: Document, wishes: _Wishes, exchange: Exchange) -> Iterator[Adapted]:
    server_of(document.data.get("servers"), wishes.base)  # one fault of all is told, not one of each
    for method, said, item, path in operations_of(document):
        if wishes.only and not {str(said.get("operationId")), *said.get("tags", ())} & set(wishes.only):
            continue
        try:
            operation = read_operation(document, method, said, item, path)
            access = access_of(document, said, wishes.toolset, wishes.auth)
            base = server_of(operation.servers, wishes.base)
        except (UsageError, KeyError, TypeError, AttributeError) as error:  # one that is written wrongly stays out
            logging.getLogger(__name__).warning(
                "%s: %s is left out: %s", wishes.toolset, name_of(method, said, path), error
            )
            continue
        yield _tool(operation, base, access, exchange)


def _tool(operation: Operation, base: str, access: Access, exchange: Exchange) -> Adapted:
    def run(args: Args) -> Done:
        return exchange.send(build_request(operation, base, args, access))

    reads = operation.method in ("get", "head")
    return Adapted(
        operation.name, operation.description, operation.parameters, run,
        traits=READS if reads else SENDS, requires_env=access.variables,
    )  # fmt: skip
