"""A reply in the making: pieces of a stream, or one whole document, become a `ModelReply`."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import AsyncIterable, Mapping
from typing import Any

from handiwork.core.errors import ModelError
from handiwork.core.types import ModelReply, ModelRequest

from .sse import DONE
from .wording import one_line, said_by_server

FILTERED = "the provider's content filter stopped the reply"


class Reading(ABC):
    """What the readers of all providers share. `where` names model and address in errors."""

    def __init__(self, request: ModelRequest, where: str) -> None:
        self._request, self._where = request, where
        self._ended = False

    async def take_events(self, events: AsyncIterable[str]) -> ModelReply:
        """The reply that a stream of event data makes. ModelError where it is damaged or cut."""
        async for data in events:
            if data.strip() == DONE:
                self._ended = True
            else:
                self._take(self._parse(data))
            if self._ended:
                break
        return self._reply()

    def take_document(self, body: str) -> ModelReply:
        """The reply in one JSON document: what a server sends that doesn't stream."""
        self._take_whole(self._parse(body))
        self._ended = True
        return self._reply()

    @abstractmethod
    def _take(self, chunk: Mapping[str, Any]) -> None:
        """Take in one piece of the stream."""

    @abstractmethod
    def _take_whole(self, document: Mapping[str, Any]) -> None:
        """Take in all at once."""

    @abstractmethod
    def _reply(self) -> ModelReply:
        """What has arrived. ModelError where that is no whole reply."""

    def _parse(self, data: str) -> Mapping[str, Any]:
        try:
            value = json.loads(data)
        except ValueError:
            raise self._fault("answered something that isn't JSON", said_by_server(data)) from None
        if not isinstance(value, Mapping):
            raise self._fault("answered JSON that isn't an object", one_line(data))
        if value.get("error"):
            raise self._fault("reported an error", said_by_server(data))
        return value

    def _objects(self, value: Any) -> list[Mapping[str, Any]]:
        """The list of objects that must stand here; absent is empty. ModelError for any other shape."""
        found = value or []
        if isinstance(found, list) and all(isinstance(item, Mapping) for item in found):
            return found
        raise self._fault("answered in another shape than its API has", one_line(str(value)))

    def _object(self, value: Any) -> Mapping[str, Any]:
        """The object that must stand here; absent is empty."""
        found = self._objects([value] if value else [])
        return found[0] if found else {}

    def _tell(self, text: str) -> None:
        if text and self._request.on_text:
            self._request.on_text(text)

    def _broken_off(self) -> ModelError:
        return self._fault("broke off in the middle of its reply", "nothing of it was run")

    def _fault(self, what: str, detail: str) -> ModelError:
        hint = "try again; if it goes on, look at the server's log or use another model"
        return ModelError(f"{self._where} {what}" + (f": {detail}" if detail else ""), hint)


def count_of(value: Any) -> int:
    """A number of tokens, 0 where there is none."""
    return value if isinstance(value, int) and value > 0 else 0
