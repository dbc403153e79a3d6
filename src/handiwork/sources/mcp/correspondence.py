"""Between the wire and the SDK's session: what was asked is remembered, so that answers can be set right."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from mcp_types import (
    INTERNAL_ERROR,
    METHOD_NOT_FOUND,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from .framing import Garbage, TooLong
from .mending import mend

# A server that says more a second is not listened to until the next one.
_MOST_NOTICES_A_SECOND = 200
_NEVER_DROPPED = "list_changed"
Id = int | str


class Correspondence:
    """What one connection has asked and not heard of yet. *note* is told what was amiss, a line each."""

    def __init__(self, note: Callable[[str], object], now: Callable[[], float] = time.monotonic) -> None:
        self._note, self._now = note, now
        self._methods: dict[Id, str] = {}
        self._second, self._heard_in_it, self._dropped = 0.0, 0, 0

    def sent(self, message: JSONRPCMessage) -> None:
        """*message* is on its way to the server."""
        if isinstance(message, JSONRPCRequest):
            self._methods[message.id] = message.method

    def waits_for(self, id: Id) -> bool:
        """Whether a request has had no answer yet."""
        return id in self._methods

    def give_up(self, id: Id) -> JSONRPCError:
        """The answer that a server would give that doesn't know the request *id*."""
        self._methods.pop(id, None)
        return _error(id, METHOD_NOT_FOUND, "no answer")

    def read(self, found: Mapping[str, Any] | Garbage | TooLong) -> JSONRPCMessage | None:
        """What the session is to be told of something that came; None where that is nothing."""
        if isinstance(found, TooLong):
            return self._refuse(found)
        if isinstance(found, Garbage):
            self._note(f"the server wrote a line that is no message: {found.text!r}")
            return None
        if "method" not in found and "error" not in found and not isinstance(found.get("result"), dict):
            return self._answer_nothing(found)
        try:
            message = jsonrpc_message_adapter.validate_python(found, by_name=False)
        except ValidationError:
            self._note(f"the server wrote a message that breaks the protocol: {str(found)[:200]}")
            return self._answer_nothing(found) if "method" not in found else None
        return self.mended(message)

    def mended(self, message: JSONRPCMessage) -> JSONRPCMessage | None:
        """*message* as the SDK can take it; None for a notice too many."""
        if isinstance(message, JSONRPCResponse):
            method = self._asked(message.id)
            return message.model_copy(update={"result": mend(method, message.result)}) if method else message
        if isinstance(message, JSONRPCError) and message.id is not None:
            self._asked(message.id)
        if isinstance(message, JSONRPCNotification) and self._is_too_many(message.method):
            return None
        return message

    def _asked(self, id: Id) -> str:
        """The method that *id* was sent with; a number may come back as text."""
        method = self._methods.pop(id, "")
        if not method and isinstance(id, str) and id.isdigit():
            method = self._methods.pop(int(id), "")
        return method

    def _answer_nothing(self, found: Mapping[str, Any]) -> JSONRPCMessage | None:
        asked = found.get("id")
        if not isinstance(asked, (int, str)) or isinstance(asked, bool):
            return None
        self._asked(asked)
        return _error(asked, INTERNAL_ERROR, "the server answered with no result that can be read")

    def _refuse(self, found: TooLong) -> JSONRPCMessage | None:
        self._note(f"a message of {found.size:,} bytes was thrown away: it is longer than messages may be")
        asked = found.id
        if asked is None and len(self._methods) == 1:
            asked = next(iter(self._methods))
        if asked is None:
            return None
        self._asked(asked)
        return _error(asked, INTERNAL_ERROR, f"the answer had {found.size:,} bytes, more than an answer may have")

    def _is_too_many(self, method: str) -> bool:
        if method.endswith(_NEVER_DROPPED):
            return False
        now = self._now()
        if now - self._second >= 1:
            if self._dropped:
                self._note(f"{self._dropped:,} notices were dropped: more than {_MOST_NOTICES_A_SECOND} a second")
            self._second, self._heard_in_it, self._dropped = now, 0, 0
        self._heard_in_it += 1
        self._dropped += self._heard_in_it > _MOST_NOTICES_A_SECOND
        return self._heard_in_it > _MOST_NOTICES_A_SECOND


def _error(id: Id, code: int, message: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=id, error=ErrorData(code=code, message=message))
