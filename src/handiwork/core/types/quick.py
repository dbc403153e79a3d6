"""Dataclasses that every call makes several of: frozen for the type checker, plain where they run.

A frozen one is filled field by field with `object.__setattr__`, which takes six times as long: with twelve fields
1.2 us in place of 0.2, five times in a call. They are hashed and compared as frozen ones are.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414 (that is how one is given on)
else:

    def dataclass(*, frozen: bool, slots: bool) -> Any:
        """As `dataclasses.dataclass`."""
        return dataclasses.dataclass(slots=slots, unsafe_hash=frozen)
