"""One server, looked after: connected, listed, called, connected again when it is lost."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

from mcp.shared.exceptions import MCPError

from ...backends.environment.children.child import Nursery
from ...core.loading import Late
from .asking.answers import Answers
from .asking.callers import Callers
from .connection import Connection, Ground, Listing, open_connection
from .eras import Eras
from .faults import LateError, LostError, RefusedError, ServerError, fault_of
from .http import TRIES_SSE
from .logbook import Logbook
from .offering import Offering
from .settings import ServerSettings
from .states import BROKEN, SETTLED, USABLE, State, StateName

redaction = Late("handiwork.guard.redaction")
_FIRST_WAIT_S, _MOST_WAIT_S = 1.0, 60.0
# So long a connection must have held before the next failure counts as the first. Seconds.
_HELD_S = 60.0
_DEBOUNCE_S = 0.15
_MOST_TAIL = 600
_MOST_UPDATES = 100
_URI = re.compile(r"[!-~]{1,300}")
# What a server says at these levels is for its log alone.
_CHATTER = ("debug", "info")
# A server that ends again and again under calls isn't started at once any more.
_FAST_RETURNS = 3
# So long after a failure, a call doesn't start a program again. Seconds.
_NOT_AGAIN_S = 1.0


class Supervisor:
    """Owns the connection to one server. Everything here runs on the loop of the servers, but for reading `state`.

    *offering* is told each new list of tools, and what became of the server.
    """

    def __init__(
        self,
        settings: ServerSettings,
        *,
        nursery: Nursery,
        log: Logbook,
        eras: Eras,
        log_in: Callable[[ServerSettings], Any],
        variables: Mapping[str, str],
        offering: Offering,
    ) -> None:
        self.settings, self.log = settings, log
        self.state = State("idle", since=time.time())
        self.connection: Connection | None = None
        self.updated: dict[str, None] = {}  # resources that changed, until somebody takes the news
        self._listing = Listing(())
        self._eras, self._variables, self._offering = eras, variables, offering
        self.callers = Callers()
        self.answers = Answers(settings, self.callers, log.note)
        self._ground = Ground(
            nursery, log, log_in, self.answers.keywords(), self._note_change, self._note_log, self._note_update
        )
        self._task: asyncio.Task[None] | None = None
        self._moved = asyncio.Event()
        self._hurry = asyncio.Event()
        self._changed = asyncio.Event()
        self._renewing = False
        self._served, self._served_at = False, 0.0
        self._failures, self._failed_at = 0, 0.0

    # --------------------------------------------------------------------------------------- living

    def begin(self) -> None:
        """Start to look after the server, or hurry the next try."""
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._live(), name=f"mcp {self.settings.name}")
            self._set("starting")
        elif self.state.name not in USABLE:
            self._hurry.set()

    async def end(self) -> None:
        """Close the connection and end the program."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait((self._task,))
            self._task = None
        self.log.close()
        self._set("idle", "closed")

    async def _live(self) -> None:
        while True:
            self._served = False
            try:
                await self._serve_once()
            except Exception as error:  # noqa: BLE001 - whatever a server does ends here, as its state
                if self._served and time.monotonic() - self._served_at > _HELD_S:
                    self._failures = 0
                self._failures += 1
                self._fail(error)
            if not self._served or self._failures > _FAST_RETURNS:
                await self._pause()
            if self._served:
                self._set("starting", self.state.reason)

    async def _serve_once(self) -> None:
        """Connect, offer the tools, and stay until the connection is lost, which is raised."""
        settings = self.settings.filled(self._variables)
        async with AsyncExitStack() as stack:
            try:
                async with asyncio.timeout(settings.connect_timeout):
                    connection = await self._connect(stack, settings)
                    listing = await connection.list_tools()
            except TimeoutError:
                raise ServerError(
                    f"it didn't answer within {settings.connect_timeout:g} s{self._last_words()}",
                    "give it more time with `connect_timeout`, or see `handiwork mcp logs`",
                ) from None
            self._offer(connection, listing)
            self._served_at = time.monotonic()
            try:
                await self._attend(connection, listing)
            finally:
                self.connection = None

    async def _connect(self, stack: AsyncExitStack, settings: ServerSettings) -> Connection:
        """In the era that the server is known to speak, or the new one and then the old."""
        mode = self._eras.mode_of(settings.identity)
        try:
            connection = await stack.enter_async_context(open_connection(settings, self._ground, mode))
        except LostError:
            # Some servers end at a first message that they don't know.
            self._eras.remember(settings.identity, legacy=False)
            connection = await stack.enter_async_context(open_connection(settings, self._ground, "legacy"))
        except RefusedError as refused:
            if settings.kind != "http" or refused.status not in TRIES_SSE:
                raise
            connection = await self._connect_old(stack, settings, refused)
        self._eras.remember(settings.identity, legacy=not connection.is_modern)
        return connection

    async def _connect_old(self, stack: AsyncExitStack, settings: ServerSettings, refused: RefusedError) -> Connection:
        """As a server of 2024; where it is none, what it said first counts."""
        try:
            old = open_connection(replace(settings, kind="sse"), self._ground, "legacy")
            return await stack.enter_async_context(old)
        except Exception as error:
            raise refused from error

    def _offer(self, connection: Connection, listing: Listing) -> None:
        self.connection, self._listing = connection, listing
        said = self._offering.apply(self.settings, listing.tools, listing.refused)
        amiss = "; ".join(x for x in (said, *listing.notes) if x)
        self._set("degraded" if amiss else "connected", amiss)
        self._served = True
        self._offering.remember(self.settings, self.state, speaks=connection.speaks, about=connection.about)

    async def _attend(self, connection: Connection, listing: Listing) -> None:
        """Renew the list when the server says so or its time is up."""
        while True:
            await self._until_change(connection, listing.good_for_s)
            if connection.lost.is_set():
                raise connection.fault or LostError(connection.why_lost)
            await asyncio.sleep(_DEBOUNCE_S)
            self._changed.clear()
            self._renewing = True
            try:
                listing = await self._renewed(connection, listing)
            finally:
                self._renewing = False
                self._move()

    async def _until_change(self, connection: Connection, good_for_s: float | None) -> None:
        waits = [asyncio.ensure_future(event.wait()) for event in (self._changed, connection.lost)]
        try:
            await asyncio.wait(waits, timeout=good_for_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    async def _renewed(self, connection: Connection, before: Listing) -> Listing:
        """The new list; where there is none, the tools stay as they are."""
        try:
            async with asyncio.timeout(self.settings.connect_timeout):
                listing = await connection.list_tools()
        except (MCPError, LateError, TimeoutError) as error:
            self.log.note(f"the list of tools couldn't be renewed: {error or type(error).__name__}")
            return replace(before, good_for_s=_MOST_WAIT_S)
        self._offer(connection, listing)
        return listing

    async def _pause(self) -> None:
        """Wait before the next try: a little longer each time, up to a minute, for as long as it takes."""
        wait_s = min(_FIRST_WAIT_S * 2 ** min(self._failures - 1, 8), _MOST_WAIT_S) * random.uniform(0.75, 1.25)
        if self.state.name in SETTLED:
            wait_s = _MOST_WAIT_S * random.uniform(4, 6)
        self._hurry.clear()
        try:
            async with asyncio.timeout(wait_s):
                await self._hurry.wait()
        except TimeoutError:
            return

    # --------------------------------------------------------------------------------------- states

    def _set(self, name: StateName, reason: str = "", fix: str = "") -> None:
        since = self.state.since if name == self.state.name else time.time()
        self.state = State(name, redaction.redact(reason), since, fix)
        self._move()

    def _move(self) -> None:
        """Wake whoever waits for a change of state."""
        self._moved.set()
        self._moved = asyncio.Event()

    def _fail(self, error: BaseException) -> None:
        fault = fault_of(error)
        self.connection = None
        self._failed_at = time.monotonic()
        self.log.note(f"{fault.state}: {fault.reason}")
        self._set(fault.state, fault.reason + ("" if isinstance(error, ServerError) else self._last_words()), fault.fix)
        self._offering.remember_failure(self.settings, self.state)

    def _last_words(self) -> str:
        """What the server wrote last on standard error."""
        said = [line for line in self.log.tail.splitlines() if line.strip() and not line.startswith("[handiwork]")]
        return f"; it said last: {' | '.join(said)[-_MOST_TAIL:]}" if said else ""

    def _note_change(self) -> None:
        self._changed.set()

    def _note_update(self, uri: str) -> None:
        """A model is told of it: nothing but a URI, and one that somebody asked for."""
        watched = self.connection.watched if self.connection else ()
        if _URI.fullmatch(uri) and uri.startswith(tuple(watched)) and len(self.updated) < _MOST_UPDATES:
            self.updated[uri] = None

    def _note_log(self, params: Any) -> None:
        said = f"{params.level}: {str(params.data)[:_MOST_TAIL]}"
        self.log.note(said)
        if params.level not in _CHATTER:
            self.callers.tell(said)

    async def agree(self) -> None:
        """The person takes the server's tools as they are now."""
        if self.connection is not None:
            self._offering.agree(self.settings)
            self._offer(self.connection, self._listing)

    def is_changing(self) -> bool:
        """Whether the server said that its tools change, and the new list isn't there yet."""
        return (self._changed.is_set() or self._renewing) and self.state.name in USABLE

    async def settle(self) -> None:
        """Wait until what the server said of its tools is in force."""
        while self.is_changing():
            await self._moved.wait()

    async def usable(self, deadline: float) -> Connection:
        """The connection, waited for until *deadline* (monotonic). Raises `ServerError` with what is amiss.

        A server that failed a while ago is tried once more for it.
        """
        asked_at = time.monotonic()
        if self._served or self.settings.url or asked_at - self._failed_at > _NOT_AGAIN_S:
            self.begin()
        else:
            asked_at = self._failed_at
        while self.connection is None or self.connection.lost.is_set():
            moved = self._moved
            if self.state.name in BROKEN and self._failed_at >= asked_at:
                raise self._unusable()
            try:
                async with asyncio.timeout(max(deadline - time.monotonic(), 0.01)):
                    await moved.wait()
            except TimeoutError:
                raise self._unusable() from None
        return self.connection

    def _unusable(self) -> ServerError:
        reason = f": {self.state.reason}" if self.state.reason else ""
        return ServerError(
            f"the MCP server {self.settings.name!r} is {self.state.name}{reason}",
            self.state.fix or f"see `handiwork mcp test {self.settings.name}`",
        )
