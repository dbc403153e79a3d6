"""The person's own entries of programs, with their examples tried."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.errors import UsageError
from ..guard.commands import judge_command
from ..guard.programs.entry import Program
from ..guard.programs.own import examples_of, read_programs


def read_own_programs(said: Mapping[Any, Any]) -> dict[str, Program]:
    """The entries under `programs`, by name. Raises `UsageError`, also where an example comes out otherwise."""
    programs = read_programs(said)
    for name, text, action in examples_of(programs):
        found = judge_command(text, "/work", workspace="/work", programs=programs)
        if found.action != action:
            why = "; ".join(found.reasons) or "nothing speaks against it"
            raise UsageError(f"programs.{name}: {text!r} should come out as {action}, not {found.action}", why)
    return programs
