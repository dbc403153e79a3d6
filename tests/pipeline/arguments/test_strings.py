"""Quotes and backslashes in almost-JSON."""

from __future__ import annotations

import pytest

from handiwork.pipeline.arguments.strings import StringReader, Unreadable


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"a\"b\\c\n\u00e4\ud83d\ude00"', 'a"b\\c\nä😀'),
        ('"raw\nbreak\tand tab"', "raw\nbreak\tand tab"),
        (r'"C:\dir"', r"C:\dir"),
        (r'"\d+\.\w*\\"', r"\d+\.\w*" + "\\"),
        (r'"C:\users\me"', r"C:\users\me"),
        (r'"it\'s"', "it's"),
        (r"'it\'s \"x\" \x41'", 'it\'s "x" A'),
        ('“a "b" c”', 'a "b" c'),
        ("‘a’", "a"),
        ("`a`", "a"),
        ("'''a\n'b' c'''", "a\n'b' c"),
    ],
)
def test_reads(text: str, value: str) -> None:
    reader = StringReader(text)
    assert reader.string(text[0]) == value
    assert reader.pos == len(text)


@pytest.mark.parametrize(
    "text",
    [
        r'"C:\dir\new"',  # a line break, or a folder called new
        r'"\x41 bytes"',
        '"line\\\nnext"',
        r'''"echo 'it'\''s'"''',
        r"""'''a\n'''""",
        "''''a''''",
    ],
)
def test_refuses_backslashes_and_quotes_with_two_readings(text: str) -> None:
    with pytest.raises(Unreadable):
        StringReader(text).string(text[0])


@pytest.mark.parametrize("text", ['"a', '"a\\', '"a\\u00', "'a", "“a", "'''a''", "`", '"\\"'])
def test_an_open_string_is_cut_off(text: str) -> None:
    with pytest.raises(Unreadable, match="cut off"):
        StringReader(text).string(text[0])
