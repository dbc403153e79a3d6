"""Scripts that start copies of themselves without end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

_ENDLESS = (b"true", b":", b"1", b"[ 1 ]", b"((1))", b"[[ 1 ]]", b"/bin/true")
_PAUSES = frozenset((b"sleep", b"wait", b"read", b"inotifywait", b"break", b"exit"))


def bombs_in_function(name: str, body: Node, source: bytes) -> bool:
    """Whether a function calls itself in a pipe or in the background."""
    return any(
        _name(command, source) in (name.encode(), b"$0") and _multiplies(command, body) for command in _commands(body)
    )


def bombs_in_loop(loop: Node, source: bytes) -> bool:
    """Whether an endless loop starts programs in the background and never waits."""
    body = loop.child_by_field_name("body")
    if not _is_endless(loop, body, source):
        return False
    if body is None:
        return False
    names = {_name(command, source) for command in _commands(body)}
    grows = {b"mkdir", b"cd"} <= names or b">>" in source[body.start_byte : body.end_byte]
    beside = any(c.next_sibling is not None and c.next_sibling.type == "&" for c in _commands(body))
    if not grows and not beside:
        return False
    return not _PAUSES & names


def _is_endless(loop: Node, body: Node | None, source: bytes) -> bool:
    head = [c for c in loop.children if c.is_named and (body is None or c.id != body.id)]
    if loop.type == "c_style_for_statement":
        return loop.child_by_field_name("condition") is None
    return bool(head) and source[head[0].start_byte : head[0].end_byte].strip() in _ENDLESS


def _commands(node: Node) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        found = waiting.pop()
        if found.type == "command":
            yield found
        waiting.extend(found.children)


def _name(command: Node, source: bytes) -> bytes:
    name = command.child_by_field_name("name")
    return source[name.start_byte : name.end_byte] if name is not None else b""


def _multiplies(command: Node, body: Node) -> bool:
    """Whether the command stands in a pipe of its function, or runs beside it."""
    node: Node | None = command
    while node is not None and node.id != body.id:
        if node.type == "pipeline" or (node.next_sibling is not None and node.next_sibling.type == "&"):
            return True
        node = node.parent
    return False
