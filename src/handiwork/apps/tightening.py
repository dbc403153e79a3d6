"""One configuration file over another: nothing that a project says loosens what the person said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.config import Mode

STRICTNESS: tuple[Mode, ...] = ("yolo", "auto", "accept-edits", "ask", "read-only")
_CEILINGS = frozenset({"max_tokens", "max_cost"})
_LIMITS = ("cpu_seconds", "memory_mb", "max_processes", "max_file_mb")
OF_PROJECTS = frozenset({"network", *_LIMITS})


def overlaid(own: Mapping[str, Any], more: Mapping[str, Any], *, of_project: bool) -> dict[str, Any]:
    """What holds when a file that says *more* is read after those that said *own*.

    Of two modes the stricter holds, of two ceilings the lower; rules of both are put together.
    """
    said = dict(more)
    if "defaultMode" in said.get("policy", {}):
        said.setdefault("mode", said["policy"]["defaultMode"])
    if "mode" in said and "mode" in own:
        said["mode"] = _stricter(own["mode"], said["mode"])
    if "policy" in said:
        said["policy"] = _joined(own.get("policy", {}), said["policy"])
    if "sandbox" in said and of_project:
        said["sandbox"] = tightened(own.get("sandbox", {}), said["sandbox"])
    for key in _CEILINGS & own.keys() & said.keys():
        said[key] = min(said[key], own[key])
    return {**own, **said}


def _stricter(*modes: Mode) -> Mode:
    return max(modes, key=STRICTNESS.index)


def _joined(before: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """The rules of two files."""
    joined = {**before, **more}
    for key in before.keys() & more.keys():
        both = before[key], more[key]
        joined[key] = _stricter(*both) if key == "defaultMode" else [*both[0], *both[1]]
    return joined


def tightened(own: Mapping[str, Any], project: Mapping[str, Any]) -> dict[str, Any]:
    """The person's `sandbox` with the project's wishes, each as strict as the stricter of both."""
    changed = dict(own)
    if "network" in project:
        changed["network"] = _less_network(own.get("network", True), project["network"])
    for key in _LIMITS:
        said = [limit for limit in (own.get(key), project.get(key)) if limit is not None]
        if said:
            changed[key] = min(said)
    return changed


def _less_network(own: Any, project: Any) -> Any:
    """`off` is less than a list, a list less than `on`; of two lists what stands in both."""
    for said in (own, project):
        if said in (False, "off"):
            return said
    if isinstance(own, list) and isinstance(project, list):
        return [host for host in own if host in project]
    return project if isinstance(project, list) else own
