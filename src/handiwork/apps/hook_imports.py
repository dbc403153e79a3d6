"""Hooks of other agents' settings taken into ours, and hooks that can't ever be for anything."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..core.errors import UsageError
from .foreign_names import OURS, names_of
from .hook_config import CommandHook, read_hooks
from .house import House

_LEFT_OUT = ("statusMessage", "description")
_NEEDLESS = [("type", "command")]
_OF_CALLS = ("pre_tool_call", "post_tool_call", "transform_tool_result")


@dataclass(frozen=True, slots=True)
class Imported:
    """What a file's hooks become: the new value of `hooks`, what is new in it, was in it, and stays behind."""

    hooks: dict[str, Any]
    added: tuple[CommandHook, ...]
    known: tuple[CommandHook, ...]
    left: tuple[str, ...]


def import_hooks(path: str, known: Mapping[str, Any]) -> Imported:
    """The hooks of *path*, a settings.json or a hooks.json, put to the *known* ones. Raises `UsageError`.

    A hook that can't be run as it is stays behind, with the reason.
    """
    merged = {event: list(entries) for event, entries in known.items()}
    added: list[CommandHook] = []
    there: list[CommandHook] = []
    left: list[str] = []
    for event, entry in _entries(_read(path)):
        try:
            (hook,) = read_hooks({event: [entry]})
        except UsageError as error:
            left.append(f"{event}: {error}")
            continue
        if entry in merged.get(event, []):
            there.append(hook)
        else:
            merged.setdefault(event, []).append(entry)
            added.append(hook)
    return Imported(merged, tuple(added), tuple(there), tuple(left))


def _read(path: str) -> Mapping[str, Any]:
    try:
        with open(path, encoding="utf-8-sig") as file:
            data = json.load(file)
    except OSError as error:
        raise UsageError(f"{path}: can't be read: {error.strerror}", "give a settings.json") from error
    except ValueError as error:
        raise UsageError(f"{path}: not JSON: {error}", "give a settings.json") from error
    hooks = data.get("hooks") if isinstance(data, dict) else None
    if not isinstance(hooks, dict):
        raise UsageError(f"{path}: holds no hooks", 'a file with {"hooks": {"PreToolUse": [...]}} is expected')
    return hooks


def _entries(hooks: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every hook by itself, in the flat form."""
    for event, entries in hooks.items():
        for entry in entries if isinstance(entries, list) else [entries]:
            group = _as_mapping(entry)
            matcher = {"matcher": group["matcher"]} if group.get("matcher") else {}
            for hook in group.get("hooks", [group]):
                yield event, matcher | {k: v for k, v in _as_mapping(hook).items() if (k, v) not in _NEEDLESS}


def _as_mapping(entry: Any) -> dict[str, Any]:
    """An entry without what only matters where it is shown; a bare text is taken for a command."""
    told = entry if isinstance(entry, dict) else {"command": entry}
    return {key: value for key, value in told.items() if key not in _LEFT_OUT}


def idle_matchers(house: House) -> Iterator[tuple[str, str]]:
    """Hooks of the configuration whose matcher fits no tool that is there: their labels and matchers."""
    names = [name for tool in house.registry.names() for name in names_of(tool)]
    for hook in read_hooks(house.config.hooks):
        is_far = hook.matcher.startswith("mcp__")  # of a server that may not be connected now
        if hook.point in _OF_CALLS and not is_far and not hook.matches(*names, *OURS):
            yield hook.label, hook.matcher
