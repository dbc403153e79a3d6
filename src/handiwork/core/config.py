"""The configuration as a value: what can be set, of which kind, and what holds when nothing is set."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, Literal, TypeAlias, get_args

from .fetching import THE_WEB, Fetching, as_fetching, problem_with_fetching
from .loading import Late
from .sandbox import NO_WISHES, Sandbox, as_sandbox, problem_with_sandbox
from .secrets import Secret, as_secrets, problem_with_secrets

prices = Late("handiwork.core.prices")
telemetry = Late("handiwork.core.telemetry")
CONFIG_VERSION = 1
Mode: TypeAlias = Literal["ask", "accept-edits", "auto", "read-only", "yolo"]


@dataclass(frozen=True, slots=True)
class CustomToolset:
    """A toolset that a person put together in their configuration."""

    description: str = ""
    tools: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that a configuration file can say. `docs/config.md` says what each key means.

    Lists are tuples; mappings marked "as written" are read by the part that they are for.
    """

    version: int = CONFIG_VERSION
    model: str = ""
    fallback_models: tuple[str, ...] = ()
    base_url: str = ""
    # What is shown: the two switches; no `toolsets` means the preset of the face.
    toolsets: tuple[str, ...] = ()
    disabled_toolsets: tuple[str, ...] = ()
    custom_toolsets: Mapping[str, CustomToolset] = field(default_factory=dict)
    # Beyond its budget, or a tenth of the model's context, tools wait behind the tool search.
    context_tokens: int | None = None
    tools_budget_tokens: int | None = None
    tool_search_embeddings: bool = False
    # Bounds of a result, of those of a turn, and of a tool or toolset by its name; in characters.
    max_result_chars: int = 100_000
    turn_result_chars: int = 200_000
    result_chars: Mapping[str, int] = field(default_factory=dict)
    # How many calls of a tool or toolset run at the same time; whether a turn's first error ends the rest of it.
    most_at_once: Mapping[str, int] = field(default_factory=dict)
    fail_fast: bool = False
    # Bounds of one task; `max_cost` is in US dollars, by `prices` (as written) and a table.
    max_steps: int = 50
    max_seconds: float = 1800.0
    max_tokens: int | None = None
    max_cost: float | None = None
    prices: Mapping[str, Any] = field(default_factory=dict)
    traces: Mapping[str, Any] = field(default_factory=dict)  # as written
    # What may be done. `policy`, `programs` and `profiles` are as written; `profile` is the one that holds.
    mode: Mode = "accept-edits"
    reviewer: str = ""  # a model that is asked before the person in mode `auto`
    approval_seconds: float | None = None  # how long a person may take
    policy: Mapping[str, Any] = field(default_factory=dict)
    programs: Mapping[str, Any] = field(default_factory=dict)
    profiles: Mapping[str, Any] = field(default_factory=dict)
    profile: str = ""
    sandbox: Sandbox = NO_WISHES
    # Who stays out, and who may replace tools of others.
    plugins_disabled: tuple[str, ...] = ()
    plugins_override: tuple[str, ...] = ()
    plugin_seconds: float = 5.0  # how long each may take to load
    trusted_sources: tuple[str, ...] = ()  # of strangers, whose word about the fields of their results is taken
    hooks: Mapping[str, Any] = field(default_factory=dict)  # commands to run, by event, as written
    mcp_servers: Mapping[str, Any] = field(default_factory=dict)  # by name, as written
    audit: bool | str = True  # "required" keeps calls from running that can't be put on record
    audit_file_bytes: int = 16 << 20
    audit_files: int = 8
    http: Fetching = THE_WEB  # what may be fetched beside the web
    secrets: tuple[Secret, ...] = ()  # what commands may use without holding it

    @property
    def tools_budget(self) -> int | None:
        """How many tokens the shown tools may cost; None where neither a budget nor the context is known."""
        if self.tools_budget_tokens is not None or self.context_tokens is None:
            return self.tools_budget_tokens
        return self.context_tokens // 10


KEYS: tuple[str, ...] = tuple(f.name for f in fields(Config))
MODES = get_args(Mode)

