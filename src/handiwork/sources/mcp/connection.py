"""One connection to one server: opened in the era that it speaks, listed, called, and known to be lost."""

from __future__ import annotations

import asyncio
import logging
import warnings
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import anyio
import httpx2
from mcp import Client, InputRequiredRoundsExceededError
from mcp.client.session import IncomingMessage, LoggingFnT, MessageHandlerFnT
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp.shared.dispatcher import ProgressFnT
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    INVALID_REQUEST,
    REQUEST_TIMEOUT,
    CallToolResult,
    Implementation,
    LoggingMessageNotificationParams,
    PromptListChangedNotification,
    ResourceListChangedNotification,
    ResourceUpdatedNotification,
    ToolListChangedNotification,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from ... import __version__
from ...backends.environment.children.child import Nursery
from ...backends.environment.surroundings import child_environment
from . import readings
from .correspondence import Correspondence
from .definitions import Definition, Refused, read_definition
from .faults import LateError, LostError, RefusedError, causes_of
from .http import Trace, over_http, over_sse
from .logbook import Logbook
from .mending import RAW, REFUSED
from .process import ServerProcess, start_server
from .settings import ServerSettings
from .stdio import over_pipes
from .verbs import verbs_of

warnings.filterwarnings("ignore", category=MCPDeprecationWarning)
for _logger_name in ("mcp", "client"):  # what the SDK has to say is told as a state; nobody asked for it on the screen
    logging.getLogger(_logger_name).addHandler(logging.NullHandler())
Answer = TypeVar("Answer")
MOST_TOOLS = 1_000
_REFUSALS = 400
_LISTEN_AGAIN_S = 2.0
_CHANGES = (ToolListChangedNotification, ResourceListChangedNotification, PromptListChangedNotification)
_SESSION_LOST = ("Session not found", "Session terminated")


@dataclass(frozen=True, slots=True)
class Listing:
    """A server's tools: those that can be offered, those that can't, and for how long that holds (seconds)."""

    tools: tuple[Definition, ...]
    refused: tuple[Refused, ...] = ()
    notes: tuple[str, ...] = ()
    good_for_s: float | None = None


@dataclass(frozen=True, slots=True)
class Ground:
    """What a connection is opened on. `changed` is called when the server says that its tools changed, `updated` with
    the URI of a resource that did.

    `log_in` gives what authorises requests; `answers` are the SDK's keywords for what the server may ask of us.
    """

    nursery: Nursery
    log: Logbook
    log_in: Callable[[ServerSettings], Any]
    answers: Mapping[str, Any]
    changed: Callable[[], object]
    said: Callable[[LoggingMessageNotificationParams], object]
    updated: Callable[[str], object]


