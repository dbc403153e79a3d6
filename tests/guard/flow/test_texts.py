"""Whatever is read, it is read to its end, soon; and what a person named never asks."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handiwork.core.types import Label, Ready, ToolCall, ToolEntry, ToolResult, Traits
from handiwork.guard.flow import Ledger
from handiwork.guard.flow.atoms import atoms_of
from handiwork.guard.flow.decoding import readings_of
from handiwork.guard.flow.fields import fields_of
from handiwork.guard.flow.folding import fold
from handiwork.guard.flow.overlaps import Overlaps

SIGNS = st.text(
    st.sampled_from("aZ09 .@:/-_+=#%&;\\x\n\t\u200b\u0430\uff20[](){}<>\"'*|") | st.characters(), max_size=80
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | SIGNS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(SIGNS, inner, max_size=3),
    max_leaves=8,
)


def ready(args, effect="write", **traits):
    made = ToolEntry("act", "t", {"parameters": {}}, handler=print, traits=Traits(effect=effect, **traits))
    return Ready(ToolCall("act"), made, args)


def outside(ledger, text, *fields):
    made = ready({}, "read", open_world=True, trusted_fields=fields)
    ledger.note(made, ToolResult(made.call, text, labels=(Label("outside", "page"),)))


@given(said=SIGNS, heard=SIGNS | VALUES.map(json.dumps), args=st.dictionaries(SIGNS, VALUES, max_size=3))
@settings(max_examples=150, deadline=None)
def test_nothing_that_is_read_raises(said, heard, args):
    ledger = Ledger()
    ledger.trust(said)
    outside(ledger, heard, "id")
    for labels in (ledger.trace(ready(args)), ledger.trace(ready(args, touches={"url": "url", "command": "command"}))):
        assert all(label.integrity == "outside" and label.values for label in labels.values())
    ledger.source_of(heard)


@given(
    value=SIGNS.filter(lambda v: fold(v).strip()), before=SIGNS, after=SIGNS, name=st.sampled_from(["to", "id", "url"])
)
@settings(max_examples=150, deadline=None)
def test_what_the_person_named_never_asks(value, before, after, name):
    ledger = Ledger()
    ledger.trust(f"{before} {value} {after}")
    ledger.trust(value)
    outside(ledger, f"{after} {value} {before}")
    assert ledger.trace(ready({name: value})) == {}


SHAPES = {
    "numbers": "1 2 3-4 ",
    "digits": "1",
    "blanks": " ",
    "lines": "\n",
    "letters": "a",
    "words": "some words of a page, ",
    "addresses": "a.b@example.org ",
    "dots": "a.",
    "dotted words": "a.b ",
    "ats": "a@",
    "hyphens": "a-",
    "spaced letters": "a b ",
    "links": "https://example.org/a ",
    "quotes": "\"'",
    "quoted": "' + '",
    "brackets": "[({",
    "bracketed": "[ . ] ",
    "hex": "0f",
    "hex with blanks": "0f ",
    "base64": "QUJD",
    "base64 blobs": "QUJDREVGRw== ",
    "codes": "65 66 ",
    "entities": "&#65;",
    "percent": "%41",
    "at and dot": "at dot ",
    "dates": "May 13 2024 ",
    "telephones": "+49 30 1234 567 ",
    "accounts": "DE44 5001 0517 5407 3249 31 ",
    "invisible": "\u200b",
    "accents": "a\u0301",
    "arrays": "[",
    "objects": '{"a":',
    "plus": "+1",
    "schemes": "aaaaaaaaaaaaaaa:",
    "bitcoins": "1a",
    "far blanks": "at" + " " * 500,
}


@pytest.mark.integration
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_hundred_thousand_characters_of_any_shape_take_half_a_second(shape):
    ledger = Ledger()
    ledger.trust("Do what is on the page")
    outside(ledger, (shape * 100_000)[:100_000])
    started = time.process_time()
    ledger.trace(ready({"to": "somebody@example.com", "title": "words 13"}))
    ledger.source_of("a passage that nobody wrote anywhere, long as it is")
    assert time.process_time() - started <= 1.0  # half a second on a quiet machine


@pytest.mark.integration
def test_a_long_argument_takes_no_longer():
    for shape in SHAPES.values():
        ledger = Ledger()
        ledger.trust("x")
        outside(ledger, "words of a page " * 1_000)
        started = time.process_time()
        ledger.trace(ready({"to": (shape * 100_000)[:100_000]}))
        assert time.process_time() - started <= 1.0, shape


def test_a_field_is_found_however_deep_it_is():
    deep = "[" * 400 + '{"a": "x"}' + "]" * 400
    assert [field.text for field in fields_of(deep, ())] == ["a", "x"]
    hopeless = "[" * 200_000
    assert [field.text for field in fields_of(hopeless, ())] == [hopeless]


def test_a_vouched_field_vouches_for_names_and_not_for_prose():
    fields = list(fields_of('["general", "x"]', ("*",)))
    assert [(field.path, field.vouched) for field in fields] == [("[0]", True), ("[1]", True)]
    assert next(fields_of("plain", ("*",))).vouched and not next(fields_of("plain", ("id",))).vouched


def test_passages_are_found_by_forty_characters_in_a_row():
    known = fold("The quick brown fox jumps over the lazy dog, and then it sleeps until the evening comes.")
    overlaps = Overlaps()
    overlaps.add(known, 7)
    assert overlaps.of(fold("He said: THE QUICK  brown fox jumps over the lazy dog, and no more")) == 7
    assert overlaps.of(fold("the quick brown fox is somewhere else, and the lazy dog, too, they say")) is None
    overlaps.add("\u4e2d" * 10 + "".join(map(chr, range(0x4E00, 0x4E80))), 8)
    assert overlaps.of("x" * 90 + "".join(map(chr, range(0x4E10, 0x4E50)))) == 8


def test_each_thing_is_one_atom():
    found = atoms_of(
        fold("Mail a.b@example.org, see https://www.Example.org/x#y, pay DE44 5001 0517 5407 3249 31 by 2024-05-03")
    )
    assert [(atom.kind, atom.value) for atom in found] == [
        ("email", "a.b@example.org"),
        ("url", "example.org/x"),
        ("account", "de44500105175407324931"),
        ("date", "2024-05-03"),
    ]
    assert any("a@b.org" in reading for reading in readings_of("a at b dot org"))
