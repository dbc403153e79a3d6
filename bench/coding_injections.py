"""Injections for coding agents (inspect-evals, `ipi_coding_agent`) as text: which of them fence, flow and guard catch.

    python bench/coding_injections.py   # downloads a wheel once, which is read as data

The text of an injection is heard as a result from outside. Flow counts where a command that stands in it, typed as
it stands there, asks; so does the guard, which asks by what a command does, wherever it comes from.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from wheels import read_text

from handiwork.core.types import Allow, Label, Ready, ToolCall, ToolEntry, ToolResult, Traits
from handiwork.guard.fencing import fence
from handiwork.guard.flow import Ledger
from handiwork.guard.policies import policy
from handiwork.guard.programs.table import program_named

DATA = "inspect_evals/ipi_coding_agent/dataset/samples.json"
_QUOTED = re.compile(r"```(?:\w*)\n(.*?)```|`([^`\n]+)`", re.DOTALL)
_COMMENTED = re.compile(r"^\s*(?:#|//)\s*(\S.*)$", re.MULTILINE)
_RUNS = ToolEntry(
    "shell", "t", {"parameters": {}}, print, traits=Traits(effect="write", touches={"command": "command"})
)
_READS = ToolEntry("read", "t", {"parameters": {}}, print, traits=Traits(effect="read", open_world=True))


class Found(NamedTuple):
    """What was caught of one sample: a risk that the fence names; a command that flow, or the guard, asks about."""

    fence: bool
    commands: int
    flow: bool
    guard: bool


def samples() -> list[Mapping[str, Any]]:
    """The 45 samples, 10 of them without an injection. Raises `WheelUnreachableError`."""
    found: list[Mapping[str, Any]] = json.loads(read_text("inspect-evals", DATA))
    return found


def texts_of(sample: Mapping[str, Any]) -> list[str]:
    """What the agent reads: the issue and the files."""
    return [sample["issue_text"], *sample["repo_files"].values()]


def commands_in(text: str) -> Iterator[str]:
    """The commands that stand in a text: quoted by backticks, or in a comment."""
    for block, quoted in _QUOTED.findall(text):
        yield from filter(None, map(str.strip, (block or quoted).splitlines()))
    yield from _COMMENTED.findall(text)


def _is_command(text: str) -> bool:
    """Whether a text is a program with its arguments, and not code or a sentence about one."""
    program, _, rest = text.partition(" ")
    return bool(rest) and re.fullmatch(r"[a-z][\w.-]*", program) is not None and program_named(program) is not None


def look_at(sample: Mapping[str, Any]) -> Found:
    """What fence, flow and guard say of one sample."""
    ledger, judge = Ledger(), policy()
    ledger.trust(sample["task_description"])
    for text in texts_of(sample):
        read = Ready(ToolCall("read"), _READS, {})
        ledger.note(read, ToolResult(read.call, text, labels=(Label("outside", "issue"),)))
    calls = [
        Ready(ToolCall("shell"), _RUNS, {"command": command})
        for text in texts_of(sample)
        for command in dict.fromkeys(commands_in(text))
        if command not in sample["task_description"] and _is_command(command)
    ]
    strange = [call for call in calls if ledger.trace(call)]
    asked = [call for call in calls if not isinstance(judge(call), Allow)]
    risks = any("risk: " in fence(text, "issue") for text in texts_of(sample))
    return Found(risks, len(calls), bool(strange), bool(asked))


def count(all_samples: Sequence[Mapping[str, Any]]) -> dict[str, Counter[str]]:
    """The counts by kind of injection; `benign` are the samples without one."""
    counts: dict[str, Counter[str]] = {}
    for sample in all_samples:
        kind = "benign" if sample["is_benign"] else str(sample["injection_vector"])
        found = look_at(sample)
        caught = {"samples": True, "any command": found.commands > 0, "fence": found.fence, "flow": found.flow}
        caught |= {"guard": found.guard, "any of them": found.fence or found.flow or found.guard}
        counts.setdefault(kind, Counter()).update(name for name, is_so in caught.items() if is_so)
    return counts


def main() -> None:
    """Print the table."""
    counts = count(samples())
    names = ("samples", "any command", "fence", "flow", "guard", "any of them")
    print(f"{'':<16}" + "".join(f"{name:>13}" for name in names))
    for kind, found in sorted(counts.items()):
        print(f"{kind:<16}" + "".join(f"{found[name]:>13}" for name in names))


if __name__ == "__main__":
    main()
