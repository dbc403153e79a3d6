"""Where work is done: commands and their environment, and what is fetched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ..cancel import CancelToken


@dataclass(frozen=True, slots=True)
class HttpReply:
    """Status, headers (lower-case names) and body of one exchange; `url` is where it ended."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str


class Http(Protocol):
    """The one client that backends and tools fetch with, checked by the guard."""

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        timeout_s: float = 30.0,
    ) -> HttpReply: ...


@dataclass(frozen=True, slots=True)
class Ran:
    """A finished command. `output` holds head and tail where the whole was too long; `path` the whole.

    `process` is what the command left running in the background when it ended by itself.
    """

    output: str
    exit_code: int
    duration_ms: float
    timed_out: bool = False
    cancelled: bool = False
    path: str = ""
    process: Process | None = None


@dataclass(frozen=True, slots=True)
class Command:
    """A command line for an environment: a shell text, where it runs and for how long (seconds)."""

    text: str
    cwd: str
    timeout_s: float = 120.0
    env: Mapping[str, str] = field(default_factory=dict)
    max_output_chars: int = 50_000


class Process(Protocol):
    """A command that is still running, or has ended.

    `output` gives text from an offset on and the offset that follows it; a negative offset counts
    from the end. Offsets are bytes of what was printed. A U+0004 at the end of
    what is written closes its input.
    """

    id: str
    command: str

    def poll(self) -> int | None: ...

    def output(self, offset: int = 0, limit: int = 20_000) -> tuple[str, int]: ...

    def write(self, text: str) -> None: ...

    def wait(self, timeout_s: float) -> int | None: ...

    def kill(self) -> int | None: ...


class Environment(Protocol):
    """A place where commands run."""

    def run(self, command: Command, /, cancel: CancelToken | None = None) -> Ran: ...

    def spawn(self, command: Command, /) -> Process: ...

    def close(self) -> object: ...
