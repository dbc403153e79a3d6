"""What a project may say of the sandbox: nothing that loosens what the person said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_LIMITS = ("cpu_seconds", "memory_mb", "max_processes", "max_file_mb")
OF_PROJECTS = frozenset({"network", *_LIMITS})


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