_KINDS: Mapping[str, Any] = {
    "version": (int,),
    "model": (str,),
    "fallback_models": (list,),
    "base_url": (str,),
    "toolsets": (list,),
    "disabled_toolsets": (list,),
    "custom_toolsets": (dict,),
    "context_tokens": (int,),
    "tools_budget_tokens": (int,),
    "tool_search_embeddings": (bool,),
    "max_result_chars": (int,),
    "turn_result_chars": (int,),
    "result_chars": (dict,),
    "most_at_once": (dict,),
    "fail_fast": (bool,),
    "max_steps": (int,),
    "max_seconds": (int, float),
    "max_tokens": (int,),
    "max_cost": (int, float),
    "prices": (dict,),
    "traces": (dict,),
    "mode": (str,),
    "reviewer": (str,),
    "approval_seconds": (int, float),
    "sandbox": (dict,),
    "plugins_disabled": (list,),
    "plugins_override": (list,),
    "plugin_seconds": (int, float),
    "trusted_sources": (list,),
    "hooks": (dict,),
    "mcp_servers": (dict,),
    "policy": (dict,),
    "programs": (dict,),
    "profiles": (dict,),
    "profile": (str,),
    "audit": (str, bool),
    "audit_file_bytes": (int,),
    "audit_files": (int,),
    "http": (dict,),
    "secrets": (dict,),
}
_PROBLEMS = {"sandbox": problem_with_sandbox, "http": problem_with_fetching, "secrets": problem_with_secrets}
_MADE: Mapping[str, Any] = {"sandbox": as_sandbox, "http": as_fetching, "secrets": as_secrets}
_POSITIVE = frozenset(
    (
        "max_steps",
        "max_seconds",
        "max_tokens",
        "max_cost",
        "approval_seconds",
        "plugin_seconds",
        "context_tokens",
        "tools_budget_tokens",
        "max_result_chars",
        "turn_result_chars",
        "audit_file_bytes",
        "audit_files",
    )
)
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
    if isinstance(value, list) and not all(isinstance(v, str) for v in value):
        return f"{key}: expected a list of names, got {value!r}"
    if key in _POSITIVE and not 0 < value < math.inf:
        return f"{key}: expected a number more than 0, got {value!r}"
    return check(value) if (check := _CHECKS.get(key)) else None


def _problem_with_version(value: int) -> str | None:
    newer = f"version: this file is from a newer Handiwork ({value}; this one knows {CONFIG_VERSION})"
    return newer if value > CONFIG_VERSION else None


def _problem_with_choice(key: str, choices: Sequence[Any], value: Any) -> str | None:
    told = ", ".join(str(choice).lower() for choice in choices)
    return None if value in choices else f"{key}: expected one of {told}, got {value!r}"


def _problem_with_counts(key: str, of: str, value: Mapping[str, Any]) -> str | None:
    """What is wrong with a mapping from names to numbers."""
    wrong = next(((name, n) for name, n in value.items() if type(n) is not int or n <= 0), None)
    return wrong and f"{key}.{wrong[0]}: expected a whole number of {of}, more than 0, got {wrong[1]!r}"


def _problem_with_prices(value: Mapping[str, Any]) -> str | None:
    said: str | None = prices.problem_with_prices(value)
    return said


def _problem_with_traces(value: Mapping[str, Any]) -> str | None:
    said: str | None = telemetry.problem_with_telemetry(value)
    return said


# What a value of the right kind may still get wrong, by key.
_CHECKS: Mapping[str, Callable[[Any], str | None]] = {
    "version": _problem_with_version,
    "mode": partial(_problem_with_choice, "mode", MODES),
    "audit": partial(_problem_with_choice, "audit", (True, False, "required")),
    "result_chars": partial(_problem_with_counts, "result_chars", "characters"),
    "most_at_once": partial(_problem_with_counts, "most_at_once", "calls"),
    "prices": _problem_with_prices,
    "traces": _problem_with_traces,
    "sandbox": problem_with_sandbox,
    "http": problem_with_fetching,
    "secrets": problem_with_secrets,
}


def as_field(key: str, value: Any) -> Any:
    """*value* as the field of `Config` holds it."""
    if key == "custom_toolsets":
        return {name: CustomToolset(**_frozen(entry or {})) for name, entry in value.items()}
    if key in _MADE:
        return _MADE[key](value)
    return tuple(value) if isinstance(value, list) else value


def _frozen(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()}


def home_folder() -> str:
    """Where a person's Handiwork keeps its state: `HANDIWORK_HOME`, else `~/.handiwork`."""
    return os.path.abspath(os.path.expanduser(os.environ.get("HANDIWORK_HOME") or "~/.handiwork"))
