"""Shell commands, and processes that go on in the background.

A session's commands follow each other as in one shell: folder and exported variables are handed on,
nothing else is. Of two that run at once, each starts from what was when it began, and what the later
end hands on counts. A folder given as `cwd` is for that command, unless the command itself changes it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from handiwork import registry

from ..core.errors import FolderError, UsageError
from ..core.handler import by_name
from ..core.loading import Late, load
from ..core.types import Traits

if TYPE_CHECKING:
    from ..backends.environment.jobs import Job, Jobs
    from ..backends.environment.waiting import Wanted
    from ..core.types import Args, Command, Done, Environment, Process, Ran, Scope

words = Late("handiwork.core.types")
jobs = Late("handiwork.backends.environment.jobs")
exits = Late("handiwork.backends.environment.exits")
hints = Late("handiwork.backends.environment.hints")
waiting = Late("handiwork.backends.environment.waiting")

MAX_TIMEOUT_S = 3600
# How long a start is looked at for a failure, and an answer waited for that was asked for. Seconds.
_EARLY_S, _ANSWER_S = 0.1, 0.2
_TAIL = 2_000
_PAGE = 20_000
_AS_BEFORE = "where it ended isn't known: folder and exported variables are as they were"


@cache
def default_environment() -> Environment:
    """Where commands run when the caller names no place: this machine."""
    environment: Environment = load("handiwork.backends.environment.local:LocalEnvironment")()
    return environment


def _environment(scope: Scope) -> Environment:
    return scope.environment or default_environment()


def _jobs(scope: Scope) -> Jobs:
    table: Jobs = jobs.jobs_of(_environment(scope))
    return table


def _session(scope: Scope) -> str:
    return scope.session_id or scope.task_id


def _seconds(timeout: float, scope: Scope) -> float:
    left = MAX_TIMEOUT_S if scope.deadline is None else scope.deadline - time.monotonic()
    return max(0.1, min(timeout, left, MAX_TIMEOUT_S))


# -------------------------------------------------------------------------------------------- terminal


def terminal(
    command: str,
    timeout: float = 120,
    background: bool = False,
    cwd: str = "",
    pty: bool = False,
    lifetime: str = "session",
    watch: str = "",
    *,
    scope: Scope | None = None,
    real_paths: Mapping[str, str] | None = None,
) -> Done:
    """Run a command to its end, or start it in the background."""
    scope = scope or words.EMPTY_SCOPE
    if not command.strip():
        raise UsageError("the command is empty", "give a shell command")
    if not background and (why := hints.hopeless(command)):
        raise UsageError("it would wait for a person until its time is up; nothing was run", why)
    wanted = words.Command(
        command,
        cwd=(real_paths or {}).get(cwd or ".") or os.path.join(scope.here, os.path.expanduser(cwd)).rstrip("/") or "/",
        timeout_s=_seconds(timeout, scope),
        env=dict(scope.shell.exported) if scope.shell else {},
        workspace=scope.workspace,
        terminal=pty,
    )
    if background:
        return _started(replace(wanted, detached=lifetime == "detached"), scope, lifetime, watch)
    ran = _begin(wanted, scope, lambda: _environment(scope).run(wanted, scope.cancel))
    _hand_on(ran, wanted, scope, stays=bool(cwd))
    return _answered(ran, wanted, scope)


def _terminal(args: Args, /, **kw: Any) -> Done:
    return terminal(**args, scope=kw.get("scope"), real_paths=kw.get("real_paths"))


def _begin(command: Command, scope: Scope, start: Callable[[], Any]) -> Any:
    """Start it. A session whose folder is gone is taken back to where it began, instead of being stuck there."""
    try:
        return start()
    except FolderError as error:
        if scope.shell is None or command.cwd != os.path.realpath(scope.here) or not scope.cwd:
            raise
        gone, scope.shell.cwd = scope.shell.cwd, scope.cwd
        raise UsageError(f"the folder {gone} is gone; nothing was run", f"commands start in {scope.cwd} now") from error


def _started(command: Command, scope: Scope, lifetime: str, watch: str) -> Done:
    if command.detached and (watch or command.terminal):
        raise UsageError("what is detached can't be watched and has no terminal", "give another lifetime")
    table, session = _jobs(scope), _session(scope)
    table.room(session)
    process = _begin(command, scope, lambda: _environment(scope).spawn(command))
    job = jobs.Job(process, lifetime, jobs.Watch(watch) if watch else None)
    table.add(session, job)
    job.told_end = process.wait(_EARLY_S) is not None  # what fails at once is told at once, and not again
    state = {**_state(process), "cwd": command.cwd}
    if process.note:
        state["note"] = process.note
    done: Done = words.Done(state, is_error=bool(process.poll()))
    return done


def _hand_on(ran: Ran, command: Command, scope: Scope, *, stays: bool) -> None:
    """What the command hands on is the session's now; a folder that it was sent to isn't, if it *stays* there."""
    if scope.shell is None or ran.state is None:
        return
    if not stays or ran.state.cwd != command.cwd:
        scope.shell.cwd = ran.state.cwd
    scope.shell.exported = ran.state.exported


def _answered(ran: Ran, command: Command, scope: Scope) -> Done:
    answer: dict[str, Any] = {"exit_code": ran.exit_code}
    if signal := exits.signal_name(ran.exit_code):
        answer["signal"] = signal
    answer |= {"output": ran.output, "duration_ms": round(ran.duration_ms), "cwd": scope.here}
    if ran.path:
        answer["whole_output"] = ran.path
    if ran.process:
        _jobs(scope).add(_session(scope), jobs.Job(ran.process))
        answer["still_running"] = ran.process.id
    nothing = ran.exit_code == 1 and exits.one_is_an_answer(command.text)
    if note := "; ".join(_notes(ran, command, scope, nothing=nothing)):
        answer["note"] = note
    done: Done = words.Done(answer, is_error=ran.exit_code != 0 and not nothing)
    return done


def _notes(ran: Ran, command: Command, scope: Scope, *, nothing: bool) -> list[str]:
    notes = []
    if ran.timed_out:
        notes.append(f"ended after {command.timeout_s:g} s; give more timeout, or background=true")
    elif ran.cancelled:
        notes.append("cancelled before its end")
    elif nothing:
        notes.append("exit code 1 means that nothing was found, or that things differ")
    if not nothing and not ran.cancelled and (hint := hints.hint(command.text, ran)):
        notes.append(hint)
    if scope.shell is not None and ran.state is None and not ran.cancelled:
        notes.append(_AS_BEFORE)
    if ran.note:
        notes.append(ran.note)
    return notes


# --------------------------------------------------------------------------------------------- process


def process(
    action: str,
    id: str = "",
    text: str = "",
    timeout: float = 30,
    offset: int = 0,
    until_text: str = "",
    until_port: int = 0,
    signal: str = "TERM",
    *,
    scope: Scope | None = None,
) -> dict[str, Any]:
    """Look at, type to, wait for, signal or end a background process of this session."""
    scope = scope or words.EMPTY_SCOPE
    if action == "list":
        return {"processes": [_row(job) for job in _jobs(scope).rows(_session(scope))]}
    wanted = _jobs(scope).get(_session(scope), id)
    match action:
        case "output":
            return _page(wanted, offset)
        case "write":
            wanted.write(text)
            wanted.wait(_ANSWER_S)
        case "wait":
            until = waiting.Wanted(until_text, offset, until_port)
            return _waited(wanted, until, _seconds(timeout, scope), scope)
        case "signal":
            wanted.signal(_signal(signal))
            wanted.wait(_ANSWER_S)
        case "kill":
            wanted.kill()
    return _state(wanted)


def _row(job: Job) -> dict[str, Any]:
    process = job.process
    return {"id": process.id, "command": process.command, "exit_code": process.poll(), "lifetime": job.lifetime}


def _state(process: Process) -> dict[str, Any]:
    output, after = process.output(-_TAIL, _TAIL)
    code = process.poll()
    state = {"id": process.id, "running": code is None, "exit_code": code}
    if code is not None and (signal := exits.signal_name(code)):
        state["signal"] = signal
    return {**state, "latest_output": output, "next_offset": after}


def _page(process: Process, offset: int) -> dict[str, Any]:
    output, after = process.output(offset, _PAGE)
    return {"id": process.id, "running": process.poll() is None, "output": output, "next_offset": after}


def _waited(process: Process, until: Wanted, seconds: float, scope: Scope) -> dict[str, Any]:
    came = waiting.wait_for(process, until, seconds, environment=_environment(scope), cancel=scope.cancel)
    return {"came": came, **_state(process)}


def _signal(name: str) -> int:
    number: int | None = exits.signal_number(name)
    if number is None:
        raise UsageError(f"there is no signal {name!r}", "name one, such as INT, TERM, HUP or USR1")
    return number


registry.register(
    name="terminal",
    toolset="terminal",
    emoji="💻",
    handler=_terminal,
    traits=Traits(effect="write", touches={"command": "command", "cwd": "path"}),
    schema={
        "name": "terminal",
        "description": "Run a shell command. Folder and exported variables are kept for the next; no keyboard.",
        "parameters": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "command": {"type": "string", "description": "Shell text for bash"},
                "timeout": {"type": "number", "default": 120, "description": "Seconds; then all of it is ended"},
                "background": {
                    "type": "boolean",
                    "default": False,
                    "description": "For servers and long jobs: answers an id at once",
                },
                "cwd": {"type": "string", "default": "", "description": "Folder for this command only"},
                "pty": {"type": "boolean", "default": False, "description": "Give it a terminal"},
                "lifetime": {
                    "type": "string",
                    "enum": ["turn", "session", "detached"],
                    "default": "session",
                    "description": "background: how long; detached outlives everything",
                },
                "watch": {"type": "string", "default": "", "description": "background: tell me when it prints this"},
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
                "action": {
                    "type": "string",
                    "enum": ["list", "poll", "output", "write", "wait", "signal", "kill"],
                },
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
                    "description": "output, wait: next_offset, or negative from the end",
                },
                "until_text": {"type": "string", "default": "", "description": "wait: until it prints this"},
                "until_port": {"type": "integer", "default": 0, "description": "wait: until this TCP port opens"},
                "signal": {"type": "string", "default": "TERM", "description": "signal: INT, HUP, ..."},
            },
            "required": ["action"],
        },
    },
)
