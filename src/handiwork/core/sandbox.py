"""The part of the configuration that says where commands run, and what they may do there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

PLACES = ("auto", "bubblewrap", "landlock", "local", "none")
REMOTE_PLACES = ("ssh", "docker")


@dataclass(frozen=True, slots=True)
class Sandbox:
    """Where commands run.

    `backend` is `auto` (the strongest sandbox that works), `bubblewrap`, `landlock`, `local` or `none`
    (no sandbox), `ssh:HOST` or `docker:CONTAINER`. `network` is `on`, `off` or a list of hosts. `writable`
    and `readable` are paths beside the workspace, which itself is for them to `write` or to
    `read`. Limits are for each command.
    """

    backend: str = "auto"
    network: str | tuple[str, ...] = "on"
    writable: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()
    cpu_seconds: int | None = None
    memory_mb: int | None = None
    max_processes: int | None = None
    max_file_mb: int | None = None
    workspace: str = "write"


NO_WISHES = Sandbox()
# What only a sandbox keeps; paths that are allowed beside need none.
_KEPT = ("network", "cpu_seconds", "memory_mb", "max_processes", "max_file_mb", "workspace")
NO_WISHES = Sandbox()
SANDBOX_KEYS: tuple[str, ...] = tuple(f.name for f in fields(Sandbox))


def problem_with_sandbox(said: Mapping[Any, Any]) -> str | None:
    """What is wrong with the mapping under `sandbox`, in words, or None."""
    for key, value in said.items():
        if key not in SANDBOX_KEYS:
            return f"sandbox: unknown key {key!r}; there are {', '.join(SANDBOX_KEYS)}"
        if expected := _missed(str(key), value):
            return f"sandbox.{key}: expected {expected}, got {value!r}"
    return None


def _missed(key: str, value: Any) -> str | None:
    """What *key* takes, where *value* isn't that."""
    if key == "backend":
        return None if is_place(value) else f"one of {', '.join(PLACES)}, ssh:HOST, docker:CONTAINER"
    if key == "network":
        fine = isinstance(value, bool) or value in ("on", "off") or _is_texts(value)
        return None if fine else "on, off or a list of hosts"
    if key in ("writable", "readable"):
        whole = _is_texts(value) and all(v.startswith(("/", "~/")) or v == "~" for v in value)
        return None if whole else "a list of whole paths, such as [~/data]"
    if key == "workspace":
        return None if value in ("write", "read") else "write or read"
    limit = value is None or (isinstance(value, int) and not isinstance(value, bool) and value > 0)
    return None if limit else "a whole number more than 0"


def is_place(value: Any) -> bool:
    """Whether *value* names a place for commands. A host that begins with a dash would be an option."""
    if not isinstance(value, str) or value in PLACES:
        return isinstance(value, str)
    kind, _, name = value.partition(":")
    return kind in REMOTE_PLACES and bool(name) and not name.startswith("-") and name.isprintable() and " " not in name


def limits_in(sandbox: Sandbox) -> tuple[str, ...]:
    """The keys by which *sandbox* limits commands."""
    return tuple(key for key in _KEPT if getattr(sandbox, key) != getattr(NO_WISHES, key))


def is_elsewhere(backend: str) -> bool:
    """Whether a place has files of its own: another machine, a container."""
    return ":" in backend


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(v, str) for v in value)


def as_sandbox(said: Mapping[str, Any]) -> Sandbox:
    """The mapping under `sandbox` as a value. YAML reads `on` and `off` as true and false."""
    return Sandbox(**{key: _plain(value) for key, value in said.items()})


def _plain(value: Any) -> Any:
    if isinstance(value, bool):
        return "on" if value else "off"
    return tuple(value) if isinstance(value, list) else value
