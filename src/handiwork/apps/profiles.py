"""Profiles of the configuration: what a session may have at most. They narrow what holds without them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ..catalog.store import ToolRegistry
from ..catalog.toolsets import Toolsets
from ..core.config import MODES, Config, Mode
from ..core.sandbox import Sandbox
from ..guard.rules.fences import Fence
from ..guard.rules.globs import PathGlob
from ..guard.rules.rule import Vocabulary, read_rule
from ..guard.rules.rulebook import Rulebook
from .tightening import STRICTNESS, tightened

_KEYS = ("files", "hosts", "tools", "budgets", "mode", "policy")
_BUDGETS = ("max_steps", "max_seconds", "max_tokens", "max_cost")


@dataclass(frozen=True, slots=True)
class Profile:
    """One profile, ready to be put around a session. `writable` are the folders that the kernel leaves to commands."""

    fence: Fence
    mode: Mode | None = None
    budgets: Mapping[str, float] = field(default_factory=dict)
    writable: tuple[str, ...] | None = None

    @property
    def wants_keeping(self) -> bool:
        """Whether there is something in it for the kernel to keep."""
        return self.fence.write is not None or self.fence.hosts is not None

    def kept(self, is_kept: bool) -> Profile:
        """The same, where there is a sandbox, or where there is none."""
        return replace(self, fence=replace(self.fence, is_kept=is_kept))


class Names(NamedTuple):
    """What profiles may name: the vocabulary of rules, tools, toolsets."""

    words: Vocabulary
    registry: ToolRegistry
    toolsets: Toolsets

    def tools(self, name: str) -> frozenset[str]:
        """The tools under a name. Raises `UnknownNameError`."""
        if self.registry.get(name) is not None and name not in self.toolsets.names():
            return frozenset((name,))
        return frozenset(self.toolsets.expand((name,)).tools)

    def toolsets_without(self, tools: frozenset[str]) -> list[str]:
        """The toolsets in which none of *tools* is."""
        known = {entry.toolset for entry in self.registry.entries()}
        return sorted(name for name in known if not tools.intersection(self.registry.members(name)))


def problem_with_profiles(profiles: Mapping[Any, Any]) -> str | None:
    """What is wrong with the form of `profiles`, in words, or None."""
    for name, said in profiles.items():
        if problem := _problem(said):
            return f"profiles.{name}: {problem}"
    return None


def _problem(said: Any) -> str | None:
    if not isinstance(said, dict):
        return f"expected a mapping with {', '.join(_KEYS)}, got {said!r}"
    for part, known in ((said, _KEYS), (said.get("files", {}), ("read", "write")), (said.get("budgets", {}), _BUDGETS)):
        if not isinstance(part, dict) or (strange := sorted(set(map(str, part)) - set(known))):
            return f"expected {', '.join(known)}, got {part!r}" if not isinstance(part, dict) else (
                f"unknown key {strange[0]!r}; there are {', '.join(known)}")  # fmt: skip
    if "mode" in said and said["mode"] not in MODES:
        return f"mode: expected one of {', '.join(MODES)}, got {said['mode']!r}"
    lists = {**said.get("files", {}), **{key: said[key] for key in ("hosts", "tools") if key in said}}
    if wrong := next((key for key, value in lists.items() if not _is_texts(value)), ""):
        return f"{wrong}: expected a list, got {lists[wrong]!r}"
    wrong = next((key for key, value in said.get("budgets", {}).items() if not _is_amount(value)), "")
    return f"budgets.{wrong}: expected a number more than 0" if wrong else _policy_problem(said.get("policy", {}))


def _policy_problem(policy: Any) -> str | None:
    if not isinstance(policy, dict) or not all(map(_is_texts, policy.values())) or set(policy) - {"ask", "deny"}:
        return "policy: a profile narrows: expected `ask` and `deny` with lists of rules"
    return None


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _is_amount(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0


def read_profile(name: str, said: Mapping[str, Any], names: Names, base: str) -> Profile:
    """A profile of the configuration; `./` in it is *base*. Raises `UsageError` for what isn't there."""
    files, policy = said.get("files", {}), said.get("policy", {})
    book = Rulebook(
        ask=tuple(read_rule(t, "ask", names.words, base=base, place=f"profile {name}") for t in policy.get("ask", ())),
        deny=tuple(
            read_rule(t, "deny", names.words, base=base, place=f"profile {name}") for t in policy.get("deny", ())
        ),
    )
    tools = frozenset[str]().union(*map(names.tools, said["tools"])) if "tools" in said else None
    write = _globs(files.get("write"), base)
    fence = Fence(name, tools, _globs(files.get("read"), base), write, _hosts(said), book)
    return Profile(fence, said.get("mode"), said.get("budgets", {}), _folders(write))


def _hosts(said: Mapping[str, Any]) -> tuple[str, ...] | None:
    return tuple(host.lower() for host in said["hosts"]) if "hosts" in said else None


def _globs(patterns: list[str] | None, base: str) -> tuple[PathGlob, ...] | None:
    return None if patterns is None else tuple(PathGlob(pattern, base) for pattern in patterns)


def _folders(globs: tuple[PathGlob, ...] | None) -> tuple[str, ...] | None:
    """The folders that patterns leave whole; for any other pattern commands can't be let in."""
    if globs is None:
        return None
    whole = (glob.written.removesuffix("/**") for glob in globs if glob.written.endswith("/**"))
    return tuple(folder for folder in whole if not set(folder) & set("*?[") and os.path.isdir(folder))


def narrowed(config: Config, profile: Profile, names: Names) -> Config:
    """*config* with no more than the profile leaves; toolsets of which it leaves nothing aren't shown."""
    budgets, tools = profile.budgets, profile.fence.tools
    hidden = () if tools is None else names.toolsets_without(tools)
    return replace(
        config,
        mode=max(config.mode, profile.mode or config.mode, key=STRICTNESS.index),
        max_steps=int(min(config.max_steps, budgets.get("max_steps", config.max_steps))),
        max_seconds=float(min(config.max_seconds, budgets.get("max_seconds", config.max_seconds))),
        sandbox=_sandbox(config.sandbox, profile) if profile.fence.is_kept else config.sandbox,
        disabled_toolsets=(*config.disabled_toolsets, *hidden),
    )


def _sandbox(sandbox: Sandbox, profile: Profile) -> Sandbox:
    if profile.writable is not None:
        inner = sandbox.workspace == "read"  # another profile has left some folders already
        left = [folder for folder in profile.writable if not inner or _lies_in(folder, sandbox.writable)]
        sandbox = replace(sandbox, workspace="read", writable=tuple(left))
    if profile.fence.hosts is None:
        return sandbox
    known = "on" if sandbox.network == "on" else list(sandbox.network) if sandbox.network != "off" else "off"
    hosts = [h for host in profile.fence.hosts for h in ([host] if host.startswith("*.") else [host, f"*.{host}"])]
    network = tightened({"network": known}, {"network": hosts or "off"})["network"]
    return replace(sandbox, network=tuple(network) or "off" if isinstance(network, list) else network)


def _lies_in(folder: str, others: tuple[str, ...]) -> bool:
    return any(folder == other or folder.startswith(other.rstrip("/") + "/") for other in others)
