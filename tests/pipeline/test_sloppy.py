"""The grammar of mistakes on calls written by hand: what the bench does with those of packages, in a second."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "bench"))

import sloppy
from gold import Gold

TEXT, WHOLE, NUMBER, TRUTH = ({"type": kind} for kind in ("string", "integer", "number", "boolean"))
TEXTS, WHOLES = ({"type": "array", "items": kind} for kind in (TEXT, WHOLE))
COLOUR = {"type": "string", "enum": ["dark_red", "Light Blue", "green"]}
POINT = {"type": "object", "properties": {"x": NUMBER, "y": NUMBER, "label": TEXT}, "required": ["x", "y"]}


def tool(required: str = "", **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required.split()}


FILE = tool("path", path=TEXT, offset=WHOLE, limit={**WHOLE, "default": 100}, follow_links=TRUTH)
WRITE = tool("path content", path=TEXT, content=TEXT, make_parents=TRUTH)
SEARCH = tool("query", query=TEXT, maxResults=WHOLE, fileTypes=TEXTS, score=NUMBER)
RUN = tool("command", command=TEXT, timeout_s=NUMBER, env={"type": "object", "additionalProperties": TEXT})
DRAW = tool("points", points={"type": "array", "items": POINT}, colour=COLOUR, filled=TRUTH)
MOVE = tool("to", to=POINT, speed={"anyOf": [NUMBER, {"type": "null"}]}, via={"type": "array", "items": POINT})
ORDER = tool("order_id item_ids", order_id=TEXT, item_ids=TEXTS, quantity=WHOLE, colour=COLOUR, rush=TRUTH)
MAIL = tool("recipients subject", recipients=TEXTS, subject=TEXT, body=TEXT, priority=WHOLE)
MATRIX = tool("rows", rows={"type": "array", "items": WHOLES}, scale=NUMBER)
STRICT = {**tool("city", city=TEXT, zip=TEXT, days=WHOLE), "additionalProperties": False}

CALLS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (FILE, {"path": "src/main.py"}),
    (FILE, {"path": "notes, old (2).txt", "offset": 12, "limit": 5}),
    (FILE, {"path": "/tmp/ä ö/ü.txt", "follow_links": False}),
    (FILE, {"path": "12345", "offset": 0, "follow_links": True}),
    (WRITE, {"path": "a.json", "content": '{"a": [1, 2], "b": "x"}'}),
    (WRITE, {"path": "run.sh", "content": 'echo "it\'s"\nexit 0\n', "make_parents": True}),
    (WRITE, {"path": "p.md", "content": "# Title\n\n```py\nprint(1)\n```\n"}),
    (WRITE, {"path": "w", "content": "tab\there \\ back, and more: {x}"}),
    (SEARCH, {"query": "def main", "maxResults": 10}),
    (SEARCH, {"query": "TODO|FIXME", "fileTypes": ["py", "md"], "score": 0.5}),
    (SEARCH, {"query": "weather in Oslo", "fileTypes": ["txt"], "maxResults": 3, "score": 1.25}),
    (SEARCH, {"query": "日本語のテスト"}),
    (RUN, {"command": "ls -la | wc -l"}),
    (RUN, {"command": "make test", "timeout_s": 90, "env": {"CI": "1", "LANG": "C"}}),
    (RUN, {"command": "grep -rn 'x' . && echo done", "timeout_s": 2.5}),
    (DRAW, {"points": [{"x": 1, "y": 2}, {"x": -3.5, "y": 4, "label": "end"}], "colour": "dark_red"}),
    (DRAW, {"points": [{"x": 0, "y": 0}], "colour": "Light Blue", "filled": True}),
    (DRAW, {"points": [], "filled": False, "colour": "green"}),
    (MOVE, {"to": {"x": 10.5, "y": -2, "label": "home"}, "speed": 3}),
    (MOVE, {"to": {"x": 1, "y": 1}, "speed": None}),
    (MOVE, {"to": {"x": 7, "y": 8}, "via": [{"x": 1, "y": 2, "label": "first stop"}]}),
    (ORDER, {"order_id": "#W0000001", "item_ids": ["1008292230"], "quantity": 2}),
    (ORDER, {"order_id": "#W0000002", "item_ids": ["4107812777", "6309101922"], "rush": True, "colour": "green"}),
    (ORDER, {"order_id": "77", "item_ids": ["a b"], "quantity": 1234567, "rush": False}),
    (MAIL, {"recipients": ["ann@example.org"], "subject": "Lunch"}),
    (MAIL, {"recipients": ["a@example.org", "b@example.org"], "subject": "plan", "body": "Yes.\n", "priority": 1}),
    (MATRIX, {"rows": [[1, 2], [3, 4]], "scale": 2}),
    (MATRIX, {"rows": [[5]], "scale": 0.1}),
    (STRICT, {"city": "San José", "zip": "90210", "days": 3}),
    (STRICT, {"city": "New York, NY", "days": 14}),
]  # fmt: skip
REPORTS = {seed: sloppy.run([Gold("hand", "probe", schema, args) for schema, args in CALLS], seed) for seed in range(3)}


@pytest.mark.parametrize("seed", REPORTS)
def test_no_mistake_becomes_a_wrong_value(seed: int) -> None:
    assert [fault for fault in REPORTS[seed].faults if fault["outcome"] == "wrong"] == []


@pytest.mark.parametrize("seed", REPORTS)
def test_what_has_one_reading_comes_back(seed: int) -> None:
    report = REPORTS[seed]
    assert report.as_it_should >= 0.99 * report.tried, report.faults[:5]
    assert report.counts[sloppy.UNTOUCHED] == {"restored": len(CALLS)}


def test_every_mistake_of_the_grammar_was_made() -> None:
    made = {name for report in REPORTS.values() for name in report.counts}
    assert {mistake.name for mistake in sloppy.GRAMMAR} <= made
    assert len(sloppy.GRAMMAR) == len({mistake.name for mistake in sloppy.GRAMMAR}) > 60


def test_the_same_seed_writes_the_same_mistakes() -> None:
    gold = Gold("hand", "probe", *CALLS[1])
    first, again, other = ([a.raw for a in sloppy.attempts(gold, Random(seed))] for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_a_wrong_value_would_be_counted() -> None:
    report = sloppy.Report()
    attempt = sloppy.Attempt("demo", "restorable", '{"path": "b"}', {"path": "a"})
    sloppy.judge(sloppy.compile_plan(FILE), attempt, report)
    assert (report.total("wrong"), report.as_it_should) == (1, 0)