class Connection:
    """A server that can be talked to. `lost` is set once it can't be any more, `why_lost` and `fault` say why."""

    def __init__(
        self,
        settings: ServerSettings,
        client: Client,
        way: ServerProcess | Trace,
        *,
        updated: Callable[[str], object],
    ) -> None:
        self.settings, self.client = settings, client
        self._process = way if isinstance(way, ServerProcess) else None
        self._trace = way if isinstance(way, Trace) else Trace()
        self.lost = asyncio.Event()
        self.why_lost = ""
        self.fault: Exception | None = None
        self._updated = updated
        self.watched: set[str] = set()  # the URIs of resources
        self._watching: dict[str, asyncio.Future[None]] = {}

    @property
    def is_modern(self) -> bool:
        """Whether it is spoken to without a session (2026-07-28 and later)."""
        return self.client.protocol_version in MODERN_PROTOCOL_VERSIONS

    @property
    def speaks(self) -> str:
        """The version of the protocol."""
        return self.client.protocol_version

    @property
    def about(self) -> str:
        """What the server says that it is."""
        info = self.client.server_info
        return f"{info.name} {info.version}" if info else ""

    @property
    def pid(self) -> int | None:
        """The process id of a server that is a program."""
        return self._process.pid if self._process else None

    def lose(self, why: str) -> None:
        """It is of no use any more."""
        if not self.lost.is_set():
            self.why_lost = why
            self.lost.set()

    async def list_tools(self) -> Listing:
        """All pages of its tools; a cursor that comes again ends the list, as do 1,000 tools."""
        about = self.client.server_capabilities.resources
        can_watch = about is not None and bool(about.subscribe)
        verbs = verbs_of(self.settings.name, await readings.what_there_is(self), can_watch=can_watch)
        if self.client.server_capabilities.tools is None:
            return Listing(tuple(verbs), notes=() if verbs else ("it says that it has no tools",))
        listing = await self._list_tools()
        taken = {definition.name for definition in listing.tools}  # a server's own tool comes first
        return replace(listing, tools=(*listing.tools, *(v for v in verbs if v.name not in taken)))

    async def _list_tools(self) -> Listing:
        found = _Found(self.settings.name)
        cursor: str | None = None
        seen: set[str] = set()
        while True:
            page = await self.ask(self.client.list_tools(cursor=cursor))
            found.add(page)
            cursor = page.next_cursor
            if cursor is None or len(found.tools) >= MOST_TOOLS:
                return found.listing(cut=cursor is not None, good_for_ms=page.ttl_ms if self.is_modern else None)
            if cursor in seen:
                found.notes.append("its list of tools has no end: the same page came again")
                return found.listing(cut=False, good_for_ms=None)
            seen.add(cursor)

    async def call(
        self, definition: Definition, args: Mapping[str, Any], *, on_progress: ProgressFnT | None
    ) -> CallToolResult:
        """Call a tool. Raises `MCPError` for what the server refuses, `LostError` when the connection ends."""
        if definition.is_verb:
            return await readings.answer(self, definition.tool, args)
        return await self.ask(self.client.call_tool(definition.tool, dict(args), progress_callback=on_progress))

    async def watch_resource(self, uri: str) -> None:
        """Hear of changes of a resource, as long as the connection holds."""
        self.watched.add(uri)
        if not self.is_modern:
            await self.ask(self.client.subscribe_resource(uri))
        elif uri not in self._watching:
            self._watching[uri] = asyncio.ensure_future(self._listen_to(uri))

    async def _listen_to(self, uri: str) -> None:
        try:
            async with self.client.listen(resource_subscriptions=[uri]) as changes:
                async for _ in changes:
                    self._updated(uri)
        except (MCPError, SubscriptionLost, ListenNotSupportedError, TimeoutError):
            self._updated(uri)  # from now on nobody would hear of it: the next reading watches it again
        finally:
            del self._watching[uri]

    async def watch_no_more(self) -> None:
        """Stop to hear of resources."""
        for task in list(self._watching.values()):
            await _stop(task)

    async def ask(self, request: Coroutine[Any, Any, Answer]) -> Answer:
        """Send a request; a connection that ends under it is told apart from an answer that is an error."""
        if self.lost.is_set():
            request.close()
            raise LostError(self.why_lost, sent=False)
        try:
            return await request
        except MCPError as error:
            if fault := self._trace.take_fault():
                self.lose(str(fault))
                self.fault = fault
                raise fault from error
            if error.code == CONNECTION_CLOSED and self._has_ended(error):
                self.lose(await self._how_it_ended())
                raise LostError(self.why_lost, sent=not self._trace.unreachable) from error
            if error.code == INVALID_REQUEST and error.message in _SESSION_LOST and self._process is None:
                self.lose(f"the server forgot the session ({error.message})")
                raise LostError(self.why_lost, sent=False) from error
            if error.code == REQUEST_TIMEOUT:
                raise LateError(error.message) from error
            raise
        except InputRequiredRoundsExceededError as error:
            raise MCPError(INVALID_REQUEST, f"it went on asking: {error.max_rounds} rounds are the most") from error
        except (httpx2.HTTPError, OSError, anyio.ClosedResourceError, anyio.BrokenResourceError) as error:
            self.lose(f"{type(error).__name__}: {error}")
            raise LostError(self.why_lost, sent=not isinstance(error, httpx2.ConnectError)) from error

    def _has_ended(self, error: MCPError) -> bool:
        """A server may use the code of a closed connection for errors of its own."""
        return self._process is None or self._process.output.at_eof() or error.message == "Connection closed"

    async def _how_it_ended(self) -> str:
        if self._process is None:
            return "it can't be reached" if self._trace.unreachable else "the connection was closed"
        return await asyncio.to_thread(self._process.how_it_ended)

    async def watch(self) -> None:
        """Notice the end of a program, also while nobody asks it anything."""
        if self._process is not None:
            await self._process.ended()
            self.lose(await self._how_it_ended())

    async def listen(self, changed: Callable[[], object]) -> None:
        """Hear of changes from a server that tells them only to those who listen."""
        tools = self.client.server_capabilities.tools
        while self.is_modern and tools is not None and tools.list_changed:
            try:
                async with self.client.listen(tools_list_changed=True) as changes:
                    async for _ in changes:
                        changed()
            except ListenNotSupportedError:
                return
            except (MCPError, SubscriptionLost, TimeoutError):
                changed()  # what it said meanwhile isn't repeated
            await asyncio.sleep(_LISTEN_AGAIN_S)


