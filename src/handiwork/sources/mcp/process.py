"""The program of a server: started, talked to through its pipes, and ended with all that it started."""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal

from ...backends.environment.children.child import Child, Nursery
from .logbook import Logbook

# How long a server may take to end by itself when its input closes, and when it is asked to. Seconds.
_LEAVE_S = 1.5
_TERMINATE_S = 0.5
_KILL_S = 0.8
_PIPE_BYTES = 1 << 20
CHUNK_BYTES = 1 << 18


class ServerProcess:
    """One running program with its pipes on the loop of whoever opened it."""

    def __init__(self, nursery: Nursery, child: Child, log: Logbook) -> None:
        self._nursery, self._child, self._log = nursery, child, log
        self.output = asyncio.StreamReader(limit=CHUNK_BYTES * 2)
        self.input: asyncio.StreamWriter | None = None
        self._transports: list[asyncio.BaseTransport] = []
        self._ended = asyncio.Event()
        self._is_over = False

    @property
    def pid(self) -> int:
        return self._child.pid

    async def connect(self) -> None:
        """Put the pipes on the loop. They are copies: the child's own are its nursery's to close."""
        loop = asyncio.get_running_loop()
        _widen(self._child.pipe)
        reads, errors = _copy(self._child.pipe, "rb"), _copy(self._child.errors, "rb")
        writes = _copy(self._child.stdin, "wb")
        self._child.close_stdin()
        protocol = asyncio.StreamReaderProtocol(self.output)
        self._transports.append((await loop.connect_read_pipe(lambda: protocol, reads))[0])
        self._transports.append((await loop.connect_read_pipe(lambda: _Errors(self._log), errors))[0])
        loop.add_reader(self._child.exit_fd, self._hear_end)
        flow = asyncio.StreamReaderProtocol(asyncio.StreamReader())
        transport, _ = await loop.connect_write_pipe(lambda: flow, writes)
        self._transports.append(transport)
        self.input = asyncio.StreamWriter(transport, flow, None, loop)

    def _hear_end(self) -> None:
        asyncio.get_running_loop().remove_reader(self._child.exit_fd)
        self._ended.set()

    async def ended(self) -> None:
        """Wait until the program has ended, though what it started may still run."""
        await self._ended.wait()

    def close_input(self) -> None:
        """Tell it that nothing more will come."""
        if self.input is not None:
            self.input.close()

    async def end(self) -> None:
        """Let it leave, ask it to, end it: at most 2.8 s. What it still prints is thrown away."""
        if self._is_over:
            return
        self._is_over = True
        self.close_input()
        asyncio.get_running_loop().remove_reader(self._child.exit_fd)
        draining = asyncio.ensure_future(_drain(self.output))
        try:
            await asyncio.to_thread(self._end)
        finally:
            draining.cancel()
            for transport in self._transports:
                transport.close()
            await asyncio.to_thread(self._nursery.forget, self._child)

    def _end(self) -> None:
        child = self._child
        if child.wait(_LEAVE_S) is None:
            child.terminate()
            child.wait(_TERMINATE_S)
        if child.alive():
            child.send_signal(signal.SIGKILL)
            if not child.wait_gone(_KILL_S):
                self._log.note(f"can't be ended: {', '.join(child.survivors()) or child.pid}")

    def how_it_ended(self) -> str:
        """How the program ended, in words; waits a moment for its exit code."""
        code = self._child.wait(0.3)
        if code is None:
            return "it closed its output but still runs"
        return f"it ended with exit code {code}" if code < 128 else f"it was ended by {_signal_name(code - 128)}"


async def start_server(
    nursery: Nursery, argv: list[str], *, cwd: str, env: dict[str, str], log: Logbook
) -> ServerProcess:
    """Start a program that serves. Raises `UsageError` for one that isn't there."""
    child = await asyncio.to_thread(nursery.start, argv, cwd=cwd, env=env, keyboard=True, errors=True)
    process = ServerProcess(nursery, child, log)
    try:
        await process.connect()
    except BaseException:
        await asyncio.shield(process.end())
        raise
    return process


class _Errors(asyncio.Protocol):
    """Standard error, which must be read, or the server would stand still."""

    def __init__(self, log: Logbook) -> None:
        self._log = log

    def data_received(self, data: bytes) -> None:
        self._log.write(data)


async def _drain(reader: asyncio.StreamReader) -> None:
    while await reader.read(CHUNK_BYTES):
        pass


def _copy(descriptor: int, mode: str) -> object:
    return os.fdopen(os.dup(descriptor), mode, 0)


def _widen(descriptor: int) -> None:
    """A wider pipe saves switches between us and a server with much to say; a system that has none to give is fine."""
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    except OSError:
        return


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
