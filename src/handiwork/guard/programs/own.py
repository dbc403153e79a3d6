"""Programs that a person describes in their configuration, in the words of the table.

programs:
  showlog: {only_reads: true}
  kc: {like: kubectl}
  dbtool:
    does: {drop: database, "rm": "delete all", "push --to": send}
    values: -c --config
    ask: [dbtool drop users]
    allow: [dbtool list]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from handiwork.core.errors import UnknownNameError, UsageError

from ..command_policy import KINDS
from .entry import Program, Rule
from .matching import compiled
from .table import program_named, program_names
from .table_names import known_name

_KEYS: Final = ("only_reads", "like", "does", "values", "allow", "ask", "forbid")
_EXAMPLES: Final = ("allow", "ask", "forbid")
_PLACES: Final = ("all", "first", "last", "but-last")


def read_programs(said: Mapping[Any, Any]) -> dict[str, Program]:
    """The entries by name. Raises `UsageError` for one that can't be read. Its examples are for `examples_of`."""
    return {str(name): _read(str(name), entry) for name, entry in said.items()}


def examples_of(programs: Mapping[str, Program]) -> list[tuple[str, str, str]]:
    """Each example of the entries: the program, the command, what must become of it."""
    return [(name, text, action) for name, entry in programs.items()
            for action in _EXAMPLES for text in getattr(entry, action)]  # fmt: skip


def _read(name: str, said: Any) -> Program:
    if not name or " " in name or "/" in name:
        raise UsageError(f"programs: {name!r} is no name of a program", "write it as it is called, without a folder")
    if not isinstance(said, dict) or not said:
        raise UsageError(f"programs.{name}: expected a mapping, got {said!r}", f"there are {', '.join(_KEYS)}")
    if strange := sorted(set(map(str, said)) - set(_KEYS)):
        raise UsageError(f"programs.{name}: unknown key {strange[0]!r}", f"there are {', '.join(_KEYS)}")
    base = _base(name, said)
    values = f"{base.values} {said.get('values', '')}".strip()
    return replace(
        base,
        called=name,
        values=values,
        rules=(*base.rules, *_rules(name, said.get("does", {}))),
        allow=_texts(name, said, "allow"),
        ask=_texts(name, said, "ask"),
        forbid=_texts(name, said, "forbid"),
    )


def _base(name: str, said: Mapping[str, Any]) -> Program:
    """What the entry goes out from: the program it is like, the one of that name in the table, or nothing."""
    known = program_named(name)
    if ("like" in said or said.get("only_reads")) and known_name(name):
        raise UsageError(f"programs.{name}: what {name} does isn't for a configuration to take away", "only add `does`")
    if "like" in said:
        like = program_named(str(said["like"]))
        if like is None:
            raise UnknownNameError(f"program in programs.{name}.like", str(said["like"]), program_names())
        return like
    if said.get("only_reads"):
        return Program(name, only_reads=True, quiet=False)
    return known or Program(name)


def _rules(name: str, said: Any) -> tuple[Rule, ...]:
    if not isinstance(said, dict):
        raise UsageError(f"programs.{name}.does: expected a mapping, got {said!r}", "such as {drop: database}")
    return tuple(_rule(name, str(when), str(does)) for when, does in said.items())


def _rule(name: str, when: str, does: str) -> Rule:
    kind, _, on = does.partition(" ")
    if kind not in KINDS:
        raise UnknownNameError(f"effect in programs.{name}.does", kind, KINDS)
    if on and on not in _PLACES and not on.startswith("-") and not on.endswith("="):
        raise UsageError(f"programs.{name}.does: unknown place {on!r}", f"there are {', '.join(_PLACES)}, -o, of=")
    try:
        compiled(when)
    except ValueError as error:
        raise UsageError(f"programs.{name}.does: {error}") from error
    return Rule(when, kind, on)


def _texts(name: str, said: Mapping[str, Any], key: str) -> tuple[str, ...]:
    texts = said.get(key, [])
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise UsageError(f"programs.{name}.{key}: expected a list of commands, got {texts!r}")
    return tuple(texts)
