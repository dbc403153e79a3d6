"""A program that is told one thing on its standard input and answers on both of its outputs."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

from .child import Child, Nursery
from .follow import Follower

MOST_BYTES = 1_048_576
# What a program writes to its error output is kept in memory by the system: more than this ends it. Bytes.
_MOST_ERRORS = 16 * MOST_BYTES
_LOOK_EVERY_S = 0.25


@dataclass(frozen=True, slots=True)
class Exchanged:
    """What a program answered: the first MiB of each output, its exit code, None where it was ended."""

    out: str
    err: str
    code: int | None
    duration_ms: float
    timed_out: bool = False


def exchange(
    nursery: Nursery, command: str, told: bytes, *, cwd: str, env: Mapping[str, str], timeout_s: float
) -> Exchanged:
    """Run *command* in a shell, give it *told*, and read until it has ended. All that it started ends with it.

    Raises `UsageError` where it can't be started.
    """
    started = time.perf_counter()
    argv = (_shell(), "-c", f"exec 2>&9 9>&-\n{command}")
    child = nursery.start(argv, cwd=cwd, env=env, keyboard=True, state=True)
    out = bytearray()
    threading.Thread(target=_tell, args=(os.dup(child.stdin), told), daemon=True).start()
    child.close_stdin()
    try:
        ended = _follow(child, out, time.monotonic() + timeout_s)
    finally:
        child.kill()
        err = child.state
        code = child.poll()
        nursery.forget(child)
    took_ms = (time.perf_counter() - started) * 1000
    return Exchanged(_text(bytes(out)), _text(err), code if ended else None, took_ms, timed_out=not ended)


def _follow(child: Child, out: bytearray, deadline: float) -> bool:
    """Whether it ended by itself."""

    def hear(chunk: bytes) -> None:
        out.extend(chunk[: MOST_BYTES - len(out)])

    follower = Follower(child, hear)
    return follower.follow_while(lambda: child.state_bytes < _MOST_ERRORS, deadline, _LOOK_EVERY_S)


@cache
def _shell() -> str:
    return shutil.which("bash") or "/bin/sh"


def _tell(descriptor: int, told: bytes) -> None:
    """Write it all. Whoever doesn't read to the end, or at all, has chosen so."""
    with suppress(BrokenPipeError), open(descriptor, "wb", buffering=0) as stream:
        left = memoryview(told)
        while left:
            left = left[stream.write(left) or 0 :]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
