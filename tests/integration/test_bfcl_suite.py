"""BFCL's stateful tool classes as tools of ours: every call of 200 recorded conversations, through the whole line.

Each conversation runs twice, on two fresh sets of instances: directly, as Python calls, and as JSON text
through `handle_function_call`. Every result and the state at the end have to be the same.
"""

from __future__ import annotations

import ast
import copy
import importlib
import inspect
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from handiwork import ToolRegistry, handle_function_call

pytestmark = pytest.mark.integration

DATA = "bfcl_eval/data"
CODE = "bfcl_eval.eval_checker.multi_turn_eval.func_source_code"
FILES = {
    "GorillaFileSystem": "gorilla_file_system",
    "MathAPI": "math_api",
    "MessageAPI": "message_api",
    "TwitterAPI": "posting_api",
    "TicketAPI": "ticket_api",
    "TradingBot": "trading_bot",
    "TravelAPI": "travel_booking",
    "VehicleControlAPI": "vehicle_control",
}
TYPES = {"dict": "object", "float": "number", "tuple": "array", "any": None}
# The recorded calls give the ids that their scenario holds, which are text where the documentation says integer.
ALSO_TEXT = {("close_ticket", "ticket_id")}
# A way back up, and the time of day; everything else of an instance's state is compared.
LEFT_OUT = ("parent", "_last_modified")

Instances = dict[str, Any]
Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Suite:
    """The unpacked package: its classes, their documentation as JSON Schema, its conversations."""

    classes: dict[str, type]
    documented: dict[str, list[dict[str, Any]]]
    conversations: list[dict[str, Any]]
    calls: dict[str, list[str]]

    def fresh(self, conversation: dict[str, Any]) -> Instances:
        """New instances of the conversation's classes in its first state."""
        made = {}
        for name in conversation["involved_classes"]:
            made[name] = self.classes[name]()
            if hasattr(made[name], "_load_scenario"):
                made[name]._load_scenario(copy.deepcopy(conversation["initial_config"].get(name, {})))
        return made


@pytest.fixture(scope="module")
def suite(unpacked: Callable[..., Path]) -> Iterator[Suite]:
    folder = unpacked("bfcl-eval", "mpmath")
    sys.path.insert(0, str(folder))
    try:
        yield _load(folder / DATA)
    finally:
        sys.path.remove(str(folder))
        for name in [n for n in sys.modules if n.partition(".")[0] in ("bfcl_eval", "mpmath")]:
            del sys.modules[name]


def _load(data: Path) -> Suite:
    answers = _lines(data / "possible_answer" / "BFCL_v4_multi_turn_base.json")
    return Suite(
        classes={name: getattr(importlib.import_module(f"{CODE}.{file}"), name) for name, file in FILES.items()},
        documented={name: _lines(data / "multi_turn_func_doc" / f"{file}.json") for name, file in FILES.items()},
        conversations=_lines(data / "BFCL_v4_multi_turn_base.json"),
        calls={a["id"]: [call for turn in a["ground_truth"] for call in turn] for a in answers},
    )


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def _parameters(tool: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = _json_schema(tool["parameters"])
    for name, schema in made["properties"].items():
        if (tool["name"], name) in ALSO_TEXT:
            schema["type"] = [schema["type"], "string"]
    return made


def _json_schema(schema: Any) -> Any:
    """BFCL names types as Python does, and writes the default None as a text."""
    if isinstance(schema, list):
        return [_json_schema(member) for member in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: _json_schema(value) for key, value in schema.items()}
    if isinstance(made.get("type"), str) and made["type"] in TYPES:
        made["type"] = TYPES[made["type"]]
    return {k: v for k, v in made.items() if (k, v) not in (("type", None), ("default", "None"))}


def _register(registry: ToolRegistry, suite: Suite, instances: Instances) -> None:
    for class_name, instance in instances.items():
        for tool in suite.documented[class_name]:
            registry.register(
                name=tool["name"],
                toolset=class_name,
                schema={**tool, "parameters": _parameters(tool)},
                handler=_handler(getattr(instance, tool["name"])),
            )


def _handler(method: Callable[..., Any]) -> Callable[[dict[str, Any]], Any]:
    return lambda args: method(**args)


def _parsed(text: str, instances: Instances) -> Call:
    """`name(1, b='x')` as a name and arguments by name."""
    node = ast.parse(text.strip(), mode="eval").body
    assert isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Name)
    name = node.func.id
    method = next(getattr(i, name) for i in instances.values() if hasattr(i, name))
    given = [ast.literal_eval(argument) for argument in node.args]
    named = {str(k.arg): ast.literal_eval(k.value) for k in node.keywords}
    return name, inspect.signature(method).bind(*given, **named).arguments


def _directly(instances: Instances, call: Call) -> Any:
    """What the method itself gives, as a JSON text reads; an exception as its text."""
    name, arguments = call
    method = next(getattr(i, name) for i in instances.values() if hasattr(i, name))
    try:
        given = method(**arguments)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    return json.loads(json.dumps({"result": None} if given is None else given, default=str))


def _ours(registry: ToolRegistry, call: Call) -> Any:
    name, arguments = call
    text = handle_function_call(name, json.dumps(arguments), registry=registry)
    try:
        return json.loads(text)
    except ValueError:
        return text


def _state(value: Any) -> Any:
    """What an instance holds, private parts too, in a form that compares: objects by their attributes."""
    if isinstance(value, dict):
        return {key: _state(member) for key, member in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [_state(member) for member in value]
    if hasattr(value, "getstate"):
        return value.getstate()
    if type(value).__module__.startswith("bfcl_eval"):
        return {k: _state(v) for k, v in vars(value).items() if k not in LEFT_OUT}
    return value


def _differences(suite: Suite, conversation: dict[str, Any]) -> list[str]:
    direct, through = suite.fresh(conversation), suite.fresh(conversation)
    registry = ToolRegistry()
    _register(registry, suite, through)
    found = []
    for text in suite.calls[conversation["id"]]:
        call = _parsed(text, direct)
        expected, got = _directly(direct, call), _ours(registry, call)
        if expected != got:
            found.append(f"{conversation['id']}: {text}\n  directly {expected}\n  through ours {got}")
    if {k: _state(v) for k, v in direct.items()} != {k: _state(v) for k, v in through.items()}:
        found.append(f"{conversation['id']}: the state at the end differs")
    return found


def test_every_documented_tool_is_registered(suite: Suite) -> None:
    registry = ToolRegistry()
    _register(registry, suite, {name: made() for name, made in suite.classes.items()})
    assert registry.rejections() == []
    assert len(registry.names()) == sum(map(len, suite.documented.values()))


def test_two_hundred_conversations_end_as_direct_calls_do(suite: Suite) -> None:
    assert len(suite.conversations) == 200
    differing = [lines for c in suite.conversations if (lines := _differences(suite, c))]
    assert not differing, "\n".join(line for lines in differing[:10] for line in lines)
