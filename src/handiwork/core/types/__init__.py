"""The words of the house: what travels from a model's reply to the result it reads.

A call goes in at the top of the line as a `ToolCall`, becomes `Ready` or a `Refusal`, and always
comes out as a `ToolResult`. Each word is loaded on first use, since start-up needs few of them and
a frozen dataclass costs half a millisecond to make.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..loading import load

if TYPE_CHECKING:
    from .calls import (
        EMPTY_SCOPE,
        Approver,
        Message,
        PlannedFile,
        Ready,
        Refusal,
        Scope,
        Status,
        Step,
        ToolCall,
        ToolResult,
    )
    from .models import Model, ModelReply, ModelRequest, Usage
    from .outcomes import Artifact, Done, Label, NeedsInput, Outcome, Pending, Progress
    from .places import (
        Command,
        Containment,
        Doorkeeper,
        Environment,
        FileKind,
        Files,
        FileStat,
        Http,
        HttpReply,
        Network,
        Process,
        Ran,
        SandboxPolicy,
        ShellState,
    )
    from .roles import Audit, Background, Embedder, Journal, Judge, Marks, Origins
    from .sessions import DELEGATE, Entry, EntryKind, Hit, SessionInfo, SessionStore
    from .tools import UNDECLARED, Args, Effect, EnvNames, Handler, Requires, Schema, ToolEntry, Touch, Traits
    from .tracing import CallSpan, Ended, Span, Tracing
    from .verdicts import ALLOW, Allow, Answer, Ask, Forbid, Keep, Standing, Verdict

_MODULES = {
    "calls": (
        "Approver",
        "EMPTY_SCOPE",
        "Message",
        "PlannedFile",
        "Ready",
        "Refusal",
        "Scope",
        "Status",
        "Step",
        "ToolCall",
        "ToolResult",
    ),
    "models": (
        "Model",
        "ModelReply",
        "ModelRequest",
        "Usage",
    ),
    "outcomes": (
        "Artifact",
        "Done",
        "Label",
        "NeedsInput",
        "Outcome",
        "Pending",
        "Progress",
    ),
    "places": (
        "Command",
        "Containment",
        "Doorkeeper",
        "Environment",
        "FileKind",
        "FileStat",
        "Files",
        "Http",
        "HttpReply",
        "Network",
        "Process",
        "Ran",
        "SandboxPolicy",
        "ShellState",
    ),
    "roles": (
        "Audit",
        "Background",
        "Embedder",
        "Journal",
        "Judge",
        "Marks",
        "Origins",
    ),
    "sessions": (
        "DELEGATE",
        "Entry",
        "EntryKind",
        "Hit",
        "SessionInfo",
        "SessionStore",
    ),
    "tools": (
        "Args",
        "Effect",
        "EnvNames",
        "Handler",
        "Requires",
        "Schema",
        "ToolEntry",
        "Touch",
        "Traits",
        "UNDECLARED",
    ),
    "tracing": (
        "CallSpan",
        "Ended",
        "Span",
        "Tracing",
    ),
    "verdicts": (
        "ALLOW",
        "Allow",
        "Answer",
        "Ask",
        "Forbid",
        "Keep",
        "Standing",
        "Verdict",
    ),
}
_HOMES = {word: module for module, words in _MODULES.items() for word in words}

__all__ = [
    "ALLOW",
    "DELEGATE",
    "EMPTY_SCOPE",
    "UNDECLARED",
    "Allow",
    "Answer",
    "Approver",
    "Args",
    "Artifact",
    "Ask",
    "Audit",
    "Background",
    "CallSpan",
    "Command",
    "Containment",
    "Done",
    "Doorkeeper",
    "Effect",
    "Embedder",
    "Ended",
    "Entry",
    "EntryKind",
    "EnvNames",
    "Environment",
    "FileKind",
    "FileStat",
    "Files",
    "Forbid",
    "Handler",
    "Hit",
    "Http",
    "HttpReply",
    "Journal",
    "Judge",
    "Keep",
    "Label",
    "Marks",
    "Message",
    "Model",
    "ModelReply",
    "ModelRequest",
    "NeedsInput",
    "Network",
    "Origins",
    "Outcome",
    "Pending",
    "PlannedFile",
    "Process",
    "Progress",
    "Ran",
    "Ready",
    "Refusal",
    "Requires",
    "SandboxPolicy",
    "Schema",
    "Scope",
    "SessionInfo",
    "SessionStore",
    "ShellState",
    "Span",
    "Standing",
    "Status",
    "Step",
    "ToolCall",
    "ToolEntry",
    "ToolResult",
    "Touch",
    "Tracing",
    "Traits",
    "Usage",
    "Verdict",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    module = _HOMES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = load(f"{__name__}.{module}:{name}")
    return value
