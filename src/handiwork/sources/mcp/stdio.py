"""The transport of servers that are programs: messages on standard input and output, a line each."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCMessage, JSONRPCRequest

from .correspondence import Correspondence
from .framing import Lines, TooLong, read_messages
from .process import CHUNK_BYTES, ServerProcess

Incoming = MemoryObjectSendStream[SessionMessage | Exception]
Streams = tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]
# A server that says nothing to the first question of the new era is spoken to in the old one. Seconds.
DISCOVER_S = 3.0


@asynccontextmanager
async def over_pipes(process: ServerProcess, letters: Correspondence) -> AsyncIterator[Streams]:
    """The streams that the SDK's session talks through."""
    incoming, session_reads = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    session_writes, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_read, process, letters, incoming)
            tasks.start_soon(_write, process, letters, outgoing, incoming)
            try:
                yield session_reads, session_writes
            finally:
                session_reads.close()
                session_writes.close()
                tasks.cancel_scope.cancel()
    finally:
        for stream in (incoming, session_reads, session_writes, outgoing):
            stream.close()


async def _read(process: ServerProcess, letters: Correspondence, incoming: Incoming) -> None:
    lines = Lines()
    with incoming:
        while data := await process.output.read(CHUNK_BYTES):
            for line in lines.feed(data):
                for found in (line,) if isinstance(line, TooLong) else read_messages(line):
                    message = letters.read(found)
                    if message is not None and not await _deliver(incoming, message):
                        return


async def _deliver(incoming: Incoming, message: JSONRPCMessage) -> bool:
    """False when nobody listens any more."""
    try:
        await incoming.send(SessionMessage(message))
    except (anyio.BrokenResourceError, anyio.ClosedResourceError):
        return False
    return True


async def _write(
    process: ServerProcess,
    letters: Correspondence,
    outgoing: MemoryObjectReceiveStream[SessionMessage],
    incoming: Incoming,
) -> None:
    assert process.input is not None
    with outgoing:
        async for item in outgoing:
            letters.sent(item.message)
            text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
            try:
                process.input.write(text.encode("utf-8", "surrogatepass") + b"\n")
                await process.input.drain()
            except (ConnectionError, RuntimeError):  # it reads no more: the session sees an end, not silence
                incoming.close()
                return
            _wait_for_discovery(letters, item.message, incoming)


def _wait_for_discovery(letters: Correspondence, message: JSONRPCMessage, incoming: Incoming) -> None:
    if isinstance(message, JSONRPCRequest) and message.method == "server/discover":
        asyncio.get_running_loop().call_later(DISCOVER_S, give_up_on, message.id, letters, _send_soon(incoming))


def give_up_on(id: int | str, letters: Correspondence, tell: Callable[[JSONRPCMessage], object]) -> None:
    """Answer a request in the place of a server that doesn't."""
    if letters.waits_for(id):
        tell(letters.give_up(id))


def _send_soon(incoming: Incoming) -> Callable[[JSONRPCMessage], object]:
    return lambda message: asyncio.ensure_future(_deliver(incoming, message))
