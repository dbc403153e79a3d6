"""What must not happen, and who is asked."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .approval import allow_all, deny_all, settle
    from .commands import judge_command
    from .fencing import fence
    from .paths import judge_path
    from .policies import policy
    from .redaction import redact
    from .sanitizer import sanitize
    from .urls import judge_url
    from .verdict import CommandVerdict, PathVerdict, UrlVerdict
    from .workspace import find_workspace

_WHERE = {
    "CommandVerdict": "verdict",
    "PathVerdict": "verdict",
    "UrlVerdict": "verdict",
    "allow_all": "approval",
    "deny_all": "approval",
    "fence": "fencing",
    "find_workspace": "workspace",
    "judge_command": "commands",
    "judge_path": "paths",
    "judge_url": "urls",
    "policy": "policies",
    "redact": "redaction",
    "sanitize": "sanitizer",
    "settle": "approval",
}

__all__ = [
    "CommandVerdict",
    "PathVerdict",
    "UrlVerdict",
    "allow_all",
    "deny_all",
    "fence",
    "find_workspace",
    "judge_command",
    "judge_path",
    "judge_url",
    "policy",
    "redact",
    "sanitize",
    "settle",
]


def __getattr__(name: str) -> object:
    """Load a public name on first use, and keep it. No module is called as a name of this table: it would hide it."""
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
    globals()[name] = value
    return value
