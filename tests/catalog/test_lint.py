"""What the lint finds, and what it leaves alone."""

from __future__ import annotations

import pytest

from handiwork.catalog.lint import lint


@pytest.fixture
def kinds(registry, add):
    def check(name="measure_wall", **options):
        add(name, **{"text": "Measure a wall with a laser and answer its length.", **options})
        (report,) = lint([registry.get(name)], registry.entries())
        return [(p.where, p.kind) for p in report.problems]

    return check


def prop(text="", **schema):
    return {"type": "string", **({"description": text} if text else {}), **schema}


@pytest.mark.parametrize("text", [" ", "Measure wall.", "Measures walls"])
def test_descriptions_that_say_nothing(kinds, text):
    assert kinds(text=text) == [("", "description")]


@pytest.mark.parametrize(
    ("name", "schema", "found"),
    [
        ("mode", prop(), "parameter"),
        ("wall", prop(), None),
        ("mode", prop(enum=["a", "b"]), None),
        ("timeout", prop("How long to wait", type="number"), "unit"),
        ("timeout", prop("Seconds to wait", type="number"), None),
        ("timeout_ms", prop("How long to wait", type="integer"), None),
        ("maxSize", prop("Biggest one", type=["integer", "null"]), "unit"),
        ("size", prop("Which shirt: small or large"), None),
        ("format", prop("Either 'csv' or 'json'"), "enum"),
        ("format", prop("One of csv, json"), "enum"),
        ("format", prop("csv|json|xml"), "enum"),
        ("format", prop("A file ending, for example 'csv' or 'json'"), None),
        ("format", prop("'csv' or 'json'", enum=["csv", "json"]), None),
    ],
)
def test_parameters(kinds, name, schema, found):
    assert kinds(properties={name: schema}) == ([(name, found)] if found else [])


def test_parameters_at_every_depth(kinds):
    inner = {"type": "object", "properties": {"delay": prop("How long", type="integer")}}
    properties = {"steps": prop("What to do", type="array", items=inner), "opts": {**inner, "description": "More"}}
    assert kinds(properties=properties) == [("steps[].delay", "unit"), ("opts.delay", "unit")]


def test_twins_by_name_and_by_meaning(kinds, add):
    add("wall_measure", text="Something with bricks altogether different.")
    add("gauge", text="Measure a wall with a laser and answer its length.")
    for number in range(8):
        add(f"other_{number}", text=f"Paint picture number {number} in oil colours.")
    assert kinds() == [("", "twin"), ("", "twin")]


def test_a_dear_tool(kinds):
    assert kinds(text="Measure every wall of a house with a laser. " * 60) == [("", "price")]
