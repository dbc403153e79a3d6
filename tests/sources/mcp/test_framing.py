from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from handiwork.sources.mcp.framing import Garbage, Lines, TooLong, read_messages


def fed(data: bytes, size: int, most: int = 1000) -> list[bytes | TooLong]:
    lines = Lines(most)
    return [line for at in range(0, len(data), size) for line in lines.feed(data[at : at + size])]


@given(st.lists(st.binary(max_size=60).map(lambda b: b.replace(b"\n", b"")), max_size=12), st.integers(1, 40))
def test_lines_are_the_same_however_the_bytes_come(lines: list[bytes], size: int):
    assert fed(b"".join(line + b"\n" for line in lines), size) == lines


@given(st.integers(1, 300), st.integers(1, 300), st.sampled_from(["first", "last"]))
def test_a_line_that_is_too_long_is_counted_and_the_next_one_is_read(extra: int, size: int, place: str):
    body = "x" * (1000 + extra)
    message = {"id": 7, "result": body} if place == "first" else {"result": body, "id": 7}
    data = json.dumps(message).encode()
    assert fed(data + b'\n{"next":1}\n', size) == [TooLong(len(data), 7), b'{"next":1}']


def test_the_id_of_a_long_message_may_be_a_text_or_unknown():
    assert fed(b'{"id":"a-1","r":"' + b"x" * 2000 + b'"}\n', 64) == [TooLong(2019, "a-1")]
    assert fed(b"x" * 2000 + b"\n", 64) == [TooLong(2000, None)]


def messages(line: bytes) -> list[dict[str, Any] | Garbage]:
    return list(read_messages(line))


def test_only_line_feeds_end_lines_and_bad_bytes_cost_nothing_else():
    said = {"id": 1, "result": {"t": "a\u2028b\u0085c"}}
    assert messages(json.dumps(said, ensure_ascii=False).encode() + b"\r") == [said]
    assert messages(b'{"id": 1, "result": {"t": "\xff"}}') == [{"id": 1, "result": {"t": "\ufffd"}}]
    assert messages(b"  ") == []


def test_a_batch_is_several_messages_and_garbage_is_named():
    assert messages(b'[{"id": 1, "result": {}}, {"method": "x"}]') == [{"id": 1, "result": {}}, {"method": "x"}]
    for line in (b"Listening on 80", b"{}", b"42", b'{"half":', b"[1]", b"\xff\xfe", b"[" * 100_000):
        (found,) = messages(line)
        assert isinstance(found, Garbage) and len(found.text) <= 200
    assert messages(b"[]") == []
