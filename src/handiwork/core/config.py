"""The configuration as a value: what can be set, of which kind, and what holds when nothing is set."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, Literal, TypeAlias, get_args

from .loading import Late
from .sandbox import NO_WISHES, Sandbox, as_sandbox, problem_with_sandbox

prices = Late("handiwork.core.prices")
telemetry = Late("handiwork.core.telemetry")
CONFIG_VERSION = 1
Mode: TypeAlias = Literal["ask", "accept-edits", "read-only", "yolo"]


@dataclass(frozen=True, slots=True)
class CustomToolset:
    """A toolset that a person put together in their configuration."""

    description: str = ""
    tools: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that a configuration file can say.

    `model` is a model string such as `local/qwen2.5-coder-1.5b`,
    `fallback_models` are those to go on with when it fails. `toolsets` and `disabled_toolsets`
    are the two switches; empty `toolsets` means the preset of the face. `context_tokens` is the size
    of the model's context; beyond `tools_budget_tokens`, or a tenth of that context, tools are deferred
    behind the tool search, which finds by meaning, too, with `tool_search_embeddings`. `max_result_chars`
    and `turn_result_chars` bound a result and those of a turn, `result_chars` the results of a tool or
    toolset by its name. `max_steps`, `max_seconds`, `max_tokens` and `max_cost`
    (US dollars) bound one task; `prices` says what models cost that the table doesn't know. `traces` says
    whether what is done is told to a collector. `sandbox` says where commands
    run. `plugins_disabled` names plugins that stay out, `plugins_override`
    those that may replace tools of others, `trusted_sources` servers and plugins of others whose word about
    the fields of their results is taken. `hooks` (commands to run, by event), `prices` and `traces` are as they
    were written. `audit` is whether calls are put on record; "required" keeps those from running that can't be. A
    file of it gets a number when it has `audit_file_bytes`, and `audit_files` such files are kept.
    """

    version: int = CONFIG_VERSION
    model: str = ""
    fallback_models: tuple[str, ...] = ()
    base_url: str = ""
    toolsets: tuple[str, ...] = ()
    disabled_toolsets: tuple[str, ...] = ()
    custom_toolsets: Mapping[str, CustomToolset] = field(default_factory=dict)
    context_tokens: int | None = None
    tools_budget_tokens: int | None = None
    tool_search_embeddings: bool = False
    max_result_chars: int = 100_000
    turn_result_chars: int = 200_000
    result_chars: Mapping[str, int] = field(default_factory=dict)
    max_steps: int = 50
    max_seconds: float = 1800.0
    max_tokens: int | None = None
    max_cost: float | None = None
    prices: Mapping[str, Any] = field(default_factory=dict)
    traces: Mapping[str, Any] = field(default_factory=dict)
    mode: Mode = "accept-edits"
    sandbox: Sandbox = NO_WISHES
    plugins_disabled: tuple[str, ...] = ()
    plugins_override: tuple[str, ...] = ()
    trusted_sources: tuple[str, ...] = ()
    hooks: Mapping[str, Any] = field(default_factory=dict)
    audit: bool | str = True
    audit_file_bytes: int = 16 << 20
    audit_files: int = 8

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
    "max_steps": (int,),
    "max_seconds": (int, float),
    "max_tokens": (int,),
    "max_cost": (int, float),
    "prices": (dict,),
    "traces": (dict,),
    "mode": (str,),
    "sandbox": (dict,),
    "plugins_disabled": (list,),
    "plugins_override": (list,),
    "trusted_sources": (list,),
    "hooks": (dict,),
    "audit": (str, bool),
    "audit_file_bytes": (int,),
    "audit_files": (int,),
}
_POSITIVE = frozenset(
    (
        "max_steps",
        "max_seconds",
        "max_tokens",
        "max_cost",
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
    "prices": _problem_with_prices,
    "traces": _problem_with_traces,
    "sandbox": problem_with_sandbox,
}


def as_field(key: str, value: Any) -> Any:
    """*value* as the field of `Config` holds it."""
    if key == "custom_toolsets":
        return {name: CustomToolset(**_frozen(entry or {})) for name, entry in value.items()}
    if key == "sandbox":
        return as_sandbox(value)
    return tuple(value) if isinstance(value, list) else value


def _frozen(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()}


def home_folder() -> str:
    """Where a person's Handiwork keeps its state: `HANDIWORK_HOME`, else `~/.handiwork`."""
    return os.path.abspath(os.path.expanduser(os.environ.get("HANDIWORK_HOME") or "~/.handiwork"))
