"""A fixed pool of tools, questions with one right tool in it, and the selections that a model is given.

They are BFCL's `multiple` questions: each comes with the one right tool and one to three others near it.
"""

from __future__ import annotations

import json
import random
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from search_data import Question, lines

from handiwork import ToolRegistry
from handiwork.catalog.search import Index
from handiwork.core.types import ToolCall
from handiwork.pipeline.repair import repair_arguments

Schema = dict[str, Any]
FOUND, GROUP = 5, 8
CONDITIONS = ("all", "found", "group")
_TYPES = {"dict": "object", "float": "number", "tuple": "array"}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, its right tool, and the accepted values of each argument ("" among them: may be left out)."""

    id: str
    text: str
    right: str
    accepted: Mapping[str, Sequence[Any]]


class Shelf:
    """The pool: schemas by name in a fixed shuffled order, the groups of it, and our search over it."""

    def __init__(self, groups: list[list[Schema]], seed: int) -> None:
        self._groups = [[schema["name"] for schema in group] for group in groups]
        schemas = [schema for group in groups for schema in group]
        random.Random(seed).shuffle(schemas)
        self.schemas = {schema["name"]: schema for schema in schemas}
        registry = ToolRegistry()
        for name, schema in self.schemas.items():
            registry.register(name=name, toolset="bfcl", schema=schema, handler=lambda args, **_: args)
        self._index = Index(registry.entries())

    def selection(self, condition: str, asked: Asked) -> list[Schema]:
        """What the model is given, always in the pool's order, so that no place tells what is right."""
        if condition == "found":
            kept = {hit.name for hit in self._index.search(asked.text, limit=FOUND)}
        elif condition == "group":
            kept = set(next(group for group in self._groups if asked.right in group))
        else:
            kept = set(self.schemas)
        return [{"type": "function", "function": s} for name, s in self.schemas.items() if name in kept]

    def grade(self, call: ToolCall | None, asked: Asked) -> tuple[bool, bool]:
        """Whether the tool is right, and whether its repaired arguments are too."""
        if call is None or call.name != asked.right:
            return False, False
        repaired = repair_arguments(call.arguments, self.schemas[asked.right]["parameters"])
        return True, repaired.args is not None and _accepts(asked.accepted, repaired.args)


def _accepts(accepted: Mapping[str, Sequence[Any]], args: Mapping[str, Any]) -> bool:
    """Plain equality with one of the accepted values, argument by argument; nothing beside them."""
    return args.keys() <= accepted.keys() and all(args.get(name, "") in values for name, values in accepted.items())


def sample(wheel: zipfile.ZipFile, count: int, size: int, seed: int) -> tuple[Shelf, list[Asked]]:
    """*count* questions of the half that the search wasn't tuned on, and a pool of *size* tools.

    The pool holds their right tools, and of the tools that came beside those as many as there is room for.
    A group is what came together, filled up to GROUP: what a person might call a toolset.
    """
    truths = {row["id"]: row["ground_truth"] for row in lines(wheel, "possible_answer/BFCL_v4_multiple.json")}
    rows = [row for row in lines(wheel, "BFCL_v4_multiple.json") if _fits(row, truths[row["id"]])]
    random.Random(seed).shuffle(rows)
    rows = _with_new_tools(rows)
    chosen = rows[:count]
    wanted = [next(iter(truths[row["id"]][0].items())) for row in chosen]
    asked = [
        Asked(row["id"], _text(row), _name(right), accepted)
        for row, (right, accepted) in zip(chosen, wanted, strict=True)
    ]
    return Shelf(_groups(rows, [question.right for question in asked], size), seed), asked


def _fits(row: Mapping[str, Any], truth: Sequence[Mapping[str, Any]]) -> bool:
    """One right call, of plain values, in the half kept back."""
    values = [value for call in truth for accepted in call.values() for value in accepted.values()]
    return len(truth) == 1 and '{"' not in json.dumps(values) and Question(row["id"], "", frozenset()).half == 1


def _with_new_tools(rows: Iterable[Schema]) -> list[Schema]:
    """The rows that share no tool with one before them: a name stands for one tool, and one question."""
    seen: set[str] = set()
    kept = []
    for row in rows:
        names = {tool["name"] for tool in row["function"]}
        if not names & seen:
            kept.append(row)
            seen |= names
    return kept


def _groups(rows: Sequence[Schema], right: Sequence[str], size: int) -> list[list[Schema]]:
    """The first *size* tools of the rows, but all that are *right*, in groups of neighbours."""
    room = size - len(right)
    tools = []
    for schema in (_schema(tool) for row in rows for tool in row["function"]):
        if schema["name"] in right or room > 0:
            room -= schema["name"] not in right
            tools.append(schema)
    return [tools[i : i + GROUP] for i in range(0, len(tools), GROUP)]


def _text(row: Mapping[str, Any]) -> str:
    return " ".join(message["content"] for message in row["question"][0] if message["role"] == "user")


def _name(name: str) -> str:
    return re.sub(r"[^\w-]", "_", name, flags=re.ASCII)[:64]


def _schema(tool: Mapping[str, Any]) -> Schema:
    return {"name": _name(tool["name"]), "description": tool["description"], "parameters": _plain(tool["parameters"])}


def _plain(schema: Any) -> Any:
    """BFCL's own words for types as those of JSON Schema."""
    if isinstance(schema, list):
        return [_plain(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {key: _plain(value) for key, value in schema.items()}
    if isinstance(plain.get("type"), str):
        plain["type"] = _TYPES.get(plain["type"], plain["type"])
        if plain["type"] == "any":
            del plain["type"]
    return plain
