"""The configuration as a value: what can be set, of which kind, and what holds when nothing is set."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeAlias, get_args

CONFIG_VERSION = 1
Mode: TypeAlias = Literal["ask", "accept-edits", "read-only", "yolo"]


@dataclass(frozen=True, slots=True)
class CustomToolset:
    """A toolset that a person put together in their configuration."""

    description: str = ""
    tools: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sandbox:
    """Where commands run, and what they may do there.

    `backend` is `auto`, `bubblewrap`, `landlock`, `local` (none at all), `ssh:HOST` or `docker:CONTAINER`.
    `network` is `on`, `off` or a list of hosts. `writable` and `readable` are paths beside the workspace.
    """

    backend: str = "auto"
    network: str | tuple[str, ...] = "on"
    writable: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()
    cpu_seconds: int | None = None
    memory_mb: int | None = None
    max_processes: int | None = None
    max_file_mb: int | None = None


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that a configuration file can say.

    `model` is a model string such as `local/qwen2.5-coder-1.5b`. `toolsets` and `disabled_toolsets`
    are the two switches; empty `toolsets` means the preset of the face. `context_tokens` is the size
    of the model's context; beyond `tools_budget_tokens`, or a tenth of that context, tools are deferred
    behind the tool search, which finds by meaning, too, with `tool_search_embeddings`. `max_steps` and
    `max_seconds` bound one task. `sandbox` says where commands run. `plugins_disabled` names plugins that stay out, `plugins_override`
    those that may replace tools of others.
    """

    version: int = CONFIG_VERSION
    model: str = ""
    base_url: str = ""
    toolsets: tuple[str, ...] = ()
    disabled_toolsets: tuple[str, ...] = ()
    custom_toolsets: Mapping[str, CustomToolset] = field(default_factory=dict)
    context_tokens: int | None = None
    tools_budget_tokens: int | None = None
    tool_search_embeddings: bool = False
    max_steps: int = 50
    max_seconds: float = 1800.0
    mode: Mode = "accept-edits"
    sandbox: Sandbox = Sandbox()
    plugins_disabled: tuple[str, ...] = ()
    plugins_override: tuple[str, ...] = ()

    @property
    def tools_budget(self) -> int | None:
        """How many tokens the shown tools may cost; None where neither a budget nor the context is known."""
        if self.tools_budget_tokens is not None or self.context_tokens is None:
            return self.tools_budget_tokens
        return self.context_tokens // 10


KEYS: tuple[str, ...] = tuple(f.name for f in fields(Config))
MODES = get_args(Mode)
SANDBOX_KEYS: tuple[str, ...] = tuple(f.name for f in fields(Sandbox))
PLACES = ("auto", "bubblewrap", "landlock", "local", "none")
REMOTE_PLACES = ("ssh", "docker")

_KINDS: Mapping[str, Any] = {
    "version": (int,),
    "model": (str,),
    "base_url": (str,),
    "toolsets": (list,),
    "disabled_toolsets": (list,),
    "custom_toolsets": (dict,),
    "context_tokens": (int,),
    "tools_budget_tokens": (int,),
    "tool_search_embeddings": (bool,),
    "max_steps": (int,),
    "max_seconds": (int, float),
    "mode": (str,),
    "sandbox": (dict,),
    "plugins_disabled": (list,),
    "plugins_override": (list,),
}
_WORDS = {
    int: "a whole number",
    float: "a number",
    str: "text",
    bool: "true or false",
    list: "a list of names",
    dict: "a mapping",
}


def problem_with(key: str, value: Any) -> str | None:
    """What is wrong with *value* under the known *key*, in words, or None."""
    kinds = _KINDS[key]
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        return f"{key}: expected {_WORDS[kinds[-1]]}, got {value!r}"
    if isinstance(value, list) and not _is_texts(value):
        return f"{key}: expected a list of names, got {value!r}"
    if key == "version" and value > CONFIG_VERSION:
        return f"version: this file is from a newer Handiwork ({value}; this one knows {CONFIG_VERSION})"
    if key == "mode" and value not in MODES:
        return f"mode: expected one of {', '.join(MODES)}, got {value!r}"
    if key in ("max_steps", "max_seconds", "context_tokens", "tools_budget_tokens") and not 0 < value < math.inf:
        return f"{key}: expected a number more than 0, got {value!r}"
    return _problem_with_sandbox(value) if key == "sandbox" else None


def _problem_with_sandbox(said: Mapping[Any, Any]) -> str | None:
    for key, value in said.items():
        if key not in SANDBOX_KEYS:
            return f"sandbox: unknown key {key!r}; there are {', '.join(SANDBOX_KEYS)}"
        if expected := _expected_of_sandbox(key, value):
            return f"sandbox.{key}: expected {expected}, got {value!r}"
    return None


def _expected_of_sandbox(key: str, value: Any) -> str | None:
    """What *key* takes, where that isn't what *value* is."""
    if key == "backend":
        kind, _, name = value.partition(":") if isinstance(value, str) else ("", "", "")
        good = value in PLACES or (kind in REMOTE_PLACES and name and not name.startswith("-"))
        return None if good else f"one of {', '.join(PLACES)}, ssh:HOST, docker:CONTAINER"
    if key == "network":
        return None if isinstance(value, bool) or value in ("on", "off") or _is_texts(value) else "on, off or a list"
    if key in ("writable", "readable"):
        whole = _is_texts(value) and all(v.startswith(("/", "~/")) or v == "~" for v in value)
        return None if whole else "a list of whole paths, such as [~/data]"
    good = isinstance(value, int) and not isinstance(value, bool) and value > 0
    return None if good or value is None else "a whole number more than 0"


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(v, str) for v in value)


def as_field(key: str, value: Any) -> Any:
    """*value* as the field of `Config` holds it."""
    if key == "custom_toolsets":
        return {name: CustomToolset(**_frozen(entry or {})) for name, entry in value.items()}
    if key == "sandbox":
        return Sandbox(**_frozen({k: _as_switch(v) for k, v in value.items()}))
    return tuple(value) if isinstance(value, list) else value


def _as_switch(value: Any) -> Any:
    """YAML reads `on` and `off` as true and false."""
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else value


def _frozen(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()}


def home_folder() -> str:
    """Where a person's Handiwork keeps its state: `HANDIWORK_HOME`, else `~/.handiwork`."""
    return os.path.abspath(os.path.expanduser(os.environ.get("HANDIWORK_HOME") or "~/.handiwork"))
