"""What a keeper is asked for: one program with its descriptors, as bytes on a socket."""

from __future__ import annotations

import marshal
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

# Where the helper finds the host's socket.
SOCKET_FD = 3
# Where a program finds its `state`.
STATE_FD = 9
# What the host asks the helper for: a keeper that ends with the host, or one that may stay.
ATTACHED, DETACHED = b"a", b"d"
# What a keeper says first.
HELLO = b"+"
# The byte that an order begins with; all others are numbers of signals.
START = 255
# What is said last of a tree. The end of the pipe says it, too, but a fork of the host may hold that open.
NOTHING_LEFT = b"\0"
_LENGTH = 8


class Order(NamedTuple):
    """A program to start and the descriptors that come with it.

    Always `exit` (gets the exit code), `gone` (gets the names of survivors, at last that
    nothing is left) and `output`; then `input` (nothing to read without it), `state` and `errors` (standard
    error is the output without it), as the flags say. A `terminal` is output and input in one.
    """

    argv: list[bytes]
    env: dict[bytes, bytes]
    cwd: bytes
    has_input: bool = False
    has_state: bool = False
    has_errors: bool = False
    terminal: bool = False
    detached: bool = False
    confinement: dict[str, Any] | None = None

    def pack(self) -> bytes:
        """The bytes that `unpack` reads."""
        body = marshal.dumps(tuple(self))
        return len(body).to_bytes(_LENGTH, "little") + body


def unpack(read: Callable[[int], bytes]) -> Order:
    """The order that comes out of *read*, which gives exactly as many bytes as it is asked for."""
    return Order(*marshal.loads(read(int.from_bytes(read(_LENGTH), "little"))))
