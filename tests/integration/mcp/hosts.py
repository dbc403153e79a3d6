"""Hosts of test servers, and calls through the whole pipeline."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from handiwork.catalog.store import ToolRegistry
from handiwork.core.types import ToolCall, ToolResult
from handiwork.guard.policies import policy
from handiwork.pipeline.limits import Limits
from handiwork.pipeline.line import Pipeline
from handiwork.sources.mcp.host import Host
from handiwork.sources.mcp.settings import problem_with_servers, read_servers

HERE = Path(__file__).parent
PEER, FAULTY = str(HERE / "peer.py"), str(HERE / "faulty_peer.py")


def peer(**more: Any) -> dict[str, Any]:
    """The settings of a well-behaved server over stdio."""
    return {"command": sys.executable, "args": [PEER, "stdio"], **more}


def faulty(mode: str, **more: Any) -> dict[str, Any]:
    """The settings of a server with a fault."""
    return {"command": sys.executable, "args": [FAULTY, mode], **more}


class Ground:
    """A host with its registry and pipeline, as a house puts them together."""

    def __init__(self, servers: dict[str, Any], home: Path, person: Any = None) -> None:
        assert problem_with_servers(servers) is None
        self.registry = ToolRegistry()
        self.host = Host(self.registry, read_servers(servers), home=str(home), person=person)
        self.registry.whereabouts.append(self.host.missed)
        limits = Limits(folder=str(home / "results"))
        self.pipeline = Pipeline(self.registry, judge=policy(), limits=limits)

    def call(self, name: str, **args: Any) -> ToolResult:
        return self.pipeline.run(ToolCall(name, args))

    def timed(self, name: str, **args: Any) -> tuple[ToolResult, float]:
        began = time.monotonic()
        return self.call(name, **args), time.monotonic() - began


@contextmanager
def grounded(servers: dict[str, Any], home: Path, person: Any = None) -> Iterator[Ground]:
    """A host whose servers are ended with the block."""
    ground = Ground(servers, home, person)
    try:
        yield ground
    finally:
        ground.host.close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def serving(kind: str, port: int, notes: Path | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """The well-behaved server as a web service on this machine."""
    env = {"PEER_NOTES": str(notes)} if notes else None
    with subprocess.Popen([sys.executable, PEER, kind, str(port)], env=env, stderr=subprocess.DEVNULL) as process:
        try:
            wait_for_port(port)
            yield process
        finally:
            process.kill()


def wait_for_port(port: int) -> None:
    deadline = time.monotonic() + 15
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError(f"nothing listens on port {port}")


def is_running(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in ("Z", "X")


def wait_until(condition: Any, seconds: float = 5.0) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return bool(condition())
