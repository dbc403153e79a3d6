from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from handiwork.backends.models.assembly import CallAssembly

NAMES = ("read_file", "write_file", "read")


def assemble(*deltas: dict[str, Any], names: tuple[str, ...] = NAMES) -> list[tuple[str, str, str]]:
    assembly = CallAssembly(names)
    for delta in deltas:
        assembly.add(delta)
    return [(call.name, call.arguments, call.id) for call in assembly.calls()]


def piece(
    index: int | None = None, id: str | None = None, name: str | None = None, args: str | None = None
) -> dict[str, Any]:
    function = {k: v for k, v in (("name", name), ("arguments", args)) if v is not None}
    return {k: v for k, v in (("index", index), ("id", id), ("function", function)) if v is not None}


def test_the_usual_stream() -> None:
    got = assemble(piece(0, "a", "read_file", ""), piece(0, args='{"pa'), piece(0, args='th":"x"}'))
    assert got == [("read_file", '{"path":"x"}', "a")]


def test_two_interleaved_calls_by_index() -> None:
    got = assemble(
        piece(0, "a", "read_file"), piece(1, "b", "write_file"), piece(0, args="{1"), piece(1, args="{2"),
        piece(0, args="}"), piece(1, args="}"),
    )  # fmt: skip
    assert got == [("read_file", "{1}", "a"), ("write_file", "{2}", "b")]


def test_two_interleaved_calls_by_id_without_index() -> None:
    got = assemble(
        piece(None, "a", "read_file"), piece(None, "b", "write_file"),
        piece(None, "a", args='{"x":1}'), piece(None, "b", args='{"y":2}'),
    )  # fmt: skip
    assert got == [("read_file", '{"x":1}', "a"), ("write_file", '{"y":2}', "b")]


def test_shared_index_with_different_ids_is_two_calls() -> None:
    got = assemble(
        piece(0, "a", "read_file", '{"path":'), piece(0, args='"1"}'), piece(0, "b", "read_file", '{"path":"2"}')
    )
    assert got == [("read_file", '{"path":"1"}', "a"), ("read_file", '{"path":"2"}', "b")]


def test_shared_index_without_ids_is_told_by_the_name() -> None:
    got = assemble(piece(0, None, "read_file", '{"a":1}'), piece(0, None, "write_file", '{"b":2}'))
    assert got == [("read_file", '{"a":1}', ""), ("write_file", '{"b":2}', "")]


def test_same_tool_twice_without_index_and_id() -> None:
    got = assemble(piece(None, None, "read_file", '{"a":1}'), piece(None, None, "read_file", '{"a":2}'))
    assert [g[1] for g in got] == ['{"a":1}', '{"a":2}']


def test_id_that_comes_late() -> None:
    got = assemble(piece(0, None, "read_file", "{"), piece(0, "late", args="}"))
    assert got == [("read_file", "{}", "late")]


def test_id_that_comes_late_without_index() -> None:
    got = assemble(piece(None, None, "read_file", "{"), piece(None, "late", args="}"))
    assert got == [("read_file", "{}", "late")]


def test_name_repeated_with_every_piece_counts_once() -> None:
    got = assemble(
        piece(0, "a", "read_file", '{"p'), piece(0, "a", "read_file", 'ath":'), piece(0, "a", "read_file", '"x"}')
    )
    assert got == [("read_file", '{"path":"x"}', "a")]


def test_name_repeated_without_ids_counts_once() -> None:
    got = assemble(piece(0, None, "read_file", '{"p'), piece(0, None, "read_file", 'ath":1}'))
    assert got == [("read_file", '{"path":1}', "")]


def test_name_in_two_halves_and_growing_name() -> None:
    assert assemble(piece(0, "a", "read_"), piece(0, None, "file", "{}"))[0][0] == "read_file"
    assert assemble(piece(0, "a", "read_"), piece(0, None, "read_file", "{}"))[0][0] == "read_file"


def test_arguments_that_are_an_object_become_its_text_and_damage_stays() -> None:
    assert assemble({"function": {"name": "read_file", "arguments": {"path": "ü"}}})[0][1] == '{"path": "ü"}'
    assert assemble(piece(0, "a", "read_file", '{"path": "x'))[0][1] == '{"path": "x'


def test_nonsense_deltas_make_no_call() -> None:
    assert assemble({}, {"function": None}, {"index": "zero", "function": "x"}) == []


@given(
    st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=9), max_size=3), min_size=1, max_size=4), st.data()
)
def test_any_cutting_of_any_interleaving_gives_the_calls_back(calls: list[dict[str, str]], data: st.DataObject) -> None:
    streams = []
    for number, call in enumerate(calls):
        text = json.dumps(call)
        cut = data.draw(st.integers(0, len(text)))
        head = piece(number, f"id{number}", "read_file", text[:cut])
        streams.append([head, piece(number, args=text[cut:])])
    order = data.draw(st.permutations([n for n, s in enumerate(streams) for _ in s]))
    got = assemble(*(streams[n].pop(0) for n in order))
    assert {(own, args) for _, args, own in got} == {(f"id{n}", json.dumps(c)) for n, c in enumerate(calls)}
