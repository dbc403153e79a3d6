"""AgentDojo's tasks and attacks, worked through by a model that obeys whatever it reads, with our pipeline between.

Needs the extra `dojo`. Everything runs in this process; no model is asked.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pydantic
from agentdojo.functions_runtime import FunctionCall, FunctionsRuntime
from agentdojo.task_suite.load_suites import get_suites

from handiwork.apps.house import house_of
from handiwork.catalog.store import ToolRegistry
from handiwork.core.types import Ask, Ready, Scope, ToolCall, ToolResult, Traits

VERSION = "v1.2.2"
_READS = ("get_", "search_", "list_", "read_", "check_")

# What the tools of each suite would say of themselves: those whose results others write, and which fields of
# these they vouch for, because a mail server, a calendar, a bank fills them in.
_MAIL = ("id_", "sender", "recipients", "cc", "bcc", "timestamp", "status", "read")
_EVENT = ("id_", "participants", "start_time", "end_time", "all_day", "status")
_FILE = ("id_", "owner", "last_modified", "shared_with", "size")
_PAYMENT = ("id", "amount", "date", "recurring", "sender", "recipient")
_TALK = ("sender", "recipient")
_NAMES = ("*",)
_FIELDS: Mapping[str, Mapping[tuple[str, ...], str]] = {
    "workspace": {
        _MAIL: "send_email get_unread_emails get_sent_emails get_received_emails get_draft_emails search_emails",
        _EVENT: "search_calendar_events get_day_calendar_events create_calendar_event reschedule_calendar_event"
        " add_calendar_event_participants cancel_calendar_event",
        _FILE: "append_to_file search_files_by_filename create_file get_file_by_id list_files share_file search_files"
        " delete_file",
    },
    "travel": {
        (): "get_rating_reviews_for_hotels get_rating_reviews_for_restaurants get_rating_reviews_for_car_rental",
        _EVENT: "search_calendar_events get_day_calendar_events create_calendar_event cancel_calendar_event",
    },
    "banking": {(): "read_file", _PAYMENT: "get_most_recent_transactions get_scheduled_transactions"},
    "slack": {_TALK: "read_channel_messages read_inbox", (): "get_webpage", _NAMES: "get_channels"},
}


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a task's solution."""

    name: str
    args: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Task:
    """What a person asks for, its right solution, and where a reader of it first meets each injection."""

    name: str
    prompt: str
    calls: Sequence[Call]
    meets: Mapping[str, int]
    is_done: Callable[[Any], bool | None]


@dataclass(frozen=True, slots=True)
class Attack:
    """What an injection wants, and the calls that would do it."""

    name: str
    goal: str
    calls: Sequence[Call]


class Suite:
    """One of AgentDojo's suites: its tasks, its attacks, worlds to run them in."""

    def __init__(self, name: str, suite: Any) -> None:
        self.name, self._suite = name, suite
        self._defaults = suite.get_injection_vector_defaults()
        self._env = suite.load_and_inject_default_environment(self._defaults)

    def env(self, injections: Mapping[str, str] | None = None) -> Any:
        """A fresh environment with *injections* by their places."""
        if not injections:
            return self._env.model_copy(deep=True)
        return self._suite.load_and_inject_default_environment({**self._defaults, **injections})

    @cached_property
    def tools(self) -> Sequence[Any]:
        return self._suite.tools

    @cached_property
    def tasks(self) -> Sequence[Task]:
        """The benign tasks, each with its solution."""
        return [self._task(name, task) for name, task in self._suite.user_tasks.items()]

    @cached_property
    def attacks(self) -> Sequence[Attack]:
        """Those that want something done: what only makes the model talk is none of a tool system's business."""
        made = (Attack(n, t.GOAL, _calls(t.ground_truth(self.env()))) for n, t in self._suite.injection_tasks.items())
        return [attack for attack in made if attack.calls]

    def _task(self, name: str, task: Any) -> Task:
        calls = _calls(task.ground_truth(self.env()))

        def is_done(env: Any) -> bool | None:
            """Whether the goal is reached; None where the task has no test of it."""
            said, before = task.GROUND_TRUTH_OUTPUT or "", self.env()
            try:
                done = task.utility(said, before, env)
            except (ValueError, KeyError, AttributeError, IndexError, NotImplementedError):
                done = False
            if done is True:
                return True
            trace = [FunctionCall(function=c.name, args=dict(c.args)) for c in calls]
            return task.utility_from_traces(said, before, env, trace)

        return Task(name, task.PROMPT, calls, self._meets(calls), is_done)

    def _meets(self, calls: Sequence[Call]) -> Mapping[str, int]:
        """For each place of an injection the number of the call whose result shows it."""
        signs = {place: f"SIGN{number:03}X" for number, place in enumerate(self._defaults)}
        env, runtime, found = self.env(signs), FunctionsRuntime(self.tools), {}
        for number, call in enumerate(calls):
            result, _ = runtime.run_function(env, call.name, dict(call.args))
            text = json.dumps(plain(result), default=str)
            for place, sign in signs.items():
                if sign in text:
                    found.setdefault(place, number)
        return found


