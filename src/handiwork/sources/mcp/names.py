"""What a server's tool is called here: plain where that is clear, else with a mark that keeps names apart."""

from __future__ import annotations

import hashlib
import re

_MOST = 64  # what every provider takes
_MOST_SERVER = 24
_PLAIN = re.compile(r"[A-Za-z0-9_-]+")
_ODD = re.compile(r"[^A-Za-z0-9-]+")
_MARK_CHARS = 8


def tool_name(server: str, tool: str) -> str:
    """`mcp__<server>__<tool>`: at most 64 letters, digits, _ and -, and the same at every start.

    Different pairs get different names: a name that had to be changed, or that could be read as
    another pair (`a__b` and `c`, `a` and `b__c`), ends in a hash of what it was.
    """
    front = f"mcp__{server_part(server)}__"
    if _PLAIN.fullmatch(tool) and len(front) + len(tool) <= _MOST:
        return front + tool
    room = _MOST - len(front) - _MARK_CHARS - 1
    return f"{front}{_plain(tool, room, 'tool')}_{_mark(tool)}"


def server_part(server: str) -> str:
    """The server in the names of its tools and of its toolset."""
    clear = _PLAIN.fullmatch(server) and "__" not in server and not server.endswith("_")
    if clear and len(server) <= _MOST_SERVER:
        return server
    return f"{_plain(server, _MOST_SERVER - _MARK_CHARS - 1, 'server')}-{_mark(server)}"


def toolset_name(server: str) -> str:
    """The toolset that a server's tools belong to."""
    return f"mcp-{server_part(server)}"


def _plain(text: str, room: int, otherwise: str) -> str:
    """What can be kept of *text*, without a double underscore."""
    return _ODD.sub("_", text)[:room].strip("_") or otherwise


def _mark(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_MARK_CHARS]