class _Found:
    """The pages of a list, put together."""

    def __init__(self, server: str) -> None:
        self._server = server
        self.tools: dict[str, Definition] = {}
        self.refused: list[Refused] = []
        self.notes: list[str] = []

    def add(self, page: Any) -> None:
        for tool, reason in (page.meta or {}).get(REFUSED, ()):
            self.refused.append(Refused(tool, reason))
        for tool in page.tools:
            self._add_tool(read_definition(self._server, (tool.meta or {})[RAW]))

    def _add_tool(self, definition: Definition) -> None:
        name = definition.name
        if name not in self.tools:
            self.tools[name] = definition
        elif self.tools[name].raw != definition.raw:
            self.refused.append(Refused(definition.tool, f"the server has another tool named {definition.tool!r}"))

    def listing(self, *, cut: bool, good_for_ms: float | None) -> Listing:
        notes = [*self.notes, f"it has more than {MOST_TOOLS:,} tools; the rest is left out"] if cut else self.notes
        kept = tuple(self.tools.values())[:MOST_TOOLS]
        return Listing(kept, tuple(self.refused), tuple(notes), good_for_ms / 1000 if good_for_ms else None)


@asynccontextmanager
async def open_connection(settings: ServerSettings, ground: Ground, mode: str) -> AsyncIterator[Connection]:
    """Connect to a server whose settings are filled. *mode* is `auto` or `legacy`."""
    letters = Correspondence(ground.log.note)
    async with AsyncExitStack() as stack:
        way = await _way(settings, ground, stack)
        client = Client(
            _transport(settings, letters, ground, way),
            mode=mode,
            cache=None,
            client_info=Implementation(name="handiwork", version=__version__),
            message_handler=_listener(ground),
            logging_callback=_logger(ground),
            log_level="info",
            **ground.answers,
        )
        try:
            await stack.enter_async_context(client)
        except Exception as error:
            raise await _why_not(error, way) from error
        connection = Connection(settings, client, way, updated=ground.updated)
        stack.push_async_callback(connection.watch_no_more)
        for beside in (connection.watch(), connection.listen(ground.changed)):
            stack.push_async_callback(_stop, asyncio.ensure_future(beside))
        yield connection


async def _stop(task: asyncio.Future[None]) -> None:
    task.cancel()
    await asyncio.wait((task,))


async def _way(settings: ServerSettings, ground: Ground, stack: AsyncExitStack) -> ServerProcess | Trace:
    """The program, started and ended with the stack; or what is noted of a web service."""
    if settings.kind != "stdio":
        return Trace()
    process = await _start(settings, ground)
    stack.push_async_callback(_ended, process)
    return process


async def _why_not(error: Exception, way: ServerProcess | Trace) -> Exception:
    """What an error at the start means, with what is known of the way."""
    if isinstance(way, Trace):
        return way.fault or (RefusedError(way.status, error) if way.status >= _REFUSALS else error)
    is_closed = any(isinstance(c, MCPError) and c.code == CONNECTION_CLOSED for c in causes_of(error))
    return LostError(await asyncio.to_thread(way.how_it_ended)) if is_closed else error


async def _start(settings: ServerSettings, ground: Ground) -> ServerProcess:
    ground.log.begin()
    env = child_environment(settings.env)
    argv = [settings.command, *settings.args]
    return await start_server(ground.nursery, argv, cwd=settings.folder, env=env, log=ground.log)


async def _ended(process: ServerProcess) -> None:
    """End the program, also where whoever asks for it is being cancelled."""
    with anyio.CancelScope(shield=True):
        await process.end()


def _transport(settings: ServerSettings, letters: Correspondence, ground: Ground, way: ServerProcess | Trace) -> Any:
    if isinstance(way, ServerProcess):
        return over_pipes(way, letters)
    over = over_sse if settings.kind == "sse" else over_http
    return over(settings, letters, way, ground.log_in(settings))


def _listener(ground: Ground) -> MessageHandlerFnT:
    async def hear(message: IncomingMessage) -> None:
        if isinstance(message, _CHANGES):
            ground.changed()
        elif isinstance(message, ResourceUpdatedNotification):
            ground.updated(str(message.params.uri))
        elif isinstance(message, Exception):
            ground.log.note(f"{type(message).__name__}: {message}")

    return hear


def _logger(ground: Ground) -> LoggingFnT:
    async def hear(params: LoggingMessageNotificationParams) -> None:
        ground.said(params)

    return hear
