"""On whose behalf a server is being called: whoever may be asked when the server asks something back."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any

from ....core.types import Answer, Args, Ask, Progress, Ready, ToolCall, ToolEntry
from ....guard.approval import NO, settle

_MOST_SAID = 200


class Patience:
    """How long a call may still be silent. A sign of life begins that anew, and a question stops it.

    *silence_s* is in seconds, *deadline* is monotonic and holds whatever happens.
    """

    def __init__(self, silence_s: float, deadline: float) -> None:
        self._silence_s, self._deadline = silence_s, deadline
        self._questions, self._over = 0, False
        self._limit = asyncio.timeout(None)

    @contextmanager
    def question(self) -> Iterator[None]:
        """While a person thinks, the server isn't silent."""
        self._questions += 1
        self.sign()
        try:
            yield
        finally:
            self._questions -= 1
            self.sign()

    def sign(self) -> None:
        """The server has shown that it works. Too late is of no use."""
        if self._over or self._limit.expired():
            return
        left_s = self._deadline - time.monotonic()
        wait_s = left_s if self._questions else min(left_s, self._silence_s)
        self._limit.reschedule(asyncio.get_running_loop().time() + wait_s)

    async def __aenter__(self) -> Patience:
        await self._limit.__aenter__()
        self.sign()
        return self

    async def __aexit__(self, *how: Any) -> None:
        self._over = True
        await self._limit.__aexit__(*how)


@dataclass(frozen=True, slots=True, eq=False)
class Caller:
    """One call under way. `home` is the loop of whoever made it, None where that is a thread without one."""

    call: ToolCall
    home: asyncio.AbstractEventLoop | None = None
    patience: list[Patience] = field(default_factory=list)

    async def approve(self, what: str, args: dict[str, Any], ask: Ask) -> Answer:
        """Ask whoever approves calls, as for a tool named *what*; where nobody does, the answer is no."""
        approver = self.call.scope.approver
        if approver is None:
            return NO
        schema = {"name": what, "description": ask.reason, "parameters": {"type": "object", "properties": {}}}
        entry = ToolEntry(what, "mcp", schema, handler=_never)
        ready = Ready(replace(self.call, name=what, arguments=args), entry, args)
        said = await asyncio.to_thread(approver, ready, ask)
        return settle(await self.at_home(said) if inspect.isawaitable(said) else said)

    async def run_bound(self, name: str, args: dict[str, Any]) -> Any:
        """What a handler that the caller's agent has bound answers; None where there is none."""
        handler = self.call.scope.bindings.get(name)
        if handler is None:
            return None
        said = await asyncio.to_thread(handler, args)
        return await self.at_home(said) if inspect.isawaitable(said) else said

    async def at_home(self, waits: Awaitable[Any]) -> Any:
        """Wait for something where it belongs: on the loop that the call came from."""
        if self.home is None or self.home is asyncio.get_running_loop():
            return await waits
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_awaited(waits), self.home))

    def tell(self, said: str) -> None:
        """Tell whoever watches the call."""
        if self.call.scope.on_progress is not None:
            plain = "".join(c if c.isprintable() else " " for c in said[:_MOST_SAID])
            self.call.scope.on_progress(self.call, Progress(plain))

    @contextmanager
    def question(self) -> Iterator[None]:
        """While the person is asked, the call isn't silent."""
        if not self.patience:
            yield
            return
        with self.patience[-1].question():
            yield


def _never(_: Args, /, **__: Any) -> str:
    raise AssertionError("a question is no tool that could be run")


async def _awaited(waits: Awaitable[Any]) -> Any:
    return await waits


_current: ContextVar[Caller | None] = ContextVar("mcp_caller", default=None)


class Callers:
    """The calls of one server that are under way."""

    def __init__(self) -> None:
        self._under_way: dict[Caller, None] = {}

    @contextmanager
    def calling(self, caller: Caller, patience: Patience) -> Iterator[None]:
        """While *caller* waits for the server, it may be asked, and waits longer then."""
        token = _current.set(caller)
        self._under_way[caller] = None
        caller.patience.append(patience)
        try:
            yield
        finally:
            caller.patience.pop()
            del self._under_way[caller]
            _current.reset(token)

    def asked(self) -> Caller | None:
        """Whom a question of the server's is for; None for nobody, or where that can't be told.

        In the old protocol a question doesn't say which call it belongs to. Where several are under way, it
        is only asked if all of them would ask the same person.
        """
        here = _current.get()
        if here in self._under_way:
            return here
        waiting = list(self._under_way)
        people = {(id(c.call.scope.approver), c.call.scope.session_id) for c in waiting}
        return waiting[-1] if len(people) == 1 else None

    def tell(self, said: str) -> None:
        """Tell all that wait for the server what it says."""
        for caller in list(self._under_way):
            caller.tell(said)
