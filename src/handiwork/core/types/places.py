"""Where work is done: commands and their environment, and what is fetched."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO, Literal, Protocol, TypeAlias

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
    """The one client that everything fetches with: each address, also of a redirect, is judged by the guard.

    `timeout_s` is for the whole exchange, `max_bytes` for the body as it is read, unpacked. `redirects` are
    followed at most; to another origin goes nothing that says who asks. Cookies aren't kept. Raises `FetchError`.
    """

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        timeout_s: float = 30.0,
        max_bytes: int = 10 << 20,
        redirects: int = 5,
    ) -> HttpReply: ...


class Doorkeeper(Protocol):
    """Says which addresses may be fetched from; an empty answer is a yes, any other is why not."""

    def why_not(self, url: str, /) -> str:
        """By the text of a URL."""
        ...

    def why_not_address(self, host: str, port: int, address: str, /) -> str:
        """By the address that *host* leads to, when it is about to be connected to."""
        ...


Network: TypeAlias = "Literal['on', 'off'] | tuple[str, ...]"
FileKind: TypeAlias = Literal["file", "directory", "link", "other"]


@dataclass(frozen=True, slots=True)
class SandboxPolicy:
    """What a sandboxed command may do, beside working in its workspace and its private temporary folder.

    `writable` and `readable` are further folders or files; the home is hidden but for the latter and
    for what the environment knows tools to need, the rest of the system is read-only. Files that are
    `hidden` are out of sight wherever they are. A tuple as
    `network` is the list of hosts that may be reached. Limits are per command: processor seconds, bytes
    of memory of a process, bytes of a file, processes; None is no limit.
    """

    writable: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()
    network: Network = "on"
    cpu_s: int | None = None
    memory_bytes: int | None = None
    file_bytes: int | None = None
    processes: int | None = None
    hidden: tuple[str, ...] = ()
    workspace_writes: bool = True


@dataclass(frozen=True, slots=True)
class Containment:
    """What the kernel holds the commands of one workspace to, whatever they turn out to do.

    Where `files` holds, they change nothing of this machine but what lies in `writable`; where `modes` does,
    not even modes and times. `processes` says that they reach none but their own; `network` as in `SandboxPolicy`.
    """

    files: bool = False
    modes: bool = False
    processes: bool = False
    network: Network = "on"
    writable: tuple[str, ...] = ()


@dataclass(slots=True)
class ShellState:
    """What the commands of one session hand on to the next: the folder and the exported variables.

    `exported` holds what differs from the environment's own; "" stands for a variable that is unset.
    """

    cwd: str
    exported: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ran:
    """A finished command. `output` holds head and tail where the whole was too long; `path` the whole.

    `process` is what the command left running in the background when it ended by itself. `state` is
    what it would hand on, None where it was ended before it could tell. `note` is what the environment
    has to say about a failure of its making: which rule it was, and how to allow it.
    """

    output: str
    exit_code: int
    duration_ms: float
    timed_out: bool = False
    cancelled: bool = False
    path: str = ""
    process: Process | None = None
    state: ShellState | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    """A command line for an environment: a shell text, where it runs and for how long (seconds).

    `env` is added to the environment's own variables. A sandbox lets it write in `workspace`.
    `terminal` gives it a pseudo-terminal instead of pipes. What is `detached` outlives the environment.
    """

    text: str
    cwd: str
    timeout_s: float = 120.0
    env: Mapping[str, str] = field(default_factory=dict)
    max_output_chars: int = 50_000
    workspace: str = ""
    terminal: bool = False
    detached: bool = False


@dataclass(frozen=True, slots=True)
class FileStat:
    """What there is under a path. Size (bytes), inode and time of change tell one state from the next."""

    kind: FileKind
    size: int
    modified_ns: int
    inode: int
    mode: int = 0o644
    links: int = 1

    def same_state(self, other: FileStat | None) -> bool:
        """Whether *other* tells of the same content: a change of mode or of other names isn't one."""
        ours = (self.inode, self.size, self.modified_ns)
        return other is not None and ours == (other.inode, other.size, other.modified_ns)


class Files(Protocol):
    """The files of an environment.

    `real` resolves a path, absolute or from `~`, as it is now; the others take such a real path and
    refuse, with `UsageError`, to follow a link on the way: what was judged is what is opened. `replace`
    and `remove` do so whole or not at all, and only while the file is still what *expected* tells
    (None: there is none). Missing folders are made; a new file gets *mode*, else what the umask leaves.
    `place` names where the files are, for locks and memory.
    """

    place: str

    def real(self, path: str, /) -> str: ...

    def stat(self, path: str, /) -> FileStat | None: ...

    def names(self, path: str, /) -> Iterable[tuple[str, FileStat]]: ...

    def open(self, path: str, /) -> BinaryIO: ...

    def replace(self, path: str, data: bytes, /, *, expected: FileStat | None, mode: int | None = None) -> FileStat: ...

    def remove(self, path: str, /, *, expected: FileStat) -> None: ...

    def locked(self, paths: Iterable[str], /) -> AbstractContextManager[None]: ...


class Process(Protocol):
    """A command that is still running, or has ended.

    `output` gives text from an offset on and the offset that follows it; a negative offset counts
    from the end. Offsets are bytes of what was printed. `listen` has *hear* called with what is kept
    and then with all that comes, from another thread. A U+0004 at the end of what is written closes
    its input. `signal` and `kill` reach everything that it started. `note` is what its owner should know.
    """

    id: str
    command: str
    note: str

    def poll(self) -> int | None: ...

    def output(self, offset: int = 0, limit: int = 20_000) -> tuple[str, int]: ...

    def listen(self, hear: Callable[[bytes], None], /) -> None: ...

    def write(self, text: str) -> None: ...

    def wait(self, timeout_s: float) -> int | None: ...

    def signal(self, number: int) -> None: ...

    def kill(self) -> int | None: ...


class Environment(Protocol):
    """A place where commands run, and its files. Nothing that commands started outlives `close`."""

    @property
    def files(self) -> Files: ...

    def run(self, command: Command, /, cancel: CancelToken | None = None) -> Ran: ...

    def spawn(self, command: Command, /) -> Process: ...

    def close(self) -> object: ...
