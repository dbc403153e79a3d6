"""The form of an audit line, and the chain that holds the lines of one process together.

    {"v":1,"seg":"...","seq":3,<what happened>,"hash":"..."}

A segment is what one process wrote into one file. Its lines are counted from 0, and the hash of each is over the
hash of the one before and the line as it stands, up to the hash itself: any other byte, order or number shows.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

VERSION = 1
START = "0" * 64
_HASH = re.compile(rb',"hash":"([0-9a-f]{64})"\}$')
_HEAD = re.compile(rb'\{"v":\d+,"seg":"([\w.-]+)","seq":(\d+),')


@dataclass(frozen=True, slots=True)
class Link:
    """Where a chain stands: the number of its next line, and the hash of its last one."""

    seq: int = 0
    hash: str = START


def chained(segment: str, link: Link, bodies: Iterable[str]) -> tuple[bytes, Link]:
    """The lines for *bodies* (the members of a JSON object each, without braces), and where the chain then stands."""
    lines, seq, last = [], link.seq, link.hash
    head = f'{{"v":{VERSION},"seg":"{segment}","seq":'
    for body in bodies:
        # What isn't Unicode becomes an escape, which inside a JSON string is one of JSON's own.
        line = f"{head}{seq},{body}".encode("utf-8", "backslashreplace")
        last = hash_of(last, line)
        lines.append(b'%b,"hash":"%b"}\n' % (line, last.encode()))
        seq += 1
    return b"".join(lines), Link(seq, last)


def hash_of(before: str, line: bytes) -> str:
    """The hash of a line, without the end that holds it, after one with the hash *before*."""
    return hashlib.sha256(before.encode() + line).hexdigest()


def split(line: bytes) -> tuple[bytes, str]:
    """A line without its hash, and its hash; "" where it has none."""
    found = _HASH.search(line)
    return (line[: found.start()], found[1].decode()) if found else (line, "")


def head_of(line: bytes) -> tuple[str, int] | None:
    """Segment and number of a line, also of one that was cut short; None where it doesn't begin as a line does."""
    found = _HEAD.match(line)
    return (found[1].decode(), int(found[2])) if found else None


def read(line: bytes) -> dict[str, Any] | None:
    """What the line says; None where it can't be read."""
    try:
        value = json.loads(line)
    except ValueError:  # also what isn't UTF-8
        return None
    return value if isinstance(value, dict) else None


def stamp(at: float | None = None) -> str:
    """A time, now if none is given, as audit lines have it: UTC, to the millisecond."""
    return _millisecond(int((time.time() if at is None else at) * 1000))


@lru_cache(maxsize=2)
def _millisecond(at: int) -> str:
    seconds, rest = divmod(at, 1000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{rest:03d}Z"
