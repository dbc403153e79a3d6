"""What a command reads from and writes to: `<`, `>`, here-documents, here-strings."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .heredocs import Heredoc, heredoc_at
from .marks import REMOTE, UNKNOWN, is_known
from .session import Shell
from .words import expand_one, expand_text

if TYPE_CHECKING:
    from tree_sitter import Node

_SOCKET = re.compile(r"/dev/(?:tcp|udp)/", re.IGNORECASE)
_QUIET = frozenset(("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd/1", "/dev/fd/2", "/dev/stdin"))
_DIGITS = re.compile(r"\d+-?\Z|-\Z")


@dataclass(slots=True)
class Redirects:
    """What one command is joined to. `stdin` is None where nothing is said; `writes` are (path, appending)."""

    stdin: str | None = None
    writes: list[tuple[str, bool]] = field(default_factory=list)
    socket: str = ""
    feeds: list[str] = field(default_factory=list)

    @property
    def is_wired(self) -> bool:
        """Whether something else is read or changed by what is joined here."""
        return bool(self.stdin is not None or self.writes or self.socket or self.feeds)


def read_redirects(nodes: list[Node], source: bytes, documents: list[Heredoc], shell: Shell) -> Redirects:
    """Read the redirections of one command, in their order."""
    found = Redirects()
    here_string = False
    for node in nodes:
        if node.type == "ERROR":
            here_string = source[node.start_byte : node.end_byte] == b"<<"
        elif node.type == "herestring_redirect" or here_string:
            raw = source[node.children[-1].start_byte : node.end_byte].decode("utf-8", "replace")
            found.stdin = expand_one(raw, shell) + "\n"
            here_string = False
        else:
            _file(node, source, documents, shell, found)
    return found


def _file(node: Node, source: bytes, documents: list[Heredoc], shell: Shell, found: Redirects) -> None:
    operator, target = "", ""
    for child in node.children:
        if child.type == "file_descriptor":
            continue
        raw = source[child.start_byte : child.end_byte].decode("utf-8", "replace")
        if not child.is_named and not operator:
            operator = raw
        else:
            document = heredoc_at(raw, documents)
            if document is not None:
                found.stdin = document.text if document.literal else expand_text(document.text, shell)
                return
            target = expand_one(raw, shell)
            break
    if not target or operator.endswith("&-"):
        return
    if operator.endswith("&") and _DIGITS.match(target):
        found.socket = found.socket or ("open" if target.rstrip("-") in shell.sockets else "")
        if operator == "<&" and found.socket:
            found.stdin = REMOTE
        return
    _join(operator, target, node, source, shell, found)


def _join(operator: str, target: str, node: Node, source: bytes, shell: Shell, found: Redirects) -> None:
    if _SOCKET.match(target):
        found.socket = target
        found.stdin = REMOTE if operator == "<" else found.stdin
        _remember_socket(node, source, shell)
    elif operator == "<":
        found.stdin = _content(target, shell)
    elif target in shell.sinks:
        found.feeds.append(shell.sinks[target])
    elif target not in _QUIET:
        found.writes.append((target, operator in (">>", "&>>")))


def _remember_socket(node: Node, source: bytes, shell: Shell) -> None:
    first = node.children[0]
    if first.type == "file_descriptor":
        shell.sockets.add(source[first.start_byte : first.end_byte].decode("ascii", "replace"))


def _content(path: str, shell: Shell) -> str:
    """The text of a file that is read; unknown for one that the command didn't write itself."""
    if not is_known(path):
        return UNKNOWN
    content = shell.content(path)
    return shell.reads(path) if content is None else content
