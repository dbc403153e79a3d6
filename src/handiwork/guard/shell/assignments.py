"""`name=value`, `name+=value`, `name=(a b)`, `name[i]=value`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .session import Shell
from .words import expand, expand_one

if TYPE_CHECKING:
    from tree_sitter import Node

_TARGET = re.compile(r"([A-Za-z_]\w*)(?:\[(.*?)\])?(\+?)=(.*)", re.DOTALL)
_ITEM = re.compile(r"""(?:[^\s'"\\$`()]|\\.|'[^']*'|"(?:[^"\\]|\\.)*"|\$\([^()]*\)|\$\{[^}]*\}|[$`])+""", re.DOTALL)


def assign(node: Node, source: bytes, shell: Shell, *, keep: bool) -> tuple[str, str]:
    """Read one assignment; its name and value. It is only kept where *keep*: else it is for one program."""
    raw = source[node.start_byte : node.end_byte].decode("utf-8", "replace")
    found = _TARGET.match(raw)
    if not found:
        return raw.partition("=")[0], ""
    name, index, more, written = found.groups()
    if index:
        expand_one('"' + index.replace('"', "") + '"', shell)
    if written.startswith("(") and written.endswith(")"):
        return name, _assign_list(name, written[1:-1], shell, more=bool(more))
    value = expand_one(written, shell)
    if more:
        value = (shell.value(name) or "") + value
    if keep:
        shell.assign(name, value)
    return name, value


def _assign_list(name: str, written: str, shell: Shell, *, more: bool) -> str:
    items = [word for found in _ITEM.finditer(written) for word in expand(found[0], shell)]
    shell.arrays[name] = (shell.arrays.get(name, []) if more else []) + items
    shell.variables.pop(name, None)
    return " ".join(items)
