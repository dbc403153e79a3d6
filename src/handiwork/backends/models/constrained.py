"""One reply, one JSON object: the form in which a local model asks for a tool or answers.

The form is told in words (`instructions`) and enforced while the model writes (`reply_schema`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from handiwork.core.types import ModelReply, Schema, ToolCall
from handiwork.core.wire import dumps

from .profile import Profile

Tool = Mapping[str, Any]
_ANSWER = re.compile(r'(?<!\\)"answer"\s*:\s*"')
_STRING = re.compile(r'(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*')
_HIGH_HALF = re.compile("[\ud800-\udbff]\\Z")

_RULES = """\
Reply with exactly one JSON object. Either use one tool:
{tool}
or, when every part of the task is done, answer:
{answer}

One step per reply. Never guess a result: get it from a tool, and copy it exactly into what you write."""

# How the parts of a task follow each other. Its tools are named only where all of them are supplied. The
# results look as the tools' own do: with shortened ones the model no longer looked at real ones.
_EXAMPLE_RULE = "One part per step: a command only prints its result; saving it is a step of its own, with write_file."
_EXAMPLE_TASK = (
    "Read trips.csv, find out with a command how many different cities are in the second column, "
    "write the number to cities.txt and tell it."
)
_EXAMPLE: tuple[tuple[str, str, dict[str, str], dict[str, Any]], ...] = (
    (
        "read trips.csv",
        "read_file",
        {"path": "trips.csv"},
        {
            "path": "trips.csv",
            "size": 45,
            "lines": "1-5 of 5",
            "content": "day,city\nmon,Oslo\ntue,Rome\nwed,Oslo\nthu,Bern\n",
        },
    ),
    (
        "find out with a command how many different cities are in the second column",
        "terminal",
        {"command": "tail -n +2 trips.csv | cut -d, -f2 | sort -u | wc -l"},
        {"exit_code": 0, "output": "3\n"},
    ),
    (
        "write the number to cities.txt",
        "write_file",
        {"path": "cities.txt", "content": "3"},
        {"path": "cities.txt", "bytes": 1, "created": True},
    ),
)
_EXAMPLE_ANSWER = "There are 3 different cities; the number is in cities.txt."


def instructions(tools: Sequence[Tool], profile: Profile) -> str:
    """What the system message says about tools and the form of replies."""
    listed = "\n".join(_described(tool["function"], profile) for tool in tools)
    thought = {profile.thought: "..."} if profile.thought else {}
    rules = _RULES.format(
        tool=dumps({**thought, "tool": "NAME", "arguments": {"...": "..."}}),
        answer=dumps({**thought, "answer": "..."}),
    )
    parts = [f"Tools:\n{listed}", rules]
    if profile.example and _example_fits(tools):
        parts += [_EXAMPLE_RULE, _example(profile)]
    return "\n\n".join(parts)


def _example_fits(tools: Sequence[Tool]) -> bool:
    """Whether all tools of the example are supplied: a model must not learn of tools that aren't there."""
    return {name for _, name, _, _ in _EXAMPLE} <= {tool["function"]["name"] for tool in tools}


def _example(profile: Profile) -> str:
    lines = [f"Example. Task: {_EXAMPLE_TASK}"]
    for thought, name, arguments, result in _EXAMPLE:
        lines += [call_text(name, dumps(arguments), thought, profile), f"Result: {dumps(result)}"]
    return "\n".join([*lines, answer_text(_EXAMPLE_ANSWER, profile)])


def _described(function: Mapping[str, Any], profile: Profile) -> str:
    names = ", ".join(offered_parameters(function, profile).get("properties", ()))
    return f"- {function['name']}({names}): {' '.join(str(function.get('description', '')).split())}"


def offered_parameters(function: Mapping[str, Any], profile: Profile) -> Schema:
    """The tool's parameters as this model is offered them."""
    parameters: Schema = dict(function.get("parameters") or {"type": "object"})
    required = parameters.get("required") or ()
    if profile.lean_arguments and required:
        kept = {name: value for name, value in parameters.get("properties", {}).items() if name in required}
        parameters["properties"] = kept
    parameters["additionalProperties"] = False
    return parameters


def reply_schema(
    tools: Sequence[Tool], profile: Profile, *, without: Collection[str] = (), loose: bool = False
) -> Schema:
    """The JSON Schema of one reply: a call of a tool that isn't in *without*, or the answer.

    *loose* leaves arguments unchecked, for schemas that the grammar engine can't turn into a grammar.
    """
    functions = [tool["function"] for tool in tools if tool["function"]["name"] not in without]
    calls = [_call_schema(function, profile, loose) for function in functions]
    return {"anyOf": [*calls, _variant(profile, {"answer": {"type": "string"}})]}


def _call_schema(function: Mapping[str, Any], profile: Profile, loose: bool) -> Schema:
    arguments = {"type": "object"} if loose else offered_parameters(function, profile)
    return _variant(profile, {"tool": {"const": function["name"]}, "arguments": arguments})


def _variant(profile: Profile, fields: Schema) -> Schema:
    thought = {"type": "string", "maxLength": profile.thought_chars}
    properties = {profile.thought: thought, **fields} if profile.thought else fields
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def call_text(name: str, arguments: str, thought: str, profile: Profile) -> str:
    """A call as the model itself writes it."""
    try:
        value = json.loads(arguments or "{}")
    except ValueError:
        value = arguments
    return dumps(_with_thought({"tool": name, "arguments": value}, thought, profile))


def answer_text(answer: str, profile: Profile) -> str:
    """An answer as the model itself writes it."""
    return dumps(_with_thought({"answer": answer}, "tell it", profile))


def _with_thought(fields: dict[str, Any], thought: str, profile: Profile) -> dict[str, Any]:
    return {profile.thought: thought, **fields} if profile.thought else fields


def read_reply(text: str, profile: Profile) -> ModelReply | None:
    """The reply in *text*, or None where it isn't one whole object of the form."""
    try:
        value = json.loads(text)
    except ValueError:
        return None
    if isinstance(value, dict) and isinstance(value.get("tool"), str):
        thought = str(value.get(profile.thought, ""))
        return ModelReply(thought, (ToolCall(value["tool"], dumps(value.get("arguments"))),))
    return ModelReply(str(value["answer"])) if isinstance(value, dict) and "answer" in value else None


class AnswerStream:
    """Takes the pieces of a reply, and gives back the text of its answer as it grows."""

    __slots__ = ("_raw", "_shown")

    def __init__(self) -> None:
        self._raw = ""
        self._shown = ""

    def feed(self, piece: str) -> str:
        """What of the answer is new with this piece."""
        self._raw += piece
        begin = _ANSWER.search(self._raw)
        if begin is None:
            return ""
        inside = _STRING.match(self._raw, begin.end())
        answer = json.loads(f'"{inside[0]}"', strict=False) if inside else ""
        answer = _HIGH_HALF.sub("", answer)
        new, self._shown = answer[len(self._shown) :], answer
        return str(new)
