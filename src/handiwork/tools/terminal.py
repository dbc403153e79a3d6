"""Shell commands, and processes that go on in the background.

Every command starts in the directory of the call; nothing is carried from one to the next.
"""

from __future__ import annotations

import os
import re
import threading
import time
from functools import cache
from typing import TYPE_CHECKING, Any

from handiwork import registry

from ..core.errors import UnknownNameError, UsageError
from ..core.handler import by_name
from ..core.loading import Late, load
from ..core.types import Traits

if TYPE_CHECKING:
    from ..core.types import Command, Done, Environment, Process, Ran, Scope

pathlib = Late("pathlib")
words = Late("handiwork.core.types")

MAX_TIMEOUT_S = 3600
MAX_ENDED = 64
_EARLY_S = 0.2
_TAIL = 2_000
_PAGE = 20_000

# Exit code 1 of these says "nothing found" or "they differ".
_ONE_IS_AN_ANSWER = r"(?:.*/)?(?:[ef]?grep|rg|ag|diff|cmp|test|\[|pgrep|which)"
_WANTS_TERMINAL = (
    r"a (?:terminal|tty) is required|not a tty|could not read (?:Username|Password)|Host key verification failed"
)


class Table:
    """The background processes of all sessions; each session sees its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rows: dict[tuple[str, str], Process] = {}

    def add(self, session: str, process: Process) -> None:
        """Remember *process*; of those that have ended, the oldest are forgotten."""
        with self._lock:
            self._rows[session, process.id] = process
            ended = [key for key, known in self._rows.items() if known.poll() is not None]
            for key in ended[:-MAX_ENDED]:
                del self._rows[key]

    def of(self, session: str) -> dict[str, Process]:
        """The processes of one session by their ids, oldest first."""
        with self._lock:
            return {name: row for (owner, name), row in self._rows.items() if owner == session}

    def get(self, session: str, id: str) -> Process:
        """One process. Raises `UnknownNameError` naming those that there are."""
        known = self.of(session)
        if id not in known:
            raise UnknownNameError("process", id, known, f"there are: {', '.join(known) or 'none'}")
        return known[id]


PROCESSES = Table()


@cache
def default_environment() -> Environment:
    """Where commands run when the caller names no place: this machine."""
    environment: Environment = load("handiwork.backends.environment.local:LocalEnvironment")()
    return environment


def terminal(
    command: str, timeout: float = 120, background: bool = False, cwd: str = "", *, scope: Scope | None = None
) -> Done:
    """Run a command to its end, or start it in the background."""
    scope = scope or words.EMPTY_SCOPE
    if not command.strip():
        raise UsageError("the command is empty", "give a shell command")
    place = str(pathlib.Path(scope.here, os.path.expanduser(cwd)))
    wanted = words.Command(command, cwd=place, timeout_s=_seconds(timeout, scope), workspace=scope.workspace)
    environment = scope.environment or default_environment()
    if background:
        return _started(environment.spawn(wanted), scope, place)
    return _ran(environment.run(wanted, scope.cancel), wanted, scope)


def _seconds(timeout: float, scope: Scope) -> float:
    left = MAX_TIMEOUT_S if scope.deadline is None else scope.deadline - time.monotonic()
    return max(0.1, min(timeout, left, MAX_TIMEOUT_S))


def _session(scope: Scope) -> str:
    return scope.session_id or scope.task_id


def _started(process: Process, scope: Scope, cwd: str) -> Done:
    PROCESSES.add(_session(scope), process)
    process.wait(_EARLY_S)  # what fails at once is told at once
    done: Done = words.Done({**_state(process), "cwd": cwd}, is_error=bool(process.poll()))
    return done


def _ran(ran: Ran, command: Command, scope: Scope) -> Done:
    answer: dict[str, Any] = {
        "exit_code": ran.exit_code,
        "output": ran.output,
        "duration_ms": round(ran.duration_ms),
        "cwd": command.cwd,
    }
    if ran.path:
        answer["whole_output"] = ran.path
    if ran.process:
        PROCESSES.add(_session(scope), ran.process)
        answer["still_running"] = ran.process.id
    nothing = ran.exit_code == 1 and _one_is_an_answer(command.text)
    if note := _note(ran, command, nothing=nothing):
        answer["note"] = note
    done: Done = words.Done(answer, is_error=ran.exit_code != 0 and not nothing)
    return done


def _note(ran: Ran, command: Command, *, nothing: bool) -> str:
    if ran.timed_out:
        return f"ended after {command.timeout_s:g} s; give more timeout, or background=true"
    if ran.cancelled:
        return "cancelled before its end"
    if nothing:
        return "exit code 1 means that nothing was found, or that things differ"
    if ran.exit_code and re.search(_WANTS_TERMINAL, ran.output):
        return "it asks a question, and nobody is there: use options or settings that need no answer"
    return ran.note


def _one_is_an_answer(command: str) -> bool:
    """Whether the exit code is that of a program which says with 1 that it found nothing."""
    last = re.split(r"\|\||&&|[;|\n]", command.strip().rstrip(";"))[-1]
    words = [word for word in last.split() if not re.match(r"\w+=", word)]
    if words[:2] == ["git", "grep"] or words[:2] == ["git", "diff"]:
        return True
    return bool(words and re.fullmatch(_ONE_IS_AN_ANSWER, words[0]))


def process(
    action: str, id: str = "", text: str = "", timeout: float = 30, offset: int = 0, *, scope: Scope | None = None
) -> dict[str, Any]:
    """Look at, type to, wait for or end a background process of this session."""
    scope = scope or words.EMPTY_SCOPE
    if action == "list":
        rows = PROCESSES.of(_session(scope)).values()
        return {"processes": [{"id": p.id, "command": p.command, "exit_code": p.poll()} for p in rows]}
    wanted = PROCESSES.get(_session(scope), id)
    if action == "output":
        return _page(wanted, offset)
    if action == "write":
        wanted.write(text)
        wanted.wait(_EARLY_S)
    elif action == "wait":
        _wait(wanted, _seconds(timeout, scope), scope)
    elif action == "kill":
        wanted.kill()
    return _state(wanted)


def _state(process: Process) -> dict[str, Any]:
    output, after = process.output(-_TAIL, _TAIL)
    code = process.poll()
    state = {"id": process.id, "running": code is None, "exit_code": code}
    return {**state, "latest_output": output, "next_offset": after}


def _page(process: Process, offset: int) -> dict[str, Any]:
    output, after = process.output(offset, _PAGE)
    return {"id": process.id, "running": process.poll() is None, "output": output, "next_offset": after}


def _wait(process: Process, seconds: float, scope: Scope) -> None:
    """Wait for its end in short steps, so that a cancel is heard."""
    deadline = time.monotonic() + seconds
    while process.poll() is None and (left := deadline - time.monotonic()) > 0:
        if scope.cancel is not None and scope.cancel.is_set():
            return
        process.wait(min(left, 0.2))


registry.register(
    name="terminal",
    toolset="terminal",
    emoji="💻",
    handler=by_name(terminal),
    traits=Traits(effect="write", touches={"command": "command", "cwd": "path"}),
    schema={
        "name": "terminal",
        "description": "Run a shell command; answers exit_code and output. No keyboard, nothing kept between calls.",
        "parameters": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "command": {"type": "string", "description": "Shell text for bash"},
                "timeout": {
                    "type": "number",
                    "default": 120,
                    "description": "Seconds; then it is ended with all it started",
                },
                "background": {
                    "type": "boolean",
                    "default": False,
                    "description": "For servers and long jobs: answers an id at once",
                },
                "cwd": {"type": "string", "default": "", "description": "Directory; relative to the current one"},
            },
            "required": ["command"],
        },
    },
)

registry.register(
    name="process",
    toolset="terminal",
    emoji="🧵",
    handler=by_name(process),
    traits=Traits(effect="write", touches={"text": "command"}, polls=True),
    schema={
        "name": "process",
        "description": "Background processes: poll gives state and latest output, output gives all in pages.",
        "parameters": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "action": {"type": "string", "enum": ["list", "poll", "output", "write", "wait", "kill"]},
                "id": {"type": "string", "default": "", "description": "Which process; not for list"},
                "text": {
                    "type": "string",
                    "default": "",
                    "description": "write: what to type, with \\n for Enter; \\u0004 at the end closes its input",
                },
                "timeout": {"type": "number", "default": 30, "description": "wait: seconds"},
                "offset": {
                    "type": "integer",
                    "default": 0,
                    "description": "output: next_offset, or negative from the end",
                },
            },
            "required": ["action"],
        },
    },
)
