"""A case for the guard's corpora: something that it judged otherwise than a person expected, without their secrets."""

from __future__ import annotations

import os
import re
import secrets
import string
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from ..catalog.store import ToolRegistry
from ..core.errors import UsageError
from ..core.wire import dumps
from ..guard.commands import judge_command
from ..guard.paths import judge_path
from ..guard.redaction import redact
from ..guard.urls import judge_url

Kind: TypeAlias = Literal["command", "path", "url", "text"]
KINDS = get_args(Kind)
EXPECTED: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("command", "path", "url"), ("allow", "ask", "forbid")),
    "text": ("redact", "keep"),
}
_PIECE = re.compile(r"(?s).{1,5}")
_ALPHABETS = (string.digits, string.ascii_lowercase, string.ascii_uppercase)


@dataclass(frozen=True, slots=True)
class Miss:
    """What was judged, what the guard said to it, and what it should have said. `secret` is the part to be masked."""

    kind: Kind
    text: str
    said: str
    expected: str
    secret: str = ""
    write: bool = False


def judged(kind: Kind, text: str, *, write: bool = False) -> str:
    """What the guard says here and now."""
    here = os.getcwd()
    match kind:
        case "command":
            return judge_command(text, cwd=here).action
        case "path":
            return judge_path(text, here, write).action
        case "url":
            return judge_url(text).action
    return "keep" if redact(text) == text else "redact"


def last_judged(registry: ToolRegistry, entries: list[dict[str, Any]]) -> tuple[Kind, str, str]:
    """Kind, text and verdict of the last thing in an audit that the guard judges by its text. Raises `UsageError`."""
    for entry in reversed(entries):
        tool, args = registry.get(str(entry.get("tool"))), entry.get("args")
        if tool is None or not isinstance(args, dict) or entry.get("verdict") not in EXPECTED["command"]:
            continue
        for name, touch in tool.traits.touches.items():
            if touch in EXPECTED and isinstance(args.get(name), str):
                return touch, args[name], entry["verdict"]  # type: ignore[return-value]
    raise UsageError("no command, path or URL is on record", "give it: handiwork guard report 'COMMAND' --expected ask")


def store_case(home: str, miss: Miss) -> tuple[str, dict[str, Any]]:
    """Add the case to its file in the home; the file and the case. Raises `UsageError` and `OSError`."""
    name, case = _case(miss)
    case = {**case, "source": "reported", "id": f"report-{secrets.token_hex(4)}"}
    folder = os.path.join(home, "cases")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    path = os.path.join(folder, f"{name}.jsonl")
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "a", encoding="utf-8") as file:
        file.write(dumps(case) + "\n")
    return path, case


def _case(miss: Miss) -> tuple[str, dict[str, Any]]:
    """The corpus that the case belongs to, and the case in the form of that corpus."""
    text = redact(miss.text)
    match miss.kind:
        case "command" if miss.expected == "allow":
            return "benign", {"cmd": text, "kind": "reported", "lookalike": None, "said": miss.said}
        case "command":
            severity = "block" if miss.expected == "forbid" else "approval"
            facts = {"cls": "reported", "severity": severity, "obfuscation": None, "obf_family": None}
            return "dangerous", {"cmd": text, **facts, "said": miss.said}
        case "path":
            expect = {"allow": "allow", "ask": "deny", "forbid": "deny"}[miss.expected]
            facts = {"op": "write" if miss.write else "read", "setup": None, "root": "ROOT", "expect": expect}
            return "paths", {"trick": "reported", "path": _in_root(text), **facts, "said": miss.said}
        case "url":
            expect = "allow" if miss.expected == "allow" else "block"
            return "ssrf", {"url": text, "trick": "reported", "expect": expect, "said": miss.said}
    return "secrets", _secret_case(miss)


def _in_root(path: str) -> str:
    """The path as a corpus writes it, whose workspace is called ROOT."""
    here = os.getcwd()
    return "ROOT" + path[len(here) :] if path == here or path.startswith(here + os.sep) else path


def _secret_case(miss: Miss) -> dict[str, Any]:
    """A text with its secret exchanged for another of the same shape, both in pieces, as that corpus has them."""
    if miss.expected == "keep":
        return {"format": "reported", "text": _PIECE.findall(miss.text), "must_not_contain": [], "expect": "keep"}
    if not miss.secret or miss.secret not in miss.text:
        raise UsageError("which part of it is the secret?", "name it: --secret PART; another of its shape is stored")
    other = _alike(miss.secret)
    text = redact(miss.text.replace(miss.secret, "\0")).replace("\0", other)
    return {"format": "reported", "text": _PIECE.findall(text), "must_not_contain": _PIECE.findall(other)} | {
        "expect": "redact",
        "said": miss.said,
    }


def _alike(secret: str) -> str:
    """Random characters of the same kinds; signs stay, and so does what the likes of it begin with (`xyz_`)."""
    begins = re.match(r"[A-Za-z]{1,8}[_-]", secret)
    at = begins.end() if begins else 0
    return secret[:at] + "".join(_other(c) for c in secret[at:])


def _other(character: str) -> str:
    alphabet = next((a for a in _ALPHABETS if character in a), character)
    return secrets.choice(alphabet)
