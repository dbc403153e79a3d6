"""Puts tool calls together from the pieces in which providers stream them.

The pieces should carry an index, an id and a name once, then arguments. Many servers leave out the
index or share it, send the id late or never, or repeat the name with every piece.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from handiwork.core.types import ToolCall
from handiwork.core.wire import dumps


@dataclass(slots=True)
class _Slot:
    """A call that is still growing."""

    index: int | None
    id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list)

    @property
    def arguments(self) -> str:
        return "".join(self.pieces)


@dataclass(frozen=True, slots=True)
class _Piece:
    """One streamed piece of a call, with what is missing as empty."""

    index: int | None
    id: str
    name: str
    arguments: str


class CallAssembly:
    """Takes the pieces in as they come; `calls` are the calls they make, in order of appearance.

    *names* are the tools that were supplied: with them a name that comes in two halves is told
    from a second call.
    """

    __slots__ = ("_names", "_slots")

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names = frozenset(names)
        self._slots: list[_Slot] = []

    def add(self, delta: Mapping[str, Any]) -> None:
        """One element of `delta.tool_calls`."""
        piece = _read(delta)
        slot = self._slot_for(piece)
        slot.id = slot.id or piece.id
        if piece.name:
            slot.name = self._joined(slot.name, piece.name)
        if piece.arguments:
            slot.pieces.append(piece.arguments)

    def calls(self) -> tuple[ToolCall, ...]:
        """What has arrived: arguments as the raw text; ids may still be empty."""
        return tuple(ToolCall(s.name, s.arguments, s.id) for s in self._slots if s.name or s.pieces)

    def _slot_for(self, piece: _Piece) -> _Slot:
        slot = self._candidate(piece)
        if slot is None or self._begins_another(slot, piece):
            slot = _Slot(piece.index)
            self._slots.append(slot)
        return slot

    def _candidate(self, piece: _Piece) -> _Slot | None:
        """The call that the piece continues, if its id, its index or its place says so."""
        newest_first = self._slots[::-1]
        if piece.id:
            for slot in newest_first:
                if slot.id == piece.id:
                    return slot
        named = next((s for s in newest_first if s.index == piece.index), None) if piece.index is not None else None
        if named is not None or (piece.index is not None and (piece.id or piece.name)):
            return named
        # No call has this index and the piece begins none: its call began under another index.
        return newest_first[0] if newest_first else None

    def _begins_another(self, slot: _Slot, piece: _Piece) -> bool:
        if piece.id and slot.id:
            return piece.id != slot.id
        if not piece.name or not slot.name:
            return False
        if self._joined(slot.name, piece.name) not in (slot.name, piece.name) and not slot.pieces:
            return False
        if piece.name != slot.name and not piece.name.startswith(slot.name):
            return True
        return _is_whole(slot.arguments) and piece.arguments.lstrip().startswith("{")

    def _joined(self, had: str, came: str) -> str:
        """A repeated or growing name counts once; two halves of a known name are put together."""
        if not had or came.startswith(had):
            return came
        halves = had + came
        return halves if any(name.startswith(halves) for name in self._names) else had


def _read(delta: Mapping[str, Any]) -> _Piece:
    function = delta.get("function")
    function = function if isinstance(function, Mapping) else {}
    arguments = function.get("arguments")
    if arguments is not None and not isinstance(arguments, str):
        arguments = dumps(arguments)
    index = delta.get("index")
    return _Piece(
        index if isinstance(index, int) else None,
        str(delta.get("id") or ""),
        str(function.get("name") or ""),
        arguments or "",
    )


def _is_whole(arguments: str) -> bool:
    try:
        json.loads(arguments)
    except ValueError:
        return False
    return True
