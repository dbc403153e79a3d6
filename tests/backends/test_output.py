import os
import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handiwork.backends.environment.output import Output
from handiwork.backends.environment.plain_text import plain_text


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (b"\x1b[31mred\x1b[0m\n", "red\n"),
        (b"\x1b]0;a title\x07text", "text"),
        (b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        (b" 10%\r 50%\r100%\ndone\r\n", "100%\ndone\n"),
        (b"50%\r", "50%"),
        (b"abd\bc\n\bx", "abc\nx"),
        (b"caf\xe9 \xc3\xa9", "caf\\xe9 é"),
        (b"a\tb\x00\x07c\xc2\x9b", "a\tb\\x00c"),
    ],
)
def test_output_is_shown_as_on_a_screen(raw, shown):
    assert plain_text(raw) == shown


@given(st.lists(st.binary(max_size=300), max_size=30), st.integers(2, 400))
@settings(max_examples=60, deadline=None)
def test_the_file_holds_every_byte_when_the_text_was_cut(tmp_path_factory, chunks, limit):
    folder = tmp_path_factory.mktemp("results")
    output = Output(limit, folder, "x")
    for chunk in chunks:
        output.feed(chunk)
    whole = b"".join(chunks)
    text, path = output.finish(limit)
    if path:
        assert Path(path).read_bytes() == whole
        assert max(len(whole), len(plain_text(whole))) > limit // 2
    else:
        assert text == plain_text(whole)
        assert os.listdir(folder) == []


def test_head_and_tail_stay_within_the_limit_and_the_file_is_private(tmp_path):
    output = Output(4000, tmp_path / "made", "x")
    for number in range(20_000):
        output.feed(b"line %d\n" % number)
    text, path = output.finish(1000)
    assert len(text) <= 1000
    assert text.startswith("line 0\n") and text.endswith("line 19999\n")
    assert f"{output.size:,} bytes in all" in text
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert os.stat(path).st_size == output.size


def test_text_between_the_two_limits_is_cut_and_kept_too(tmp_path):
    output = Output(4000, tmp_path, "x")
    output.feed(b"a" * 1000 + b"b" * 1000)
    text, path = output.finish(1000)
    assert len(text) <= 1000 and text[0] == "a" and text[-1] == "b"
    assert Path(path).read_bytes() == b"a" * 1000 + b"b" * 1000