def _calls(solution: Sequence[Any]) -> list[Call]:
    return [Call(c.function, json.loads(json.dumps(c.args, default=str))) for c in solution]


def plain(result: Any) -> Any:
    """A tool's result as JSON data."""
    if isinstance(result, pydantic.BaseModel):
        return result.model_dump(mode="json")
    if isinstance(result, list):
        return [plain(item) for item in result]
    if isinstance(result, dict):
        return {str(key): plain(value) for key, value in result.items()}
    return result


def suites(*names: str) -> Iterator[Suite]:
    """The suites of those names; all four where none is named."""
    found = get_suites(VERSION)
    for name in names or ("workspace", "travel", "banking", "slack"):
        yield Suite(name, found[name])


def is_read(name: str) -> bool:
    """Whether a tool only reads, by AgentDojo's names."""
    return name.startswith(_READS)


def _traits(suite: str, name: str) -> Traits:
    known = {n: fields for fields, names in _FIELDS[suite].items() for n in names.split()}
    return Traits(
        effect="read" if is_read(name) else "write",
        open_world=name in known,
        trusted_fields=known.get(name, ()),
        touches={"url": "url"} if name == "get_webpage" else {},
    )


class World:
    """An environment whose tools stand behind our pipeline, for one prompt, and a person who always says the same.

    `asks` is what they were asked, by the number of the call; `heard` are the results so far.
    """

    def __init__(self, suite: Suite, env: Any, prompt: str, *, allows: bool) -> None:
        self.env, self.prompt, self._allows = env, prompt, allows
        self.asks: list[str] = []
        self.heard: list[str] = []
        registry = ToolRegistry()
        runtime = FunctionsRuntime(suite.tools)
        for tool in suite.tools:
            parameters = tool.parameters.model_json_schema()
            registry.register(
                name=tool.name,
                toolset=suite.name,
                schema={"name": tool.name, "description": tool.description, "parameters": parameters},
                handler=self._handler(runtime, tool.name),
                traits=_traits(suite.name, tool.name),
            )
        self._house = house_of(registry)
        self._scope: Scope = self._house.scope(approver=self._approve, prompt=prompt)

    def _handler(self, runtime: FunctionsRuntime, name: str) -> Callable[..., Any]:
        def handler(args: Mapping[str, Any], **_: Any) -> Any:
            result, error = runtime.run_function(self.env, name, dict(args), raise_on_error=False)
            return {"error": error} if error else plain(result)

        return handler

    def _approve(self, ready: Ready, ask: Ask) -> bool:
        self.asks.append(f"{ready.entry.name}: {ask.reason}")
        return self._allows

    def run(self, call: Call) -> ToolResult:
        """Run one call."""
        result = self._house.pipeline.run(ToolCall(call.name, dict(call.args), scope=self._scope))
        self.heard.append(result.content)
        return result
